"""The beginnings of an edition's random games: its scenarios, forces that players bring, and its own wild positions.

Each edition has two modules next to its tests, found by their names. tests/rulesets/<edition>/wild.py makes positions for
rules that scenarios seldom reach. tests/rulesets/<edition>/laws.py holds the laws of its games, in addition to those of all
games (see `invariants`).
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from importlib import import_module
from importlib.util import find_spec
from typing import cast

from client_protocol.shapes import OptionValue
from server.kernel.desk_facts import ForceBrought
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.rulesets.library import edition, every_edition
from tests.rulesets.forces import bring
from tests.rulesets.invariants import Laws

WILD, BROUGHT = "wild", "brought"
EACH, WILDLY, BRINGING = 200, 100, 40
"""The least number of games of an edition, how many of them are wild, and how many have forces that players bring."""
MORE = {"fad5": 300}
"""The least number of games of an edition that has more rules and options than the others."""
AGAIN = 60
"""How often players who do not accept each other's forces try again with other forces."""

Position = Callable[[random.Random, Mapping[str, OptionValue]], State]


def how_many(name: str) -> int:
    """Return the least number of games of an edition."""
    return MORE.get(name, EACH)


def kinds(name: str) -> dict[str, int]:
    """Return the kinds of games of an edition, and how many of each are played. The scenarios share what the others leave."""
    rules = edition(name)
    games = {WILD: WILDLY} if _module(name, "wild") else {}
    if rules.force_form is not None:
        games[BROUGHT] = BRINGING
    scenarios = [scenario.id for scenario in rules.info.scenarios]
    return games | dict.fromkeys(scenarios, -(-(how_many(name) - sum(games.values())) // len(scenarios)))


def opening(name: str, kind: str, seed: int) -> State:
    """Return the position in which a game begins. The seed decides its options, and in wild games and those with forces
    everything else.
    """
    rules = edition(name)
    chance = random.Random(f"{kind} {seed}")
    options = {option.id: chance.choice(option.choices).value for option in rules.info.options if chance.randrange(2)}
    if kind == WILD:
        # An option that only matters for the deployment has no effect if units already stand on the table.
        options.pop("deployment", None)
        return cast("Position", import_module(f"tests.rulesets.{name}.wild").position)(chance, options)
    if kind == BROUGHT:
        return with_forces(rules, chance, options)
    return opened(rules, kind, options)


def opened(rules: Ruleset, scenario: str, options: Mapping[str, OptionValue]) -> State:
    """Return a scenario with these options; a module that it needs is switched on."""
    defaults = next(one.defaults for one in rules.info.scenarios if one.id == scenario)
    needed = {key: value for key, value in defaults.items() if key not in {"deployment", "turn_limit"}}
    return rules.open(scenario, {**options, **needed})


def with_forces(rules: Ruleset, chance: random.Random, options: Mapping[str, OptionValue]) -> State:
    """Return a scenario to which all sides, or all but one, bring a force."""
    state = opened(rules, chance.choice(rules.info.scenarios).id, options)
    seats = [side.seat for side in state.sides.values()]
    for seat in seats if chance.randrange(2) else chance.sample(seats, len(seats) - 1):
        force = bring(rules, chance, state.options)
        if force is not None:
            state = ForceBrought(seat, force, bool(state.options.get("hidden_forces"))).fold(state)
    return state


def laws(name: str, start: State) -> tuple[Laws, ...]:
    """Return the additional laws of an edition's games."""
    return (
        (cast("Callable[[State], Laws]", import_module(f"tests.rulesets.{name}.laws").Own)(start),)
        if _module(name, "laws")
        else ()
    )


def _module(name: str, part: str) -> bool:
    return find_spec(f"tests.rulesets.{name}") is not None and find_spec(f"tests.rulesets.{name}.{part}") is not None


EVERY_KIND = [(name, kind) for name in every_edition() for kind in kinds(name)]
