"""Troops in vehicles: getting in, getting out, firing from inside."""

from __future__ import annotations

import pytest

from client_protocol.choices import FiguresPlaced, PathsDeclared, PlacementParameter
from server.kernel.facts import Declared, Rolled, UnitBoarded, UnitPlaced
from tests.rulesets.fubar4.battlefield import (
    BattleTable,
    Row,
    battle,
    crowd,
    drive,
    given,
    play,
    shifted,
    unit,
    vehicle,
)

RULE = pytest.mark.rule("fubar4/vehicle.transport")


def carrier(**other: object) -> Row:
    """Return a carrier of blue's, its right side along x = 11.1."""
    return vehicle("blue", (10, 10), **{"seats": 8, **other})  # type: ignore[arg-type]


def column(x: float, men: int = 3) -> list[tuple[float, float]]:
    return [(x, 9 + 1.0 * i) for i in range(men)]


def walked(*others: Row, own: Row | None = None, men: int = 3, gap: float = 1.0, action: str = "walk") -> BattleTable:
    """Let blue-2 walk up to the carrier blue-1 until its figures are `gap` inches from the hull."""
    squad = unit("blue", column(11.1 + 0.5 + 5, men), figures=men)
    table = play(battle(own or carrier(), squad, *others, unit("red", (40, 46), figures=1)))
    table.activates("blue-2", dice=[6])
    return table.answers(action, shifted(table.state, "blue-2", gap - 5, 0))


# --- getting in -----------------------------------------------------------------------------------------------------


@RULE
@pytest.mark.parametrize("action", ["walk", "run"])
def test_after_a_walk_or_run_a_unit_within_an_inch_may_get_in(action: str) -> None:
    table = walked(action=action)
    assert (table.asked, table.offered) == ("blue", ["board:blue-1", "stay-out"])
    assert table.prompt.default.choice == "stay-out"
    table.answers("board:blue-1")
    assert table.seen(UnitBoarded) == [UnitBoarded("blue-2", "blue-1", "vehicle.transport")]
    assert table.unit("blue-2").places() == []


@RULE
def test_a_unit_gets_in_only_if_every_figure_is_near_and_there_are_seats_for_all() -> None:
    assert "board:blue-1" not in walked(gap=1.01).offered
    assert "board:blue-1" not in walked(own=carrier(seats=2)).offered
    assert "board:blue-1" in walked(own=carrier(seats=3)).offered
    aboard = unit("blue", None, figures=6, aboard="blue-1", id="riders")
    assert "board:blue-1" not in walked(aboard).offered
    straggler = unit("blue", [*column(12.1), (14, 10)], figures=4)
    table = play(battle(carrier(), straggler, unit("red", (40, 46), figures=1))).activates("blue-2", dice=[6])
    assert "board:blue-1" not in table.answers("walk", PathsDeclared({})).offered


@RULE
def test_a_unit_gets_only_into_its_own_sides_vehicles_and_only_after_a_walk_or_run() -> None:
    assert "board:blue-1" not in walked(action="duck-and-weave").offered
    stranger = {**carrier(), "side": "green", "id": "blue-1"}
    squad = unit("blue", column(17.6), figures=3, id="blue-2")
    table = play(battle(stranger, squad, unit("red", (40, 46), figures=1))).activates("blue-2", dice=[6])
    assert "board:blue-1" not in table.answers("walk", shifted(table.state, "blue-2", -5, 0)).offered


@RULE
def test_a_unit_may_get_into_a_vehicle_however_far_it_has_driven() -> None:
    assert "board:blue-1" in walked(own=carrier(moved="1 6001")).offered
    assert "board:blue-1" in walked(own=carrier(moved="1 12000")).offered


@RULE
def test_a_unit_cannot_get_out_of_a_vehicle_that_has_driven_more_than_six_inches() -> None:
    riding = aboard(own=carrier(moved="1 6001"))
    why = riding.barred("get-out")
    assert why is not None
    assert why.rule == "vehicle.transport"
    # What it drove last turn does not count.
    assert aboard(own=carrier(moved="0 12000")).barred("get-out") is None


# --- aboard ---------------------------------------------------------------------------------------------------------


def aboard(*others: Row, own: Row | None = None, men: int = 3, **squad: object) -> BattleTable:
    """Return a table on which blue-2, aboard the carrier blue-1, has activated."""
    riders = unit("blue", None, **{"figures": men, "aboard": "blue-1", **squad})  # type: ignore[arg-type]
    state = battle(own or carrier(), riders, *(others or (unit("red", (40, 46), figures=1),)))
    return play(state).activates("blue-2", dice=[6])


