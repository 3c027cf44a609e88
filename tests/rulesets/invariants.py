"""What holds after every step of every game, whatever the seats answer and however the dice fall."""

from __future__ import annotations

from collections.abc import Callable

from server.kernel.facts import ActivationBegan, Fact, UnitMoved, UnitPlaced
from server.kernel.geometry import gap, to_mil
from server.kernel.paths import Base, largest_gap, on_table, overlaps
from server.kernel.prompts import TOUCH, bases, terrain_of, touches
from server.kernel.state import State, Unit
from server.opponents.simulation import Played

Coherency = Callable[[State, str], int]
"""The largest gap, in mil, that a unit may have."""


class Watch:
    """Follows a game fact by fact.

    Args:
        start: the state in which the game begins.
        coherency: the rule set's.
    """

    def __init__(self, start: State, coherency: Coherency) -> None:
        self.state = start
        self._coherency = coherency
        self._start = start
        self._activated: set[tuple[int, str]] = set()

    def step(self, played: Played) -> None:
        """Take in a step, and look at everything."""
        for fact in played.step.facts:
            before, self.state = self.state, fact.fold(self.state)
            self._fact(before, fact)
        assert self.state == played.after, "the facts alone make the state"
        _bases(self.state)
        for unit in self.state.units.values():
            self._unit(unit)

    def _fact(self, before: State, fact: Fact) -> None:
        if isinstance(fact, ActivationBegan):
            turn = (before.turn.number, fact.unit)
            assert turn not in self._activated, f"{fact.unit} activates twice in turn {turn[0]}"
            self._activated.add(turn)
        elif isinstance(fact, UnitPlaced):
            assert _widest(self.state.units[fact.unit]) <= self._coherency(self.state, fact.unit)
        elif isinstance(fact, UnitMoved):
            _bases(self.state)
            if fact.rule == "assault.fall-back":
                _keeps_off(before, self.state, fact)
            elif fact.manner in {"move", "rush", "fall-back"}:
                self._keeps_together(before, fact.unit)

    def _keeps_together(self, before: State, unit: str) -> None:
        was, now = _widest(before.units[unit]), _widest(self.state.units[unit])
        limit = self._coherency(before, unit)
        if was <= limit:
            assert now <= limit, f"{unit} moved out of coherency: {now} over {limit}"
        else:
            assert now <= max(was, limit), f"{unit} was out of coherency and moved farther apart"

    def _unit(self, unit: Unit) -> None:
        began = self._start.units[unit.id]
        assert unit.figures.keys() == began.figures.keys()
        risen = [key for key, figure in began.figures.items() if figure.fallen and not unit.figures[key].fallen]
        assert not risen, "the dead stay dead"
        assert not {"under_fire", "pinned"} <= set(unit.conditions), f"{unit.id} has two markers"
        assert len(set(unit.conditions)) == len(unit.conditions)
        if unit.left:
            assert not unit.conditions
        else:
            assert unit.strength > 0, f"{unit.id} has nobody left and is still in the game"


def _bases(state: State) -> None:
    """All on the table, off what nobody can stand on, nobody on another."""
    size = (state.table.width, state.table.height)
    barred = terrain_of(state, [piece.id for piece in state.table.terrain if "impassable" in piece.flags])
    taken: list[Base] = []
    for at, radius in bases(state):
        assert on_table(at, radius, size), f"the base at {at} hangs over the edge"
        assert not overlaps(at, radius, taken), f"the base at {at} stands on another"
        for piece in barred:
            assert to_mil(piece.distance(at)) >= radius, f"the base at {at} stands in {piece.name}"
        taken.append((at, radius))


def _keeps_off(before: State, after: State, fact: UnitMoved) -> None:
    """Who falls back from a fight comes into contact with nobody whom he did not touch already."""
    unit, was = after.units[fact.unit], before.units[fact.unit]
    enemies = [base for foe in after.enemies_of(unit.side) for base in foe.places()]
    for key in fact.paths:
        figure, start = unit.figures[key], was.figures[key].at
        assert figure.at is not None
        assert start is not None
        for enemy in enemies:
            if touches((figure.at, figure.radius), enemy):
                near = to_mil(gap(start, figure.radius, *enemy))
                assert near <= TOUCH, f"figure {key} of {unit.id} fell back into contact"


def _widest(unit: Unit) -> int:
    places = unit.places()
    return largest_gap([at for at, _ in places], [radius for _, radius in places])
