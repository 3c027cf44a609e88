"""Notes of a match that remember which of them were read: what was made from them holds until one of these is another."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from server.kernel.notes import Note


class Read(NamedTuple):
    """What was read of the notes of a match: `some` by their keys, with None for one that was looked for and is not there, or
    `all` of them.
    """

    some: Mapping[str, Note | None]
    all: Mapping[str, Note] | None = None

    def same_in(self, notes: Mapping[str, Note]) -> bool:
        """Return whether it is the same in other notes."""
        if self.all is not None:
            return self.all == notes
        # A loop: this is asked for each unit after each step, and most cards read few notes or none.
        for key, value in self.some.items():  # noqa: SIM110
            if notes.get(key) != value:
                return False
        return True


_NOTHING = Read({})


class Consulted(Mapping[str, Note]):
    """Notes that remember which of them were read.

    Args:
        notes: the notes of a match.
    """

    __slots__ = ("_all", "_notes", "_some")

    def __init__(self, notes: Mapping[str, Note]) -> None:
        self._notes = notes
        self._some: dict[str, Note | None] = {}
        self._all = False

    def __getitem__(self, key: str) -> Note:
        self._some[key] = self._notes.get(key)
        return self._notes[key]

    def __iter__(self) -> Iterator[str]:
        self._all = True
        return iter(self._notes)

    def __len__(self) -> int:
        self._all = True
        return len(self._notes)

    @property
    def read(self) -> Read:
        """What was read so far. It keeps no other notes alive."""
        if self._all:
            return Read({}, self._notes)
        return Read(self._some) if self._some else _NOTHING
