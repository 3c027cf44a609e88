"""Campaigns: what a battle does to a force, and the steps that set up the next one (fad5/campaign.*)."""

from __future__ import annotations

from typing import get_args

import msgspec
import pytest

from client_protocol.campaigns import Buy, CampaignChoice, FormSquad, GoOn, Odds, Share
from server.kernel.campaigns import facts
from server.kernel.campaigns.facts import (
    AnyFact,
    BattleFought,
    CampaignFact,
    FiguresReplaced,
    LevelTested,
    PointsGained,
    Reinforced,
    SquadFormed,
    StepBegan,
    StepsDone,
    StruckOff,
    TroopersJoined,
    TroopersLeft,
    UnitHurt,
    VehicleReplaced,
)
from server.kernel.campaigns.state import Rolling
from server.rulesets.fad.campaign import roster, steps
from server.rulesets.fad.campaign.words import told
from tests.rulesets.fad5.campaigns import Campaign, begun, levels_tested, lone, of, rifles, tank
from tests.rulesets.fad5.test_forces import squad, team

# --- the steps --------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/campaign.scope")
def test_units_are_settled_one_by_one_and_then_come_reinforcements_and_points() -> None:
    campaign = begun(rifles(), tank(), rifles(name="Other"), rifles(name="Unhurt"))
    campaign.battle({"Squad": 5, "Tank": "lost", "Other": 1})
    assert campaign.facts == [
        BattleFought(
            rule="campaign.scope",
            hurt=(
                UnitHurt(0, (4, 5, 6, 7, 8), 5),
                UnitHurt(1, condition="lost"),
                UnitHurt(2, (8,), 1),
            ),
            rolls=(
                Rolling("replacements", 0),
                Rolling("resolve", 0),
                Rolling("replacements", 1),
                Rolling("replacements", 2),
                Rolling("resolve", 2),
                Rolling("reinforcements"),
            ),
            fought=(0, 1, 2, 3),
        )
    ]
    campaign.rolls(5, 3, 4).rolls(6, 1).rolls(1, 2)
    assert [fact.face for fact in levels_tested(campaign, "quality")] == [3, 1]
    campaign.rolls(1, 2)
    assert [type(fact) for fact in campaign.facts[-3:]] == [Reinforced, PointsGained, StepBegan]
    campaign.until("rest")
    assert campaign.state.roster.battles == 1


@pytest.mark.rule("fad5/campaign.scope")
def test_a_battle_without_losses_still_brings_reinforcements_and_points() -> None:
    campaign = begun(rifles()).battle()
    assert campaign.dice.count == 2
    campaign.rolls(1, 1).answers()
    assert campaign.facts[-3:] == [
        StepBegan(step="share"),
        TroopersLeft(rule="campaign.reinforcements", troopers=2),
        StepBegan(step="spend"),
    ]


@pytest.mark.rule("fad5/campaign.scope")
def test_a_force_that_the_rules_refuse_begins_no_campaign() -> None:
    with pytest.raises(ValueError, match="has 2 figures, too few"):
        begun(squad("plasma-rifle", "plasma-rifle", figures=2))


@pytest.mark.rule("fad5/campaign.scope")
def test_outcomes_of_another_force_are_refused() -> None:
    campaign, other = begun(rifles()), begun(rifles(7))
    with pytest.raises(ValueError, match="not the outcomes of the force"):
        steps.after_battle(campaign.own, campaign.state.roster, other.outcomes({}))


@pytest.mark.rule("fad5/campaign.scope")
def test_answers_and_dice_that_are_not_due_are_refused_with_a_sentence() -> None:
    campaign = begun(rifles()).battle({"Squad": 4})
    with pytest.raises(ValueError, match="Replacements for Squad 1 faces from 1 to 6 are due"):
        steps.rolled(campaign.own, campaign.state, [1, 2])
    campaign.rolls(1, 3, 1, 1)
    assert campaign.state.step == "more_dice"
    assert campaign.refuses(FormSquad(5)) == campaign.refuses(Share()) == "Something else is asked now."
    with pytest.raises(ValueError, match="Something else is asked now"):
        campaign.answers(Share())
    with pytest.raises(ValueError, match="No dice are due"):
        steps.rolled(campaign.own, campaign.state, [1])


