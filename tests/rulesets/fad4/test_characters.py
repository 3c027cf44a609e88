"""A module of a match: officers, who join units and leave them at will, and lead those that they are with."""

from __future__ import annotations

from fractions import Fraction

import pytest

from client_protocol.choices import Picked, UnitNamed
from server.kernel.errors import RulesetError
from server.kernel.facts import ActivationBegan, ConditionLost, FiguresGained, UnitAttached, UnitDetached, UnitLeft
from server.kernel.files.setups import write
from server.kernel.state import State
from server.rulesets.fad.melee import AssaultScore
from server.rulesets.fad.morale import casualties_break
from server.rulesets.fad.responding import CommandResponse
from server.rulesets.fad.shooting import FireEffect
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.fad.vehicles.assault import StrikeBonus, WeakestArmour
from server.rulesets.fad.vehicles.transport import waiting
from server.rulesets.shared.previews import odds
from tests.support.battlefield import battle, fad4, lines, play, unit, vehicle
from tests.support.lucky import luck_of
from tests.support.tabletop import Place, Row

ON = {"officers": "on", "weapon_teams": "on"}
RULE = "fad4/shoot.individuals"


def officer(at: Place | None, leadership: str = "inspiring", branch: str = "infantry", **other: object) -> Row:
    row = unit("blue", at, figures=1, **{"id": "chief", "officer": True, **other})  # type: ignore[arg-type]
    row["figures"][0]["role"] = "officer"  # type: ignore[index]  # the rows of figures
    return row | {"leadership": leadership, "leader_branch": branch}


def match(*units: Row, **other: object) -> State:
    return battle(*units, unit("red", (6, 30), id="red"), options={**ON, **other}, size=(72, 72))


def led(leadership: str = "inspiring", branch: str = "infantry", **squad: object) -> State:
    """Return a blue squad with an officer attached, and a red one 22 inches north."""
    row = unit("blue", (6, 6), **{"id": "squad", **squad})  # type: ignore[arg-type]  # as `unit` takes it
    return match(row, officer((6, 8), leadership, branch, attached="squad"))


def on_his_own() -> State:
    """Return an officer two inches behind a squad."""
    return match(unit("blue", (6, 6), id="squad"), officer((6, 4)))


def bonus(state: State, shooter: str = "squad") -> int:
    """Return what the officer adds to the fire of a unit at the red squad."""
    shot = aim(fad4().rules, state, shooter, "red")
    assert isinstance(shot, Shot), shot
    found = fad4().rules.advisers.answer(state, FireEffect(shot)).lines
    return sum(line.amount for line in found if line.rule == "adv.characters.branch-bonus")


# --- a unit of his own: adv.characters.unit, .fight -----------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_an_officer_activates_shoots_and_assaults_on_his_own_with_one_die() -> None:
    """adv.characters.unit, adv.characters.fight"""
    state = match(officer((6, 26)))
    table = play(state).activates("chief")
    assert table.barred("assault") is None
    table.chance(1).opens_fire_at("red", dice=[])
    assert len(table.rolled("fire_effect").faces) == 1


@pytest.mark.rule(RULE)
def test_attached_he_counts_among_the_riflemen_and_the_figures_of_his_unit() -> None:
    """adv.characters.fight"""
    state = led(figures=5)
    shot = aim(fad4().rules, state, "squad", "red")
    assert isinstance(shot, Shot)
    assert len(shot.firing) == 6
    assert ("fire.shooter-riflemen", 2) in lines(fad4().rules.advisers.answer(state, FireEffect(shot)))
    back = aim(fad4().rules, state, "red", "squad")
    assert isinstance(back, Shot)
    assert "chief:1" in back.seen


# --- joining and leaving: adv.characters.attach ---------------------------------------------------------------------


@pytest.mark.rule(RULE)
def test_he_joins_a_unit_near_which_his_activation_ends() -> None:
    """adv.characters.attach"""
    table = play(on_his_own()).activates("chief").holds()
    assert [choice.key for choice in table.prompt.choices] == ["join", "on-his-own"]
    table.answers("join", "squad")
    assert table.seen(UnitAttached) == [UnitAttached("chief", "squad", "shoot.individuals.officers")]
    assert "chief:1" in table.unit("squad").figures
    texts = [story.text for fact in table.facts if (story := fad4().story(on_his_own(), fact)) is not None]
    assert "Chief joins Squad." in texts


