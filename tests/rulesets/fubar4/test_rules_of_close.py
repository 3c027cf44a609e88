"""Details of close combat and reactions: several enemies at once, units freed afterwards, weapons taken over."""

from __future__ import annotations

import pytest

from client_protocol.choices import FiguresParameter, FiguresPicked, UnitNamed
from server.kernel.facts import ConditionLost, Declared, FigureRearmed, Rolled, UnitMoved
from server.kernel.space.geometry import distance
from server.rulesets.fubar.assault import met
from server.rulesets.fubar.game import FIGHTING, ON_GUARD
from tests.rulesets.fubar4.battlefield import BattleTable, battle, given, melee, paths, play, shifted, unit, vehicle

FAR_RED = unit("red", (40, 46), figures=1, id="red-far")
FAR_BLUE = unit("blue", (40, 2), figures=1, id="blue-far")


def strikes(table: BattleTable) -> list[tuple[str, str, int]]:
    """Return which unit struck at which, with how many dice."""
    return [(f.unit, f.target, len(f.faces)) for f in table.seen(Rolled) if f.purpose == "close-combat"]


# --- several enemies ------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.move-in")
@pytest.mark.rule("fubar4/close.roll")
def test_every_unit_that_a_charge_reaches_steps_up_and_fights() -> None:
    # One man ends his charge between two red units, each with another man near.
    reds = (unit("red", [(9.4, 16), (6.5, 15.2)]), unit("red", [(10.6, 16), (13.5, 15.2)]))
    table = play(melee(unit("blue", (10, 10), figures=1), *reds)).activates("blue-1", dice=[6])
    table.answers("assault", "red-2").answers("charge", paths(_1=[(10, 15.2)]))
    # The named unit steps up first, then the other; by default all figures that can.
    for unit_id in ("red-2", "red-1"):
        assert (table.asked, table.prompt.unit) == ("red", unit_id)
        (who,) = table.choice("step-up").parameters
        assert isinstance(who, FiguresParameter)
        assert (who.figures, who.least, who.most) == (("2",), 0, 1)
        assert table.prompt.default.values == (FiguresPicked(("2",)),)
        table.defaults(dice=[2] * 5 if unit_id == "red-1" else [])
    assert strikes(table) == [("blue-1", "red-2", 1), ("red-2", "blue-1", 2), ("red-1", "blue-1", 2)]


@pytest.mark.rule("fubar4/close.move-in")
def test_figures_that_the_owner_does_not_pick_do_not_step_up() -> None:
    red = unit("red", [(10, 16), (12.8, 15.2)])
    table = play(melee(unit("blue", (10, 10), figures=1), red)).activates("blue-1", dice=[6])
    table.answers("assault", "red-1").answers("charge", paths(_1=[(10, 15)]))
    table.answers("step-up", FiguresPicked(()), dice=[2, 2])
    assert strikes(table) == [("blue-1", "red-1", 1), ("red-1", "blue-1", 1)]


@pytest.mark.rule("fubar4/close.move-in")
def test_the_named_target_of_an_assault_steps_up_first() -> None:
    state = battle(
        unit("blue", (10, 10), figures=1), unit("red", (10, 11), figures=1), unit("red", (11, 10), figures=1)
    )
    assert met(state, "blue-1", "red-2") == ["red-2", "red-1"]
    assert met(state, "blue-1", "red-1") == ["red-1", "red-2"]


@pytest.mark.rule("fubar4/close.by-assault")
def test_a_vehicle_touched_by_a_charge_does_not_fight() -> None:
    own, foe = unit("blue", (10, 10), figures=1), unit("red", (10, 11), figures=1)
    state = battle(own, foe, vehicle("red", (11.6, 10), hull="carrier"))
    assert met(state, "blue-1", "red-1") == ["red-1"]


@pytest.mark.rule("fubar4/close.move-in")
def test_figures_step_up_by_the_shortest_path() -> None:
    # The shortest path leads neither sideways nor straight ahead.
    red = unit("red", [(10, 16), (12.4, 13.9)])
    table = play(melee(unit("blue", (10, 10), figures=1), red)).activates("blue-1", dice=[6])
    table.answers("assault", "red-1").answers("charge", paths(_1=[(10, 15)])).defaults(dice=[2] * 3)
    (step,) = [fact for fact in table.seen(UnitMoved) if fact.manner == "step-up"]
    gone = distance((12_400, 13_900), step.paths["2"][-1])
    assert gone == pytest.approx(distance((12_400, 13_900), (10_000, 15_000)) - 1000, abs=20)


