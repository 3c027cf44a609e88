"""Close assault: figures that see an enemy fight, figures in contact fall first, and no figure leaves the table."""

from __future__ import annotations

import pytest

from client_protocol.choices import PathsDeclared
from server.kernel.facts import ActivationEnded, Declared, FigureRearmed, FiguresFell, Rolled, UnitLeft, UnitMoved
from server.kernel.space.geometry import distance
from server.kernel.state import State
from server.rulesets.fad.allocation import least_worth
from server.rulesets.fad.charge import in_contact
from server.rulesets.fad.melee import DRAW, LOST, OVERRUN, WON, outcomes
from server.rulesets.fad.previews.choices import preview_assault
from server.rulesets.shared.distances import apart
from tests.rulesets.fad4.assaults import assault, charge, roll_of, score
from tests.rulesets.fad5.battlefield import battle, facing, fad5, vehicle
from tests.support.battlefield import BattleTable, figures, lines, paths, piece, play, shifted, unit

THREE = {"figures": 3}
LOST_BY_RED = [6, 1, 5, 1, *[1] * 6]
"""The dice of a fight of three against three that blue wins without a loss on either side."""


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


@pytest.mark.rule("fad5/move.coherency")
def test_a_squad_that_charges_keeps_its_coherency() -> None:
    table = assault(facing(9, blue=THREE))
    assert table.choice("charge").consequence == "The squad keeps its coherency, or comes as near to it as it can."
    assert table.refused("charge", paths(_1=[(6, 15)])).rule == "move.coherency"
    charge(table, [6, 1, 5, 1, *[1] * 9], paths(_1=[(6, 15)], _2=[(8.5, 12)], _3=[(8.5, 10)]))
    assert in_contact(table.state, "blue-1", "red-1")


@pytest.mark.rule("fad5/move.coherency")
def test_a_charge_that_cannot_keep_coherency_comes_as_near_to_it_as_it_can() -> None:
    # The second man has not the movement to come out of the swamp, and the first alone reaches the enemy.
    state = battle(
        unit("blue", [(6, 6), (10, 6)], quality="conscript"),
        unit("red", (6, 16), figures=3),
        terrain=[piece("swamp", (8, 0), (30, 14))],
    )
    table = assault(state)
    gap = table.path("charge").gap
    assert 3000 < gap < 4000
    assert table.refused("charge", paths(_1=[(6, 15)])).rule == "move.coherency-restore"
    charge(table, [6, 1, 5, 1, *[1] * 5])
    assert in_contact(table.state, "blue-1", "red-1")


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


@pytest.mark.rule("fad5/assault.contributing")
def test_a_vehicle_between_them_hides_figures_from_a_close_assault() -> None:
    # Red's third man stands behind a carrier.
    state = battle(
        unit("blue", (6, 6), figures=3),
        unit("red", [(6, 13), (8.5, 13), (26, 13)], quality="elite"),
        vehicle("red", (21, 12), hull=(24, 2), facing=90, id="carrier", weapons=[]),
    )
    table = charge(assault(state), [6, 6, 5, 1, *[3] * 3, *[1] * 2])
    assert len(roll_of(table, "kills", "red-1").faces) == 2


@pytest.mark.rule("fad5/assault.overrun")
@pytest.mark.parametrize(
    ("own", "other", "result"),
    [
        (8, 4, (WON, OVERRUN)),
        (9, 5, (WON, LOST)),
        (3, 0, (WON, OVERRUN)),
        (-1, 3, (OVERRUN, WON)),
        (0, -2, (WON, LOST)),
        (-3, -1, (LOST, WON)),
        (0, 0, (DRAW, DRAW)),
    ],
)
def test_a_score_of_twice_the_enemys_overruns_him_unless_neither_has_any(
    own: int, other: int, result: tuple[str, str]
) -> None:
    assert outcomes(fad5().rules, own, other) == result


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
    table = charge(assault(state), LOST_BY_RED).defaults()
    assert table.unit("red-1").strength == 3
    assert all(figure.at is not None for figure in table.unit("red-1").living.values())
    assert not [fact for fact in table.seen(FiguresFell) if fact.cause == "left_table"]


