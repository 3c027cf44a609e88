"""A table that keeps an account: what it sent, each reply, and every frame that it was shown."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from client_protocol.client import Table
from client_protocol.client.link import Backoff
from client_protocol.from_client import Answer, ClientMessage, Concede, MakeOffer, Order, Respond, Say, TakeBack
from client_protocol.from_server import Accepted, Refused, ServerMessage, Snapshot, Update

WRITTEN = Answer | Say | TakeBack | MakeOffer | Respond | Concede | Order
"""What goes onto the log when it is accepted."""

MOST_WAIT = 2.0
"""Seconds that a table waits at most before it connects again: faults come faster here than a program that plays need expect."""


def now_ms() -> int:
    """Milliseconds since 1970, as the servers' logs have them."""
    return time.time_ns() // 1_000_000


@dataclass
class Sent:
    """A message, when it was sent first, and when and how it was replied to (0 and None: not yet). `asked_at` is when the prompt
    was first seen here that it answers; `void`: it would change nothing, and makes no entry.
    """

    message: WRITTEN
    at: int
    asked_at: int = 0
    void: bool = False
    replied_at: int = 0
    reply: Accepted | Refused | None = None


@dataclass
class Account:
    """The account of one table."""

    match: str
    audience: str
    sent: dict[str, Sent] = field(default_factory=dict)
    updates: dict[int, Update] = field(default_factory=dict)
    snapshots: list[Snapshot] = field(default_factory=list)
    wrong: list[str] = field(default_factory=list)
    """What could be seen to be wrong at once."""


class Witness(Table):
    """A table with an account. It plays as every client does: it connects again, and sends again what had no reply."""

    def __init__(self, address: str, match: str, audience: str, token: str = "", *, name: str = "") -> None:
        super().__init__(address, match, token, name=name, backoff=Backoff(most=MOST_WAIT))
        self.account = Account(match, audience)
        self._asked_at: dict[str, int] = {}

    @property
    def linked(self) -> bool:
        """Whether there is a connection, as far as one can tell here."""
        return self._link is not None

    async def _hear(self, message: ServerMessage) -> None:
        if isinstance(message, Snapshot):
            self.account.snapshots.append(message)
        elif isinstance(message, Update):
            before = self.account.updates.setdefault(message.seq, message)
            if before != message:
                self.account.wrong.append(f"frame {message.seq} came twice, and otherwise the second time")
        await super()._hear(message)
        if self.prompt is not None:
            self._asked_at.setdefault(self.prompt.id, now_ms())

    async def _ask(self, message_id: str, message: ClientMessage) -> ServerMessage:
        if not isinstance(message, WRITTEN):
            return await super()._ask(message_id, message)
        sent = self.account.sent[message_id] = Sent(message, now_ms())
        if isinstance(message, Answer):
            sent.asked_at = self._asked_at.get(message.prompt, 0)
        if isinstance(message, Order):
            sent.void = self.view.units[message.unit].order == message.order
        reply = await super()._ask(message_id, message)
        assert isinstance(reply, Accepted | Refused), reply
        sent.replied_at, sent.reply = now_ms(), reply
        return reply
