"""Checking placements of units on the table."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from client_protocol.choices import FiguresPlaced, PlacementParameter
from server.kernel.answers.landing import walkable
from server.kernel.answers.refusal import Refusal, too_far_apart
from server.kernel.finding import bonds
from server.kernel.space.geometry import Point, inches_text, to_mil
from server.kernel.space.hulls import enters, hull_overlaps, inside_table, outline, smaller
from server.kernel.space.paths import largest_gap, on_table, overlaps
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Hull, Pose
from server.kernel.standing import bases, has_hull, hull_in_zone, hulls, in_zone, terrain_of
from server.kernel.state import Figure, State, Unit


def check_placement(believed: State, parameter: PlacementParameter, value: FiguresPlaced) -> Refusal | None:
    """Return why `parameter` does not allow the placement `value`; None if it does."""
    if len(value.places) != len(parameter.units):
        return Refusal("places", "Every unit that is placed needs a place for each of its figures.")
    ground = _Room(believed, parameter)
    for index, (unit_id, limit, places) in enumerate(zip(parameter.units, parameter.gaps, value.places, strict=True)):
        unit = believed.units[unit_id]
        if set(places) != set(unit.living):
            figures = ", ".join(unit.living)
            return Refusal("places", f"{unit.name} needs a place for each of its {unit.strength} figures: {figures}.")
        ground.bar(parameter.barred[index])
        for key, at in places.items():
            figure = unit.figures[key]
            refusal = (
                ground.refuse_base(unit.name, key, at, figure.radius)
                if figure.hull is None
                else ground.refuse_hull(
                    unit.name, key, Pose(at, placed_facing(parameter, value, index, key, figure)), figure.hull
                )
            )
            if refusal is not None:
                return refusal
        if parameter.landing is not None:
            walked = walkable(believed, unit_id, parameter.landing, parameter.barred[index])
            for key, at in places.items():
                if not walked(at, unit.figures[key].radius):
                    sentence = (
                        f"Figure {key} of {unit.name} cannot walk there in {inches_text(parameter.landing.allowance)}."
                    )
                    return Refusal("landing", sentence, parameter.landing.rule, at, key)
        refusal = _refuse_gaps(unit, parameter, limit, places)
        if refusal is not None:
            return refusal
    return None


def _refuse_gaps(unit: Unit, parameter: PlacementParameter, limit: int, places: Mapping[str, Point]) -> Refusal | None:
    """Return why a unit, or a part of it, does not keep together at these places; None if it does."""
    widest = largest_gap(list(places.values()), [unit.figures[key].radius for key in places])
    if limit and widest > limit and not has_hull(unit):
        return Refusal("coherency", too_far_apart(unit.name, widest, limit), parameter.gap_rule)
    for bond in parameter.bonds:
        if bond.unit == unit.id and (torn := bonds.widest(unit, bond, places)) > bond.gap:
            return Refusal("coherency", too_far_apart(bond.name, torn, bond.gap), bond.rule)
    return None


def placed_facing(parameter: PlacementParameter, value: FiguresPlaced, index: int, key: str, figure: Figure) -> int:
    """Return the facing of a hull of the unit at `index` when it is placed: as given, else as suggested, else as it is."""
    for facings in (value.facings, parameter.facings):
        if index < len(facings) and key in facings[index]:
            return facings[index][key]
    return figure.facing


class _Room:
    """What a placement is checked against; figures that were placed count for those after them."""

    def __init__(self, state: State, parameter: PlacementParameter) -> None:
        self._zone = tuple(parameter.zone)
        self._state = state
        self._barred: list[Terrain] = []
        self._taken = bases(state, without=parameter.units)
        self._hulls = hulls(state, without=parameter.units)
        self._size = (state.table.width, state.table.height)
        self._clear, self._clear_rule = parameter.clear, parameter.clear_rule
        self._kept_off = bases(state, only=parameter.avoid), hulls(state, only=parameter.avoid)
        self._objectives = [state.objectives[key] for key in parameter.avoid if key in state.objectives]

    def bar(self, pieces: Sequence[str]) -> None:
        """Bar these terrain pieces for the next unit."""
        self._barred = terrain_of(self._state, pieces)

    def refuse_base(self, name: str, key: str, at: Point, radius: int) -> Refusal | None:
        """Return why a base cannot stand there; if it can, it is placed."""
        if not on_table(at, radius, self._size) or not in_zone(at, radius, self._zone):
            return Refusal("zone", f"Figure {key} of {name} must stand wholly inside the marked zone.", "", at, key)
        for piece in self._barred:
            if to_mil(piece.distance(at)) < radius:
                return Refusal("impassable", f"Figure {key} of {name} cannot stand in {piece.name}.", "", at, key)
        if overlaps(at, radius, self._taken):
            return Refusal("on_base", f"Figure {key} of {name} would stand on another base.", "", at, key)
        if overlaps(at, radius, (), self._hulls):
            return Refusal("on_base", f"Figure {key} of {name} would stand in a vehicle.", "", at, key)
        if self._clear and overlaps(at, radius + self._clear, *self._kept_off):
            sentence = f"Figure {key} of {name} would stand within {inches_text(self._clear)} of an enemy."
            return Refusal("near_enemy", sentence, self._clear_rule, at, key)
        for objective in self._objectives:
            if overlaps(at, radius + self._clear, [(objective.at, 0)]):
                sentence = f"{name} would lie within {inches_text(self._clear)} of {objective.name}."
                return Refusal("near_objective", sentence, self._clear_rule, at, key)
        self._taken.append((at, radius))
        return None

    def refuse_hull(self, name: str, key: str, pose: Pose, hull: Hull) -> Refusal | None:
        """Return why a hull cannot stand so; if it can, it is placed."""
        inner, whole = outline(pose, smaller(hull)), outline(pose, hull)
        if not inside_table(inner, self._size) or not hull_in_zone(inner, self._zone):
            return Refusal("zone", f"{name} must stand wholly inside the marked zone.", "", pose.at, key)
        for piece in self._barred:
            if enters(inner, piece):
                return Refusal("impassable", f"{name} cannot stand in {piece.name}.", "", pose.at, key)
        if hull_overlaps(whole, self._taken, self._hulls):
            return Refusal("on_base", f"{name} would stand on a figure or another vehicle.", "", pose.at, key)
        self._hulls.append(whole)
        return None
