"""Who sees whom, and what covers whom."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from server.kernel.space.areas import Area
from server.kernel.space.geometry import Outline, Point, at_most, crossings, distance, rectangle
from server.kernel.space.hulls import hull_body, outline
from server.kernel.space.lines import round_lines
from server.kernel.space.screens import Group
from server.kernel.space.sight import Field, cover_of, field_of, stands_in
from server.kernel.space.terrain import Sight, Terrain
from server.kernel.space.values import Body, Hull, Pose

calm = settings(deadline=None, derandomize=True)

R = 500

grid = st.tuples(st.integers(0, 24), st.integers(0, 24)).map(lambda p: (p[0] * 2000, p[1] * 2000))
points = grid | st.tuples(st.integers(0, 48000), st.integers(0, 48000))
corners = st.lists(points, min_size=3, max_size=6, unique=True).map(tuple)
boxes = st.tuples(points, st.integers(1, 6), st.integers(1, 6)).map(
    lambda v: rectangle(v[0][0], v[0][1], v[0][0] + 1000 * v[1], v[0][1] + 1000 * v[2])
)
sights: st.SearchStrategy[Sight] = st.sampled_from(["clear", "depth", "occupied", "solid"])


@st.composite
def tables(draw: st.DrawFn) -> list[Terrain]:
    """Up to eight pieces of any kind and shape, overlapping and self-crossing ones too."""
    return [
        piece(
            str(i),
            draw(boxes | corners),
            draw(sights),
            linear=draw(st.booleans()),
            depth=draw(st.sampled_from([0, 2000])),
        )
        for i in range(draw(st.integers(0, 8)))
    ]


def piece(
    name: str, outline: Outline, sight: Sight = "clear", *, linear: bool = False, depth: int = 0, cover: str = "none"
) -> Terrain:
    return Terrain(name, name, "piece", outline, linear=linear, sight=sight, sight_depth=depth, cover=cover)


WOODS = piece("woods", rectangle(20000, 0, 30000, 48000), "depth", depth=4000, cover="partial")
HOUSE = piece("house", rectangle(20000, 20000, 26000, 26000), "solid")
RUIN = piece("ruin", rectangle(20000, 20000, 26000, 26000), "occupied", cover="heavy")
WALL = piece("wall", ((20000, 20000), (20000, 28000)), "solid", linear=True)
HEDGE = piece("hedge", ((20000, 20000), (20000, 28000)), linear=True, cover="partial")


def sees(pieces: list[Terrain], a: Point, b: Point) -> bool:
    return Field(pieces).sees(a, R, b, R)


def test_woods_let_one_look_in_out_and_through_for_their_depth() -> None:
    edge, x4, deep = (20000, 24000), (24000, 24000), (24001, 24000)
    outside = (10000, 24000)
    assert sees([WOODS], outside, x4)
    assert not sees([WOODS], outside, (25000, 24000))
    assert sees([WOODS], edge, x4)
    # The side points lie as deep as the centre, so 4.001" is too deep.
    assert not sees([WOODS], outside, deep)
    assert sees([WOODS], (21000, 24000), (25000, 24000))
    assert not sees([WOODS], outside, (40000, 24000))
    thin = piece("thin", rectangle(20000, 0, 23000, 48000), "depth", depth=4000)
    assert sees([thin], outside, (40000, 24000))


def test_a_solid_piece_hides_what_lies_wholly_behind_it() -> None:
    west = (10000, 23000)
    assert not sees([HOUSE], west, (36000, 23000))
    answer = Field([WOODS, HOUSE]).line((19000, 23000), R, (27000, 23000), R)
    assert (answer.clear, answer.line, answer.blocked_by) == (False, ((19000, 23000), (27000, 23000)), "woods")
    assert Field([HOUSE]).line(west, R, (36000, 23000), R).blocked_by == "house"


def test_a_line_to_the_edge_of_a_base_is_sight() -> None:
    # The line of centres enters the house 0.3" behind its wall; the near edge of the base does not.
    a, b = (10000, 19700), (36000, 20300)
    field = Field([HOUSE])
    assert not field.sees(a, 0, b, 0)
    assert field.sees(a, R, b, R)
    assert field.line(a, R, b, R).clear


def test_sight_is_found_through_a_slit_half_a_radius_to_the_side() -> None:
    # At the wall the five lines pass at 23.75", 23.875", 24", 24.125" and 24.25"; the slit is 0.05" wide.
    below = piece("below", ((20000, 20000), (20000, 24100)), "solid", linear=True)
    above = piece("above", ((20000, 24150), (20000, 28000)), "solid", linear=True)
    assert sees([below, above], (10000, 24000), (30000, 24000))
    assert not sees([below, above], (10000, 24000), (30000, 24100))


def test_one_sees_along_a_wall_and_not_between_two_houses_that_share_one() -> None:
    a, b = (10000, 20000), (36000, 20000)
    row = [HOUSE, piece("next", rectangle(20000, 14000, 26000, 20000), "solid")]
    assert sees([HOUSE], a, b)
    assert not sees(row, a, b)


def test_only_the_pieces_between_two_groups_are_asked_about() -> None:
    west, east = (Group([Body((x, y), R) for y in (22000, 24000)]) for x in (10000, 18000))
    there = Field([HOUSE, WOODS, RUIN]).pieces_between(west, east)
    assert there == []
    far = Group([Body((30000, 24000), R)])
    assert [piece.terrain.id for piece in Field([WOODS, HOUSE]).pieces_between(west, far)] == ["woods", "house"]


def test_cover_is_told_against_the_nearest_of_several_shooters() -> None:
    field = Field([WOODS, HOUSE, RUIN])
    chance = random.Random(5)
    covered = 0
    for _ in range(200):
        at = (chance.randrange(18000, 28000), chance.randrange(18000, 30000))
        shooters = [(chance.randrange(48000), chance.randrange(48000)) for _ in range(chance.randint(1, 5))]
        nearest = min(shooters, key=lambda shooter: distance(shooter, at))
        told = field.cover_from(at, R, shooters)
        covered += bool(told)
        assert told == field.cover_of(at, R, nearest)
    assert covered


def test_a_figure_in_a_ruin_sees_out_and_is_seen() -> None:
    west, inside, east = (10000, 23000), (23000, 23000), (36000, 23000)
    assert sees([RUIN], west, inside)
    assert sees([RUIN], inside, east)
    assert not sees([RUIN], west, east)


def test_a_high_wall_blocks_and_its_end_can_be_looked_round() -> None:
    assert not sees([WALL], (15000, 24000), (25000, 24000))
    assert not sees([WALL], (15000, 27000), (25000, 27500))
    assert sees([WALL], (15000, 27760), (25000, 27760))
    assert sees([HEDGE], (15000, 24000), (25000, 24000))


def test_hulls_given_with_the_question_block_sight() -> None:
    hull = rectangle(17000, 15000, 19000, 30000)
    field = Field([])
    a, b = (10000, 23000), (36000, 23000)
    assert field.sees(a, R, b, R)
    assert not field.sees(a, R, b, R, [hull])
    answer = field.line(a, R, b, R, [hull])
    assert (answer.clear, answer.blocked_by) == (False, None)


TRUCK = Hull(5000, 2500)
poses = st.builds(Pose, points, st.integers(0, 35999))


def test_a_line_to_a_corner_of_a_hull_is_sight() -> None:
    # Of a truck that stands behind the house only the northern tenth looks out.
    field = Field([HOUSE])
    man = Body((10000, 25900), R)
    hidden = hull_body(Pose((36000, 23000), 9000), TRUCK)
    assert not field.sees_body(man, hidden)
    assert field.line_body(man, hidden).blocked_by == "house"
    peeping = hull_body(Pose((36000, 24000), 9000), TRUCK)
    line = field.line_body(man, peeping)
    assert line.clear
    assert line.line == (man.at, (37125, 26250))
    assert field.sees_body(peeping, man)


def test_a_hull_hides_what_is_behind_it_and_neither_itself_nor_those_it_stands_between() -> None:
    field = Field([])
    man, far = Body((10000, 23000), R), Body((36000, 23000), R)
    truck = hull_body(Pose((18000, 23000), 9000), TRUCK)
    hulls = [truck.outline]
    assert field.sees_body(man, far)
    assert not field.sees_body(man, far, hulls)
    assert field.line_body(far, man, hulls).blocked_by is None
    assert field.sees_body(man, truck, hulls)
    assert field.sees_body(truck, far, hulls)
    behind = hull_body(Pose((30000, 23000), 9000), TRUCK)
    assert field.sees_body(truck, behind, [truck.outline, behind.outline])
    assert not field.sees_body(man, behind, [truck.outline, behind.outline])


@calm
@given(tables(), points, points, st.lists(poses, max_size=2))
def test_without_hulls_bodies_see_as_figures_do(pieces: list[Terrain], a: Point, b: Point, parked: list[Pose]) -> None:
    field, hulls = Field(pieces), [outline(pose, TRUCK) for pose in parked]
    one, other = Body(a, R), Body(b, 250)
    assert field.sees_body(one, other) == field.sees(a, R, b, 250)
    assert field.sees_body(one, other, hulls) == field.sees(a, R, b, 250, hulls)
    found = field.line_body(one, other, hulls)
    assert found == field.line(a, R, b, 250, hulls)
    assert found.clear == field.sees_body(one, other, hulls), "each line is asked in turn"


@calm
@given(tables(), poses, poses | points, st.lists(poses, max_size=2))
def test_sight_between_hulls_is_mutual(
    pieces: list[Terrain], pose: Pose, other: Pose | Point, parked: list[Pose]
) -> None:
    field, hulls = Field(pieces), [outline(at, TRUCK) for at in parked]
    one = hull_body(pose, TRUCK)
    two = hull_body(other, Hull(6000, 3000)) if isinstance(other, Pose) else Body(other, R)
    there, back = field.line_body(one, two, hulls), field.line_body(two, one, hulls)
    assert (there.clear, there.blocked_by) == (back.clear, back.blocked_by)
    assert field.sees_body(one, two, hulls) == field.sees_body(two, one, hulls) == there.clear
    assert Field(pieces).sees_body(two, one, hulls) == there.clear


@calm
@given(tables(), points, points, st.sampled_from([0, 250, 500, 1000]), st.sampled_from([250, 500]))
def test_sight_is_mutual(pieces: list[Terrain], a: Point, b: Point, ra: int, rb: int) -> None:
    field = Field(pieces)
    there, back = field.line(a, ra, b, rb), field.line(b, rb, a, ra)
    assert (there.clear, there.blocked_by) == (back.clear, back.blocked_by)
    assert field.sees(a, ra, b, rb) == field.sees(b, rb, a, ra) == there.clear


@calm
@given(tables(), points, points)
def test_fast_sight_agrees_with_checking_every_line(pieces: list[Terrain], a: Point, b: Point) -> None:
    def blocks(p: Terrain, start: Point, end: Point) -> bool:
        if p.linear:
            return p.sight == "solid" and any(0 < t < 1 for t in crossings(start, end, p.outline, linear=True))
        allowed = p.sight_depth if p.sight == "depth" else 0
        if p.sight == "clear" or at_most(Area(p.outline).length(*start, *end, border=True), allowed):
            return False
        return p.sight != "occupied" or not (p.holds(a) or p.holds(b))

    careful = any(not any(blocks(p, *line) for p in pieces) for line in round_lines(a, R, b, R))
    assert Field(pieces).sees(a, R, b, R) == careful


@calm
@given(tables(), st.lists(st.tuples(points, points), min_size=2, max_size=5))
def test_a_fields_cache_changes_no_answer_about_sight(pieces: list[Terrain], pairs: list[tuple[Point, Point]]) -> None:
    used = Field(pieces)
    first = [used.sees(a, R, b, R) for a, b in pairs]
    assert first == [used.sees(a, R, b, R) for a, b in pairs]
    assert first == [Field(pieces).sees(a, R, b, R) for a, b in pairs]


def test_a_hedge_covers_who_stands_behind_it_and_not_who_stands_before_it() -> None:
    shooter = (10000, 24000)
    assert cover_of((21500, 24000), R, shooter, [HEDGE]) == (("hedge", "partial"),)
    assert cover_of((21501, 24000), R, shooter, [HEDGE]) == ()
    assert cover_of((19000, 24000), R, shooter, [HEDGE]) == ()


@pytest.mark.parametrize(
    ("target", "covered"),
    [((23000, 23000), True), ((20000, 23000), True), ((19900, 23000), False), ((27400, 23000), True)],
)
def test_an_area_covers_who_is_in_it_or_close_behind_its_border(target: Point, covered: bool) -> None:
    field = Field([HOUSE, RUIN])
    assert field.cover_of(target, R, (10000, 23000)) == ((("ruin", "heavy"),) if covered else ())


def test_standing_in_an_area_is_by_the_centre_and_at_a_line_by_the_edge() -> None:
    assert stands_in((20000, 23000), R, RUIN)
    assert not stands_in((19999, 23000), R, RUIN)
    assert stands_in((18500, 24000), R, HEDGE)
    assert not stands_in((18499, 24000), R, HEDGE)
    assert Field([HOUSE, HEDGE]).cover_at((21000, 24000), R) == (("hedge", "partial"),)


def test_matches_on_one_map_share_its_field() -> None:
    again = piece("house", rectangle(20000, 20000, 26000, 26000), "solid")
    assert field_of((HOUSE,)) is field_of((again,))
