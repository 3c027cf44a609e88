"""What a case expects: facts, numbers and refusals are compared, and what came instead is told."""

from __future__ import annotations

import pytest

from tests.support.case_bench import ACTIVATE, FIRE, Bench, Row

DICE = [4, 2, 1, 5]
"""Fire Effect 8, two hits; the first one glances off, the other kills."""
FAR: Row = {"seat": "blue", "choice": "move-out", "values": [{"paths": {"1": [[23, 10]]}}]}
TOO_FAR = 'Figure 1 would use 13" of movement; it has 12".'
LINES = [
    {"rule": "fire.effect-roll", "amount": 4, "stage": "SET", "reason": "highest of 2D6"},
    {"rule": "action.open-fire", "amount": 2},
    {"rule": "fire.shooter-regular", "amount": 1},
    {"rule": "fire.shooter-riflemen", "amount": 1},
]


def unmet(bench: Bench, expected: Row) -> str:
    """The sentence about what the shot does not meet; the case goes on to its end."""
    ran = bench.run([ACTIVATE, {**FIRE, "expect": [expected]}], DICE)
    assert (ran.code, len(ran.steps), bool(ran.end)) == (1, 3, True)
    assert ran.steps[2]["expected"]["met"] == 0
    (told,) = ran.steps[2]["expected"]["unmet"]
    sentence, count = ran.errors
    assert sentence == f"{told['where']}: expected {told['expected']}; {told['came']}"
    assert count == "1 of 1 expectations is not met"
    return sentence


@pytest.mark.parametrize(
    "expected",
    [
        {"fact": "rolled", "with": {"purpose": "fire_effect", "outcome": "2"}},
        {"fact": "rolled", "numbers": [{"value": 8, "lines": LINES}, {"value": 3}]},
        {"fact": "rolled", "story": "Fire Effect 8 against Red"},
        {"fact": "fell", "with": {"unit": "red", "figures": ["2"]}},
        # A field that is as it mostly is is not printed, and can be expected all the same.
        {"fact": "rolled", "with": {"purpose": "damage", "sides": 6}},
        {"fact": "left", "absent": True},
        {"fact": "fell", "with": {"unit": "blue"}, "absent": True},
    ],
)
def test_an_expected_fact_that_comes_is_met(bench: Bench, expected: Row) -> None:
    *_, fired = bench.resolve([ACTIVATE, {**FIRE, "expect": [expected]}], DICE)
    assert fired["expected"] == {"met": 1, "unmet": []}


def test_a_missing_fact_is_told_with_the_facts_that_came(bench: Bench) -> None:
    assert unmet(bench, {"fact": "left"}).startswith(
        'answer 2, expect 1: expected {"fact": "left"}; there came only: declared (Blue shoots at Red.); rolled'
    )
    assert unmet(bench, {"fact": "fell", "with": {"unit": "blue"}}) == (
        'answer 2, expect 1: expected {"fact": "fell", "with": {"unit": "blue"}}; '
        'the nearest is fell (1 figure of Red falls; 2 left.): its unit is "red"'
    )
    assert unmet(bench, {"fact": "rolled", "story": "Fire Effect 9"}).endswith(
        'its story is "Fire Effect 8 against Red in open ground, 3 per hit: 2 hits."'
    )


def test_a_fact_that_comes_though_expected_absent_is_told(bench: Bench) -> None:
    assert unmet(bench, {"fact": "fell", "absent": True}) == (
        'answer 2, expect 1: expected nothing like {"fact": "fell"}; it came: fell (1 figure of Red falls; 2 left.)'
    )


@pytest.mark.parametrize(
    "number",
    [
        {"value": 9},
        {"value": 8, "lines": LINES[:3]},
        {"value": 8, "lines": [*LINES[:3], {"rule": "fire.shooter-elite"}]},
        {"value": 8, "lines": [{**LINES[0], "amount": 5}, *LINES[1:]]},
        {"value": 8, "lines": [{**LINES[0], "stage": "ADD"}, *LINES[1:]]},
        {"value": 8, "lines": [{**LINES[0], "reason": "lowest"}, *LINES[1:]]},
        {"value": 8, "label": "Fire Effect"},
    ],
)
def test_a_number_is_compared_line_by_line(bench: Bench, number: Row) -> None:
    assert "8 = SET 4 highest of 2D6 [fire.effect-roll] · ADD 2 Open Fire [action.open-fire] · " in unmet(
        bench, {"fact": "rolled", "with": {"purpose": "fire_effect"}, "numbers": [number]}
    )


