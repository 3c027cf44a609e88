"""The luck of whole games, of every edition: no roll is forgotten, and over many of them nobody is lucky."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from math import sqrt
from pathlib import Path

import pytest

from client_protocol.luck import Luck
from server.kernel.facts import Rolled
from server.opponents.simulation import play
from server.rulesets.library import edition, every_edition
from tests.rulesets.openings import kinds, opening
from tests.support.lucky import lucks

RULESETS = Path(__file__).parents[2] / "server" / "rulesets"

NOBODYS: dict[str, dict[str, str]] = {"fad4": {}, "fad5": {}, "fubar4": {}}
"""The purposes of rolls that are nobody's luck, by edition, and why: whatever falls, no side is better off with it."""

GAMES, AT_LEAST = 6, 24
"""How many games of each kind, and of an edition that has few kinds."""
MANY = 60
"""As many rolls as it takes to say that some purpose's are lucky."""
SIGMAS = 4
"""A deviation that one in some 16,000 numbers exceeds: the games hang on seeds, so it either does for good or never."""


@cache
def games(name: str) -> tuple[list[tuple[Rolled, tuple[Luck, ...]]], set[str]]:
    """Every roll of some random games with whose luck it was, and the sides that played."""
    rules, rolls, sides = edition(name), [], set[str]()
    for kind in kinds(name):
        for seed in range(max(GAMES, AT_LEAST // len(kinds(name)))):
            start = opening(name, kind, seed)
            sides |= set(start.sides)
            for played in play(rules, start, random.Random(f"luck {name} {kind} {seed}").randrange(1 << 30)):
                judged = lucks(rules, played.before, played.step.facts)
                rolls += [(fact, found) for fact, found in judged if isinstance(fact, Rolled)]
    return rolls, sides


def by_purpose(name: str) -> dict[str, list[Luck]]:
    found: dict[str, list[Luck]] = defaultdict(list)
    for fact, luck in games(name)[0]:
        found[fact.purpose] += luck
    return found


# --- no roll is forgotten -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", every_edition())
def test_every_purpose_of_a_roll_has_a_row_or_is_nobodys_luck(name: str) -> None:
    family = type(edition(name)).__module__.rpartition(".")[0]
    rows = set(import_module(f"{family}.previews.luck").ROWS)
    assert rows.isdisjoint(NOBODYS[name])
    assert rows | set(NOBODYS[name]) == purposes(family.rpartition(".")[2])


@pytest.mark.parametrize("name", every_edition())
def test_every_roll_of_a_game_is_somebodys_luck(name: str) -> None:
    rolls, sides = games(name)
    for fact, found in rolls:
        assert bool(found) == (fact.purpose not in NOBODYS[name]), fact
        for luck in found:
            assert luck.side in sides
            assert luck.wanted
            assert luck.unit == fact.unit
            assert luck.as_good > 0, f"it fell, so it was possible: {fact}"
            assert luck.better + luck.as_good <= 10_000 + 1, "each is rounded"


def purposes(family: str) -> set[str]:
    """What the family rolls for: every purpose that its chapters, or those that all families share, hand to what makes a
    `Rolled`, which are those functions that take one and `Rolled` itself.
    """
    trees = [
        ast.parse(file.read_text(encoding="utf-8"))
        for part in (family, "shared")
        for file in sorted((RULESETS / part).rglob("*.py"))
    ]
    places = {"Rolled": 0} | dict(taking for tree in trees for taking in _taking(tree))
    return {purpose for tree in trees for purpose in _given(tree, places)}


def _taking(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """The functions that take a purpose, and at which place."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef):
            named = [argument.arg for argument in node.args.args]
            if "purpose" in named:
                yield node.name, named.index("purpose")


def _given(tree: ast.Module, places: dict[str, int]) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in places:
            keyed = [keyword.value for keyword in node.keywords if keyword.arg == "purpose"]
            (given,) = keyed or node.args[places[node.func.id] :][:1]
            if isinstance(given, ast.Constant):
                yield str(given.value)
            else:
                assert isinstance(given, ast.Name), ast.unparse(node)
                assert given.id == "purpose", f"handed on under its own name: {ast.unparse(node)}"


def test_the_purposes_of_a_family_are_found() -> None:
    assert {"morale", "fire_effect", "kills", "initiative", "deployment"} <= purposes("fad")
    assert {"to-hit", "close-save", "bail-out", "initiative", "deployment"} <= purposes("fubar")


# --- in the long run ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", every_edition())
def test_in_the_long_run_nobody_is_lucky(name: str) -> None:
    found = by_purpose(name)
    whole = [luck for one in found.values() for luck in one]
    assert len(whole) > 800
    for purpose, some in (*found.items(), ("all of them", whole)):
        scores = [(luck.fell - luck.expected) / luck.deviation for luck in some if luck.deviation]
        if len(scores) >= MANY:
            count = len(scores)
            assert abs(sum(scores)) < SIGMAS * sqrt(count), f"{purpose}: the mean of what fell is what was expected"
            # Where few dice succeed the fourth power is large: such squares scatter more than those of a normal law.
            squares = sum(score**2 for score in scores) / count
            scatter = sqrt(sum(score**4 for score in scores) / count - squares**2)
            assert abs(squares - 1) < SIGMAS * scatter / sqrt(count), f"{purpose}: so does it deviate"


@pytest.mark.parametrize("name", every_edition())
def test_in_the_long_run_more_falls_as_often_as_less(name: str) -> None:
    for purpose, some in by_purpose(name).items():
        if len(some) >= MANY:
            # Better, and half of what was as good: even, whatever is counted.
            ranks = [(luck.better + luck.as_good / 2) / 10_000 for luck in some]
            assert abs(sum(ranks) / len(ranks) - 1 / 2) < SIGMAS * sqrt(1 / 12 / len(ranks)), purpose