@pytest.mark.rule("fad5/morale.fall-back-direction")
@pytest.mark.parametrize(("setting", "offered"), [("stop", ["fall-back"]), ("leave", ["fall-back", "leave"])])
def test_the_loser_leaves_over_the_tables_edge_if_the_match_has_it_so(setting: str, offered: list[str]) -> None:
    sides = unit("blue", (6, 40), figures=3), unit("red", (6, 46.5), figures=3)
    table = charge(assault(battle(*sides, options={"fallback_off_table": setting})), LOST_BY_RED)
    assert table.offered == offered
    if setting == "leave":
        table.answers("leave")
        assert table.seen(UnitLeft) == [UnitLeft("red-1", "left_table", "assault.loser-falls-back")]
    roomy = battle(
        unit("blue", (6, 6), figures=3), unit("red", (6, 12.2), figures=3), options={"fallback_off_table": setting}
    )
    assert charge(assault(roomy), LOST_BY_RED).offered == ["fall-back"]


@pytest.mark.rule("fad5/assault.loser-falls-back")
def test_the_loser_draws_its_way_and_goes_the_whole_distance() -> None:
    table = fought(LOST_BY_RED, blue=THREE, red=THREE)
    assert (table.asked, table.prompt.rule) == ("red", "assault.loser-falls-back")
    short = table.refused("fall-back", shifted(table.state, "red-1", 0, 5.8))
    assert (short.code, short.rule) == ("path_end", "assault.loser-falls-back")
    assert table.refused("fall-back", shifted(table.state, "red-1", 0, 6.1)).code == "path_too_long"
    assert "clear of it" in table.refused("fall-back", shifted(table.state, "red-1", 0, 0.5)).sentence
    table.answers("fall-back", shifted(table.state, "red-1", 1, 5.9))
    (moved,) = [fact for fact in table.seen(UnitMoved) if fact.unit == "red-1"]
    assert (moved.manner, moved.rule) == ("fall-back", "assault.loser-falls-back")


@pytest.mark.rule("fad5/morale.fall-back-direction")
def test_the_loser_comes_at_no_point_nearer_to_the_enemy_that_it_fought() -> None:
    # Red's first man is in contact after the charge, and the second 2.5" off. He would go round the winner to its other side.
    state = battle(unit("blue", (6, 6), figures=1, armour="heavy-powered"), unit("red", [(6, 12), (9, 12)]))
    table = charge(assault(state), [6, 6, 1, 1, 1, 1, 1])
    passing = paths(_1=[(5, 12.2), (4.8, 10.4), (5.2, 7.3)], _2=[(7.2, 10.6), (7.4, 6.95)])
    assert table.refused("fall-back", passing).rule == "morale.fall-back-direction"


@pytest.mark.rule("fad5/morale.fall-back-no-assault")
def test_the_loser_keeps_an_inch_from_other_enemies() -> None:
    other = unit("blue", (6, 19.7), figures=3)
    table = charge(
        assault(battle(unit("blue", (6, 6), figures=3), unit("red", (6, 12.2), figures=3), other)), LOST_BY_RED
    )
    assert table.refused("fall-back", shifted(table.state, "red-1", 0, 5.99)).rule == "morale.fall-back-no-assault"
    table.defaults()
    assert apart(table.unit("red-1"), table.unit("blue-2")) >= 1000


@pytest.mark.rule("fad5/assault.loser-falls-back")
def test_markers_do_not_shorten_the_way_back_and_rough_ground_does() -> None:
    rough = [piece("rocks", (0, 13), (48, 30))]
    state = battle(unit("blue", (6, 6), figures=3), unit("red", (6, 12.2), figures=3, conditions=["under_fire"]))
    table = charge(assault(state), LOST_BY_RED).defaults()
    assert farthest(state, table, "red-1") == pytest.approx(6, abs=0.01)
    state = battle(unit("blue", (6, 6), figures=3), unit("red", (6, 12.2), figures=3), terrain=rough)
    table = charge(assault(state), LOST_BY_RED).defaults()
    assert 3 < farthest(state, table, "red-1") < 3.5, "0.8 inches in the open, and half of the rest"


