"""The computer opponent decides from what its seat may know, and from nothing else."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter, Why
from server.kernel.answers.check import Asked, check
from server.kernel.belief import believed
from server.kernel.procedure import Run
from server.kernel.state import State
from server.opponents.policy import decide, weigh
from server.opponents.programs import PROGRAMS
from server.opponents.simulation import RandomDice, chance_of
from server.opponents.strengths import COMMANDER, STRENGTHS
from server.rulesets.library import edition
from tests.support.toy_rules import ToyRules


def asked_to_act(name: str, scenario: str) -> tuple[State, str, Asked]:
    """Return the first question for an action after deployment: the state, the seat, and what it is asked."""
    rules = edition(name)
    run = Run(rules, rules.open(scenario, {}), RandomDice(chance_of(3)))
    run.begin()
    while True:
        assert run.asked is not None
        seat, asked = next((key, one) for key, one in run.asked.seats.items() if key not in run.state.sealed)
        if asked.unit and len(asked.choices) > 3:
            return believed(run.state, seat), seat, asked
        run.answer(seat, decide(rules, believed(run.state, seat), asked, seat, COMMANDER, "x"))


@pytest.mark.parametrize("program", PROGRAMS)
def test_every_program_answers_the_toy_game_whose_rules_give_no_hints(program: str) -> None:
    rules = ToyRules()
    run = Run(rules, rules.open("three-way", {}), RandomDice(chance_of(1)))
    run.begin()
    for number in range(200):
        if run.asked is None:
            break
        seat = next(key for key in run.asked.seats if key not in run.state.sealed)
        known, asked = believed(run.state, seat), run.asked.seats[seat]
        picked = PROGRAMS[program].answer(rules, known, asked, seat, f"{number}")
        assert check(known, asked, picked) is None
        run.answer(seat, picked)
    assert run.state.result is not None


def test_a_choice_that_is_closed_is_not_taken() -> None:
    rules = ToyRules()
    state = rules.open("duel", {})
    closed = Choice("a", "A", why=Why("It cannot."))
    asked = Asked("Which?", (closed, Choice("b", "B")), Picked("b"))
    for strength in STRENGTHS.values():
        assert decide(rules, state, asked, "red", strength, "1") == Picked("b")


def test_a_unit_that_may_not_be_named_is_not_named() -> None:
    rules = ToyRules()
    state = rules.open("duel", {})
    first, second = (unit.id for unit in list(state.units.values())[:2])
    barred = UnitParameter("Whom?", (Candidate(first, why=Why("Not this one.")), Candidate(second)))
    asked = Asked("Whom?", (Choice("at", "At", parameters=(barred,)),), Picked("at", (UnitNamed(second),)))
    assert decide(rules, state, asked, "red", COMMANDER, "1") == Picked("at", (UnitNamed(second),))


@pytest.mark.parametrize(("name", "scenario"), [("fad4", "crossroads-patrol"), ("fubar4", "crossed-hedges")])
def test_commander_weighs_ways_and_shots_and_takes_the_best(name: str, scenario: str) -> None:
    rules = edition(name)
    state, seat, asked = asked_to_act(name, scenario)
    weighed = weigh(rules, state, asked, seat, COMMANDER, random.Random("1"))
    assert len(weighed) > 10
    legal = [one for one in weighed if check(state, asked, one.picked) is None]
    best = max(legal, key=lambda one: one.score)
    taken = decide(rules, state, asked, seat, COMMANDER, "1")
    assert next(one.score for one in legal if one.picked == taken) == best.score


def test_what_another_seat_has_sealed_changes_no_answer() -> None:
    rules = edition("fad4")
    state, seat, asked = asked_to_act("fad4", "crossroads-patrol")
    other = next(side.seat for side in state.sides.values() if side.seat != seat)
    one, two = (
        decide(rules, believed(replace(state, sealed={other: Picked(secret)}), seat), asked, seat, COMMANDER, "1")
        for secret in ("left", "right")
    )
    assert one == two
