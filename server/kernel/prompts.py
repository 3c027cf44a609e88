"""Asking seats, and checking what they answer before a procedure hears of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from client_protocol.choices import (
    Candidate,
    Choice,
    DirectionParameter,
    DirectionTaken,
    EndCondition,
    EndsFarther,
    EndsInTerrain,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    PathParameter,
    PathsDeclared,
    Picked,
    PlacementParameter,
    UnitNamed,
    UnitParameter,
    Value,
)
from server.kernel.geometry import (
    Point,
    angle_difference,
    beyond,
    contains,
    edges,
    gap,
    inches_text,
    segment_point_distance,
    to_mil,
)
from server.kernel.paths import Base, largest_gap, on_table, overlaps, path_cost, path_faults
from server.kernel.sight import stands_in
from server.kernel.state import State, Unit
from server.kernel.terrain import Terrain


class Asked(Struct, frozen=True):
    """What one seat is asked: a title, the choices, what is played when its time runs out, the rule, the unit it concerns."""

    title: str
    choices: tuple[Choice, ...]
    default: Picked
    rule: str = ""
    unit: str = ""

    def choice(self, key: str) -> Choice | None:
        """The choice of this key, if there is one."""
        return next((choice for choice in self.choices if choice.key == key), None)


class Ask(Struct, frozen=True):
    """A procedure's question to one seat or to several at once. Several seats' answers stay sealed until the last is in."""

    seats: dict[str, Asked]


class Refusal(Struct, frozen=True):
    """Why an answer is not taken: a code, a sentence that says what would be allowed, the rule, and for a path the figure and
    the place on the table.
    """

    code: str
    sentence: str
    rule: str = ""
    where: Point | None = None
    figure: str = ""


def check(believed: State, asked: Asked, picked: Picked) -> Refusal | None:
    """Whether `picked` answers `asked`, from what the seat may know. None when it does. Pure."""
    choice = asked.choice(picked.choice)
    if choice is None:
        keys = ", ".join(c.key for c in asked.choices)
        return Refusal("no_such_choice", f"There is no choice {picked.choice!r} here; there are {keys}.", asked.rule)
    if choice.why is not None:
        return Refusal("not_allowed", choice.why.sentence, choice.why.rule)
    if len(picked.values) != len(choice.parameters):
        wanted, given = len(choice.parameters), len(picked.values)
        return Refusal("values", f"{choice.label} takes {wanted} values, {given} were given.", choice.rule)
    for parameter, value in zip(choice.parameters, picked.values, strict=True):
        checker = _CHECKERS.get((type(parameter), type(value)))
        if checker is None:
            return Refusal("values", f"A value of the wrong kind was given for {choice.label}.", choice.rule)
        refusal = checker(believed, parameter, value)
        if refusal is not None:
            return refusal
    return None


# --- units and figures ----------------------------------------------------------------------------------------------


def _check_unit(believed: State, parameter: UnitParameter, value: UnitNamed) -> Refusal | None:
    candidate: Candidate | None = next((c for c in parameter.candidates if c.unit == value.unit), None)
    if candidate is None:
        return Refusal("no_such_unit", f"{parameter.label}: that unit is not among those that can be named.")
    if candidate.why is not None:
        return Refusal("not_allowed", candidate.why.sentence, candidate.why.rule)
    return None


def _check_figures(believed: State, parameter: FiguresParameter, value: FiguresPicked) -> Refusal | None:
    picked = value.figures
    if len(set(picked)) != len(picked) or not set(picked) <= set(parameter.figures):
        return Refusal("figures", f"{parameter.label}: name each figure once, out of those offered.")
    if not parameter.least <= len(picked) <= parameter.most:
        few = str(parameter.least)
        wanted = few if parameter.least == parameter.most else f"{few} to {parameter.most}"
        return Refusal("figures", f"{parameter.label}: pick {wanted} figures; {len(picked)} were picked.")
    return None


def _check_direction(believed: State, parameter: DirectionParameter, value: DirectionTaken) -> Refusal | None:
    if abs(angle_difference(parameter.middle, value.angle)) > parameter.spread:
        degrees = parameter.spread / 100
        return Refusal("direction", f"{parameter.label}: at most {degrees:g} degrees to either side.")
    return None


# --- paths ----------------------------------------------------------------------------------------------------------


def terrain_of(state: State, pieces: Sequence[str]) -> list[Terrain]:
    """The terrain pieces of these ids."""
    wanted = set(pieces)
    return [piece for piece in state.table.terrain if piece.id in wanted]


def bases(state: State, *, without: Sequence[str] = (), only: Sequence[str] | None = None) -> list[Base]:
    """The bases on the table, those of the units in `without` left out, or those of the units in `only`."""
    found: list[Base] = []
    for unit in state.units.values():
        if unit.left or unit.id in without or (only is not None and unit.id not in only):
            continue
        found.extend(unit.places())
    return found


def end_places(unit: Unit, value: PathsDeclared) -> dict[str, Base]:
    """Where each living figure of `unit` stands after `value`: figure id -> (centre, radius)."""
    ends: dict[str, Base] = {}
    for key, figure in unit.figures.items():
        if figure.at is None or figure.fallen:
            continue
        path = value.paths.get(key)
        ends[key] = (path[-1] if path else figure.at, figure.radius)
    return ends


def check_path(believed: State, parameter: PathParameter, value: PathsDeclared) -> Refusal | None:
    """Whether `value` is a way that `parameter` allows; None when it is."""
    unit = believed.units[parameter.unit]
    living = {key: figure for key, figure in unit.living.items() if figure.at is not None}
    moving = {key: path for key, path in value.paths.items() if path}
    if not set(value.paths) <= set(living):
        return Refusal("figures", f"Only living figures of {unit.name} can move.")
    if not moving and parameter.may_stay:
        return None
    costly = [
        (piece, percent) for piece in believed.table.terrain for id_, percent in parameter.costly if piece.id == id_
    ]
    barred = terrain_of(believed, parameter.barred)
    enemies = bases(believed, only=parameter.avoid)
    size = (believed.table.width, believed.table.height)
    for key, path in moving.items():
        figure = living[key]
        assert figure.at is not None  # `living` holds figures on the table only
        whole = (figure.at, *path)
        fault = path_faults(whole, figure.radius, size, barred, enemies)
        if fault is not None:
            piece = next((p.name for p in barred if p.id == fault.piece), "")
            sentence = {
                "table": f"The path of figure {key} leaves the table.",
                "impassable": f"The path of figure {key} runs into {piece}, which nobody can cross.",
                "base": f"The path of figure {key} runs through an enemy's base; go around it.",
            }[fault.kind]
            return Refusal(f"path_{fault.kind}", sentence, parameter.allowance_rule, fault.at, key)
        cost = to_mil(path_cost(whole, costly))
        if cost > parameter.allowance:
            used, far = beyond(cost, parameter.allowance), inches_text(parameter.allowance)
            sentence = f"Figure {key} would use {used} of movement; it has {far}."
            return Refusal("path_too_long", sentence, parameter.allowance_rule, path[-1], key)
    return _check_ends(believed, parameter, unit, value)


def _check_ends(believed: State, parameter: PathParameter, unit: Unit, value: PathsDeclared) -> Refusal | None:
    ends = end_places(unit, value)
    others = bases(believed, without=[unit.id])
    taken = list(others)
    for key, (at, radius) in ends.items():
        if overlaps(at, radius, taken):
            return Refusal(
                "path_on_base", f"Figure {key} would end on another base.", parameter.allowance_rule, at, key
            )
        taken.append((at, radius))
    if parameter.gap:
        widest = largest_gap([at for at, _ in ends.values()], [radius for _, radius in ends.values()])
        if widest > parameter.gap:
            return Refusal("coherency", _too_far_apart(unit, widest, parameter.gap), parameter.gap_rule)
    for rule in parameter.ends:
        if not any(meets(believed, unit, ends, condition) for condition in rule.any_of):
            return Refusal("path_end", rule.why.sentence, rule.why.rule)
    return None


def _too_far_apart(unit: Unit, widest: int, limit: int) -> str:
    return f"{unit.name} would be {beyond(widest, limit)} apart; its figures may be at most {inches_text(limit)} apart."


def meets(state: State, unit: Unit, ends: dict[str, Base], condition: EndCondition) -> bool:
    """Whether figures of `unit` that stand at `ends` meet `condition`."""
    if isinstance(condition, EndsFarther):
        threats = bases(state, only=condition.units)
        return all(_farther(unit.figures[key].at, at, radius, threats) for key, (at, radius) in ends.items())
    if isinstance(condition, EndsInTerrain):
        pieces = terrain_of(state, condition.pieces)
        standing = sum(
            any(stands_in(at, radius, piece, condition.reach) for piece in pieces) for at, radius in ends.values()
        )
        return standing >= condition.figures
    return any(touches(base, other) for base in ends.values() for other in bases(state, only=condition.units))


def touches(one: Base, other: Base) -> bool:
    """Whether two bases are in contact: no more than 0.02" apart, what two people at a table would call touching."""
    return to_mil(gap(one[0], one[1], other[0], other[1])) <= TOUCH


