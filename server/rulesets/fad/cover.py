"""Cover: which pieces of terrain cover a unit against the figures that fire at it, the level of cover that it has by them, and
who stands in cover from all sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from server.kernel.bodies import body, is_vehicle
from server.kernel.space.geometry import Point, between, distance, moved, to_point
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadRules

Covered = tuple[str, tuple[tuple[str, str], ...]]
"""A part of a unit, by its figure, and the pieces that cover it, as (terrain id, cover level)."""


def cover_of(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, firing: Sequence[str], seen: Sequence[str] = ()
) -> str:
    """Return the cover level of `enemy`, of which `seen` may be hit (none: all), against the `firing` figures of `unit`."""
    if rules.airborne(enemy):
        # fad4/move.fly
        return "none"
    return _level(rules, asked(rules, enemy, covering_pieces(rules, state, unit, enemy, firing), seen))


def cover_around(rules: FadRules, state: State, enemy: Unit, at: Point, seen: Sequence[str] = ()) -> str:
    """Return the cover level of `enemy`, of which `seen` may be hit (none: all), against something that bursts at a point
    (fad4/blast.strike-effect).
    """
    return _level(rules, asked(rules, enemy, _covering(rules, state, enemy, [at]), seen))


def asked(rules: FadRules, enemy: Unit, covered: Sequence[Covered], seen: Sequence[str]) -> Sequence[Covered]:
    """Return the parts of `enemy` of which half must be in cover: all of them, or only those that may be hit
    (fad5/shoot.hits).
    """
    if not seen or not rules.book.tables.cover.of_seen or is_vehicle(enemy):
        return covered
    return [part for part in covered if part[0] in seen]


def _level(rules: FadRules, covered: Sequence[Covered]) -> str:
    # fad4/hits.half-in-cover: the best level that half of the living figures reach; heavy counts towards partial
    order, rank = rules.cover_levels, rules.cover_ranks
    levels = [max([rank[level] for _, level in covering]) if covering else rank["none"] for _, covering in covered]
    share = rules.book.tables.cover.share
    for place in range(len(order) - 1, 0, -1):
        if len([own for own in levels if own >= place]) * 100 >= share * len(levels):
            return order[place]
    return order[0]


def covering_pieces(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, firing: Sequence[str]
) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    """Return, for each part of `enemy`, its figure and the pieces that cover it, as (terrain id, cover level).

    A piece covers a part against the nearest of the `firing` figures of `unit`. Half of the parts must be in cover for the
    unit to be.
    """
    if rules.airborne(unit):
        # fad4/move.fly, fad5/move.flyer-sight: from above no piece stands before a figure, and what it is in covers it
        sight = rules.field(state)
        return [(key, sight.cover_inside(at)) for key, at, _ in _parts(rules, enemy)]
    return _covering(rules, state, enemy, firing_places(state, unit, firing))


def _covering(
    rules: FadRules, state: State, enemy: Unit, shooters: Sequence[Point]
) -> list[tuple[str, tuple[tuple[str, str], ...]]]:
    sight = rules.field(state)
    reach = rules.edge_reach()
    parts = _parts(rules, enemy)
    covered = sight.covers_from([(at, radius) for _, at, radius in parts], shooters, reach)
    # It is asked for each shot, and most matches have nothing that conceals so.
    conceals = not is_vehicle(enemy) and bool(rules.concealing(state))
    return [
        (key, (*pieces, *_concealed(rules, state, at, shooters)) if conceals else pieces)
        for (key, at, _), pieces in zip(parts, covered, strict=True)
    ]


def _concealed(rules: FadRules, state: State, at: Point, shooters: Sequence[Point]) -> Iterator[tuple[str, str]]:
    """Yield the pieces that conceal infantry at a place from the nearest of the shooters, who stands outside."""
    for piece, level in _concealing(rules, state, at):
        if not piece.holds(min(shooters, key=lambda place: distance(place, at))):
            yield piece.id, level


def _concealing(rules: FadRules, state: State, at: Point) -> list[tuple[Terrain, str]]:
    return [row for conceals in rules.concealing(state) for row in conceals(rules, state, at)]


def firing_places(state: State, unit: Unit, firing: Sequence[str]) -> list[Point]:
    """Return from where figures of a unit fire; those aboard a vehicle fire from its place (fad4/transport.soft-skin-fire)."""
    figures = state.units[unit.aboard].figures.values() if unit.aboard else [unit.figures[key] for key in firing]
    return [figure.at for figure in figures if figure.at is not None]


def _parts(rules: FadRules, enemy: Unit) -> list[tuple[str, Point, int]]:
    """Return the parts of which half must be in cover: the figures of a squad, eight points on the rim of a unit made as one
    figure, or the corners of a hull and the middles of its sides.
    """
    if is_vehicle(enemy):
        return [(key, place, 0) for key, figure in enemy.living.items() for place in _round(body(figure))]
    places = [(key, figure.at, figure.radius) for key, figure in enemy.living.items() if figure.at is not None]
    # fad5/shoot.hits: a figure on its own is covered as each of a squad is
    if len(enemy.figures) > 1 or rules.book.tables.cover.of_seen:
        return places
    return [(key, moved(at, turn * 4500, radius), 0) for key, at, radius in places for turn in range(8)]


def _round(hull: Body) -> list[Point]:
    sides = zip(hull.outline[-1:] + hull.outline[:-1], hull.outline, strict=True)
    return [place for a, b in sides for place in (b, to_point(between(a, b, 0.5)))]


def figures_in_cover(rules: FadRules, state: State, places: Iterable[tuple[Point, int]]) -> int:
    """Return how many of these bases stand in cover, from whatever direction they are shot at."""
    sight, reach = rules.field(state), rules.edge_reach()
    return sum(bool(sight.cover_at(at, radius, reach) or _concealing(rules, state, at)) for at, radius in places)


def in_cover(rules: FadRules, state: State, unit: Unit) -> bool:
    """Return whether enough of the unit's living figures stand in cover for the squad to count as in cover
    (fad4/hits.half-in-cover).
    """
    places = unit.places()
    return figures_in_cover(rules, state, places) * 100 >= rules.book.tables.cover.share * len(places)
