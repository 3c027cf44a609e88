"""Previews: their odds match those from playing every way in which the dice can fall."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import pytest

from client_protocol.choices import Assigned, PathsDeclared, Picked, UnitNamed
from server.kernel.facts import Fact, FiguresFell, Rolled, UnitLeft
from server.kernel.ruleset import Preview
from server.kernel.state import State
from tests.rulesets.fubar4.battlefield import BattleTable, battle, fubar4, paths, piece, play, shifted, unit, vehicle
from tests.rulesets.fubar4.every_way import chance, every_way, mean

HOLD = Picked("hold-fire")
ACTIVATE = Picked("activate", (UnitNamed("blue-1"),))
Facts = list[Fact]


def foreseen(table: BattleTable, picked: Picked) -> Preview:
    told = fubar4().preview(table.state, table.prompt, picked)
    assert told is not None
    return told


def odds(told: Preview) -> dict[str, str]:
    return {chance.label: chance.value for chance in told.chances}


def percent(value: Fraction) -> str:
    return f"{float(value) * 100:.0f}%"


def tenth(value: Fraction) -> str:
    return f"{float(value):.1f}"


def activated(state: State, *plan: Picked) -> list[tuple[Fraction, Facts]]:
    """Return every way in which `plan` can go once blue-1 has activated."""
    return list(every_way(state, ACTIVATE, *plan, fallen=(6,)))


def _outcome(facts: Facts, purpose: str, target: str) -> str:
    return next(
        (f.outcome for f in facts if isinstance(f, Rolled) and f.purpose == purpose and target in {"", f.target}), ""
    )


def hits_on(target: str) -> Callable[[Facts], int]:
    return lambda facts: sum(
        int(f.outcome) for f in facts if isinstance(f, Rolled) and f.purpose == "to-hit" and f.target == target
    )


def through(target: str) -> Callable[[Facts], int]:
    """Return the unsaved hits on `target`."""

    def count(facts: Facts) -> int:
        saves = [f for f in facts if isinstance(f, Rolled) and f.purpose == "save" and f.unit == target]
        return int(saves[0].outcome) if saves else hits_on(target)(facts)

    return count


def fallen(unit_id: str) -> Callable[[Facts], int]:
    return lambda facts: sum(len(f.figures) for f in facts if isinstance(f, FiguresFell) and f.unit == unit_id)


# --- activation -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/activation.roll")
@pytest.mark.parametrize("suppressed", [0, 2])
@pytest.mark.parametrize("level", ["green", "elite"])
def test_the_odds_of_an_activation_are_exact(level: str, suppressed: int) -> None:
    state = battle(unit("blue", (10, 10), level=level, suppressed=suppressed), unit("red", (10, 30)))
    ways = list(every_way(state, ACTIVATE))
    passing = chance(ways, lambda facts: _outcome(facts, "activation", "") == "passed")
    told = foreseen(play(state), ACTIVATE)
    assert odds(told) == {"Activates": percent(passing)}
    assert told.notes == ("If it fails, it is On Guard, and the initiative passes.",)


@pytest.mark.rule("fubar4/activation.failed-withdraw")
@pytest.mark.rule("fubar4/turn.to-and-fro")
def test_the_preview_of_an_activation_says_what_a_unit_does_if_it_fails() -> None:
    few = battle(unit("blue", (10, 10), lost=4), unit("red", (10, 30), activated=1))
    assert foreseen(play(few), ACTIVATE).notes == ("If it fails, it withdraws, and its side keeps the initiative.",)
    truck = vehicle("blue", (10, 10), seats=8)
    state = battle(unit("blue", None, figures=3, aboard="blue-2"), truck, unit("red", (10, 30)))
    assert foreseen(play(state), ACTIVATE).notes == ("If it fails, it stays aboard, and the initiative passes.",)


# --- fire -----------------------------------------------------------------------------------------------------------


def checked(state: State, table: BattleTable, fire: Picked, *plan: Picked) -> dict[str, str]:
    """Check that the preview of `fire` has the expected odds, and return it."""
    told = odds(foreseen(table, fire))
    ways = activated(state, *plan, fire)
    value = fire.values[-1]
    assert isinstance(value, Assigned)
    targets = list(dict.fromkeys(option.partition("@")[2] for option in value.given.values()))
    expected: dict[str, str] = {}
    for target in targets:
        at = f" ({state.units[target].name})" if len(targets) > 1 else ""
        expected[f"Expected hits{at}"] = tenth(mean(ways, hits_on(target)))
        expected[f"Expected hits after saves{at}"] = tenth(mean(ways, through(target)))
        expected[f"At least one gets through{at}"] = percent(chance(ways, lambda f, t=target: through(t)(f) > 0))  # type: ignore[misc]
        if state.units[target].mounts:
            gone = chance(ways, lambda f, t=target: any(isinstance(x, UnitLeft) and x.unit == t for x in f))  # type: ignore[misc]
            expected[f"Destroyed{at}"] = percent(gone)
        elif f"Somebody must fall{at}" in told:
            expected[f"Somebody must fall{at}"] = percent(chance(ways, lambda f, t=target: fallen(t)(f) > 0))  # type: ignore[misc]
        else:
            assert not chance(ways, lambda f, t=target: fallen(t)(f) > 0)  # type: ignore[misc]
    assert told == expected
    return told


@pytest.mark.rule("fubar4/fire.split")
@pytest.mark.rule("fubar4/fire.to-hit")
@pytest.mark.rule("fubar4/fire.armour-save")
def test_the_odds_of_split_fire_are_exact() -> None:
    blue = unit("blue", (10, 10), figures=2, level="veteran", arm="infantry-rifle")
    armoured = unit("red", (10, 21), figures=3, armour="medium", level="green")
    in_woods = unit("red", (20, 21), figures=2, suppressed=1, level="green")
    state = battle(blue, armoured, in_woods, terrain=[piece("woods", (19, 20), (23, 22))])
    table = play(state).activates("blue-1", dice=[6])
    split = {"1": "infantry-rifle@red-1", "2": "infantry-rifle@red-2"}
    told = checked(state, table, Picked("aimed-fire", (Assigned(split),)))
    assert told["Somebody must fall (Red 2)"] == "50%"


@pytest.mark.rule("fubar4/vdamage.table")
@pytest.mark.rule("fubar4/vdamage.destroyed")
def test_the_odds_of_fire_at_a_vehicle_are_exact() -> None:
    truck = vehicle("red", (10, 21), armour="none", crew=1, weapons=["heavy-machine-gun"])
    state = battle(unit("blue", (10, 10), figures=1, arm="infantry-rifle", level="elite"), truck)
    walk, here = Picked("walk", (paths(),)), Picked("fire-here")
    table = play(state).activates("blue-1", dice=[6]).answers("walk", paths()).answers("fire-here")
    checked(state, table, Picked("fire", (Assigned({"1": "infantry-rifle@red-1"}),)), walk, here)


@pytest.mark.rule("fubar4/vehicle.stationary")
def test_the_odds_of_fire_by_a_halted_vehicle_are_exact() -> None:
    car = vehicle("blue", (10, 10), weapons=["light-machine-gun"], crew=1)
    state = battle(car, unit("red", (10, 21), figures=3, level="green"))
    halt = Picked("halt", (PathsDeclared({}),))
    table = play(state).activates("blue-1", dice=[6]).answers("halt", PathsDeclared({}))
    checked(state, table, Picked("fire", (Assigned({"m1": "light-machine-gun@red-1"}),)), halt)


@pytest.mark.rule("fubar4/fire.unsaved")
def test_the_odds_of_a_casualty_count_figures_that_are_already_suppressed() -> None:
    # Four figures of an elite unit may be suppressed, and one of its three already is.
    red = unit("red", (10, 21), figures=3, level="elite", suppressed=1)
    state = battle(
        unit("blue", (10, 10), figures=1, level="elite", arm="light-machine-gun"), red, unit("red", (40, 46))
    )
    table = play(state).activates("blue-1", dice=[6])
    told = checked(state, table, Picked("aimed-fire", (Assigned({"1": "light-machine-gun@red-1"}),)))
    assert told["Somebody must fall"] == "30%"


@pytest.mark.rule("fubar4/action.on-guard")
def test_the_odds_of_a_reaction_count_the_movers_cover_and_no_other_unit() -> None:
    guard = unit("red", (16, 17), figures=1, arm="pistol", support=["rpg"], conditions=["on_guard"])
    state = battle(unit("blue", (10, 10), figures=1), guard, unit("blue", (1, 46), figures=1))
    table = play(state).activates("blue-1", dice=[6])
    table.answers("duck-and-weave", shifted(table.state, "blue-1", 8, 0))
    told = foreseen(table, Picked("fire", (Assigned({"1": "rpg@blue-1"}),)))
    assert [(label, number.value) for label, number in told.numbers] == [("RPG: dice", 3), ("RPG: each needs", 6)]
    assert odds(told)["Expected hits"] == "0.5"
    assert len(told.notes) == 1


# --- close combat ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("fubar4/close.roll")
@pytest.mark.rule("fubar4/close.casualties")
@pytest.mark.rule("fubar4/close.suppressed")
def test_the_odds_of_a_first_round_of_close_combat_are_exact() -> None:
    red = unit("red", [(9.4, 16), (10.6, 16)], armour="heavy", suppressed=1)
    state = battle(unit("blue", (10, 10), figures=1, level="veteran"), red, unit("red", (40, 46)))
    table = play(state).activates("blue-1", dice=[6])
    assault = Picked("assault", (UnitNamed("red-1"),))
    before = odds(foreseen(table, assault))
    table.answers("assault", "red-1")
    charge = Picked("charge", (paths(_1=[(10, 15.2)]),))
    told = odds(foreseen(table, charge))
    ways = activated(state, assault, charge)
    assert told == {
        "Expected losses of Red 1": tenth(mean(ways, fallen("red-1"))),
        "Red 1 loses somebody": percent(chance(ways, lambda facts: fallen("red-1")(facts) > 0)),
        "Expected losses of Blue 1": tenth(mean(ways, fallen("blue-1"))),
        "Blue 1 loses somebody": percent(chance(ways, lambda facts: fallen("blue-1")(facts) > 0)),
    }
    assert set(before) == set(told)


@pytest.mark.rule("fubar4/close.move-in")
@pytest.mark.rule("fubar4/close.continues")
def test_the_odds_of_an_assault_count_every_unit_reached_and_figures_that_step_up() -> None:
    reds = (unit("red", [(9.4, 16)]), unit("red", [(10.6, 16), (13, 16)]))
    state = battle(unit("blue", (10, 10), figures=1), *reds, unit("red", (40, 46)))
    table = play(state).activates("blue-1", dice=[6]).answers("assault", "red-1")
    charge = Picked("charge", (paths(_1=[(10, 15.2)]),))
    told = foreseen(table, charge)
    assault = Picked("assault", (UnitNamed("red-1"),))
    ways = activated(state, assault, charge)
    assert told.title == "Blue 1 assaults Red 1 and Red 2"
    assert told.notes == ("1 figure of Blue 1 strikes, 3 of Red 1 and Red 2, if all step up who can.",)
    both = lambda facts: fallen("red-1")(facts) + fallen("red-2")(facts)  # noqa: E731  # a sum
    assert odds(told)["Expected losses of Red 1 and Red 2"] == tenth(mean(ways, both))
    assert odds(told)["Blue 1 loses somebody"] == percent(chance(ways, lambda f: fallen("blue-1")(f) > 0))


@pytest.mark.rule("fubar4/close.casualties")
def test_the_odds_of_an_assault_count_each_blow_against_the_unit_it_strikes() -> None:
    # Each of two men touches a different enemy.
    reds = (unit("red", (10, 16), figures=1), unit("red", (14, 16), figures=1))
    state = battle(unit("blue", [(10, 10), (14, 10)]), *reds, unit("red", (40, 46)))
    table = play(state).activates("blue-1", dice=[6]).answers("assault", "red-1")
    charge = Picked("charge", (paths(_1=[(10, 15)], _2=[(14, 15)]),))
    ways = activated(state, Picked("assault", (UnitNamed("red-1"),)), charge)
    told = odds(foreseen(table, charge))
    lost = [fallen("red-1")(facts) + fallen("red-2")(facts) for _, facts in ways]
    assert told["Expected losses of Red 1 and Red 2"] == tenth(
        mean(ways, lambda f: fallen("red-1")(f) + fallen("red-2")(f))
    )
    assert told["Red 1 and Red 2 are wiped out"] == percent(
        chance(ways, lambda f: fallen("red-1")(f) + fallen("red-2")(f) == max(lost))
    )


@pytest.mark.rule("fubar4/close.casualties")
def test_the_odds_of_wiping_out_a_unit_are_exact() -> None:
    state = battle(unit("blue", (10, 10), figures=2), unit("red", (10.75, 16), figures=1), unit("red", (40, 46)))
    table = play(state).activates("blue-1", dice=[6]).answers("assault", "red-1")
    charge = table.prompt.default
    assault = Picked("assault", (UnitNamed("red-1"),))
    ways = activated(state, assault, charge)
    assert odds(foreseen(table, charge))["Red 1 is wiped out"] == percent(
        chance(ways, lambda facts: fallen("red-1")(facts) == 1)
    )
    assert odds(foreseen(table, charge))["Expected losses of Red 1"] == tenth(mean(ways, fallen("red-1")))