@pytest.mark.rule("fad5/assault.loser-falls-back")
def test_the_loser_goes_around_what_is_in_its_way() -> None:
    wall = [piece("cliff", (4, 13.5), (8, 14))]
    state = battle(unit("blue", (6, 6), figures=1), unit("red", (6, 12), figures=1), terrain=wall)
    table = charge(assault(state), [4, 3, 1, 1]).defaults()
    (moved,) = [fact for fact in table.seen(UnitMoved) if fact.unit == "red-1"]
    at = table.unit("red-1").figures["1"].at
    assert len(moved.paths["1"]) > 1
    assert at is not None
    assert at[1] > 12_000


@pytest.mark.rule("fad5/assault.loser-falls-back")
def test_a_figure_that_cannot_get_clear_of_the_enemy_is_captured() -> None:
    # A niche in the rock, with the enemy in its mouth.
    walls = [piece("cliff", (4, 11), (5.4, 11), (5.4, 13), (6.6, 13), (6.6, 11), (8, 11), (8, 14), (4, 14))]
    state = battle(unit("blue", (6, 8), figures=1), unit("red", (6, 12.4), figures=1), terrain=walls)
    table = charge(assault(state), [4, 3, 1, 1])
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("1",), "captured", "assault.loser-falls-back")]
    assert table.unit("red-1").left
    told = fad5().story(state, FiguresFell("red-1", ("1",), "captured", "assault.loser-falls-back"))
    assert told is not None
    assert "is captured" in told.text


@pytest.mark.rule("fad5/assault.loser-falls-back")
@pytest.mark.rule("fad5/damage.last-figure-standard")
def test_of_a_cornered_rifleman_and_a_gunner_who_is_free_to_go_the_rifleman_is_captured() -> None:
    walls = [piece("cliff", (4, 11), (5.4, 11), (5.4, 13), (6.6, 13), (6.6, 11), (8, 11), (8, 14), (4, 14))]
    red = unit("red", [(9.5, 10), (6, 12.4)], support=["squad-automatic-weapon"])
    state = battle(unit("blue", (6, 8), figures=1, armour="battle-dress", quality="elite"), red, terrain=walls)
    table = charge(assault(state), [5, 6, 1, 1, 1], paths(_1=[(6, 11.4)]))
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("2",), "captured", "assault.loser-falls-back")]
    assert table.seen(FigureRearmed) == [FigureRearmed("red-1", "1", "", "damage.last-figure-standard")]
    assert (table.asked, table.offered) == ("red", ["fall-back"])


@pytest.mark.rule("fad5/assault.winner-stays")
def test_the_winner_stays_where_it_is() -> None:
    table = fought(LOST_BY_RED, blue=THREE, red=THREE).defaults()
    moves = [(fact.unit, fact.manner) for fact in table.seen(UnitMoved)]
    assert moves == [("blue-1", "charge"), ("red-1", "fall-back")]
    assert [fact.unit for fact in table.seen(ActivationEnded)] == ["blue-1"]


@pytest.mark.rule("fad5/assault.free-shot-losses")
def test_the_assault_fails_when_the_free_shot_kills_those_who_could_reach() -> None:
    # Of blue's two only the first is near enough. Of three hits the first kills it.
    state = battle(
        unit("blue", [(6, 6), (3.5, 3.5)]), unit("red", [(6, 15.9), (8.5, 15.9), (11, 15.9)], quality="elite")
    )
    table = play(state).activates("blue-1").answers("assault", "red-1")
    table.answers("free-shot", dice=[6, 1, 1, 6, 6, 6, 1, 1])
    assert table.unit("blue-1").strength == 1
    assert (table.asked, table.prompt.rule) == ("blue", "assault.free-shot-losses")
    assert ("falls-short", "assault.free-shot-losses") in [(one.action, one.rule) for one in table.seen(Declared)]
    assert table.refused("move", shifted(state, "blue-1", 0, 6.5)).code in {"figures", "path_too_long"}
    table.answers("move", PathsDeclared({"2": ((3_500, 9_400),)}))
    assert table.unit("blue-1").figures["2"].at == (3_500, 9_400)
    assert [fact.unit for fact in table.seen(ActivationEnded)] == ["blue-1"]


