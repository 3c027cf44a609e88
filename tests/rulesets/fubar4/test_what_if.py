"""What-if: a preview from an imagined place agrees with the prompt of a unit that stands there."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from client_protocol.choices import AssignmentParameter, Picked, UnitNamed
from client_protocol.from_client import AskWhatIf, GhostPlaces
from client_protocol.from_server import WhatIf
from server.kernel.facts import ConditionGained
from server.kernel.ruleset import Preview
from server.kernel.state import State
from server.matches.projections.what_if import what_if
from server.opponents.simulation import play as random_game
from server.rulesets.fubar import assault
from server.rulesets.fubar.aim import AIMED, DRIVE, HALT, WALK, fire_parameter
from tests.rulesets.fubar4.battlefield import at_targets, battle, fubar4, piece, play, unit, vehicle
from tests.rulesets.fubar4.wild import position

WALKS = "Blue 1 fires at Red 1 on a Walk"
AIMS = "Blue 1 stays and fires at Red 1: Aimed Fire"
ASSAULTS = "Blue 1 assaults Red 1"
BACK = "Red 1 fires back at Blue 1"
ON_GUARD = "Red 1 is On Guard and fires back at Blue 1"
MOMENTS = {" on a Walk": WALK, "Aimed Fire": AIMED, " while it drives": DRIVE, " halts and fires ": HALT}


def told(state: State, one: str = "blue-1", other: str = "red-1") -> dict[str, Preview]:
    """Return the previews by title, in order."""
    return {foreseen.title: foreseen for foreseen in fubar4().what_if(state, one, other)}


def fighting(state: State, *units: str) -> State:
    """Return `state` with these units in close combat."""
    for unit_id in units:
        state = ConditionGained(unit_id, "close_combat", "close.continues").fold(state)
    return state


def rules_of(foreseen: Preview) -> set[str]:
    """Return the rules behind all numbers."""
    return {row.rule for _, number in foreseen.numbers for row in number.lines}


def test_a_what_if_agrees_with_the_prompt_of_a_unit_that_stands_there() -> None:
    state = battle(unit("blue", (10, 10)), unit("red", (10, 17), figures=4))
    table = play(state).activates("blue-1", dice=[6])
    foretold = told(state)
    assert list(foretold) == [WALKS, AIMS, ASSAULTS, BACK]
    picks = {
        AIMS: Picked("aimed-fire", (at_targets(table, "aimed-fire", "red-1"),)),
        ASSAULTS: Picked("assault", (UnitNamed("red-1"),)),
    }
    for title, picked in picks.items():
        asked = fubar4().preview(table.state, table.prompt, picked)
        assert asked is not None
        assert replace(asked, title=title) == foretold[title]


def test_a_what_if_on_one_target_says_nothing_of_other_enemies() -> None:
    state = battle(unit("blue", (10, 10)), unit("red", (10, 20)), unit("red", (10, 30)))
    (note,) = told(fighting(state, "red-2"))[AIMS].notes
    assert "Red 1" in note


def test_a_what_if_for_passengers_starts_where_they_are_imagined_to_get_out() -> None:
    rules = fubar4()
    state = battle(
        vehicle("blue", (40, 4), seats=8), unit("blue", None, figures=1, aboard="blue-1"), unit("red", (10, 44))
    )
    found = what_if(rules, state, "blue", AskWhatIf("i", "blue-2", {"blue-2": GhostPlaces({"1": (10_000, 40_000)})}))
    assert isinstance(found, WhatIf)
    (row,) = [row for row in found.targets if row.target == "red-1"]
    assert row.sight.distance == 3_000
    titles = {preview.title: preview for preview in row.previews}
    assert list(titles) == [title.replace("Blue 1", "Blue 2") for title in (WALKS, AIMS, ASSAULTS, BACK)]
    # Close to the target an assault rifle has more Fire Points.
    assert "weapon.assault-rifle-close" in {line.rule for _, number in row.previews[0].numbers for line in number.lines}


@pytest.mark.rule("fubar4/suppress.recover")
@pytest.mark.rule("fubar4/action.table")
def test_a_what_if_assumes_that_the_unit_has_recovered_and_ended_its_last_action() -> None:
    fresh = battle(unit("blue", (10, 10)), unit("red", (10, 20)))
    worn = battle(unit("blue", (10, 10), suppressed=3, conditions=["duck_and_weave"]), unit("red", (10, 20)))
    for title in (WALKS, AIMS, BACK):
        assert told(worn)[title].chances == told(fresh)[title].chances
        assert told(worn)[title].numbers == told(fresh)[title].numbers
    assert told(worn)[AIMS].notes[-1] == "The suppressed figures of Blue 1 are up again once it has tried to activate."
    assert "suppressed of" not in " ".join(told(fresh)[AIMS].notes)
    # The target has not tried yet when it is fired at.
    ducking = battle(unit("blue", (10, 10)), unit("red", (10, 20), conditions=["duck_and_weave"]))
    assert "action.duck-and-weave" in rules_of(told(ducking)[AIMS])


@pytest.mark.rule("fubar4/action.on-guard")
def test_return_fire_of_a_unit_on_guard_in_a_what_if_uses_its_present_state() -> None:
    def facing(**red: object) -> dict[str, Preview]:
        return told(battle(unit("blue", (10, 10)), unit("red", (10, 20), **red)))  # type: ignore[arg-type]

    ready = facing(conditions=["on_guard"], suppressed=3)
    assert ON_GUARD in ready
    assert BACK not in ready
    assert "action.aimed-fire" not in rules_of(ready[ON_GUARD])
    assert ready[ON_GUARD].notes[0].startswith("3 shots")
    # A unit that has reacted this turn fires in its own activation.
    spent = facing(conditions=["on_guard", "reacted"], suppressed=3)
    assert ON_GUARD not in spent
    assert "action.aimed-fire" in rules_of(spent[BACK])
    assert spent[BACK].notes[0].startswith("6 shots")


@pytest.mark.rule("fubar4/vehicle.stationary")
@pytest.mark.rule("fubar4/vdamage.immobilised")
def test_a_what_if_for_vehicles_shows_fire_on_the_move_and_from_a_halt() -> None:
    def facing(*conditions: str) -> list[str]:
        gun = vehicle("blue", (10, 10), weapons=("heavy-machine-gun", "light-cannon"), conditions=list(conditions))
        return list(told(battle(gun, unit("red", (10, 24)))))

    drives, halts = "Blue 1 fires at Red 1 while it drives", "Blue 1 halts and fires at Red 1"
    assert facing() == [drives, halts]
    assert facing("immobilised") == [halts]


@pytest.mark.rule("fubar4/close.by-assault")
def test_a_what_if_shows_no_assault_by_or_on_a_vehicle() -> None:
    state = battle(unit("blue", (10, 10)), vehicle("red", (12, 14), armour="none"))
    assert not any("assaults" in title for title in told(state))
    assert not any("assaults" in title for title in told(state, "red-1", "blue-1"))


def test_a_what_if_is_empty_where_nothing_is_possible() -> None:
    assert told(battle(unit("blue", (10, 4)), unit("red", (10, 44)), terrain=[piece("cliff", (0, 20), (48, 28))])) == {}
    assert told(battle(unit("blue", (10, 4)), unit("blue", (10, 14)), unit("red", (10, 44))), "blue-1", "blue-2") == {}
    state = battle(unit("blue", (10, 10)), unit("red", (10, 11)), unit("blue", (10, 4)), unit("red", (20, 20)))
    state = fighting(state, "blue-1", "red-1")
    assert told(state) == told(state, "blue-2", "red-1") == told(state, "blue-1", "red-2") == {}
    aboard = battle(vehicle("blue", (10, 10), seats=8), unit("blue", None, aboard="blue-1"), unit("red", (10, 20)))
    assert told(aboard, "blue-2", "red-1") == told(aboard, "red-1", "blue-2") == {}


@pytest.mark.rule("fubar4/unit.coherency")
@pytest.mark.rule("fubar4/vehicle.move-moderate")
def test_a_what_if_reports_only_ground_and_figures_out_of_touch_as_faults_of_a_place() -> None:
    ground = [piece("cliff", (10, 4), (12, 8)), piece("ruin", (20, 4), (30, 14), cover="moderate")]

    def amiss(own: dict[str, object]) -> tuple[str, ...]:
        return fubar4().amiss(battle(own, unit("red", (6, 40)), terrain=ground), "blue-1")

    assert amiss(unit("blue", (4, 6), figures=4)) == ()
    (rock,) = amiss(unit("blue", (5.2, 6), figures=4))
    assert rock.startswith("Blue 1 cannot stand in ")
    assert amiss(unit("blue", [(4, 6), (5.5, 6), (7, 16)])) == (
        "1 of 3 figures of Blue 1 are out of touch with the others.",
    )
    inside: tuple[float, float] = (25, 9)
    assert amiss(unit("blue", inside, figures=2)) == ()
    assert len(amiss(vehicle("blue", inside, armour="light"))) == 1
    tank = fubar4().book.tables.vehicles.tank_armour[0]
    assert amiss(vehicle("blue", inside, armour=tank)) == ()


@pytest.mark.parametrize("seed", range(6))
def test_what_ifs_agree_with_the_prompts_of_random_games(seed: int) -> None:
    edition, chance = fubar4(), random.Random(seed)
    compared = 0
    for played in random_game(edition, position(chance, {}), seed):
        if chance.randrange(20):
            continue
        state = played.after
        for one in state.units.values():
            # A unit without suppressed figures or effects of its last action acts as it is now.
            bound = one.conditions or any(figure.conditions for figure in one.living.values())
            for enemy in () if bound or not one.on_table else state.enemies_of(one.side):
                titles = [row.title for row in edition.what_if(state, one.id, enemy.id)]
                own = [title for title in titles if title.startswith(f"{one.name} ")]
                fires = {moment for words, moment in MOMENTS.items() if any(words in title for title in own)}
                able = {
                    moment
                    for moment in MOMENTS.values()
                    if isinstance(fire_parameter(edition.rules, state, one.id, moment, [enemy.id]), AssignmentParameter)
                }
                assert fires == able
                compared += 1
            if not bound and one.on_table and not one.mounts:
                reached = [row.unit for row in assault.candidates(edition.rules, state, one.id) if row.why is None]
                for enemy in state.enemies_of(one.side):
                    titles = [row.title for row in edition.what_if(state, one.id, enemy.id)]
                    charges = any(title.startswith(f"{one.name} assaults ") for title in titles)
                    assert charges == (enemy.id in reached) or "close_combat" in enemy.conditions
    assert compared