@pytest.mark.rule("fubar4/action.assault")
@pytest.mark.rule("fubar4/action.on-guard")
def test_the_log_says_no_more_of_a_unit_that_is_destroyed_during_its_charge() -> None:
    guard = unit("red", (10, 17), figures=1, level="elite", conditions=[ON_GUARD])
    table = play(melee(unit("blue", (10, 10), figures=1), guard, FAR_BLUE)).activates("blue-1", dice=[6])
    table.answers("assault", "red-1").defaults()
    table.fires("blue-1", dice=[4, 2]).answers("take-hits", given(_1="casualty"))
    assert [fact.action for fact in table.seen(Declared)] == ["assault", "react"]


@pytest.mark.rule("fubar4/close.continues")
def test_a_unit_whose_only_opponent_another_unit_destroys_stops_fighting() -> None:
    # blue-1 is locked with red-1; blue-2 assaults red-1 too and wipes it out.
    state = melee(
        unit("blue", (10, 20), figures=1, conditions=[FIGHTING]),
        unit("red", (10, 21), figures=1, conditions=[FIGHTING]),
        unit("blue", (12, 14), figures=1),
        book={"fights": [["blue-1", "red-1"]]},
    )
    table = play(state).activates("blue-2", dice=[5]).answers("assault", "red-1")
    table.answers("charge", paths(_1=[(11, 21)]), dice=[5, 2])
    assert table.unit("red-1").left == "destroyed"
    assert ConditionLost("blue-1", FIGHTING, "close.continues") in table.facts
    assert not table.state.book.get("fights")
    # It has not tried this turn, and may.
    assert table.targets("activate") == {"blue-1": ""}


@pytest.mark.rule("fubar4/close.continues")
def test_units_in_close_combat_may_not_move_away() -> None:
    state = melee(unit("blue", (10, 10), figures=3), unit("red", (10, 16), figures=3))
    table = play(state).activates("blue-1", dice=[6]).answers("assault", "red-1")
    table.answers("charge", shifted(table.state, "blue-1", 0, 5), dice=[2] * 6)
    assert table.asked == "red"
    assert table.targets("activate") == {"reserve": ""}


@pytest.mark.rule("fubar4/close.casualties")
def test_by_default_riflemen_fall_first_then_gunners_then_the_leader() -> None:
    red = unit("red", (10, 16), figures=3, support=["rpg"], each={2: {"leader": "yes"}})
    table = play(melee(unit("blue", (10, 10), figures=3), red)).activates("blue-1", dice=[6])
    table.answers("assault", "red-1")
    table.answers("charge", shifted(table.state, "blue-1", 0, 5), dice=[6, 6, 1, 1, 1, 1])
    assert table.prompt.default.values == (FiguresPicked(("3", "1")),)


@pytest.mark.rule("fubar4/close.continues")
def test_a_fight_goes_on_while_a_figure_could_be_brought_up() -> None:
    # The two in contact fall; two more stand 2.5" away from each other.
    state = melee(unit("blue", [(10, 10), (8, 12)]), unit("red", [(10, 16), (8, 16)]))
    table = play(state).activates("blue-1", dice=[6]).answers("assault", "red-1")
    table.answers("charge", paths(_1=[(10, 15)], _2=[(8, 12.5)])).answers("step-up", FiguresPicked(()), dice=[6, 6])
    assert table.unit("blue-1").strength == table.unit("red-1").strength == 1
    assert table.state.book["fights"] == (("blue-1", "red-1"),)


@pytest.mark.rule("fubar4/close.continues")
@pytest.mark.rule("fubar4/action.table")
def test_a_round_of_close_combat_ends_the_effects_of_the_last_action() -> None:
    rows = [unit(side, (10, y), figures=1, conditions=[FIGHTING, ON_GUARD]) for side, y in (("blue", 10), ("red", 11))]
    state = melee(*rows, FAR_BLUE, turn=2, phase="turn", book={"fights": [["blue-1", "red-1"]]})
    table = play(state, dice=[2, 2, 6, 1])
    for unit_id in ("blue-1", "red-1"):
        assert ConditionLost(unit_id, ON_GUARD, "action.table") in table.facts
        assert table.unit(unit_id).conditions == (FIGHTING,)


