"""The rules object that a family's chapters share: its book, its advisers, and a memory of lines of sight."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import ClassVar, Generic, NamedTuple, TypeVar

from client_protocol.explained import Line
from client_protocol.view import CardLine
from server.kernel import traits
from server.kernel.bodies import bodies, hulls
from server.kernel.errors import RulesetError
from server.kernel.questions import Advisers
from server.kernel.space.geometry import Outline
from server.kernel.space.sight import Field, field_of
from server.kernel.space.terrain import Terrain
from server.kernel.state import Figure, State, Unit
from server.kernel.traits import TraitValue
from server.rulesets.shared.keys import Keys
from server.rulesets.shared.setup.book import ALWAYS, ON, OPTION, Book, Edition, Trait

MOST_REMEMBERED = 2_000
"""The most entries that a memory of answers holds before it is emptied."""

B = TypeVar("B", bound=Book)
Pieces = tuple[Terrain, ...]
Hulls = tuple[Outline, ...]


class _Sighting(NamedTuple):
    """Whether two units with these figures see each other past this terrain and these vehicles."""

    one: dict[str, Figure]
    other: dict[str, Figure]
    terrain: Pieces
    hulls: Hulls
    seen: bool


class Rules(Generic[B]):
    """The numbers of one edition, and the advisers that answer its questions.

    Raises:
        RulesetError: the edition plays a module that the family does not have, or lets a match choose one without an option.
    """

    modules: ClassVar[tuple[str, ...]] = ()
    """The modules of the family. An edition plays each always, by an option, or never."""

    def __init__(self, book: B) -> None:
        self.book = book
        _check_modules(book.edition, self.modules)
        own = f"{book.edition.id}/"
        self.keys = Keys(book.edition.id, book.edition.keys, [row.id.removeprefix(own) for row in book.reference])
        self.advisers = Advisers()
        self._fields: dict[int, tuple[Pieces, Field]] = {}
        self._hulls: tuple[dict[str, Unit], Hulls] = ({}, ())
        self._sights: dict[tuple[int, int], _Sighting] = {}

    def plays(self, state: State, module: str) -> bool:
        """Return whether this match plays a module of the rules: always, never, or where its option of that name is on."""
        how = self.book.edition.modules.get(module)
        return how == ALWAYS or (how == OPTION and state.options.get(module) == ON)

    def borne(self, bearer: Unit | Figure) -> Iterator[tuple[Trait, TraitValue]]:
        """Return the traits of a unit or figure with their values, in the edition's order."""
        own = traits.of(bearer)
        return ((row, own[key]) for key, row in self.book.traits.items() if key in own) if own else iter(())

    def trait_lines(self, question: str, bearer: Unit | Figure) -> Iterator[Line]:
        """Yield what the traits of a unit or figure add to a question; a trait that is a number adds for each of it."""
        for trait, value in self.borne(bearer):
            for adjustment in trait.adjusts:
                if adjustment.question == question:
                    times = value if isinstance(value, int) else 1
                    yield Line("ADD", times * adjustment.amount, trait.name.lower(), trait.rule)

    def trait_card(self, unit: Unit, told: Collection[str] = ()) -> Iterator[CardLine]:
        """Yield the lines of a unit's card for its traits, without those that are `told` in other lines."""
        for trait, value in self.borne(unit):
            if trait.id not in told:
                numbers = (value,) if trait.value == "number" else value if isinstance(value, tuple) else ()
                yield CardLine("Trait", " ".join((trait.name, *map(str, numbers))), trait.rule)

    def field(self, state: State) -> Field:
        """Return the table's terrain, prepared for questions about sight."""
        terrain = state.table.terrain
        known = self._fields.get(id(terrain))
        if known is None or known[0] is not terrain:
            if len(self._fields) > MOST_REMEMBERED:
                self._fields.clear()
            # Equal maps of other matches share a field. The look-up by identity comes first because it saves comparing them.
            known = self._fields[id(terrain)] = (terrain, field_of(terrain))
        return known[1]

    def hulls(self, state: State) -> Hulls:
        """Return the outlines of all vehicles on the table."""
        if self._hulls[0] is not state.units:
            self._hulls = (state.units, hulls(state))
        return self._hulls[1]

    def sees(self, state: State, one: Unit, other: Unit) -> bool:
        """Return whether any living figure of `one` sees any living figure of `other`, past terrain and vehicles.

        The answer is remembered until one of the units moves or loses a figure, or the terrain or a vehicle changes.
        """
        terrain, blocking = state.table.terrain, self.hulls(state)
        key = (id(one.figures), id(other.figures))
        known = self._sights.get(key)
        if (
            known is not None
            and known.one is one.figures
            and known.other is other.figures
            and known.terrain is terrain
            and known.hulls == blocking
        ):
            return known.seen
        sight = self.field(state)
        if blocking:
            theirs = list(bodies(other).values())
            seen = any(sight.sees_body(a, b, blocking) for a in bodies(one).values() for b in theirs)
        else:
            seen = any(sight.sees(a, ra, b, rb) for a, ra in one.places() for b, rb in other.places())
        if len(self._sights) > MOST_REMEMBERED:
            self._sights.clear()
        self._sights[key] = _Sighting(one.figures, other.figures, terrain, blocking, seen)
        return seen

    def pieces_with(self, state: State, flag: str) -> tuple[str, ...]:
        """Return the ids of the terrain pieces that carry `flag`."""
        return tuple(piece.id for piece in state.table.terrain if flag in piece.flags)

    def cover_pieces(self, state: State) -> tuple[str, ...]:
        """Return the ids of the terrain pieces that give cover."""
        return tuple(piece.id for piece in state.table.terrain if piece.cover != "none")


def _check_modules(edition: Edition, known: tuple[str, ...]) -> None:
    options = {row.id for row in edition.option}
    for module, how in edition.modules.items():
        if module not in known:
            raise RulesetError(
                f"{edition.id} plays {module!r}, which is not one of the family's modules: {', '.join(known)}"
            )
        if how == OPTION and module not in options:
            raise RulesetError(f"{edition.id} lets a match choose {module!r}, and has no option of that name")
