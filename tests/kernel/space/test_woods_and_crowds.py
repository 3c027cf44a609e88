"""Lines that end in several woods together, behind the edge of one, and at figures through whom no one fires."""

from __future__ import annotations

import random
from collections import Counter

import pytest
import shapely

from server.kernel.space.geometry import Point, inches, rectangle
from server.kernel.space.lines import round_lines
from server.kernel.space.pieces import Crowd
from server.kernel.space.screens import Group
from server.kernel.space.sight import Field
from server.kernel.space.terrain import Sight, Terrain
from server.kernel.space.values import Body

SIZE = 24_000
STEPS = 1_000


def wood(name: str, west: int, south: int, wide: int, high: int, sight: Sight, depth: int) -> Terrain:
    outline = rectangle(west, south, west + wide, south + high)
    return Terrain(name, name, "woods", outline, sight=sight, sight_depth=depth)


def some_woods(chance: random.Random, sight: Sight) -> list[Terrain]:
    def size() -> int:
        return chance.randrange(500, 9_000, 500)

    return [
        wood(
            str(n),
            chance.randrange(16_000),
            chance.randrange(16_000),
            size(),
            size(),
            sight,
            chance.choice([2_000, 4_000]),
        )
        for n in range(chance.randint(2, 5))
    ]


def open_share(pieces: list[Terrain], line: tuple[Point, Point]) -> float:
    """Return how much of what one sees through lies on a line, step by step: 1 is all of it. Edges of thin woods end it too."""
    (ax, ay), (bx, by) = line
    length = float(shapely.LineString(line).length)
    deep = 0.0
    for step in range(STEPS):
        t = (step + 0.5) / STEPS
        at = (ax + t * (bx - ax), ay + t * (by - ay))
        depths = [piece.sight_depth for piece in pieces if piece.holds(at)]
        deep += length / STEPS / min(depths) if depths else 0
    for piece in pieces:
        inside = shapely.LineString(line).intersection(shapely.Polygon(piece.outline))
        if (
            piece.sight == "depth_from_edge"
            and not inside.is_empty
            and not piece.holds(line[0])
            and not piece.holds(line[1])
        ):
            ends = shapely.Point(line[0]), shapely.Point(line[1])
            # A convex piece: from where the line enters, seen from either end.
            far = [length - float(inside.distance(ends[0])), length - float(inside.distance(ends[1]))]
            deep = max(deep, min(far) / piece.sight_depth)
    return deep


@pytest.mark.parametrize("sight", ["depth_in_all", "depth_from_edge"])
def test_sight_through_woods_agrees_with_walking_along_every_line(sight: Sight) -> None:
    chance, told = random.Random(sight), set[bool]()
    for _ in range(150):
        pieces = some_woods(chance, sight)
        a, b = ((chance.randrange(SIZE), chance.randrange(SIZE)) for _ in range(2))
        shares = [open_share(pieces, line) for line in round_lines(a, 500, b, 500)]
        field = Field(pieces)
        seen = field.sees(a, 500, b, 500)
        assert seen == field.sees(b, 500, a, 500) == field.line(a, 500, b, 500).clear
        assert field.between(Group([Body(a, 500)]), Group([Body(b, 500)])).sees(0, 0) == seen
        # Steps and rounding may tell otherwise of lines that just end.
        if all(abs(share - 1) > 0.02 for share in shares):
            assert seen == any(share < 1 for share in shares), (pieces, a, b)
            told.add(seen)
    assert told == {True, False}


def test_what_ends_a_line_that_no_single_wood_blocks_is_named() -> None:
    thin = [
        wood(name, 6_000 + 6_000 * n, 0, 3_000, SIZE, "depth_in_all", 4_000) for n, name in enumerate(("near", "far"))
    ]
    found = Field(thin).line((2_000, 12_000), 500, (22_000, 12_000), 500)
    assert (found.clear, found.blocked_by) == (False, "far")


