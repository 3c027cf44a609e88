"""Orderly stopping: on Ctrl-C, SIGTERM and SIGHUP (a closed terminal) a command can close what it has opened.

A command that opens a database runs under `run`: without it SIGTERM and SIGHUP end the process at once, and a Valkey that it
has started goes on without a server.
"""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")

SIGNALS = (signal.SIGTERM, signal.SIGHUP)
"""The signals that cancel the command. Ctrl-C does so too, through `asyncio.Runner`."""


class Stopped(Exception):  # noqa: N818 - a condition
    """The command was told to stop by a signal before it was done, and has stopped in order."""

    def __init__(self, number: int) -> None:
        super().__init__(f"stopped by {signal.Signals(number).name}")
        self.number = number


def run(work: Coroutine[Any, Any, T], *, loop_factory: Callable[[], asyncio.AbstractEventLoop] | None = None) -> T:
    """Run a command's work in an event loop of its own. A signal cancels it once; later ones do not interrupt its cleanup.

    Raises:
        Stopped: SIGTERM or SIGHUP came, and the work did not go on.
        KeyboardInterrupt: Ctrl-C was pressed, and the work did not go on.
    """
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(_stoppable(work))


async def _stoppable(work: Coroutine[Any, Any, T]) -> T:
    loop, task = asyncio.get_running_loop(), asyncio.current_task()
    assert task is not None, "a coroutine runs in a task"
    told: list[int] = []

    def stop(number: int) -> None:
        # A terminal that is closed sends SIGHUP more than once.
        if not told:
            task.cancel()
        told.append(number)

    signals = [number for number in SIGNALS if signal.getsignal(number) != signal.SIG_IGN]  # nohup ignores SIGHUP
    if threading.current_thread() is not threading.main_thread():
        signals = []  # no other thread may handle them
    for number in signals:
        loop.add_signal_handler(number, stop, number)
    try:
        return await work
    except asyncio.CancelledError:
        if told:
            raise Stopped(told[0]) from None
        raise
    finally:
        for number in signals:
            loop.remove_signal_handler(number)


async def told_to_stop(over: asyncio.Event | None = None) -> None:
    """Wait until the work that runs under `run` is told to stop, or until `over` is set, and return, so that the caller can
    clean up.
    """
    task = asyncio.current_task()
    assert task is not None, "a coroutine runs in a task"
    try:
        await (over or asyncio.Event()).wait()
    except asyncio.CancelledError:
        task.uncancel()
