"""Introductions: the holder of a player's key shows that it is theirs, and says how to tell them of decisions that wait."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from typing import Protocol

from client_protocol.from_client import (
    AskChallenge,
    AskPlayer,
    AskTopic,
    ForgetPlayer,
    Introduce,
    SetMatchWebhook,
    SetNotices,
    TieSeat,
)
from client_protocol.from_server import (
    Accepted,
    Challenge,
    Introduced,
    NoticesSet,
    PlayerFound,
    Refused,
    ServerMessage,
    TopicGiven,
)
from client_protocol.players import NoticeSettings, PlayersSeat, PublicPlayer, Webhook
from client_protocol.statements import player_statement
from server.gateway.rooms import Room
from server.kernel.belief import Audience
from server.matches.log.names import tidy
from server.matches.log.player_keys import signed
from server.store.errors import MatchRemoved, StoreError

PlayerMessage = AskChallenge | Introduce | SetNotices | AskTopic | ForgetPlayer | AskPlayer
OfSeat = TieSeat | SetMatchWebhook


class Players(Protocol):
    """What the database keeps of players, and how they are told."""

    @property
    def push_key(self) -> str:
        """The key for push subscriptions, "" where notices are off."""

    @property
    def telling(self) -> bool:
        """Whether this server tells players of decisions that wait."""

    async def introduce(self, key: str, name: str) -> PublicPlayer:
        """Note what the player with this key is called. Raises `StoreError`."""

    async def find(self, key: str) -> PublicPlayer | None:
        """Return what all may know of a player. Raises `StoreError`."""

    async def notices(self, key: str) -> NoticeSettings:
        """Return how a player wants to be told. Raises `StoreError`."""

    async def set_notices(self, key: str, notices: NoticeSettings, *, test: bool) -> tuple[str, ...]:
        """Store how a player wants to be told; with `test`, try it, and return what went wrong. Raises `StoreError`."""

    @property
    def topics(self) -> bool:
        """Whether players have topics of their own at the feed's broker."""

    async def give_topic(self, key: str) -> tuple[str, str, str] | None:
        """Return a player's own topic, a new password for it, and the broker's address for browsers; None where there are no such
        topics. Raises `StoreError`.
        """

    async def forget(self, key: str) -> None:
        """Forget a player. Raises `StoreError`."""

    async def tied(self, key: str, match: str, seat: str) -> None:
        """Note that a seat is tied to a key. Raises `StoreError`."""

    async def seats(self, key: str) -> tuple[PlayersSeat, ...]:
        """Return the seats of a player, with tokens. Raises `StoreError`."""

    async def set_match_webhook(self, match: str, seat: str, webhook: Webhook | None) -> tuple[str, ...]:
        """Name the webhook of a seat for a match, and try it; return what went wrong. Raises `StoreError`."""

    async def set_league_webhook(
        self, league: str, key: str, webhook: Webhook | None, *, test: bool
    ) -> tuple[str, ...]:
        """Name a league's webhook, and try it; return what went wrong. Raises `ActError`, `StoreError`."""


class Introductions:
    """The player of one connection, if they have introduced themselves.

    Args:
        players: the players of this database; None: none is known here.
        hold: called with the player's key once it is shown that the connection is theirs.
    """

    def __init__(self, players: Players | None, hold: Callable[[str], None] = lambda _key: None) -> None:
        self._players = players
        self._hold = hold
        self._challenge = ""
        self.key = ""
        """The player's key, in hexadecimal; "" while there is none."""

    async def reply(self, message: PlayerMessage) -> ServerMessage:
        """Handle a message about the player of this connection, or about another one, and return the reply."""
        if self._players is None:
            return _unknown(message.id)
        try:
            match message:
                case AskChallenge():
                    self._challenge = secrets.token_bytes(32).hex()
                    return Challenge(message.id, self._challenge)
                case Introduce():
                    return await self._introduce(self._players, message)
                case AskPlayer():
                    return await _found(self._players, message)
            if not self.key:
                return Refused(message.id, "introduce_first", "Show first that you hold the player's key.")
            if isinstance(message, SetNotices):
                return await self._set_notices(self._players, message)
            if isinstance(message, AskTopic):
                return await self._give_topic(self._players, message)
            await self._players.forget(self.key)
        except StoreError:
            return _away(message.id)
        self.key = ""
        return Accepted(message.id)

    async def reply_to_seat(self, message: OfSeat, room: Room, audience: Audience) -> ServerMessage:
        """Handle a message of a seat about its player, and return the reply."""
        if not isinstance(audience, str):
            return Refused(message.id, "no_seat", "You are watching: only a seat can do that.")
        try:
            if isinstance(message, TieSeat):
                reply = await room.tie(audience, message)
                if isinstance(reply, Accepted):
                    self._hold(message.key)
                    if self._players is not None:
                        await self._players.tied(message.key, room.match, audience)
                return reply
            if self._players is None or not self._players.telling:
                return _silent(message.id)
            faults = await self._players.set_match_webhook(room.match, audience, message.webhook)
            return NoticesSet(message.id, faults)
        except MatchRemoved as removed:
            return Refused(message.id, "removed", str(removed))
        except StoreError:
            return _away(message.id)

    async def _give_topic(self, players: Players, message: AskTopic) -> TopicGiven | Refused:
        given = await players.give_topic(self.key)
        if given is None:
            return Refused(message.id, "no_topic", "Players have no topics of their own at this server's feed.")
        topic, password, address = given
        return TopicGiven(message.id, topic, self.key, password, address)

    async def _set_notices(self, players: Players, message: SetNotices) -> NoticesSet | Refused:
        if not players.telling:
            return _silent(message.id)
        faults = await players.set_notices(self.key, message.notices, test=message.test)
        return NoticesSet(message.id, faults)

    async def _introduce(self, players: Players, message: Introduce) -> Introduced | Refused:
        challenge, self._challenge = self._challenge, ""
        statement = player_statement(challenge, message.name)
        if not challenge or not signed(message.key, message.signature, statement):
            return Refused(message.id, "wrong_signature", "The signature is not the key's on the last challenge.")
        name = tidy(message.name)
        if not name:
            return Refused(message.id, "empty", "The name is empty.")
        player = await players.introduce(message.key, name)
        self.key = message.key
        self._hold(message.key)
        notices, seats = await players.notices(self.key), await players.seats(self.key)
        return Introduced(message.id, player, notices, players.push_key, players.topics, seats)


async def _found(players: Players, message: AskPlayer) -> PlayerFound | Refused:
    player = await players.find(message.key)
    if player is None:
        return Refused(message.id, "no_player", "This server knows nothing of the player with this key.")
    return PlayerFound(message.id, player)


def _unknown(id_: str) -> Refused:
    return Refused(id_, "no_players", "This server knows no players by their keys.")


def _away(id_: str) -> Refused:
    return Refused(id_, "database_away", "The server cannot reach its database. Try again later.")


def _silent(id_: str) -> Refused:
    return Refused(id_, "no_notices", "The operator of this server has switched notices off.")
