"""Close combats that go on: pairs of units that are locked in combat, noted in the state's book."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from server.kernel.facts import ConditionGained, ConditionLost, Noted
from server.kernel.notes import word_pairs
from server.kernel.procedure import Steps
from server.kernel.state import State
from server.rulesets.fubar.game import FIGHTING, FubarGame, fighting

RULE = "close.continues"
FIGHTS = "fights"
"""Where the book notes the pairs, the units of each in roster order."""

Pair = tuple[str, str]


def pairs(state: State) -> list[Pair]:
    """Return the pairs of units in close combat, in the order in which they met."""
    return list(word_pairs(state.book, FIGHTS))


def pair(state: State, one: str, other: str) -> Pair:
    """Return two units as a pair, in roster order."""
    order = list(state.units)
    return (one, other) if order.index(one) < order.index(other) else (other, one)


def members(fight: Iterable[Pair]) -> list[str]:
    """Return the units of some pairs, each once, in the order of the pairs."""
    return list(dict.fromkeys(unit for both in fight for unit in both))


def foes(fight: Iterable[Pair], unit: str) -> list[str]:
    """Return the units with which `unit` is paired, in the order of the pairs."""
    return [other if one == unit else one for one, other in fight if unit in {one, other}]


def connected(every: Sequence[Pair]) -> list[tuple[Pair, ...]]:
    """Return the fights that the pairs form: units that are linked through others are in the same fight."""
    left = list(every)
    found: list[tuple[Pair, ...]] = []
    while left:
        group = {*left[0]}
        grown = True
        while grown:
            linked = {unit for both in left if group & set(both) for unit in both}
            grown = not linked <= group
            group |= linked
        found.append(tuple(both for both in left if set(both) <= group))
        left = [both for both in left if not set(both) <= group]
    return found


def begin(game: FubarGame, new: Iterable[Pair]) -> Steps[None]:
    """Note that these pairs are in close combat from now on."""
    every = pairs(game.state)
    yield from _note(game, list(dict.fromkeys([*every, *new])))


def end(game: FubarGame, gone: Iterable[Pair]) -> Steps[None]:
    """Note that these pairs are no longer in close combat."""
    over = set(gone)
    yield from _note(game, [both for both in pairs(game.state) if both not in over])


def cease(game: FubarGame, unit: str) -> Steps[None]:
    """End all fights of `unit`. Units that fought only against it are free (fubar4/close.continues)."""
    yield from end(game, [both for both in pairs(game.state) if unit in both])


def _note(game: FubarGame, every: list[Pair]) -> Steps[None]:
    before = pairs(game.state)
    if every == before:
        return
    yield Noted(FIGHTS, tuple(every))
    locked = members(every)
    for unit in members([*before, *every]):
        state = game.unit(unit)
        if unit in locked and not fighting(state):
            yield ConditionGained(unit, FIGHTING, RULE)
        elif unit not in locked and fighting(state):
            yield ConditionLost(unit, FIGHTING, RULE)