def test_the_first_step_can_be_expected_of_too(bench: Bench) -> None:
    begun = {"turn": {"number": 1, "phase": "turn"}}
    expect = [{"fact": "rolled", "with": {"purpose": "initiative"}}, {"fact": "fell"}]
    setup = {**bench.setup, **begun}
    ran = bench.run([], [5, 3], setup=setup, expect=expect)
    assert ran.steps[0]["expected"]["met"] == 1
    assert ran.errors[0].startswith('expect 2: expected {"fact": "fell"}; there came only: ')


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_an_answer_that_is_meant_to_be_refused_is_told_and_the_case_goes_on(bench: Bench) -> None:
    refused = {**FAR, "refused": {"rule": "move.rush", "sentence": TOO_FAR}}
    _, activated, told, fired = bench.resolve([ACTIVATE, refused, FIRE], DICE)
    assert told["refused"] == {"sentence": TOO_FAR, "rule": "move.rush"}
    assert told["answer"]["choice"] == "move-out"
    assert (told["facts"], told["dice"], told["expected"]) == ([], [], {"met": 1, "unmet": []})
    assert told["open"] == activated["open"]
    assert any(fact["type"] == "fell" for fact in fired["facts"])


@pytest.mark.parametrize("meant", [{}, {"rule": "move.rush"}, {"sentence": "it has 12"}])
def test_a_refusal_may_be_expected_in_part(bench: Bench, meant: Row) -> None:
    *_, told = bench.resolve([ACTIVATE, {**FAR, "refused": meant}], [])
    assert told["expected"] == {"met": 1, "unmet": []}


@pytest.mark.parametrize(
    ("meant", "words"),
    [({"rule": "move.infantry"}, "a refusal by move.infantry"), ({"sentence": "tired"}, 'a refusal "tired"')],
)
def test_another_refusal_than_was_meant_is_told(bench: Bench, meant: Row, words: str) -> None:
    ran = bench.run([ACTIVATE, {**FAR, "refused": meant}, FIRE], DICE)
    assert ran.errors[0] == f"answer 2: expected {words}; it is refused so: {TOO_FAR} [move.rush]"
    assert (ran.code, len(ran.steps)) == (1, 4)


def test_an_answer_that_is_legal_against_all_expectation_is_not_given(bench: Bench) -> None:
    ran = bench.run([ACTIVATE, {**FIRE, "refused": {}}, FIRE], DICE)
    assert ran.errors[0] == "answer 2: expected a refusal; the answer is legal, and was not given"
    assert (ran.code, ran.steps[2]["facts"], len(ran.steps)) == (1, [], 4)
    assert "refused" not in ran.steps[2]


def test_that_a_seat_is_not_asked_can_be_meant(bench: Bench) -> None:
    _, told = bench.resolve([{"seat": "red", "choice": "hold", "refused": {"sentence": "Red is not asked"}}], [])
    assert told["refused"] == {"sentence": "Red is not asked; the rules ask blue.", "rule": ""}


def test_a_refusal_that_is_not_meant_ends_the_case_and_is_shown(bench: Bench) -> None:
    ran = bench.run([ACTIVATE, FAR, FIRE], DICE)
    assert ran.code == 1
    assert ran.steps[-1]["refused"] == {"sentence": TOO_FAR, "rule": "move.rush"}
    assert len(ran.steps) == 3
    assert ran.errors == [f"answer 2 (blue: move-out) is refused: {TOO_FAR} [move.rush]"]


# --- dice -------------------------------------------------------------------------------------------------------------


def labelled(purpose: str, *faces: int) -> Row:
    return {"for": purpose, "faces": list(faces)}


def test_dice_can_say_what_they_are_for(bench: Bench) -> None:
    plain = bench.resolve([ACTIVATE, FIRE], DICE)
    assert bench.resolve([ACTIVATE, FIRE], [labelled("fire_effect", 4, 2), labelled("damage", 1, 5)]) == plain
    assert bench.resolve([ACTIVATE, FIRE], [4, 2, labelled("damage", 1), labelled("damage", 5)]) == plain
    assert plain[2]["rolls"] == [labelled("fire_effect", 4, 2), labelled("damage", 1, 5)]


def test_dice_for_something_else_are_told(bench: Bench) -> None:
    dice = [labelled("fire_effect", 4, 2), labelled("morale", 1, 5)]
    assert bench.fails([ACTIVATE, FIRE], dice) == (
        "answer 2: the next roll is 2D6 for 'damage'; the case has dice for 'morale' there: 1 (morale), 5"
    )
    # One die of a roll is enough.
    dice = [labelled("fire_effect", 4, 2), labelled("damage", 1), labelled("morale", 5)]
    assert bench.fails([ACTIVATE, FIRE], dice).endswith("for 'morale' there: 1 (damage), 5 (morale)")


def test_labelled_dice_left_over_are_an_error(bench: Bench) -> None:
    dice = [labelled("fire_effect", 4, 2), labelled("damage", 1, 5), labelled("morale", 3, 3)]
    assert bench.fails([ACTIVATE, FIRE], dice) == "2 dice were never rolled: 3 (morale), 3"


