"""Markers as units of one base: contact markers, and objective markers while they are being placed."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import PlacementParameter
from server.kernel.finding.ground import Ground
from server.kernel.space.geometry import Point
from server.kernel.standing import bases, hulls, terrain_of
from server.kernel.state import Figure, State, Unit
from server.rulesets.fad.game import MARKER, QUALITY, RESOLVE, FadRules
from server.rulesets.fad.generated.noting import is_marker

RADIUS = 700
"""Of a marker's base, in mil."""
CONTACT, OBJECTIVE = "contact", "objective"
FIGURE = "1"
"""The id of a marker's one figure."""


def counter(rules: FadRules, state: State, side: str, kind: str, number: int) -> Unit:
    """Return a marker of a side that is not on the table yet. It has what any unit has, so that whatever looks at units can look
    at it, and none of it says anything of what it stands for.
    """
    book = rules.book
    profile = {
        QUALITY: next(iter(book.qualities)),
        RESOLVE: next(iter(book.resolves)),
        "small_arm": next(key for key, row in book.small_arms.items() if not row.traits),
        "armour": next(key for key, row in book.armours.items() if not row.traits),
        MARKER: kind,
    }
    # Numbers go on after those of the troops, so that no two bases of a side are called alike.
    label = number + sum(not is_marker(unit) for unit in state.units.values())
    return Unit(
        id=f"{kind}.{side}.{number}",
        side=side,
        name=f"{kind.capitalize()} marker {label}",
        number=label,
        profile=dict(profile),
        figures={FIGURE: Figure(None, RADIUS)},
    )


def contacts(state: State, side: str) -> list[Unit]:
    """Return the contact markers of a side that are on the table, in the order of their numbers."""
    return [
        unit
        for unit in state.units.values()
        if unit.side == side and unit.profile.get(MARKER) == CONTACT and unit.on_table
    ]


def at(unit: Unit) -> Point:
    """Return where a marker lies."""
    place = unit.figures[FIGURE].at
    assert place is not None, "it is on the table"
    return place


def solid(state: State) -> tuple[str, ...]:
    """Return the terrain on which no marker is placed."""
    return tuple(piece.id for piece in state.table.terrain if "impassable" in piece.flags)


def ground(state: State, zone: Sequence[Point], apart: int = 0, others: Sequence[Point] = ()) -> Ground:
    """Return where a marker may lie: in a zone, on no base, and `apart` from all `others`, centre to centre."""
    taken = [*bases(state), *((place, max(0, apart - RADIUS)) for place in others)]
    size = (state.table.width, state.table.height)
    return Ground(size, terrain_of(state, solid(state)), taken, hulls=hulls(state), zone=zone)


def placing(
    state: State, units: Sequence[Unit], zone: tuple[Point, ...], wanted: Sequence[Point], clear: int = 0
) -> PlacementParameter:
    """Return the question where these markers lie, in a zone and `clear` of all objectives, where there is space for that; as
    near as there is to `wanted` if that is not changed.
    """
    objectives = state.objectives if clear else {}
    free, suggested = ground(state, zone, clear + RADIUS, [one.at for one in objectives.values()]), []
    for place in wanted:
        found = free.nearest(place, RADIUS)
        if found is None and clear:
            return placing(state, units, zone, wanted)
        assert found is not None, "a zone has space for a marker"
        free.take(found, RADIUS)
        suggested.append({FIGURE: found})
    return PlacementParameter(
        units=tuple(unit.id for unit in units),
        zone=zone,
        gaps=(0,) * len(units),
        barred=(solid(state),) * len(units),
        suggested=tuple(suggested),
        avoid=tuple(objectives),
        clear=clear,
        clear_rule="scenario.objectives" if clear else "",
    )
