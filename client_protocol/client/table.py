"""A place at a match for programs: it connects, resumes, answers and watches."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import secrets
import time
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Self, TypeAlias

from websockets.exceptions import ConnectionClosed, InvalidHandshake

from client_protocol import codec
from client_protocol.choices import Prompt, Value
from client_protocol.client.asides import Replayed, TableRequests
from client_protocol.client.link import (
    Backoff,
    EndedError,
    Link,
    RefusedError,
    Requests,
    expected,
    new_id,
    open_link,
    too_large,
)
from client_protocol.client.players import Introducing, Sign
from client_protocol.client.seen import Seen
from client_protocol.client.start import StartPage
from client_protocol.client.time_left import TimeLeft, time_left
from client_protocol.from_client import (
    Answer,
    AskAdvice,
    AskPreview,
    ClientMessage,
    CommitRandomness,
    EnterMatch,
    Order,
    RevealRandomness,
    SetMatchWebhook,
    TieSeat,
)
from client_protocol.from_server import (
    Accepted,
    Advice,
    Goodbye,
    NoticesSet,
    Preview,
    Refused,
    ServerMessage,
    Snapshot,
    Status,
    Update,
    Welcome,
)
from client_protocol.players import Webhook
from client_protocol.shapes import PROTOCOL
from client_protocol.statements import seat_statement
from client_protocol.view import View

__all__ = [
    "Accepted",
    "Backoff",
    "EndedError",
    "Event",
    "Refused",
    "RefusedError",
    "Replayed",
    "StartPage",
    "Table",
    "TimeLeft",
]

Event: TypeAlias = Snapshot | Update | Status | Goodbye
KEPT_EVENTS = 1_000
"""The most undelivered events that are kept; the oldest are dropped first. The view is right in any case."""
HELD_BACK = 1.0
"""Seconds to wait after a refusal because of rates, or because the server's database is away."""
NOT_NOW = frozenset({"rate", "busy", "database_away"})
"""Codes of refusals after which the same message, under the same id, is accepted later."""
FAULT, MOST_FAULTS = "internal", 3
"""The code of a refusal for a fault of the server, after which it is not known whether the message has counted; and how often the
message is sent again then, to learn it.
"""
DECIDED = frozenset({"prompt_closed", "not_your_prompt"})
"""Codes of refusals that mean that the prompt is no longer open."""


