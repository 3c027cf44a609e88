"""Who sees whom, and through whom it fires: figure by figure, or between the centres of squads."""

from __future__ import annotations

from itertools import combinations

from msgspec.structs import replace

from server.kernel.bodies import is_vehicle
from server.kernel.memory import Memory, PairMemory
from server.kernel.space.geometry import between, distance, inches, to_point
from server.kernel.space.pieces import Crowd
from server.kernel.space.sight import Sightlines
from server.kernel.state import State, Unit
from server.rulesets.fad.module import FadModule
from server.rulesets.fad.setup.book import Book
from server.rulesets.shared.rules import MOST_PAIRS, Rules

LOS_MODE, CENTRES = "los_mode", "squad_centre"
"""The option that says between what sight and range are measured, and its value for the centres of squads."""


class SightRules(Rules[Book]):
    """The part of the rules object that knows how units look at each other, with a memory of it."""

    def __init__(self, book: Book, modules: tuple[FadModule, ...]) -> None:
        super().__init__(book, modules)
        self.through: PairMemory[tuple[Sightlines, list[Crowd], Sightlines]] = PairMemory(MOST_PAIRS)
        self._crowds: Memory[Crowd] = Memory(MOST_PAIRS)
        self._centred: Memory[Unit] = Memory(MOST_PAIRS)

    def sees(self, state: State, one: Unit, other: Unit) -> bool:
        """Return whether any living figure of `one` sees any living figure of `other`; where the match measures between the
        centres of squads, whether these see each other.
        """
        if by_centres(state, one, other):
            one, other = self.centred(one), self.centred(other)
        return super().sees(state, one, other)

    def looking(self, state: State, unit: Unit, other: Unit, /) -> Unit:
        return self.centred(unit) if by_centres(state, unit, other) else unit

    def centred(self, unit: Unit) -> Unit:
        """Return a squad as one figure without a base at its centre (fad5/shoot.los-squad-centre)."""
        known = self._centred.get(unit.figures)
        if known is not None:
            return known
        key, figure = next(iter(unit.living.items()))
        middle = replace(figure, at=centre_of(unit), radius=0)
        return self._centred.keep(unit.figures, replace(unit, figures={key: middle}))

    def crowd(self, unit: Unit) -> Crowd:
        """Return the figures of a unit on the table as those through whom others do not fire."""
        known = self._crowds.get(unit.figures)
        if known is not None:
            return known
        gap = inches(self.book.tables.line_of_fire.gap) if len(unit.figures) > 1 else 0
        return self._crowds.keep(unit.figures, Crowd(unit.places(), gap))


def by_centres(state: State, one: Unit, other: Unit) -> bool:
    """Return whether sight and range between two units go from centre to centre: between squads on foot, where the match is
    played so (fad5/shoot.los-squad-centre).
    """
    return state.options.get(LOS_MODE) == CENTRES and not is_vehicle(one) and not is_vehicle(other)


def centre_of(unit: Unit) -> tuple[int, int]:
    """Return the middle of the line between the two figures of a unit that stand farthest apart
    (fad5/shoot.los-squad-centre).
    """
    places = [at for at, _ in unit.places()]
    if len(places) == 1:
        return places[0]
    ends = max(combinations(places, 2), key=lambda pair: distance(*pair))
    return to_point(between(*ends, 0.5))