@RULE
def test_a_unit_gets_out_within_an_inch_and_may_then_do_anything_but_assault() -> None:
    table = aboard(unit("red", (18, 10), figures=1))
    (parameter,) = table.choice("get-out").parameters
    assert isinstance(parameter, PlacementParameter)
    far = FiguresPlaced(({"1": (12_700, 9000), "2": (12_100, 10_000), "3": (12_100, 11_000)},))
    assert table.refused("get-out", far).code == "zone"
    out = FiguresPlaced(({"1": (12_590, 9000), "2": (12_100, 10_000), "3": (12_100, 11_000)},))
    table.answers("get-out", out)
    assert table.seen(UnitPlaced) == [UnitPlaced("blue-2", out.places[0])]
    assert table.unit("blue-2").aboard == ""
    why = table.barred("assault")
    assert why is not None
    assert why.rule == "vehicle.transport"
    table.answers("run", shifted(table.state, "blue-2", 0, 5))


@RULE
def test_the_suggested_places_for_a_full_load_that_gets_out_are_legal() -> None:
    table = aboard(men=8)
    (parameter,) = table.choice("get-out").parameters
    assert isinstance(parameter, PlacementParameter)
    table.answers("get-out", FiguresPlaced(parameter.suggested))
    assert table.unit("blue-2").strength == len(table.unit("blue-2").places()) == 8


@RULE
def test_a_unit_cannot_get_out_without_free_space_next_to_the_vehicle() -> None:
    ring = [(x, y) for x in range(6, 15) for y in range(6, 15) if not (8 < x < 12 and 7 < y < 13)]
    why = aboard(*crowd("blue", ring), unit("red", (40, 46), figures=1)).barred("get-out")
    assert why is not None
    assert why.rule == "vehicle.transport"


@RULE
def test_a_unit_may_get_out_if_there_is_free_space_for_all_of_it() -> None:
    # A crowd around the carrier leaves two corners free, each just wide enough for a man.
    ring = [(x, y) for x in range(6, 15) for y in range(6, 15) if not (8 < x < 12 and 7 < y < 13)]
    free = [(12, 13), (8, 7)]
    table = aboard(
        *crowd("blue", [place for place in ring if place not in free]), unit("red", (40, 46), figures=1), men=2
    )
    (parameter,) = table.choice("get-out").parameters
    assert isinstance(parameter, PlacementParameter)
    assert sorted(parameter.suggested[0].values()) == [(8_000, 7_000), (12_000, 13_000)]
    table.answers("get-out", FiguresPlaced(parameter.suggested))


@RULE
def test_passengers_of_unarmoured_vehicles_fire_as_on_a_walk() -> None:
    truck = carrier(armour="none", hull="truck")
    table = aboard(unit("red", (10, 30), figures=2), own=truck, men=2, support=["rpg"])
    (parameter,) = table.choice("fire-aboard").parameters
    options = {option.key for row in parameter.rows for option in row.options}  # type: ignore[union-attr]
    assert options == {"assault-rifle@red-1"}
    table.answers("fire-aboard", given(_1="assault-rifle@red-1", _2="assault-rifle@red-1"), dice=[1, 1])
    assert table.rolled("to-hit").unit == "blue-2"
    assert table.unit("blue-2").aboard == "blue-1"


@RULE
def test_passengers_of_armoured_vehicles_cannot_fire() -> None:
    why = aboard(unit("red", (10, 30), figures=2)).barred("fire-aboard")
    assert why is not None
    assert why.rule == "vehicle.transport"


@RULE
def test_passengers_may_stay_aboard() -> None:
    table = aboard().answers("stay-aboard")
    assert [fact.action for fact in table.seen(Declared)] == ["stay-aboard"]
    table.activates("blue-1", dice=[6]).answers("drive", drive((10, 22)))
    assert table.unit("blue-2").places() == []
    assert table.unit("blue-2").aboard == "blue-1"
    assert [fact.purpose for fact in table.seen(Rolled)] == ["activation", "activation"]


@RULE
def test_passengers_that_stay_aboard_need_not_try_to_activate() -> None:
    riders = unit("blue", None, figures=3, aboard="blue-1")
    table = play(battle(carrier(activated=1), riders, unit("red", (40, 46), figures=1)))
    assert table.offered == ["activate", "stay-aboard"]
    table.answers("stay-aboard")
    assert table.asked == "red"
    assert table.seen(Rolled) == []


@RULE
def test_a_unit_next_to_a_vehicle_may_get_in_after_a_walk_of_no_distance() -> None:
    squad = unit("blue", column(12.1), figures=3)
    table = play(battle(carrier(), squad, unit("red", (40, 46), figures=1))).activates("blue-2", dice=[6])
    assert "board:blue-1" in table.answers("walk", PathsDeclared({})).offered


@RULE
@pytest.mark.rule("fubar4/close.by-assault")
def test_who_gets_out_keeps_clear_of_enemies() -> None:
    riders = unit("blue", None, figures=2, aboard="blue-1")
    table = play(battle(carrier(), riders, unit("red", (13.5, 10), figures=1))).activates("blue-2", dice=[6])
    near = FiguresPlaced(({"1": (11_690, 10_000), "2": (11_690, 8_500)},))
    assert table.refused("get-out", near).rule == "close.by-assault"
    table.answers("get-out", FiguresPlaced(({"1": (11_690, 8_000), "2": (11_690, 7_000)},)))