TOUCH = 20
"""Mil: places are whole thousandths of an inch, so contact at an odd angle is never exactly nought."""


def _farther(began: Point | None, ends: Point, radius: int, threats: Sequence[Base]) -> bool:
    if began is None or not threats:
        return True
    before = min(to_mil(gap(began, radius, at, r)) for at, r in threats)
    after = min(to_mil(gap(ends, radius, at, r)) for at, r in threats)
    return after > before


# --- placement ------------------------------------------------------------------------------------------------------


def check_placement(believed: State, parameter: PlacementParameter, value: FiguresPlaced) -> Refusal | None:
    """Whether `value` is a placement that `parameter` allows; None when it is."""
    if len(value.places) != len(parameter.units):
        return Refusal("places", "Every unit that is placed needs a place for each of its figures.")
    taken = bases(believed)
    barred = terrain_of(believed, parameter.barred)
    size = (believed.table.width, believed.table.height)
    for unit_id, limit, places in zip(parameter.units, parameter.gaps, value.places, strict=True):
        unit = believed.units[unit_id]
        if set(places) != set(unit.living):
            return Refusal("places", f"{unit.name} needs a place for each of its {unit.strength} figures.")
        for key, at in places.items():
            radius = unit.figures[key].radius
            refusal = _check_place(unit.name, key, at, radius, size, parameter.zone, barred, taken)
            if refusal is not None:
                return refusal
            taken.append((at, radius))
        widest = largest_gap(list(places.values()), [unit.figures[key].radius for key in places])
        if widest > limit:
            return Refusal("coherency", _too_far_apart(unit, widest, limit), parameter.gap_rule)
    return None