def test_a_step_that_runs_out_of_dice_is_told_as_far_as_it_came(bench: Bench) -> None:
    ran = bench.run([ACTIVATE, FIRE], [4, 2, 1])
    assert ran.code == 1
    assert ran.errors == ["answer 2: the next roll is 2D6 for 'damage', and 1 die is left: 1"]
    *_, partial = ran.steps
    assert [fact["type"] for fact in partial["facts"]] == ["declared", "rolled"]
    assert partial["facts"][1]["story"] == "Fire Effect 8 against Red in open ground, 3 per hit: 2 hits."
    assert partial["rolls"] == [labelled("fire_effect", 4, 2)]
    assert partial["wanted"] == {"for": "damage", "count": 2, "sides": 6}
    assert partial["open"] == {}
    assert ran.end["position"]["format"] == "underfire setup 1"


def test_dice_may_run_out_before_the_first_answer(bench: Bench) -> None:
    ran = bench.run([], [5], setup={**bench.setup, "turn": {"number": 1, "phase": "turn"}})
    assert ran.errors == ["before the first answer: the next roll is 2D6 for 'initiative', and 1 die is left: 5"]
    assert ran.steps[0]["wanted"] == {"for": "initiative", "count": 2, "sides": 6}


# --- where it ends ----------------------------------------------------------------------------------------------------


def test_the_last_line_is_the_position_and_what_is_open(bench: Bench) -> None:
    ran = bench.run([ACTIVATE, FIRE], DICE, "--position", str(bench.folder / "end.json"))
    assert list(ran.end["open"]) == ["red"]
    red = next(unit for unit in ran.end["position"]["unit"] if unit["id"] == "red")
    assert [figure["id"] for figure in red["figures"] if figure["fallen"]] == ["2"]
    # It is fed in again, from the output or from the file: Red goes on.
    again = [{"seat": "red", "choice": "activate", "values": [{"unit": "red"}]}]
    steps = bench.resolve(again, [], setup=ran.end["position"])
    assert steps == bench.resolve(again, [], setup="end.json")
    assert steps[0]["open"] == ran.end["open"]


# --- the file ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        ({"chioce": "hold"}, "there is no field `chioce` here; the fields are seat, choice, values, refused, expect, "),
        ({"values": [{"untis": "red"}]}, "there is no field `untis` here; the fields are unit, paths, figures, "),
        ({"values": [{"unit": 3}]}, "a text or nothing is needed, not a whole number (answer 1, values 1, unit)"),
        ({"expect": [{"fact": "rolled", "whit": {}}]}, "the fields are fact, with, story, numbers, absent (answer 1,"),
        ({"expect": [{"fact": "fall"}]}, "answer 1, expect 1: there is no fact 'fall'; there are phase, turn, "),
        (
            {"expect": [{"fact": "fell", "with": {"untis": "red"}}]},
            "answer 1, expect 1: a fact 'fell' has no field 'untis'; its fields are unit, figures, ",
        ),
        ({"expect": [{"fact": "rolled", "numbers": [{"total": 3}]}]}, "the fields are value, lines, label (answer 1,"),
        (
            {"expect": [{"fact": "rolled", "numbers": [{"lines": [{"rules": ""}]}]}]},
            "the fields are rule, amount, stage, reason (answer 1, expect 1, numbers 1, lines 1)",
        ),
        ({"refused": {"because": ""}}, "the fields are rule, sentence (answer 1, refused)"),
        (
            {"refused": {}, "expect": [{"fact": "fell"}]},
            "answer 1 is expected to be refused, so no facts follow from it",
        ),
        ({"values": [{"unit": "red", "facing": 3}]}, "answer 1, value 1: `facing` goes with `paths`"),
        ({"question": [{"ask": "cover", "units": ""}]}, "the fields are ask, expect, unit, target, places, facings, "),
        ({"question": [{"ask": "wether", "unit": "red"}]}, "Invalid value 'wether' (answer 1, question 1, ask)"),
        (
            {"question": [{"ask": "fire", "unit": "red", "expect": [{"yes": True}]}]},
            "the fields are target, holds, sentence, rule, numbers, chances, absent (answer 1, question 1, expect 1)",
        ),
    ],
)
def test_a_malformed_expectation_is_told_with_its_place(bench: Bench, answer: Row, sentence: str) -> None:
    assert sentence in bench.fails([{"seat": "blue", **answer}], [])


def test_dice_that_do_not_fit_are_told_with_their_place(bench: Bench) -> None:
    told = bench.fails([], [1, {"purpose": "damage", "faces": [1]}])
    assert "there is no field `purpose` here; the fields are for, faces (dice 2)" in told