class Table(TableRequests, Introducing):
    """A place at a match, with a seat or as a spectator.

    Args:
        address: the server, as `http://host:port`.
        match: the match.
        token: the seat's token; "" to watch.
        name: a spectator's name in the chat.
        randomness: the seat's share of the dice, 32 bytes; drawn if not given. Pass it again to return with a new `Table`
            between committing and revealing.
        backoff: the delays before reconnecting.
        sleep: waits so many seconds.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        address: str,
        match: str,
        token: str = "",
        *,
        name: str = "",
        randomness: bytes | None = None,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.address = address
        self.match = match
        self.randomness = randomness or secrets.token_bytes(32)
        self.snapshot: Snapshot | None = None
        """The last snapshot: table, words, commitment; its view is out of date."""
        self.prompt: Prompt | None = None
        """The open prompt of this seat, or None."""
        self.seq = -1
        """The last frame that was received."""
        self.head = ""
        """The last hash of a log entry that was told, in hexadecimal, to be compared later: `check_head`,
        `underfire verify --head`.
        """
        self.ended: EndedError | None = None
        """Why this table is closed for good, or None while it is not."""
        self.links = 0
        """How often the table has connected."""
        self._token = token
        self._name = name
        self._backoff = backoff or Backoff()
        self._sleep = sleep
        self._clock = clock
        self._told_up = (0, clock())
        self._seen = Seen()
        self._committed: tuple[str, ...] = ()
        self._revealed: tuple[str, ...] = ()
        self._told: set[str] = set()
        self._refused: tuple[str, Refused] | None = None
        self._link: Link | None = None
        self._requests = Requests()
        self._events: deque[Event] = deque(maxlen=KEPT_EVENTS)
        self._news: asyncio.Event = asyncio.Event()

    @classmethod
    @asynccontextmanager
    async def sit(
        cls, address: str, match: str, token: str = "", *, name: str = "", randomness: bytes | None = None
    ) -> AsyncIterator[Self]:
        """Take a place at a match, with a seat's token or to watch; ready when the view is there.

        Raises:
            EndedError: there is no such match, or the token is wrong.
        """
        async with cls(address, match, token, name=name, randomness=randomness).running() as table:
            yield table

    @asynccontextmanager
    async def running(self) -> AsyncIterator[Self]:
        """Connect, and stay connected until the block is left. See `sit`."""
        running = asyncio.create_task(self._run())
        try:
            while self.snapshot is None and self.ended is None:
                await self._wait()
            if self.ended is not None:
                raise self.ended
            yield self
        finally:
            running.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await running

    # --- what is seen -----------------------------------------------------------------------------------------------

    @property
    def seat(self) -> str:
        """This client's seat; "" for spectators."""
        return "" if self.snapshot is None else self.snapshot.seat

    @property
    def view(self) -> View:
        """The current view."""
        return self._seen.view

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._seen.over

    @property
    def up(self) -> int:
        """The server's up-time now, in milliseconds, as estimated here: clocks run by it."""
        told, at = self._told_up
        return told + int(1000 * (self._clock() - at))

    def time_left(self) -> dict[str, TimeLeft]:
        """Return the time that each seat has left now; empty without clocks."""
        return time_left(self.view, self.up)

    def __aiter__(self) -> AsyncIterator[Event]:
        """Iterate over events as they come: snapshots, updates, whether the server can take answers."""
        return self._each()

    async def _each(self) -> AsyncIterator[Event]:
        while True:
            while self._events:
                yield self._events.popleft()
            if self.ended is not None:
                return
            await self._wait()

    async def prompts(self) -> AsyncIterator[Prompt]:
        """Yield each prompt of this seat, once; end with the match, or when the table is closed for good.

        A new iteration yields the open prompt first.

        Raises:
            RefusedError: the last answer to the yielded prompt was refused, and the prompt is still open, so this would wait
                for ever. Check what `Table.answer` returns, and answer otherwise before asking for the next prompt.
        """
        asked = ""
        while self.ended is None and not self.over:
            prompt = self.prompt
            if prompt is not None and prompt.id != asked and not prompt.answered:
                asked = prompt.id
                yield prompt
            elif prompt is not None and not prompt.answered and self._refused is not None and self._refused[0] == asked:
                raise RefusedError(self._refused[1])
            else:
                await self._wait()

    # --- what can be done -------------------------------------------------------------------------------------------

    async def answer(
        self, choice: str, values: tuple[Value, ...] = (), prompt: str | None = None
    ) -> Accepted | Refused:
        """Answer the open prompt (or the one named), and wait until the answer is in the log, or refused.

        However often the link is lost meanwhile, the answer counts once.

        Args:
            choice: the key of one of the prompt's choices that has no `why`.
            values: a value for each of the choice's parameters, in their order.
            prompt: the prompt's id.

        Returns:
            The outcome. After a refusal nothing has changed: the prompt is still open, and can be answered otherwise.

        Raises:
            ValueError: there is no open prompt.
            EndedError: the table was closed for good.
        """
        if prompt is None:
            if self.prompt is None:
                raise ValueError("There is no open prompt to answer.")
            prompt = self.prompt.id
        message = Answer(new_id(), prompt, choice, values)
        self._refused = None
        reply = expected(await self._ask(message.id, message), Accepted)
        if isinstance(reply, Refused) and reply.code not in DECIDED:
            self._refused = (prompt, reply)
            # A task that waits for the next prompt must notice.
            self._news.set()
        return reply

    async def preview(self, choice: str, values: tuple[Value, ...] = ()) -> Preview | Refused:
        """Return a preview of a choice of the open prompt."""
        message = AskPreview(new_id(), "" if self.prompt is None else self.prompt.id, choice, values)
        return expected(await self._ask(message.id, message), Preview)

    async def advice(self) -> Advice | Refused:
        """Return what the computer would answer to the open prompt, and why; refused where the match has no advice."""
        message = AskAdvice(new_id(), "" if self.prompt is None else self.prompt.id)
        return expected(await self._ask(message.id, message), Advice)

    async def tie_seat(self, key: str, sign: Sign) -> Accepted | Refused:
        """Tie our seat to the player's key `key` (hexadecimal), for all to see and for good."""
        name = self.view.seats[self.seat].name
        message = TieSeat(new_id(), key, sign(seat_statement(self.match, self.seat, name)).hex())
        return expected(await self._ask(message.id, message), Accepted)

    async def set_match_webhook(self, webhook: Webhook | None) -> NoticesSet | Refused:
        """Name a webhook that is told of the decisions of this match that wait; None: no more."""
        message = SetMatchWebhook(new_id(), webhook)
        return expected(await self._ask(message.id, message), NoticesSet)

    async def order(self, unit: str, order: str) -> Accepted | Refused:
        """Give a unit of ours a standing order, one of the snapshot's `orders`; no other player sees it."""
        message = Order(new_id(), unit, order)
        return expected(await self._ask(message.id, message), Accepted)

    async def _ask(self, message_id: str, message: ClientMessage) -> ServerMessage:
        if refused := too_large(message_id, message):
            return refused
        faults = 0
        while self.ended is None:
            coming = self._requests.add(message_id, message)
            try:
                await self._send(message)
                reply = await coming
            finally:
                self._requests.forget(message_id)
            if not isinstance(reply, Refused):
                return reply
            faults += reply.code == FAULT
            if reply.code not in NOT_NOW and not (reply.code == FAULT and faults <= MOST_FAULTS):
                return reply
            # A program can wait until it may try again; under the same id, the message counts once.
            await self._sleep(HELD_BACK)
        raise self.ended

    async def _send(self, message: ClientMessage) -> None:
        """Send a message now; without a link, it is sent with all other unanswered ones when there is one."""
        if self._link is not None:
            with contextlib.suppress(ConnectionClosed):
                await self._link.send(message)

    # --- staying connected ------------------------------------------------------------------------------------------

    async def _run(self) -> None:
        attempt = 0
        while self.ended is None:
            links = self.links
            try:
                async with open_link(self.address) as link:
                    await self._talk(link)
            except codec.CodecError as error:
                self._end("protocol", error.sentence)
            except (OSError, TimeoutError, ConnectionClosed, InvalidHandshake) as error:
                if self.links == 0:
                    self._end("unreachable", f"There is no server at {self.address}: {error}.")
            finally:
                self._link = None
            if self.ended is None:
                attempt = 0 if self.links > links else attempt + 1
                await self._sleep(self._backoff.delay(attempt))

    async def _talk(self, link: Link) -> None:
        await link.send(EnterMatch(PROTOCOL, self.match, self._token, self.seq, self._name))
        self._told.clear()
        while self.ended is None:
            message = await link.receive()
            if isinstance(message, Welcome):
                self.links += 1
                self._link = link
                self._told_up = (message.up, self._clock())
                for waiting in self._requests.open():
                    await link.send(waiting)
            elif not self._requests.reply(message):
                await self._hear(message)

    async def _hear(self, message: ServerMessage) -> None:
        match message:
            case Snapshot():
                self.snapshot, self.seq, self.prompt = message, message.seq, message.prompt
                self.head = message.head.hex()
                self._seen = Seen(message.view)
                self._committed, self._revealed = message.committed, message.revealed
            case Update():
                self._apply(message)
            case Goodbye() if not message.again:
                self._end(message.code, message.sentence)
        if isinstance(message, Snapshot | Update | Status | Goodbye):
            self._events.append(message)
            self._news.set()
            await self._share_in_dice()

    def _apply(self, update: Update) -> None:
        """Apply a frame.

        Raises:
            ConnectionClosed: a frame is missing: a new link resumes with the last one seen.
        """
        if update.seq != self.seq + 1:
            raise ConnectionClosed(None, None)
        self.seq, self.head = update.seq, update.head.hex() or self.head
        self._seen.patch(update.patch)
        if update.prompt is not None or update.closed:
            self.prompt = update.prompt
        if update.committed is not None:
            self._committed = update.committed
        if update.revealed is not None:
            self._revealed = update.revealed

    async def _share_in_dice(self) -> None:
        """Commit to our share of the dice, and reveal it when every seat has committed (see PROTOCOL.md)."""
        if not self.seat or self.seat in self._revealed:
            return
        if self.seat not in self._committed:
            if "commit" not in self._told:
                self._told.add("commit")
                await self._send(CommitRandomness(new_id(), hashlib.sha256(self.randomness).hexdigest()))
        elif self._sharing() <= set(self._committed) and "reveal" not in self._told:
            self._told.add("reveal")
            await self._send(RevealRandomness(new_id(), self.randomness.hex()))

    def _sharing(self) -> set[str]:
        """Return the seats that have a share in the dice: those of players."""
        return {seat for seat, one in self.view.seats.items() if not one.program}

    def _end(self, code: str, sentence: str) -> None:
        self.ended = EndedError(code, sentence)
        self._requests.fail(self.ended)
        self._news.set()

    async def _wait(self) -> None:
        """Wait until something has come; all waiting tasks are woken."""
        if self._news.is_set():
            self._news = asyncio.Event()
        await self._news.wait()
