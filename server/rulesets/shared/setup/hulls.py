"""What the force editor makes vehicles of: hulls to scale, and the arcs in which their weapons bear."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from client_protocol.forces import Entries, FormChoice, FormField, FormList
from server.kernel.space.geometry import inches
from server.kernel.space.values import Hull
from server.kernel.state import Figure, Mount
from server.rulesets.shared.setup.rows import Row


class HullRow(Row, frozen=True):
    """A hull to scale, in inches."""

    id: str
    name: str
    length: float
    width: float


class Arc(Row, frozen=True):
    """The arc of a vehicle's weapon in degrees: its middle, from the vehicle's facing, and its spread to either side."""

    id: str
    name: str
    middle: float
    spread: float


def hull_choices(hulls: Mapping[str, HullRow]) -> tuple[FormChoice, ...]:
    """Return the hulls as the values of a field."""
    return tuple(FormChoice(key, row.name, f'{row.length:g}" by {row.width:g}"') for key, row in hulls.items())


def arc_choices(arcs: Mapping[str, Arc]) -> tuple[FormChoice, ...]:
    """Return the arcs as the values of a field."""
    return tuple(FormChoice(key, row.name) for key, row in arcs.items())


def weapon_list(weapon: FormField, arc: FormField, *more: FormField, least: int, most: int) -> FormList:
    """Return the list of a vehicle's weapons, from `least` to `most`.

    Each has the fields that `mounts` reads, and those `more` that an edition adds.
    """
    return FormList("weapons", "Weapons", "weapon", (weapon, arc, *more), least=least, most=most)


def vehicle_figures(row: HullRow) -> dict[str, Figure]:
    """Return the one figure of a vehicle with this hull, not on the table yet."""
    hull = Hull(inches(row.length), inches(row.width))
    return {"1": Figure(None, hull.width // 2, hull=hull)}


def mounts(weapons: Iterable[Entries], arcs: Mapping[str, Arc]) -> dict[str, Mount]:
    """Return the mounts for a list of weapons, each with the `weapon` and the `arc` that its row names."""
    found: dict[str, Mount] = {}
    for place, row in enumerate(weapons, 1):
        arc = arcs[str(row["arc"])]
        found[f"m{place}"] = Mount(str(row["weapon"]), round(arc.middle * 100), round(arc.spread * 100))
    return found
