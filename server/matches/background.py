"""Background tasks, running from opening to closing."""

from __future__ import annotations

import asyncio
from abc import ABC, abstractmethod
from typing import Self


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

    @abstractmethod
    async def run(self) -> None:
        """Run until cancelled."""
