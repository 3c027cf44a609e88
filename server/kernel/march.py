"""The march: moves along declared paths. All figures of a unit share one t from 0 to 1, and the rules may stop them on the
way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec.structs import replace

from server.kernel.bodies import body
from server.kernel.facts import UnitMoved
from server.kernel.procedure import Game, Steps
from server.kernel.space.geometry import FULL_TURN, Point, direction
from server.kernel.space.paths import along, stretch
from server.kernel.space.screens import Group
from server.kernel.space.values import Body
from server.kernel.state import Figure, State, Unit
from server.kernel.structs import Fixed

Paths = Mapping[str, tuple[Point, ...]]
"""Paths by figure id, each from where the figure stands, its start included."""


class Stop(Fixed, frozen=True):
    """Something that happens on the way: at `t`, the procedure `happening` runs; the march goes on if it returns True."""

    t: float
    happening: Callable[[Game[Any]], Steps[bool]]


def fallen(figure: Figure) -> bool:
    """Return whether a figure has fallen: it goes no farther."""
    return figure.fallen


def march(
    game: Game[Any],
    unit: str,
    declared: Mapping[str, tuple[Point, ...]],
    manner: str,
    rule: str,
    stops: Sequence[Stop] = (),
    *,
    halted: Callable[[Figure], bool] = fallen,
    facing: int | None = None,
) -> Steps[bool]:
    """Move figures of `unit` along `declared` paths (starts left out). Returns whether they arrived.

    `stops` come in order of their t; between two of them lies a leg, which is one fact. After a stop, figures that are `halted`
    go no farther. A hull faces along its way and at the end to `facing` (hundredths of a degree; None: as it drove); turning
    on the spot is a leg too.
    """
    whole = _whole(game.unit(unit), declared)
    reached = 0.0
    for stop in sorted(stops, key=lambda stop: stop.t):
        if stop.t > reached:
            yield from _leg(game.unit(unit), whole, reached, stop.t, manner, rule, None)
            reached = stop.t
        if not (yield from stop.happening(game)):
            return False
        whole = {key: path for key, path in whole.items() if not halted(game.unit(unit).figures[key])}
    yield from _leg(game.unit(unit), whole, reached, 1.0, manner, rule, facing)
    return True


def on_the_way(
    state: State, unit: str, declared: Mapping[str, tuple[Point, ...]], t: float, facing: int | None = None
) -> State:
    """Return `state` with `unit` as far along `declared` as `t` (0 to 1): what could be seen and done from there."""
    return state.with_unit(gone(state.units[unit], declared, t, facing))


def gone(unit: Unit, declared: Mapping[str, tuple[Point, ...]], t: float, facing: int | None = None) -> Unit:
    """Return `unit` as far along `declared` as `t` (0 to 1)."""
    whole = _whole(unit, declared)
    figures = dict(unit.figures)
    for key, path in whole.items():
        figures[key] = replace(figures[key], at=path[-1] if t >= 1.0 else along(path, t))
    for key, angle in _facings(unit, whole, 0.0, t, facing).items():
        figures[key] = replace(figures[key], facing=angle)
    return replace(unit, figures=figures)


def swept(unit: Unit, declared: Mapping[str, tuple[Point, ...]]) -> Group:
    """Return bodies whose box holds every figure of `unit` that stands on the table, wherever on its declared path it is."""
    found: list[Body] = []
    for key, figure in unit.living.items():
        if figure.at is not None:
            reach = body(figure).radius
            found += [Body(at, reach) for at in (figure.at, *declared.get(key, ()))]
    return Group(found)


def _whole(unit: Unit, declared: Mapping[str, tuple[Point, ...]]) -> dict[str, tuple[Point, ...]]:
    """Return the declared paths with their starts, those that lead nowhere left out."""
    whole: dict[str, tuple[Point, ...]] = {}
    for key, path in declared.items():
        start = unit.figures[key].at
        if path and start is not None and path[-1:] != (start,):
            whole[key] = (start, *path)
    return whole


def _leg(unit: Unit, whole: Paths, start: float, end: float, manner: str, rule: str, facing: int | None) -> Steps[None]:
    # Of a march that a stop at its very end has interrupted nothing is left but the turn of a hull.
    going = whole if start < end else {}
    legs = {key: path if (start, end) == (0.0, 1.0) else stretch(path, start, end) for key, path in going.items()}
    moved = {key: path[1:] for key, path in legs.items() if len(path) > 1}
    facings = _facings(unit, whole, start, end, facing)
    if moved or any(unit.figures[key].facing != angle for key, angle in facings.items()):
        yield UnitMoved(unit.id, manner, moved, rule, facings)


def _facings(unit: Unit, whole: Paths, start: float, end: float, facing: int | None) -> dict[str, int]:
    """Return where the unit's hulls point at the end of a leg."""
    found: dict[str, int] = {}
    for key, figure in unit.figures.items():
        if figure.hull is None or figure.fallen:
            continue
        if end >= 1.0 and facing is not None:
            found[key] = facing % FULL_TURN
        elif key in whole:
            leg = stretch(whole[key], start, end)
            if len(leg) > 1 and leg[-2] != leg[-1]:
                found[key] = direction(leg[-2], leg[-1])
    return found
