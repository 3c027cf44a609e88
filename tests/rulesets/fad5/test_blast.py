"""Weapons that blast in FAD 5: one ranging die, and a strike of two dice for each unit."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import PointTaken
from server.kernel.facts import ConditionGained, Rolled
from server.kernel.space.geometry import inches
from server.kernel.space.values import Hull
from server.kernel.state import State
from server.rulesets.fad.ranging import struck
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.support.battlefield import BattleTable, lines, play, unit
from tests.support.tabletop import Row


def targets(*more: Row) -> State:
    """Return a light mortar of conscripts, and six conscripts 24 inches north of it."""
    team = unit("blue", (10, 6), figures=3, quality="conscript", support=["light-mortar"])
    return battle(team, unit("red", (10, 30), quality="conscript"), *more)


def fired(state: State, x: float, y: float, *dice: int) -> BattleTable:
    return play(state).activates("blue-1").answers("blast", PointTaken((inches(x), inches(y))), dice=dice)


def strikes(table: BattleTable) -> list[Rolled]:
    return [roll for roll in table.seen(Rolled) if roll.purpose == "strike"]


@pytest.mark.rule("fad5/blast.ranging-in")
def test_one_die_ranges_in() -> None:
    missed = fired(targets(), 10, 30, 3)
    assert (missed.rolled("ranging").marks, missed.rolled("ranging").outcome) == (("fail",), "wasted")
    assert missed.seen(ConditionGained) == []
    assert fired(targets(), 10, 30, 4, 1, 1).rolled("ranging").outcome == "on-target"


@pytest.mark.rule("fad5/blast.strike-effect")
def test_the_strike_is_the_sum_of_two_dice_and_nothing_else() -> None:
    (strike,) = strikes(fired(targets(), 10, 30, 4, 1, 1))
    assert lines(strike.numbers[0]) == [("blast.strike-effect", 2)]
    assert strike.outcome == "red-1=0"


@pytest.mark.rule("fad5/blast.multiple-targets")
@pytest.mark.rule("fad5/blast.under-fire")
def test_each_unit_in_the_blast_is_struck_by_a_roll_of_its_own_and_under_fire() -> None:
    table = fired(targets(unit("blue", (10, 28), id="near")), 11.2, 29.5, 4, 1, 1, 1, 1)
    assert [(roll.target, roll.faces) for roll in strikes(table)] == [("red-1", (1, 1)), ("near", (1, 1))]
    assert table.seen(ConditionGained) == [
        ConditionGained(struck_unit, "under_fire", "blast.under-fire") for struck_unit in ("red-1", "near")
    ]


@pytest.mark.rule("fad5/blast.target-point")
def test_the_point_must_have_a_figure_of_a_permitted_target_near_it() -> None:
    table = play(targets()).activates("blue-1")
    refusal = table.refused("blast", PointTaken((inches(40), inches(30))))
    assert refusal.rule == "blast.target-point"


@pytest.mark.rule("fad5/blast.infantry-only")
def test_vehicles_in_the_blast_are_not_struck() -> None:
    state = targets()
    squad = state.units["red-1"]
    figure = replace(squad.figures["1"], hull=Hull(4_000, 2_000))
    assert struck(state.with_unit(replace(squad, figures={"1": figure})), (10_000, 30_000), 2_000) == []


def test_no_match_of_the_edition_scatters() -> None:
    assert "scatter" not in {option.id for option in fad5().info.options}