@pytest.mark.rule(RULE)
def test_out_of_its_coherency_he_joins_no_unit() -> None:
    """adv.characters.attach"""
    table = play(match(unit("blue", (20, 6), id="squad"), officer((6, 4)))).activates("chief").holds()
    assert table.asked == "red"


@pytest.mark.rule(RULE)
def test_who_has_acted_and_then_joined_only_moves_along() -> None:
    """adv.characters.attach"""
    table = play(on_his_own()).activates("chief").holds().answers("join", "squad")
    table.activates("red").holds()
    table.activates("squad")
    assert [fact.figures for fact in table.seen(FiguresGained)] == [("chief:1",)]
    shot = aim(fad4().rules, table.state, "squad", "red")
    assert isinstance(shot, Shot)
    assert "chief:1" not in shot.firing
    assert bonus(table.state) == 0
    table.holds(dice=[6, 1])
    assert not table.unit("squad").figures["chief:1"].conditions


@pytest.mark.rule(RULE)
def test_while_he_is_attached_the_units_act_is_his_act() -> None:
    """adv.characters.attach"""
    table = play(led()).activates("squad").holds()
    assert table.unit("chief").activated == table.state.turn.number
    assert waiting(table.state, "blue") == []


@pytest.mark.rule(RULE)
def test_he_leaves_a_unit_by_acting_before_it_does() -> None:
    """adv.characters.attach"""
    state = led()
    assert [one.id for one in waiting(state, "blue")] == ["squad", "chief"]
    table = play(state).activates("chief")
    assert table.seen(UnitDetached) == [UnitDetached("chief", "shoot.individuals.officers")]
    assert list(table.unit("chief").figures) == ["1"]
    assert "chief:1" not in table.unit("squad").figures
    table.holds().answers("on-his-own")
    assert [one.id for one in waiting(table.state, "blue")] == ["squad"]


@pytest.mark.rule(RULE)
def test_markers_are_shared_and_taken_along() -> None:
    """adv.characters.attach"""
    table = play(led(conditions=["under_fire"])).activates("chief")
    assert table.unit("chief").conditions == ("under_fire",)


@pytest.mark.rule(RULE)
def test_with_cards_he_may_leave_when_the_card_of_his_unit_is_drawn() -> None:
    """adv.characters.attach"""
    row = unit("blue", (6, 6), id="squad")
    state = battle(
        row,
        officer((6, 8), attached="squad"),
        unit("red", (6, 30), id="red", activated=1),
        options={**ON, "activation": "cards"},
        size=(72, 72),
    )
    assert [one.id for one in waiting(state, "blue")] == ["squad"]
    table = play(state)
    assert [choice.key for choice in table.prompt.choices] == ["together", "leave-first"]
    table.answers("leave-first").holds().answers("on-his-own")
    assert [fact.unit for fact in table.seen(UnitDetached)] == ["chief"]
    table.holds(dice=[1])
    assert [fact.unit for fact in table.seen(ActivationBegan)][:2] == ["chief", "squad"]


@pytest.mark.rule(RULE)
def test_he_is_deployed_attached() -> None:
    """adv.characters.attach"""
    units = (unit("blue", None, id="squad"), officer(None), unit("red", None, id="red"))
    table = play(battle(*units, options=ON, phase="deployment", turn=0, first="", active="blue"))
    table.answers("attach:chief:squad")
    assert table.unit("chief").attached == "squad"


@pytest.mark.rule(RULE)
def test_he_goes_with_a_squad_that_routs_and_goes_on_when_it_is_wiped_out() -> None:
    """adv.characters.attach"""
    table = play(led("novice", figures=4, lost=3, resolve="steady")).activates("squad", dice=[1, 1, 1])
    assert [fact.unit for fact in table.seen(UnitLeft)] == ["squad"]
    assert table.unit("chief").left == "routed"
    blue = (unit("blue", (6, 12), id="squad", figures=1), officer((6, 14), attached="squad"))
    state = battle(*blue, unit("red", (6, 6), id="red"), options=ON, active="red", size=(72, 72))
    table = play(state).activates("red").opens_fire_at("squad", dice=[1, 1, 6, 1])
    assert table.unit("squad").left == "destroyed"
    assert not table.unit("chief").left


