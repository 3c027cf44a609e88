"""Who is hit, who falls, and what the options make of damage."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import pytest

from client_protocol.choices import FiguresParameter, Picked, UnitNamed
from server.kernel.errors import RulesetError
from server.kernel.facts import FigureRearmed, FiguresFell, Rolled
from server.kernel.state import State
from server.rulesets.fad.fad5.anti_tank import ratings
from server.rulesets.fad.fad5.fire import FIRE
from server.rulesets.fad.previews.losses import losses
from server.rulesets.fad.shooting import FireEffect
from server.rulesets.fad.shot import Shot, aim
from tests.rulesets.fad5.battlefield import battle, effect, facing, fad5, roll_of, shot, value_of, vehicle
from tests.support.battlefield import figures, lines, piece, play, unit
from tests.support.lucky import luck_of
from tests.support.tabletop import Row

SAW = "squad-automatic-weapon"
SPARE = unit("red", (30, 40), id="spare")
TWO_HITS = [5, 1]
"""Fire Effect dice of six Regular rifles at close range: 5 + 1 + 2 points are two hits in the open."""


def fell(state: State, dice: list[int]) -> list[FiguresFell]:
    return shot(state, dice).seen(FiguresFell)


def aimed(state: State) -> Shot:
    found = aim(fad5().rules, state, "blue-1", "red-1")
    assert isinstance(found, Shot)
    return found


# --- who is hit -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/damage.allocate-random")
def test_a_die_is_rolled_for_each_hit_and_the_same_figure_may_be_drawn_again() -> None:
    state = facing(12, others=[SPARE], options={"hit_allocation": "random"})
    # Of six figures the fourth is drawn, and again; its second hit is lost.
    table = shot(state, [*TWO_HITS, 4, 4, 1, 1, 6, 6])
    draws = [(roll.rule, roll.sides, roll.outcome) for roll in table.seen(Rolled) if roll.purpose == "allocation"]
    assert draws == [("damage.allocate-random", 6, "4")] * 2
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("4",), "fire", "damage.infantry")]


@pytest.mark.rule("fad5/damage.allocate-random")
def test_the_odds_of_hits_at_random_count_those_on_figures_that_have_fallen() -> None:
    # Two hits, each of which kills with 26/36 (2 + 1D6 against 1D6): they fall on different figures of two half of the time.
    state = facing(12, red={"figures": 2}, options={"hit_allocation": "random"})
    kills = Fraction(30, 36)
    spread = losses(fad5().rules, state, aimed(state), 2)
    assert spread[2] == kills * kills / 2
    assert spread[0] == (1 - kills) ** 2
    assert sum(spread.values()) == 1


@pytest.mark.rule("fad5/damage.allocate-owner")
def test_the_owner_of_the_target_allocates_hits_and_gives_up_the_closest_by_default() -> None:
    # The closest figure leads; the owner of a FAD 4 squad would give him up last.
    state = facing(12, red={"leader": True, "figures": 3}, others=[SPARE], options={"hit_allocation": "owner"})
    asked = play(state).activates("blue-1").answers("fire-move", "red-1", dice=TWO_HITS)
    (parameter,) = asked.choice("allocate").parameters
    assert isinstance(parameter, FiguresParameter)
    assert (asked.asked, parameter.figures, parameter.least, parameter.most) == ("red", ("1", "2", "3"), 2, 2)
    assert asked.prompt.default.values == (figures("1", "2"),)
    asked.answers("allocate", figures("2", "3"), dice=[1, 1, 6, 6])
    assert asked.seen(FiguresFell) == [FiguresFell("red-1", ("2", "3"), "fire", "damage.infantry")]


# --- the last rifleman ----------------------------------------------------------------------------------------------


def gunners(*places: tuple[float, float], rifles: int = 1) -> Row:
    """Return red gunners at the last of these places, and riflemen at the first ones."""
    support = [SAW] * (len(places) - rifles)
    return unit("red", [*places[rifles:], *places[:rifles]], support=support)


@pytest.mark.rule("fad5/damage.last-figure-standard")
def test_the_gunner_nearest_to_the_last_rifleman_falls_in_his_place() -> None:
    # The rifleman, figure 3, stands nearest to the shooters; gunner 2 stands nearer to him than gunner 1.
    red = gunners((14, 20), (4, 20), (10, 20))
    blue = unit("blue", (14, 6), figures=3)
    table = shot(battle(blue, red, SPARE), [1, 1, 1, 6])
    rule = "damage.last-figure-standard"
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("2",), "fire", rule)]
    assert table.seen(FigureRearmed) == []
    assert set(table.unit("red-1").living) == {"1", "3"}
    story = fad5().story(battle(blue, red, SPARE), table.seen(FiguresFell)[0])
    assert story is not None
    assert story.text == "A gunner of Red 1 falls in the place of its last rifleman; 2 left."


@pytest.mark.rule("fad5/damage.last-figure-standard")
def test_of_two_rifles_and_a_launcher_with_two_losses_one_rifle_is_left() -> None:
    # Figures 2 and 3 carry rifles and stand nearest; the launcher, figure 1, falls in the place of the second of them.
    red = unit("red", [(6, 22), (6, 20), (8.5, 20)], support=["grenade-launcher"])
    table = shot(battle(unit("blue", (6, 6)), red, SPARE), [*TWO_HITS, 1, 1, 6, 6])
    assert [(fact.figures, fact.rule) for fact in table.seen(FiguresFell)] == [
        (("2",), "damage.infantry"),
        (("1",), "damage.last-figure-standard"),
    ]
    assert set(table.unit("red-1").living) == {"3"}


@pytest.mark.rule("fad5/shoot.support-crew")
@pytest.mark.rule("fad5/shoot.one-weapon-per-figure")
def test_support_weapons_are_used_only_while_a_rifleman_is_left() -> None:
    state = battle(unit("blue", [(6, 6), (8.5, 6), (11, 6)], support=[SAW] * 3), unit("red", (6, 20)))
    assert lines(fad5().rules.advisers.answer(state, FireEffect(aimed(state)))) == [("fire.shooter-regular", 1)]
    assert effect(state, [1, 1]) == [("shoot.mod-shooter-quality", 1)]
    one = battle(unit("blue", [(6, 6), (8.5, 6), (11, 6)], support=[SAW] * 2), unit("red", (6, 20)))
    assert [amount for _, amount in lines(fad5().rules.advisers.answer(one, FireEffect(aimed(one))))] == [1, 2, 2]
    # He need not see the target himself.
    cliff = piece("cliff", (9.5, 7), (13, 8))
    blind = battle(
        unit("blue", [(6, 6), (8.5, 6), (11, 6)], support=[SAW] * 2), unit("red", (6, 12), figures=1), terrain=[cliff]
    )
    assert "3" not in aimed(blind).firing
    assert len(aimed(blind).supporting) == 2


@pytest.mark.rule("fad5/damage.last-figure-standard")
@pytest.mark.rule("fad5/shoot.squad-vs-vehicle")
def test_of_a_squad_that_a_position_gives_gunners_alone_one_fires_a_small_arm() -> None:
    gunners = unit("blue", [(6, 6), (8.5, 6), (11, 6)], support=[SAW] * 3, small_arm="gauss-rifle")
    state = battle(gunners, vehicle("red", (6, 14)))
    assert FIRE.riflemen(fad5().rules, state, aimed(state)) == 1
    rifle = fad5().book.small_arms["gauss-rifle"].anti_tank
    assert [rating.value for rating in ratings(fad5().rules, state, aimed(state), 2)] == [rifle, rifle]


# --- damage ---------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/damage.wound-without-module")
@pytest.mark.parametrize("over", [0, 2, 3])
def test_without_wounds_a_figure_falls_however_narrowly_it_was_hit(over: int) -> None:
    # The attack has 2 + the die; the defence 0 + 2.
    assert fell(facing(12, red={"armour": "light"}, others=[SPARE]), [1, 1, 2, max(1, over)]) != []
    table = shot(facing(12, red={"armour": "improved"}, others=[SPARE]), [1, 1, 6, 5])
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("1",), "fire", "damage.infantry")]


@pytest.mark.rule("fad5/damage.passive")
def test_passive_armour_counts_as_having_rolled_three() -> None:
    state = facing(12, red={"armour": "improved"}, others=[SPARE], options={"damage_mode": "passive"})
    # Attack 2 + 1 and 2 + 2, against 3 + 1: no die of the defender falls.
    table = shot(state, [*TWO_HITS, 1, 2])
    damage = table.rolled("damage")
    assert damage.marks == ("fail", "kill")
    assert lines(damage.numbers[1]) == [("armour.table", 1), ("damage.passive", 3)]
    assert [roll for roll in table.seen(Rolled) if roll.purpose == "armour"] == []
    told = fad5().preview(state, play(state).activates("blue-1").prompt, Picked("fire-move", (UnitNamed("red-1"),)))
    assert told is not None
    assert dict(told.numbers)["Armour to reach"].value == 4
    assert losses(fad5().rules, state, aimed(state), 1)[1] == Fraction(5, 6)
    lucky = luck_of(fad5(), state, table.facts, "damage")
    # In ten thousandths: two dice, each of which kills with 5/6.
    assert lucky.expected == 16_667
    assert "Improved" in next(row.value for row in fad5().card(state, state.units["red-1"]) if row.label == "Armour")


@pytest.mark.rule("fad5/damage.squad-based")
def test_one_roll_of_damage_and_one_of_armour_count_for_the_squad() -> None:
    state = facing(12, red={"armour": "improved"}, others=[SPARE], options={"damage_mode": "squad"})
    # The attack is 2 + 2, the defence 1 + 4: one of the two hits is saved, that on the closest figure.
    table = shot(state, [*TWO_HITS, 4, 2])
    damage = table.rolled("squad_damage")
    assert (damage.rule, damage.outcome) == ("damage.squad-based", "2 1")
    assert roll_of(table, "armour", "red-1").faces == (4,)
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("2",), "fire", "damage.squad-based")]
    story = fad5().story(state, damage)
    assert story is not None
    assert story.text == "Damage 1D6 +2 against armour 1D6 +1, once for all: 1 of 2 hits on Red 1 saved."


@pytest.mark.rule("fad5/damage.squad-based")
def test_the_odds_of_squad_damage_count_both_dice() -> None:
    state = facing(12, red={"armour": "improved"}, options={"damage_mode": "squad"})
    spread = losses(fad5().rules, state, aimed(state), 2)
    # The defence is above the attack by its die - the other die - 1: by nothing in 21 + 5 of 36, by one in 4, by more in 6.
    assert spread == {2: Fraction(26, 36), 1: Fraction(4, 36), 0: Fraction(6, 36)}
    lucky = fad5().luck(state, shot(state, [*TWO_HITS, 4, 2]).rolled("squad_damage"))
    assert len(lucky) == 1


@pytest.mark.rule("fad5/shoot.mixed-weapons-range")
def test_a_squad_with_two_kinds_of_small_arms_is_refused() -> None:
    sentence = "all figures of a squad carry its one small arm, and none has submachine guns besides"
    with pytest.raises(RulesetError, match=sentence):
        battle(unit("blue", (6, 6), support=["submachine-gun"]), unit("red", (6, 20)))


MIXED = {"mixed_small_arms": "on"}


def mixed(apart: float, arms: Sequence[str] = ("submachine-gun",), **more: object) -> State:
    """Return conscripts with assault rifles, of whom some have other small arms, and red so far away."""
    blue = unit("blue", (6, 6), figures=6, quality="conscript", small_arm="assault-rifle", support=list(arms))
    return battle(blue, unit("red", (6, 7 + apart), figures=6), options=MIXED, **more)


@pytest.mark.rule("fad5/shoot.mixed-weapons-range")
def test_the_worst_range_and_the_worst_damage_of_those_that_fire_count() -> None:
    # Conscripts: x5 for rifles, close up to 15 inches; x2 for submachine guns, close up to 6 and medium up to 12.
    table = shot(mixed(10), [6, 5, 3, 3, 3, 3])
    fire, wound = table.fire_effect, table.rolled("damage")
    assert ("shoot.mod-range", -2) in lines(fire)
    assert ("shoot.mod-small-arms", 2) in lines(fire)
    assert lines(wound.numbers[0]) == [("shoot.mixed-weapons-range", 1)]
    assert wound.numbers[0].lines[0].reason == "Submachine guns and assault rifles"
    alike = shot(mixed(10, ["assault-rifle"]), [6, 5, 3, 3, 3, 3])
    assert ("shoot.mod-range", -2) not in lines(alike.fire_effect)
    assert lines(alike.rolled("damage").numbers[0]) == [("weapon.small-arms", 2)]


@pytest.mark.rule("fad5/shoot.mixed-weapons-range")
def test_small_arms_of_those_who_do_not_see_the_target_do_not_count() -> None:
    # The first figure has the submachine gun, and a rock before it.
    table = shot(mixed(10, terrain=[piece("cliff", (3, 6.8), (7.7, 7.2))]), [6, 5, 3, 3, 3, 3])
    assert ("shoot.mod-range", -2) not in lines(table.fire_effect)
    assert lines(table.rolled("damage").numbers[0]) == [("weapon.small-arms", 2)]


@pytest.mark.rule("fad5/shoot.mixed-weapons-range")
def test_a_figure_shows_its_own_small_arm_and_the_card_of_its_squad_the_worst() -> None:
    state = mixed(10)
    assert fad5().gear(state.units["blue-1"], state.units["blue-1"].figures["1"]).words == "Submachine guns"
    told = {line.label: line.value for line in fad5().card(state, state.units["blue-1"])}
    assert told["Weapon"] == "Submachine guns and assault rifles, damage +1"


# --- scattered fire -------------------------------------------------------------------------------------------------


def scattered(apart: float = 9, **options: str) -> State:
    return facing(apart, blue={"scattered_fire": True, "support": [SAW]}, others=[SPARE], options=options)


@pytest.mark.rule("fad5/shoot.scattered-fire")
def test_scattered_fire_hits_on_sixes_and_marks_only_whom_it_hits() -> None:
    missed = shot(scattered(), [5, 5])
    assert (missed.rolled("scattered_fire").outcome, missed.unit("red-1").conditions) == ("0", ())
    table = shot(scattered(), [6, 2, 1, 6])
    roll = table.rolled("scattered_fire")
    assert (roll.rule, roll.marks, roll.outcome) == ("shoot.scattered-fire", ("hit", "fail"), "1")
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("1",), "fire", "damage.infantry")]
    assert table.unit("red-1").conditions == ("under_fire",)
    story = fad5().story(scattered(), roll)
    assert story is not None
    assert story.text == "Scattered fire at Red 1: 1 hit."
    (luck,) = fad5().luck(scattered(), roll)
    assert luck.side == "blue"


@pytest.mark.rule("fad5/shoot.scattered-fire")
def test_scattered_fire_reaches_ten_inches_and_cover_does_not_count() -> None:
    table = play(scattered(10)).activates("blue-1")
    assert table.targets("fire-move")["red-1"] == ""
    told = fad5().preview(scattered(10), table.prompt, Picked("fire-move", (UnitNamed("red-1"),)))
    assert told is not None
    assert (told.dice, told.chances[0].value) == ("2D6, each hits on 6", "0.3")
    assert play(scattered(10.1)).activates("blue-1").targets("fire-move")["red-1"] == "shoot.range-bands"
    ruin = facing(9, blue={"scattered_fire": True}, others=[SPARE], terrain=[piece("ruin", (0, 14), (30, 20))])
    assert shot(ruin, [6, 2, 1, 6]).rolled("scattered_fire").outcome == "1"


@pytest.mark.rule("fad5/shoot.scattered-fire")
def test_a_unit_with_scattered_fire_fires_no_blasts() -> None:
    own = unit("blue", (6, 6), figures=3, support=["light-mortar"], scattered_fire=True)
    table = play(battle(own, unit("red", (6, 14)))).activates("blue-1")
    why = table.barred("blast")
    assert why is not None
    assert why.rule == "shoot.scattered-fire"


# --- traits, snipers, weapon teams ----------------------------------------------------------------------------------


@pytest.mark.rule("fad5/shoot.mod-traits")
def test_traits_of_the_target_add_to_the_fire_effect() -> None:
    state = facing(12, red={"non_combatant": True, "armour": "breach"}, others=[SPARE])
    assert value_of(shot(state, [1, 1, 6, 1, 6, 1]).fire_effect, "shoot.mod-non-combatant") == 2


@pytest.mark.rule("fad5/shoot.mod-concealed-sniper")
@pytest.mark.rule("fad5/shoot.independents")
def test_a_sniper_is_concealed_until_it_moves_and_is_a_unit_of_its_own() -> None:
    sniper = unit("red", (6, 20), figures=1, id="sniper", sniper=True, small_arm="sniper-rifle", armour="breach")
    state = battle(unit("blue", (6, 6)), unit("blue", (30, 6), id="other"), sniper, options={"snipers": "on"})
    table = play(state).activates("blue-1").fires_at("sniper", [1, 1])
    assert value_of(table.fire_effect, "shoot.mod-concealed-sniper") == -2
    table.activates("sniper").moves(0, 3).activates("other").answers("fire-move", "sniper", dice=[1, 1])
    assert value_of(table.fire_effect, "shoot.mod-concealed-sniper") == 0


@pytest.mark.rule("fad5/shoot.mod-heavy-weapon")
@pytest.mark.rule("fad5/shoot.independents")
def test_a_weapon_team_fires_by_itself_with_one_die_and_its_heavy_weapon() -> None:
    team = unit("blue", (6, 6), figures=3, apart=1.5, support=["machine-gun"], weapon_team=True)
    state = battle(team, unit("blue", (20, 6), id="squad"), unit("red", (6, 20), armour="breach"))
    table = play(state).activates("blue-1").answers("fire-move", "red-1", dice=[1, 6, 1])
    assert len(table.rolled("fire_effect").faces) == 1
    assert lines(table.fire_effect)[1:] == [("shoot.mod-shooter-quality", 1), ("shoot.mod-heavy-weapon", 3)]
    assert "activate" not in table.offered, "it fires in its own activation"
