"""Hundreds of whole games between random seats, of every edition: no legal answer is refused, every law holds, every game
ends.

Seats give standing orders at random, bring forces, and play with any options. A game that breaks a law is kept as a case from
its last boundary on: `underfire resolve` runs it again.
"""

from __future__ import annotations

import json
import random
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import pytest

from client_protocol.choices import Picked
from server.kernel.belief import believed
from server.kernel.cases import resolving
from server.opponents.simulation import TOO_LONG, play
from server.rulesets.library import edition, every_edition
from tests.cases.resolved import reached
from tests.rulesets.invariants import Watch
from tests.rulesets.openings import AGAIN, BROUGHT, EACH, how_many, kinds, laws, opening
from tests.silent_rules import SILENT

FORETOLD = 4
"""Answers from one request for a preview to the next."""


def play_game(name: str, kind: str, seed: int) -> tuple[set[str], int]:
    """Play a game, check every step, and return the rules that it touched and how many turns it had."""
    rules = edition(name)
    start = boundary = opening(name, kind, seed)
    watch = Watch(rules, start, laws(name, start))
    chance = random.Random(f"{name} {kind} {seed}")
    answers: list[tuple[str, Picked]] = []
    dice: list[int] = []
    steps = 0
    last, ask = start, None
    try:
        for played in play(rules, start, chance.randrange(1 << 30), orders=True):
            steps += 1
            if played.picked is not None:
                answers.append((played.seat, played.picked))
                if ask is not None and chance.randrange(FORETOLD) == 0:
                    rules.preview(believed(played.before, played.seat), ask.seats[played.seat], played.picked)
            dice += [face for taken in played.step.rolls for face in taken.faces]
            watch.step(played)
            last, ask = played.after, played.ask
            if played.step.boundary is not None:
                facts, rolls = played.step.boundary
                boundary = played.before
                for fact in played.step.facts[:facts]:
                    boundary = fact.fold(boundary)
                answers, dice = [], [face for taken in played.step.rolls[rolls:] for face in taken.faces]
        assert last.result is not None
        assert last.turn.number <= int(start.victory["turn_limit"])
    except Exception as error:
        kept = Path(gettempdir()) / f"underfire-{name}-{kind}-{seed}.json"
        kept.write_text(json.dumps(resolving.write(boundary, answers, dice)), encoding="utf-8")
        raise AssertionError(f"{name}, {kind}, seed {seed}, step {steps}: {error} (see {kept})") from error
    assert steps < TOO_LONG
    return watch.rules - {""}, last.turn.number


@cache
def games(name: str, kind: str) -> frozenset[str]:
    """Play all games of a kind and return the rules that they touched. A game whose forces are declined by all does not
    count.
    """
    touched: set[str] = set()
    for seed in range(kinds(name)[kind]):
        for attempt in range(AGAIN if kind == BROUGHT else 1):
            rules, turns = play_game(name, kind, seed + attempt * EACH)
            touched |= rules
            if turns:
                break
        else:
            pytest.fail(f"{name}, {kind}, seed {seed}: not all players agree to any force")
    return frozenset(touched)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Let each edition's games be tests of their own, one for each kind."""
    if "kind" in metafunc.fixturenames:
        metafunc.parametrize("kind", kinds(metafunc.cls.name))


class RandomGames:
    """The random games of an edition. A class each, so that workers share the editions (`--dist loadscope`)."""

    name: str

    def test_every_law_holds_in_random_games(self, kind: str) -> None:
        assert games(self.name, kind)

    def test_games_and_cases_together_name_every_rule_that_a_fact_can_name(
        self, untouched: dict[str, list[str]]
    ) -> None:
        name = self.name
        assert sum(kinds(name).values()) >= how_many(name)
        touched: set[str] = set().union(*(games(name, kind) for kind in kinds(name)))
        ids = [row["id"] for row in edition(name).reference]
        untouched[name] = [rule for rule in ids if rule not in touched and rule not in SILENT[name]]
        assert sorted(set(untouched[name]) - reached(name) - SILENT[name].keys()) == []
        assert sorted(touched & SILENT[name].keys()) == [], "they are not silent: strike them from the list"


class TestFad4(RandomGames):
    name = "fad4"


class TestFad5(RandomGames):
    name = "fad5"


class TestFubar4(RandomGames):
    name = "fubar4"


def test_every_edition_plays_random_games() -> None:
    assert {one.name for one in RandomGames.__subclasses__()} == set(every_edition())
