"""Memories of answers about things that are never changed in place, such as the figures of two units.

A full memory forgets its oldest answer for each new one. It is never emptied at once: to let go of thousands of answers takes
milliseconds, and some prompt would have to wait for it. The keys stand in a ring, the oldest at its mark: a dictionary would have
to look for it among the places of all those that were deleted.

They are for one thread, in which the rules run. Other threads fold logs, and nothing is remembered for that.
"""

from __future__ import annotations

from typing import Generic, TypeVar

K = TypeVar("K")
T = TypeVar("T")


class _Ring(Generic[K]):
    """The keys of a memory, of which the oldest makes place for each one too many.

    Args:
        most: how many there are at most.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._keys: list[K] = []
        self._oldest = 0

    def add(self, key: K) -> K | None:
        """Add a key, and return the one whose place it takes; None while there are fewer than the most."""
        if len(self._keys) < self._most:
            self._keys.append(key)
            return None
        place = self._oldest
        oldest, self._keys[place] = self._keys[place], key
        self._oldest = place + 1 if place + 1 < self._most else 0
        return oldest

    def clear(self) -> None:
        """Drop all keys."""
        self._keys.clear()
        self._oldest = 0


class Memory(Generic[T]):
    """Answers about an object, found by its identity: as long as it was not replaced, the answer holds.

    Args:
        most: how many answers it holds. Each keeps its object alive.
    """

    def __init__(self, most: int) -> None:
        self._known: dict[int, tuple[object, T]] = {}
        self._ring = _Ring[int](most)

    def get(self, about: object) -> T | None:
        """Return the answer about this object; None if none is remembered."""
        # The answer keeps it alive: no other object can have its id.
        known = self._known.get(id(about))
        return None if known is None else known[1]

    def keep(self, about: object, answer: T) -> T:
        """Remember an answer, and return it."""
        key = id(about)
        if key not in self._known:
            oldest = self._ring.add(key)
            if oldest is not None:
                del self._known[oldest]
        self._known[key] = (about, answer)
        return answer

    def forget(self) -> None:
        """Forget all answers."""
        self._known.clear()
        self._ring.clear()


class PairMemory(Generic[T]):
    """Answers about two objects, found by the identity of both: as long as neither was replaced, the answer holds.

    Args:
        most: how many answers it holds. Each keeps its two objects alive.
    """

    def __init__(self, most: int) -> None:
        self._known: dict[tuple[int, int], tuple[object, object, T]] = {}
        self._ring = _Ring[tuple[int, int]](most)

    def get(self, one: object, other: object) -> T | None:
        """Return the answer about these two; None if none is remembered."""
        # The answer keeps both alive: no other object can have their ids.
        known = self._known.get((id(one), id(other)))
        return None if known is None else known[2]

    def keep(self, one: object, other: object, answer: T) -> T:
        """Remember an answer, and return it."""
        key = (id(one), id(other))
        if key not in self._known:
            oldest = self._ring.add(key)
            if oldest is not None:
                del self._known[oldest]
        self._known[key] = (one, other, answer)
        return answer

    def forget(self) -> None:
        """Forget all answers."""
        self._known.clear()
        self._ring.clear()


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
