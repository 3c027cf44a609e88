"""The guided battle of each family: five questions, each of which comes in a match on its small table."""

from __future__ import annotations

import re

import pytest

from client_protocol.from_server import Guide, Lesson
from server.kernel.answers.check import Asked
from server.kernel.belief import believed
from server.kernel.procedure import Run
from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import inches
from server.opponents.policy import decide
from server.opponents.simulation import RandomDice, chance_of
from server.opponents.strengths import COMMANDER, RECRUIT
from server.rulesets.library import EDITIONS, editions

GUIDES = {key: rules.info.guide for key, rules in editions().items() if rules.info.guide is not None}


def fits(lesson: Lesson, asked: Asked) -> bool:
    offered = {choice.key.partition(":")[0] for choice in asked.choices if choice.why is None}
    return set(lesson.choices) <= offered


def lessons_met(rules: Ruleset, guide: Guide, seed: int) -> int:
    """Return how many lessons are given in a game of the first seat against the other."""
    run = Run(rules, rules.open(guide.scenario.id, {}), RandomDice(chance_of(seed)))
    run.begin()
    first = next(iter(run.state.sides.values())).seat
    left, number = list(guide.lessons), 0
    while run.asked is not None:
        number += 1
        seat, asked = next((key, one) for key, one in run.asked.seats.items() if key not in run.state.sealed)
        if seat == first and (lesson := next((one for one in left if fits(one, asked)), None)) is not None:
            left.remove(lesson)
        known = believed(run.state, seat)
        run.answer(seat, decide(rules, known, asked, seat, COMMANDER if seat == first else RECRUIT, f"{seed}{number}"))
    return len(guide.lessons) - len(left)


def test_every_family_has_one() -> None:
    families = {type(rules) for rules in editions().values()}
    assert len({type(editions()[key]) for key in GUIDES}) == len(families)
    assert GUIDES.keys() <= set(EDITIONS)


@pytest.mark.parametrize("key", GUIDES)
def test_its_table_is_small_and_no_list_offers_it(key: str) -> None:
    rules, guide = editions()[key], GUIDES[key]
    table = rules.open(guide.scenario.id, {}).table
    assert max(table.width, table.height) <= inches(30)
    assert guide.scenario.id not in {one.id for one in rules.info.scenarios}


@pytest.mark.parametrize("key", GUIDES)
def test_it_has_five_lessons_in_the_words_of_prompts(key: str) -> None:
    guide = GUIDES[key]
    assert len(guide.scenario.seats) == 2
    assert len(guide.lessons) == 5
    for lesson in guide.lessons:
        named = set(re.findall(r"\{([a-z-]+)\}", lesson.text))
        assert named & set(lesson.choices), lesson.title
        assert named <= {*lesson.choices, "prompt"}, lesson.title


@pytest.mark.parametrize("key", GUIDES)
def test_each_of_its_questions_comes_in_nearly_every_game(key: str) -> None:
    met = [lessons_met(editions()[key], GUIDES[key], seed) for seed in range(8)]
    assert sum(count == 5 for count in met) >= 7, met
