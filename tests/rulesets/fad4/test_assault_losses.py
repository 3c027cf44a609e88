"""The fight of a close assault: who wins, who is killed, and who picks the dead."""

from __future__ import annotations

import pytest

from server.kernel.facts import ConditionGained, FiguresFell, UnitLeft
from server.rulesets.fad.melee import DRAW, LOST, OVERRUN, WON, outcomes
from server.rulesets.fad.previews.choices import preview_assault
from tests.rulesets.fad4.assaults import assault, charge, roll_of, score
from tests.support.battlefield import BattleTable, facing, fad4, figures, lines, play

THREE = {"figures": 3}


def fought(dice: list[int], **sides: object) -> BattleTable:
    """Let blue-1 charge red-1 and fight with these dice: its score, red's, its kills, red's."""
    return charge(assault(facing(8, **sides)), dice)  # type: ignore[arg-type]  # as `facing` takes them


# --- who wins -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.victor-roll")
@pytest.mark.rule("fad4/assault.charging")
def test_a_squads_score_is_the_higher_of_two_dice_and_charging_adds_one() -> None:
    table = fought([2, 4, 3, 3, *[1] * 6], blue=THREE, red=THREE)
    own, other = roll_of(table, "assault", "blue-1"), roll_of(table, "assault", "red-1")
    assert (own.faces, own.marks, own.outcome) == ((2, 4), ("", "kept"), "5")
    assert (other.faces, other.marks, other.outcome) == ((3, 3), ("kept", ""), "3")
    assert score(table, "blue-1") == [("assault.charging", 1)]
    assert score(table, "red-1") == []


@pytest.mark.rule("fad4/assault.victor-roll")
def test_an_individual_rolls_one_die_and_a_squads_last_man_two() -> None:
    table = fought([4, 3, 1, 1, 1], blue={"figures": 1}, red={"figures": 4, "lost": 3})
    assert roll_of(table, "assault", "blue-1").faces == (4,)
    assert roll_of(table, "assault", "red-1").faces == (3, 1)


@pytest.mark.rule("fad4/assault.modifier-table")
@pytest.mark.rule("fad4/assault.better-armour")
@pytest.mark.rule("fad4/assault.outnumber")
@pytest.mark.rule("fad4/assault.quality")
def test_every_assault_modifier_counts_for_the_side_it_favours() -> None:
    blue = {"quality": "elite", "armour": "heavy", "figures": 5}
    red = {"quality": "conscript", "figures": 3}
    table = fought([1, 1, 6, 6, *[1] * 8], blue=blue, red=red)
    assert score(table, "blue-1") == [
        ("assault.charging", 1),
        ("assault.better-armour", 1),
        ("assault.outnumber", 2),
        ("assault.quality", 4),
    ]
    assert score(table, "red-1") == []


@pytest.mark.rule("fad4/assault.modifier-table")
def test_defenders_have_every_assault_modifier_except_charging() -> None:
    red = {"quality": "elite", "armour": "battle-dress", "figures": 4}
    table = fought([6, 6, 1, 1, *[1] * 7], blue=THREE, red=red)
    assert score(table, "red-1") == [
        ("assault.better-armour", 1),
        ("assault.outnumber", 1),
        ("assault.quality", 2),
    ]


@pytest.mark.rule("fad4/assault.modifier-table")
@pytest.mark.rule("fad4/assault.outnumber")
def test_numbers_in_an_assault_are_counted_after_the_free_shot() -> None:
    # Six against six; 4 + 1 + 2 = 7 is two hits, of which one kills.
    table = charge(assault(facing(8), shot=[4, 1, 2, 1]), [6, 1, 4, 1, *[1] * 11])
    assert table.seen(FiguresFell)[0].cause == "fire"
    assert score(table, "red-1") == [("assault.outnumber", 1)]


