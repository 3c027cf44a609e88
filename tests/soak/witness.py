"""A table that keeps an account: what it sent, each reply, and every frame that it was shown."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from client_protocol.choices import Prompt
from client_protocol.client import Table
from client_protocol.client.link import Backoff, EndedError, open_link
from client_protocol.from_client import (
    Answer,
    ClientMessage,
    Concede,
    EnterMatch,
    MakeOffer,
    Order,
    Respond,
    Say,
    TakeBack,
)
from client_protocol.from_server import Accepted, Refused, ServerMessage, Snapshot, Update, Welcome
from client_protocol.shapes import PROTOCOL
from client_protocol.view import View

WRITTEN = Answer | Say | TakeBack | MakeOffer | Respond | Concede | Order
"""What goes onto the log when it is accepted."""

AWAY = (OSError, TimeoutError, EndedError, ConnectionClosed, InvalidHandshake)
"""What a connection ends with."""
KEPT_APART = 16
"""Every so many frames a table notes what it sees."""
DOUBLED = 0.1
"""The share of answers that are sent twice over one connection, and of those that are also sent over another server."""
LONGEST = 10.0
"""Seconds that a second connection is given for its answer."""
MOST_WAIT = 2.0
"""Seconds that a table waits at most before it connects again: faults come faster here than a program that plays need expect."""


def now_ms() -> int:
    """Milliseconds since 1970, as the servers' logs have them."""
    return time.time_ns() // 1_000_000


@dataclass
class Sent:
    """A message, when it was sent first, and when and how it was replied to (0 and None: not yet). `asked_at` is when the prompt
    was first seen here that it answers; `void`: it would change nothing, and makes no entry. `again` are replies to the same
    message that was sent once more, with the same id.
    """

    message: WRITTEN
    at: int
    asked_at: int = 0
    void: bool = False
    replied_at: int = 0
    reply: Accepted | Refused | None = None
    again: list[Accepted | Refused] = field(default_factory=list)


@dataclass
class Account:
    """The account of one table."""

    match: str
    audience: str
    sent: dict[str, Sent] = field(default_factory=dict)
    updates: dict[int, Update] = field(default_factory=dict)
    snapshots: list[Snapshot] = field(default_factory=list)
    states: dict[int, tuple[View, Prompt | None]] = field(default_factory=dict)
    """The view and the prompt that the table had after some frames: what it has made of all that it was sent."""
    others: list[bytes] = field(default_factory=list)
    """Other bytes that were shown to this audience."""
    wrong: list[str] = field(default_factory=list)
    """What could be seen to be wrong at once."""


class Witness(Table):
    """A table with an account. It plays as every client does: it connects again, and sends again what had no reply. Now and then
    it also sends an answer twice, as a client may that is not sure.

    Args:
        address: the server.
        match: the match.
        audience: the seat; "" for spectators.
        token: the seat's.
        name: a spectator's.
        chance: says what is sent twice (None: nothing is).
        elsewhere: gives the address of a server for an answer that is sent over two connections.
    """

    def __init__(
        self,
        address: str,
        match: str,
        audience: str,
        token: str = "",
        *,
        name: str = "",
        chance: random.Random | None = None,
        elsewhere: Callable[[], str] = lambda: "",
    ) -> None:
        super().__init__(address, match, token, name=name, backoff=Backoff(most=MOST_WAIT))
        self.account = Account(match, audience)
        self.sent_again: Counter[str] = Counter()
        """How often an answer was sent again, by the way in which it was."""
        self._asked_at: dict[str, int] = {}
        self._chance = chance
        self._elsewhere = elsewhere
        self._last: tuple[Answer, int] | None = None
        """The last answer that was accepted, and the number of the connection over which its reply came."""

    @property
    def linked(self) -> bool:
        """Whether there is a connection, as far as one can tell here."""
        return self._link is not None

    def note(self) -> None:
        """Note what the table sees now."""
        if self.snapshot is not None:
            self.account.states[self.seq] = self.view, self.prompt

    async def remind(self) -> None:
        """Send the last accepted answer once more, if the connection is another one since."""
        if self._last is not None and self.links > self._last[1] and self.linked:
            answer, self._last = self._last[0], None
            self.sent_again["after a reconnect"] += 1
            await super()._send(answer)

    async def _hear(self, message: ServerMessage) -> None:
        if isinstance(message, Snapshot):
            self.account.snapshots.append(message)
        elif isinstance(message, Update):
            before = self.account.updates.setdefault(message.seq, message)
            if before != message:
                self.account.wrong.append(f"frame {message.seq} came twice, and otherwise the second time")
        elif isinstance(message, Accepted | Refused):
            self._heard_again(message)
        await super()._hear(message)
        if self.prompt is not None:
            self._asked_at.setdefault(self.prompt.id, now_ms())
        if isinstance(message, Snapshot) or (isinstance(message, Update) and message.seq % KEPT_APART == 0):
            self.note()

    def _heard_again(self, reply: Accepted | Refused) -> None:
        """Note the reply to what was sent again."""
        sent = self.account.sent.get(reply.id)
        if sent is not None:
            sent.again.append(reply)

    async def _send(self, message: ClientMessage) -> None:
        await super()._send(message)
        if isinstance(message, Answer) and self._now_and_then():
            self.sent_again["at once"] += 1
            await super()._send(message)

    async def _ask(self, message_id: str, message: ClientMessage) -> ServerMessage:
        if not isinstance(message, WRITTEN):
            return await super()._ask(message_id, message)
        sent = self.account.sent[message_id] = Sent(message, now_ms())
        if isinstance(message, Answer):
            sent.asked_at = self._asked_at.get(message.prompt, 0)
        if isinstance(message, Order):
            sent.void = self.view.units[message.unit].order == message.order
        if isinstance(message, Answer) and self._now_and_then():
            reply = await self._ask_twice(message_id, message)
        else:
            reply = await super()._ask(message_id, message)
        assert isinstance(reply, Accepted | Refused), reply
        sent.replied_at, sent.reply = now_ms(), reply
        if isinstance(message, Answer) and isinstance(reply, Accepted):
            self._last = message, self.links
        return reply

    async def _ask_twice(self, message_id: str, message: Answer) -> ServerMessage:
        """Send an answer over a second connection of the seat, and over its own at the same time."""
        async with asyncio.TaskGroup() as group:
            coming: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            group.create_task(self._over_another(message, coming))
            await coming
            # Another name for it than `super()`, which has no meaning in a task.
            return await Table._ask(self, message_id, message)

    async def _over_another(self, message: Answer, ready: asyncio.Future[None]) -> None:
        """Send an answer over a second connection, which tells when it is about to; whatever happens to that connection."""
        try:
            with suppress(*AWAY):
                async with asyncio.timeout(LONGEST), open_link(self._elsewhere()) as link:
                    await link.send(EnterMatch(PROTOCOL, self.match, self._token, self.seq))
                    while not isinstance(await link.receive(), Welcome):
                        pass
                    ready.set_result(None)
                    self.sent_again["over two servers"] += 1
                    await link.send(message)
                    while True:
                        reply = await link.receive()
                        if isinstance(reply, Accepted | Refused) and reply.id == message.id:
                            self._heard_again(reply)
                            return
        finally:
            if not ready.done():
                ready.set_result(None)

    def _now_and_then(self) -> bool:
        return self._chance is not None and self._chance.random() < DOUBLED
