"""Cover: the areas that a figure stands in and how deep, the cover of a target, and where cover blocks fire."""

from __future__ import annotations

from collections.abc import Sequence

from server.kernel.bodies import bodies
from server.kernel.notes import words
from server.kernel.space.geometry import (
    Place,
    at_most,
    between,
    contains,
    crossings,
    distance_to_outline,
    edges,
    gap,
    inches,
    segment_distance_to_outline,
    to_mil,
)
from server.kernel.space.hulls import apart, off
from server.kernel.space.terrain import NO_COVER, Terrain
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed
from server.rulesets.fubar.game import DUCKING, GONE_TO_GROUND, LYING, LYING_FIGURES, FubarRules

HALF = "cover.half-of-unit"
LEAST = "soft"
"""The cover of a unit that ducks and weaves, or lies down in the open."""


class Footing(Fixed, frozen=True):
    """The areas of cover in which a body stands, and those in which it is deeper than the edge.

    From within the edge a body can fire out, and can be hit from outside.
    """

    areas: frozenset[str] = frozenset()
    deep: frozenset[str] = frozenset()


NOWHERE = Footing()
"""The footing of a body outside all areas of cover."""


class Cover(Fixed, frozen=True):
    """A level of cover, and the rule that gives or withholds it."""

    level: str = NO_COVER
    rule: str = "cover.table"


# --- areas and their edges ------------------------------------------------------------------------------------------


class Footings:
    """The footings of a unit's living figures on the table, by their places in its group (fubar4/fire.edge-of-cover).

    A figure stands in the areas of cover that hold its centre. Walls and hedges are no areas. Each footing is found when it is
    needed.
    """

    def __init__(self, rules: FubarRules, state: State, unit: Unit) -> None:
        self._field = rules.field(state)
        self._terrain = state.table.terrain
        self._edge = inches(rules.book.tables.cover.edge)
        self._bodies = rules.group(unit).bodies
        self._known: list[Footing | None] = [None] * len(self._bodies)

    def of(self, place: int) -> Footing:
        """Return the footing of one figure."""
        known = self._known[place]
        if known is None:
            known = self._known[place] = self._found(self._bodies[place])
        return known

    def _found(self, body: Body) -> Footing:
        inside = {piece for piece, _ in self._field.cover_at(body.at, 0, 0)}
        if not inside:
            return NOWHERE
        areas = [piece for piece in self._terrain if piece.id in inside and not piece.linear]
        deep = frozenset(piece.id for piece in areas if depth(body, piece) > self._edge)
        return Footing(frozenset(piece.id for piece in areas), deep)


def footings(rules: FubarRules, state: State, unit: Unit) -> Footings:
    """Return the footings of a unit. They are remembered until it moves or loses a figure, or the terrain changes."""
    known = rules.footings.get(unit.figures, state.table.terrain)
    return (
        rules.footings.keep(unit.figures, state.table.terrain, Footings(rules, state, unit)) if known is None else known
    )


def depth(body: Body, area: Terrain) -> int:
    """Return how far inside an area a body stands: from its nearest edge to the area's, in mil."""
    ring = (*area.outline, area.outline[0])
    if not body.outline:
        return max(0, to_mil(distance_to_outline(body.at, ring, linear=True) - body.radius))
    sides = edges(body.outline, linear=False)
    return to_mil(min(segment_distance_to_outline(a, b, ring, linear=True) for a, b in sides))


def shared(one: Footing, other: Footing) -> bool:
    """Return whether both stand in the same area of cover."""
    return bool(one.areas & other.areas)


def fault(firer: Footing, target: Footing) -> str:
    """Return the rule by which cover keeps a firer from firing at a target, or "" if it does not.

    The limit on distances within one area is not checked here.
    """
    if not firer.deep and not target.deep:
        return ""
    common = firer.areas & target.areas
    if firer.deep - common:
        # fubar4/fire.deep-in-cover
        return "fire.deep-in-cover"
    if target.deep - common:
        # fubar4/fire.edge-of-cover
        return "fire.edge-of-cover"
    return ""


# --- what a target's cover is worth ---------------------------------------------------------------------------------


def cover_of(rules: FubarRules, state: State, target: Unit, firing: Sequence[Body]) -> Cover:
    """Return the cover of a unit against the figures or hulls that fire at it.

    It is the best level that at least half of its figures have (fubar4/cover.half-of-unit).
    """
    order = list(rules.book.covers)
    found = [figure_cover(rules, state, target, key, body, firing) for key, body in bodies(target).items()]
    for level in range(len(order) - 1, 0, -1):
        having = [cover for cover in found if order.index(cover.level) >= level]
        if len(having) * 2 >= len(found):
            return Cover(order[level], max((c.rule for c in having), key=[c.rule for c in having].count))
    return Cover(rule=HALF) if any(cover.level != NO_COVER for cover in found) else Cover()


def figure_cover(
    rules: FubarRules, state: State, target: Unit, figure: str, body: Body, firing: Sequence[Body]
) -> Cover:
    """Return the cover of one figure of a unit against the nearest of the bodies that fire at it."""
    order = list(rules.book.covers)
    nearest = min(firing, key=lambda firer: apart(firer, body))
    real = terrain_cover(rules, state, body, nearest.at)
    if real == NO_COVER:
        if DUCKING in target.conditions:
            # fubar4/action.duck-and-weave
            return Cover(LEAST, "action.duck-and-weave")
        # fubar4/action.gone-to-ground: in the open, none plus one
        return Cover(LEAST, "action.gone-to-ground") if _lies(target, figure) else Cover()
    if GONE_TO_GROUND in target.conditions or LYING in target.conditions:
        # fubar4/action.gone-to-ground: one level more, hard stays hard
        better = order[min(order.index(real) + 1, len(order) - 1)]
        return Cover(better, "action.gone-to-ground" if better != real else "cover.table")
    # fubar4/action.duck-and-weave: the better of the two, not both; soft is the lowest level
    return Cover(real)


def _lies(unit: Unit, figure: str) -> bool:
    """Return whether a figure has lain down in the open, with no cover near."""
    if GONE_TO_GROUND in unit.conditions:
        return figure in words(unit.profile, LYING_FIGURES)
    return LYING in unit.conditions


def terrain_cover(rules: FubarRules, state: State, body: Body, firer: Place) -> str:
    """Return the best cover of a body against fire from a place (fubar4/cover.half-of-unit, fubar4/cover.table).

    It comes from an area in which its centre is, or from a wall near it that the line of fire crosses.
    """
    order = list(rules.book.covers)
    return max((piece.cover for piece in covering(rules, state, body, firer)), key=order.index, default=NO_COVER)


def covering(rules: FubarRules, state: State, body: Body, firer: Place) -> list[Terrain]:
    """Return the pieces that cover a body against fire from a place, in the table's order."""
    reach = inches(rules.book.tables.cover.behind)
    return [
        piece
        for piece in state.table.terrain
        if piece.cover != NO_COVER
        and (_behind(body, piece, firer, reach) if piece.linear else contains(piece.outline, body.at))
    ]


def _behind(body: Body, wall: Terrain, firer: Place, reach: int) -> bool:
    """Return whether the line from `firer` to a body crosses a wall within `reach` mil of the body."""
    for t in crossings(firer, body.at, wall.outline, linear=True):
        crossed = between(firer, body.at, t)
        if at_most(off(crossed, body.outline) if body.outline else gap(crossed, 0, body.at, body.radius), reach):
            return True
    return False
