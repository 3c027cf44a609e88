"""`underfire simulate`: whole games, the same for the same seed, and what they come to."""

from __future__ import annotations

import json
from typing import Any

import pytest

from server.cli import main
from server.commands.simulate import rules_asked, rules_told, share
from server.opponents.simulation import play
from server.rulesets.library import edition


def summary(capsys: pytest.CaptureFixture[str], *flags: str) -> dict[str, Any]:
    assert main(["simulate", "--scenario", "crossroads-patrol", "--games", "3", "--json", *flags]) == 0
    told: dict[str, Any] = json.loads(capsys.readouterr().out)
    return told


def test_a_seed_gives_the_same_games_again(capsys: pytest.CaptureFixture[str]) -> None:
    timed = {"seconds", "games_per_second", "steps_per_second"}
    one, again, other = (summary(capsys, "--seed", seed) for seed in ("5", "5", "50"))
    assert {k: v for k, v in one.items() if k not in timed} == {k: v for k, v in again.items() if k not in timed}
    assert one["steps"] != other["steps"]
    assert sum(one["winners"].values()) == one["games"] == 3
    assert one["refusals"] == 0


def test_options_reach_the_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert summary(capsys, "--option", "turn_limit=4", "--option", "deployment=blind")["turns_90_percent"] <= 4


def test_people_get_sentences(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["simulate", "--scenario", "crossroads-patrol", "--games", "1"]) == 0
    told = capsys.readouterr().out
    for word in (
        "Crossroads Patrol: 1 games",
        "games/s",
        "steps/s",
        "(median)",
        "winners",
        "refusals   0",
        "untouched",
    ):
        assert word in told


@pytest.mark.parametrize(
    ("flags", "sentence"),
    [
        (["--scenario", "moonbase"], "there is no scenario 'moonbase' in FAD 4"),
        (["--scenario", "ridge-farm", "--option", "turn_limit=99"], "the option 'turn_limit' cannot be '99'"),
        (["--scenario", "ridge-farm", "--option", "weather"], "'weather' is not KEY=VALUE"),
        (["--scenario", "ridge-farm", "--games", "0"], "at least one game"),
    ],
)
def test_what_cannot_be_played_is_a_sentence(
    flags: list[str], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["simulate", *flags]) == 1
    assert sentence in capsys.readouterr().err


def test_rules_are_counted_in_facts_in_numbers_and_in_prompts() -> None:
    rules = edition("fad4")
    told: set[str] = set()
    asked: set[str] = set()
    for played in play(rules, rules.open("crossroads-patrol", {}), 1):
        told |= rules_told(played.step.facts)
        asked |= rules_asked(played.ask)
    assert {"turn.initiative-roll", "fire.shooter-regular", "damage.roll"} <= told
    assert {"coherency.distance", "turn.alternate-activation", "assault.declare"} <= asked


def test_a_share_of_values_lies_at_or_below() -> None:
    assert [share([5, 1, 4, 2, 3], percent) for percent in (20, 50, 90, 100)] == [1, 3, 5, 5]
    assert share([], 50) == 0