# --- replacements -----------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/campaign.infantry-replacements")
@pytest.mark.parametrize(
    ("face", "back", "strength"),
    [(1, (), 3), (2, (), 3), (3, (4, 5, 6), 6), (4, (4, 5, 6), 6), (5, (4, 5, 6, 7, 8), 8), (6, (4, 5, 6, 7, 8), 8)],
)
def test_a_die_says_how_many_of_the_lost_are_replaced(face: int, back: tuple[int, ...], strength: int) -> None:
    campaign = begun(rifles()).battle({"Squad": 5})
    assert campaign.dice.odds == (
        Odds("No replacements", 2, 6),
        Odds("Replacements for 3 of 5", 2, 6),
        Odds("Replacements for 5 of 5", 2, 6),
    )
    campaign.rolls(face)
    assert campaign.facts[1] == FiguresReplaced(
        rule="campaign.infantry-replacements", unit=0, face=face, figures=back, tests=len(back) > 3
    )
    assert campaign.unit("Squad").strength == strength
    assert campaign.now("Squad").fields["figures"] == strength


@pytest.mark.rule("fad5/campaign.infantry-replacements")
def test_half_is_of_the_losses_in_this_battle_and_full_strength_is_the_first_one() -> None:
    campaign = begun(rifles()).battle({"Squad": 4}).rolls(1, 3).rolls(1, 1).answers().until("rest")
    assert campaign.unit("Squad").strength == 6, "two reinforcements"
    assert campaign.battle({"Squad": 1}).rolls(3).unit("Squad").strength == 6
    campaign.until("rest")
    campaign = begun(rifles()).battle({"Squad": 4}).rolls(1, 3).rolls(1, 1).answers().until("rest")
    assert campaign.battle({"Squad": 1}).rolls(5).unit("Squad").strength == 8


@pytest.mark.rule("fad5/campaign.infantry-replacements")
def test_a_weapons_team_rolls_and_sits_out_while_it_has_too_few_men() -> None:
    campaign = begun(rifles(), team("light-cannon")).battle({"Team": 2}).rolls(2, 3, 1, 1)
    assert campaign.unit("Team").strength == 1
    campaign.until("share").answers(Share()).until("rest")
    why = "Team has 1 left, and its weapon needs 3: it sits out."
    assert roster.sits_out(campaign.own, campaign.unit("Team")) == why
    built = roster.force_of(campaign.own, campaign.state.roster)
    assert built is not None
    assert [unit.name for unit in built.units] == ["Squad"]
    campaign.battle().until("share").answers().until("rest")
    assert roster.fielded(campaign.own, campaign.state.roster) == (0, 1), "reinforcements have filled it"


@pytest.mark.rule("fad5/campaign.infantry-replacements")
def test_a_wiped_out_squad_stays_until_the_reinforcements_have_been_shared_out() -> None:
    campaign = begun(rifles(), rifles(name="Other")).battle({"Squad": 8}).rolls(1, 3, 2, 2).answers()
    assert campaign.unit("Squad").strength == 0
    filled = Campaign(campaign.own, campaign.state)
    assert filled.answers(Share(((0, 1),))).unit("Squad").condition == "fit"
    campaign.answers(Share())
    assert of(campaign, StruckOff) == [StruckOff(rule="campaign.infantry-replacements", unit=0)]
    assert campaign.until("rest").unit("Squad").condition == "struck"
    built = roster.force_of(campaign.own, campaign.state.roster)
    assert built is not None
    assert [unit.name for unit in built.units] == ["Other"]


@pytest.mark.rule("fad5/campaign.infantry-replacements")
def test_support_weapons_are_lost_with_their_gunners_and_come_back_with_those_who_are_replaced() -> None:
    campaign = begun(squad("plasma-rifle", "flame-thrower", figures=4)).battle({"Squad": (2, 4)})
    assert [row["weapon"] for row in campaign.now("Squad").rows["support"]] == ["flame-thrower"]
    campaign.rolls(3)
    assert [row["weapon"] for row in campaign.now("Squad").rows["support"]] == ["plasma-rifle", "flame-thrower"]
    assert campaign.now("Squad").fields["figures"] == 3


@pytest.mark.rule("fad5/campaign.lone-figures")
def test_a_lone_figure_has_no_replacements_and_no_reinforcements_and_is_struck_off() -> None:
    campaign = begun(rifles(), lone()).battle({"Sniper": 1})
    assert [rolling.kind for rolling in campaign.state.queue] == ["resolve", "reinforcements"]
    campaign.rolls(3, 1, 1).until("spend")
    assert campaign.facts[-2] == TroopersLeft(rule="campaign.reinforcements", troopers=2)
    assert campaign.unit("Sniper").condition == "fit"
    campaign.answers(GoOn())
    assert campaign.facts[-2:] == [
        StruckOff(rule="campaign.lone-figures", unit=1),
        StepsDone(rule="campaign.experience", points=2),
    ]