@pytest.mark.rule(RULE)
def test_the_best_of_two_leads() -> None:
    """adv.characters.attach"""
    row = unit("blue", (6, 6), id="squad")
    other = officer((9, 8), "heroic", id="other", attached="squad")
    assert bonus(match(row, officer((6, 8), "inspiring", attached="squad"), other)) == 3


# --- leading: adv.characters.leadership, .morale-reroll, .branches, .branch-bonus ------------------------------------


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(("leadership", "rating"), [("novice", 0), ("experienced", 1), ("inspiring", 2), ("heroic", 3)])
def test_leadership_is_added_to_the_fire_and_the_fight_of_his_branch(leadership: str, rating: int) -> None:
    """adv.characters.leadership, adv.characters.branch-bonus"""
    state = led(leadership)
    assert bonus(state) == rating
    score = fad4().rules.advisers.answer(state, AssaultScore("squad", "red", charging=True)).lines
    assert sum(line.amount for line in score if line.rule == "adv.characters.branch-bonus") == rating


@pytest.mark.rule(RULE)
def test_a_leader_of_another_branch_adds_nothing() -> None:
    """adv.characters.branches"""
    assert [bonus(led(branch=branch)) for branch in ("infantry", "gunnery", "cavalry")] == [2, 0, 0]


@pytest.mark.rule(RULE)
def test_gunnery_leads_weapons_teams_and_cavalry_the_vehicle_that_carries_him() -> None:
    """adv.characters.branch-bonus"""
    gun = unit("blue", (6, 6), id="gun", figures=2, support=["machine-gun"], weapon_team=True)
    assert bonus(match(gun, officer((6, 8), branch="gunnery", attached="gun")), "gun") == 2
    tank = vehicle("blue", (6, 6), id="tank", seats=2)
    state = match(tank, officer(None, branch="cavalry", aboard="tank"))
    shot = aim(fad4().rules, state, "tank", "red", "m1")
    assert isinstance(shot, Shot)
    assert ("adv.characters.branch-bonus", 2) in lines(fad4().rules.advisers.answer(state, FireEffect(shot)))


@pytest.mark.rule(RULE)
def test_as_many_failed_dice_as_his_leadership_are_rolled_again() -> None:
    """adv.characters.morale-reroll: conscripts with an Experienced leader roll 5, 2, 1, and then 4: two successes"""
    state = led("experienced", figures=6, lost=4, resolve="steady", quality="conscript")
    table = play(state).activates("squad", dice=[5, 2, 1, 4])
    first, again = table.rolled("morale"), table.rolled("again")
    assert (first.marks, first.outcome) == (("pass", "fail", "fail"), "again")
    assert (again.faces, again.marks, again.outcome, again.rule) == (
        (4,),
        ("pass",),
        "rallied",
        "shoot.individuals.officers",
    )
    told = fad4().story(state, again)
    assert told is not None
    assert told.text == "Chief has a failed die of Squad rolled again: 1 more passed, it rallies and acts normally."
    assert luck_of(fad4(), state, table.facts, "again", "squad").expected == 5000


@pytest.mark.rule(RULE)
def test_the_preview_of_a_morale_test_counts_the_dice_that_are_rolled_again() -> None:
    """adv.characters.morale-reroll"""
    state = led("heroic", figures=6, lost=4, resolve="steady", quality="conscript")
    told = fad4().preview(state, play(state).prompt, Picked("activate", (UnitNamed("squad"),)))
    assert told is not None
    # Each die has two tries: 3/4. Two or three of three pass: 27/64 + 27/64.
    assert {chance.label: chance.value for chance in told.chances}["Rallies"] == "84%"
    assert odds.passes_again(3, 4, 3)[3] == Fraction(27, 64)


@pytest.mark.rule(RULE)
def test_a_leader_raises_the_strength_by_which_resolve_is_checked() -> None:
    """adv.characters.resolve-strength: a Steady squad of 8 with 4 casualties is not broken with him, and is without"""
    state = led(figures=8, lost=4, resolve="steady")
    assert not casualties_break(fad4().rules, state.units["squad"])
    left = UnitDetached("chief", "").fold(state)
    assert casualties_break(fad4().rules, left.units["squad"])
    reluctant = led(figures=8, lost=1, resolve="reluctant")
    assert casualties_break(fad4().rules, reluctant.units["squad"])


