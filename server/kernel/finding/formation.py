"""Places for figures: the nearest free place, a unit set down in a zone, a unit shifted as one, figures closing in."""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from client_protocol.choices import Bond, PathsDeclared
from server.kernel.finding.bonds import all_hold, bonded_first
from server.kernel.finding.ground import Ground
from server.kernel.space.geometry import (
    FULL_TURN,
    Outline,
    Point,
    bounds,
    centroid,
    direction,
    distance,
    gap,
)
from server.kernel.space.hulls import outline, smaller
from server.kernel.space.paths import cohesive, overlaps
from server.kernel.space.values import Base, Hull, Pose
from server.kernel.standing import TOUCH, hull_in_zone, touches
from server.kernel.state import Figure, Unit

_MOST_PLACES: Final = 13_000
"""The most places of a zone that are tried for each unit, however large the zone and small the bases."""


def set_down(
    unit: Unit,
    zone: Sequence[Point],
    ground: Ground,
    limit: int,
    near: Point | None = None,
    bonds: Sequence[Bond] = (),
) -> dict[str, Point]:
    """Return a legal placement of `unit` inside the polygon `zone`, in two loose ranks that face the middle of the table, as
    near to `near` (default: the zone's middle) as they fit, else next to each other wherever they fit; no gap over `limit` mil
    (0: not asked), nor in `bonds` over theirs if it finds such a placement. A vehicle is placed as it faces. Empty if there is
    no place. The ground is not changed.
    """
    places = _set_down(unit, zone, ground, limit, near)
    if not all_hold(unit, bonds, places):
        closer = _set_down(bonded_first(unit, bonds), zone, ground, limit, near)
        if closer and all_hold(unit, bonds, closer):
            return {key: closer[key] for key in places}
    return places


def _set_down(unit: Unit, zone: Sequence[Point], ground: Ground, limit: int, near: Point | None) -> dict[str, Point]:
    figures = list(unit.living.items())
    key, first = figures[0]
    if first.hull is not None:
        at = _parked(first.hull, first.facing, tuple(zone), ground, near)
        return {} if at is None else {key: at}
    radius = first.radius
    wanted = limit or 1500
    apart = 2 * radius + min(wanted, 1500) * 4 // 5
    # First with room to spare; if need be wherever they fit, but rather not in each other's ranks.
    facing = ahead(zone, ground.size)
    for berth in (1500, 750, 300, 0):
        kept_off = [(at, radius + berth) for at, radius in ground.taken]
        roomy = Ground(ground.size, ground.barred, kept_off, hulls=ground.hulls, zone=zone)
        places = _ranks(figures, _middles(tuple(zone), near), roomy, apart, facing)
        if places and (not limit or cohesive(list(places.values()), [radius] * len(places), limit)):
            return places
    inside = Ground(ground.size, ground.barred, ground.taken, hulls=ground.hulls, zone=zone)
    return _huddle(figures, tuple(zone), inside, limit, near) or _tight(unit, tuple(zone), inside, limit, near)


def _parked(hull: Hull, facing: int, zone: Outline, ground: Ground, near: Point | None) -> Point | None:
    """Return the place nearest to `near` where a hull with this facing fits into `zone`, or None."""
    inner = smaller(hull)
    for berth in (1500, 0):
        for at in _middles(zone, near):
            pose = Pose(at, facing)
            if hull_in_zone(outline(pose, inner), zone) and ground.free_for_hull(pose, hull, berth):
                return at
    return None


