"""Campaign points: what they buy, for how much, and when they do not."""

from __future__ import annotations

import pytest

from client_protocol.campaigns import Buy, GoOn
from server.kernel.campaigns.facts import FieldChanged, PointsSpent, StepsDone, StruckOff, UnitRestored
from tests.rulesets.fubar4.campaigns import Campaign, begun
from tests.rulesets.fubar4.test_forces import section, tank


def worn(battles: int = 0) -> Campaign:
    """Return a campaign in which points are spent after so many battles without losses and one with every kind of loss."""
    own = begun(
        section({"count": 8}), tank("rpg", level="veteran"), section(name="Other"), section({"count": 2}, name="Lost")
    )
    for _ in range(battles):
        own.battle().ends()
    own.battle({"Section": 5, "Tank": "damaged", "Lost": 2})
    return own.rolls(3, 3, 3, 1, 3, 3, 1)


def test_everything_is_offered_that_the_points_pay_for() -> None:
    own = worn()
    assert own.prompt.title == "What is bought? There are 4 campaign points."
    assert own.prompt.default == GoOn()
    assert own.offered == {
        "Keep the points": 0,
        "Section: full strength, 8 instead of 6": 2,
        "Section: level Veteran": 3,
        "Tank: repaired": 1,
        "Other: level Veteran": 3,
        "Lost: full strength, 2 instead of 0": 2,
    }
    own.answers(Buy("level", 0))
    assert own.offered == {"Keep the points": 0, "Tank: repaired": 1}
    assert own.refuses(Buy("level", 2)) == "It costs 3 campaign points; the force has 1."


def test_replacements_bring_a_unit_to_full_strength_also_one_without_figures() -> None:
    own = worn().answers(Buy("replacements", 3)).answers(Buy("replacements", 0))
    assert own.facts[-5:] == [
        PointsSpent(what="replacements", points=2, key="replacements:3", unit=3),
        UnitRestored(unit=3),
        PointsSpent(what="replacements", points=2, key="replacements:0", unit=0),
        UnitRestored(unit=0),
        StepsDone(points=0),
    ]
    assert [unit.strength for unit in own.state.roster.units] == [8, 1, 5, 2]
    assert own.of(StruckOff) == []


def test_a_level_is_bought_once_for_each_unit_and_battle() -> None:
    own = worn(battles=1).answers(Buy("level", 0))
    assert own.facts[-2:] == [
        PointsSpent(what="level", points=3, key="level:0", unit=0),
        FieldChanged(unit=0, key="level", value="veteran"),
    ]
    assert own.refuses(Buy("level", 0)) == "Section has had such an improvement after this battle."
    own.answers(Buy("level", 2)).ends()
    own.battle().ends()
    assert own.state.roster.points == 6
    own.battle().rolls(3, 3, 3)
    why = "Section is Veteran; no better level than Veteran can be bought."
    assert own.refuses(Buy("level", 0)) == why


def test_dice_may_bring_the_level_that_points_do_not() -> None:
    own = begun(section(level="veteran")).battle().rolls(6)
    assert own.now("Section").fields["level"] == "elite"
    assert own.rules.due(own.state) is None, "nothing can be bought"
    own.battle({"Section": 3})
    assert own.rolls(1, 3).refuses(Buy("level", 0)) == "Section is Veteran; no better level than Veteran can be bought."


def test_a_damaged_vehicle_is_repaired() -> None:
    own = worn().answers(Buy("repair_vehicle", 1))
    assert own.facts[-2:] == [
        PointsSpent(what="repair_vehicle", points=1, key="repair_vehicle:1", unit=1),
        UnitRestored(unit=1),
    ]
    assert own.answers().rules.fielded(own.state.roster) == (0, 1, 2), "Lost is struck off"


def test_a_destroyed_vehicle_is_replaced_by_one_of_its_level_now() -> None:
    own = begun(tank("rpg", level="veteran"), section()).battle({"Tank": "lost"}).rolls(1, 5, 3)
    assert own.offered == {"Keep the points": 0, "Tank: replaced": 4, "Section: level Veteran": 3}
    assert own.answers(Buy("replace_vehicle", 0)).of(PointsSpent, UnitRestored) == [
        PointsSpent(what="replace_vehicle", points=4, key="replace_vehicle:0", unit=0),
        UnitRestored(unit=0),
    ]
    assert own.now("Tank").fields["level"] == "seasoned", "its die was a 1 after heavy losses"
    own = begun(tank("rpg"), section()).battle({"Tank": "lost"}).rolls(3, 5, 3).answers()
    assert own.of(StruckOff) == [StruckOff(unit=0)]


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (Buy("replacements", 1), "Tank is a vehicle: it is repaired or replaced."),
        (Buy("replacements", 2), "Other is at full strength."),
        (Buy("level", 1), "Tank is Veteran; no better level than Veteran can be bought."),
        (Buy("level", 3), "Lost is not in service."),
        (Buy("repair_vehicle", 0), "Section is no damaged vehicle."),
        (Buy("replace_vehicle", 1), "Tank is no destroyed vehicle."),
        (Buy("level", 9), "There is no such unit on the roster."),
        (Buy("level"), "There is no such unit on the roster."),
        (Buy("medals", 0), "Campaign points do not buy 'medals'."),
        (Buy("of", 0), "Campaign points do not buy 'of'."),
    ],
)
def test_what_cannot_be_bought_is_refused_with_a_sentence(answer: Buy, why: str) -> None:
    assert worn().refuses(answer) == why


def test_a_unit_that_was_struck_off_has_no_purchases() -> None:
    own = worn().answers()
    own.battle().rolls(3, 1, 3)
    assert own.refuses(Buy("replacements", 3)) == "There is no such unit on the roster."


def test_points_are_kept_unless_the_league_settles_otherwise() -> None:
    own = begun(section()).battle().rolls(3).answers().battle().rolls(3)
    assert own.state.roster.points == 8
    own = begun(section(), bank_points=False).battle().rolls(3)
    assert own.prompt.offers[0].label == "Spend no more"
    assert own.answers().facts[-1] == StepsDone(points=0)
