"""The workshop of a server: one process for jobs, one thread for computations, and fair turns for addresses."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import pickle
import queue
import sys
import threading
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, Self, TypeVar

from server.work.child import HEAD, written
from server.work.desk import ASKING, Finding, RulesOf, TooLong, TooMuch, WorkFailed
from server.work.slicing import Sliced

log = logging.getLogger("underfire.work")

P = ParamSpec("P")
T = TypeVar("T")

COMMAND = (sys.executable, "-P", "-m", "server.work.child")
"""The command of the process. -P: modules are not imported from the folder in which the server was started."""
STARTING = 20.0
"""Seconds that the process may take to start, in addition to those of its first job."""
MOST_WAITING = 8
"""The most waiting jobs of one address."""
MOST_USED = 30.0
"""Seconds of recent work after which an address is refused more."""
HALVED = 60.0
"""The half-life of an address's used work, in seconds."""
SWITCH = 0.001
"""Seconds after which the thread yields to the event loop's."""


@dataclass
class _Job:
    """A waiting job: its message, its limit in seconds, and the future of its result."""

    data: bytes
    seconds: float
    done: asyncio.Future[Any]


class Workshop:
    """Runs jobs in a process that is started with the first one, and replaced when it had to be killed. Use it as an
    asynchronous context manager.

    The address that has used least lately comes first, so that one that asks for much only waits longer itself.

    Args:
        clock: seconds that only go forward.
        command: starts the process.
        sleep: waits.
    """

    def __init__(
        self,
        clock: Callable[[], float],
        command: tuple[str, ...] = COMMAND,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._clock = clock
        self._sleep = sleep
        self._command = command
        self._waiting: dict[str, deque[_Job]] = {}
        self._used: dict[str, float] = {}
        self._halved = clock()
        self._process: Process | None = None
        self._new = False
        self._working: asyncio.Task[None] | None = None
        self._closed = False
        self._turn = asyncio.Lock()
        self._thoughts: queue.SimpleQueue[Callable[[], None]] | None = None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        """Abandon what is under way, and end the process."""
        self._closed = True
        if self._working is not None:
            self._working.cancel()
            await asyncio.gather(self._working, return_exceptions=True)
        for jobs in self._waiting.values():
            for job in jobs:
                _fail(job.done, WorkFailed())
        self._waiting.clear()
        await self._kill()

    @property
    def pid(self) -> int | None:
        """The process id, while there is a process."""
        return None if self._process is None else self._process.pid

    # --- jobs --------------------------------------------------------------------------------------------------------

    async def do(
        self, seconds: float, job: Callable[Concatenate[RulesOf, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a job in the process.

        Raises:
            TooMuch: its address has used too much work lately.
            TooLong: it was not done within `seconds`.
            WorkFailed: the process has ended during the job, or the job failed.
            Finding: the job's own.
        """
        if self._closed:
            raise WorkFailed
        key = self._asking()
        if key and len(self._waiting.get(key, ())) >= MOST_WAITING:
            raise TooMuch
        # The arguments are copied now, as they were when the job was requested.
        data = written((seconds, job, args, kwargs))
        done: asyncio.Future[T] = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(key, deque()).append(_Job(data, seconds, done))
        if self._working is None:
            self._working = asyncio.create_task(self._work(), name="workshop")
        return await done

    def _asking(self) -> str:
        """Return the address that the task works for. Raises `TooMuch` if it has used too much lately."""
        key = ASKING.get()
        self._forget()
        if key and self._used.get(key, 0.0) >= MOST_USED:
            raise TooMuch
        return key

    def _forget(self) -> None:
        while self._clock() - self._halved >= HALVED:
            self._halved += HALVED
            self._used = {key: used / 2 for key, used in self._used.items() if used > 0.1}
            if not self._used:
                self._halved = self._clock()

    async def _work(self) -> None:
        try:
            while self._waiting:
                key = min(self._waiting, key=lambda one: self._used.get(one, 0.0))
                jobs = self._waiting[key]
                job = jobs.popleft()
                if not jobs:
                    del self._waiting[key]
                if job.done.done():
                    continue  # its caller has gone
                began = self._clock()
                try:
                    await self._perform(job)
                finally:
                    self._used[key] = self._used.get(key, 0.0) + self._clock() - began
        finally:
            self._working = None

    async def _perform(self, job: _Job) -> None:
        """Run a job, and pass its result to its caller."""
        try:
            process = await self._ready()
            async with asyncio.timeout(job.seconds + STARTING * self._new):
                good, result = await _exchange(process, job.data)
            self._new = False
        except TimeoutError:
            log.warning("a job took more than %g seconds: its process is ended", job.seconds)
            await self._kill()
            _fail(job.done, TooLong())
        except (OSError, EOFError, asyncio.IncompleteReadError, pickle.UnpicklingError):
            log.warning("the process for long work has ended: another one will be started")
            await self._kill()
            _fail(job.done, WorkFailed())
        except asyncio.CancelledError:
            _fail(job.done, WorkFailed())
            raise
        else:
            if good:
                if not job.done.done():
                    job.done.set_result(result)
            elif isinstance(result, Finding):
                _fail(job.done, result)
            else:
                log.error("a job has failed:\n%s", result)
                _fail(job.done, WorkFailed())

    async def _ready(self) -> Process:
        """Return the process, started if there is none."""
        if self._process is None or self._process.returncode is not None:
            # Ctrl-C in a terminal is for the server, which then ends its process.
            self._process = await asyncio.create_subprocess_exec(
                *self._command, stdin=PIPE, stdout=PIPE, start_new_session=True
            )
            self._new = True
        return self._process

    async def _kill(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            with contextlib.suppress(ProcessLookupError):
                process.kill()
            await process.wait()

    # --- slices ------------------------------------------------------------------------------------------------------

    async def slices(self, sliced: Sliced[T]) -> T:
        """Run work that pauses now and then in this process, one slice at a time for all callers together: it never takes
        more than half of the event loop's time. Raises `TooMuch`.
        """
        key = self._asking()
        async with self._turn:
            while True:
                began = self._clock()
                try:
                    next(sliced)
                except StopIteration as done:
                    result: T = done.value
                    return result
                finally:
                    took = self._clock() - began
                    self._used[key] = self._used.get(key, 0.0) + took
                await self._sleep(took)

    # --- thoughts ----------------------------------------------------------------------------------------------------

    async def think(self, thought: Callable[[], T]) -> T:
        """Run a computation in the thread. It alternates with the event loop, and ends with the process at the latest."""
        if self._thoughts is None:
            sys.setswitchinterval(SWITCH)
            self._thoughts = queue.SimpleQueue()
            threading.Thread(target=_think, args=(self._thoughts,), name="thoughts", daemon=True).start()
        loop = asyncio.get_running_loop()
        done: asyncio.Future[T] = loop.create_future()

        def thought_through() -> None:
            try:
                result = thought()
            except BaseException as error:  # noqa: BLE001 - its caller gets it
                self._tell(loop, _fail, done, error)
            else:
                self._tell(loop, _succeed, done, result)

        self._thoughts.put(thought_through)
        return await done

    @staticmethod
    def _tell(loop: asyncio.AbstractEventLoop, tell: Callable[..., None], *args: object) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed, and with it the caller
            loop.call_soon_threadsafe(tell, *args)


async def _exchange(process: Process, data: bytes) -> tuple[bool, Any]:
    """Send a job and wait for its result."""
    assert process.stdin is not None, "it was started with pipes"
    assert process.stdout is not None, "it was started with pipes"
    process.stdin.write(data)
    await process.stdin.drain()
    (length,) = HEAD.unpack(await process.stdout.readexactly(HEAD.size))
    good, result = pickle.loads(await process.stdout.readexactly(length))  # noqa: S301 - a process of our own
    return good, result


def _think(thoughts: queue.SimpleQueue[Callable[[], None]]) -> None:
    while True:
        thoughts.get()()


def _fail(done: asyncio.Future[Any], error: BaseException) -> None:
    if not done.done():
        done.set_exception(error)


def _succeed(done: asyncio.Future[Any], result: object) -> None:
    if not done.done():
        done.set_result(result)
