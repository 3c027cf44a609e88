"""Close assault: figures that see an enemy fight, figures in contact fall first, and no figure leaves the table."""

from __future__ import annotations

import pytest

from server.kernel.facts import FiguresFell, UnitMoved
from server.rulesets.fad.previews.choices import preview_assault
from tests.rulesets.fad4.assaults import assault, charge, roll_of, score
from tests.rulesets.fad5.battlefield import battle, facing, fad5
from tests.support.battlefield import BattleTable, figures, lines, piece, play, unit

THREE = {"figures": 3}


def fought(dice: list[int], **sides: object) -> BattleTable:
    """Let blue-1 charge red-1 and fight with these dice: its score, red's, its kills, red's."""
    return charge(assault(facing(6, **sides)), dice)


@pytest.mark.rule("fad5/assault.declare")
@pytest.mark.rule("fad5/move.assault-move")
def test_an_assault_reaches_four_inches_farther_than_a_move() -> None:
    table = play(facing(10)).activates("blue-1")
    assert table.targets("assault") == {"red-1": ""}
    assert play(facing(10.1)).activates("blue-1").targets("assault") == {"red-1": "move.assault-move"}
    slow = play(facing(8.1, blue={"conditions": ["under_fire"]})).activates("blue-1")
    assert slow.targets("assault") == {"red-1": "move.assault-move"}


@pytest.mark.rule("fad5/assault.free-shot")
def test_a_free_shot_leaves_no_marker() -> None:
    table = assault(facing(8), shot=[1, 1, 6, 1])
    assert table.unit("blue-1").conditions == ()
    assert [choice.rule for choice in table.prompt.choices] == ["assault.declare"]


@pytest.mark.rule("fad5/assault.contributing")
def test_the_defenders_of_an_assault_are_not_moved() -> None:
    table = fought([3, 1, 5, 1, *[1] * 6], blue=THREE, red=THREE)
    assert [(fact.unit, fact.manner) for fact in table.seen(UnitMoved)] == [("blue-1", "charge")]


@pytest.mark.rule("fad5/assault.contributing")
@pytest.mark.rule("fad5/assault.kill-dice")
def test_only_figures_that_see_an_enemy_fight() -> None:
    # Red's third man stands behind a cliff: he sees no enemy, so he rolls no die, does not count and does not fall.
    state = battle(
        unit("blue", (6, 6), figures=3),
        unit("red", [(6, 13), (8.5, 13), (26, 13)], quality="elite"),
        terrain=[piece("cliff", (22, 0), (23, 30))],
    )
    table = charge(assault(state), [6, 6, 5, 1, *[3] * 3, *[1] * 2])
    assert len(roll_of(table, "kills", "red-1").faces) == 2
    assert ("assault.mod-outnumber", 1) in score(table, "blue-1")
    assert table.unit("red-1").figures["3"].fallen is False


@pytest.mark.rule("fad5/assault.dice")
@pytest.mark.rule("fad5/assault.modifier-table")
@pytest.mark.rule("fad5/assault.mod-charging")
@pytest.mark.rule("fad5/assault.mod-better-armour")
@pytest.mark.rule("fad5/assault.mod-outnumber")
@pytest.mark.rule("fad5/assault.mod-quality")
def test_every_assault_modifier_counts_for_the_side_that_it_favours() -> None:
    blue = {"quality": "elite", "armour": "heavy", "figures": 5}
    red = {"quality": "conscript", "figures": 4, "lost": 3}
    table = fought([2, 1, 6, *[1]], blue=blue, red=red)
    assert roll_of(table, "assault", "red-1").faces == (6,), "a single figure"
    assert score(table, "blue-1") == [
        ("assault.mod-charging", 1),
        ("assault.mod-better-armour", 1),
        ("assault.mod-outnumber", 4),
        ("assault.mod-quality", 4),
    ]


@pytest.mark.rule("fad5/assault.losses")
def test_figures_in_contact_fall_first() -> None:
    # Only red's first man is touched. Blue's 7 beats red's 5.
    state = battle(unit("blue", (6, 6), figures=3), unit("red", [(6, 13), (10, 13), (14, 13)]))
    one = charge(assault(state), [6, 1, 5, 1, 3, 1, 1, 1, 1, 1])
    assert one.seen(FiguresFell) == [FiguresFell("red-1", ("1",), "assault", "assault.losses")]
    two = charge(assault(state), [6, 1, 5, 1, 3, 3, 1, 1, 1, 1])
    assert (two.asked, two.prompt.rule) == ("red", "assault.losses")
    assert two.refused("losses", figures("1")).rule == "assault.losses"
    two.answers("losses", figures("3"))
    assert two.seen(FiguresFell) == [FiguresFell("red-1", ("1", "3"), "assault", "assault.losses")]


@pytest.mark.rule("fad5/assault.overrun")
@pytest.mark.rule("fad5/assault.overrun-last-blows")
def test_an_overrun_squad_is_wiped_out_after_it_rolls_its_kills() -> None:
    table = fought([6, 6, 1, 1, 1, 1, 1], blue={"figures": 3, "quality": "elite"}, red=THREE)
    fell = {fact.unit: fact for fact in table.seen(FiguresFell)}
    assert (len(fell["red-1"].figures), fell["red-1"].rule) == (3, "assault.overrun")
    assert roll_of(table, "kills", "red-1").rule == "assault.overrun-last-blows"
    assert lines(roll_of(table, "kills", "red-1").numbers[0]) == [("assault.overrun-last-blows", 6)]


@pytest.mark.rule("fad5/assault.draw-falls-back")
def test_after_a_draw_both_fall_back_the_attacker_first() -> None:
    # Blue's 4 and the charge are red's 5.
    table = fought([4, 1, 5, 1, *[1] * 6], blue=THREE, red=THREE).defaults().defaults()
    back = [fact for fact in table.seen(UnitMoved) if fact.manner == "fall-back"]
    assert [(fact.unit, fact.rule) for fact in back] == [
        ("blue-1", "assault.draw-falls-back"),
        ("red-1", "assault.draw-falls-back"),
    ]


@pytest.mark.rule("fad5/assault.mod-weapons")
def test_a_small_arm_helps_once_and_a_support_weapon_for_each_who_carries_one() -> None:
    blue = {"small_arm": "submachine-gun", "support": ["assault-shotgun"] * 2, "figures": 4}
    table = fought([3, 1, 5, 1, *[1] * 10], blue=blue)
    assert [amount for rule, amount in score(table, "blue-1") if rule == "assault.mod-weapons"] == [1, 1, 1]


@pytest.mark.rule("fad5/assault.loser-falls-back")
def test_the_loser_of_an_assault_stops_at_the_tables_edge() -> None:
    state = battle(unit("blue", (6, 40), figures=3), unit("red", (6, 46.5), figures=3))
    table = charge(assault(state), [6, 1, 5, 1, *[1] * 6]).defaults()
    assert table.unit("red-1").strength == 3
    assert all(figure.at is not None for figure in table.unit("red-1").living.values())
    assert not [fact for fact in table.seen(FiguresFell) if fact.cause == "left_table"]


@pytest.mark.rule("fad5/assault.contributing")
def test_the_preview_of_an_assault_says_which_figures_it_counts() -> None:
    told = preview_assault(fad5(), facing(6), "blue-1", "red-1")
    assert any("figures that do not see it do not fight" in note for note in told.notes)
