"""What-if: what a seat's units would see and could do from imagined places, from what the seat may know alone."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.codec import pack
from client_protocol.from_client import AskWhatIf, GhostPlaces
from client_protocol.from_server import Refused, WhatIf
from server.kernel.belief import believed
from server.kernel.space.geometry import Point
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Hull
from server.kernel.state import Brought, Desk, Figure, State, Unit
from server.matches.projections.what_if import MOST_TARGETS, what_if
from tests.support.position import position, squad
from tests.support.toy_rules import ToyRules, force

WOOD = Terrain("wood", "Wood", "woods", ((20_000, 20_000), (24_000, 20_000), (24_000, 24_000), (20_000, 24_000)))


def truck(name: str, at: Point | None) -> Unit:
    """Return a vehicle of 4 by 2 inches that faces along the x axis."""
    return replace(squad(name, [at]), figures={"1": Figure(at, 1_000, hull=Hull(4_000, 2_000))}, seats=4)


STATE = position(
    squad("blue-1", [(10_000, 10_000), (12_000, 10_000), (14_000, 10_000)], fallen=["3"]),
    squad("blue-2", [(10_000, 4_000)]),
    squad("blue-3", [None, None]),
    replace(squad("blue-4", [None]), aboard="blue-5"),
    truck("blue-5", (30_000, 4_000)),
    replace(squad("blue-6", [(40_000, 4_000)]), left="gone"),
    squad("red-1", [(10_000, 40_000)]),
    squad("red-2", [(10_000, 20_000)]),
    squad("red-3", [None]),
    terrain=[WOOD],
)


def ghost(*places: Point, **facings: int) -> GhostPlaces:
    """Return the places of the figures "1", "2" ..., and facings written _1=9000."""
    named = {str(number): at for number, at in enumerate(places, 1)}
    return GhostPlaces(named, {key.removeprefix("_"): angle for key, angle in facings.items()})


def asked(unit: str, ghosts: dict[str, GhostPlaces], *, state: State = STATE, seat: str = "blue") -> WhatIf | Refused:
    return what_if(ToyRules(), believed(state, seat), seat, AskWhatIf("i", unit, ghosts))


def imagined(unit: str, ghosts: dict[str, GhostPlaces], *, state: State = STATE) -> WhatIf:
    found = asked(unit, ghosts, state=state)
    assert isinstance(found, WhatIf), found
    return found


def seen(found: WhatIf) -> dict[str, int]:
    """Return how far away each other unit is, in order."""
    return {row.target: row.sight.distance for row in found.targets}


# --- what is seen and done ------------------------------------------------------------------------------------------


def test_a_what_if_lists_all_other_units_enemies_first_and_nearest_first() -> None:
    found = imagined("blue-2", {"blue-2": ghost((10_000, 38_000))})
    assert seen(found) == {"red-1": 1_000, "red-2": 17_000, "blue-1": 27_000, "blue-5": 37_090}
    assert [[preview.title for preview in row.previews] for row in found.targets] == [
        ["Squad blue-2 eyes Squad red-1"], ["Squad blue-2 eyes Squad red-2"], [], [],
    ]  # fmt: skip
    assert all(row.sight.unit == "blue-2" and row.sight.id == "i" for row in found.targets)
    assert all(preview.id == "i" for row in found.targets for preview in row.previews)
    assert (found.id, found.unit, found.problems) == ("i", "blue-2", ())


def test_a_unit_without_a_ghost_sees_others_ghosts_from_where_it_stands() -> None:
    assert seen(imagined("blue-2", {}))["blue-1"] == 5_000
    assert seen(imagined("blue-2", {"blue-1": ghost((10_000, 6_000))}))["blue-1"] == 1_000


def test_figures_without_a_ghost_stay_where_they_are_in_a_what_if() -> None:
    assert seen(imagined("blue-1", {"blue-1": ghost((12_000, 30_000))}))["blue-2"] == 5_325
    (ray,) = [row.sight.rays for row in imagined("blue-1", {}).targets if row.target == "red-1"]
    assert {one.figure for one in ray} == {"1", "2"}, "the fallen see nothing"


def test_a_vehicle_can_be_imagined_with_another_facing() -> None:
    ahead = {"blue-2": ghost((33_500, 4_000))}
    assert seen(imagined("blue-2", ahead))["blue-5"] == 1_000
    turned = imagined("blue-2", ahead | {"blue-5": ghost(_1=-27_000)})
    assert seen(turned)["blue-5"] == 2_000


def test_a_unit_aboard_or_not_deployed_is_seen_where_its_ghost_stands() -> None:
    assert "blue-4" in seen(imagined("blue-1", {"blue-4": ghost((20_000, 10_000))}))
    assert seen(imagined("blue-4", {"blue-4": ghost((10_000, 12_000))}))["blue-1"] == 1_000
    assert seen(imagined("blue-3", {"blue-3": ghost((10_000, 38_000), (10_000, 36_000))}))["red-1"] == 1_000


def test_a_what_if_covers_a_bounded_number_of_targets() -> None:
    crowd = [squad(f"red-{n}", [(1_000 * n, 30_000)]) for n in range(1, 45)]
    state = position(squad("blue-1", [(44_000, 30_000 - 5_000)]), squad("blue-2", [(1_000, 1_000)]), *crowd)
    found = imagined("blue-1", {}, state=state)
    assert len(found.targets) == MOST_TARGETS
    assert found.targets[0].target == "red-44"
    assert not {"red-1", "blue-2"} & seen(found).keys(), "the nearest enemies are told of"


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "ghosts", "code"),
    [
        ("red-1", {}, "no_such_unit"),
        ("nobody", {}, "no_such_unit"),
        ("blue-1", {"red-1": ghost((1_000, 1_000))}, "no_such_unit"),
        ("blue-1", {"nobody": ghost((1_000, 1_000))}, "no_such_unit"),
        ("blue-1", {"blue-6": ghost((1_000, 1_000))}, "not_allowed"),
        ("blue-1", {"blue-2": ghost((1_000, 1_000), (2_500, 1_000))}, "no_such_figure"),
        ("blue-1", {"blue-2": ghost(_9=0)}, "no_such_figure"),
        ("blue-1", {"blue-1": GhostPlaces({"3": (1_000, 1_000)})}, "no_such_figure"),
        ("blue-1", {"blue-1": ghost((1_000, 48_001))}, "off_table"),
        ("blue-1", {"blue-1": ghost((-1, 1_000))}, "off_table"),
        ("blue-1", {"blue-3": ghost((1_000, 1_000))}, "places"),
        ("blue-3", {}, "not_there"),
        ("blue-4", {"blue-5": ghost((1_000, 1_000))}, "not_there"),
        ("blue-6", {}, "not_there"),
    ],
)
def test_an_invalid_what_if_is_refused(unit: str, ghosts: dict[str, GhostPlaces], code: str) -> None:
    found = asked(unit, ghosts)
    assert isinstance(found, Refused)
    assert (found.id, found.code) == ("i", code)


def test_a_what_if_about_hidden_units_tells_as_much_as_about_missing_ones() -> None:
    there, nowhere = (asked("blue-1", {unit: ghost((1_000, 1_000))}) for unit in ("red-3", "red-9"))
    assert there == nowhere
    assert asked("red-3", {}) == asked("red-9", {})


def test_a_spectator_cannot_ask_a_what_if() -> None:
    assert isinstance(asked("blue-1", {}, seat=""), Refused)


# --- where no figure could stand ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("unit", "places", "problems"),
    [
        ("blue-1", ghost((10_000, 30_000)), ()),
        ("blue-1", ghost((10_000, 10_000), (11_000, 10_000)), ()),
        ("blue-1", ghost((10_000, 10_000), (10_900, 10_000)), ("Figure 2 of Squad blue-1 {on}",)),
        ("blue-1", ghost((10_000, 20_900), (10_000, 4_900)), ("Figures 1, 2 of Squad blue-1 {on}",)),
        ("blue-1", ghost((400, 30_000)), ("Figure 1 of Squad blue-1 {over}",)),
        ("blue-2", ghost((31_000, 5_000)), ("Squad blue-2 {on}",)),
        ("blue-2", ghost((22_000, 22_000)), ("Wood is no place to stand.",)),
        ("blue-5", ghost((11_000, 10_500)), ("Squad blue-5 {on}",)),
        ("blue-5", ghost((46_500, 30_000)), ("Squad blue-5 {over}",)),
        ("blue-5", ghost((46_500, 30_000), _1=9_000), ()),
    ],
)
def test_impossible_places_are_listed_as_problems_and_not_refused(
    unit: str, places: GhostPlaces, problems: tuple[str, ...]
) -> None:
    words = {"on": "would stand on another base or in a vehicle.", "over": "would hang over the table's edge."}
    assert imagined("blue-1", {unit: places}).problems == tuple(problem.format(**words) for problem in problems)


def test_two_ghosts_on_one_place_are_a_problem_of_both() -> None:
    same = ghost((30_000, 30_000))
    assert len(imagined("blue-1", {"blue-2": same, "blue-4": same}).problems) == 2


# --- what may be known ----------------------------------------------------------------------------------------------


def test_hidden_differences_change_no_byte_of_a_what_if() -> None:
    places = {"blue-1": ghost((10_000, 30_000)), "blue-4": ghost((12_000, 30_000))}
    worlds = [
        replace(
            STATE,
            sealed={"red": Picked(bid)},
            desk=Desk(orders={"red-1": order, "blue-1": "ask"}, forces={"red": Brought(brought, hidden=True)}),
        )
        for bid, order, brought in (("1", "stop", force("A", "gun")), ("3", "press", force("B", "rifle", "rifle")))
    ]
    one, other = (pack(imagined("blue-1", places, state=world)) for world in worlds)
    assert one == other
    # The toy's rules report everything that they are shown: with the whole truth they would tell the two worlds apart.
    careless = [pack(what_if(ToyRules(), world, "blue", AskWhatIf("i", "blue-1", places))) for world in worlds]
    assert careless[0] != careless[1]


def test_a_what_if_changes_no_state() -> None:
    before = pack(STATE)
    imagined("blue-1", {"blue-1": ghost((1_000, 1_000)), "blue-4": ghost((5_000, 1_000))})
    assert pack(STATE) == before
