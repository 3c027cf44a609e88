"""What holds in every game of FAD 4, beyond what holds in all games."""

from __future__ import annotations

from server.kernel.facts import Fact, UnitMoved, UnitPlaced
from server.kernel.geometry import gap, to_mil
from server.kernel.paths import largest_gap
from server.kernel.standing import TOUCH, touches
from server.kernel.state import State, Unit
from server.rulesets.fad.movement import CoherencyDistance
from tests.support.battlefield import fad4


class Own:
    """Squads keep together, have one marker at most, and fall back into contact with nobody."""

    def __init__(self, start: State) -> None:
        self._start = start

    def fact(self, before: State, fact: Fact, after: State) -> None:
        """Look at where squads go."""
        if isinstance(fact, UnitPlaced):
            assert _widest(after.units[fact.unit]) <= _coherency(after, fact.unit)
        elif isinstance(fact, UnitMoved):
            if fact.rule == "assault.fall-back":
                _keeps_off(before, after, fact)
            elif fact.manner in {"move", "rush", "fall-back"}:
                _keeps_together(before, after, fact.unit)

    def state(self, state: State) -> None:
        """Look at the markers."""
        assert state.units.keys() == self._start.units.keys()
        for unit in state.units.values():
            assert not {"under_fire", "pinned"} <= set(unit.conditions), f"{unit.id} has two markers"


def _coherency(state: State, unit: str) -> int:
    return fad4().advisers.answer(state, CoherencyDistance(unit)).value


def _keeps_together(before: State, after: State, unit: str) -> None:
    was, now = _widest(before.units[unit]), _widest(after.units[unit])
    limit = _coherency(before, unit)
    if was <= limit:
        assert now <= limit, f"{unit} moved out of coherency: {now} over {limit}"
    else:
        assert now <= max(was, limit), f"{unit} was out of coherency and moved farther apart"


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
