"""On Guard: firing at an enemy during its move."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from msgspec.structs import replace

from client_protocol.choices import AssignmentParameter
from server.kernel.facts import ConditionGained, Declared, UnitMoved
from server.kernel.state import State, Unit
from server.rulesets.fubar.reaction import ORDERS, points
from tests.rulesets.fubar4.battlefield import (
    BattleTable,
    battle,
    drive,
    fubar4,
    given,
    paths,
    piece,
    play,
    shifted,
    stop,
    unit,
    vehicle,
)
from tests.support.tabletop import Place, Row


def guard(side: str, at: Place, figures: int = 1, **other: object) -> Row:
    """Return a unit On Guard with pistols, which reach 8"."""
    return unit(side, at, figures=figures, arm="pistol", conditions=["on_guard"], **other)  # type: ignore[arg-type]


def ordered(state: State, order: str, unit_id: str = "red-1") -> State:
    """Return `state` with a standing order given."""
    return replace(state, desk=replace(state.desk, orders={unit_id: order}))


def runs(state: State, dx: float, dy: float, dice: Sequence[int] = ()) -> BattleTable:
    """Let blue-1 activate and run."""
    table = play(state).activates("blue-1", dice=[6])
    return table.answers("run", shifted(table.state, "blue-1", dx, dy), dice=dice)


def passing(red: Row | None = None, *others: Row, **other: object) -> State:
    """Return blue-1 on the left, and a red figure On Guard 6" from the middle of a 12" run to the right."""
    blue = unit("blue", (10, 10), figures=1)
    return battle(blue, red or guard("red", (16, 17)), *others, **other)  # type: ignore[arg-type]


def at(table: BattleTable) -> Place:
    """Return the place of blue-1's first figure, in inches."""
    place = table.unit("blue-1").figures["1"].at
    assert place is not None
    return (place[0] / 1000, place[1] / 1000)


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_unit_on_guard_may_fire_at_one_that_runs_off_as_it_sets_out() -> None:
    # The pistol reaches the mover where it stands, and no farther on.
    table = runs(battle(unit("blue", (10, 18.9), figures=1), guard("red", (10, 10))), 0, 12)
    assert (table.asked, table.offered) == ("red", ["fire", "hold"])
    assert at(table) == (10, 18.9)


@pytest.mark.rule("fubar4/action.on-guard")
def test_the_owner_of_a_unit_on_guard_is_asked_during_the_enemys_move() -> None:
    table = runs(passing(), 11, 0)
    # its pistol reaches 5.66" to each side of the middle
    assert table.asked == "red"
    assert table.prompt.title == "Red 1 may react to Blue 1"
    assert (table.prompt.unit, table.offered) == ("red-1", ["fire", "wait", "hold"])
    assert at(table) == (10.5, 10)
    table.answers("wait")
    assert (at(table), table.offered) == ((16, 10), ["fire", "wait", "hold"])
    table.answers("wait")
    assert (at(table), table.offered) == ((21, 10), ["fire", "hold"])
    table.answers("hold")
    assert table.offered == ["activate"]


@pytest.mark.rule("fubar4/action.on-guard")
def test_reaction_fire_interrupts_a_move_and_the_survivors_finish_it() -> None:
    state = battle(unit("blue", (10, 10), figures=2), guard("red", (16, 17), figures=2))
    table = runs(state, 11, 0).answers("wait")
    table.fires("blue-1", dice=[5, 1])
    assert ConditionGained("red-1", "reacted", "action.on-guard") in table.facts
    table.answers("take-hits", given(_1="suppressed"))
    # the suppressed figure stays where it was hit, the other goes on
    moved = [fact.paths for fact in table.seen(UnitMoved)]
    assert set(moved[0]) == {"1", "2"}
    assert set(moved[-1]) == {"2"}
    assert table.unit("blue-1").figures["2"].at == (22500, 10000)
    assert at(table)[0] < 21
    assert table.state.turn.unit == ""


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_move_ends_when_a_reaction_suppresses_the_last_figure() -> None:
    table = runs(passing(), 12, 0)
    place = at(table)
    table.fires("blue-1", dice=[6]).answers("take-hits", given(_1="suppressed"))
    assert at(table) == place
    assert table.state.turn.unit == ""


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_unit_reacts_only_once_a_turn() -> None:
    state = battle(unit("blue", (10, 10), figures=1), unit("blue", (14, 12), figures=1), guard("red", (16, 17)))
    table = runs(state, 12, 0).fires("blue-1", dice=[1])
    assert table.asked == "blue"
    table.activates("blue-2", dice=[6])
    table.answers("run", shifted(table.state, "blue-2", 8, 0))
    assert table.asked == "red"
    assert "activate" in table.offered
    assert len([fact for fact in table.seen(Declared) if fact.action == "react"]) == 1


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_unit_that_holds_fire_is_asked_again_only_in_the_next_move() -> None:
    state = battle(unit("blue", (10, 10), figures=1), unit("blue", (14, 12), figures=1), guard("red", (16, 17)))
    table = runs(state, 12, 0).answers("hold")
    assert table.asked == "blue"
    table.activates("blue-2", dice=[6])
    table.answers("run", shifted(table.state, "blue-2", 8, 0))
    assert table.prompt.title == "Red 1 may react to Blue 2"


