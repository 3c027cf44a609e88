"""A module of a match: damage that barely takes a figure out only wounds it, and its squad can treat or carry it."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import Picked
from server.kernel.errors import RulesetError
from server.kernel.facts import (
    ConditionGained,
    FiguresCarried,
    FiguresFell,
    FiguresGained,
    FiguresLost,
    FiguresRose,
    Rolled,
)
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fad.morale import casualties_break
from tests.support.battlefield import (
    BattleTable,
    battle,
    facing,
    fad4,
    figures,
    lines,
    paths,
    piece,
    play,
    shifted,
    unit,
)
from tests.support.lucky import luck_of
from tests.support.tabletop import Place, Row

ON = {"recover_wounded": "on"}
RULE = "setup.advanced-modules.recover-wounded"
SQUAD: tuple[Place, ...] = tuple((6 + 2.5 * i, 6) for i in range(6))


def lying(
    marked: dict[str, str], places: Sequence[Place] = SQUAD, roles: dict[str, str] | None = None, **other: object
) -> Row:
    """Return a blue squad of which the figures in `marked` lie on the table, each with its marker ("" for the dead)."""
    own = [
        {"id": str(i), "at": at, "role": (roles or {}).get(str(i), ""), "fallen": str(i) in marked}
        | ({"conditions": [marked[str(i)]]} if marked.get(str(i)) else {})
        for i, at in enumerate(places, 1)
    ]
    return {**unit("blue", (6, 6), **other), "figures": own}  # type: ignore[arg-type]  # as `unit` takes it


def match(blue: Row, *more: Row, **options: str) -> State:
    return battle(blue, *(more or (unit("red", (6, 40)),)), options={**ON, **options})


def treats(state: State, *patients: str, dice: Sequence[int]) -> BattleTable:
    table = play(state).activates("blue-1").answers("command")
    return table.answers("recover-wounded", figures(*patients), dice=dice)


def conditions(table: BattleTable, figure: str, squad: str = "blue-1") -> tuple[str, ...]:
    return table.unit(squad).figures[figure].conditions


# --- wounding -------------------------------------------------------------------------------------------------------


def shot(*damage: int, options: dict[str, str] | None = None, **red: object) -> BattleTable:
    """Return the table after a shot with 3 hits: Fire Effect 6 + 1 + 2 + 2 in the open at 10 inches, damage +2 against 4."""
    state = facing(10, red=red, options=ON if options is None else options)
    return play(state).activates("blue-1").opens_fire_at("red-1", dice=[6, 1, *damage])


@pytest.mark.rule("fad4/damage.infantry")
def test_a_margin_of_0_to_2_wounds_and_one_of_3_kills() -> None:
    table = shot(2, 4, 5)
    (fell,) = table.seen(FiguresFell)
    assert fell.figures == ("1", "2", "3")
    assert [fact for fact in table.seen(FiguresGained) if fact.condition == "wounded"] == [
        FiguresGained("red-1", ("1", "2"), "wounded", "damage.infantry")
    ]


@pytest.mark.rule("fad4/damage.infantry")
def test_without_the_module_damage_leaves_no_wounded() -> None:
    assert shot(2, 2, 2, options={}).seen(FiguresGained) == []


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_second_wound_in_the_same_shot_kills() -> None:
    # Two of three figures are in sight, so that the nearest one takes two of the three hits.
    seen: list[Place] = [(6, 17), (8.5, 17), (40, 17)]
    state = battle(
        unit("blue", (6, 6)),
        unit("red", seen),
        terrain=[piece("cliff", (36, 8), (44, 14)), piece("cliff", (24, 8), (36, 14), id="west-cliff")],
        options=ON,
    )
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[6, 1, 2, 2, 2])
    (fell,) = table.seen(FiguresFell)
    assert fell.figures == ("1", "2")
    assert [fact.figures for fact in table.seen(FiguresGained)] == [("2",)]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_one_die_of_damage_for_all_wounds_the_farther_half() -> None:
    table = shot(3, options={**ON, "squad_damage": "on"})
    (fell,) = table.seen(FiguresFell)
    assert fell.figures == ("1", "2", "3")
    (gained,) = table.seen(FiguresGained)
    assert gained.figures == ("2", "3")


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_wounded_figure_is_out_of_action_and_counts_as_a_casualty() -> None:
    state = match(lying({"5": "wounded", "6": "wounded"}, resolve="uncertain"))
    squad = state.units["blue-1"]
    assert squad.strength == 4
    assert casualties_break(fad4().rules, squad)


# --- treating -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize(("die", "marks"), [(1, ()), (3, ()), (4, ("stabilised",)), (5, ("stabilised",))])
def test_what_a_die_makes_of_a_wounded_figure(die: int, marks: tuple[str, ...]) -> None:
    table = treats(match(lying({"6": "wounded"})), "6", dice=[die])
    assert table.rolled("recovery").marks == ("pass" if die > 3 else "fail",)
    assert table.rolled("recovery").numbers == ()
    assert table.unit("blue-1").figures["6"].fallen
    assert conditions(table, "6") == marks


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_on_6_the_figure_stands_up_where_it_lies_and_acts_from_the_next_activation_on() -> None:
    state = match(lying({"6": "wounded"}), unit("red", (6, 20)))
    table = treats(state, "6", dice=[6])
    assert table.seen(FiguresRose) == [FiguresRose("blue-1", {"6": (18500, 6000)}, RULE)]
    assert table.unit("blue-1").strength == 6
    table.answers("command-fire", "red-1", dice=[1, 1, 1])
    # Two helpers and the one who has just stood up do not shoot: 3 riflemen are left.
    assert ("fire.shooter-riflemen", 1) in lines(table.fire_effect)
    assert "3 riflemen" in [line.reason for line in table.fire_effect.lines]
    assert conditions(table, "6") == ()


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_figure_whose_place_is_taken_stands_up_at_the_nearest_free_one() -> None:
    taken = [*SQUAD[:5], (16.2, 6)]
    table = treats(match(lying({"6": "wounded"}, taken)), "6", dice=[6])
    (rose,) = table.seen(FiguresRose)
    assert rose.places["6"] == (17000, 6000)


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.parametrize("marker", ["under_fire", "pinned"])
def test_a_squad_under_fire_or_pinned_has_1_less_on_each_die(marker: str) -> None:
    table = treats(match(lying({"6": "wounded"}, conditions=[marker])), "6", dice=[4])
    (bonus,) = table.rolled("recovery").numbers
    assert lines(bonus) == [(RULE, -1)]
    assert table.rolled("recovery").outcome == "dead"


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_two_figures_treat_each_one_and_do_nothing_else() -> None:
    state = match(lying({"4": "wounded", "5": "wounded", "6": "wounded"}))
    table = play(state).activates("blue-1").answers("command")
    refusal = table.refused("recover-wounded", figures("4", "5"))
    assert "pick 1 figures; 2 were picked" in refusal.sentence
    table.answers("recover-wounded", figures("5"), dice=[4])
    assert table.offered == ["command-fire", "command-done"]
    assert FiguresGained("blue-1", ("1", "2"), "at_task", "action.command") in table.facts


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_riflemen_help_before_gunners_and_the_leader() -> None:
    roles = {"1": "leader", "2": "squad-automatic-weapon"}
    table = treats(match(lying({"6": "wounded"}, roles=roles)), "6", dice=[4])
    assert table.seen(FiguresGained)[0].figures == ("3", "4")


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_figure_is_treated_once_and_only_near_its_squad() -> None:
    treated = play(match(lying({"6": "stabilised"}))).activates("blue-1")
    why = treated.barred("command")
    assert why is not None
    assert why.sentence == "No figure of Blue 1 is wounded and untreated."
    # 4 inches is the coherency distance of Regulars, from edge to edge.
    near, far = [*SQUAD[:5], (21, 6)], [*SQUAD[:5], (21.001, 6)]
    assert play(match(lying({"6": "wounded"}, near))).activates("blue-1").barred("command") is None
    why = play(match(lying({"6": "wounded"}, far))).activates("blue-1").barred("command")
    assert why is not None
    assert why.sentence == 'The wounded of Blue 1 lie more than 4" from every figure of it.'


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_stabilised_figure_is_no_casualty_when_resolve_is_checked() -> None:
    one = match(lying({"5": "", "6": "stabilised"}, resolve="uncertain")).units["blue-1"]
    assert not casualties_break(fad4().rules, one)
    other = match(lying({"5": "", "6": "wounded"}, resolve="uncertain")).units["blue-1"]
    assert casualties_break(fad4().rules, other)


# --- leaving behind and carrying ------------------------------------------------------------------------------------


def leaves(*dice: int, resolve: str = "steady") -> BattleTable:
    state = match(lying({"6": "wounded"}, resolve=resolve))
    table = play(state).activates("blue-1")
    return table.answers("move-out", shifted(table.state, "blue-1", 0, 12), dice=dice)


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_squad_that_leaves_an_untreated_figure_behind_rolls_5_or_has_its_resolve_lowered() -> None:
    kept = leaves(5)
    assert kept.rolled("leave_wounded").outcome == "kept"
    assert kept.unit("blue-1").conditions == ()
    assert conditions(kept, "6") == ("left_lying", "wounded")
    lowered = leaves(4)
    assert ConditionGained("blue-1", "left_wounded", RULE) in lowered.facts
    assert fad4().rules.resolve(lowered.unit("blue-1")).id == "uncertain"


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_resolve_is_never_lower_than_the_lowest() -> None:
    squad = match(lying({}, conditions=["left_wounded"], resolve="reluctant")).units["blue-1"]
    assert fad4().rules.resolve(squad).id == "reluctant"


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_squad_rolls_once_for_a_figure_and_not_at_all_for_a_stabilised_or_near_one() -> None:
    far: list[Place] = [*SQUAD[:5], (18.5, 26)]
    squad = lying({"6": "wounded"}, far)
    once = play(match(squad)).activates("blue-1")
    once.answers("move-out", shifted(once.state, "blue-1", 0, -5), dice=[5])
    squad["figures"][5]["conditions"] = ["left_lying", "wounded"]  # type: ignore[index]  # rows of a setup
    again = play(match(squad)).activates("blue-1")
    again.answers("move-out", shifted(again.state, "blue-1", 0, -5))
    assert [roll for roll in again.seen(Rolled) if roll.purpose == "leave_wounded"] == []
    stable = play(match(lying({"6": "stabilised"}))).activates("blue-1")
    stable.answers("move-out", shifted(stable.state, "blue-1", 0, 12))
    assert [roll for roll in stable.seen(Rolled) if roll.purpose == "leave_wounded"] == []
    near = play(match(lying({"6": "wounded"}))).activates("blue-1").moves(0, 3)
    assert [roll for roll in near.seen(Rolled) if roll.purpose == "leave_wounded"] == []


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_squad_that_charges_away_from_its_wounded_rolls_too() -> None:
    state = match(lying({"6": "wounded"}), unit("red", (6, 14)))
    table = play(state).activates("blue-1").answers("assault", "red-1").answers("hold-fire")
    way = paths(**{f"_{i}": [(6 + 2.5 * (i - 1), 13)] for i in range(1, 6)})
    table.chance(1).answers("charge", way)
    assert [roll.rule for roll in table.seen(Rolled) if roll.purpose == "leave_wounded"] == [RULE]


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_squad_carries_its_wounded_half_as_far_and_carriers_do_not_shoot() -> None:
    state = match(lying({"6": "wounded"}), unit("red", (6, 25)))
    table = play(state).activates("blue-1")
    assert table.path("carry-wounded").allowance == inches(3)
    assert table.path("carry-wounded-rush").allowance == inches(6)
    table.answers("carry-wounded", shifted(table.state, "blue-1", 0, 3))
    assert table.seen(FiguresCarried) == [FiguresCarried("blue-1", {"6": (16000, 9000)}, RULE)]
    table.answers("fire", "red-1", dice=[1, 1, 1])
    # Figure 5 carries, so that 4 shoot.
    assert "4 riflemen" in [line.reason for line in table.fire_effect.lines]
    assert [roll for roll in table.seen(Rolled) if roll.purpose == "leave_wounded"] == []


@pytest.mark.rule("fad4/setup.advanced-modules")
def test_a_figure_carries_one_and_the_untreated_come_first() -> None:
    marked = {"2": "stabilised", "3": "wounded", "4": "wounded"}
    state = match(lying(marked, SQUAD[:4]))
    table = play(state).activates("blue-1")
    table.answers("carry-wounded-rush", shifted(table.state, "blue-1", 0, 6), dice=[5])
    (carried,) = table.seen(FiguresCarried)
    assert list(carried.places) == ["3"]
    assert conditions(table, "4") == ("left_lying", "wounded")


@pytest.mark.rule("fad4/setup.advanced-modules")
@pytest.mark.rule("fad4/move.variable")
def test_with_rolled_moves_half_of_the_throw_says_how_far_wounded_are_carried() -> None:
    state = match(lying({"6": "wounded"}), variable_movement="on")
    table = play(state).activates("blue-1")
    assert (table.path("carry-wounded").allowance, table.path("carry-wounded-rush").allowance) == (4000, 8000)
    told = 'Draw where it is heading; then half of 1D6 + 1" says how far it comes.'
    assert table.choice("carry-wounded").consequence.endswith(told)
    way = shifted(table.state, "blue-1", 0, 4)
    foretold = fad4().preview(table.state, table.prompt, Picked("carry-wounded", (way,)))
    assert foretold is not None
    assert [row.per_myriad for row in foretold.chances if row.label == "All figures arrive"] == [1667]
    table.answers("carry-wounded", way, dice=[4])
    assert lines(table.rolled("move").numbers[0]) == [("move.variable", 4000), ("move.variable", 2000), (RULE, 50)]
    assert table.seen(FiguresCarried) == [FiguresCarried("blue-1", {"6": (16000, 9000)}, RULE)]
    luck = luck_of(fad4(), state, table.facts, "move", "blue-1")
    assert (luck.fell, luck.as_good) == (60_000, 1667)
    rushed = play(state).activates("blue-1").answers("carry-wounded-rush", shifted(state, "blue-1", 0, 7), dice=[1, 2])
    assert rushed.seen(FiguresCarried)[0].places == {"6": (16000, 9500)}


def test_a_match_without_the_module_offers_neither_to_treat_nor_to_carry() -> None:
    state = battle(lying({"6": "wounded"}), unit("red", (6, 40)))
    table = play(state).activates("blue-1")
    keys = {choice.key for choice in table.prompt.choices}
    assert keys.isdisjoint({"command", "carry-wounded", "carry-wounded-rush"})


# --- previews, words and files --------------------------------------------------------------------------------------


def test_the_preview_of_a_treatment_has_exact_chances() -> None:
    table = play(match(lying({"6": "wounded"}, conditions=["under_fire"]))).activates("blue-1").answers("command")
    told = fad4().preview(table.state, table.prompt, Picked("recover-wounded", (figures("6"),)))
    assert told is not None
    assert [(chance.label, chance.value) for chance in told.chances] == [
        ("Fit again", "0%"),
        ("Stabilised", "33%"),
        ("Dies", "67%"),
    ]


def test_the_log_the_card_and_the_luck_report_tell_of_the_wounded() -> None:
    state = match(lying({"4": "wounded", "6": "wounded"}))
    table = treats(state, "4", "6", dice=[6, 3])
    told = [fad4().story(table.state, fact) for fact in table.facts]
    texts = [story.text for story in told if story is not None]
    assert "Blue 1 treats its wounded: 1 fit again, 1 dead." in texts
    assert "1 figure of Blue 1 stands up, fit again." in texts
    luck = luck_of(fad4(), state, table.facts, "recovery", "blue-1")
    assert (luck.wanted, luck.expected, luck.fell) == ("who live", 10_000, 10_000)
    card = {line.label: line.value for line in fad4().card(state, state.units["blue-1"])}
    assert card["Wounded"] == "2 untreated"
    left = leaves(2)
    text = fad4().story(left.state, left.rolled("leave_wounded"))
    assert text is not None
    assert text.text == "Blue 1 leaves wounded behind: its Resolve is one level lower from now on."


def test_a_marker_of_the_fallen_on_a_figure_that_stands_is_refused() -> None:
    squad = lying({})
    squad["figures"][0]["conditions"] = ["wounded"]  # type: ignore[index]  # rows of a setup
    with pytest.raises(RulesetError, match="Blue 1, figure 1: it is marked Wounded, and has not fallen"):
        match(squad)


def test_those_who_are_treated_lose_their_marker() -> None:
    table = treats(match(lying({"6": "wounded"})), "6", dice=[4])
    assert FiguresLost("blue-1", ("6",), "wounded", RULE) in table.facts


@pytest.mark.rule("fad4/tech.personal-armour")
def test_suits_that_repair_themselves_treat_all_wounded_without_helpers_however_far_they_lie() -> None:
    far = ((6, 6), (40, 6), *SQUAD[2:])
    table = treats(match(lying({"1": "wounded", "2": "wounded"}, far, armour="bio-mech")), "1", "2", dice=[4, 1])
    assert table.rolled("recovery").outcome == "stabilised dead"
    assert [fact for fact in table.seen(FiguresGained) if fact.condition == "at_task"] == []
    assert "command-fire" in table.offered
