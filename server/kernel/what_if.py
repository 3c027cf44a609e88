"""Units at imagined places, and what is wrong with these."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import FULL_TURN, Point
from server.kernel.space.hulls import hull_overlaps, inside_table, outline, smaller
from server.kernel.space.paths import on_table, overlaps
from server.kernel.space.values import Pose
from server.kernel.standing import bases, hulls
from server.kernel.state import State, Unit


def placed(unit: Unit, places: Mapping[str, Point], facings: Mapping[str, int]) -> Unit:
    """Return the unit with its living figures at these places and hulls at these facings (hundredths of a degree). Figures
    that are left out stay as they are; a unit that rode has got out.
    """
    moved = {
        key: replace(figure, at=places.get(key, figure.at), facing=facings.get(key, figure.facing) % FULL_TURN)
        for key, figure in unit.living.items()
    }
    return replace(unit, figures={**unit.figures, **moved}, aboard="")


def problems(rules: Ruleset, state: State, unit: Unit) -> list[str]:
    """Return what is wrong with where a unit is imagined: over the edge, on another base, and what the rules say against it."""
    size = (state.table.width, state.table.height)
    others, vehicles = bases(state, without=[unit.id]), hulls(state, without=[unit.id])
    over: list[str] = []
    on: list[str] = []
    for key, figure in unit.living.items():
        at = figure.at
        assert at is not None, "all of a unit that is imagined somewhere have a place"
        if figure.hull is None:
            inside, crowded = on_table(at, figure.radius, size), overlaps(at, figure.radius, others, vehicles)
            others.append((at, figure.radius))
        else:
            pose = Pose(at, figure.facing)
            inside = inside_table(outline(pose, smaller(figure.hull)), size)
            crowded = hull_overlaps(outline(pose, figure.hull), others, vehicles)
        over += [] if inside else [key]
        on += [key] if crowded else []
    told = []
    if over:
        told.append(f"{_who(unit, over)} would hang over the table's edge.")
    if on:
        told.append(f"{_who(unit, on)} would stand on another base or in a vehicle.")
    return [*told, *rules.amiss(state, unit.id)]


def _who(unit: Unit, figures: list[str]) -> str:
    if len(unit.figures) == 1:
        return unit.name
    return f"{'Figure' if len(figures) == 1 else 'Figures'} {', '.join(figures)} of {unit.name}"