@pytest.mark.rule("fad5/campaign.vehicle-replacements")
@pytest.mark.parametrize(
    ("hurt", "conditions"),
    [
        ("damaged", ["damaged", "damaged", "fit", "fit", "fit", "fit"]),
        ("lost", ["lost", "lost", "lost", "lost", "fit", "fit"]),
    ],
)
def test_a_die_says_whether_a_vehicle_is_repaired_or_replaced(hurt: str, conditions: list[str]) -> None:
    for face, condition in enumerate(conditions, 1):
        campaign = begun(rifles(), tank()).battle({"Tank": hurt}).rolls(face)
        tests = hurt == "lost" and condition == "fit"
        assert campaign.facts[1] == VehicleReplaced(
            rule="campaign.vehicle-replacements",
            unit=1,
            face=face,
            condition=condition,  # type: ignore[arg-type]
            tests=tests,
        )
        assert campaign.unit("Tank").condition == condition


@pytest.mark.rule("fad5/campaign.vehicle-replacements")
def test_a_damaged_vehicle_sits_out_and_rolls_again_and_a_destroyed_one_is_struck_off() -> None:
    campaign = begun(rifles(), tank(), tank("Other")).battle({"Tank": "damaged", "Other": "lost"})
    campaign.rolls(1, 1).until("rest")
    assert [unit.condition for unit in campaign.state.roster.units] == ["fit", "damaged", "struck"]
    assert roster.fielded(campaign.own, campaign.state.roster) == (0,)
    campaign.battle()
    assert campaign.dice.odds == (Odds("Nothing", 2, 6), Odds("Repaired", 4, 6))
    campaign.rolls(3).until("rest")
    assert roster.fielded(campaign.own, campaign.state.roster) == (0, 1)


# --- Quality and Resolve ----------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/campaign.quality-loss")
@pytest.mark.parametrize(("lost", "tests"), [(3, False), (4, True)])
def test_replacements_for_half_of_its_first_strength_may_cost_a_unit_its_quality(lost: int, *, tests: bool) -> None:
    campaign = begun(rifles()).battle({"Squad": lost}).rolls(6)
    assert (campaign.dice.kind == "level") == tests


@pytest.mark.rule("fad5/campaign.quality-loss")
@pytest.mark.parametrize("face", range(1, 7))
def test_quality_drops_a_level_on_1_or_2(face: int) -> None:
    campaign = begun(rifles()).battle({"Squad": 4}).rolls(6)
    assert campaign.dice.odds == (Odds("Its Quality is Conscript", 2, 6), Odds("Its Quality is Regular", 4, 6))
    level = "conscript" if face <= 2 else "regular"
    campaign.rolls(face)
    assert levels_tested(campaign, "quality") == [
        LevelTested(rule="campaign.quality-loss", unit=0, face=face, field="quality", level=level)
    ]
    assert campaign.now("Squad").fields["quality"] == level


@pytest.mark.rule("fad5/campaign.quality-loss")
def test_quality_never_drops_below_the_lowest_and_a_replaced_vehicle_tests() -> None:
    campaign = begun(rifles(quality="rabble"), tank()).battle({"Squad": 8, "Tank": "lost"}).rolls(6, 1)
    assert roster.quality(campaign.unit("Squad")) == "rabble"
    campaign.rolls(3, 5)
    assert (campaign.dice.kind, campaign.dice.unit) == ("level", 1)


@pytest.mark.rule("fad5/campaign.quality-loss")
def test_reinforcements_cost_no_quality() -> None:
    campaign = begun(rifles()).battle({"Squad": 8}).rolls(1, 3, 4, 4).answers().answers().answers()
    assert campaign.unit("Squad").strength == 8
    assert levels_tested(campaign, "quality") == []


