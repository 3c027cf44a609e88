"""Questions of a case: asked anywhere, answered in the rules' words, and held against what is expected."""

from __future__ import annotations

import pytest

from tests.support.case_bench import ACTIVATE, FIRE, Bench, Row

HEDGE = {"id": "hedge", "kind": "hedge", "outline": [[5, 19], [25, 19]]}


def about(topic: str, unit: str = "blue", target: str = "red", **other: object) -> Row:
    return {"ask": topic, "unit": unit, "target": target, **other}


def asked(bench: Bench, *questions: Row, **other: object) -> list[Row]:
    """The answers to questions that are asked at the first prompt, each the only one."""
    (step,) = bench.resolve([], [], question=list(questions), **other)
    return [row for question in step["questions"] for row in question["answers"]]


def problem(bench: Bench, question: Row) -> str:
    return bench.fails([], [], question=[question])


def test_range_is_measured_and_explained(bench: Bench) -> None:
    (row,) = asked(bench, about("range"))
    assert row["sentence"] == 'Red is 9" away from Blue, in close range of its Assault rifles.'
    assert row["rule"] == "shoot.range-bands"
    numbers = {number["label"]: number["value"] for number in row["numbers"]}
    assert numbers["Distance"] == 9_000
    assert numbers["Close range up to"] == 20_000
    (far,) = asked(bench, about("range", figure="1", target_figure="3"))
    assert far["sentence"].startswith('Figure 3 of Red is 10.7" away from Figure 1 of Blue')


def test_sight_is_told_by_figure(bench: Bench) -> None:
    (row,) = asked(bench, about("sight"))
    assert (row["sentence"], row["holds"]) == ("3 of 3 figures of Blue see 3 of 3 figures of Red.", True)
    wall = {"id": "shed", "kind": "cliff", "outline": [[5, 14], [12, 14], [12, 16], [5, 16]]}
    hidden = {**bench.setup, "terrain": [wall]}
    (row,) = asked(bench, about("sight", figure="1", target_figure="1"), setup=hidden)
    assert (row["sentence"], row["holds"]) == ("Figure 1 of Blue does not see Figure 1 of Red.", False)
    assert row["parts"][0]["sentence"].endswith("because of Sheer rock (shed).")


def test_cover_says_what_gives_it(bench: Bench) -> None:
    (row,) = asked(bench, about("cover"), setup={**bench.setup, "terrain": [HEDGE]})
    assert row["sentence"] == "Red against Blue: partial cover; 3 of 3 figures are in cover."
    assert (row["rule"], row["holds"]) == ("hits.half-in-cover", True)
    assert row["parts"][0] == {
        "sentence": "Figure 1 of Red: partial cover by Hedge (hedge).",
        "rule": "hits.partial-cover",
        "holds": True,
    }
    assert [(number["label"], number["value"]) for number in row["numbers"]] == [("Points for each hit", 4)]


def test_without_a_target_all_enemies_are_asked_about(bench: Bench) -> None:
    far = {**bench.setup["unit"][1], "id": "far", "name": "Far", "at": [[10, 47], [13, 47], [16, 47]]}
    setup = {**bench.setup, "unit": [*bench.setup["unit"], far]}
    rows = asked(bench, {"ask": "range", "unit": "blue"}, setup=setup)
    assert [row["target"] for row in rows] == ["red", "far"]


def test_questions_are_asked_before_between_and_after_answers(bench: Bench) -> None:
    fire = [about("fire", unit="red", target="blue")]
    steps = bench.resolve(
        [{**ACTIVATE, "question": fire}, {**FIRE, "question": [about("range"), *fire]}], [4, 2, 1, 5], question=fire
    )
    assert [len(step["questions"]) for step in steps] == [1, 1, 2]
    assert [step["questions"][-1]["answers"][0]["parts"][0]["sentence"] for step in steps] == [
        "Figures 1, 2 and 3 of Red see the target and can fire.",
        "Figures 1, 2 and 3 of Red see the target and can fire.",
        "Figures 1 and 3 of Red see the target and can fire.",
    ]


def test_a_question_can_be_asked_where_an_answer_is_refused(bench: Bench) -> None:
    far = {"seat": "blue", "choice": "move-out", "values": [{"paths": {"1": [[23, 10]]}}]}
    *_, told = bench.resolve([ACTIVATE, {**far, "refused": {}, "question": [about("range")]}], [])
    assert told["questions"][0]["answers"][0]["target"] == "red"


def test_units_can_be_asked_about_where_they_are_not(bench: Bench) -> None:
    there = {"red": {"1": [10, 24], "2": [13, 24], "3": [16, 24]}}
    (step,) = bench.resolve([], [], question=[about("range", places=there), about("range")])
    elsewhere, here = step["questions"]
    assert elsewhere["answers"][0]["numbers"][0]["value"] == 13_000
    assert here["answers"][0]["numbers"][0]["value"] == 9_000
    assert "problems" not in elsewhere
    crowded = {"red": {"1": [10, 10]}}
    (step,) = bench.resolve([], [], question=[about("range", places=crowded)])
    assert "Figure 1 of Red would stand on another base or in a vehicle." in step["questions"][0]["problems"]


def test_a_preview_has_the_odds_that_the_browser_shows(bench: Bench) -> None:
    shot = {"ask": "preview", "seat": "blue", "choice": "open-fire", "values": [{"unit": "red"}]}
    *_, activated = bench.resolve([{**ACTIVATE, "question": [shot]}], [])
    (row,) = activated["questions"][0]["answers"]
    assert (row["title"], row["dice"]) == ("Blue at Red", "highest of 2D6")
    # The higher of two dice and 4, by 3: one hit in 1 case of 36, two in 15, three in 20.
    assert row["chances"]["Expected hits"] == "2.5"
    assert row["notes"] == ["3 of 3 figures fire; 3 can be hit."]


