"""`underfire resolve`: a case runs as written, or ends with the sentence that says why not."""

from __future__ import annotations

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from server.cli import main
from server.kernel import cases
from server.opponents.simulation import play
from server.rulesets.library import EDITIONS, editions

SIDES = [
    {"id": "blue", "name": "Blue", "letter": "B", "shape": "circle"},
    {"id": "red", "name": "Red", "letter": "R", "shape": "square"},
]


def unit(side: str, y: float, **other: object) -> dict[str, object]:
    """Three figures in a row."""
    return {
        "id": side,
        "side": side,
        "name": side.title(),
        "quality": "regular",
        "resolve": "steady",
        "small_arm": "assault-rifle",
        "armour": "light",
        "figures": 3,
        "at": [[10, y], [13, y], [16, y]],
        **other,
    }


SETUP: dict[str, object] = {
    "format": "underfire setup 1",
    "edition": "fad4",
    "id": "two",
    "name": "Two squads",
    "side": SIDES,
    "unit": [unit("blue", 10), unit("red", 20)],
    "turn": {"number": 1, "phase": "activations", "first": "blue", "active": "blue"},
}
ACTIVATE = {"seat": "blue", "choice": "activate", "values": [{"unit": "blue"}]}


class Bench:
    """Writes a case and runs it."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._folder = folder
        self._capsys = capsys

    def resolve(self, answers: list[dict[str, Any]], dice: list[int], **other: object) -> list[dict[str, Any]]:
        """The steps of a case that runs."""
        code, out, err = self._run(answers, dice, **other)
        assert code == 0, err
        return [json.loads(line) for line in out.splitlines()]

    def fails(self, answers: list[dict[str, Any]], dice: list[int], **other: object) -> str:
        """The sentence of a case that does not run."""
        code, _, err = self._run(answers, dice, **other)
        assert code == 1
        return err.removeprefix("underfire: ").strip()

    def _run(self, answers: list[dict[str, Any]], dice: list[int], **other: object) -> tuple[int, str, str]:
        case = {"format": "underfire case 1", "setup": SETUP, "answer": answers, "dice": dice, **other}
        path = self._folder / "case.json"
        path.write_text(json.dumps(case), encoding="utf-8")
        code = main(["resolve", str(path)])
        out, err = self._capsys.readouterr()
        return code, out, err


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    return Bench(tmp_path, capsys)


def test_steps_tell_facts_numbers_stories_and_what_is_open(bench: Bench) -> None:
    fire = {"seat": "blue", "choice": "open-fire", "values": [{"unit": "red"}]}
    began, activated, fired = bench.resolve([ACTIVATE, fire], [4, 2, 1, 5])
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


def test_paths_are_inches(bench: Bench) -> None:
    move = {"seat": "blue", "choice": "move-out", "values": [{"paths": {"1": [[10, 12.5]]}}]}
    *_, last = bench.resolve([ACTIVATE, move], [])
    moved = next(fact for fact in last["facts"] if fact["type"] == "moved")
    assert moved["paths"] == {"1": [[10_000, 12_500]]}


def test_a_setup_may_stand_in_a_file_beside_the_case(bench: Bench, tmp_path: Path) -> None:
    (tmp_path / "two.json").write_text(json.dumps(SETUP), encoding="utf-8")
    assert len(bench.resolve([ACTIVATE], [], setup="two.json")) == 2
    assert "other.json" in bench.fails([ACTIVATE], [], setup="other.json")


def test_too_few_dice_and_dice_left_over_are_errors(bench: Bench) -> None:
    fire = {"seat": "blue", "choice": "open-fire", "values": [{"unit": "red"}]}
    assert bench.fails([ACTIVATE, fire], [4]) == "after answer 2, the rules ask for 2D6 and 1 scripted dice are left"
    assert bench.fails([ACTIVATE, fire], [4, 2, 1, 5, 6]) == "1 scripted dice were never rolled: [6]"
    assert bench.fails([ACTIVATE, fire], [4, 7]) == "after answer 2, a D6 has no face 7"


def test_a_refused_answer_is_an_error_with_its_sentence_and_rule(bench: Bench) -> None:
    far = {"seat": "blue", "choice": "move-out", "values": [{"paths": {"1": [[23, 10]]}}]}
    refused = bench.fails([ACTIVATE, far], [])
    assert refused == (
        'answer 2 (blue: move-out) is refused: Figure 1 would use 13" of movement; it has 12". [move.rush]'
    )


def test_an_answer_of_somebody_who_is_not_asked_is_an_error(bench: Bench) -> None:
    assert bench.fails([{"seat": "red"}], []) == "answer 1 is given by red; the rules ask blue"


def test_a_value_is_of_one_kind(bench: Bench) -> None:
    both = {"seat": "blue", "choice": "activate", "values": [{"unit": "blue", "angle": 3}]}
    assert "exactly one of" in bench.fails([both], [])


SCENARIOS = [(name, scenario.id) for name, rules in editions().items() for scenario in rules.info.scenarios]


@pytest.mark.parametrize(("name", "scenario"), SCENARIOS, ids=[scenario for _, scenario in SCENARIOS])
def test_what_was_played_is_a_case_in_every_edition(
    name: str, scenario: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = editions()[name]
    start = rules.open(scenario, {})
    played = list(itertools.islice(play(rules, start, 7), 30))
    answers = [(step.seat, step.picked) for step in played if step.picked is not None]
    dice = [face for step in played for taken in step.step.rolls for face in taken.faces]
    path = tmp_path / "played.json"
    path.write_text(json.dumps(cases.write(start, answers, dice)), encoding="utf-8")
    assert main(["resolve", str(path)]) == 0
    steps = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [len(step["facts"]) for step in steps] == [len(step.step.facts) for step in played]
    assert [list(step["open"]) for step in steps] == [list(step.ask.seats) if step.ask else [] for step in played]


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"format": "underfire case 2"}, "the case's format is 'underfire case 2'; this reads 'underfire case 1'"),
        ({"dices": []}, "the case does not fit its schema: Object contains unknown field `dices`"),
        ({"setup": {}}, "the setup does not say of which edition it is"),
        ({"setup": {"edition": "fad9"}}, f"there is no edition 'fad9' here; there are {', '.join(EDITIONS)}"),
    ],
)
def test_what_is_no_case_is_an_error(bench: Bench, change: dict[str, object], sentence: str) -> None:
    assert bench.fails([], [], **change) == sentence
