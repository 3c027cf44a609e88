"""A random legal answer to any prompt, from its choices alone: for fuzzing, simulations and the simplest opponent."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeVar

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    Choice,
    DirectionParameter,
    DirectionTaken,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    Parameter,
    PathParameter,
    PathsDeclared,
    Picked,
    PlacementParameter,
    PointParameter,
    PointTaken,
    StopParameter,
    StopTaken,
    UnitNamed,
    UnitParameter,
    Value,
)
from server.kernel.answers.assignments import assignment_fault
from server.kernel.answers.check import Asked
from server.kernel.answers.paths import check_path
from server.kernel.answers.placements import check_placement
from server.kernel.answers.points import check_point
from server.kernel.finding.formation import set_down, shifted
from server.kernel.finding.ground import Ground
from server.kernel.space.geometry import FULL_TURN, Point, bounds, moved
from server.kernel.standing import bases, has_hull, hulls, terrain_of
from server.kernel.state import Figure, State, Unit

T = TypeVar("T")


class Chance(Protocol):
    """The source of randomness: `random.Random` has this shape."""

    def randrange(self, stop: int, /) -> int:
        """Return a whole number from 0 up to, not including, `stop`."""
        ...

    def choice(self, seq: Sequence[T], /) -> T:
        """Return one of `seq`."""
        ...

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """Return `k` different ones of `population`."""
        ...


def sample(believed: State, asked: Asked, chance: Chance) -> Picked:
    """Return a legal answer to `asked`; the default if the sampler finds no other."""
    choices = [choice for choice in asked.choices if choice.why is None]
    chance_choice = chance.choice(choices)
    picked = sample_choice(believed, asked, chance_choice, chance)
    return asked.default if picked is None else picked


def sample_choice(believed: State, asked: Asked, choice: Choice, chance: Chance) -> Picked | None:
    """Return a value for each parameter of `choice`; None where none was found."""
    values: list[Value] = []
    for place, parameter in enumerate(choice.parameters):
        value = _sample(believed, parameter, chance)
        if value is None and choice.key == asked.default.choice and place < len(asked.default.values):
            value = asked.default.values[place]
        if value is None:
            return None
        values.append(value)
    return Picked(choice.key, tuple(values))


def _sample(believed: State, parameter: Parameter, chance: Chance) -> Value | None:
    if isinstance(parameter, UnitParameter):
        allowed = [candidate.unit for candidate in parameter.candidates if candidate.why is None]
        return UnitNamed(chance.choice(allowed)) if allowed else None
    if isinstance(parameter, PathParameter):
        return _sample_path(believed, parameter, chance)
    if isinstance(parameter, FiguresParameter):
        number = parameter.least + chance.randrange(parameter.most - parameter.least + 1)
        return FiguresPicked(tuple(chance.sample(parameter.figures, number)))
    if isinstance(parameter, DirectionParameter):
        bend = chance.randrange(2 * parameter.spread + 1) - parameter.spread
        angle = parameter.middle + bend
        return DirectionTaken((angle + 36_000) % 36_000)
    if isinstance(parameter, AssignmentParameter):
        return _sample_assignment(parameter, chance)
    if isinstance(parameter, StopParameter):
        first, last = chance.choice(parameter.spans)
        return StopTaken(first + chance.randrange(last - first + 1))
    if isinstance(parameter, PointParameter):
        return _sample_point(believed, parameter, chance)
    return _sample_placement(believed, parameter, chance)


def _sample_path(believed: State, parameter: PathParameter, chance: Chance) -> PathsDeclared | None:
    unit = believed.units[parameter.unit]
    for attempt in range(8):
        way = _drive(unit, parameter, attempt, chance) if has_hull(unit) else _walk(unit, parameter, attempt, chance)
        if chance.randrange(3) == 0 and way.paths:
            kept = chance.sample(sorted(way.paths), 1 + chance.randrange(len(way.paths)))
            way = PathsDeclared({key: way.paths[key] for key in kept})
        if check_path(believed, parameter, way) is None:
            return way
    return PathsDeclared({}) if parameter.may_stay else None


def _walk(unit: Unit, parameter: PathParameter, attempt: int, chance: Chance) -> PathsDeclared:
    """Return paths on which all figures that may move go the same way, less far with each attempt."""
    length = parameter.allowance // (1 + attempt // 2)
    dx, dy = moved((0, 0), chance.randrange(FULL_TURN), chance.randrange(length + 1))
    way = shifted(unit, dx, dy)
    if parameter.figures:
        way = PathsDeclared({key: path for key, path in way.paths.items() if key in parameter.figures})
    return way


def _drive(unit: Unit, parameter: PathParameter, attempt: int, chance: Chance) -> PathsDeclared:
    """Return a vehicle's path: some legs, within what limited ground allows every other time, or only a turn; sometimes with
    another facing at the end.
    """
    key, figure = next(iter(unit.living.items()))
    if parameter.straight or parameter.jump:
        return _leg(key, figure, parameter, attempt, chance)
    facing = chance.randrange(FULL_TURN) if chance.randrange(2) == 0 else None
    left = parameter.allowance // (1 + attempt // 3)
    if parameter.limits and attempt % 2 == 1:
        left = min(left, *(limit for _, limit in parameter.limits))
    path: list[Point] = []
    at = figure.at
    assert at is not None, "what drives stands on the table"
    for _ in range(chance.randrange(4)):
        length = chance.randrange(left + 1)
        # A mil less, since the end of a leg is rounded.
        at = moved(at, chance.randrange(FULL_TURN), max(0, length - 1))
        path.append(at)
        left -= length
    if not path and facing is None and not parameter.may_stay:
        facing = chance.randrange(FULL_TURN)
    return PathsDeclared({key: tuple(path)} if path else {}, facing)


def _leg(key: str, figure: Figure, parameter: PathParameter, attempt: int, chance: Chance) -> PathsDeclared:
    """Return a vehicle's path of one leg, less far with each attempt; one that may face anywhere faces along it or not."""
    assert figure.at is not None, "what drives stands on the table"
    length = chance.randrange(parameter.allowance // (1 + attempt) + 1)
    end = moved(figure.at, chance.randrange(FULL_TURN), max(0, length - 1))
    facing = chance.randrange(FULL_TURN) if not parameter.straight and chance.randrange(2) == 0 else None
    return PathsDeclared({key: (end,)}, facing)


def _sample_assignment(parameter: AssignmentParameter, chance: Chance) -> Assigned:
    """Return some of the rows, each with one of its options while there are any left of it."""
    wanted = parameter.least + chance.randrange(parameter.most - parameter.least + 1)
    left = dict(parameter.limits)
    given: dict[str, str] = {}
    for row in chance.sample(parameter.rows, len(parameter.rows)):
        options = [option.key for option in row.options if left.get(option.key, 1) > 0]
        if len(given) < wanted and options:
            option = chance.choice(options)
            given[row.key] = option
            if option in left:
                left[option] -= 1
    value = Assigned({row.key: given[row.key] for row in parameter.rows if row.key in given})
    return value if assignment_fault(parameter, value) is None else Assigned(parameter.suggested)


def _sample_placement(believed: State, parameter: PlacementParameter, chance: Chance) -> FiguresPlaced:
    suggested = FiguresPlaced(parameter.suggested)
    left, bottom, right, top = bounds(parameter.zone)
    for _ in range(8):
        dx = chance.randrange(right - left + 1) - (right - left) // 2
        dy = chance.randrange(top - bottom + 1) - (top - bottom) // 2

        def shift(at: Point, dx: int = dx, dy: int = dy) -> Point:
            return (at[0] + dx, at[1] + dy)

        shifts = tuple({key: shift(at) for key, at in places.items()} for places in parameter.suggested)
        placed = FiguresPlaced(shifts, _turned(parameter, chance))
        if check_placement(believed, parameter, placed) is None:
            return placed
    unit = believed.units[parameter.units[0]]
    if len(parameter.units) == 1 and unit.aboard:
        # Around a vehicle there is no space to shift a formation: another start gives another placement.
        size = (believed.table.width, believed.table.height)
        ground = Ground(size, terrain_of(believed, parameter.barred[0]), bases(believed), None, hulls(believed))
        near = (left + chance.randrange(right - left + 1), bottom + chance.randrange(top - bottom + 1))
        places = FiguresPlaced((set_down(unit, parameter.zone, ground, parameter.gaps[0], near, parameter.bonds),))
        if check_placement(believed, parameter, places) is None:
            return places
    return suggested


def _sample_point(believed: State, parameter: PointParameter, chance: Chance) -> PointTaken | None:
    """Return a point around a figure that the circle may be meant for, or the one that is given, else the suggested one."""
    if parameter.around is not None:
        about = PointTaken(moved(parameter.around, chance.randrange(FULL_TURN), chance.randrange(parameter.reach + 1)))
        return about if check_point(believed, parameter, about) is None else PointTaken(parameter.around)
    side = believed.units[parameter.unit].side
    meant = parameter.near or tuple(unit.id for unit in believed.enemies_of(side))
    places = [place for key in meant for place in believed.units[key].places()]
    for _ in range(8 if places else 0):
        at, radius = chance.choice(places)
        near = moved(at, chance.randrange(FULL_TURN), chance.randrange(radius + parameter.radius + 1))
        value = PointTaken(near)
        if check_point(believed, parameter, value) is None:
            return value
    return None if parameter.suggested is None else PointTaken(parameter.suggested)


def _turned(parameter: PlacementParameter, chance: Chance) -> tuple[dict[str, int], ...]:
    """Return facings for turned hulls, every other time."""
    if not any(parameter.facings) or chance.randrange(2) == 0:
        return ()
    return tuple({key: chance.randrange(FULL_TURN) for key in facings} for facings in parameter.facings)
