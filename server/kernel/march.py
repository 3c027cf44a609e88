"""Moving along declared paths: all figures of a unit share one t from 0 to 1, and the rules may stop them on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

from msgspec import Struct

from server.kernel.facts import UnitMoved
from server.kernel.geometry import Point, between, distance, to_point
from server.kernel.procedure import Game, Steps

Paths = Mapping[str, tuple[Point, ...]]
"""Paths by figure id, each from where the figure stands, its start included."""


class Stop(Struct, frozen=True):
    """Something that happens on the way: at `t`, the procedure `happening` runs; the march goes on if it returns True."""

    t: float
    happening: Callable[[Game[Any]], Steps[bool]]


def march(
    game: Game[Any],
    unit: str,
    declared: Mapping[str, tuple[Point, ...]],
    manner: str,
    rule: str,
    stops: Sequence[Stop] = (),
) -> Steps[bool]:
    """Move figures of `unit` along `declared` paths (starts left out). Returns whether they arrived.

    `stops` come in order of their t; between two of them lies a leg, which is one fact.
    """
    figures = game.unit(unit).figures
    whole: dict[str, tuple[Point, ...]] = {}
    for key, path in declared.items():
        start = figures[key].at
        if path and start is not None and path[-1:] != (start,):
            whole[key] = (start, *path)
    reached = 0.0
    for stop in sorted(stops, key=lambda stop: stop.t):
        if stop.t > reached:
            yield from _leg(unit, whole, reached, stop.t, manner, rule)
            reached = stop.t
        if not (yield from stop.happening(game)):
            return False
        whole = {key: path for key, path in whole.items() if not game.unit(unit).figures[key].fallen}
    yield from _leg(unit, whole, reached, 1.0, manner, rule)
    return True


def _leg(unit: str, whole: Paths, start: float, end: float, manner: str, rule: str) -> Steps[None]:
    legs = {key: path if (start, end) == (0.0, 1.0) else stretch(path, start, end) for key, path in whole.items()}
    moved = {key: path[1:] for key, path in legs.items() if len(path) > 1}
    if moved:
        yield UnitMoved(unit, manner, moved, rule)


def stretch(path: Sequence[Point], start: float, end: float) -> tuple[Point, ...]:
    """The part of `path` from parameter `start` to `end` (both 0 to 1, by length)."""
    lengths = [distance(a, b) for a, b in pairwise(path)]
    whole = sum(lengths)
    if whole == 0:
        return (path[0],)
    points = [_at(path, lengths, start * whole)]
    passed = 0.0
    for (_, corner), length in zip(pairwise(path), lengths, strict=True):
        passed += length
        if start * whole < passed < end * whole:
            points.append(corner)
    points.append(_at(path, lengths, end * whole))
    return tuple(points)


def _at(path: Sequence[Point], lengths: Sequence[float], along: float) -> Point:
    for (a, b), length in zip(pairwise(path), lengths, strict=True):
        if along <= length and length > 0:
            return to_point(between(a, b, along / length))
        along -= length
    return path[-1]
