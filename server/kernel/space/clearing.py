"""What is left of a piece of terrain when a part of it is taken away, and round outlines."""

from __future__ import annotations

import math

import shapely

from server.kernel.space.geometry import Outline, Point
from server.kernel.space.terrain import Terrain

CORNERS = 16
"""The corners of a round outline."""
SLIT = 4
"""How wide, in mil, a slit is that joins a hole in an area to what lies around it, so that a single border goes round both."""
LEAST = 250_000
"""The least area that is left, in square mil: smaller scraps are nothing. Of a line the least length is `LEAST_LINE`."""
LEAST_LINE = 500


def round_outline(at: Point, radius: int, size: tuple[int, int]) -> Outline:
    """Return a round area, as far as it lies on a table of this size. Lengths in mil."""
    corners = [
        (
            round(at[0] + radius * math.cos(2 * math.pi * step / CORNERS)),
            round(at[1] + radius * math.sin(2 * math.pi * step / CORNERS)),
        )
        for step in range(CORNERS)
    ]
    inside = [(min(max(x, 0), size[0]), min(max(y, 0), size[1])) for x, y in corners]
    return tuple(dict.fromkeys(inside))


def without(piece: Terrain, hole: Outline) -> tuple[Outline, ...] | None:
    """Return the outlines of what is left of `piece` without the convex area `hole`, the largest first; None if the hole takes
    nothing away.
    """
    gone = shapely.polygons(hole)
    if piece.linear:
        own = shapely.linestrings(piece.outline)
        if shapely.length(shapely.intersection(own, gone)) < 1:
            return None
        return _lines(shapely.difference(own, gone))
    own = shapely.polygons(piece.outline)
    if not own.is_valid:
        own = own.buffer(0)
    if shapely.area(shapely.intersection(own, gone)) < 1:
        return None
    left = shapely.difference(own, gone, grid_size=1)
    if any(len(part.interiors) for part in _parts(left)):
        left = shapely.difference(own, shapely.union(gone, _slit(own, hole)), grid_size=1)
    found = [part for part in _parts(left) if part.area >= LEAST]
    found.sort(key=lambda part: (-part.area, part.bounds))
    return tuple(_ring(part) for part in found)


def _slit(own: shapely.Polygon, hole: Outline) -> shapely.Polygon:
    """Return a slit from the middle of a hole out of the area around it, to the right."""
    x = sum(corner[0] for corner in hole) // len(hole)
    y = sum(corner[1] for corner in hole) // len(hole)
    right = math.ceil(own.bounds[2]) + 1
    return shapely.box(x, y - SLIT // 2, right, y + SLIT // 2)


def _parts(shape: shapely.Geometry) -> list[shapely.Polygon]:
    return [part for part in shapely.get_parts(shape) if part.geom_type == "Polygon" and not part.is_empty]


def _ring(part: shapely.Polygon) -> Outline:
    """Return the border of an area, from its lowest corner of those on the left and against the clock, whatever made it."""
    corners = [(round(x), round(y)) for x, y in shapely.normalize(part).exterior.coords[:-1]]
    outline = list(dict.fromkeys(corners))
    turn = sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(outline, [*outline[1:], outline[0]], strict=True))
    if turn < 0:
        outline.reverse()
    first = outline.index(min(outline))
    return tuple(outline[first:] + outline[:first])


def _lines(shape: shapely.Geometry) -> tuple[Outline, ...]:
    found = [part for part in shapely.get_parts(shape) if part.geom_type == "LineString" and part.length >= LEAST_LINE]
    found.sort(key=lambda part: (-part.length, part.bounds))
    return tuple(tuple(dict.fromkeys((round(x), round(y)) for x, y in part.coords)) for part in found)
