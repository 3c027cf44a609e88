"""What a file may say of a side that the rules play."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from server.kernel.programs import UNCONTROLLED
from server.matches.log.entries import Stepped
from server.matches.log.finding import Wrong
from server.matches.verify.desk import check_played
from server.rulesets.library import edition

START = edition("fad4").open("crossroads-patrol", {})
STATE = replace(START, desk=replace(START.desk, programs={"red": UNCONTROLLED}))


def stepped(seat: str, played: str) -> Stepped:
    """Return the step of an answer that was given in this way."""
    return Stepped(seat=seat, picked=Picked("hold"), played=played)


def test_a_side_that_the_rules_play_decides_by_them_or_has_conceded() -> None:
    check_played(2, stepped("red", UNCONTROLLED), STATE)
    check_played(2, stepped("blue", ""), STATE)
    conceded = replace(STATE, desk=replace(STATE.desk, conceded=("red",)))
    check_played(2, stepped("red", "conceded"), conceded)


@pytest.mark.parametrize(
    ("seat", "played", "sentence"),
    [
        ("red", "", "red is uncontrolled, and its decision was not made by the rules"),
        ("red", "time", "red is uncontrolled, and its decision was not made by the rules"),
        ("blue", UNCONTROLLED, "the rules decide for blue, which they do not play"),
    ],
)
def test_no_other_decision_of_it_is_right_and_the_rules_decide_for_no_player(
    seat: str, played: str, sentence: str
) -> None:
    with pytest.raises(Wrong, match=sentence):
        check_played(2, stepped(seat, played), STATE)
