"""Unique names for units, because several sides may bring the same force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from server.kernel.state import Side, Unit


def told_apart(units: Iterable[Unit], sides: Mapping[str, Side]) -> list[Unit]:
    """Return the units with unique names: a name that occurs twice gets the side's letter, and the unit's number if needed."""
    found = list(units)
    names = Counter(unit.name for unit in found)
    marks = Counter((unit.name, unit.side) for unit in found)
    return [
        unit
        if names[unit.name] == 1
        else replace(unit, name=f"{unit.name} ({sides[unit.side].letter}{_number(unit, marks)})")
        for unit in found
    ]


def _number(unit: Unit, marks: Mapping[tuple[str, str], int]) -> str:
    return str(unit.number) if marks[unit.name, unit.side] > 1 else ""
