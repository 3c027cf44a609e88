"""The figures of a unit of a force, one by one, and the unit that is left when some of them are missing."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from client_protocol.forces import ForceUnit
from server.rulesets.fubar.setup.forces import VEHICLE

FIGURES = "figures"
"""The list of an infantry unit's figures."""


def rows_of(unit: ForceUnit) -> tuple[int, ...]:
    """Return for each figure of a unit its row, counted from 0, in the order of the unit's roster on the table, whose ids count
    from 1. A vehicle is one figure.

    Args:
        unit: a unit with every field filled in.
    """
    if unit.kind == VEHICLE:
        return (0,)
    return tuple(row for row, entries in enumerate(unit.rows[FIGURES]) for _ in range(int(entries["count"])))


def standing(unit: ForceUnit, missing: Collection[int]) -> tuple[int, ...]:
    """Return the places of the figures that are not missing, in roster order; places count from 1."""
    return tuple(place for place in range(1, len(rows_of(unit)) + 1) if place not in missing)


def without(unit: ForceUnit, missing: Collection[int]) -> ForceUnit:
    """Return a unit without its missing figures and what they carry. At least one figure is not missing."""
    if unit.kind == VEHICLE:
        return unit
    own = rows_of(unit)
    left = [own[place - 1] for place in standing(unit, missing)]
    rows = tuple({**entries, "count": left.count(row)} for row, entries in enumerate(unit.rows[FIGURES]) if row in left)
    return replace(unit, rows={**unit.rows, FIGURES: rows})
