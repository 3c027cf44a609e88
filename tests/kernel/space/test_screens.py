"""Screens settle only what drawing every line settles too, on random tables with touching and grazing lines."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from server.kernel.space.areas import Area
from server.kernel.space.geometry import Outline, Point, at_most, crossings, gap, rectangle
from server.kernel.space.lines import round_lines
from server.kernel.space.pieces import Piece
from server.kernel.space.plain import Spot
from server.kernel.space.screens import Group, convex
from server.kernel.space.sight import Field
from server.kernel.space.terrain import Sight, Terrain
from server.kernel.space.values import Body

SIZE = 24_000
KINDS: tuple[Sight, ...] = ("solid", "occupied", "depth")


def blocked(piece: Terrain, line: tuple[Point, Point], centres: tuple[Point, Point]) -> bool:
    """Whether a piece blocks a line, told by the plainest arithmetic: where the line meets the border, what lies inside."""
    if piece.linear:
        return piece.sight == "solid" and any(0 < t < 1 for t in crossings(*line, piece.outline, linear=True))
    allowed = piece.sight_depth if piece.sight == "depth" else 0
    if at_most(Area(piece.outline).length(*line[0], *line[1], border=True), allowed):
        return False
    return piece.sight != "occupied" or not any(piece.holds(at) for at in centres)


def seen(pieces: list[Terrain], a: Body, b: Body) -> bool:
    """Whether any of the lines between two bases is open, each asked of every piece."""
    return any(
        not any(blocked(piece, line, (a.at, b.at)) for piece in pieces)
        for line in round_lines(a.at, a.radius, b.at, b.radius)
    )


def an_outline(chance: random.Random) -> Outline:
    x, y = chance.randrange(4_000, 16_000, 500), chance.randrange(4_000, 16_000, 500)
    wide, high = chance.randrange(500, 9_000, 500), chance.randrange(500, 9_000, 500)
    if chance.random() < 0.5:
        return rectangle(x, y, x + wide, y + high)
    corners = [(x + chance.randrange(wide), y + chance.randrange(high)) for _ in range(chance.randint(3, 6))]
    return tuple(dict.fromkeys(corners)) if len(set(corners)) > 2 else rectangle(x, y, x + wide, y + high)


def a_table(chance: random.Random) -> list[Terrain]:
    return [
        Terrain(
            str(index),
            str(index),
            "piece",
            an_outline(chance),
            sight=chance.choice(KINDS),
            linear=chance.random() < 0.2,
            sight_depth=chance.choice([0, 1_000, 4_000]),
        )
        for index in range(chance.randint(1, 4))
    ]


def a_base(chance: random.Random, pieces: list[Terrain], other: Point | None = None) -> Body:
    """A base anywhere; or so that its lines to `other` graze a corner; or next to one, or in line with a side."""
    radius = chance.choice([0, 250, 500, 750])
    x, y = chance.choice(chance.choice(pieces).outline)
    near = chance.choice([-4, -3, -1, 0, 0, 1, 3, 4])
    how = chance.random()
    if other is not None and how < 0.5:
        # Beyond the corner, exactly in line with it, or so that the edge of the base is: by a few mil to either side.
        aside = chance.choice([0, radius, -radius]) + near
        flat = abs(x - other[0]) > abs(y - other[1])
        return Body((2 * x - other[0] + (0 if flat else aside), 2 * y - other[1] + (aside if flat else 0)), radius)
    if how < 0.75:
        return Body((x + chance.choice([0, radius, -radius]) + near, chance.randrange(SIZE)), radius)
    return Body((chance.randrange(SIZE), chance.randrange(SIZE)), radius)


@pytest.mark.parametrize("seed", range(20))
def test_two_bases_see_each_other_just_when_one_of_their_lines_is_open(seed: int) -> None:
    chance = random.Random(seed)
    hidden = 0
    for _ in range(20):
        pieces = a_table(chance)
        field = Field(pieces)
        for _ in range(10):
            a = a_base(chance, pieces)
            b = a_base(chance, pieces, a.at)
            told = seen(pieces, a, b)
            assert field.sees(a.at, a.radius, b.at, b.radius) is told, (pieces, a, b)
            for piece in pieces:
                if Piece(piece).hides_pair(Spot(a.at, a.radius), Spot(b.at, b.radius)):
                    hidden += 1
                    assert not told, (piece, a, b)
    assert hidden > 10, "the screens were tested"


@pytest.mark.parametrize("seed", range(10))
def test_what_is_told_of_groups_is_true_of_each_pair(seed: int) -> None:
    chance = random.Random(seed)
    none = 0
    for _ in range(80):
        pieces = a_table(chance)
        first = a_base(chance, pieces)
        around = [first, a_base(chance, pieces, first.at)]
        ones, others = (
            Group(
                Body((x + chance.randint(-1_500, 1_500), y + chance.randint(-1_500, 1_500)), chance.choice([250, 500]))
                for _ in range(chance.randint(1, 4))
            )
            for x, y in (around[0].at, around[1].at)
        )
        lines = Field(pieces).between(ones, others)
        told = [[seen(pieces, a, b) for b in others.bodies] for a in ones.bodies]
        assert lines.any() is any(any(row) for row in told), (pieces, ones.bodies, others.bodies)
        for i, row in enumerate(told):
            assert [lines.sees(i, j) for j in range(len(row))] == row
            assert not (lines.sees_none(i) and any(row)), (pieces, ones.bodies[i], others.bodies)
            none += lines.sees_none(i)
            # What is known of the figure now changes no answer.
            assert [lines.sees(i, j) for j in range(len(row))] == row
            gaps = [gap(ones.bodies[i].at, ones.bodies[i].radius, b.at, b.radius) for b in others.bodies]
            # What was asked before changes nothing either.
            for asked in (lines, Field(pieces).between(ones, others)):
                nearest = [far for far, sees in zip(gaps, row, strict=True) if sees]
                assert asked.nearest_seen(i) == (min(nearest) if nearest else None)
                assert asked.seen_by([i]) == [j for j, sees in enumerate(row) if sees]
            assert [lines.nearness([i], j) for j in range(len(row))] == gaps
        everyone = range(len(told))
        for j, b in enumerate(others.bodies):
            assert lines.nearness(everyone, j) == min(gap(a.at, a.radius, b.at, b.radius) for a in ones.bodies)
        assert lines.seen_by(everyone) == [j for j in range(len(others.bodies)) if any(row[j] for row in told)]
        assert not (lines.hidden and any(any(row) for row in told))
    assert none, "the screens were tested"


def test_a_house_hides_what_stands_behind_it_and_not_what_looks_past_its_corner() -> None:
    house = Terrain("house", "House", "building", rectangle(10_000, 10_000, 14_000, 20_000), sight="solid")
    west = Group(Body((5_000, y), 500) for y in (14_000, 15_000, 16_000))
    behind = Group(Body((19_000, y), 500) for y in (14_000, 15_000, 16_000))
    peeping = Group(Body((19_000, y), 500) for y in (14_000, 15_000, 30_000))
    field = Field([house])
    assert field.between(west, behind).hidden
    assert not field.between(west, peeping).hidden
    assert field.between(west, peeping).any()


def test_woods_hide_what_is_seen_through_more_than_their_depth() -> None:
    def woods(depth: int) -> Field:
        outline = rectangle(10_000, 5_000, 14_000, 25_000)
        return Field([Terrain("woods", "Woods", "woods", outline, sight="depth", sight_depth=depth)])

    west, east = (Group(Body((x, y), 500) for y in (14_000, 15_000)) for x in (5_000, 19_000))
    assert woods(3_900).between(west, east).hidden
    assert not woods(4_000).between(west, east).hidden
    assert woods(4_000).between(west, east).any()


def test_a_figure_in_a_ruin_sees_out_of_it_though_its_unit_stands_before_it() -> None:
    ruin = Terrain("ruin", "Ruin", "building", rectangle(10_000, 10_000, 14_000, 20_000), sight="occupied")
    west = Group((Body((5_000, 15_000), 500), Body((10_000, 15_000), 500)))
    east = Group((Body((19_000, 15_000), 500),))
    lines = Field([ruin]).between(west, east)
    assert not lines.hidden
    assert not lines.sees(0, 0)
    assert lines.sees_none(0)
    assert lines.sees(1, 0)
    assert not lines.sees_none(1)


@pytest.mark.parametrize(
    ("outline", "is_convex"),
    [
        (rectangle(0, 0, 1_000, 1_000), True),
        (((0, 0), (1_000, 0), (200, 200), (0, 1_000)), False),
        (((0, 0), (1_000, 0), (2_000, 0), (1_000, 1_000)), False),
        # A star turns always to the same side, and goes round twice.
        (((0, 0), (1_000, 700), (-200, 700), (800, 0), (300, 1_100)), False),
    ],
)
def test_only_an_area_without_bays_is_a_screen(outline: Outline, is_convex: bool) -> None:
    assert convex(outline) is is_convex


def test_a_groups_box_holds_its_bases() -> None:
    group = Group((Body((1_000, 2_000), 500), Body((4_000, 1_000), 250)))
    assert (group.left, group.bottom, group.right, group.top) == (500, 750, 4_250, 2_500)
    for one, other in pairwise(group.bodies):
        assert group.apart(Group((one,))) == group.apart(Group((other,))) == 0
    assert group.apart(Group((Body((7_250, 6_500), 0),))) == 5_000
