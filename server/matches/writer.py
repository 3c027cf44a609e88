"""The writer: appends to a match's log and reads what others append, one job after the other.

An answer is tried on a scratch run, its entry is appended, and only then is it part of the match and published.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Protocol, TypeVar

from client_protocol.from_server import Accepted, Refused
from server.kernel.belief import Audience
from server.kernel.procedure import EndlessRunError
from server.matches.environment import Environment
from server.matches.log.entries import SALT_BYTES, Body, LogError, Opened, Rewound
from server.matches.log.fold import Added
from server.matches.play.machine_turns import next_look
from server.matches.play.referee import Referee, UpTime
from server.matches.play.verdicts import Planned, Verdict
from server.store.errors import DAMAGED, LogDamaged, MatchClosed, MatchRemoved, StoreError, StoreUnavailable
from server.store.store import Appended, Duplicate, MatchStore

log = logging.getLogger("underfire.writer")

ATTEMPTS = 20
"""How often an answer is tried again after conflicts with other servers' entries."""
WAIT_SECONDS = 5.0
"""The longest wait in the queue, in seconds, after which no job is tried while the database is away."""
CLOSED = "the match was closed here"
NEW_RULES = "The rules of this server have changed: the last activation begins again, with new dice."
FAILED = "The server failed on what comes next: the last activation begins again, with new dice."

T = TypeVar("T")
Due = Callable[[UpTime], Planned | Body | None]
"""The entry that is due in the match by the up-time: see `due.due`."""


async def _nothing() -> None:
    """Have no private fields."""


class Think(Protocol):
    """Runs a computation of the rules, perhaps where other matches need not wait for it."""

    async def __call__(self, thought: Callable[[], T]) -> T:
        """Run it and return its result."""