@pytest.mark.rule(RULE)
def test_a_leader_who_is_killed_in_the_squad_is_no_casualty_of_it() -> None:
    """adv.characters.resolve-strength"""
    blue = (unit("blue", (6, 14), id="squad", figures=2, resolve="reluctant"), officer((6, 12), attached="squad"))
    state = battle(*blue, unit("red", (6, 6), id="red"), options=ON, active="red", size=(72, 72))
    table = play(state).activates("red").opens_fire_at("squad", dice=[1, 1, 6, 1])
    assert [(fact.unit, fact.reason) for fact in table.seen(UnitLeft)] == [("chief", "destroyed")]
    assert not casualties_break(fad4().rules, table.unit("squad"))


@pytest.mark.rule(RULE)
def test_a_squad_that_its_leader_makes_whole_enough_is_no_longer_broken() -> None:
    """adv.characters.resolve-strength"""
    table = play(led(figures=8, lost=4, resolve="steady", conditions=["broken"])).activates("squad")
    assert ("squad", "broken") in [(fact.unit, fact.condition) for fact in table.seen(ConditionLost)]


@pytest.mark.rule(RULE)
@pytest.mark.parametrize("leadership", ["novice", "heroic"])
def test_a_leader_adds_one_to_command_response_whatever_his_leadership(leadership: str) -> None:
    """adv.characters.command-response"""
    state = led(leadership)
    assert fad4().rules.advisers.answer(state, CommandResponse("squad")).value == 1
    assert fad4().rules.advisers.answer(state, CommandResponse("red")).value == 0


# --- words and files ------------------------------------------------------------------------------------------------


def test_cards_say_who_leads_and_where_he_is() -> None:
    state = led()
    squad = {line.label: line.value for line in fad4().card(state, state.units["squad"])}
    assert squad["Led by"] == "Chief (Inspiring +2, infantry)"
    own = {line.label: line.value for line in fad4().card(state, state.units["chief"])}
    assert (own["Leadership"], own["Branch"], own["Attached to"]) == ("Inspiring (+2)", "Infantry", "Squad")


def test_a_position_with_an_attached_officer_is_written_as_it_is_read() -> None:
    state = led()
    assert fad4().read(write(state)).units == state.units


@pytest.mark.parametrize(
    ("row", "sentence"),
    [
        (
            unit("blue", (6, 4), figures=1, officer=True),
            "is a character: a unit of one figure, with the role 'officer'",
        ),
    ],
)
def test_an_officer_is_one_figure_with_the_role(row: Row, sentence: str) -> None:
    with pytest.raises(RulesetError, match=sentence):
        match(row, unit("blue", (20, 6), id="squad"))


@pytest.mark.rule(RULE)
def test_a_position_with_an_officer_needs_the_option() -> None:
    with pytest.raises(RulesetError, match="has the trait Officer: switch the option Officers on"):
        battle(officer((6, 4)), unit("red", (6, 27)))


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(("modifiers", "added"), [("table7", 2), ("grenades_only", 0)])
def test_an_officer_of_infantry_adds_to_each_die_of_his_squad_against_a_vehicle(modifiers: str, added: int) -> None:
    """adv.characters.branch-bonus"""
    row = unit("blue", (6, 6), id="squad")
    tank = vehicle("red", (6, 14), id="tank")
    squad = match(row, officer((6, 8), attached="squad"), tank, vehicle_assault_modifiers=modifiers)
    strike = fad4().rules.advisers.answer(squad, StrikeBonus("squad", "tank", charging=True))
    assert sum(line.amount for line in strike.lines if line.rule == "adv.characters.branch-bonus") == added


@pytest.mark.rule(RULE)
@pytest.mark.parametrize(("branch", "added"), [("cavalry", 2), ("infantry", 0)])
def test_an_officer_of_cavalry_adds_to_the_die_of_the_vehicle_that_carries_him(branch: str, added: int) -> None:
    """adv.characters.branch-bonus"""
    tank = vehicle("blue", (6, 6), id="tank", seats=2)
    state = match(tank, officer(None, branch=branch, aboard="tank"))
    defence = fad4().rules.advisers.answer(state, WeakestArmour("tank"))
    assert sum(line.amount for line in defence.lines if line.rule == "adv.characters.branch-bonus") == added