@pytest.mark.rule("fad5/assault.scope")
def test_only_a_squad_that_can_fight_assaults() -> None:
    options = {"pinning": "on"}
    pinned = play(facing(8, blue={"conditions": ["pinned"]}, options=options)).activates("blue-1")
    assert pinned.targets("assault") == {"red-1": "adv.pinning.no-assault"}
    fired = play(facing(8)).activates("blue-1").answers("fire-move", "red-1", dice=[1, 1, 1, 1])
    assert "assault" not in {choice.key for choice in fired.prompt.choices}
    broken = {"lost": 5, "resolve": "reluctant", "conditions": ["broken"]}
    back = play(facing(8, blue=broken)).activates("blue-1", dice=[4, 1, 1])
    assert "assault" not in {choice.key for choice in back.prompt.choices}


@pytest.mark.rule("fad5/assault.mod-powered")
@pytest.mark.rule("fad5/assault.powered-kill-dice")
def test_powered_armour_adds_three_for_either_side_and_rolls_two_kill_dice_a_figure() -> None:
    powered = {"armour": "light-powered", "figures": 3}
    table = fought([1, 1, 6, 2, *[1] * 6, *[1] * 3], blue=powered, red=THREE)
    assert score(table, "blue-1") == [
        ("assault.mod-charging", 1),
        ("assault.mod-better-armour", 1),
        ("assault.mod-powered", 3),
    ]
    assert (len(roll_of(table, "kills", "blue-1").faces), len(roll_of(table, "kills", "red-1").faces)) == (6, 3)
    both = fought([6, 1, 2, 1, *[1] * 6, *[1] * 6], blue=powered, red=powered | {"armour": "heavy-powered"})
    assert [("assault.mod-powered", 3) in score(both, unit) for unit in ("blue-1", "red-1")] == [True, True]


@pytest.mark.rule("fad5/assault.powered-deflect")
def test_powered_armour_undoes_kills_on_a_five_or_six_but_no_overrun() -> None:
    powered = {"armour": "light-powered", "figures": 3}
    # 1 + 5 against 6: a draw, which kills on 4+.
    table = fought([1, 1, 6, 2, *[1] * 6, 6, 6, 6, 4, 5, 6], blue=powered, red=THREE)
    deflect = roll_of(table, "deflect", "blue-1")
    assert (deflect.marks, deflect.rule) == (("fail", "pass", "pass"), "assault.powered-deflect")
    # 1 + 5 against 6 + 9: red is the loser, and blue's elite, more numerous, overruns it; its last blows are deflected too.
    elite = {"quality": "elite", "figures": 8, "armour": "light-powered"}
    over = fought([6, 6, 1, 1, 6, 6, 6, 5, 6, 1], blue=elite, red={"quality": "conscript", **powered}).defaults()
    assert over.unit("red-1").left == "destroyed"
    assert [(roll.unit, roll.marks) for roll in over.seen(Rolled) if roll.purpose == "deflect"] == [
        ("blue-1", ("pass", "pass", "fail"))
    ]


@pytest.mark.rule("fad5/assault.mod-traits")
def test_traits_count_once_for_the_squad_that_has_them_charging_or_charged() -> None:
    blue = {"traits": {"assault_troops": True, "shock_troops": True}, "figures": 3}
    table = fought([3, 1, 5, 1, *[1] * 6], blue=blue, red={"traits": {"weak": True}, "figures": 3})
    assert [amount for rule, amount in score(table, "blue-1") if rule == "assault.mod-traits"] == [2, 1]
    assert score(table, "red-1") == [("assault.mod-traits", -1)]


