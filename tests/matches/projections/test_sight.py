"""Lines of sight as a player sees them when pointing at a unit: between bases, from vehicles and past them."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.from_client import Look
from client_protocol.from_server import Refused, Sight
from server.kernel.space.values import Hull
from server.kernel.state import Figure, State, Unit
from server.matches.projections.sight import look
from tests.support.position import position, squad
from tests.support.toy_rules import ToyRules


def vehicle(unit_id: str, at: tuple[int, int], facing: int = 0) -> Unit:
    """Return a vehicle of 5 by 2.5 inches."""
    figure = Figure(at, 1250, hull=Hull(5000, 2500), facing=facing)
    return replace(squad(unit_id, [at]), figures={"1": figure})


def seen(state: State, unit: str = "blue-1", target: str = "red-1") -> Sight:
    found = look(ToyRules(), state, Look("l", unit, target))
    assert isinstance(found, Sight), found
    return found


def test_lines_of_sight_between_bases_are_measured_edge_to_edge() -> None:
    found = seen(position(squad("blue-1", [(10_000, 10_000)]), squad("red-1", [(10_000, 20_000)])))
    assert (found.distance, [ray.clear for ray in found.rays]) == (9_000, [True])
    assert found.summary == '1 of 1 figures see 1 of 1, 0 of them in cover; 9" between the nearest of these.'


def test_lines_of_sight_to_and_from_a_vehicle_are_measured_from_its_hull() -> None:
    state = position(vehicle("blue-1", (10_000, 10_000)), squad("red-1", [(20_000, 10_000)]))
    # 10 inches between the centres, minus half a hull and half a base.
    assert seen(state).distance == 7_000
    turned = position(vehicle("blue-1", (10_000, 10_000), 9_000), squad("red-1", [(20_000, 10_000)]))
    assert seen(turned).distance == 8_250


def test_vehicles_of_either_side_block_sight() -> None:
    bases = squad("blue-1", [(10_000, 10_000)]), squad("red-1", [(10_000, 20_000)])
    for between in ("blue-2", "red-2"):
        (ray,) = seen(position(*bases, vehicle(between, (10_000, 15_000)))).rays
        assert (ray.clear, ray.blocked_by) == (False, "")
    (ray,) = seen(position(*bases, vehicle("red-2", (20_000, 15_000)))).rays
    assert ray.clear
    assert ray.start[1] < ray.end[1]


def test_it_is_as_far_as_to_those_who_are_seen() -> None:
    hidden, open_ = (10_000, 20_000), (25_000, 20_000)
    state = position(
        squad("blue-1", [(10_000, 10_000)]), squad("red-1", [hidden, open_]), vehicle("red-2", (10_000, 15_000))
    )
    found = seen(state)
    assert found.distance == 9_000
    assert found.summary == '1 of 1 figures see 1 of 2, 0 of them in cover; 17" between the nearest of these.'


def test_a_line_of_sight_to_a_unit_off_the_table_is_refused() -> None:
    state = position(squad("blue-1", [(10_000, 10_000)]), squad("red-1", [None]))
    assert isinstance(look(ToyRules(), state, Look("l", "blue-1", "red-1")), Refused)
    assert isinstance(look(ToyRules(), state, Look("l", "blue-1", "blue-1")), Refused)
    assert isinstance(look(ToyRules(), state, Look("l", "blue-1", "nobody")), Refused)