def test_the_preview_of_what_would_be_refused_says_so(bench: Bench) -> None:
    far = {"ask": "preview", "seat": "blue", "choice": "move-out", "values": [{"paths": {"1": [[23, 10]]}}]}
    *_, activated = bench.resolve([{**ACTIVATE, "question": [far]}], [])
    assert activated["questions"][0]["answers"] == [
        {"sentence": 'Figure 1 would use 13" of movement; it has 12".', "rule": "move.rush", "holds": False}
    ]
    hold = {"ask": "preview", "seat": "blue", "choice": "hold"}
    *_, activated = bench.resolve([{**ACTIVATE, "question": [hold]}], [])
    assert activated["questions"][0]["answers"][0]["sentence"] == "There is no preview of this choice."


def test_a_what_if_question_lists_actions_and_the_enemys_replies(bench: Bench) -> None:
    rows = asked(bench, about("what-if"))
    assert [row["title"] for row in rows] == [
        "Blue fires at Red",
        "Blue stays and fires at Red: Open Fire",
        "Blue assaults Red",
        "Red fires back at Blue",
    ]


def test_a_unit_that_is_gone_is_an_answer_and_no_mistake(bench: Bench) -> None:
    setup = {
        **bench.setup,
        "unit": [bench.setup["unit"][0], {**bench.setup["unit"][1], "figures": 2, "at": [[10, 20], [13, 20]]}],
    }
    *_, fired = bench.resolve(
        [ACTIVATE, {**FIRE, "question": [about("fire"), about("range", unit="red", target="blue")]}],
        [6, 2, 5, 5, 1],
        setup=setup,
    )
    rows = [row for question in fired["questions"] for row in question["answers"]]
    assert [row["sentence"] for row in rows] == ["Red is not on the table."] * 2
    assert [row["holds"] for row in rows] == [False, False]


# --- what is expected of answers --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "expected",
    [
        {"holds": True},
        {"target": "red", "sentence": "may shoot at Red", "rule": "shoot.method"},
        {"sentence": "can be hit", "rule": "shoot.line-of-sight"},
        {"numbers": [{"label": "Distance", "value": 9_000, "lines": [{"rule": "shoot.squad-one-target"}]}]},
        {"holds": False, "absent": True},
    ],
)
def test_an_answer_as_expected_is_met(bench: Bench, expected: Row) -> None:
    (step,) = bench.resolve([], [], question=[about("fire", expect=[expected])])
    assert step["expected"] == {"met": 1, "unmet": []}


@pytest.mark.parametrize(
    ("expected", "came"),
    [
        ({"holds": False}, "it says true"),
        ({"target": "green"}, "there came only: Blue may shoot at Red"),
        # The sentence and the rule are of the same part.
        ({"sentence": "can be hit", "rule": "shoot.method"}, "it says Blue may shoot at Red"),
        ({"numbers": [{"label": "Distance", "value": 8_000}]}, "the numbers are Distance 9000 = SET 9000"),
        ({"chances": {"Pinned": "0%"}}, "the chances are {}"),
        ({"holds": True, "absent": True}, "it came: Blue may shoot at Red"),
    ],
)
def test_an_answer_that_is_otherwise_is_told(bench: Bench, expected: Row, came: str) -> None:
    ran = bench.run([ACTIVATE], [], question=[about("range"), about("fire", expect=[expected])])
    assert ran.code == 1
    assert ran.errors[0].startswith("question 2, expect 1: expected ")
    assert came in ran.errors[0]
    assert len(ran.steps) == 2


def test_chances_are_compared_as_they_are_printed(bench: Bench) -> None:
    expect = [{"sentence": "Open Fire", "chances": {"Expected hits": "2.5"}}]
    assert len(asked(bench, about("what-if", expect=expect))) == 4


# --- what cannot be asked ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("question", "sentence"),
    [
        (about("range", target="green"), "question 1: there is no unit 'green'; there are blue, red"),
        (about("sight", target="blue"), "question 1: Blue cannot be asked about itself; name another unit as `target`"),
        (about("cover", figure="7"), "question 1: Blue has no figure '7' on the table; there are 1, 2, 3"),
        (about("range", target="", target_figure="1"), "question 1: `target_figure` wants a `target`"),
        (about("range", places={"red": {"9": [1, 1]}}), "question 1: Red has no figure 9 that could stand there"),
        ({"ask": "preview", "seat": "red"}, "question 1: red is not asked; the rules ask blue"),
        (
            {"ask": "preview", "seat": "blue", "values": [{}]},
            "question 1, value 1: a value has exactly one of unit, paths, figures, places, angle, given, stop, point",
        ),
    ],
)
def test_a_malformed_question_is_an_error(bench: Bench, question: Row, sentence: str) -> None:
    assert problem(bench, question) == sentence


def test_a_question_about_fire_at_a_friendly_unit_is_refused(bench: Bench) -> None:
    friend = {**bench.setup["unit"][0], "id": "friend", "name": "Friend", "at": [[30, 10], [33, 10], [36, 10]]}
    setup = {**bench.setup, "unit": [*bench.setup["unit"], friend]}
    told = bench.fails([], [], setup=setup, question=[about("fire", target="friend")])
    assert told == "question 1: Friend is of the same side as Blue; name an enemy as `target`"
    (row,) = asked(bench, about("range", target="friend"), setup=setup)
    assert row["numbers"][0]["label"] == "Distance"
