"""Memories of answers about things that are never changed in place, such as the figures of two units.

A full memory forgets its oldest answer for each new one. It is never emptied at once: to let go of thousands of answers takes
milliseconds, and some prompt would have to wait for it.

They are for one thread, in which the rules run. Other threads fold logs, and nothing is remembered for that.
"""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Memory(Generic[T]):
    """Answers about an object, found by its identity: as long as it was not replaced, the answer holds.

    Args:
        most: how many answers it holds. Each keeps its object alive.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._known: dict[int, tuple[object, T]] = {}

    def get(self, about: object) -> T | None:
        """Return the answer about this object; None if none is remembered."""
        # The answer keeps it alive: no other object can have its id.
        known = self._known.get(id(about))
        return None if known is None else known[1]

    def keep(self, about: object, answer: T) -> T:
        """Remember an answer, and return it."""
        if len(self._known) >= self._most:
            del self._known[next(iter(self._known))]
        self._known[id(about)] = (about, answer)
        return answer

    def forget(self) -> None:
        """Forget all answers."""
        self._known.clear()


class PairMemory(Generic[T]):
    """Answers about two objects, found by the identity of both: as long as neither was replaced, the answer holds.

    Args:
        most: how many answers it holds. Each keeps its two objects alive.
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
            del self._known[next(iter(self._known))]
        self._known[id(one), id(other)] = (one, other, answer)
        return answer

    def forget(self) -> None:
        """Forget all answers."""
        self._known.clear()


class OfOneState(Generic[T]):
    """Answers about one state, found by what was asked. They are forgotten when another state is asked about: they are shared
    within a decision, and no longer.
    """

    def __init__(self) -> None:
        self._state: object = None
        self._known: dict[object, T] = {}

    def get(self, state: object, asked: object) -> T | None:
        """Return the answer about this state; None if none is remembered."""
        return self._known.get(asked) if state is self._state else None

    def keep(self, state: object, asked: object, answer: T) -> T:
        """Remember an answer, and return it."""
        if state is not self._state:
            self._state, self._known = state, {}
        self._known[asked] = answer
        return answer

    def forget(self) -> None:
        """Forget all answers."""
        self._state, self._known = None, {}
