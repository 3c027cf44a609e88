"""What every family says alike when it is asked about two units: how far apart they are, and which figures see which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from client_protocol.explained import Explained, Line
from server.kernel.bodies import bodies, is_vehicle
from server.kernel.looking import Ray, rays
from server.kernel.ruleset import Finding
from server.kernel.state import State, Unit


def listed(words: Iterable[str]) -> str:
    """Words in a row: "1, 2 and 3"."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def who(unit: Unit, figures: Sequence[str]) -> str:
    """Figures of a unit in words; a vehicle, and a unit of one figure, by its name."""
    if is_vehicle(unit) or len(unit.figures) == 1:
        return unit.name
    return f"{'Figure' if len(figures) == 1 else 'Figures'} {listed(figures)} of {unit.name}"


def measured(mil: int, rule: str) -> tuple[str, Explained]:
    """The distance between two units as a number, by the rule that says how to measure."""
    return "Distance", Explained(mil, (Line("SET", mil, "nearest edge to nearest edge", rule),), "mil")


def sight(state: State, unit: Unit, target: Unit, rule: str) -> Finding:
    """Which figures of `unit` see which of `target`, and what keeps the others from it; `rule` is that of line of sight."""
    lines = rays(state, unit.id, target.id)
    parts = tuple(
        _looker(state, unit, target, key, [ray for ray in lines if ray.figure == key], rule) for key in bodies(unit)
    )
    seen = dict.fromkeys(ray.target for ray in lines if ray.clear)
    if not seen:
        return Finding(f"{unit.name} does not see {target.name}.", rule, holds=False, parts=parts)
    seeing = sum(bool(part.holds) for part in parts)
    looking = f"{seeing} of {len(parts)} figures of {unit.name} {'sees' if seeing == 1 else 'see'}"
    return Finding(f"{looking} {len(seen)} of {target.strength} of {target.name}.", rule, holds=True, parts=parts)


def _looker(state: State, unit: Unit, target: Unit, figure: str, lines: Sequence[Ray], rule: str) -> Finding:
    """What one figure sees."""
    seen = [ray.target for ray in lines if ray.clear]
    told = [f"sees {_named(target, seen)}"] if seen else []
    blocked: dict[str, list[str]] = {}
    for ray in lines:
        if not ray.clear:
            blocked.setdefault(_piece(state, ray.blocked_by), []).append(ray.target)
    told += [f"does not see {_named(target, keys)}, for {piece} is in the way" for piece, keys in blocked.items()]
    return Finding(f"{who(unit, [figure])} {listed(told)}.", rule, holds=bool(seen))


def _named(target: Unit, figures: Sequence[str]) -> str:
    return who(target, figures) if len(target.figures) == 1 else listed(figures)


def _piece(state: State, piece: str) -> str:
    """What stands in the way: the name of a terrain piece with its id, or a vehicle."""
    return next((f"{row.name} ({row.id})" for row in state.table.terrain if row.id == piece), "a vehicle")