@pytest.mark.rule("fubar4/action.on-guard")
def test_units_not_on_guard_or_that_have_reacted_or_are_in_close_combat_do_not_react() -> None:
    for conditions in ([], ["on_guard", "reacted"], ["close_combat", "on_guard"]):
        reserve = unit("red", (46, 47), figures=1)
        red = unit("red", (16, 17), figures=1, conditions=conditions)
        fights = {"fights": [["blue-1", "red-1"]]} if "close_combat" in conditions else {}
        table = runs(passing(red, reserve, book=fights), 12, 0)
        assert table.asked == "red"
        assert table.offered == ["activate"]
        assert at(table) == (22, 10)


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_unit_that_does_not_move_is_not_reacted_to() -> None:
    table = play(passing(guard("red", (10, 17)))).activates("blue-1", dice=[6])
    table.answers("run", paths())
    assert table.offered == ["activate"]


@pytest.mark.rule("fubar4/action.on-guard")
def test_only_moving_figures_allow_a_reaction() -> None:
    # the figure in range stays, the moving one is out of sight
    house = piece("building", (18, 12), (30, 14))
    blue = unit("blue", [(12, 10), (24, 8)])
    state = battle(blue, guard("red", (14, 17)), terrain=[house])
    table = play(state).activates("blue-1", dice=[6])
    table.answers("run", paths(_2=[(26, 8)]))
    assert table.offered == ["activate"]
    assert not list(points(fubar4().rules, state, "blue-1", paths(_2=[(26, 8)]), "red-1"))
    table = play(state).activates("blue-1", dice=[6])
    table.answers("run", paths(_1=[(13, 10)]))
    assert table.offered == ["fire", "wait", "hold"]


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_figure_stopped_by_one_reaction_does_not_allow_another() -> None:
    # the second figure moves on behind the house, out of sight of both
    house = piece("building", (18, 12), (40, 14))
    blue = unit("blue", [(12, 10), (24, 8)])
    state = battle(blue, guard("red", (14, 17)), guard("red", (12.5, 17)), terrain=[house])
    table = play(state).activates("blue-1", dice=[6])
    table.answers("run", paths(_1=[(14, 10)], _2=[(26, 8)]))
    assert table.prompt.title == "Red 1 may react to Blue 1"
    table.fires("blue-1", dice=[6]).answers("take-hits", given(_1="suppressed"))
    assert table.offered == ["activate"]
    assert table.unit("blue-1").figures["2"].at == (26000, 8000)


@pytest.mark.rule("fubar4/action.on-guard")
def test_reactions_are_offered_at_the_first_the_closest_and_the_last_point() -> None:
    state = passing()
    way = shifted(state, "blue-1", 11, 0)
    found = list(points(fubar4().rules, state, "blue-1", way, "red-1"))
    assert [(round(point.t, 3), point.closest, point.last) for point in found] == [
        (0.045, False, False),
        (0.545, True, False),
        (1.0, True, True),
    ]
    # out of range at the end, so there is no last point there
    longer = shifted(state, "blue-1", 12, 0)
    assert [point.t for point in points(fubar4().rules, state, "blue-1", longer, "red-1")][-1] == 0.5
    # if it walks straight up to the unit, the closest point is the end
    straight = shifted(state, "blue-1", 4, 4)
    assert [point.t for point in points(fubar4().rules, state, "blue-1", straight, "red-1")][-1] == 1.0


def test_reactors_look_at_the_same_points_and_one_out_of_reach_looks_at_none() -> None:
    # Every figure of a side that lies in wait would otherwise be asked at each point of each move.
    state = passing()
    way = shifted(state, "blue-1", 11, 0)
    there: dict[float, Unit] = {}
    assert list(points(fubar4().rules, state, "blue-1", way, "red-1", there))
    shared = dict(there)
    assert shared
    assert list(points(fubar4().rules, state, "blue-1", way, "red-1", there))
    assert all(there[t] is shared[t] for t in there)
    far = battle(unit("blue", (12, 10)), guard("red", (12, 40)))
    there.clear()
    assert not list(points(fubar4().rules, far, "blue-1", shifted(far, "blue-1", 11, 0), "red-1", there))
    assert not there


# --- standing orders ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/action.on-guard")
def test_by_default_a_unit_on_guard_fires_at_the_closest_point() -> None:
    table = runs(passing(), 12, 0)
    assert table.prompt.default.choice == "wait"
    table.defaults()
    assert at(table) == (16, 10)
    assert table.prompt.default.choice == "fire"
    table.defaults(dice=[1])
    assert at(table) == (22, 10)
    assert ConditionGained("red-1", "reacted", "action.on-guard") in table.facts


