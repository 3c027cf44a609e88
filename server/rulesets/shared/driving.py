"""Vehicles on their way: over which ground one may drive, and how far one has come."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from itertools import pairwise

from msgspec import Struct

from client_protocol.choices import GroundRule, PathParameter
from server.kernel.bodies import pose
from server.kernel.space.geometry import Point, distance, segment_point_distance, to_mil
from server.kernel.space.hulls import enters, outline, smaller
from server.kernel.space.paths import path_length
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit


class Drive(Struct, frozen=True, kw_only=True):
    """How a vehicle may drive.

    Args:
        far: how far over open ground, in mil, by the rule `rule`.
        slow: how far where any of the way is slow, in mil, by the rule `slow_rule`.
        closed: the terrain pieces into which it may not drive, each with the rule by which it may not.
        slowing: the terrain pieces that make all of a way slow.
        costly: the terrain pieces that cost more than open ground, each with its cost in percent and the rule behind that.
        clear: how far to keep away from enemies, in mil, by the rule `clear_rule`.
    """

    far: int
    slow: int
    closed: Mapping[str, str]
    slowing: Collection[str]
    rule: str
    slow_rule: str
    costly: tuple[tuple[str, int, str], ...] = ()
    clear: int = 0
    clear_rule: str = ""


def drive_parameter(state: State, unit_id: str, drive: Drive) -> PathParameter:
    """Return the parameter with which a vehicle drives. What it stands in that it could not have entered (rubble after a shot)
    it leaves slowly.
    """
    vehicle = state.units[unit_id]
    slowing = {piece.id for piece in pieces_under(state, vehicle) if piece.id in drive.closed} | set(drive.slowing)
    return PathParameter(
        unit=unit_id,
        allowance=drive.far,
        costly=tuple((piece, percent) for piece, percent, _ in drive.costly if piece not in drive.closed),
        barred=tuple(drive.closed),
        avoid=tuple(enemy.id for enemy in state.enemies_of(vehicle.side) if enemy.on_table),
        allowance_rule=drive.rule,
        clear=drive.clear,
        clear_rule=drive.clear_rule,
        limits=tuple((p.id, drive.slow) for p in state.table.terrain if p.id in slowing)
        if drive.slow < drive.far
        else (),
        limits_rule=drive.slow_rule,
        grounds=(
            *(GroundRule(piece, rule) for piece, rule in drive.closed.items()),
            *(GroundRule(piece, rule) for piece, _, rule in drive.costly if piece not in drive.closed),
        ),
    )


def pieces_under(state: State, vehicle: Unit) -> list[Terrain]:
    """Return the terrain that a vehicle stands in, by as little as a corner."""
    hull = next(iter(vehicle.figures.values())).hull
    assert hull is not None, "a vehicle has a hull"
    ground = outline(pose(vehicle), smaller(hull))
    return [piece for piece in state.table.terrain if enters(ground, piece)]


def way_gone(way: Sequence[Point], at: Point) -> int:
    """Return how far along its way (start included) a hull has come that stands at `at`, in mil."""
    if at == way[-1]:
        return to_mil(path_length(way))
    passed, nearest, gone = 0.0, math.inf, 0.0
    for a, b in pairwise(way):
        off = segment_point_distance(a, b, at)
        if off < nearest - 1:  # a mil for the rounding of places
            nearest, gone = off, passed + distance(a, at)
        passed += distance(a, b)
    return to_mil(gone)


def noted(state: State, gone: int) -> tuple[int, int]:
    """Return the note that a vehicle has gone so far (mil) this turn: the turn's number and the length."""
    return (state.turn.number, gone)


def gone_this_turn(state: State, note: tuple[int, int] | None) -> int:
    """Return how far a vehicle with this note has gone this turn, in mil; a vehicle without one has not moved."""
    turn, gone = note or (0, 0)
    return gone if turn == state.turn.number else 0
