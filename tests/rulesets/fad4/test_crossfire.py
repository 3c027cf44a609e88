"""An option of a match: a squad that two enemies far apart shoot at may be pinned."""

from __future__ import annotations

import pytest

from server.kernel.errors import RulesetError
from server.kernel.facts import Rolled
from server.kernel.state import State
from tests.support.battlefield import BattleTable, battle, fad4, play, unit, vehicle
from tests.support.lucky import luck_of
from tests.support.tabletop import Row, setup

ON = {"crossfire": "on"}
WEAK = {"figures": 2, "quality": "conscript"}
"""A shooter whose fire pins no squad."""


def between(apart: float, *more: Row, options: dict[str, str] | None = None, **target: object) -> State:
    """Return two weak shooters, `apart` inches from base edge to base edge, and the target north of them."""
    return battle(
        unit("blue", (6, 6), **WEAK),  # type: ignore[arg-type]  # as `unit` takes it
        unit("blue", (6 + 2.5 + 1 + apart, 6), **WEAK),  # type: ignore[arg-type]  # as `unit` takes it
        *more,
        unit("red", (9, 17), **target),  # type: ignore[arg-type]  # as `unit` takes it
        unit("red", (6, 44)),
        options=ON if options is None else options,
    )


def shot(table: BattleTable, shooter: str, *dice: int) -> BattleTable:
    """Let a unit open fire at red-1, then the next red unit hold."""
    return table.activates(shooter).opens_fire_at("red-1", dice=dice)


def both(state: State, *dice: int) -> BattleTable:
    """Return the table after blue-1 and blue-2 have shot at red-1 without a loss; `dice` follow the second shot."""
    table = shot(play(state), "blue-1", 1, 1, 1)
    table.activates("red-2").holds()
    return shot(table, "blue-2", 1, 1, *dice)


def crossfires(table: BattleTable) -> list[Rolled]:
    return [roll for roll in table.seen(Rolled) if roll.purpose == "crossfire"]


@pytest.mark.rule("fad4/underfire.crossfire")
def test_the_rulebooks_example_pins_a_regular_squad_with_one_pass() -> None:
    table = both(between(12), 1, 3, 2)
    (roll,) = crossfires(table)
    assert (roll.unit, roll.marks, roll.outcome) == ("red-1", ("fail", "pass", "fail"), "pinned")
    assert table.unit("red-1").conditions == ("pinned",)


@pytest.mark.rule("fad4/underfire.crossfire")
def test_a_squad_in_a_crossfire_that_passes_stays_under_fire() -> None:
    table = both(between(12), 1, 3, 4)
    assert crossfires(table)[0].outcome == "passed"
    assert table.unit("red-1").conditions == ("under_fire",)


@pytest.mark.rule("fad4/underfire.crossfire")
def test_two_shooters_less_than_12_inches_apart_make_no_crossfire() -> None:
    assert crossfires(both(between(11.9))) == []


@pytest.mark.rule("fad4/underfire.crossfire")
def test_there_is_no_crossfire_in_a_match_without_the_option() -> None:
    assert crossfires(both(between(12, options={}))) == []


@pytest.mark.rule("fad4/underfire.crossfire")
def test_a_squad_takes_the_test_once_a_turn() -> None:
    third = unit("blue", (30, 6), **WEAK)  # type: ignore[arg-type]  # as `unit` takes it
    table = both(between(12, third), 3, 3, 3)
    table.activates("red-1").holds()
    shot(table, "blue-3", 1, 1, 1, 6, 1)
    assert len(crossfires(table)) == 1


@pytest.mark.rule("fad4/underfire.crossfire")
def test_shots_of_an_earlier_turn_do_not_count() -> None:
    table = shot(play(between(12)), "blue-1", 1, 1, 1)
    table.activates("red-1").holds()
    table.activates("blue-2").holds()
    table.activates("red-2").holds(dice=[6, 1])
    assert crossfires(shot(table, "blue-2", 1, 1, 1)) == []


@pytest.mark.rule("fad4/underfire.crossfire")
def test_a_squad_that_is_pinned_takes_no_test() -> None:
    table = shot(play(between(12, conditions=["pinned"])), "blue-1", 1, 1)
    table.activates("red-2").holds()
    assert crossfires(shot(table, "blue-2", 1, 1)) == []


def test_the_log_and_the_luck_report_tell_of_a_crossfire() -> None:
    start = between(12)
    table = both(start, 1, 3, 2)
    (roll,) = crossfires(table)
    told = fad4().story(table.state, roll)
    assert told is not None
    assert (told.text, told.rule) == ("Red 1 is in a crossfire: 1 pass, it is Pinned.", "underfire.crossfire")
    luck = luck_of(fad4(), start, table.facts, "crossfire", "red-1")
    assert (luck.wanted, luck.expected, luck.fell) == ("passes", 20_000, 10_000)


@pytest.mark.parametrize(
    "note", ["yes", [1, ["red-1"]], [1, ["red-1", "blue-1", 4]], [1, ["red-1", "blue-1", "x", 2, 3]]]
)
def test_a_position_whose_shots_cannot_be_read_is_refused(note: object) -> None:
    units = (unit("blue", (6, 6)), unit("red", (6, 40)))
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    position = setup("fad4", units, (48, 48), 12, turn=turn, options=ON, book={"crossfire.shots": note})
    with pytest.raises(RulesetError, match=r"crossfire\.shots"):
        fad4().read(position)


@pytest.mark.rule("fad4/underfire.crossfire")
def test_vehicles_are_in_no_crossfire() -> None:
    ends = [unit("blue", (6, 6), figures=3), unit("blue", (40, 6), figures=3)]
    state = battle(*ends, vehicle("red", (24, 26), armour=(8, 8, 8)), unit("red", (24, 44)), options=ON)
    table = play(state).chance(1).activates("blue-1").answers("open-fire", "red-1")
    table.activates("red-2").holds().activates("blue-2").answers("open-fire", "red-1")
    assert "crossfire" not in [fact.purpose for fact in table.seen(Rolled)]
    assert table.unit("red-1").conditions == ("under_fire",)
