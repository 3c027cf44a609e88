"""Long work in slices: a generator that pauses now and then, so that whoever runs it can serve others meanwhile. Pure, but for
`in_slices`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Sliced: TypeAlias = Generator[None, None, T]
"""Work that yields where it may pause, a few milliseconds after it began or paused last, and returns what comes of it."""


def at_once(work: Sliced[T]) -> T:
    """Do all of it without a pause."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            result: T = done.value
            return result


async def in_slices(work: Sliced[T]) -> T:
    """Do it, and let the event loop go round at each pause."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            result: T = done.value
            return result
        await asyncio.sleep(0)
