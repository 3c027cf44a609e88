"""The rules object that the chapters of a family work with: its book, who answers questions, and what it remembers of sight."""

from __future__ import annotations

from typing import Generic, TypeVar

from server.kernel.questions import Advisers
from server.kernel.sight import Field, field_of
from server.kernel.state import Figure, State, Unit
from server.kernel.terrain import Terrain
from server.rulesets.shared.book import Book

MOST_REMEMBERED = 10_000
"""Entries a memory of answers may hold before it is emptied."""

B = TypeVar("B", bound=Book)
Pieces = tuple[Terrain, ...]


class Rules(Generic[B]):
    """The numbers of one edition, and who has something to say about which question."""

    def __init__(self, book: B) -> None:
        self.book = book
        self.advisers = Advisers()
        self._fields: dict[int, tuple[Pieces, Field]] = {}
        self._sights: dict[tuple[int, int], tuple[dict[str, Figure], dict[str, Figure], Pieces, bool]] = {}

    def field(self, state: State) -> Field:
        """The table's terrain, prepared for questions about sight."""
        terrain = state.table.terrain
        known = self._fields.get(id(terrain))
        if known is None or known[0] is not terrain:
            if len(self._fields) > MOST_REMEMBERED:
                self._fields.clear()
            # Equal maps of other matches share a field; asking by identity first saves comparing them.
            known = self._fields[id(terrain)] = (terrain, field_of(terrain))
        return known[1]

    def sees(self, state: State, one: Unit, other: Unit) -> bool:
        """Whether any living figure of one unit sees any of the other, past terrain. Remembered until one of them moves or loses
        a figure, or the terrain changes.
        """
        terrain = state.table.terrain
        key = (id(one.figures), id(other.figures))
        known = self._sights.get(key)
        if known is not None and known[0] is one.figures and known[1] is other.figures and known[2] is terrain:
            return known[3]
        sight = self.field(state)
        seen = any(sight.sees(a, ra, b, rb) for a, ra in one.places() for b, rb in other.places())
        if len(self._sights) > MOST_REMEMBERED:
            self._sights.clear()
        self._sights[key] = (one.figures, other.figures, terrain, seen)
        return seen

    def pieces_with(self, state: State, flag: str) -> tuple[str, ...]:
        """The ids of the terrain pieces that carry `flag`."""
        return tuple(piece.id for piece in state.table.terrain if flag in piece.flags)

    def cover_pieces(self, state: State) -> tuple[str, ...]:
        """The ids of the terrain pieces that give cover."""
        return tuple(piece.id for piece in state.table.terrain if piece.cover != "none")