# --- reactions ------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/action.on-guard")
def test_by_default_a_unit_on_guard_waits_for_the_closest_point_and_fires_there() -> None:
    guard = unit("red", (16, 17), figures=1, arm="pistol", conditions=[ON_GUARD])
    table = play(battle(unit("blue", (10, 10), figures=1), guard)).activates("blue-1", dice=[6])
    table.answers("run", shifted(table.state, "blue-1", 11, 0))
    assert table.prompt.default.choice == "wait"
    table.defaults()
    # The move goes on from here, but comes no closer.
    assert table.offered == ["fire", "wait", "hold"]
    assert table.prompt.default.choice == "fire"


@pytest.mark.rule("fubar4/action.on-guard")
def test_a_reaction_needs_a_moving_figure_as_its_target() -> None:
    # The first man runs past two units On Guard, the second man stays; the first unit kills the running man.
    guards = [unit("red", (10, y), figures=1, level="elite", conditions=[ON_GUARD]) for y in (20, 22)]
    state = battle(unit("blue", [(10, 10), (12, 10)]), *guards)
    table = play(state).activates("blue-1", dice=[6])
    table.answers("run", shifted(table.state, "blue-1", -6, 0, only=["1"]))
    assert table.prompt.unit == "red-1"
    table.fires("blue-1", dice=[6, 1]).answers("take-hits", given(_1="casualty"))
    assert table.asked == "red"
    assert table.targets("activate") == {"red-1": "", "red-2": ""}


# --- who takes over -------------------------------------------------------------------------------------------------


def losing(gunner: dict[str, object], *figures: str) -> list[FigureRearmed]:
    """Return the figure that takes over when figures of red-1 fall."""
    state = battle(unit("blue", (10, 10), figures=6, level="elite"), gunner, FAR_RED)
    table = play(state).activates("blue-1", dice=[6]).answers("walk", paths()).answers("fire-here")
    table.fires("red-1", dice=[*[6] * len(figures), *[1] * (6 - len(figures))])
    table.answers("take-hits", given(**{f"_{key}": "casualty" for key in figures}))
    return table.seen(FigureRearmed)


@pytest.mark.rule("fubar4/weapon.hmg-crew")
def test_the_nearest_rifleman_takes_over_a_machine_gun_but_no_other_weapon() -> None:
    places = [(10, 24), (11.2, 24), (12.4, 24), (13.6, 24)]
    each = {2: {"role": "rpg"}, 3: {"leader": "yes"}}
    crew = unit("red", places, support=["heavy-machine-gun"], each=each)
    assert losing(crew, "1") == [FigureRearmed("red-1", "4", "heavy-machine-gun", "weapon.hmg-crew")]
    assert losing(crew, "2") == []
    # The leader, if there is no other figure.
    assert losing(crew, "1", "4") == [FigureRearmed("red-1", "3", "heavy-machine-gun", "weapon.hmg-crew")]


# --- targets out of reach -------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/action.assault")
def test_an_assault_on_an_enemy_out_of_reach_is_refused_by_its_rule() -> None:
    table = play(battle(unit("blue", (10, 10)), unit("red", (10, 30)))).activates("blue-1", dice=[6])
    refusal = table.refused("assault", UnitNamed("red-1"))
    assert refusal.rule == "action.assault"
    assert table.seen(UnitMoved) == []


@pytest.mark.rule("fubar4/close.move-in")
def test_a_unit_that_is_touched_by_a_figure_that_steps_up_is_in_the_fight() -> None:
    # The second man steps up to the one who charges, between the three of another unit.
    red = unit("red", [(20, 20), (20.5, 15.6)], figures=2)
    charging, other = unit("blue", [(23.5, 13.5)], figures=1), unit("blue", [(21.02, 19), (18.98, 19), (19.49, 18.12)])
    table = play(melee(charging, other, red, FAR_RED)).activates("blue-1", dice=[6])
    table.answers("assault", "red-1").answers("charge", paths(_1=[(20, 19)]))
    table.answers("step-up", FiguresPicked(("2",)), dice=[1] * 4)
    assert ("blue-2", "red-1", 1) in strikes(table)
    assert FIGHTING in table.unit("blue-2").conditions
