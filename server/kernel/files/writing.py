"""Writing a position as a setup, which `server.kernel.files.setups` reads."""

from __future__ import annotations

import json
from collections.abc import Mapping

from msgspec.structs import replace

from server.kernel import traits
from server.kernel.attaching import part
from server.kernel.files.schema import FORMAT
from server.kernel.space.geometry import Point
from server.kernel.state import Figure, Side, State, Table, Unit


def write(state: State) -> dict[str, object]:
    """Return `state` as a setup, every figure listed. Reading it back gives the same state, except for the desk and for what is
    under way: an activation that has begun counts as over, and sealed answers are left out.
    """
    apart = _each_with_its_own(state)
    written: dict[str, object] = {
        "format": FORMAT,
        "edition": state.edition,
        "id": "position",
        "name": state.title,
        "table": _table(state.table),
        "options": dict(state.options),
        "victory": dict(state.victory),
        "turn": {
            "number": state.turn.number,
            "phase": state.turn.phase,
            "first": state.turn.first,
            "active": state.turn.active,
        },
        "book": _listed(state.book),
        "terrain": [
            {
                "id": piece.id,
                "kind": piece.kind,
                "name": piece.name,
                "outline": [_place(at) for at in piece.outline],
                "linear": piece.linear,
                "cover": piece.cover,
                "flags": list(piece.flags),
                "sight": piece.sight,
                "sight_depth": _inches(piece.sight_depth),
            }
            for piece in state.table.terrain
        ],
        "side": [
            {
                "id": side.id,
                "name": side.name,
                "letter": side.letter,
                "shape": side.shape,
                "edge": side.edge,
                "zone": [_place(at) for at in side.zone],
                **_assets(side),
            }
            for side in state.sides.values()
        ],
        "unit": [unit_row(unit) for unit in apart.units.values()],
        "objective": [
            {"id": o.id, "name": o.name, "at": _place(o.at), "radius": _inches(o.radius), "held_by": o.held_by}
            for o in state.objectives.values()
        ],
    }
    if state.result is not None:
        result = state.result
        written["result"] = {"winner": result.winner, "reason": result.reason, "rule": result.rule}
    return written


def _assets(side: Side) -> dict[str, object]:
    """Return the field with what a side has off the table, if it has anything there."""
    rows = [{"id": asset.id, "name": asset.name, **_listed(asset.profile)} for asset in side.off_table.values()]
    return {"assets": rows} if rows else {}


def _each_with_its_own(state: State) -> State:
    """Return `state` with every attached unit's figures on its own row, where a file has them."""
    for unit in state.units.values():
        if unit.attached:
            back = part(state, unit.id)
            state = back.with_unit(replace(back.units[unit.id], attached=unit.attached, aboard=""))
    return state


def _table(table: Table) -> dict[str, object]:
    size: dict[str, object] = {"width": _inches(table.width), "height": _inches(table.height)}
    return {**size, "added": table.added} if table.added else size


def unit_row(unit: Unit) -> dict[str, object]:
    """Return `unit` as a row of a setup, every figure listed."""
    radius = next(iter(unit.figures.values())).radius
    figures: list[dict[str, object]] = []
    for key, figure in unit.figures.items():
        row: dict[str, object] = {
            "id": key,
            "role": figure.role,
            "fallen": figure.fallen,
            **_listed(figure.profile),
            **_traits(figure),
        }
        if figure.conditions:
            row["conditions"] = list(figure.conditions)
        if figure.at is not None:
            row["at"] = _place(figure.at)
        if figure.hull is not None:
            row["hull"] = [_inches(figure.hull.length), _inches(figure.hull.width)]
            row["facing"] = figure.facing / 100
        figures.append(row)
    carrying: dict[str, object] = {}
    if unit.mounts:
        carrying["mounts"] = {
            key: {"weapon": m.weapon, "middle": m.middle / 100, "spread": m.spread / 100, "lost": m.lost}
            for key, m in unit.mounts.items()
        }
    if unit.seats:
        carrying["seats"] = unit.seats
    if unit.aboard:
        carrying["aboard"] = unit.aboard
    if unit.attached:
        carrying["attached"] = unit.attached
    return {
        "id": unit.id,
        "side": unit.side,
        "name": unit.name,
        **_listed(unit.profile),
        **_traits(unit),
        "base": _inches(2 * radius),
        "figures": figures,
        "conditions": list(unit.conditions),
        "activated": unit.activated,
        "left": unit.left,
        **carrying,
    }


def _traits(bearer: Unit | Figure) -> dict[str, object]:
    """Return the table of traits of a unit or figure, if it has any."""
    return {traits.TRAITS: _listed(traits.of(bearer))} if traits.of(bearer) else {}


def _listed(values: Mapping[str, object]) -> dict[str, object]:
    """Return notes or traits as a file has them, their lists as lists."""
    return {key: _as_list(value) for key, value in values.items()}


def _as_list(value: object) -> object:
    return [_as_list(item) for item in value] if isinstance(value, tuple) else value


def dump(setup: Mapping[str, object]) -> str:
    """Return a setup as readable JSON: short lists on one line."""
    lines = json.dumps(setup, indent=1)
    return lines + "\n"


def _place(at: Point) -> list[float]:
    return [_inches(at[0]), _inches(at[1])]


def _inches(mil: int) -> float:
    return mil / 1000
