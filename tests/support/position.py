"""Small positions for the kernel's tests: units of a few figures on a table, without a rule set."""

from __future__ import annotations

from collections.abc import Sequence

from server.kernel.space.geometry import Point
from server.kernel.space.terrain import Terrain
from server.kernel.state import Figure, Side, State, Table, Unit

RADIUS = 500


def squad(name: str, places: Sequence[Point | None], *, fallen: Sequence[str] = (), radius: int = RADIUS) -> Unit:
    """Return a unit "side-number" with figures "1", "2" ... at `places` (mil)."""
    figures = {str(i): Figure(at, radius, "", str(i) in fallen) for i, at in enumerate(places, 1)}
    return Unit(name, name.partition("-")[0], f"Squad {name}", 1, {}, figures)


def position(*units: Unit, terrain: Sequence[Terrain] = (), size: tuple[int, int] = (48_000, 48_000)) -> State:
    """Return a state with these units on a table of this size (mil)."""
    sides = {key: Side(key, key.title(), key[0].upper(), "circle", key) for key in ("blue", "red")}
    return State("kernel", "A position", {}, Table(*size, tuple(terrain)), sides, {u.id: u for u in units}, {}, {})
