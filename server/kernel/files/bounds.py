"""Bounds on the size of a position. A setup file may come from anyone, and the server that reads it has others to serve."""

from __future__ import annotations

from collections.abc import Sequence

from server.kernel.errors import RulesetError
from server.kernel.files.schema import Place, Setup
from server.kernel.space.geometry import FULL_TURN, Point, inches
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Table, Unit

SMALLEST, LARGEST = 4, 144
"""Inches: a side of the table."""
BEYOND = 48
"""Inches by which what is on the table may reach over its edge."""
BASES = (0.1, 24)
HULLS = (0.2, 24)
"""Inches: the diameter of a base, and the sides of a hull, least and most."""
OPENINGS = (0.5, 24)
"""Inches: how wide an opening of a building is, least and most."""
UNITS = 60
FIGURES = 40
"""The most figures in a unit."""
ALL_FIGURES = 400
PIECES = 150
CORNERS = 2_000
"""The most corners of all pieces of terrain together."""


LARGE_FIGURES, LARGE_CORNERS = 120, 500
"""A position with more than that is large: computations of the rules take some tenths of a second there."""


class Bounds:
    """Converts a setup's inches and degrees to stored values, and refuses values out of bounds.

    Args:
        width, height: of the setup's table, in inches. Raises `RulesetError` for an impossible table.
    """

    def __init__(self, width: float, height: float) -> None:
        if not (SMALLEST <= width <= LARGEST and SMALLEST <= height <= LARGEST):
            raise RulesetError(
                f'the table is {width:g}" by {height:g}"; each of its sides may have {SMALLEST}" to {LARGEST}"'
            )
        self._size = (width, height)

    def point(self, what: str, at: Place) -> Point:
        """Return a place on the table, or near it. Raises `RulesetError`."""
        for along, most in zip(at, self._size, strict=True):
            if not -BEYOND <= along <= most + BEYOND:
                raise RulesetError(f"{what}: {list(at)} is far off the table")
        return (inches(at[0]), inches(at[1]))

    def points(self, what: str, places: tuple[Place, ...]) -> tuple[Point, ...]:
        """Return the corners of an outline. Raises `RulesetError`."""
        return tuple(self.point(what, at) for at in places)

    def length(self, what: str, value: float, least: float = 0, most: float = LARGEST) -> int:
        """Return a length in mil. Raises `RulesetError`."""
        if not least <= value <= most:
            raise RulesetError(f'{what}: {value:g}" is not between {least:g}" and {most:g}"')
        return inches(value)

    def angle(self, what: str, value: float) -> int:
        """Return an angle in hundredths of a degree, as it was written. Raises `RulesetError`."""
        if not -FULL_TURN <= value * 100 <= FULL_TURN * 10:
            raise RulesetError(f"{what}: {value:g} degrees are more than full turns")
        return round(value * 100)


def count(setup: Setup) -> None:
    """Refuse more than a table holds. Raises `RulesetError`."""
    _at_most("pieces of terrain", len(setup.terrain), PIECES)
    _at_most("corners of terrain", sum(len(piece.outline) for piece in setup.terrain), CORNERS)
    _at_most("units", len(setup.unit), UNITS)
    for what, ids in (
        ("sides", [side.id for side in setup.side]),
        ("pieces of terrain", [piece.id for piece in setup.terrain]),
        ("objectives", [objective.id for objective in setup.objective]),
    ):
        twice = next((one for number, one in enumerate(ids) if one in ids[:number]), None)
        if twice is not None:
            raise RulesetError(f"two {what} have the id {twice!r}")
    names = [side.name for side in setup.side] + [side.letter for side in setup.side]
    names += [word for piece in setup.terrain for word in (piece.name, *(piece.flags or ()))]
    for name in (setup.name, *names, *(o.name for o in setup.objective)):
        readable(name)


def count_pieces(terrain: Sequence[Terrain]) -> None:
    """Refuse more walls and openings than a table holds, and an id of theirs that another piece has. Raises `RulesetError`."""
    _at_most("pieces of terrain, walls and openings among them,", len(terrain), PIECES)
    _at_most("corners of terrain", sum(len(piece.outline) for piece in terrain), CORNERS)
    ids = [piece.id for piece in terrain]
    if len(set(ids)) < len(ids):
        twice = next(one for number, one in enumerate(ids) if one in ids[:number])
        raise RulesetError(f"two pieces of terrain have the id {twice!r}")


def count_units(units: list[Unit]) -> None:
    """Refuse more figures than a table holds. Raises `RulesetError`."""
    _at_most("units", len(units), UNITS)
    _at_most("figures", sum(len(unit.figures) for unit in units), ALL_FIGURES)
    for unit in units:
        readable(unit.name)


def large(state: State) -> bool:
    """Return whether a position is so large that others should not wait for computations of the rules in it."""
    return many_figures(state) or many_corners(state.table)


def many_figures(state: State) -> bool:
    """Return whether a position is large because of its figures."""
    return sum([len(unit.figures) for unit in state.units.values()]) > LARGE_FIGURES


def many_corners(table: Table) -> bool:
    """Return whether a position is large because of its terrain."""
    return sum(len(piece.outline) for piece in table.terrain) > LARGE_CORNERS


def readable(name: str) -> None:
    """Refuse a name that is unreadable, or would reverse the text around it. Raises `RulesetError`."""
    if not name.isprintable() or (name and name.isspace()):
        raise RulesetError(f"the name {name!r} has unreadable characters: leave them out")


def _at_most(what: str, number: int, most: int) -> None:
    if number > most:
        raise RulesetError(f"the setup has {number} {what}; it may have {most}")