@pytest.mark.rule("fad5/campaign.resolve-change")
@pytest.mark.parametrize(
    ("before", "levels"),
    [
        ("steady", ["uncertain", "uncertain", "steady", "steady", "determined", "determined"]),
        ("reluctant", ["reluctant", "reluctant", "reluctant", "reluctant", "uncertain", "uncertain"]),
        ("determined", ["steady", "steady", "determined", "determined", "determined", "determined"]),
    ],
)
def test_a_unit_with_losses_rolls_for_its_resolve(before: str, levels: list[str]) -> None:
    for face, level in enumerate(levels, 1):
        campaign = begun(rifles(resolve=before)).battle({"Squad": 1}).rolls(1, face)
        assert campaign.facts[2] == LevelTested(
            rule="campaign.resolve-change", unit=0, face=face, field="resolve", level=level
        )
        assert campaign.now("Squad").fields["resolve"] == level


@pytest.mark.rule("fad5/campaign.resolve-change")
def test_vehicles_and_those_whose_resolve_is_fixed_do_not_roll_for_it() -> None:
    campaign = begun(tank(), rifles()).battle({"Tank": "damaged", "Squad": 1})
    assert [(rolling.kind, rolling.unit) for rolling in campaign.state.queue if rolling.kind == "resolve"] == [
        ("resolve", 1)
    ]
    fixed = begun(rifles())
    fanatic = fixed.unit("Squad").with_field("fanatic", value=True)
    fixed.state = fixed.state.with_unit(0, fanatic)
    fixed.battle({"Squad": 1})
    assert [rolling.kind for rolling in fixed.state.queue] == ["replacements", "reinforcements"]


# --- reinforcements ---------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/campaign.reinforcements")
def test_two_dice_of_troopers_come() -> None:
    campaign = begun(rifles()).battle()
    assert (campaign.dice.count, len(campaign.dice.odds)) == (2, 11)
    assert sum(odds.ways for odds in campaign.dice.odds) == 36
    campaign.rolls(2, 5)
    assert campaign.facts[1] == Reinforced(rule="campaign.reinforcements", faces=(2, 5))
    assert campaign.state.troopers == 7


@pytest.mark.rule("fad5/campaign.reinforcements")
def test_by_default_troopers_fill_the_largest_gaps_and_the_surplus_is_lost() -> None:
    campaign = begun(rifles(), rifles(name="Other"), tank())
    campaign.battle({"Squad": 2, "Other": 4, "Tank": "lost"}).rolls(1, 3, 1, 3, 1, 2, 2).answers()
    assert campaign.prompt.most == ((0, 2), (1, 4))
    assert campaign.prompt.default == Share(((0, 1), (1, 3)))
    campaign.answers()
    assert of(campaign, TroopersJoined, TroopersLeft) == [
        TroopersJoined(rule="campaign.reinforcements", unit=0, figures=(7,)),
        TroopersJoined(rule="campaign.reinforcements", unit=1, figures=(5, 6, 7)),
    ]
    assert [campaign.unit(name).strength for name in ("Squad", "Other")] == [7, 7]


@pytest.mark.rule("fad5/campaign.reinforcements")
@pytest.mark.parametrize(
    ("shares", "sentence"),
    [
        ({0: 3}, "Squad can take 0 to 2 reinforcements: no unit exceeds its first strength."),
        ({0: -1}, "Squad can take 0 to 2 reinforcements: no unit exceeds its first strength."),
        ({0: 2, 1: 4}, "There are 4 reinforcements, not 6."),
        ({2: 1}, "Reinforcements join units on foot that have lost figures, and no others."),
        ({9: 1}, "Reinforcements join units on foot that have lost figures, and no others."),
    ],
)
def test_no_more_troopers_join_a_unit_than_it_lacks_or_than_there_are(shares: dict[int, int], sentence: str) -> None:
    campaign = begun(rifles(), rifles(name="Other"), tank())
    campaign.battle({"Squad": 2, "Other": 4, "Tank": "lost"}).rolls(1, 3, 1, 3, 1, 2, 2).answers()
    assert campaign.refuses(Share(tuple(shares.items()))) == sentence
    campaign.answers(Share(((1, 1),)))
    assert campaign.facts[-2] == TroopersLeft(rule="campaign.reinforcements", troopers=3)