@pytest.mark.rule("fad4/tech.weapon-tables")
@pytest.mark.rule("fad4/tech.personal-armour")
def test_a_basic_weapons_assault_bonus_counts_once_and_a_support_weapons_for_each_carrier() -> None:
    blue = {"small_arm": "submachine-gun", "armour": "storm", "figures": 4}
    red = {"support": ["flame-thrower", "flame-thrower", "assault-shotgun"], "armour": "heavy", "figures": 4}
    table = fought([3, 1, 3, 1, *[1] * 8], blue=blue, red=red)
    assert score(table, "blue-1") == [
        ("assault.charging", 1),
        ("tech.weapon-tables", 1),
        ("tech.personal-armour", 1),
    ]
    assert score(table, "red-1") == [("tech.weapon-tables", 2), ("tech.weapon-tables", 2), ("tech.weapon-tables", 1)]


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_the_weapons_of_fallen_figures_give_no_assault_bonus() -> None:
    armed = {"support": ["flame-thrower", "flame-thrower"], "figures": 4}
    state = facing(8, blue=THREE, red=armed)
    state = FiguresFell("red-1", ("1",), "fire", "damage.infantry").fold(state)
    table = charge(assault(state), [3, 1, 3, 1, *[1] * 6])
    assert score(table, "red-1") == [("tech.weapon-tables", 2)]


@pytest.mark.rule("fad4/tech.weapon-tables")
@pytest.mark.rule("fad4/shoot.support-weapons")
def test_the_last_figure_of_a_squad_fights_with_its_basic_weapon() -> None:
    table = fought([3, 3, 3, 1, 1, 1], blue={"figures": 1, "support": ["flame-thrower"]}, red={"figures": 2})
    assert score(table, "blue-1") == [("assault.charging", 1)]


@pytest.mark.rule("fad4/tech.weapon-tables")
def test_the_preview_of_an_assault_counts_the_same_weapons_as_the_fight() -> None:
    table = play(facing(8, blue={"support": ["flame-thrower"] * 2, "figures": 3}, red=THREE)).activates("blue-1")
    told = fad4().keys.told(preview_assault(fad4().rules, table.state, "blue-1", "red-1"))
    assert lines(told.numbers[0][1]) == [
        ("assault.charging", 1),
        ("tech.weapon-tables", 2),
        ("tech.weapon-tables", 2),
    ]


@pytest.mark.rule("fad4/assault.overrun")
@pytest.mark.parametrize(
    ("own", "other", "result"),
    [
        (5, 5, (DRAW, DRAW)),
        (6, 5, (WON, LOST)),
        (5, 6, (LOST, WON)),
        (11, 6, (WON, LOST)),
        (12, 6, (WON, OVERRUN)),
        (6, 12, (OVERRUN, WON)),
        (1, 2, (OVERRUN, WON)),
    ],
)
def test_a_score_of_twice_the_enemys_is_an_overrun(own: int, other: int, result: tuple[str, str]) -> None:
    assert outcomes(fad4().rules, own, other) == result


# --- whom it kills --------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.kill-table")
def test_winners_of_an_assault_kill_on_three_and_losers_on_five() -> None:
    # 6 + 1 for charging against 3 + 2 for two more men
    winners, losers = [1, 3, 3, 5, 2, 6], [5, 1, 2, 6, 3, 3, 4, 1]
    table = fought([6, 1, 3, 1, *winners, *losers], red={"figures": 8})
    won, lost = roll_of(table, "kills", "blue-1"), roll_of(table, "kills", "red-1")
    assert (won.numbers[0].value, won.marks.count("kill"), won.outcome) == (3, 4, "4")
    assert (lost.numbers[0].value, lost.marks.count("kill"), lost.outcome) == (5, 2, "2")


@pytest.mark.rule("fad4/assault.kill-table")
def test_after_a_drawn_assault_both_sides_kill_on_four() -> None:
    table = fought([4, 1, 5, 1, 3, 4, 5, 4, 3, 3], blue=THREE, red=THREE)
    own, other = roll_of(table, "kills", "blue-1"), roll_of(table, "kills", "red-1")
    assert (own.numbers[0].value, own.outcome) == (4, "2")
    assert (other.numbers[0].value, other.outcome) == (4, "1")


@pytest.mark.rule("fad4/assault.kill-table")
def test_every_figure_alive_after_the_scores_rolls_and_surplus_kills_are_lost() -> None:
    # All three of each side kill: the dead of both sides rolled too.
    table = fought([4, 1, 5, 1, *[6] * 3, *[6] * 5], blue=THREE, red={"figures": 5, "quality": "conscript"})
    assert roll_of(table, "assault", "blue-1").outcome == roll_of(table, "assault", "red-1").outcome == "7"
    assert roll_of(table, "kills", "red-1").outcome == "3"
    assert roll_of(table, "kills", "blue-1").outcome == "3"
    table.answers("losses", figures("1", "2", "3"))
    assert (table.unit("blue-1").left, table.unit("red-1").strength) == ("destroyed", 2)


