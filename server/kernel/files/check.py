"""Checks that hold for positions of every edition: figures on top of each other, units without a side or a place."""

from __future__ import annotations

from server.kernel.bodies import free_seats
from server.kernel.errors import RulesetError
from server.kernel.space.geometry import Outline, area
from server.kernel.space.hulls import hull_overlaps, inside_table, outline, smaller
from server.kernel.space.paths import on_table, overlaps
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base, Pose
from server.kernel.state import Figure, State, Unit

TO_PLACE = 100
"""The most figures that a side may have to deploy: each looks for its place among all the others."""


def check(state: State) -> None:
    """Refuse a position that cannot be played. Raises `RulesetError`."""
    if len(state.sides) < 2:
        raise RulesetError("a match is between two sides at least, each with an id of its own")
    for piece in state.table.terrain:
        _check_outline(piece)
    _check_sides(state)
    ground = _Ground((state.table.width, state.table.height))
    for unit in state.units.values():
        _check_unit(state, unit)
        if not unit.left:
            for figure in unit.living.values():
                if figure.at is not None:
                    ground.take(unit.name, figure)


def _check_outline(piece: Terrain) -> None:
    if piece.linear and len(set(piece.outline)) < 2:
        raise RulesetError(f"{piece.name} is a line: it needs two points that lie apart")
    if not piece.linear and (len(piece.outline) < 3 or not area(piece.outline)):
        raise RulesetError(f"{piece.name} has no area: it needs three corners that do not lie in one line")


def _check_sides(state: State) -> None:
    for side in state.sides.values():
        waiting = sum(unit.strength for unit in state.units_of(side.id) if not unit.on_table and not unit.aboard)
        if waiting > TO_PLACE:
            raise RulesetError(f"{side.name} has {waiting} figures to deploy; it may have {TO_PLACE}")
        for asset in side.off_table.values():
            if asset.id in state.units:
                raise RulesetError(f"{asset.name} of {side.name} has the id {asset.id!r}, which a unit has too")
        if side.zone and (len(side.zone) < 3 or not area(side.zone)):
            raise RulesetError(f"the deployment zone of {side.name} has no area")
    for objective in state.objectives.values():
        x, y = objective.at
        if not (0 <= x <= state.table.width and 0 <= y <= state.table.height):
            raise RulesetError(f"{objective.name} does not lie on the table")
        _check_side(state, objective.held_by, f"that holds {objective.name}")
    _check_side(state, state.turn.first, "that went first")
    if state.result is not None:
        _check_side(state, state.result.winner, "that has won")


def _check_side(state: State, side: str, what: str) -> None:
    if side and side not in state.sides:
        raise RulesetError(f"there is no side {side!r} {what}")


def _check_unit(state: State, unit: Unit) -> None:
    places = [] if unit.left else unit.places()
    if unit.attached:
        return
    if not unit.left and not unit.strength:
        raise RulesetError(f"all figures of {unit.name} have fallen: say in `left` why it has left the game")
    if places and len(places) < unit.strength:
        raise RulesetError(f"{unit.name}: either all of its figures are on the table, or none")
    if any(figure.hull is not None for figure in unit.figures.values()) and len(unit.figures) > 1:
        raise RulesetError(f"{unit.name}: a vehicle is a unit of one figure")
    if unit.aboard:
        _check_ride(state, unit, on_table=bool(places))
    elif not unit.left and not places and len(state.sides[unit.side].zone) < 3:
        raise RulesetError(f"{unit.name} is not on the table, and its side has no deployment zone")


def check_attached(state: State) -> None:
    """Refuse units that are attached to what they cannot be attached to, before their figures join it. Raises `RulesetError`."""
    for unit in state.units.values():
        if not unit.attached:
            continue
        host = state.units.get(unit.attached)
        if host is None:
            raise RulesetError(f"{unit.name} is attached to {unit.attached!r}, which the setup does not have")
        vehicles = any(figure.hull is not None for one in (unit, host) for figure in one.figures.values())
        if host.side != unit.side or host.attached or vehicles or (host.left and not unit.left):
            raise RulesetError(f"{unit.name} cannot be attached to {host.name}: that is no unit on foot of its side")
        if unit.aboard:
            raise RulesetError(f"{unit.name} is where {host.name} is: only that unit is aboard a vehicle")


def _check_ride(state: State, unit: Unit, *, on_table: bool) -> None:
    carrier = state.units.get(unit.aboard)
    if carrier is None:
        raise RulesetError(f"{unit.name} is aboard {unit.aboard!r}, which the setup does not have")
    if on_table:
        raise RulesetError(f"{unit.name} cannot be aboard a vehicle and on the table at once")
    if unit.left:
        return
    if carrier.side != unit.side or carrier.aboard or carrier.left:
        raise RulesetError(f"{unit.name} cannot be aboard {carrier.name}: that is no vehicle of its side in the game")
    if free_seats(state, carrier.id) < 0:
        raise RulesetError(f"{carrier.name} has {carrier.seats} seats, too few for those aboard")


class _Ground:
    """The space that the figures of a setup take up on a table of this size, added one by one."""

    def __init__(self, size: tuple[int, int]) -> None:
        self._size = size
        self._bases: list[Base] = []
        self._hulls: list[Outline] = []

    def take(self, name: str, figure: Figure) -> None:
        """Add a figure of the unit of this name at its place. Raises `RulesetError` if it cannot stand there."""
        assert figure.at is not None, "only figures on the table stand somewhere"
        where = f"{name}: the figure at {[x / 1000 for x in figure.at]}"
        if figure.hull is None:
            inside = on_table(figure.at, figure.radius, self._size)
            crowded = overlaps(figure.at, figure.radius, self._bases, self._hulls)
            self._bases.append((figure.at, figure.radius))
        else:
            inside = inside_table(outline(Pose(figure.at, figure.facing), smaller(figure.hull)), self._size)
            whole = outline(Pose(figure.at, figure.facing), figure.hull)
            crowded = hull_overlaps(whole, self._bases, self._hulls)
            self._hulls.append(whole)
        if not inside:
            raise RulesetError(f"{where} does not stand wholly on the table")
        if crowded:
            raise RulesetError(f"{where} stands on another base or in a vehicle")
