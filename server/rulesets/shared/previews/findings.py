"""What every family says alike when it is asked about two units: how far apart they are, and which figures see which."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from client_protocol.explained import Explained, Line
from server.kernel.bodies import bodies
from server.kernel.looking import Ray, rays
from server.kernel.ruleset import Finding
from server.kernel.state import State, Unit


def listed(words: Iterable[str]) -> str:
    """Words in a row: "1, 2 and 3"."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def who(unit: Unit, figures: Sequence[str]) -> str:
    """Figures of a unit in words; a vehicle, and a unit that is down to one figure, by its name."""
    if unit.strength == 1:
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
    whom = f"{len(seen)} of {target.strength} figures of {target.name}" if target.strength > 1 else target.name
    if unit.strength > 1:
        told = f"{seeing} of {unit.strength} figures of {unit.name} {'sees' if seeing == 1 else 'see'} {whom}."
    else:
        told = f"{unit.name} sees {whom}."
    return Finding(told, rule, holds=True, parts=parts)


def _looker(state: State, unit: Unit, target: Unit, figure: str, lines: Sequence[Ray], rule: str) -> Finding:
    """What one figure sees."""
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
    """The sentence for the cover of `target` against `unit`, in words; `parts` say of each figure whether it has any."""
    count = sum(bool(part.holds) for part in parts)
    of_all = f"; {count} of {len(parts)} figures are in cover" if len(parts) > 1 else ""
    return f"{target.name} against {unit.name}: {cover}{of_all}."


def piece_named(state: State, piece: str) -> str:
    """What stands in the way or gives cover: the name of a terrain piece with its id; for any other id, a vehicle."""
    return next((f"{row.name} ({row.id})" for row in state.table.terrain if row.id == piece), "a vehicle")
