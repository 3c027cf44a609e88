"""Findings that every family reports alike: the distance between two units, and which figures see which."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from client_protocol.explained import Explained, Line
from server.kernel.bodies import bodies
from server.kernel.looking import Ray, rays
from server.kernel.ruleset import Finding
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit


def listed(words: Iterable[str]) -> str:
    """Return words as a list in a sentence: "1, 2 and 3"."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def who(unit: Unit, figures: Sequence[str]) -> str:
    """Return figures of a unit in words. A vehicle, or a unit with one figure left, goes by its name."""
    if unit.strength == 1:
        return unit.name
    return f"{'Figure' if len(figures) == 1 else 'Figures'} {listed(figures)} of {unit.name}"


def measured(mil: int, rule: str) -> tuple[str, Explained]:
    """Return the distance between two units (mil) as a labelled number, with the rule of measuring."""
    return "Distance", Explained(mil, (Line("SET", mil, "nearest edge to nearest edge", rule),), "mil")


def sight(
    state: State,
    unit: Unit,
    target: Unit,
    rule: str,
    aloft: Collection[str] = (),
    shelters: tuple[Terrain, ...] = (),
) -> Finding:
    """Return which figures of `unit` see which of `target`, and what blocks the rest. `rule` is the rule of line of sight, and
    `aloft` are the units that see over everything but `shelters`.
    """
    lines = rays(state, unit.id, target.id, aloft, shelters=shelters)
    parts = tuple(
        _looker(state, unit, target, key, [ray for ray in lines if ray.figure == key], rule) for key in bodies(unit)
    )
    seen = dict.fromkeys(ray.target for ray in lines if ray.clear)
    if not seen:
        return Finding(f"{unit.name} does not see {target.name}.", rule, holds=False, parts=parts)
    seeing = sum(bool(part.holds) for part in parts)
    whom = f"{len(seen)} of {target.strength} figures of {target.name}" if target.strength > 1 else target.name
    if unit.strength > 1:
        told = f"{seeing} of {unit.strength} figures of {unit.name} {'sees' if seeing == 1 else 'see'} {whom}."
    else:
        told = f"{unit.name} sees {whom}."
    return Finding(told, rule, holds=True, parts=parts)


def _looker(state: State, unit: Unit, target: Unit, figure: str, lines: Sequence[Ray], rule: str) -> Finding:
    """Return what one figure sees."""
    seen = [ray.target for ray in lines if ray.clear]
    told = [f"sees {_named(target, seen)}"] if seen else []
    blocked: dict[str, list[str]] = {}
    for ray in lines:
        if not ray.clear:
            blocked.setdefault(piece_named(state, ray.blocked_by), []).append(ray.target)
    told += [f"does not see {_named(target, keys)} because of {piece}" for piece, keys in blocked.items()]
    return Finding(f"{who(unit, [figure])} {listed(told)}.", rule, holds=bool(seen))


def _named(target: Unit, figures: Sequence[str]) -> str:
    return target.name if target.strength == 1 else listed(figures)


def covered(target: Unit, unit: Unit, cover: str, parts: Sequence[Finding]) -> str:
    """Return the sentence on the cover of `target` against `unit`. `cover` is the name of the cover.

    Each of `parts` is the finding for one figure, which holds if the figure is in cover.
    """
    count = sum(bool(part.holds) for part in parts)
    of_all = f"; {count} of {len(parts)} figures are in cover" if len(parts) > 1 else ""
    return f"{target.name} against {unit.name}: {cover}{of_all}."


def piece_named(state: State, piece: str) -> str:
    """Return the name of what blocks sight or gives cover: a terrain piece with its id, or "a vehicle" for any other id."""
    return next((f"{row.name} ({row.id})" for row in state.table.terrain if row.id == piece), "a vehicle")
