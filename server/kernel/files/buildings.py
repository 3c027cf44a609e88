"""Buildings of a setup: the walls and openings that a piece of terrain with `openings` has along its outline.

A building is a few pieces of terrain: the room, which is an area; its walls, areas as thick as `THICKNESS` inside its outline;
and its openings, lines between the walls on the outline itself. An opening through which nothing goes has a sill in it, as
thick as a wall, over which one sees. So paths, sight and the table know nothing but terrain. A wall has a thickness so that
bases on either side of it do not touch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from server.kernel.errors import RulesetError
from server.kernel.space.geometry import Outline, Point, between, distance, segment_point_distance, to_mil, to_point
from server.kernel.space.terrain import Terrain

THICKNESS = 250
"""Mil: how thick walls are."""
CORNER = 500
"""Mil between an opening and a corner of its room, or another opening, at least: what a wall needs to stand."""
NEAR = 100
"""Mil by which an opening may be off the outline that it is in."""
LONGEST_ID = 60
_SHUT = "impassable"
"""The flag of an opening that one looks through, and does not go through."""


class Opening(Struct, frozen=True):
    """A door or window: its kind and name, where its middle is, and how wide it is, in mil."""

    kind: str
    name: str
    at: Point
    width: int


class _Gap(Struct, frozen=True):
    """Where an opening is: on which side of the outline, and from where to where along it, in mil."""

    side: int
    start: float
    end: float
    opening: Opening


def parts(room: Terrain, wall: Terrain, openings: Sequence[Opening], looks: Mapping[str, Terrain]) -> list[Terrain]:
    """Return the walls and openings of a room.

    Args:
        room: the room.
        wall: what its walls are like.
        openings: its openings; there is at least one.
        looks: what openings are like, by kind.

    Raises:
        RulesetError: an opening is not in the outline, too near to a corner or to another one, or an id would be too long.
    """
    if room.linear or len(room.outline) < 3:
        raise RulesetError(f"{room.name} has openings, and is no area: a room has at least three corners")
    outline = room.outline if _area(room.outline) > 0 else tuple(reversed(room.outline))
    gaps = sorted((_gap(room, outline, one) for one in openings), key=lambda gap: (gap.side, gap.start))
    for before, after in pairwise(gaps):
        if before.side == after.side and after.start - before.end < CORNER:
            raise RulesetError(
                f"{room.name}: its {before.opening.name.lower()} and its {after.opening.name.lower()} need half an inch of "
                "wall between them"
            )
    found: list[Terrain] = []
    for number, gap in enumerate(gaps, 1):
        ends = (_along(outline, gap.side, gap.start), _along(outline, gap.side, gap.end))
        found.append(_named(room, looks[gap.opening.kind], f"opening-{number}", gap.opening.name, ends))
        if _SHUT in looks[gap.opening.kind].flags:
            # No figure stands in what none goes through: it would touch those on the other side.
            sill = (*ends, *(_inside(end, _normal(outline, gap.side)) for end in reversed(ends)))
            like = replace(wall, sight="clear", cover="none")
            found.append(_named(room, like, f"sill-{number}", gap.opening.name, sill))
    for number, (before, after) in enumerate(zip(gaps, [*gaps[1:], gaps[0]], strict=True), 1):
        found.append(_named(room, wall, f"wall-{number}", wall.name, _band(outline, before, after)))
    return found


def _named(room: Terrain, like: Terrain, suffix: str, name: str, outline: Outline) -> Terrain:
    key = f"{room.id}.{suffix}"
    if len(key) > LONGEST_ID:
        raise RulesetError(f"the id {room.id!r} is too long for a building: {key!r} has more than {LONGEST_ID} letters")
    return Terrain(
        key,
        f"{name} of {room.name}",
        like.kind,
        outline,
        like.linear,
        like.cover,
        like.flags,
        like.sight,
        like.sight_depth,
    )


def _gap(room: Terrain, outline: Outline, opening: Opening) -> _Gap:
    """Return where an opening is, on the side of the outline that is nearest to it."""
    sides = [(outline[i], outline[(i + 1) % len(outline)]) for i in range(len(outline))]
    side = min(range(len(sides)), key=lambda i: segment_point_distance(*sides[i], opening.at))
    a, b = sides[side]
    x, y = opening.at[0] / 1000, opening.at[1] / 1000
    what = f"the {opening.name.lower()} of {room.name} at [{x:g}, {y:g}]"
    if to_mil(segment_point_distance(a, b, opening.at)) > NEAR:
        raise RulesetError(f"{what} is not on the outline of the room")
    middle, half = distance(a, opening.at), opening.width / 2
    if middle - half < CORNER or distance(a, b) - middle - half < CORNER:
        raise RulesetError(f"{what} needs half an inch of wall on both sides, up to the corners")
    return _Gap(side, middle - half, middle + half, opening)


def _band(outline: Outline, before: _Gap, after: _Gap) -> Outline:
    """Return the wall from one opening to the next, against the clock; a room with one opening has one wall all round."""
    count = len(outline)
    turns = (after.side - before.side) % count
    if turns == 0 and after.start <= before.start:
        turns = count
    corners = [(before.side + turn) % count for turn in range(1, turns + 1)]
    first, last = _along(outline, before.side, before.end), _along(outline, after.side, after.start)
    outer = [first, *(outline[corner] for corner in corners), last]
    inner = [
        _inside(first, _normal(outline, before.side)),
        *(_mitred(outline, corner) for corner in corners),
        _inside(last, _normal(outline, after.side)),
    ]
    return (*outer, *reversed(inner))


def _along(outline: Outline, side: int, far: float) -> Point:
    a, b = outline[side], outline[(side + 1) % len(outline)]
    return to_point(between(a, b, far / distance(a, b)))


def _normal(outline: Outline, side: int) -> tuple[float, float]:
    """Return the direction from a side into the room, which lies to its left."""
    (ax, ay), (bx, by) = outline[side], outline[(side + 1) % len(outline)]
    length = distance((ax, ay), (bx, by))
    return ((ay - by) / length, (bx - ax) / length)


def _inside(at: Point, normal: tuple[float, float]) -> Point:
    return to_point((at[0] + THICKNESS * normal[0], at[1] + THICKNESS * normal[1]))


def _mitred(outline: Outline, corner: int) -> Point:
    """Return where the inner faces of the two walls at a corner meet."""
    one, other = _normal(outline, (corner - 1) % len(outline)), _normal(outline, corner)
    x, y = one[0] + other[0], one[1] + other[1]
    # The nearer the walls come to a fold, the farther off their faces meet; no farther than twice the thickness.
    share = min(2 / (x * x + y * y), 2.0) if x or y else 0.0
    return to_point((outline[corner][0] + THICKNESS * share * x, outline[corner][1] + THICKNESS * share * y))


def _area(outline: Outline) -> float:
    """Return twice the area of an outline, below 0 if its corners run with the clock."""
    pairs = zip(outline, (*outline[1:], outline[0]), strict=True)
    return float(sum(ax * by - bx * ay for (ax, ay), (bx, by) in pairs))
