"""Free space in a zone: for units that are looked at in turn, and for units that are set down one after the other."""

from __future__ import annotations

import pytest

from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import contains
from server.kernel.state import State, Unit
from server.rulesets.shared.setup.berths import Berth, FreeSpace
from tests.rulesets.shared.three_sides import ZONES, squad, table, vehicle

GAP = 3_000


def found(space: FreeSpace, state: State, unit: Unit) -> Berth:
    berth = space.find(unit, state.sides[unit.side].zone, GAP, ())
    assert berth is not None
    return berth


@pytest.fixture
def state() -> State:
    return table(squad("blue"), squad("blue", 2), squad("red"), vehicle("blue", 3))


def test_each_unit_finds_the_place_that_it_would_find_if_it_came_first(state: State) -> None:
    space = FreeSpace(state)
    for unit in state.units.values():
        assert found(space, state, unit) == found(FreeSpace(state), state, unit)
        assert all(contains(ZONES[unit.side], at) for at in found(space, state, unit).places.values())


def test_units_that_are_alike_find_the_same_place_until_it_is_taken(state: State) -> None:
    first, second = (unit for unit in state.units_of("blue") if not is_vehicle(unit))
    space = FreeSpace(state)
    berth = found(space, state, first)
    place = list(berth.places.values())
    assert list(found(space, state, second).places.values()) == place
    space.take(first, berth)
    assert set(found(space, state, second).places.values()).isdisjoint(place)
    assert list(found(space, state, second).places) == list(second.living)