@pytest.mark.parametrize("gap", [0, inches(4)])
def test_a_crowd_stops_lines_over_its_bases_and_through_its_gaps(gap: int) -> None:
    chance, told = random.Random(gap), set[bool]()
    for _ in range(400):
        bases = [((chance.randrange(SIZE), chance.randrange(SIZE)), 500) for _ in range(3)]
        a, b = ((chance.randrange(SIZE), chance.randrange(SIZE)) for _ in range(2))
        line = shapely.LineString([a, b])
        over = min(float(line.distance(shapely.Point(at))) for at, _ in bases)
        pairs = [(one, other) for i, (one, _) in enumerate(bases) for other, _ in bases[:i]]
        near = [pair for pair in pairs if shapely.Point(pair[0]).distance(shapely.Point(pair[1])) - 1_000 < gap]
        stopped = over < 500 or any(line.crosses(shapely.LineString(pair)) for pair in near)
        if abs(over - 500) > 2:
            assert Crowd(bases, gap).blocks((a, b)) == stopped
            told.add(stopped)
    assert told == {True, False}


def test_a_figure_fires_along_any_of_its_lines_past_a_crowd() -> None:
    field, one, other = Field([]), Body((0, 0), 500), Body((20_000, 0), 500)
    # It hides the middle of both bases, and not their left sides.
    small, wide = Crowd([((10_000, 0), 200)], 0), Crowd([((10_000, 0), 500)], 0)
    assert not small.blocks(((0, 0), (20_000, 500)))
    assert field.sees_body(one, other, (), [small])
    assert not field.sees_body(one, other, (), [wide])
    assert field.sees_body(one, other)


def some_group(chance: random.Random, hull: bool) -> Group:
    x, y = chance.randrange(SIZE), chance.randrange(SIZE)
    round_bases = [Body((x + chance.randrange(4_000), y + chance.randrange(4_000)), 500) for _ in range(3)]
    return Group([*round_bases, Body((x, y), 1_200, rectangle(x - 1_000, y - 600, x + 1_000, y + 600))][not hull :])


@pytest.mark.parametrize("hull", [False, True])
def test_lines_past_crowds_are_those_of_each_two_figures(hull: bool) -> None:
    chance, told = random.Random(f"crowds {hull}"), Counter[bool]()
    for _ in range(60):
        field = Field(some_woods(chance, "depth_in_all"))
        ones, others = some_group(chance, hull), some_group(chance, hull=False)
        x, y = chance.randrange(SIZE), chance.randrange(SIZE)
        hulls = [rectangle(x, y, x + 2_000, y + 1_000)] if chance.random() < 0.5 else []
        crowds = [Crowd([(body.at, 500) for body in some_group(chance, hull=False).bodies], inches(4)) for _ in "ab"]
        lines = field.between(ones, others, hulls).past(crowds)
        seen = [[field.sees_body(one, other, hulls, crowds) for other in others.bodies] for one in ones.bodies]
        found = [[field.line_body(one, other, hulls, crowds) for other in others.bodies] for one in ones.bodies]
        assert [[line.clear for line in row] for row in found] == seen, "each line is asked in turn"
        assert [[lines.sees(a, b) for b in range(len(others.bodies))] for a in range(len(ones.bodies))] == seen
        assert lines.any() == any(map(any, seen))
        pairs = [(a, b) for a in range(len(ones.bodies)) for b in range(len(others.bodies))]
        plain = field.between(ones, others, hulls)
        assert plain.all_in(lines) == all(lines.sees(*pair) for pair in pairs if plain.sees(*pair))
        assert lines.all_in(plain)
        told.update(one for row in seen for one in row)
        some = range(chance.randrange(2), len(ones.bodies))
        assert lines.any_of(some) == any(lines.nearest_seen(one) is not None for one in some)
    assert min(told[True], told[False]) > 50
