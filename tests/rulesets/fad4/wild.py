"""Positions in which squads fight hand to hand and break sooner than in any scenario."""

from __future__ import annotations

import random
from collections.abc import Mapping

from client_protocol.shapes import OptionValue
from server.kernel.state import State
from server.rulesets.fad.setup.book import Book
from tests.support.battlefield import battle, fad, line, piece, unit
from tests.support.tabletop import Row


def position(chance: random.Random, options: Mapping[str, OptionValue], edition: str = "fad4") -> State:
    """Return a position with two or three squads a side, 8 to 12 inches apart, of every kind: large, tiny, rabble, half dead,
    marked.
    """
    apart = chance.choice([8.0, 9.0, 10.0, 12.0])
    south = chance.choice([2.0, 12.0, 24.0])
    units = [
        _squad(chance, fad(edition).book, side, 3 + 15.0 * place, y)
        for side, y in (("blue", south), ("red", south + apart + 1))
        for place in range(chance.randrange(2, 4))
    ]
    terrain = [
        piece("wall", (2, south + 5), (12, south + 5)),
        piece("dense_woods", (16, south + 2), (24, south + 7)),
        piece("cliff", (26, south + 3), (28, south + 7)),
        piece("ruin", (32, south - 2), (40, south + 4)),
    ]
    return battle(
        *units, terrain=terrain, options=options, phase="turn", turn=0, first="", active="", rules=fad(edition)
    )


def _squad(chance: random.Random, book: Book, side: str, x: float, y: float) -> Row:
    figures = chance.choice([1, 2, 3, 5, 5, 8, 10])
    lost = chance.randrange(figures) if chance.randrange(3) == 0 else 0
    weapons = [weapon.id for weapon in book.support_weapons.values() if "powered_armour_only" not in weapon.traits]
    support = chance.sample(weapons, chance.randrange(min(3, figures)))
    places = line((x, y), figures, chance.choice([1.4, 2.5]) if figures <= 5 else 1.3)
    quality, resolve = chance.choice(["rabble", *book.qualities]), chance.choice(list(book.resolves))
    small_arm, armour = chance.choice(list(book.small_arms)), chance.choice(list(book.armours))
    leader = figures > len(support) and chance.randrange(2) == 0
    marks = chance.choice([(), (), ("under_fire",), ("pinned",), ("broken",), ("broken", "under_fire")])
    if not book.resolves[resolve].broken(lost, figures):
        # A unit is Broken only by losses.
        marks = tuple(mark for mark in marks if mark != "broken")
    return unit(
        side,
        places,
        lost=lost,
        quality=quality,
        resolve=resolve,
        small_arm=small_arm,
        armour=armour,
        support=support,
        leader=leader,
        conditions=marks,
        non_combatant=chance.randrange(8) == 0,
    )
