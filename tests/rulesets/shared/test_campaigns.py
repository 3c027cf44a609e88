"""What families do alike for a force after a battle."""

from __future__ import annotations

import pytest
from msgspec import Struct

from client_protocol.campaigns import Buy, CampaignDice, Odds
from client_protocol.forces import ForceUnit
from server.kernel.campaigns.facts import AnyFact, PointsGained, StepBegan
from server.kernel.campaigns.roster import Roster, RosterUnit
from server.kernel.campaigns.state import PostBattle
from server.kernel.errors import RulesetError
from server.rulesets.shared.campaigns.purchases import key_of, out_of_service, unpaid
from server.rulesets.shared.campaigns.rolls import first_back, of_table, refuse_faces
from server.rulesets.shared.campaigns.settings import settled
from server.rulesets.shared.campaigns.steps import passed
from server.rulesets.shared.campaigns.terms import stepped

LEVELS = {"low": 1, "middle": 2, "high": 3}


@pytest.mark.parametrize(
    ("level", "by", "then"), [("low", 1, "middle"), ("low", -1, "low"), ("high", 1, "high"), ("middle", -1, "low")]
)
def test_a_level_never_goes_beyond_the_ends_of_the_list(level: str, by: int, then: str) -> None:
    assert stepped(LEVELS, level, by) == then


def test_the_faces_with_the_same_result_are_one_row_of_odds() -> None:
    assert of_table(["none", "none", "half", "half", "half", "all"]) == (
        Odds("none", 2, 6),
        Odds("half", 3, 6),
        Odds("all", 1, 6),
    )


@pytest.mark.parametrize("faces", [(), (1,), (1, 2, 3), (0, 1), (1, 7)])
def test_other_faces_than_those_that_are_due_are_refused(faces: tuple[int, ...]) -> None:
    due = CampaignDice("some", -1, 2, "What comes?", ())
    refuse_faces(due, (1, 6))
    with pytest.raises(ValueError, match=r"What comes\? 2 faces from 1 to 6 are due"):
        refuse_faces(due, faces)


def test_steps_without_a_decision_pass_until_there_is_one() -> None:
    def undecided(state: PostBattle) -> tuple[AnyFact, ...]:
        return (PointsGained(points=2),) if state.roster.points < 5 else ()

    begins = StepBegan(step="spend")
    state = PostBattle(Roster("toy", "A test", ()))
    assert passed(state, (begins,), undecided) == (begins, *[PointsGained(points=2)] * 3)


def test_what_is_bought_has_a_key_and_a_price() -> None:
    state = PostBattle(Roster("toy", "A test", (), points=1))
    assert key_of(Buy("medal", 3)) == "medal:3"
    assert unpaid(state, 1) == ""
    assert unpaid(state, 2) == "It costs 2 campaign points; the force has 1."


def test_the_first_of_the_list_come_back_first_and_a_unit_without_figures_is_not_in_service() -> None:
    unit = RosterUnit(ForceUnit("infantry", "Squad"), 4, missing=(1, 3, 4))
    assert first_back(unit, 2) == (1, 3)
    assert out_of_service(unit) == ""
    assert out_of_service(RosterUnit(unit.started, 1, missing=(1,))) == "Squad is not in service."


def test_a_setting_that_there_is_not_or_that_is_of_a_wrong_type_is_refused() -> None:
    class Settings(Struct, forbid_unknown_fields=True):
        kept: bool = True

    assert settled({"kept": False}, Settings) == Settings(kept=False)
    for wrong in ({"kept": 1}, {"lost": True}):
        with pytest.raises(RulesetError, match="a setting of the campaign cannot be used"):
            settled(wrong, Settings)
