"""The luck of whole games of every edition: every roll is counted, and over many games luck is even."""

from __future__ import annotations

import ast
import random
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from math import sqrt
from pathlib import Path
from typing import Any

import pytest

from client_protocol.luck import Luck
from server.kernel.facts import Rolled
from server.opponents.simulation import play
from server.rulesets.library import edition, every_edition
from server.rulesets.shared.modules import Module
from tests.rulesets.openings import kinds, opening
from tests.support.lucky import lucks

RULESETS = Path(__file__).parents[2] / "server" / "rulesets"

_FAD = {
    "allocation": "it settles which figure is hit, and not how many fall",
    "scatter": "how far a shell goes astray may help either side",
    "scatter_direction": "where a shell falls may help either side",
    "attitude": "it settles what an uncontrolled force is out for, which may help either side",
    "terrain_event": "it settles whether a piece of terrain is unusual, which may help either side",
    "terrain_event_table": "it settles what a piece of terrain is like, which may help either side",
    "unstable": "a building is of no side, and either may be in it",
    "strongly_built": "a building is of no side, and either may be in it",
    "card": "it settles who activates next, which may help either side",
    "random-edge": "it settles at which edge a side deploys, and no edge is better",
    "objective-place": "where an objective lies may help either side",
    "missions": "it settles what a side is to do, and no mission is better",
    "marker-spread": "how markers are placed may help either side",
    "marker-place": "where a marker lies may help either side",
    "marker": "which of its markers is a unit may help either side",
    "first-markers": "who places first shows first and reveals first",
}
NOBODYS: dict[str, dict[str, str]] = {"fad4": _FAD, "fad5": _FAD, "fubar4": {}}
"""The purposes of rolls that are not luck, by edition, and why: no result is better for any side."""

GAMES, AT_LEAST = 6, 32
"""How many games of each kind, and the least for an edition with few kinds."""
MANY = 60
"""The rolls that are needed to call a purpose's luck uneven."""
SIGMAS = 4
"""A deviation that one in about 16,000 numbers exceeds. The games follow from seeds, so the test either always passes or
always fails.
"""


@cache
def games(name: str) -> tuple[list[tuple[Rolled, tuple[Luck, ...]]], set[str]]:
    """Return every roll of some random games with its luck, and the sides that played."""
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
def test_every_purpose_of_a_roll_has_a_row_of_luck_or_a_reason_for_none(name: str) -> None:
    rules = edition(name)
    family = type(rules).__module__.rpartition(".")[0]
    rows = set(import_module(f"{family}.previews.luck").ROWS)
    modules: tuple[Module[Any], ...] = getattr(rules, "modules")  # noqa: B009 - every family has them, and the kernel asks for none
    rows |= {purpose for module in modules for purpose, own in module.rolls.items() if own.luck is not None}
    assert rows.isdisjoint(NOBODYS[name])
    assert rows | set(NOBODYS[name]) == purposes(family.rpartition(".")[2])


@pytest.mark.parametrize("name", every_edition())
def test_every_roll_of_a_game_counts_as_luck_of_some_side(name: str) -> None:
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
    """Return what the family rolls for: every purpose that its chapters, or the shared ones, pass to a function that makes a
    `Rolled`.
    """
    trees = [
        ast.parse(file.read_text(encoding="utf-8"))
        for part in (family, "shared")
        for file in sorted((RULESETS / part).rglob("*.py"))
    ]
    places = {"Rolled": 0} | dict(taking for tree in trees for taking in _taking(tree))
    return {purpose for tree in trees for purpose in _given(tree, places)}


def _taking(tree: ast.Module) -> Iterator[tuple[str, int]]:
    """Return the functions that take a purpose, with its position among their arguments."""
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


def test_the_check_finds_the_purposes_of_a_family() -> None:
    assert {"morale", "fire_effect", "kills", "initiative", "deployment"} <= purposes("fad")
    assert {"to-hit", "close-save", "bail-out", "initiative", "deployment"} <= purposes("fubar")


# --- in the long run ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", every_edition())
def test_in_the_long_run_luck_is_even(name: str) -> None:
    found = by_purpose(name)
    whole = [luck for one in found.values() for luck in one]
    assert len(whole) > 700
    for purpose, some in (*found.items(), ("all of them", whole)):
        scores = [(luck.fell - luck.expected) / luck.deviation for luck in some if luck.deviation]
        if len(scores) >= MANY:
            count = len(scores)
            assert abs(sum(scores)) < SIGMAS * sqrt(count), f"{purpose}: the mean of what fell is what was expected"
            # If few dice succeed, the fourth power is large: such squares scatter more than those of a normal distribution.
            squares = sum(score**2 for score in scores) / count
            scatter = sqrt(sum(score**4 for score in scores) / count - squares**2)
            assert abs(squares - 1) < SIGMAS * scatter / sqrt(count), f"{purpose}: so does it deviate"


@pytest.mark.parametrize("name", every_edition())
def test_in_the_long_run_better_results_are_as_frequent_as_worse_ones(name: str) -> None:
    for purpose, some in by_purpose(name).items():
        if len(some) >= MANY:
            # Better results plus half of the equally good ones: even, whatever is counted.
            ranks = [(luck.better + luck.as_good / 2) / 10_000 for luck in some]
            assert abs(sum(ranks) / len(ranks) - 1 / 2) < SIGMAS * sqrt(1 / 12 / len(ranks)), purpose