@pytest.mark.rule("fad5/assault.example")
def test_regulars_in_heavy_armour_beat_conscripts_as_the_text_works_it_out() -> None:
    blue = {"quality": "regular", "armour": "heavy", "figures": 6, "apart": 1.6}
    red = {"quality": "conscript", "armour": "light", "figures": 8, "apart": 1.2}
    # Six dice that kill on 3 and more, and eight that kill on 5 and more.
    table = fought([3, 5, 2, 4, 1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2], blue=blue, red=red)
    regulars, conscripts = roll_of(table, "assault", "blue-1"), roll_of(table, "assault", "red-1")
    assert lines(regulars.numbers[0]) == [
        ("assault.dice", 5),
        ("assault.mod-charging", 1),
        ("assault.mod-better-armour", 1),
        ("assault.mod-quality", 2),
    ]
    assert lines(conscripts.numbers[0]) == [("assault.dice", 4), ("assault.mod-outnumber", 2)]
    assert (regulars.outcome, conscripts.outcome) == ("9", "6")
    kills = {unit: roll_of(table, "kills", unit) for unit in ("blue-1", "red-1")}
    assert {unit: (len(roll.faces), lines(roll.numbers[0]), roll.outcome) for unit, roll in kills.items()} == {
        "blue-1": (6, [("assault.kill-dice", 3)], "4"),
        "red-1": (8, [("assault.kill-dice", 5)], "2"),
    }
    table.defaults().defaults()
    assert (table.unit("blue-1").strength, table.unit("red-1").strength) == (4, 4)
    back = [fact.unit for fact in table.seen(UnitMoved) if fact.manner == "fall-back"]
    assert back == ["red-1"], "no overrun: 9 is less than 12"


def farthest(start: State, table: BattleTable, unit: str) -> float:
    """Return how many inches the figure went that fell back farthest."""
    back = [fact for fact in table.seen(UnitMoved) if (fact.unit, fact.manner) == (unit, "fall-back")][-1]
    before = start.units[unit].figures
    return max(distance(before[key].at or (0, 0), path[-1]) for key, path in back.paths.items()) / 1000


@pytest.mark.rule("fad5/assault.contributing")
def test_the_preview_of_an_assault_says_which_figures_it_counts() -> None:
    told = preview_assault(fad5().rules, facing(6), "blue-1", "red-1")
    assert any("figures that do not see it do not fight" in note for note in told.notes)


@pytest.mark.rule("fad5/assault.losses")
def test_by_default_riflemen_fall_before_gunners_and_the_nearest_first() -> None:
    state = battle(
        unit("blue", (6, 6), figures=3, quality="elite"),
        unit("red", [(6, 20), (8.5, 15), (6, 14), (11, 13)], support=["", "", "", "squad-automatic-weapon"]),
    )
    fall = fad5().rules.chapters.fight.losses(fad5().rules, state, "red-1", "blue-1", 2)
    assert fall.choice == ("4", "3", "2", "1"), "the nearest first"
    assert least_worth(fad5().rules, state.units["red-1"], 2, fall.choice) == ("3", "2")


# --- special grenades -------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/grenade.scope")
@pytest.mark.rule("fad5/grenade.haze")
def test_a_free_shot_at_squads_with_haze_grenades_needs_a_passed_quality_test() -> None:
    state = facing(8, blue={**THREE, "traits": {"haze_grenades": True}}, red=THREE)
    blind = assault(state, shot=[2])
    assert (blind.rolled("haze").marks, blind.rolled("haze").rule) == (("fail",), "grenade.haze")
    assert blind.asked == "blue", "it charges without having been shot at"
    seen = assault(state, shot=[3, 1, 1, 6, 1])
    assert [fact.purpose for fact in seen.seen(Rolled)] == ["haze", "fire_effect", "armour", "damage"]


@pytest.mark.rule("fad5/grenade.defensive")
@pytest.mark.rule("fad5/grenade.jinx")
def test_grenades_add_to_the_total_of_those_who_are_charged_and_against_powered_armour() -> None:
    defensive = {**THREE, "traits": {"defensive_grenades": True}}
    table = fought([4, 1, 4, 2, *[1] * 6], blue=defensive, red=defensive)
    assert ("grenade.defensive", 1) in score(table, "red-1")
    assert "grenade.defensive" not in dict(score(table, "blue-1"))
    jinx = fought(
        [4, 1, 4, 1, *[6] * 3, *[1] * 6],
        blue={**THREE, "traits": {"jinx_grenades": True}},
        red={**THREE, "armour": "light-powered"},
    )
    assert ("grenade.jinx", 1) in score(jinx, "blue-1")
    assert "deflect" not in {roll.purpose for roll in jinx.seen(Rolled)}