def _huddle(
    figures: list[tuple[str, Figure]], zone: Outline, inside: Ground, limit: int, near: Point | None
) -> dict[str, Point]:
    """Return each figure at the free place nearest to the one before it, for a zone too narrow or too crowded for ranks."""
    radius = max(figure.radius for _, figure in figures)
    left, bottom, right, top = bounds(zone)
    step = max(radius // 2, 100, math.isqrt((right - left) * (top - bottom) // _MOST_PLACES))
    free = [
        (x, y)
        for x in range(left + radius, right - radius + 1, step)
        for y in range(bottom + radius, top - radius + 1, step)
        if inside.free((x, y), radius)
    ]
    places: dict[str, Point] = {}
    last = near or centroid(zone)
    for key, _ in figures:
        if not free:
            return {}
        last = min(free, key=lambda at: distance(at, last))
        places[key] = last
        free = [at for at in free if not overlaps(at, radius, [(last, radius)])]
    if limit and not cohesive(list(places.values()), [figure.radius for _, figure in figures], limit):
        return {}
    return places


def _tight(unit: Unit, zone: Outline, inside: Ground, limit: int, near: Point | None) -> dict[str, Point]:
    """Return places for figures next to each other at exact distances, from the middle of the zone or from one of its
    corners.
    """
    for start in (near or centroid(zone), *zone):
        places = close_together(unit, start, inside.as_at_first())
        radii = [unit.living[key].radius for key in places]
        if len(places) == unit.strength and (not limit or cohesive(list(places.values()), radii, limit)):
            return places
    return {}


def close_together(unit: Unit, start: Point, ground: Ground) -> dict[str, Point]:
    """Return free places for the figures of a unit, each as near as can be to the one before, the first to `start`, and add
    them to the ground. Figures are left out once one finds none.
    """
    return dict(next_to_each_other(unit, start, ground))


def next_to_each_other(unit: Unit, start: Point, ground: Ground) -> Iterator[tuple[str, Point]]:
    """Yield the places of `close_together` one by one, for those who may not want all."""
    for key, figure in unit.living.items():
        at = ground.nearest(start, figure.radius)
        if at is None:
            return
        ground.take(at, figure.radius)
        start = at
        yield key, at


def grown(start: Point, rows: Iterable[Sequence[Point]], radii: Sequence[int], limits: Sequence[int]) -> list[Point]:
    """Return places for bases of these radii that begin at `start`: each next one in the first of `rows` that has space for it
    with no gap over its entry in `limits` (mil) to one before it, as near to the start as can be. Bases are left out once one
    finds none.
    """
    coming = iter(rows)
    sorted_rows: list[list[Point]] = []
    taken: list[Base] = []
    for place, radius in enumerate(radii):
        found: Point | None = None
        index = 0
        while found is None:
            if index == len(sorted_rows):
                row = next(coming, None)
                if row is None:
                    break
                sorted_rows.append(sorted(row, key=lambda at: distance(at, start)))
            found = _joining(sorted_rows[index], radius, taken, limits[place])
            index += 1
        if found is None:
            break
        taken.append((found, radius))
    return [at for at, _ in taken]


def _joining(row: Sequence[Point], radius: int, taken: Sequence[Base], limit: int) -> Point | None:
    """Return the first place of a row that lies on none of the bases, and within `limit` mil of one if there are any."""
    for at in row:
        if overlaps(at, radius, taken):
            continue
        if not taken:
            return at
        for centre, other in taken:
            if gap(at, radius, centre, other) <= limit:
                return at
    return None


def ahead(zone: Sequence[Point], size: tuple[int, int]) -> int:
    """Return the facing from the middle of a zone to that of a table of this size, rounded to a right angle."""
    return round(direction(centroid(tuple(zone)), (size[0] // 2, size[1] // 2)) / 9000) * 9000 % FULL_TURN


def _ranks(
    figures: list[tuple[str, Figure]], middles: Iterable[Point], inside: Ground, apart: int, facing: int
) -> dict[str, Point]:
    """Return two ranks around the first of `middles` where all figures fit, the first of them ahead by this facing, a right
    angle. So sides at opposite edges stand alike, and neither has its gunners nearer to the enemy.
    """
    files = (len(figures) + 1) // 2
    x_ahead = {0: 1, 18000: -1}.get(facing, 0)
    y_ahead = {9000: 1, 27000: -1}.get(facing, 0)
    for middle in middles:
        places: dict[str, Point] = {}
        for index, (key, figure) in enumerate(figures):
            rank, file = divmod(index, files)
            right, front = round((file - (files - 1) / 2) * apart), round((0.5 - rank) * apart)
            at = (middle[0] + right * y_ahead + front * x_ahead, middle[1] - right * x_ahead + front * y_ahead)
            if not inside.free(at, figure.radius):
                break
            places[key] = at
        else:
            return places
    return {}


def _middles(zone: tuple[Point, ...], near: Point | None) -> Iterator[Point]:
    """Yield places for the middle of a unit: `near` (or the zone's middle), then those of a grid, the nearest first."""
    middle = near or centroid(zone)
    yield middle
    if near is None:
        yield from _middles_of(zone)
        return
    grid = _grid(zone, middle)
    # Mostly one of the first will do, so that they are not all sorted.
    heapq.heapify(grid)
    while grid:
        yield heapq.heappop(grid)[1]


@lru_cache(maxsize=64)
def _middles_of(zone: tuple[Point, ...]) -> tuple[Point, ...]:
    """Return the places of a grid over a zone, those nearest to its middle first. A side asks for its zone again and again."""
    return tuple(at for _, at in sorted(_grid(zone, centroid(zone))))


def _grid(zone: tuple[Point, ...], middle: Point) -> list[tuple[float, Point]]:
    """Return the places of a grid over a zone, each with the mil to `middle`."""
    left, bottom, right, top = bounds(zone)
    step = 1000
    return [
        (distance((x, y), middle), (x, y))
        for x in range(left + step, right, step)
        for y in range(bottom + step, top, step)
    ]


def shifted(unit: Unit, dx: int, dy: int) -> PathsDeclared:
    """Return every living figure of `unit` moved straight by (dx, dy) mil."""
    return PathsDeclared(
        {key: ((f.at[0] + dx, f.at[1] + dy),) for key, f in unit.living.items() if f.at is not None and (dx or dy)}
    )


def contact_places(base: Base, radius: int, angles: int = 24) -> list[Point]:
    """Return places at which a base of `radius` touches `base`, all around it."""
    (x, y), other = base
    reach = radius + other + TOUCH // 2
    return [
        (round(x + reach * math.cos(2 * math.pi * i / angles)), round(y + reach * math.sin(2 * math.pi * i / angles)))
        for i in range(angles)
    ]


def closing(unit: Unit, enemies: Sequence[Base], ground: Ground) -> dict[str, Point]:
    """Return where the figures of `unit` that do not touch any of `enemies` move into contact, nearest first and by the
    shortest way, without a limit on the distance. One that finds no place in contact comes as near as there is a place.
    """
    ends: dict[str, Point] = {}
    waiting = [
        (key, f.at, f.radius)
        for key, f in unit.living.items()
        if f.at is not None and not any(touches((f.at, f.radius), enemy) for enemy in enemies)
    ]
    waiting.sort(key=lambda row: min(gap(row[1], row[2], at, r) for at, r in enemies))
    for _, at, radius in waiting:
        ground.leave(at, radius)
    for key, at, radius in waiting:
        places = sorted((p for e in enemies for p in contact_places(e, radius)), key=lambda p: distance(at, p))
        end = next((p for p in places if ground.free(p, radius)), None)
        if end is None:
            nearest = min(enemies, key=lambda e: distance(at, e[0]))
            end = ground.nearest(nearest[0], radius)
        if end is None or not ground.free(end, radius):
            end = at
        ground.take(end, radius)
        if end != at:
            ends[key] = end
    return ends
