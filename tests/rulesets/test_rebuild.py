"""A procedure cannot be stored: it is run again from the last boundary, and must then stand where it stood.

Here a run is rebuilt at every prompt of recorded games of every edition, by rules that have never seen the match.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sized
from functools import cache

import pytest
from msgspec import Struct

from server.kernel.answers.check import Ask
from server.kernel.cases import resolving
from server.kernel.cases.resolving import CaseAnswer
from server.kernel.cases.setups import setup_of
from server.kernel.dice import DiceError, ScriptedDice
from server.kernel.memory import Memory, OfOneState, PairMemory
from server.kernel.procedure import Happened, RebuildError, rebuild
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.opponents.simulation import Played, RandomDice, play
from server.rulesets.library import EDITIONS, edition, editions, every_edition
from tests.rulesets.openings import AGAIN, BROUGHT, EACH, WILD, kinds, opening
from tests.support.forgetting import forget, held

SEEDS = {WILD: (*range(10), 16, 20), BROUGHT: range(6)}
RECORDED = [
    (name, kind, seed) for name in every_edition() for kind in kinds(name) for seed in SEEDS.get(kind, range(1))
]
named = pytest.mark.parametrize(("name", "kind", "seed"), RECORDED)


class Prompt(Struct, frozen=True):
    """A prompt of a recorded game: the last boundary, the entries since, and the present state."""

    boundary: State
    since: list[Happened]
    state: State
    ask: Ask | None
    following: Played | None
    """The step that came next."""

    @property
    def laid(self) -> State:
        """The boundary with everything that has since been put on the desk."""
        state = self.boundary
        for fact in (fact for step in self.since if step.aside for fact in step.facts):
            state = fact.fold(state)
        return state


@cache
def recorded(name: str, kind: str, seed: int) -> tuple[Played, ...]:
    """Return a game in which seats also give standing orders; if they bring forces, all accept them."""
    for attempt in range(AGAIN):
        start = opening(name, kind, seed + attempt * EACH)
        steps = tuple(play(edition(name), start, seed + attempt, orders=True))
        if steps[-1].after.turn.number:
            return steps
    pytest.fail("not all players agree to any force")


def prompts(name: str, kind: str, seed: int) -> Iterator[Prompt]:
    """Yield every prompt of a game, and its end."""
    steps = recorded(name, kind, seed)
    boundary = steps[0].before
    since: list[Happened] = []
    for played, following in zip(steps, [*steps[1:], None], strict=True):
        step = played.step
        if played.orders:
            # The desk is part of every state, including the one at the boundary.
            since = [*since, Happened((), played.orders, played.seat, aside=True)]
        if step.boundary is None:
            since = [*since, Happened(step.rolls, step.facts, played.seat, played.picked)]
        else:
            facts, rolls = step.boundary
            boundary = played.before
            for fact in step.facts[:facts]:
                boundary = fact.fold(boundary)
            # Facts after the boundary begin the next procedure; no answer caused them.
            since = [Happened(step.rolls[rolls:], step.facts[facts:])]
        yield Prompt(boundary, since, played.after, played.ask, following)


@named
def test_a_run_rebuilt_at_any_prompt_stands_where_it_stood(name: str, kind: str, seed: int) -> None:
    count = 0
    for prompt in prompts(name, kind, seed):
        again = rebuild(edition(name), prompt.boundary, prompt.since, RandomDice(random.Random(0)))
        assert again.state == prompt.state
        assert again.asked == prompt.ask
        assert again.boundary == prompt.laid
        count += 1
    assert count >= 5


@named
def test_new_rules_continue_a_match_as_the_rules_that_played_it(name: str, kind: str, seed: int) -> None:
    """What rules remember between two answers changes nothing: each step is made twice, once by rules that remember nothing."""
    rules = EDITIONS[name](name)
    for prompt in prompts(name, kind, seed):
        if prompt.following is None or prompt.following.picked is None:
            continue
        played = prompt.following
        faces = [face for taken in played.step.rolls for face in taken.faces]
        forget(rules)
        again = rebuild(rules, prompt.boundary, prompt.since, ScriptedDice(faces))
        again.fold(played.orders)
        assert played.picked is not None
        step = again.answer(played.seat, played.picked)
        assert step.facts == played.step.facts
        assert step.boundary == played.step.boundary
        assert (again.state, again.asked) == (played.after, played.ask)


@pytest.mark.parametrize("name", editions())
def test_rules_that_forget_are_as_new_ones(name: str) -> None:
    rules = EDITIONS[name](name)
    counts = _counts(rules)
    kind = next(iter(kinds(name)))
    for _ in play(rules, opening(name, kind, 0), 0):
        pass
    assert _counts(rules) != counts, "it remembers something of a game"
    forget(rules)
    assert _counts(rules) == counts


def _counts(rules: Ruleset) -> dict[str, int]:
    """Return how much there is in everything that rules hold, but for tables of numbers that depend on no match."""
    own = {key: value for key, value in held(rules).items() if key != "bands"}
    known = {key: value._known for key, value in own.items() if isinstance(value, Memory | PairMemory | OfOneState)}
    return {key: len(value) for key, value in (own | known).items() if isinstance(value, Sized)}


@named
def test_any_stretch_between_two_boundaries_runs_as_a_case(name: str, kind: str, seed: int) -> None:
    """Written as a case and run again, it gives the same facts. A case has neither standing orders nor waiting forces."""
    rules = edition(name)
    for prompt in prompts(name, kind, seed):
        between = prompt.following is not None and prompt.following.step.boundary is None
        if between or prompt.state.desk.orders or prompt.boundary.turn.number == 0:
            continue
        answers = [(step.seat, step.picked) for step in prompt.since if step.picked is not None]
        dice = [face for step in prompt.since for taken in step.rolls for face in taken.faces]
        case = resolving.convert(resolving.write(prompt.boundary, answers, dice))
        resolved = list(resolving.resolve(rules, rules.read(setup_of(case, str)), case))
        assert [one.step.facts for one in resolved] == [step.facts for step in prompt.since]
        assert all(isinstance(answer, CaseAnswer) for answer in case.answer)


@pytest.mark.parametrize("name", editions())
def test_entries_that_the_rules_would_not_make_are_detected(name: str) -> None:
    rolled = next(
        p
        for p in prompts(*next(game for game in RECORDED if game[0] == name))
        if any(step.picked and step.rolls for step in p.since)
    )
    place = next(i for i, step in enumerate(rolled.since) if step.picked and step.rolls)
    step = rolled.since[place]
    for forged in (
        Happened(step.rolls, step.facts[:-1], step.seat, step.picked),
        Happened((), (), step.seat, step.picked),
    ):
        with pytest.raises((RebuildError, DiceError)):
            rebuild(edition(name), rolled.boundary, [*rolled.since[:place], forged], RandomDice(random.Random(0)))


@pytest.mark.parametrize("name", editions())
def test_the_recorded_games_contain_what_is_hard_to_rebuild(name: str) -> None:
    games = [recorded(*game) for game in RECORDED if game[0] == name]
    facts = [fact for game in games for played in game for fact in played.step.facts]
    names = {type(fact).__name__ for fact in facts}
    assert {"AnswerSealed", "AnswersOpened", "FiguresFell", "UnitLeft"} <= names
    if edition(name).orders:
        assert any(played.orders and played.step.boundary is None for game in games for played in game)
    if edition(name).force_form is not None:
        assert {"UnitFormed", "ForceDismissed"} <= names
