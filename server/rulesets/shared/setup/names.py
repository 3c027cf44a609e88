"""Names of units that tell them apart: several sides may bring the same force."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from msgspec.structs import replace

from server.kernel.state import Side, Unit


def told_apart(units: Iterable[Unit], sides: Mapping[str, Side]) -> list[Unit]:
    """Return the units, those whose name others have too with their side's letter behind it, and with their number where that
    is not enough.
    """
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
