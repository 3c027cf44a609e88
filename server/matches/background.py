"""Background tasks, running from opening to closing."""

from __future__ import annotations

import asyncio
import logging
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable
from functools import cached_property
from typing import Self

from server.store.errors import StoreUnavailable

log = logging.getLogger("underfire.background")


class Attempts:
    """Attempts at something that is done again and again: one that fails does not end the others.

    Args:
        task: the name of what is done, for the log.
    """

    def __init__(self, task: str) -> None:
        self._task = task
        self._fault = ""

    async def __call__(self, attempt: Callable[[], Awaitable[object]]) -> None:
        """Do it once. That the database is away is no fault; any other one is logged, once as long as it stays the same."""
        try:
            await attempt()
        except StoreUnavailable:
            return
        except Exception as error:
            if repr(error) != self._fault:
                log.exception("%s has failed, and is tried again", self._task)
            self._fault = repr(error)
        else:
            self._fault = ""


class Background(ABC):
    """A task that runs while it is open (`async with`). It is opened and closed once."""

    _task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        self._task = asyncio.create_task(self.run(), name=type(self).__name__)
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self._task is not None, "it was entered"
        self._task.cancel()
        await asyncio.gather(self._task, return_exceptions=True)

    @cached_property
    def attempt(self) -> Attempts:
        """Does once what the task does again and again."""
        return Attempts(type(self).__name__)

    @abstractmethod
    async def run(self) -> None:
        """Run until cancelled."""
