"""Lines of sight between the figures of two units, past terrain and vehicles."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec import Struct

from server.kernel.bodies import bodies, hulls
from server.kernel.space.geometry import Point
from server.kernel.space.pieces import Crowd
from server.kernel.space.sight import Field, field_of
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Body, SightLine
from server.kernel.state import State


class Ray(Struct, frozen=True):
    """The line from a figure to a figure of the other unit: `clear`, or blocked (`blocked_by` is the id of a terrain piece, ""
    for anything else). It runs from `start` at the one who looks to `end`. `covering` are the pieces that cover the other figure
    against a line that is clear, as (terrain id, cover level).
    """

    figure: str
    target: str
    clear: bool
    start: Point
    end: Point
    blocked_by: str = ""
    covering: tuple[tuple[str, str], ...] = ()


def rays(
    state: State,
    unit: str,
    target: str,
    aloft: Collection[str] = (),
    crowds: Sequence[Crowd] = (),
    shelters: tuple[Terrain, ...] = (),
) -> tuple[Ray, ...]:
    """Return the lines from each living figure of `unit` to each of `target`, both on the table, in roster order.

    Units that are `aloft` see and are seen over everything but `shelters`, stand in the way of no line, and have no cover. No
    line is clear that passes through `crowds`.
    """
    over = unit in aloft or target in aloft
    centres = state.table.centres
    sky = field_of(shelters if over else state.table.terrain, centres=centres)
    ground = field_of(() if target in aloft else state.table.terrain, centres=centres)
    lookers, seen = bodies(state.units[unit]), bodies(state.units[target])
    blocking = () if over else hulls(state, aloft)
    found = (
        (a, b, looker, other, sky.line_body(looker, other, blocking, crowds))
        for a, looker in lookers.items()
        for b, other in seen.items()
    )
    return tuple(_ray(ground, a, b, looker, other, line) for a, b, looker, other, line in found)


def _ray(ground: Field, a: str, b: str, looker: Body, seen: Body, found: SightLine) -> Ray:
    start = looker.at
    # The field sorts a line's ends; people draw it from the one who looks.
    ends = sorted(found.line, key=lambda at: (at[0] - start[0]) ** 2 + (at[1] - start[1]) ** 2)
    covering = ground.cover_of(seen.at, seen.radius, start) if found.clear else ()
    return Ray(a, b, found.clear, ends[0], ends[1], found.blocked_by or "", covering)
