"""A memory of answers about two things that are never changed in place, such as the figures of two units."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class PairMemory(Generic[T]):
    """Answers about two objects, found by the identity of both: as long as neither was replaced, the answer holds.

    Args:
        most: how many answers it holds before it is emptied. Each keeps its two objects alive.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[tuple[int, int], tuple[object, object, T]] = {}

    def get(self, one: object, other: object) -> T | None:
        """Return the answer about these two; None if none is remembered."""
        # The answer keeps both alive: no other object can have their ids.
        known = self._known.get((id(one), id(other)))
        return None if known is None else known[2]

    def keep(self, one: object, other: object, answer: T) -> T:
        """Remember an answer, and return it."""
        if len(self._known) >= self._most:
            self._known.clear()
        self._known[id(one), id(other)] = (one, other, answer)
        return answer
