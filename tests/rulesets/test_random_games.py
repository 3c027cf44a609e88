"""Hundreds of whole games between random seats: nothing is refused, nothing impossible happens, every game ends.

A game in which something does is kept as a case from its last boundary on: `underfire resolve` runs it again.
"""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import gettempdir

import pytest

from client_protocol.choices import Picked
from client_protocol.messages import OptionValue
from server.commands.simulate import rules_asked, rules_told
from server.kernel import cases
from server.kernel.state import State
from server.opponents.simulation import TOO_LONG, play
from server.rulesets.fad.movement import CoherencyDistance
from tests.rulesets.invariants import Watch
from tests.support.battlefield import battle, fad4, line, piece, unit
from tests.support.tabletop import Row

TESTS = Path(__file__).parents[1]
GAMES = {
    "close-quarters": 110,
    "crossroads-patrol": 50,
    "hold-the-relay": 30,
    "ridge-farm": 16,
}
"""How many games of each, two hundred at least."""


def open_game(kind: str, seed: int) -> State:
    """The position in which a game begins. Options and, in close quarters, everything else hang on the seed."""
    chance = random.Random(f"{kind} {seed}")
    options: dict[str, OptionValue] = {
        option.id: chance.choice(option.choices).value for option in fad4().info.options if chance.randrange(2)
    }
    if kind == "close-quarters":
        options.pop("deployment", None)
        return close_quarters(chance, options)
    return fad4().open(kind, options)


def close_quarters(chance: random.Random, options: dict[str, OptionValue]) -> State:
    """Two or three squads a side, 8 to 12 inches apart, of every kind: large, tiny, rabble, half dead, marked."""
    apart = chance.choice([8.0, 9.0, 10.0, 12.0])
    south = chance.choice([2.0, 12.0, 24.0])
    units = [
        _squad(chance, side, 3 + 15.0 * place, y)
        for side, y in (("blue", south), ("red", south + apart + 1))
        for place in range(chance.randrange(2, 4))
    ]
    terrain = [
        piece("wall", (2, south + 5), (12, south + 5)),
        piece("dense_woods", (16, south + 2), (24, south + 7)),
        piece("cliff", (26, south + 3), (28, south + 7)),
        piece("ruin", (32, south - 2), (40, south + 4)),
    ]
    return battle(*units, terrain=terrain, options=options, phase="turn", turn=0, first="", active="")


def _squad(chance: random.Random, side: str, x: float, y: float) -> Row:
    book = fad4().book
    figures = chance.choice([1, 2, 3, 5, 5, 8, 10])
    lost = chance.randrange(figures) if chance.randrange(3) == 0 else 0
    weapons = [weapon.id for weapon in book.support_weapons.values() if "powered_armour_only" not in weapon.flags]
    support = chance.sample(weapons, chance.randrange(min(3, figures)))
    return unit(
        side,
        line((x, y), figures, chance.choice([1.4, 2.5]) if figures <= 5 else 1.3),
        lost=lost,
        quality=chance.choice(["rabble", *book.qualities]),
        resolve=chance.choice(list(book.resolves)),
        small_arm=chance.choice(list(book.small_arms)),
        armour=chance.choice(list(book.armours)),
        support=support,
        leader=figures > len(support) and chance.randrange(2) == 0,
        conditions=chance.choice([(), (), ("under_fire",), ("pinned",), ("broken",), ("broken", "under_fire")]),
        non_combatant=chance.randrange(8) == 0,
    )


def coherency(state: State, unit_id: str) -> int:
    return fad4().advisers.answer(state, CoherencyDistance(unit_id)).value


def play_game(kind: str, seed: int) -> set[str]:
    """Play a game and look at every step. Returns the rules that it touched."""
    start = boundary = open_game(kind, seed)
    watch = Watch(start, coherency)
    touched: set[str] = set()
    answers: list[tuple[str, Picked]] = []
    dice: list[int] = []
    steps = 0
    last = start
    try:
        for played in play(fad4(), start, seed):
            steps += 1
            assert not played.refused, "what is sampled from a choice is legal"
            if played.picked is not None:
                answers.append((played.seat, played.picked))
            dice += [face for taken in played.step.rolls for face in taken.faces]
            watch.step(played)
            touched |= rules_told(played.step.facts) | rules_asked(played.ask)
            last = played.after
            if played.step.boundary is not None:
                facts, rolls = played.step.boundary
                boundary = played.before
                for fact in played.step.facts[:facts]:
                    boundary = fact.fold(boundary)
                answers, dice = [], [face for taken in played.step.rolls[rolls:] for face in taken.faces]
        assert last.result is not None
        assert last.turn.number <= int(start.victory["turn_limit"])
    except Exception as error:
        kept = Path(gettempdir()) / f"underfire-{kind}-{seed}.json"
        kept.write_text(json.dumps(cases.write(boundary, answers, dice)), encoding="utf-8")
        raise AssertionError(f"{kind}, seed {seed}, step {steps}: {error} (see {kept})") from error
    assert steps < TOO_LONG
    return touched


@cache
def games(kind: str) -> frozenset[str]:
    """All games of a kind; the rules that they touched."""
    return frozenset().union(*(play_game(kind, seed) for seed in range(GAMES[kind])))


@pytest.mark.parametrize("kind", GAMES)
def test_nothing_impossible_happens(kind: str) -> None:
    assert games(kind)
    assert sum(GAMES.values()) >= 200


# --- which rules came up --------------------------------------------------------------------------------------------


def carried() -> Iterator[str]:
    """The rules of the reference that a fact, a number or a prompt can name: those that the chapters' code writes."""
    folder = TESTS.parent / "server" / "rulesets" / "fad"
    written = set(
        re.findall(r'"([a-z]+\.[a-z-]+)"', "".join(p.read_text(encoding="utf-8") for p in folder.glob("*.py")))
    )
    yield from (row["id"] for row in fad4().reference if row["id"] in written)


def marked() -> set[str]:
    """The rules that a test is marked with."""
    files = (TESTS / "rulesets").rglob("test_*.py")
    return {
        rule for file in files for rule in re.findall(r'mark\.rule\("fad4/(.*?)"\)', file.read_text(encoding="utf-8"))
    }


def test_every_rule_that_can_be_named_came_up_in_a_game_or_has_its_own_test() -> None:
    touched: set[str] = set().union(*map(games, GAMES))
    untouched = sorted(set(carried()) - touched)
    print(f"Rules that no random game touched: {', '.join(untouched) or 'none'}")
    assert len(set(carried())) > 60
    assert not set(untouched) - marked()
    # The games are not tame: these come up only where squads fight hand to hand and break.
    assert {
        "assault.overrun",
        "assault.select-losses",
        "assault.fall-back",
        "morale.overrides",
        "pin.no-assault",
    } <= touched