@pytest.mark.parametrize(("order", "place"), [("first", 10.5), ("closest", 16)])
@pytest.mark.rule("fubar4/action.on-guard")
def test_a_standing_order_is_carried_out_without_a_prompt(order: str, place: float) -> None:
    table = runs(ordered(passing(), order), 12, 0, dice=[6])
    assert table.prompt.title == "Blue 1 takes 1 hit from Red 1"
    assert at(table) == (place, 10)


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_standing_order_to_hold_fire_produces_no_facts() -> None:
    held = runs(ordered(passing(), "hold"), 12, 0)
    assert held.offered == ["activate"]
    calm = runs(passing(unit("red", (16, 17), figures=1, arm="pistol")), 12, 0)
    assert [type(fact) for fact in held.facts if not isinstance(fact, UnitMoved)] == [
        type(fact) for fact in calm.facts if not isinstance(fact, UnitMoved)
    ]


@pytest.mark.rule("fubar4/action.on-guard")
def test_the_standing_orders_are_those_of_the_on_guard_rule() -> None:
    assert list(ORDERS) == ["", "first", "closest", "hold"]


# --- with other things ----------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/action.on-guard")
@pytest.mark.rule("fubar4/weapon.support")
def test_support_weapons_may_be_fired_in_a_reaction() -> None:
    table = runs(passing(unit("red", (16, 17), figures=1, support=["rpg"], conditions=["on_guard"])), 12, 0)
    (parameter,) = table.choice("fire").parameters
    assert isinstance(parameter, AssignmentParameter)
    assert [option.key for option in parameter.rows[0].options] == ["assault-rifle@blue-1", "rpg@blue-1"]
    # at the moving unit only
    assert {option.unit for row in parameter.rows for option in row.options} == {"blue-1"}


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_reactions_target_is_checked_again_when_the_move_reaches_the_point() -> None:
    first = guard("red", (16, 17))
    second = guard("red", (18, 17))
    state = battle(unit("blue", (10, 10), figures=1, level="green"), unit("blue", (2, 2)), first, second)
    table = runs(state, 12, 0)
    table.fires("blue-1", dice=[6]).answers("take-hits", given(_1="suppressed"))
    # no figure moves any more, so the second unit is not asked
    assert table.asked == "blue"
    assert table.offered == ["activate"]


@pytest.mark.rule("fubar4/action.on-guard")
@pytest.mark.rule("fubar4/setup.more-players")
def test_several_units_react_at_one_point_in_the_order_of_sides_from_the_movers() -> None:
    # the two are placed symmetrically, so that the mover comes within range of both at the same point
    red = guard("red", (16, 17))
    green = guard("green", (16, 3))
    table = runs(battle(unit("blue", (10, 10), figures=1), green, red), 12, 0)
    assert (table.asked, at(table)) == ("red", (10.5, 10))
    table.answers("hold")
    assert (table.asked, at(table)) == ("green", (10.5, 10))


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_reaction_comes_before_the_movers_own_fire_at_the_same_point() -> None:
    state = battle(unit("blue", (10, 10), figures=1), guard("red", (10, 20)))
    table = play(state).activates("blue-1", dice=[6])
    table.answers("walk", shifted(table.state, "blue-1", 0, 4)).answers("fire-on-the-way", stop(1))
    # one point before the end, then the end itself, where both would fire
    table.answers("wait")
    assert (table.asked, at(table)) == ("red", (10, 14))
    table.fires("blue-1", dice=[6]).answers("take-hits", given(_1="suppressed"))
    # suppressed, it fires no more
    assert table.offered == ["activate"]


@pytest.mark.rule("fubar4/action.on-guard")
@pytest.mark.rule("fubar4/vehicle.activation")
def test_a_vehicle_reacts_with_all_its_weapons_within_its_arcs_and_crew() -> None:
    weapons: list[str | tuple[str, str]] = [
        ("heavy-machine-gun", "front"),
        "light-cannon",
        ("heavy-machine-gun", "rear"),
    ]
    tank = vehicle("red", (16, 20), facing=270, armour="heavy", crew=2, weapons=weapons, conditions=["on_guard"])
    table = runs(passing(tank), 12, 0)
    (parameter,) = table.choice("fire").parameters
    assert isinstance(parameter, AssignmentParameter)
    # facing the south edge, the rear one does not bear
    assert [row.key for row in parameter.rows] == ["m1", "m2"]
    assert parameter.most == 2


@pytest.mark.rule("fubar4/action.on-guard")
@pytest.mark.rule("fubar4/vehicle.small-arms-useless")
def test_only_weapons_that_can_harm_a_moving_vehicle_are_fired_at_it_in_a_reaction() -> None:
    reds = [guard("red", (16, 17)), guard("red", (30, 17), support=["rpg"])]
    state = battle(vehicle("blue", (5, 10), facing=0, armour="medium"), *reds)
    table = play(state).activates("blue-1", dice=[6])
    table.answers("drive", drive((17, 10)))
    while table.asked == "blue":
        table.answers("hold-fire")
    assert table.prompt.title == "Red 2 may react to Blue 1"
