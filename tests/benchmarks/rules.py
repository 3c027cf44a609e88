"""The rules alone, on one core: decisions taken and games played. No server, no store, no frames."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from client_protocol.choices import Picked
from server.kernel.answers.check import check
from server.kernel.belief import believed
from server.kernel.dice import RecordedDice, Taken
from server.kernel.facts import Fact
from server.kernel.procedure import Run
from server.kernel.ruleset import Ruleset
from server.kernel.space.sight import field_of
from server.kernel.state import State
from server.matches.log.trail import folded
from server.opponents.simulation import play, simulate
from server.rulesets import library


def fresh(ruleset: Ruleset) -> Ruleset:
    """The same rules as a server has them that has just been started: they remember nothing."""
    field_of.cache_clear()
    return library.EDITIONS[ruleset.info.id](ruleset.info.id)


SERVED = {"fad4": "ridge-farm", "fad5": "wire-pasture", "fubar4": "three-farms"}
"""The scenario that is served, by edition: a large one for two seats. It is named, so that figures of different days compare when
scenarios have been added meanwhile.
"""


def served(ruleset: Ruleset) -> str:
    """The scenario of an edition that is served."""
    return SERVED[ruleset.info.id]


@dataclass(frozen=True)
class Recorded:
    """A game that was played: its answers, its dice, and its facts."""

    start: State
    answers: tuple[tuple[str, Picked], ...]
    rolls: tuple[Taken, ...]
    facts: tuple[Fact, ...]


def record(rules: Ruleset, scenario: str, seed: int) -> Recorded:
    """A game between random seats."""
    start = rules.open(scenario, {})
    answers: list[tuple[str, Picked]] = []
    rolls: list[Taken] = []
    facts: list[Fact] = []
    for played in play(rules, start, seed):
        if played.picked is not None:
            answers.append((played.seat, played.picked))
        rolls.extend(played.step.rolls)
        facts.extend(played.step.facts)
    return Recorded(start, tuple(answers), tuple(rolls), tuple(facts))


def decide(rules: Ruleset, game: Recorded) -> None:
    """Take the recorded answers as a server does: each is checked against what its seat believes, then the rules run."""
    run = Run(rules, game.start, RecordedDice(game.rolls))
    run.begin()
    for seat, picked in game.answers:
        assert run.asked is not None
        refusal = check(believed(run.state, seat), run.asked.seats[seat], picked)
        assert refusal is None, refusal
        run.answer(seat, picked)
    assert run.state.result is not None, "the same answers and dice end the same game"


def deciding(rules: Ruleset, games: Sequence[Recorded]) -> list[float]:
    """The seconds in which the decisions of each game are checked and applied."""
    return [_seconds(partial(decide, rules, game)) for game in games]


def folding(games: Sequence[Recorded]) -> list[float]:
    """The floor: the seconds in which the facts of the same decisions are only folded into the state."""
    return [_seconds(partial(folded, game.start, game.facts)) for game in games]


def playing(rules: Ruleset, scenario: str, seeds: Sequence[int]) -> list[float]:
    """The seconds of each whole game between random seats, their answers drawn from what is offered."""
    start = rules.open(scenario, {})
    return [_seconds(partial(simulate, rules, start, seed)) for seed in seeds]


def _seconds(work: Callable[[], object]) -> float:
    began = time.process_time()
    work()
    return time.process_time() - began


def best(rounds: Sequence[Sequence[float]]) -> float:
    """The seconds of all games together, of each the least that it took in any round: all else that runs on a machine, on its
    other core and on its neighbours, only adds to them.
    """
    least: list[float] = [min(times) for times in zip(*rounds, strict=True)]
    return sum(least)
