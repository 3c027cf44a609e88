"""The coach says what the strongest program would do, and why, from what the seat may know."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator

import pytest
from msgspec.structs import replace

from client_protocol.choices import Choice, Picked
from server.kernel.answers.check import Asked, check
from server.kernel.belief import believed
from server.kernel.procedure import Run
from server.kernel.state import State
from server.opponents.coach import advise
from server.opponents.policy import decide
from server.opponents.simulation import RandomDice, chance_of
from server.opponents.strengths import COMMANDER
from server.rulesets.library import edition
from tests.support.toy_rules import ToyRules


def prompts(name: str, scenario: str, count: int) -> Iterator[tuple[State, Asked, str]]:
    """Yield the first prompts of a game that the coach plays on both sides: what the seat knows and is asked, and the seat."""
    rules = edition(name)
    run = Run(rules, rules.open(scenario, {}), RandomDice(chance_of(5)))
    run.begin()
    for _ in range(count):
        if run.asked is None:
            return
        seat, asked = next((key, one) for key, one in run.asked.seats.items() if key not in run.state.sealed)
        known = believed(run.state, seat)
        yield known, asked, seat
        run.answer(seat, decide(rules, known, asked, seat, COMMANDER, "coach"))


@pytest.mark.parametrize(
    ("name", "scenario"), [("fubar4", "crossed-hedges"), ("fad4", "crossroads-patrol"), ("fad5", "two-orchards")]
)
def test_the_coach_gives_the_programs_own_choice_in_one_sentence_with_numbers(name: str, scenario: str) -> None:
    numbers = 0
    for known, asked, seat in prompts(name, scenario, 30):
        picked, why = advise(edition(name), known, asked, seat)
        assert check(known, asked, picked) is None
        # It is the choice of the program, which leaves nothing to chance.
        assert picked == decide(edition(name), known, asked, seat, COMMANDER, "coach")
        assert why.endswith(".")
        assert ". " not in re.sub(r"\d\. ", "", why)
        choice = asked.choice(picked.choice)
        assert choice is not None
        assert why.startswith(choice.label)
        numbers += bool(re.search(r"\d\.\d figures", why))
    assert numbers >= 15


def test_it_names_the_enemy_the_losses_and_the_next_best() -> None:
    found = [advise(edition("fad4"), *prompt)[1] for prompt in prompts("fad4", "crossroads-patrol", 40)]
    assert any(re.search(r"should cost .+ Squad \d\.\d figures on average", why) for why in found)
    assert any(re.search(r"next best would be .+, by \d\.\d figures worse", why) for why in found)
    assert any("no enemy could hurt it" in why for why in found)


def test_asked_again_it_says_the_same_whatever_others_have_sealed() -> None:
    known, asked, seat = next(iter(prompts("fad4", "crossroads-patrol", 1)))
    other = next(side.seat for side in known.sides.values() if side.seat != seat)
    told = advise(edition("fad4"), known, asked, seat)
    secret = believed(replace(known, sealed={other: Picked("secret")}), seat)
    assert advise(edition("fad4"), secret, asked, seat) == told


def test_where_there_is_one_choice_it_says_so() -> None:
    state = ToyRules().open("duel", {})
    asked = Asked("Which?", (Choice("b", "Go on"),), Picked("b"))
    assert advise(ToyRules(), state, asked, "red") == (Picked("b"), "Go on: there is nothing else to choose.")


def test_a_player_does_not_wait_for_it() -> None:
    taken = []
    for known, asked, seat in prompts("fad4", "crossroads-patrol", 20):
        began = time.process_time()
        advise(edition("fad4"), known, asked, seat)
        taken.append(time.process_time() - began)
    assert max(taken) < 2.0