@pytest.mark.rule("fad5/campaign.new-squad")
def test_reinforcements_may_form_a_squad_that_is_armed_as_most_are() -> None:
    platoon = (
        squad("plasma-rifle", name="One", figures=8, small_arm="gauss-rifle", armour="improved", recon=True),
        squad("flame-thrower", name="Two", figures=8, small_arm="gauss-rifle", armour="improved"),
        squad("flame-thrower", name="Three", figures=8, small_arm="gauss-rifle", armour="improved"),
        squad("rifle-grenade", name="Four", figures=8),
        lone(),
    )
    campaign = begun(*platoon).battle().rolls(3, 4).answers()
    assert campaign.offered == [FormSquad(), FormSquad(5), FormSquad(6), FormSquad(7)]
    assert campaign.prompt.default == FormSquad()
    assert campaign.refuses(FormSquad(8)) == campaign.refuses(FormSquad(4)) == "A new squad has 5 to 7 figures."
    campaign.answers(FormSquad(6))
    formed = next(fact for fact in campaign.facts if isinstance(fact, SquadFormed))
    assert formed.figures == 6
    fields = {key: value for key, value in campaign.now("New Squad").fields.items() if value}
    assert fields == {
        "figures": 6,
        "quality": "conscript",
        "resolve": "uncertain",
        "small_arm": "gauss-rifle",
        "armour": "improved",
        "leader": True,
        "platoon": "none",
    }
    assert [row["weapon"] for row in campaign.now("New Squad").rows["support"]] == ["flame-thrower"]
    assert campaign.unit("New Squad").initial == 6
    assert campaign.state.step == "spend", "one squad after a battle; the seventh trooper has no one to join"
    assert of(campaign, TroopersLeft) == [TroopersLeft(rule="campaign.reinforcements", troopers=1)]
    campaign.until("rest").battle().rolls(6, 6).answers().answers(FormSquad(5))
    assert campaign.unit("New Squad 2").strength == 5


@pytest.mark.rule("fad5/campaign.new-squad")
def test_no_squad_is_formed_of_too_few_or_without_a_typical_squad_or_in_a_full_force() -> None:
    assert begun(rifles()).battle().rolls(2, 2).answers().state.step == "spend"
    assert begun(tank(), lone()).battle().rolls(6, 6).answers().state.step == "spend"
    full = [rifles(5, f"Squad {number}") for number in range(12)]
    assert begun(*full).battle().rolls(6, 6).answers().state.step == "spend"


# --- words and files --------------------------------------------------------------------------------------------------


def test_facts_and_answers_are_read_back_as_they_were_written() -> None:
    campaign = begun(squad("plasma-rifle"), tank(), lone())
    campaign.battle({"Squad": 6, "Tank": "lost", "Sniper": 1}).rolls(6, 1, 1, 6, 3, 6, 3, 6).answers()
    campaign.answers(FormSquad(5)).until("spend").answers(Buy("return_lone_figure", 2)).until("rest")
    assert msgspec.json.decode(msgspec.json.encode(campaign.facts), type=list[AnyFact]) == campaign.facts
    for answer in (Buy("trait", 0, "recon"), FormSquad(5), Share(((1, 2),)), GoOn()):
        assert msgspec.json.decode(msgspec.json.encode(answer), type=CampaignChoice) == answer
    assert msgspec.json.decode(msgspec.json.encode(campaign.state), type=type(campaign.state)) == campaign.state


def test_facts_are_told_in_sentences() -> None:
    campaign = begun(rifles(), tank())
    start = campaign.state
    campaign.battle({"Squad": 4, "Tank": "damaged"}).rolls(6, 1, 3, 5).rolls(2, 1).until("spend")
    campaign.answers(Buy("quality", 0)).answers(Buy("resolve", 0))
    lines = []
    for fact in campaign.facts:
        lines.append(told(campaign.own, start, fact))
        start = fact.fold(start)
    assert [line for line in lines if line] == [
        "After the battle: Squad loses 4 figures; Tank is damaged.",
        "Squad rolls 6: replacements for 4 figures.",
        "Squad rolls 1: its Quality is now Conscript.",
        "Squad rolls 3: its Resolve stays Steady.",
        "Tank rolls 5: it is repaired.",
        "3 reinforcements come (2 + 1).",
        "A test gains 2 campaign points.",
        "3 reinforcements are not needed.",
        "1 campaign point spent for Squad.",
        "Squad: Quality is Regular now.",
        "1 campaign point spent for Squad.",
        "Squad: Resolve is Determined now.",
        "A test is ready for the next battle and keeps 0 campaign points.",
    ]


def test_every_fact_of_a_campaign_can_be_read() -> None:
    kinds = {kind for kind in vars(facts).values() if isinstance(kind, type) and issubclass(kind, CampaignFact)}
    assert set(get_args(AnyFact)) == kinds - {CampaignFact}
