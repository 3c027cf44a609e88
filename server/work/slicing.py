"""Long work in slices: a generator that pauses now and then, so that others can be served meanwhile. Pure, except for
`in_slices`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Generator
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Sliced: TypeAlias = Generator[None, None, T]
"""Work that yields where it may pause, a few milliseconds after its start or its last pause, and returns its result."""


def at_once(work: Sliced[T]) -> T:
    """Run all of it without a pause."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            result: T = done.value
            return result


async def in_slices(work: Sliced[T]) -> T:
    """Run it, and yield to the event loop at each pause."""
    while True:
        try:
            next(work)
        except StopIteration as done:
            result: T = done.value
            return result
        await asyncio.sleep(0)
