"""Players and their keys, as a part of both connections."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

from client_protocol.client.link import expected, new_id
from client_protocol.from_client import (
    AskChallenge,
    AskPlayer,
    AskTopic,
    ClientMessage,
    ForgetPlayer,
    Introduce,
    SetNotices,
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
from client_protocol.players import NoticeSettings
from client_protocol.statements import player_statement

Sign = Callable[[bytes], bytes]
"""Signs a statement with a player's private key, by Ed25519 (RFC 8032)."""


class Introducing(ABC):
    """What a connection may say of its player. The private key stays with the caller."""

    @abstractmethod
    async def _ask(self, message_id: str, message: ClientMessage) -> ServerMessage:
        """Send a message, and return its reply."""

    async def introduce(self, key: str, name: str, sign: Sign) -> Introduced | Refused:
        """Show that the player's key `key` (hexadecimal) is ours, and say what we want to be called."""
        ask = AskChallenge(new_id())
        challenge = expected(await self._ask(ask.id, ask), Challenge)
        if isinstance(challenge, Refused):
            return challenge
        signature = sign(player_statement(challenge.challenge, name)).hex()
        message = Introduce(new_id(), key, name, signature)
        return expected(await self._ask(message.id, message), Introduced)

    async def ask_player(self, key: str) -> PlayerFound | Refused:
        """Ask who the player with this key is."""
        message = AskPlayer(new_id(), key)
        return expected(await self._ask(message.id, message), PlayerFound)

    async def set_notices(self, notices: NoticeSettings, *, test: bool = False) -> NoticesSet | Refused:
        """Say how we want to be told of decisions that wait; only after `introduce`. With `test`, have it tried."""
        message = SetNotices(new_id(), notices, test)
        return expected(await self._ask(message.id, message), NoticesSet)

    async def ask_topic(self) -> TopicGiven | Refused:
        """Ask for a new password for our own topic at the feed's broker; only after `introduce`."""
        message = AskTopic(new_id())
        return expected(await self._ask(message.id, message), TopicGiven)

    async def forget_player(self) -> Accepted | Refused:
        """Have the server forget us; only after `introduce`."""
        message = ForgetPlayer(new_id())
        return expected(await self._ask(message.id, message), Accepted)
