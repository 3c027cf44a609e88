"""Staying in touch: the figures of a unit that are too far from the others."""

from __future__ import annotations

from itertools import combinations

from server.kernel.bodies import bodies
from server.kernel.space.geometry import inches, to_mil
from server.kernel.space.hulls import apart
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.rulesets.fubar.game import FubarRules


def out_of_touch(rules: FubarRules, state: State, unit: Unit) -> list[str]:
    """Return the living figures outside the largest group that keeps in touch (fubar4/unit.coherency).

    Suppressed figures count. Of equally large groups the one with the earlier figures counts as in touch.
    """
    known = rules.touch.get(unit.figures, state.options)
    if known is None:
        known = rules.touch.keep(unit.figures, state.options, _outside(rules, state, unit))
    return known


def _outside(rules: FubarRules, state: State, unit: Unit) -> list[str]:
    limit = inches(rules.book.tables.activation.touch)
    places = bodies(unit)
    group = _mutual if state.options.get("coherency") == "mutual" else _linked
    together = group(places, limit)
    return [key for key in places if key not in together]


def _linked(places: dict[str, Body], limit: int) -> set[str]:
    """Return the largest group in which every figure is linked to every other one by steps of at most `limit` mil."""
    best: set[str] = set()
    unseen = list(places)
    while unseen:
        group = {unseen.pop(0)}
        grown = True
        while grown:
            near = {key for key in unseen if any(_near(places, key, mate, limit) for mate in group)}
            group |= near
            unseen = [key for key in unseen if key not in near]
            grown = bool(near)
        if len(group) > len(best):
            best = group
    return best


def _mutual(places: dict[str, Body], limit: int) -> set[str]:
    """Return the largest group in which every figure is within `limit` mil of every other one."""
    mates = {key: {other for other in places if other != key and _near(places, key, other, limit)} for key in places}
    for size in range(len(places), 0, -1):
        able = [key for key in places if len(mates[key]) >= size - 1]
        for group in combinations(able, size):
            if all(one in mates[other] for one, other in combinations(group, 2)):
                return set(group)
    return set()


def _near(places: dict[str, Body], one: str, other: str, limit: int) -> bool:
    return to_mil(apart(places[one], places[other])) <= limit
