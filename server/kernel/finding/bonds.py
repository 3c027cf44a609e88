"""Figures of a unit that keep nearer together than the rest of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from client_protocol.choices import Bond
from server.kernel.space.geometry import Point
from server.kernel.space.paths import largest_gap
from server.kernel.state import Unit


def widest(unit: Unit, bond: Bond, places: Mapping[str, Point]) -> int:
    """Return the widest gap, in mil, between the bonded figures of a unit that stand at these places."""
    among = [key for key in bond.figures if key in places]
    return largest_gap([places[key] for key in among], [unit.figures[key].radius for key in among])


def all_hold(unit: Unit, bonds: Sequence[Bond], places: Mapping[str, Point]) -> bool:
    """Return whether the figures of a unit that stand at these places keep together as the bonds want."""
    return all(widest(unit, bond, places) <= bond.gap for bond in bonds if bond.unit == unit.id)


def loosened(unit: Unit, bonds: Sequence[Bond], places: Mapping[str, Point]) -> tuple[Bond, ...]:
    """Return the bonds of a unit, each as wide as these places need it to be."""
    return tuple(replace(bond, gap=max(bond.gap, widest(unit, bond, places))) for bond in bonds)


def bonded_first(unit: Unit, bonds: Sequence[Bond]) -> Unit:
    """Return the unit with the bonded figures at the head of its roster, so that they are set down next to each other."""
    first = [key for bond in bonds if bond.unit == unit.id for key in bond.figures if key in unit.figures]
    return replace(unit, figures={key: unit.figures[key] for key in (*first, *unit.figures)})
