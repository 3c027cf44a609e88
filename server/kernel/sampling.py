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
    StopParameter,
    StopTaken,
    UnitNamed,
    UnitParameter,
    Value,
)
from server.kernel.formation import shifted
from server.kernel.geometry import Point, bounds, moved
from server.kernel.prompts import Asked, check_path, check_placement
from server.kernel.state import State

T = TypeVar("T")


class Chance(Protocol):
    """Where the randomness comes from: `random.Random` has this shape."""

    def randrange(self, stop: int, /) -> int:
        """A whole number from 0 up to, not including, `stop`."""
        ...

    def choice(self, seq: Sequence[T], /) -> T:
        """One of `seq`."""
        ...

    def sample(self, population: Sequence[T], k: int) -> list[T]:
        """`k` different ones of `population`."""
        ...


def sample(believed: State, asked: Asked, chance: Chance) -> Picked:
    """An answer to `asked`, made to be legal. Falls back on the default where the sampler finds nothing better."""
    choices = [choice for choice in asked.choices if choice.why is None]
    chance_choice = chance.choice(choices)
    picked = sample_choice(believed, asked, chance_choice, chance)
    return asked.default if picked is None else picked


def sample_choice(believed: State, asked: Asked, choice: Choice, chance: Chance) -> Picked | None:
    """A value for each parameter of `choice`; None where none was found."""
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
        return Assigned(parameter.suggested)
    if isinstance(parameter, StopParameter):
        return StopTaken(parameter.suggested)
    return _sample_placement(believed, parameter, chance)


def _sample_path(believed: State, parameter: PathParameter, chance: Chance) -> PathsDeclared | None:
    unit = believed.units[parameter.unit]
    for attempt in range(8):
        length = parameter.allowance // (1 + attempt // 2)
        dx, dy = moved((0, 0), chance.randrange(36_000), chance.randrange(length + 1))
        way = shifted(unit, dx, dy)
        if chance.randrange(3) == 0 and way.paths:
            kept = chance.sample(sorted(way.paths), 1 + chance.randrange(len(way.paths)))
            way = PathsDeclared({key: way.paths[key] for key in kept})
        if check_path(believed, parameter, way) is None:
            return way
    return PathsDeclared({}) if parameter.may_stay else None


def _sample_placement(believed: State, parameter: PlacementParameter, chance: Chance) -> FiguresPlaced:
    suggested = FiguresPlaced(parameter.suggested)
    left, bottom, right, top = bounds(parameter.zone)
    for _ in range(8):
        dx = chance.randrange(right - left + 1) - (right - left) // 2
        dy = chance.randrange(top - bottom + 1) - (top - bottom) // 2

        def shift(at: Point, dx: int = dx, dy: int = dy) -> Point:
            return (at[0] + dx, at[1] + dy)

        placed = FiguresPlaced(tuple({key: shift(at) for key, at in places.items()} for places in parameter.suggested))
        if check_placement(believed, parameter, placed) is None:
            return placed
    return suggested