def _check_place(
    name: str,
    key: str,
    at: Point,
    radius: int,
    size: tuple[int, int],
    zone: tuple[Point, ...],
    barred: Sequence[Terrain],
    taken: Sequence[Base],
) -> Refusal | None:
    if not on_table(at, radius, size) or not in_zone(at, radius, zone):
        return Refusal("zone", f"Figure {key} of {name} must stand wholly inside the deployment zone.", "", at, key)
    for piece in barred:
        if to_mil(piece.distance(at)) < radius:
            return Refusal("impassable", f"Figure {key} of {name} cannot stand in {piece.name}.", "", at, key)
    if overlaps(at, radius, taken):
        return Refusal("on_base", f"Figure {key} of {name} would stand on another base.", "", at, key)
    return None


def in_zone(at: Point, radius: int, zone: Sequence[Point]) -> bool:
    """Whether a base stands wholly inside the polygon `zone`."""
    outline = tuple(zone)
    return contains(outline, at) and all(
        to_mil(segment_point_distance(a, b, at)) >= radius for a, b in edges(outline, linear=False)
    )


Checker = Callable[..., Refusal | None]
_CHECKERS: dict[tuple[type, type[Value]], Checker] = {
    (UnitParameter, UnitNamed): _check_unit,
    (PathParameter, PathsDeclared): check_path,
    (FiguresParameter, FiguresPicked): _check_figures,
    (PlacementParameter, FiguresPlaced): check_placement,
    (DirectionParameter, DirectionTaken): _check_direction,
}
