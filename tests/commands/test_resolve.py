"""`underfire resolve`: a case runs as written, or ends with the sentence that says why not."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from server.kernel.cases import resolving
from server.kernel.facts import Rolled
from server.kernel.files import setups
from server.opponents.simulation import play
from server.rulesets.library import EDITIONS, editions
from tests.support.case_bench import ACTIVATE, FIRE, SETUP, Bench


def test_steps_tell_facts_numbers_stories_and_what_is_open(bench: Bench) -> None:
    began, activated, fired = bench.resolve([ACTIVATE, FIRE], [4, 2, 1, 5])
    assert began["answer"] is None
    assert [choice["key"] for choice in began["open"]["blue"]["choices"]] == ["activate"]
    assert [fact["type"] for fact in activated["facts"]] == ["activation"]
    effect = next(fact for fact in fired["facts"] if fact["type"] == "rolled")
    assert effect["story"] == "Fire Effect 8 against Red in open ground, 3 per hit: 2 hits."
    assert [(line["amount"], line["rule"]) for line in effect["numbers"][0]["lines"]] == [
        (4, "fire.effect-roll"),
        (2, "action.open-fire"),
        (1, "fire.shooter-regular"),
        (1, "fire.shooter-riflemen"),
    ]
    assert list(fired["open"]) == ["red"]


def test_an_answer_without_a_choice_takes_what_is_proposed(bench: Bench) -> None:
    *_, last = bench.resolve([{"seat": "blue"}, {"seat": "blue"}], [])
    assert last["answer"] == {"seat": "blue", "choice": "hold", "values": []}


def test_paths_of_a_case_are_in_inches(bench: Bench) -> None:
    move = {"seat": "blue", "choice": "move-out", "values": [{"paths": {"1": [[10, 12.5]]}}]}
    *_, last = bench.resolve([ACTIVATE, move], [])
    moved = next(fact for fact in last["facts"] if fact["type"] == "moved")
    assert moved["paths"] == {"1": [[10_000, 12_500]]}


def test_a_case_may_name_a_setup_file_in_its_own_folder(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text(json.dumps(SETUP), encoding="utf-8")
    assert len(bench.resolve([ACTIVATE], [], setup="two.json")) == 2
    assert "other.json" in bench.fails([ACTIVATE], [], setup="other.json")


def test_too_few_dice_and_dice_left_over_are_errors(bench: Bench) -> None:
    few = "answer 2: the next roll is 2D6 for 'fire_effect', and 1 die is left: 4"
    assert bench.fails([ACTIVATE, FIRE], [4]) == few
    assert bench.fails([ACTIVATE, FIRE], [4, 2, 1, 5, 6]) == "1 die was never rolled: 6"
    seven = "answer 2: the next roll is 2D6 for 'fire_effect', and a D6 has no face 7"
    assert bench.fails([ACTIVATE, FIRE], [4, 7]) == seven


def test_a_refused_answer_is_an_error_with_its_sentence_and_rule(bench: Bench) -> None:
    far = {"seat": "blue", "choice": "move-out", "values": [{"paths": {"1": [[23, 10]]}}]}
    refused = bench.fails([ACTIVATE, far], [])
    assert refused == (
        'answer 2 (blue: move-out) is refused: Figure 1 would use 13" of movement; it has 12". [move.rush]'
    )


def test_an_answer_of_a_seat_that_is_not_asked_is_an_error(bench: Bench) -> None:
    assert bench.fails([{"seat": "red"}], []) == "answer 1: red is not asked; the rules ask blue"


def test_a_value_is_of_one_kind(bench: Bench) -> None:
    both = {"seat": "blue", "choice": "activate", "values": [{"unit": "blue", "angle": 3}]}
    assert "exactly one of" in bench.fails([both], [])


SCENARIOS = [(name, scenario.id) for name, rules in editions().items() for scenario in rules.info.scenarios]


@pytest.mark.parametrize(("name", "scenario"), SCENARIOS, ids=[scenario for _, scenario in SCENARIOS])
def test_a_played_game_written_as_a_case_gives_the_same_steps_in_every_edition(
    name: str, scenario: str, bench: Bench
) -> None:
    rules = editions()[name]
    start = rules.open(scenario, {})
    played = list(itertools.islice(play(rules, start, 7), 60))
    answers = [(step.seat, step.picked) for step in played if step.picked is not None]
    dice = [face for step in played for taken in step.step.rolls for face in taken.faces]
    case = resolving.write(start, answers, dice)
    ran = bench.run_file(case)
    assert ran.code == 0, ran.errors
    steps = ran.steps
    assert [len(step["facts"]) for step in steps] == [len(step.step.facts) for step in played]
    assert [list(step["open"]) for step in steps] == [list(step.ask.seats) if step.ask else [] for step in played]
    # Every roll says what it is for, as its fact does, but one in secret has none; and the dice as they are printed serve as the
    # dice of a case.
    rolled = [[fact.purpose for fact in one.step.facts if isinstance(fact, Rolled)] for one in played]
    openly = [
        [row["for"] for row, taken in zip(step["rolls"], one.step.rolls, strict=True) if not taken.stream]
        for step, one in zip(steps, played, strict=True)
    ]
    assert openly == rolled
    assert any(rolled)
    labelled = bench.run_file({**case, "dice": [roll for step in steps for roll in step["rolls"]]})
    assert (labelled.code, labelled.steps) == (0, steps)
    # Where it ends is a position to go on from. A side whose last unit is activating hands on to the next one.
    position = ran.end["position"]
    again: dict[str, Any] = setups.write(rules.read(position))
    again["turn"]["active"] = position["turn"]["active"]
    assert again == position
    assert ran.end["open"] == steps[-1]["open"]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "underfire case 2"}, "the case's format is 'underfire case 2'; this reads 'underfire case 1'"),
        (
            {"dices": []},
            (
                "the case does not fit its schema: there is no field `dices` here; "
                "the fields are format, setup, changes, answer, dice, about, programs, expect, question"
            ),
        ),
        ({"setup": {}}, "the setup does not say of which edition it is"),
        ({"setup": {"edition": "fad9"}}, f"there is no edition 'fad9' here; there are {', '.join(EDITIONS)}"),
    ],
)
def test_a_malformed_case_is_an_error(bench: Bench, change: dict[str, object], sentence: str) -> None:
    assert bench.fails([], [], **change) == sentence
