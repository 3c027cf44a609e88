"""Campaigns: what a battle does to a force, and the dice after it."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

import msgspec
import pytest

from client_protocol.campaigns import Buy, FormSquad, GoOn, Level, Odds
from client_protocol.from_server import OptionChoice, OptionInfo
from server.kernel.campaigns.facts import (
    AnyFact,
    BattleFought,
    FiguresReplaced,
    LevelTested,
    PointsGained,
    StepBegan,
    StepsDone,
    StruckOff,
    UnitHurt,
    VehicleReplaced,
)
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.state import Rolling
from server.kernel.errors import RulesetError
from tests.rulesets.fubar4.battlefield import fubar4
from tests.rulesets.fubar4.campaigns import begun, campaign
from tests.rulesets.fubar4.test_forces import force, section, tank

# --- the steps --------------------------------------------------------------------------------------------------------


def test_each_unit_rolls_for_its_level_and_then_for_what_it_lost() -> None:
    own = begun(section({"count": 8}), tank("rpg"), section(name="Other"), section(name="Unhurt"))
    own.battle({"Section": 5, "Tank": "lost", "Other": 1})
    assert own.facts == [
        BattleFought(
            hurt=(UnitHurt(0, (4, 5, 6, 7, 8), 5), UnitHurt(1, condition="lost"), UnitHurt(2, (5,), 1)),
            rolls=(
                Rolling("level", 0),
                Rolling("replacements", 0),
                Rolling("level", 1),
                Rolling("replacements", 1),
                Rolling("level", 2),
                Rolling("replacements", 2),
                Rolling("level", 3),
            ),
            fought=(0, 1, 2, 3),
        )
    ]
    own.rolls(2, 3, 4, 6, 6, 1, 5)
    assert own.facts[1:] == [
        LevelTested(unit=0, face=2, field="level", level="green"),
        FiguresReplaced(unit=0, face=3, figures=(4, 5, 6)),
        LevelTested(unit=1, face=4, field="level", level="seasoned"),
        VehicleReplaced(unit=1, face=6, condition="fit"),
        LevelTested(unit=2, face=6, field="level", level="veteran"),
        FiguresReplaced(unit=2, face=1),
        LevelTested(unit=3, face=5, field="level", level="seasoned"),
        PointsGained(points=4),
        StepBegan(step="spend"),
    ]
    own.answers()
    assert own.facts[-1] == StepsDone(points=4)
    assert own.rules.due(own.state) is None
    assert [unit.strength for unit in own.state.roster.units] == [6, 1, 4, 5]
    assert [(unit.battles, unit.lost) for unit in own.state.roster.units] == [(1, 5), (1, 1), (1, 1), (1, 0)]


def test_steps_without_dice_and_without_offers_pass() -> None:
    own = begun(section(level="elite")).battle()
    assert own.facts == [
        BattleFought(hurt=(), rolls=(), fought=(0,)),
        PointsGained(points=4),
        StepBegan(step="spend"),
        StepsDone(points=4),
    ]


def test_a_unit_without_free_space_was_not_in_the_battle() -> None:
    rules = campaign()
    roster = rules.enlist(force(section(), section(name="Other")))
    (fact,) = rules.after_battle(roster, [UnitOutcome(0, 5), UnitOutcome(1, 5, left="no_room")])
    assert isinstance(fact, BattleFought)
    assert (fact.fought, fact.rolls) == ((0,), (Rolling("level", 0),))


def test_a_force_that_the_rules_refuse_begins_no_campaign() -> None:
    with pytest.raises(ValueError, match="has 2 leaders"):
        begun(section({"count": 2, "leader": True}))


def test_a_force_may_have_as_many_support_weapons_as_some_match_allows() -> None:
    own = begun(section({"count": 4, "support": "rpg"})).battle().ends()
    assert own.unit("Section").strength == 4


def test_outcomes_of_another_force_are_refused() -> None:
    own, other = begun(section()), begun(section({"count": 6}))
    with pytest.raises(ValueError, match="not the outcomes of the force"):
        own.rules.after_battle(own.state.roster, other.outcomes({}))


def test_answers_and_dice_that_are_not_due_are_refused_with_a_sentence() -> None:
    own = begun(section()).battle()
    with pytest.raises(ValueError, match=r"Does the level of Section change\? 1 faces from 1 to 6 are due"):
        own.rules.rolled(own.state, [1, 2])
    with pytest.raises(ValueError, match="1 faces from 1 to 6 are due"):
        own.rules.rolled(own.state, [7])
    assert own.refuses(GoOn()) == own.refuses(Buy("level", 0)) == "Something else is asked now."
    own.rolls(1)
    assert own.refuses(FormSquad(2)) == "Something else is asked now."
    with pytest.raises(ValueError, match="No dice are due"):
        own.rules.rolled(own.state, [1])


# --- levels -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("lost", "odds"),
    [
        (0, (Odds("Its level is Seasoned", 5, 6), Odds("Its level is Veteran", 1, 6))),
        (4, (Odds("Its level is Seasoned", 5, 6), Odds("Its level is Veteran", 1, 6))),
        (5, (Odds("Its level is Green", 2, 6), Odds("Its level is Seasoned", 4, 6))),
        (8, (Odds("Its level is Green", 2, 6), Odds("Its level is Seasoned", 4, 6))),
    ],
)
def test_a_unit_rises_on_a_six_and_may_fall_after_the_loss_of_more_than_half(lost: int, odds: tuple[Odds, ...]) -> None:
    assert begun(section({"count": 8})).battle({"Section": lost}).dice.odds == odds


def test_heavy_losses_are_of_the_figures_in_the_battle() -> None:
    own = begun(section({"count": 8})).battle({"Section": 4}).rolls(3, 1).answers()
    assert own.battle({"Section": 2}).rolls(6).unit("Section").fields["level"] == "veteran"
    own.ends()
    assert own.battle({"Section": 2}).dice.odds[0] == Odds("Its level is Seasoned", 2, 6), "2 of 3"


@pytest.mark.parametrize(("level", "lost"), [("elite", 0), ("green", 5)])
def test_no_die_is_rolled_that_could_not_change_a_level(level: str, lost: int) -> None:
    own = begun(section(level=level)).battle({"Section": lost})
    assert not [fact for fact in own.of(BattleFought) if Rolling("level", 0) in fact.rolls]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("level", "leaders", "rises", "then"),
    [
        ("seasoned", "veteran", 1, "veteran"),
        ("seasoned", "veteran", 2, "same"),
        ("seasoned", "green", 0, "green"),
        ("seasoned", "green", 1, "same"),
        ("seasoned", "same", 1, "same"),
    ],
)
def test_a_leader_keeps_up_with_a_unit_that_rises(level: str, leaders: str, rises: int, then: str) -> None:
    own = begun(section({"leader": True, "leader_level": leaders}, {"count": 3}, level=level))
    for _ in range(rises):
        own.battle().rolls(6).ends()
    leader, others = own.now("Section").rows["figures"]
    assert (leader["leader_level"], others["leader_level"]) == (then, "same")
    assert own.rules.levels(own.unit("Section"))[0].started == "Seasoned"


# --- lost figures -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("face", "back"),
    [(1, ()), (2, (4, 5, 6)), (3, (4, 5, 6)), (4, (4, 5, 6)), (5, (4, 5, 6, 7, 8)), (6, (4, 5, 6, 7, 8))],
)
def test_a_die_says_how_many_of_the_lost_come_back(face: int, back: tuple[int, ...]) -> None:
    own = begun(section({"count": 8})).battle({"Section": 5}).rolls(3)
    assert own.dice.odds == (Odds("0 of 5", 1, 6), Odds("3 of 5", 3, 6), Odds("5 of 5", 2, 6))
    own.rolls(face)
    assert own.of(FiguresReplaced) == [FiguresReplaced(unit=0, face=face, figures=back)]
    assert own.now("Section").rows["figures"][0]["count"] == 3 + len(back)


def test_only_those_lost_in_the_last_battle_come_back_and_the_first_of_the_list_first() -> None:
    own = begun(section({"leader": True}, {"count": 2, "support": "rpg"}, {"count": 5}))
    own.battle({"Section": (1, 2, 8)}).rolls(3, 1).ends()
    assert own.unit("Section").missing == (1, 2, 8)
    assert [(row["count"], row["leader"], row["support"]) for row in own.now("Section").rows["figures"]] == [
        (1, False, "rpg"),
        (4, False, "none"),
    ]
    own.battle({"Section": (5,)})
    assert own.state.lost == {0: 1}
    assert own.rolls(3, 6).unit("Section").missing == (2, 7, 8), "the leader's place is filled first"


def test_a_unit_that_was_wiped_out_may_come_back_and_is_struck_off_if_it_does_not() -> None:
    own = begun(section(), section(name="Other"), section(name="Third"))
    own.battle({"Section": 5, "Other": 5}).rolls(1, 2, 3, 1, 3)
    assert own.unit("Section").strength == 3
    own.answers()
    assert own.of(StruckOff) == [StruckOff(unit=1)]
    assert own.rules.fielded(own.state.roster) == (0, 2)
    assert own.rules.sits_out(own.unit("Other")) == "Other has been struck off."


# --- vehicles ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("face", range(1, 7))
def test_a_damaged_vehicle_is_repaired_on_3_and_a_destroyed_one_on_6(face: int) -> None:
    own = begun(tank("rpg", seats=6), section()).battle({"Tank": "damaged"}).rolls(3)
    assert own.dice.odds == (Odds("Not repaired", 2, 6), Odds("Repaired", 4, 6))
    assert own.rolls(face).unit("Tank").condition == ("fit" if face >= 3 else "damaged")
    own = begun(tank("rpg"), section()).battle({"Tank": "lost"}).rolls(3)
    assert own.dice.odds == (Odds("Not repaired", 5, 6), Odds("Repaired", 1, 6))
    assert own.rolls(face).unit("Tank").condition == ("fit" if face == 6 else "lost")


def test_a_damaged_vehicle_sits_out_and_rolls_again() -> None:
    own = begun(tank("rpg"), section()).battle({"Tank": "damaged"}).rolls(3, 2, 3).answers()
    assert own.rules.sits_out(own.unit("Tank")) == "Tank is damaged, and sits out until it is repaired."
    assert own.rules.fielded(own.state.roster) == (1,)
    own.battle()
    assert own.facts[0] == BattleFought(hurt=(), rolls=(Rolling("replacements", 0), Rolling("level", 1)), fought=(1,))
    own.rolls(3, 3).answers()
    assert own.rules.fielded(own.state.roster) == (0, 1)
    assert own.unit("Tank").battles == 1


def test_a_force_without_a_unit_that_can_fight_has_no_next_match() -> None:
    own = begun(tank("rpg")).battle({"Tank": "damaged"}).rolls(3, 1).answers()
    assert own.rules.force_of(own.state.roster) is None
    assert own.rules.sits_out(begun(section()).battle({"Section": 5}).unit("Section")) == "Section has no figure left."


# --- words and settings -----------------------------------------------------------------------------------------------


def test_what_happens_is_told_in_sentences() -> None:
    own = begun(section({"count": 8}), tank("rpg"), section(name="Other"))
    before = own.state
    own.battle({"Section": 5, "Tank": "damaged", "Other": 5}).rolls(2, 3, 3, 1, 3, 1)
    own.answers(Buy("repair_vehicle", 1)).answers(Buy("level", 0)).ends()
    told = []
    for fact in own.facts:
        assert isinstance(fact, get_args(AnyFact))
        assert msgspec.json.decode(msgspec.json.encode(fact), type=AnyFact) == fact
        told.append(own.rules.told(before, fact))
        before = fact.fold(before)
    assert [sentence for sentence in told if sentence] == [
        "After the battle: Section loses 5 figures; Tank is damaged; Other loses 5 figures.",
        "Section rolls 2: its level is now Green.",
        "Section rolls 3: 3 figures come back.",
        "Tank rolls 3: its level stays Seasoned.",
        "Tank rolls 1: it is not repaired.",
        "Other rolls 3: its level stays Seasoned.",
        "Other rolls 1: no figure comes back.",
        "A test gains 4 campaign points.",
        "1 campaign point spent for Tank.",
        "Tank is repaired.",
        "3 campaign points spent for Section.",
        "Section: its level is Seasoned now.",
        "Other is struck off the roster.",
        "A test is ready for the next battle and keeps 0 campaign points.",
    ]


def test_a_unit_has_a_kind_and_a_level_in_words() -> None:
    own = begun(section(), tank("rpg", level="green"))
    assert [own.rules.kind(unit) for unit in own.state.roster.units] == ["Infantry", "Vehicle"]
    own.battle().rolls(6, 3)
    assert own.rules.levels(own.unit("Section")) == (Level("Level", "Veteran", "Seasoned"),)
    assert own.rules.levels(own.unit("Tank")) == (Level("Level", "Green", "Green"),)


def test_a_league_is_told_that_the_rules_are_ours_and_settles_whether_points_are_kept() -> None:
    ours = OptionChoice("underfire", "FUBAR has no rules for campaigns; these are Underfire's own.")
    assert fubar4().info.campaign == (
        OptionInfo("rules", "Rules of the campaign", (ours,), "underfire"),
        OptionInfo(
            "bank_points",
            "Campaign points that are not spent",
            (
                OptionChoice(value=True, label="They are kept for later."),
                OptionChoice(value=False, label="They are lost."),
            ),
            default=True,
        ),
    )
    assert begun(section(), bank_points=False).battle().ends().state.roster.points == 0
    assert begun(section(), rules="underfire").battle().ends().state.roster.points == 4
    for wrong in ({"rules": "theirs"}, {"bank_points": 3}, {"traits": "any"}):
        with pytest.raises(RulesetError, match="a setting of the campaign cannot be used"):
            campaign(**wrong)


def test_the_page_on_leagues_gives_the_tables_that_are_played() -> None:
    table, levels = fubar4().book.tables.campaign, fubar4().book.levels
    page = (Path(__file__).parents[3] / "docs" / "leagues.md").read_text("utf-8")
    changes = {-1: "one level lower", 0: "no change", 1: "one level higher"}
    parts = {0: "none", 50: "half, rounded up", 100: "all"}
    rows = [
        f"| {face} | {changes[table.level_change[face - 1]]} | {changes[table.heavy_level_change[face - 1]]} |"
        for face in range(1, 7)
    ]
    rows += [f"| {face} | {parts[table.recovered[face - 1]]} |" for face in range(1, 7)]
    rows += [
        f"| {face} | {_yes(table.repaired[face - 1])} | {_yes(table.salvaged[face - 1])} |" for face in range(1, 7)
    ]
    prices = table.prices
    rows += [
        f"| an infantry unit has all its figures again | {prices.replacements} |",
        f"| a unit rises by one level, up to {levels[table.best_level].name} | {prices.level} |",
        f"| a damaged vehicle is repaired | {prices.repair_vehicle} |",
        f"| another vehicle takes the place of a destroyed one | {prices.replace_vehicle} |",
        f"Each force gains {table.points} campaign points after each battle",
    ]
    assert [row for row in rows if row not in page] == []
    assert table.heavy == 50, "the page says: more than half"


def _yes(repaired: bool) -> str:
    return "repaired" if repaired else "not repaired"