@pytest.mark.rule("fad4/assault.kill-table")
def test_armour_does_not_save_in_a_close_assault() -> None:
    red = {"figures": 3, "armour": "breach"}
    table = fought([6, 1, 4, 1, 3, 3, 3, *[1] * 3], blue=THREE, red=red)
    assert table.unit("red-1").left == "destroyed"
    fallen = table.seen(FiguresFell)
    assert [(fact.unit, fact.cause, fact.rule) for fact in fallen] == [("red-1", "assault", "assault.kill-table")]


@pytest.mark.rule("fad4/assault.overrun")
def test_an_overrun_squad_is_wiped_out_and_kills_only_on_six() -> None:
    # 6 + 1 + 1 for one more man against 4
    blue, red = {"figures": 5}, {"figures": 4}
    table = fought([6, 5, 4, 4, 6, 5, 4, 5], blue=blue, red=red)
    assert roll_of(table, "assault", "blue-1").outcome == "8"
    assert roll_of(table, "assault", "red-1").outcome == "4"
    kills = roll_of(table, "kills", "red-1")
    assert (kills.rule, kills.numbers[0].value, kills.outcome) == ("assault.overrun", 6, "1")
    assert table.asked == "blue"
    table.answers("losses", figures("2"))
    assert [(fact.unit, fact.figures, fact.rule) for fact in table.seen(FiguresFell)] == [
        ("red-1", ("1", "2", "3", "4"), "assault.overrun"),
        ("blue-1", ("2",), "assault.select-losses"),
    ]
    assert [(fact.unit, fact.reason) for fact in table.seen(UnitLeft)] == [("red-1", "destroyed")]


@pytest.mark.rule("fad4/assault.overrun")
def test_attackers_can_be_overrun() -> None:
    table = fought([1, 1, 4, 1, 6, 1, 1], blue=THREE, red=THREE)
    assert roll_of(table, "kills", "blue-1").numbers[0].value == 6
    table.answers("losses", figures("1"))
    assert table.unit("blue-1").left == "destroyed"


# --- who picks the dead ---------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/assault.select-losses")
def test_both_owners_pick_their_losses_at_once_and_unseen() -> None:
    squad = {"figures": 4, "support": ["squad-automatic-weapon"], "leader": True}
    table = fought([4, 1, 5, 1, *[4, 4, 1, 1], *[4, 1, 1, 1]], blue=squad, red=squad)
    assert list(table.prompts) == ["red", "blue"]
    table.answers("losses", figures("1"), seat="blue")
    assert table.seen(FiguresFell) == []
    table.answers("losses", figures("2", "4"), seat="red")
    assert {fact.unit: fact.figures for fact in table.seen(FiguresFell)} == {"red-1": ("2", "4"), "blue-1": ("1",)}


@pytest.mark.rule("fad4/assault.select-losses")
def test_an_owner_must_pick_exactly_the_lost_number_of_living_figures() -> None:
    table = fought([6, 1, 4, 1, *[3, 3, 1], *[1] * 4], blue=THREE, red={"figures": 5, "lost": 1})
    assert table.refused("losses", figures("1")).code == "figures"
    assert table.refused("losses", figures("1", "2", "3")).code == "figures"
    assert table.refused("losses", figures("1", "5")).code == "figures"


@pytest.mark.rule("fad4/assault.select-losses")
@pytest.mark.parametrize(("kills", "fallen"), [(1, ("3",)), (2, ("3", "4")), (3, ("3", "4", "2")), (4, ())])
def test_by_default_riflemen_fall_first_then_gunners_and_the_leader_last(kills: int, fallen: tuple[str, ...]) -> None:
    squad = {"figures": 5, "support": ["squad-automatic-weapon"], "leader": True, "lost": 1}
    table = fought([6, 1, 4, 1, *[3] * kills, *[1] * (4 - kills), *[1] * 4], blue={"figures": 4}, red=squad)
    if fallen:
        (value,) = table.prompt.default.values
        assert value == figures(*fallen)
    else:
        assert table.unit("red-1").left == "destroyed", "there is nothing to pick"


@pytest.mark.rule("fad4/assault.no-markers")
def test_a_close_assault_leaves_no_markers() -> None:
    table = fought([4, 1, 3, 2, *[1] * 12]).defaults()
    assert table.seen(ConditionGained) == []
