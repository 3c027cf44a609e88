"""An option of a match: one die of damage for all hits of a shot."""

from __future__ import annotations

from fractions import Fraction

import pytest

from server.kernel.facts import FiguresFell, Rolled
from server.kernel.state import State
from server.rulesets.fad.previews.choices import preview_shot
from server.rulesets.fad.previews.losses import losses
from server.rulesets.fad.shot import Shot, aim
from tests.support.battlefield import BattleTable, facing, fad4, lines, play, unit
from tests.support.lucky import luck_of

SQUAD = {"squad_damage": "on"}
SPARE = unit("red", (6, 44))


def damaged(state: State, *dice: int) -> tuple[BattleTable, Rolled]:
    """Return the table after blue-1's Open Fire at red-1, and its damage roll."""
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=dice)
    return table, table.rolled("squad_damage")


@pytest.mark.rule("fad4/damage.squad-based")
def test_the_rulebooks_example_saves_two_of_four_hits() -> None:
    # 12 points, four hits; the die of 2 and damage 2 are two points below heavy armour.
    state = facing(12, blue={"quality": "elite"}, red={"armour": "heavy"}, options=SQUAD)
    table, roll = damaged(state, 6, 1, 2)
    assert lines(roll.numbers[0]) == [("tech.weapon-tables", 2)]
    assert lines(roll.numbers[1]) == [("tech.personal-armour", 6)]
    assert (roll.marks, roll.outcome) == (("kill",), "4 2")
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("1", "2"), "fire", "damage.squad-based")]


@pytest.mark.rule("fad4/damage.squad-based")
def test_every_hit_kills_if_the_roll_reaches_the_armour() -> None:
    table, roll = damaged(facing(12, options=SQUAD), 1, 1, 2)
    assert roll.outcome == "2 2", "4 against light armour"
    assert table.unit("red-1").strength == 4


@pytest.mark.rule("fad4/damage.squad-based")
def test_no_figure_falls_if_the_armour_saves_every_hit() -> None:
    table, roll = damaged(facing(12, red={"armour": "breach"}, options=SQUAD), 1, 1, 1)
    assert (roll.marks, roll.outcome) == (("fail",), "2 0")
    assert table.seen(FiguresFell) == []


@pytest.mark.rule("fad4/damage.squad-based")
@pytest.mark.parametrize(
    ("blue", "dice", "rating"),
    [({"small_arm": "blaster"}, (1, 1), 6), ({"support": ["plasma-rifle"], "figures": 3}, (2, 1), 7)],
)
def test_only_a_basic_weapon_pierces_a_squads_armour(
    blue: dict[str, object], dice: tuple[int, int], rating: int
) -> None:
    _, roll = damaged(facing(12, blue=blue, red={"armour": "battle-dress"}, options=SQUAD), *dice, 1)
    assert roll.numbers[1].value == rating


@pytest.mark.rule("fad4/damage.squad-based")
def test_the_owner_picks_only_among_hits_that_kill() -> None:
    options = {**SQUAD, "hit_allocation": "owner"}
    state = facing(12, blue={"quality": "elite"}, red={"armour": "heavy"}, options=options)
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[6, 1, 2])
    assert table.prompt.title == "Red 1 takes 2 hits: choose who"


@pytest.mark.rule("fad4/damage.squad-based")
def test_a_preview_and_the_luck_report_know_the_one_die() -> None:
    start = facing(12, blue={"quality": "elite"}, red={"armour": "heavy"}, options=SQUAD)
    shot = aim(fad4().rules, start, "blue-1", "red-1")
    assert isinstance(shot, Shot)
    # The armour of 6 against 3 to 8: three, two, one and three times no point above.
    assert losses(fad4().rules, start, shot, 4) == {
        1: Fraction(1, 6),
        2: Fraction(1, 6),
        3: Fraction(1, 6),
        4: Fraction(1, 2),
    }
    told = preview_shot(fad4().rules, start, "blue-1", "red-1", open_fire=True)
    assert told is not None
    labels = [label for label, _ in told.numbers]
    assert "Damage (plus 1D6 for all hits)" in labels
    assert "Armour (each point above the damage saves a hit)" in labels
    table, _ = damaged(start, 6, 1, 2)
    luck = luck_of(fad4(), start, table.facts, "squad_damage", "blue-1")
    assert (luck.wanted, luck.fell, luck.better) == ("kills", 20_000, 6_667)
