"""What is left of a piece of terrain when a part of it is taken away."""

from __future__ import annotations

from server.kernel.space.clearing import CORNERS, round_outline, without
from server.kernel.space.geometry import Outline, area, contains
from server.kernel.space.terrain import Terrain

SIZE = (48_000, 48_000)
WOOD = Terrain("wood", "Wood", "woods", ((10_000, 10_000), (20_000, 10_000), (20_000, 20_000), (10_000, 20_000)))


def left(x: int, y: int, radius: int = 2_000, piece: Terrain = WOOD) -> tuple[Outline, ...] | None:
    return without(piece, round_outline((x, y), radius, SIZE))


def inside(outlines: tuple[Outline, ...], x: int, y: int) -> bool:
    return any(contains(outline, (x, y)) for outline in outlines)


def test_a_round_outline_ends_at_the_tables_edge() -> None:
    assert len(round_outline((10_000, 10_000), 2_000, SIZE)) == CORNERS
    corner = round_outline((0, 0), 2_000, SIZE)
    assert min(x for x, _ in corner) == min(y for _, y in corner) == 0


def test_a_hole_that_misses_the_piece_takes_nothing_away() -> None:
    assert left(5_000, 5_000) is None
    assert left(8_000, 15_000) is None


def test_a_bite_out_of_the_border_leaves_one_piece() -> None:
    found = left(10_000, 15_000)
    assert found is not None
    assert len(found) == 1
    assert not inside(found, 11_000, 15_000)
    assert inside(found, 13_000, 15_000)


def test_a_hole_in_the_middle_is_joined_to_the_outside_by_a_slit() -> None:
    found = left(15_000, 15_000)
    assert found is not None
    assert len(found) == 1
    assert not inside(found, 15_000, 15_000)
    assert not inside(found, 18_000, 15_000)
    assert all(inside(found, x, y) for x, y in ((18_000, 15_010), (18_000, 14_990), (12_000, 15_000), (15_000, 18_000)))


def test_what_is_cut_in_two_becomes_two_pieces_the_largest_first() -> None:
    strip = Terrain("strip", "Strip", "woods", ((0, 10_000), (12_000, 10_000), (12_000, 12_000), (0, 12_000)))
    found = left(4_000, 11_000, piece=strip)
    assert found is not None
    big, small = found
    assert abs(area(big)) > abs(area(small))
    assert min(x for x, _ in big) > 5_000 > max(x for x, _ in small) > 0


def test_nothing_is_left_of_a_small_piece() -> None:
    bush = Terrain("bush", "Bush", "woods", ((15_000, 15_000), (16_000, 15_000), (16_000, 16_000)))
    assert left(15_500, 15_500, piece=bush) == ()


def test_a_line_loses_the_part_within() -> None:
    hedge = Terrain("hedge", "Hedge", "hedge", ((0, 10_000), (20_000, 10_000)), linear=True)
    found = left(12_000, 10_000, piece=hedge)
    assert found == (((0, 10_000), (10_000, 10_000)), ((14_000, 10_000), (20_000, 10_000)))
    assert left(12_000, 13_000, piece=hedge) is None
