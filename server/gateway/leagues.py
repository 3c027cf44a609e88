"""Messages about leagues, from whatever page."""

from __future__ import annotations

import logging
from typing import Protocol

from client_protocol.campaigns import RosterView
from client_protocol.from_client import (
    ActInLeague,
    AskLeague,
    AskLeagues,
    AskRoster,
    MakeLeague,
    PlayFixture,
    SetLeagueWebhook,
)
from client_protocol.from_server import (
    FixtureSeat,
    Leagues,
    LeagueShown,
    NoticesSet,
    Refused,
    RosterShown,
    ServerMessage,
)
from client_protocol.leagues import Appoint, LeagueAct, LeagueSummary, LeagueTerms, LeagueView
from client_protocol.players import PublicPlayer, Webhook
from server.gateway.league_files import Shows
from server.leagues.acts import Actor
from server.leagues.errors import ActError
from server.leagues.log.entries import LeagueLogError
from server.matches.log.unreadable import unreadable
from server.store.errors import StoreError

log = logging.getLogger("underfire.leagues")

LeagueMessage = AskLeagues | MakeLeague | AskLeague | AskRoster | ActInLeague | SetLeagueWebhook | PlayFixture


class LeaguesDesk(Shows, Protocol):
    """The leagues of this server."""

    async def all(self, key: str, after: int = 0) -> tuple[list[LeagueSummary], list[str], int]:
        """Return the leagues that a player may see in a list, the ids of their own, and how to ask for older ones."""
        ...

    async def make(self, id_: str, key: str, name: str, terms: LeagueTerms) -> LeagueView:
        """Make a league."""
        ...

    async def act(self, league: str, actor: Actor, id_: str, invite: str, act: LeagueAct) -> LeagueView:
        """Do something in a league for a player."""
        ...

    async def roster(self, league: str, key: str, player: str, invite: str = "") -> RosterView:
        """Return the roster of a player as the player with a key ("": a stranger) sees it."""
        ...

    async def seat(self, id_: str, league: str, key: str, number: int) -> FixtureSeat:
        """Return the seat of a player in the match of a fixture."""
        ...


class NamesPlayers(Protocol):
    """Who players are."""

    async def find(self, key: str) -> PublicPlayer | None:
        """Return what all may know of a player. Raises `StoreError`."""
        ...

    @property
    def telling(self) -> bool:
        """Whether this server tells players, and of leagues."""
        ...

    async def set_league_webhook(
        self, league: str, key: str, webhook: Webhook | None, *, test: bool
    ) -> tuple[str, ...]:
        """Name a league's webhook, and try it; return what went wrong. Raises `ActError`, `StoreError`."""
        ...


async def reply_in_league(desk: LeaguesDesk, players: NamesPlayers, key: str, message: LeagueMessage) -> ServerMessage:
    """Handle a message about leagues of the player with a key ("": a stranger), and return the reply."""
    try:
        if isinstance(message, AskLeagues):
            leagues, own, more = await desk.all(key, message.after)
            return Leagues(message.id, tuple(leagues), tuple(own), more)
        if isinstance(message, AskLeague):
            return LeagueShown(message.id, await desk.show(message.league, key, message.invite))
        if isinstance(message, AskRoster):
            roster = await desk.roster(message.league, key, message.player, message.invite)
            return RosterShown(message.id, message.league, roster)
        player = await players.find(key) if key else None
        if player is None:
            return Refused(message.id, "introduce_first", "Show first that you hold the player's key.")
        if isinstance(message, SetLeagueWebhook):
            return await _set_webhook(players, player.key, message)
        return await _reply_to_player(desk, players, player, message)
    except ActError as error:
        return Refused(message.id, error.code, error.sentence)
    except LeagueLogError as error:
        log.error("%s", error, extra={"league": getattr(message, "league", "")})  # noqa: TRY400 - it says all there is
        return Refused(message.id, "damaged", "The log of this league is damaged: tell the server's operator.")
    except StoreError as error:
        return unreadable(message.id, error, "the league cannot be read now")


async def _reply_to_player(
    desk: LeaguesDesk, players: NamesPlayers, player: PublicPlayer, message: MakeLeague | ActInLeague | PlayFixture
) -> ServerMessage:
    match message:
        case MakeLeague():
            return LeagueShown(message.id, await desk.make(message.id, player.key, player.name, message.terms))
        case PlayFixture():
            return await desk.seat(message.id, message.league, player.key, message.fixture)
        case ActInLeague():
            actor = Actor(player.key, player.name, appoints=await _appointed(players, message.act))
            return LeagueShown(
                message.id, await desk.act(message.league, actor, message.id, message.invite, message.act)
            )


async def _set_webhook(players: NamesPlayers, key: str, message: SetLeagueWebhook) -> NoticesSet | Refused:
    if not players.telling:
        return Refused(message.id, "no_notices", "The operator of this server has switched notices off.")
    faults = await players.set_league_webhook(message.league, key, message.webhook, test=message.test)
    return NoticesSet(message.id, faults)


async def _appointed(players: NamesPlayers, act: LeagueAct) -> str:
    """Return the name of the player whom an act appoints; "" if the server knows none, or it appoints none."""
    found = await players.find(act.player) if isinstance(act, Appoint) and act.yes else None
    return "" if found is None else found.name
