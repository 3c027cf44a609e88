"""A procedure cannot be stored: it is run again from the last boundary, and must then stand where it stood.

Here a run is built anew at every prompt of recorded games, by rules that have never seen the match before.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest
from msgspec import Struct

from server.kernel import cases
from server.kernel.cases import CaseAnswer
from server.kernel.dice import ScriptedDice
from server.kernel.facts import UnitMoved
from server.kernel.procedure import Happened, RebuildError, rebuild
from server.kernel.prompts import Ask
from server.kernel.state import State
from server.opponents.simulation import Played, RandomDice, play
from server.rulesets.fad.ruleset import FadRuleset
from tests.rulesets.test_random_games import open_game
from tests.support.battlefield import fad4

RECORDED = [("crossroads-patrol", 3), ("crossroads-patrol", 4), ("hold-the-relay", 5)]
RECORDED += [("close-quarters", seed) for seed in range(14)]
named = pytest.mark.parametrize(("kind", "seed"), RECORDED, ids=str)


class Prompt(Struct, frozen=True):
    """A moment of a recorded game at which somebody is asked: the last boundary, what was logged since, what stands now."""

    boundary: State
    since: list[Happened]
    state: State
    ask: Ask | None
    following: Played | None
    """The step that came next."""


def prompts(kind: str, seed: int) -> Iterator[Prompt]:
    """Every prompt of a game, and its end."""
    boundary = open_game(kind, seed)
    since: list[Happened] = []
    steps = list(play(fad4(), boundary, seed))
    for played, following in zip(steps, [*steps[1:], None], strict=True):
        step = played.step
        if step.boundary is None:
            since = [*since, Happened(step.rolls, step.facts, played.seat, played.picked)]
        else:
            facts, rolls = step.boundary
            boundary = played.before
            for fact in step.facts[:facts]:
                boundary = fact.fold(boundary)
            # What lies after the boundary is the beginning of the next procedure: nobody's answer brought it about.
            since = [Happened(step.rolls[rolls:], step.facts[facts:])]
        yield Prompt(boundary, since, played.after, played.ask, following)


@named
def test_a_run_built_anew_at_any_prompt_stands_where_it_stood(kind: str, seed: int) -> None:
    count = 0
    for prompt in prompts(kind, seed):
        again = rebuild(fad4(), prompt.boundary, prompt.since, RandomDice(random.Random(0)))
        assert again.state == prompt.state
        assert again.asked == prompt.ask
        assert again.boundary == prompt.boundary
        count += 1
    assert count >= 5


@named
def test_rules_that_never_saw_the_match_go_on_as_those_did_that_played_it(kind: str, seed: int) -> None:
    """Whatever rules remember between two answers changes nothing: each step is made twice, once by new rules."""
    for prompt in prompts(kind, seed):
        if prompt.following is None or prompt.following.picked is None:
            continue
        played = prompt.following
        faces = [face for taken in played.step.rolls for face in taken.faces]
        again = rebuild(FadRuleset("fad4"), prompt.boundary, prompt.since, ScriptedDice(faces))
        assert played.picked is not None
        step = again.answer(played.seat, played.picked)
        assert step.facts == played.step.facts
        assert step.boundary == played.step.boundary
        assert (again.state, again.asked) == (played.after, played.ask)


@named
def test_any_stretch_between_two_boundaries_is_a_case(kind: str, seed: int) -> None:
    """Written down as a case and run again, it gives the same facts."""
    for prompt in prompts(kind, seed):
        if prompt.following is not None and prompt.following.step.boundary is None:
            continue
        answers = [(step.seat, step.picked) for step in prompt.since if step.picked is not None]
        dice = [face for step in prompt.since for taken in step.rolls for face in taken.faces]
        case = cases.convert(cases.write(prompt.boundary, answers, dice))
        resolved = list(cases.resolve(fad4(), fad4().read(cases.setup_of(case, str)), case.answer, case.dice))
        assert [one.step.facts for one in resolved] == [step.facts for step in prompt.since]
        assert all(isinstance(answer, CaseAnswer) for answer in case.answer)


def test_a_log_that_the_rules_would_not_make_is_caught() -> None:
    prompt = next(p for p in prompts("crossroads-patrol", 3) if any(step.picked for step in p.since))
    forged = [*prompt.since[:-1], Happened((), (), prompt.since[-1].seat, prompt.since[-1].picked)]
    with pytest.raises(RebuildError):
        rebuild(fad4(), prompt.boundary, forged, RandomDice(random.Random(0)))


def test_the_recorded_games_hold_what_is_hard_to_rebuild() -> None:
    facts = [
        fact
        for kind, seed in RECORDED
        for played in play(fad4(), open_game(kind, seed), seed)
        for fact in played.step.facts
    ]
    names = {type(fact).__name__ for fact in facts}
    assert {"AnswerSealed", "AnswersOpened", "FiguresFell", "FigureRearmed", "UnitLeft"} <= names
    assert any(isinstance(fact, UnitMoved) and fact.rule == "assault.fall-back" for fact in facts)
    # Sealed answers in a deployment, and in the middle of a close assault.
    assert any(open_game(kind, seed).options["deployment"] == "blind" for kind, seed in RECORDED[:3])