class Writer:
    """Writes and follows the log of one match.

    Args:
        store: holds the log.
        referee: the rules on the match's log, up to date.
        publish: called for each entry that is in the log now, and whether it was written here.
        due: what the server appends on its own.
        think: runs computations of the rules.
        expect: called with an entry that is on its way to the log, which may come there or not.
        confirm: called with an entry of this writer's at the moment when it is known to be in the log; it is published soon
            after.
        environment: clocks and policies of this server.
        removed: called when the operator has removed the match.
        reread: reads the match's private fields again; called when another server may have changed them.
        random_bytes: draws an entry's salt.
    """

    def __init__(
        self,
        store: MatchStore,
        referee: Referee,
        publish: Callable[[Added, bool], None],
        *,
        due: Due,
        think: Think,
        expect: Callable[[bytes], None] = lambda _payload: None,
        confirm: Callable[[bytes], None] = lambda _payload: None,
        environment: Environment,
        removed: Callable[[], None] = lambda: None,
        reread: Callable[[], Awaitable[None]] = _nothing,
        random_bytes: Callable[[int], bytes] = os.urandom,
    ) -> None:
        self.removed = False
        """Whether the operator has removed the match."""
        self._match = referee.fold.opened.match
        self._fields = {"match": self._match}
        self._store = store
        self._referee = referee
        self._publish = publish
        self._due = due
        self._think = think
        self._expect = expect
        self._confirm = confirm
        self._environment = environment
        self._on_removal = removed
        self._reread = reread
        self._random_bytes = random_bytes
        self._stale = False
        self._sent: bytes | None = None
        """The entry whose outcome is not known yet."""
        # Lists and no queue, and a task only while there is work: a match that waits for its players holds little.
        self._mailbox: list[_Job] = []
        self._worker: asyncio.Task[None] | None = None
        self._closed = False
        # Asking for the running loop is a system call, and this is done several times for each answer.
        self._loop = asyncio.get_running_loop()
        self._follower = store.follow(self._match, referee.fold.number, self._fields_changed)
        self._following: asyncio.Task[None] | None = self._loop.create_task(
            self._follow(), name=f"follower of {self._match}"
        )

    async def close(self) -> None:
        """Stop. Callers that wait are told that the outcome is unknown."""
        self._closed = True
        self._follower.close()
        tasks = [task for task in (self._worker, self._following) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        # The tasks' exceptions hold their frames, which hold this object.
        self._worker = self._following = None
        while self._mailbox:
            self._mailbox.pop().lose()

    def write(
        self, audience: Audience, id_: str, answer_id: str, consider: Callable[[], Verdict]
    ) -> asyncio.Future[Accepted | Refused]:
        """Append what `consider` returns, or find that it was appended before. Return the future of the reply.

        Args:
            audience: the sender.
            id_: the message's id.
            answer_id: the store's answer id; "" for a message that is recognized by its content.
            consider: checks the message against the match as it stands, without changing anything; called again after every
                conflict.
        """
        if self._referee.stopped:
            refused: asyncio.Future[Accepted | Refused] = self._loop.create_future()
            refused.set_result(self._stopped(id_))
            return refused
        turn = partial(self._turn, audience, id_, answer_id, consider, self._loop.time())
        return self._post(partial(self._reply, id_, turn), lost=_away(id_))

    async def _reply(self, id_: str, turn: Callable[[], Awaitable[Accepted | Refused]]) -> Accepted | Refused:
        """Return what comes of a message when it is its turn, also if that fails."""
        try:
            return await turn()
        except (StoreError, LogError, EndlessRunError) as error:
            self._discard()
            return self._refused(id_, error)

    def _refused(self, id_: str, error: StoreError | LogError | EndlessRunError) -> Refused:
        match error:
            case StoreUnavailable():
                return _away(id_)
            case MatchRemoved():
                return Refused(id_, "removed", str(error))
            case MatchClosed():
                return Refused(id_, "match_not_running", "This match is over and archived.")
            case EndlessRunError():
                return Refused(id_, "match_not_running", f"This cannot be played: {error}.")
        self._give_up(error)
        return self._stopped(id_)

    def _stopped(self, id_: str) -> Refused:
        return Refused(id_, "match_not_running", f"This match has stopped: {self._referee.stopped}.")

    async def _turn(
        self, audience: Audience, id_: str, answer_id: str, consider: Callable[[], Verdict], since: float
    ) -> Accepted | Refused:
        """Check a message against the match as it stands now, and append its entry; again whenever another server was first.
        The message has waited since `since`.
        """
        self._check_wait(since)
        for _ in range(ATTEMPTS):
            await self._catch_up()
            seq = self._referee.fold.answers.get(answer_id)
            if seq is not None:
                return Accepted(id_, seq)
            await self._environment.refresh_up()
            verdict = await self._think(consider)
            if isinstance(verdict, Refused | Accepted):
                # Another server may have taken this very message, or asked what it answers: this one would not know yet.
                if await self._was_behind():
                    continue
                return verdict
            if await self._append(verdict):
                return Accepted(id_, self._referee.fold.seqs[audience])
        return Refused(id_, "busy", "Too many messages came to this match at once. Try again.")

    def _check_wait(self, since: float) -> None:
        """Refuse a message that has waited too long since then (by the loop's clock) while the database is away: the messages
        before it have each waited for the longest allowed time. Raises `StoreUnavailable`.
        """
        if not self._store.health.up and self._loop.time() - since > WAIT_SECONDS:
            raise StoreUnavailable(self._store.health.reason)

    async def settle(self) -> None:
        """Append what is due on its own, for a match that was just loaded, or whose store is back."""
        # For a match that was archived or removed meanwhile nothing is due; its follower notices.
        with contextlib.suppress(StoreUnavailable, MatchClosed):
            await self._in_turn(partial(self._go_back_from_trouble, NEW_RULES))

    async def _go_back_from_trouble(self, reason: str) -> None:
        """Go back to the last boundary, if the rules cannot run the match from where it stands."""
        await self._catch_up()
        if self._referee.trouble:
            log.error(
                "match %s goes back to its last boundary: %s", self._match, self._referee.trouble, extra=self._fields
            )
            await self._append(Rewound(reason))

    async def tick(self) -> None:
        """Append what is due by now; called when the match's deadline may have passed."""

        async def turn() -> None:
            await self._catch_up()
            await self._store.set_due(self._match, self._deadline())

        with contextlib.suppress(StoreUnavailable):
            await self._in_turn(turn)
            # What is due is appended after each turn: this one comes after that.
            await self._in_turn(self._catch_up)

    def nudge(self) -> None:
        """Check soon what is due by now, without waiting for it."""
        self._post(self._catch_up).add_done_callback(_let_fail)

    # --- entries -----------------------------------------------------------------------------------------------------

    async def _append(self, planned: Planned | Body) -> bool:
        """Append an entry and take it in. Return False if another entry came first, which then is taken in instead."""
        fold = self._referee.fold
        body, parent = planned if isinstance(planned, tuple) else (planned, 0)
        payload = fold.entry(body, self._environment.now_ms(), self._random_bytes(SALT_BYTES), parent)
        answer_id = "" if isinstance(body, Opened | Rewound) else body.answer
        deadline = self._deadline(body)
        # Until the outcome of the append is known, what was tried may or may not be part of the match.
        self._stale = True
        self._sent = payload
        # The entry is sent in the loop's next pass at the latest. What can be done while it is on its way comes after that.
        self._loop.call_soon(self._loop.call_soon, self._meanwhile, payload)
        written = partial(self._written, payload)
        outcome = await self._store.append(self._match, fold.number, answer_id, payload, due=deadline, written=written)
        self._sent = None
        if isinstance(outcome, Appended):
            self._stale = False
            self._environment.count("appended")
            self._take(payload, own=True)
            if self._deadline() != deadline:
                await self._store.set_due(self._match, self._deadline())
            return True
        if isinstance(outcome, Duplicate):
            self._environment.count("duplicates")
        else:
            self._environment.count("conflicts")
        await self._catch_up()
        return False

    def _meanwhile(self, payload: bytes) -> None:
        """Prepare telling of an entry, unless its outcome is known already, or other matches have need of the time."""
        if payload is self._sent and not self._store.busy:
            self._expect(payload)

    def _written(self, payload: bytes) -> None:
        """Tell of an entry that is in the log now, as far as that was prepared."""
        try:
            self._confirm(payload)
        except Exception:
            log.exception("match %s: a prepared entry could not be sent", self._match, extra=self._fields)

    def _deadline(self, body: Body | None = None) -> int | None:
        """Return the up-time (ms) at which something is due on its own, now or once `body`'s entry is there."""
        referee = self._referee
        going_on = next_look(referee.fold, body)
        if self._environment.abandonment.then != "draw" and going_on is None:
            return referee.runs_out(body)
        abandoned = self._environment.abandonment.deadline(referee.fold, body, referee.running)
        ends = (referee.runs_out(body), abandoned, going_on)
        return min((at for at in ends if at is not None), default=None)

    async def _catch_up(self) -> None:
        """Read and take in what other servers have appended, unless this writer is certain to be up to date."""
        if not self._stale:
            return
        for _, payload in await self._store.read(self._match, self._referee.fold.number):
            self._take(payload, own=False)
        self._referee.settle()
        self._stale = False

    async def _was_behind(self) -> bool:
        """Read whatever other servers have appended; return whether there was something. Appending needs no such look, since the
        store refuses what comes after a version that is not the last one.
        """
        number = self._referee.fold.number
        self._stale = True
        await self._catch_up()
        return self._referee.fold.number > number

    def _take(self, payload: bytes, *, own: bool) -> None:
        """Make an entry of the log part of the match, and publish it."""
        added = self._referee.take(payload, own=own)
        self._follower.advance(self._referee.fold.number)
        try:
            self._publish(added, own)
        except Exception:
            if self._referee.trouble:
                self._post(partial(self._go_back_from_trouble, FAILED)).add_done_callback(_let_fail)
            raise

    async def _follow(self) -> None:
        """Take in what other servers append, until the match is closed."""
        try:
            async for version, payload in self._follower:
                await self._take_in(version, payload)
        except MatchRemoved:
            log.info("match %s was removed", self._match, extra=self._fields)
            self._referee.stopped = "the operator of this server has removed it"
            self.removed = True
            self._on_removal()
        except MatchClosed:
            log.info("match %s was archived", self._match, extra=self._fields)
        except (StoreError, LogError) as error:
            self._give_up(error)

    async def _take_in(self, version: int, payload: bytes) -> None:
        """Take in an entry that another server has appended. Raises `StoreError`, `LogError`: the log cannot be followed."""
        try:
            with contextlib.suppress(StoreUnavailable):
                await self._in_turn(lambda: self._followed(version, payload))
        except (StoreError, LogError):
            raise
        except Exception:
            log.exception("match %s: entry %d could not be taken in", self._match, version, extra=self._fields)

    def _fields_changed(self) -> None:
        """Read the private fields again in turn, so that what comes afterwards finds them."""
        if not self._closed:
            self._post(self._reread).add_done_callback(_let_fail)

    async def _followed(self, version: int, payload: bytes) -> None:
        here = self._referee.fold.number
        if version == here + 1 and not self._stale:
            self._take(payload, own=False)
        elif version > here:
            self._stale = True
            await self._catch_up()

    # --- what is due -------------------------------------------------------------------------------------------------

    async def _do_what_is_due(self) -> None:
        """Append what is due on its own. Every server with the match loaded does it; the answer ids make the second one a
        duplicate.
        """
        try:
            with contextlib.suppress(StoreError, LogError):
                await self._append_what_is_due()
        except Exception:
            self._discard()
            log.exception("match %s: what is due could not be appended", self._match, extra=self._fields)

    async def _append_what_is_due(self) -> None:
        overtaken = 0
        while not self._referee.stopped and not self._stale and overtaken < ATTEMPTS:
            await self._environment.refresh_up()
            try:
                planned = await self._think(partial(self._due, self._environment.up_ms))
            except Exception as error:
                # What is due would fail again and again.
                log.exception("match %s has stopped", self._match, extra=self._fields)
                self._referee.stopped = (
                    str(error) if isinstance(error, EndlessRunError) else "its rules cannot go on from here"
                )
                return
            if planned is None:
                return
            overtaken += not await self._append(planned)

    # --- the task ----------------------------------------------------------------------------------------------------

    async def _in_turn(self, work: Callable[[], Awaitable[T]]) -> T:
        """Run a job when all jobs before it are done."""
        return await self._post(work)

    def _post(self, work: Callable[[], Awaitable[T]], *, lost: T | None = None) -> asyncio.Future[T]:
        """Let a job be run when all jobs before it are done; return the future of its result, which is `lost` (None: it raises
        `StoreUnavailable`) if the writer is closed before.
        """
        done: asyncio.Future[T] = self._loop.create_future()
        job = _Job(work, done, lost)
        if self._closed:
            job.lose()
            return done
        self._mailbox.append(job)
        if self._worker is None:
            self._worker = self._loop.create_task(self._work(), name=f"writer of {self._match}")
        return done

    async def _work(self) -> None:
        """Run the jobs, until there is none."""
        try:
            while self._mailbox:
                job = self._mailbox.pop(0)
                try:
                    result = await job.work()
                except asyncio.CancelledError:
                    job.lose()
                    raise
                except Exception as error:  # noqa: BLE001 - a bug in the rules must not end the match
                    self._discard()
                    job.fail(error)
                else:
                    if not job.done.done():
                        job.done.set_result(result)
                await self._do_what_is_due()
        finally:
            self._worker = None

    def _discard(self) -> None:
        """Discard what was tried: the log is the truth, and the next job begins from it."""
        self._stale = True

    def _give_up(self, error: Exception) -> None:
        if self._referee.stopped:
            return
        said = error if isinstance(error, LogDamaged) else LogDamaged(self._match, str(error))
        log.error("%s %s", said, DAMAGED, extra=self._fields)
        self._referee.stopped = (
            "its log is damaged on the server. Trying again does not help: tell the server's operator"
        )


def _let_fail(done: asyncio.Future[Any]) -> None:
    """Let a job fail that no caller waits for: it comes again, or the match is gone."""
    if not done.cancelled():
        done.exception()


class _Job:
    """A job: what is to be done, the future of its result, and the result of one that is lost (None: it raises)."""

    __slots__ = ("done", "lost", "work")

    def __init__(self, work: Callable[[], Awaitable[Any]], done: asyncio.Future[Any], lost: object) -> None:
        self.work = work
        self.done = done
        self.lost = lost

    def lose(self) -> None:
        """Say that the writer was closed before the job was done: its outcome is unknown."""
        if self.lost is None:
            self.fail(StoreUnavailable(CLOSED))
        elif not self.done.done():
            self.done.set_result(self.lost)

    def fail(self, error: Exception) -> None:
        """Let the future raise an error."""
        if not self.done.done():
            self.done.set_exception(error)


def _away(id_: str) -> Refused:
    sentence = (
        "The server lost contact with its database; your answer may or may not have counted. Send it again when the server is "
        "back."
    )
    return Refused(id_, "database_away", sentence)
