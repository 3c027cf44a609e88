"""A setup: a whole position as one readable file, TOML or JSON (docs/setups.md). What FEN is to chess.

Reading knows the schema and leaves to the rule set what its characteristics mean; writing gives back what reading takes.
"""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from server.kernel.geometry import FULL_TURN, Point, inches
from server.kernel.hulls import Hull
from server.kernel.ruleset import RulesetError
from server.kernel.setup_check import check
from server.kernel.state import BookValue, Figure, Mount, Objective, Result, Side, State, Table, Turn, Unit
from server.kernel.terrain import Sight, Terrain

FORMAT = "underfire setup 1"
Place = tuple[float, float]


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a setup; lengths are inches."""


class SetupTerrain(_Part, frozen=True):
    """A piece of terrain: what is left out comes from the palette's entry for its kind."""

    id: str
    kind: str
    outline: tuple[Place, ...]
    name: str = ""
    cover: str | None = None
    flags: tuple[str, ...] | None = None
    sight: Sight | None = None
    sight_depth: float | None = None
    linear: bool | None = None


class SetupSide(_Part, frozen=True):
    """A side. Its seat has its id. `force` names a ready force of the edition that it plays, beside any units listed for it."""

    id: str
    name: str
    letter: str
    shape: str
    edge: str = ""
    zone: tuple[Place, ...] = ()
    force: str = ""


class SetupFigure(Struct, frozen=True):
    """A figure, where a unit lists them one by one. Every other field is a characteristic of the rule set. A vehicle's figure has
    a `hull` (length, width) and a `facing` in degrees.
    """

    id: str
    at: Place | None = None
    role: str = ""
    fallen: bool = False
    conditions: tuple[str, ...] = ()
    hull: Place | None = None
    facing: float = 0


class SetupCount(Struct, frozen=True):
    """A unit whose figures are a number, with the places `at` which they stand (none: not on the table). What figures they are
    the rule set reads from its other fields.
    """

    name: str
    figures: int
    at: tuple[Place, ...] = ()


class SetupMount(_Part, frozen=True):
    """A vehicle's weapon; angles in degrees."""

    weapon: str
    middle: float = 0
    spread: float = 180
    lost: bool = False


class SetupUnit(Struct, frozen=True):
    """A unit with its figures listed. Every other field is a characteristic of the rule set."""

    id: str
    side: str
    name: str
    figures: tuple[dict[str, Any], ...]
    base: float = 1.0
    conditions: tuple[str, ...] = ()
    activated: int = 0
    left: str = ""
    mounts: dict[str, SetupMount] = {}
    seats: int = 0
    aboard: str = ""


class SetupObjective(_Part, frozen=True):
    """An objective marker."""

    id: str
    name: str
    at: Place
    radius: float
    held_by: str = ""


class SetupTurn(_Part, frozen=True):
    """Where in the game the position is; without a phase the rule set says where it begins."""

    number: int = 0
    phase: str = ""
    first: str = ""
    active: str = ""


class SetupResult(_Part, frozen=True):
    """How a match that is over ended."""

    winner: str
    reason: str
    rule: str = ""


class SetupTable(_Part, frozen=True):
    """The table's size; the last `added` pieces of terrain came about in play."""

    width: float = 48
    height: float = 48
    added: int = 0


class Setup(_Part, frozen=True):
    """The whole file."""

    format: str
    edition: str
    id: str
    name: str
    side: tuple[SetupSide, ...]
    unit: tuple[dict[str, Any], ...] = ()
    summary: str = ""
    minutes: int = 0
    table: SetupTable = SetupTable()
    terrain: tuple[SetupTerrain, ...] = ()
    objective: tuple[SetupObjective, ...] = ()
    victory: dict[str, str | int] = {}
    deployment: dict[str, str] = {}
    options: dict[str, str | int | bool] = {}
    turn: SetupTurn | None = None
    result: SetupResult | None = None
    book: dict[str, BookValue] = {}


class Kind(Struct, frozen=True):
    """What a kind of terrain does by default, from a rule set's palette. `sight_depth` in mil."""

    name: str
    cover: str
    flags: tuple[str, ...]
    sight: Sight
    sight_depth: int
    linear: bool


Palette = Callable[[str], Kind]
"""A kind's entry. Raises `RulesetError` for a kind it does not have."""
Profile = Callable[[str, Mapping[str, object], tuple[str, ...]], dict[str, str]]
"""Checks a unit's characteristics and its figures' roles (unit name, the setup's other fields, roles) and gives its profile."""
FigureProfile = Callable[[str, Mapping[str, object]], dict[str, str]]
"""Checks a figure's characteristics (unit name, the setup's other fields) and gives its profile."""
Roster = Callable[[str, int, Mapping[str, object]], tuple[list[dict[str, object]], dict[str, object]]]
"""The figures of a unit that a setup counts instead of listing (unit name, their number, the setup's other fields): what each has
of its own, as a list would have it, and the other fields without those that said so. Raises `RulesetError`."""
Muster = Callable[[str, str], list[Unit]]
"""The units of a ready force for a side (side, force). Raises `RulesetError`."""

_MOST_FIGURES = 60
_UNIT_FIELDS = set(SetupUnit.__struct_fields__)
_FIGURE_FIELDS = set(SetupFigure.__struct_fields__)


def no_profile(name: str, other: Mapping[str, object]) -> dict[str, str]:
    """For rule sets whose figures have no characteristics of their own. Raises `RulesetError`."""
    if other:
        raise RulesetError(f"{name}: nobody knows what {', '.join(sorted(other))} means for a figure")
    return {}


def plain_roster(
    _name: str, count: int, other: Mapping[str, object]
) -> tuple[list[dict[str, object]], dict[str, object]]:
    """For rule sets whose figures are alike unless they are listed."""
    return [{} for _ in range(count)], dict(other)


def no_muster(side: str, force: str) -> list[Unit]:
    """For rule sets without ready forces. Raises `RulesetError`."""
    raise RulesetError(f"side {side!r} is to play the force {force!r}; this edition has no ready forces")


def parse(text: str) -> dict[str, Any]:
    """The mapping a setup or case file holds, TOML or JSON. Raises `RulesetError`."""
    try:
        parsed: object = json.loads(text) if text.lstrip().startswith("{") else tomllib.loads(text)
    except (json.JSONDecodeError, tomllib.TOMLDecodeError) as error:
        raise RulesetError(f"this is neither TOML nor JSON: {error}") from error
    if not isinstance(parsed, dict):
        raise RulesetError("a setup is a table of fields")
    return parsed


def convert(mapping: Mapping[str, object]) -> Setup:
    """The setup in `mapping`, its fields checked. Raises `RulesetError`."""
    try:
        setup = msgspec.convert(mapping, Setup)
    except msgspec.ValidationError as error:
        raise RulesetError(f"the setup does not fit its schema: {error}") from error
    if setup.format != FORMAT:
        raise RulesetError(f"the setup's format is {setup.format!r}; this reads {FORMAT!r}")
    return setup


def read(
    setup: Setup,
    options: dict[str, str | int | bool],
    palette: Palette,
    profile: Profile,
    figure_profile: FigureProfile = no_profile,
    roster: Roster = plain_roster,
    muster: Muster = no_muster,
) -> State:
    """The state that `setup` describes, with `options` settled. A phase that it leaves open is left to the rule set. Raises
    `RulesetError`.
    """
    sides = {
        side.id: Side(side.id, side.name, side.letter, side.shape, side.id, _points(side.zone), side.edge)
        for side in setup.side
    }
    units: dict[str, Unit] = {}
    found = [unit for side in setup.side if side.force for unit in muster(side.id, side.force)]
    for number, row in enumerate(setup.unit, len(found) + 1):
        found.append(_unit(number, _listed(number, row, roster), profile, figure_profile))
    for number, listed in enumerate(found, 1):
        unit = replace(listed, number=number)
        if unit.side not in sides:
            raise RulesetError(f"{unit.name} belongs to side {unit.side!r}, which the setup does not have")
        if unit.id in units:
            raise RulesetError(f"two units have the id {unit.id!r}")
        units[unit.id] = unit
    table = Table(
        inches(setup.table.width),
        inches(setup.table.height),
        tuple(_terrain(t, palette) for t in setup.terrain),
        min(max(setup.table.added, 0), len(setup.terrain)),
    )
    turn = setup.turn or SetupTurn()
    state = State(
        edition=setup.edition,
        title=setup.name,
        options=options,
        table=table,
        sides=sides,
        units=units,
        objectives={o.id: Objective(o.id, o.name, _point(o.at), inches(o.radius), o.held_by) for o in setup.objective},
        victory=dict(setup.victory),
        turn=Turn(turn.number, turn.phase, turn.first, turn.active),
        book=dict(setup.book),
        result=None if setup.result is None else Result(setup.result.winner, setup.result.reason, setup.result.rule),
    )
    check(state)
    return state


def _listed(number: int, row: dict[str, Any], roster: Roster) -> dict[str, Any]:
    """The row of a unit with its figures listed, if they are counted."""
    if not isinstance(row.get("figures"), int):
        return row
    try:
        unit = msgspec.convert(row, SetupCount)
    except msgspec.ValidationError as error:
        raise RulesetError(f"unit {row.get('name', number)}: {error}") from error
    count = unit.figures
    if not 0 < count <= _MOST_FIGURES:
        raise RulesetError(f"{unit.name} has {count} figures; a unit has 1 to {_MOST_FIGURES}")
    if unit.at and len(unit.at) != count:
        raise RulesetError(f"{unit.name} has {count} figures and {len(unit.at)} places")
    own = {key: value for key, value in row.items() if key in _UNIT_FIELDS}
    other = {key: value for key, value in row.items() if key not in _UNIT_FIELDS | {"at"}}
    figures, other = roster(unit.name, count, other)
    for i, figure in enumerate(figures):
        figure["id"] = str(i + 1)
        if unit.at:
            figure["at"] = unit.at[i]
    return {**own, **other, "figures": figures}


def _unit(number: int, row: dict[str, Any], profile: Profile, figure_profile: FigureProfile) -> Unit:
    try:
        unit = msgspec.convert(row, SetupUnit)
    except msgspec.ValidationError as error:
        raise RulesetError(f"unit {row.get('name', number)}: {error}") from error
    if not 0 < len(unit.figures) <= _MOST_FIGURES:
        raise RulesetError(f"{unit.name} has {len(unit.figures)} figures; a unit has 1 to {_MOST_FIGURES}")
    radius = inches(unit.base) // 2
    figures = dict(_figure(unit.name, figure, radius, figure_profile) for figure in unit.figures)
    if len(figures) < len(unit.figures):
        raise RulesetError(f"{unit.name}: two figures have the same id")
    other = {key: value for key, value in row.items() if key not in _UNIT_FIELDS}
    return Unit(
        id=unit.id,
        side=unit.side,
        name=unit.name,
        number=number,
        profile=profile(unit.name, other, tuple(f.role for f in figures.values() if f.role)),
        figures=figures,
        conditions=tuple(sorted(unit.conditions)),
        activated=unit.activated,
        left=unit.left,
        mounts={key: _mount(mount) for key, mount in unit.mounts.items()},
        seats=unit.seats,
        aboard=unit.aboard,
    )


def _figure(name: str, row: dict[str, Any], radius: int, profile: FigureProfile) -> tuple[str, Figure]:
    try:
        figure = msgspec.convert(row, SetupFigure)
    except msgspec.ValidationError as error:
        raise RulesetError(f"{name}, figure {row.get('id', '?')}: {error}") from error
    hull = None if figure.hull is None else Hull(inches(figure.hull[0]), inches(figure.hull[1]))
    return figure.id, Figure(
        at=None if figure.at is None else _point(figure.at),
        radius=radius if hull is None else hull.width // 2,
        role=figure.role,
        fallen=figure.fallen,
        conditions=tuple(sorted(figure.conditions)),
        profile=profile(name, {key: value for key, value in row.items() if key not in _FIGURE_FIELDS}),
        hull=hull,
        facing=round(figure.facing * 100) % FULL_TURN,
    )


def _mount(mount: SetupMount) -> Mount:
    return Mount(mount.weapon, round(mount.middle * 100), round(mount.spread * 100), mount.lost)


def _terrain(piece: SetupTerrain, palette: Palette) -> Terrain:
    kind = palette(piece.kind)
    return Terrain(
        id=piece.id,
        name=piece.name or kind.name,
        kind=piece.kind,
        outline=_points(piece.outline),
        linear=kind.linear if piece.linear is None else piece.linear,
        cover=kind.cover if piece.cover is None else piece.cover,
        flags=kind.flags if piece.flags is None else piece.flags,
        sight=kind.sight if piece.sight is None else piece.sight,
        sight_depth=kind.sight_depth if piece.sight_depth is None else inches(piece.sight_depth),
    )


def write(state: State) -> dict[str, object]:
    """`state` as a setup, every figure listed. Reading it back gives the same state, apart from the desk and from what is under
    way: an activation that has begun counts as over, and sealed answers are left out.
    """
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
        "book": dict(state.book),
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
            }
            for side in state.sides.values()
        ],
        "unit": [_written(unit) for unit in state.units.values()],
        "objective": [
            {"id": o.id, "name": o.name, "at": _place(o.at), "radius": _inches(o.radius), "held_by": o.held_by}
            for o in state.objectives.values()
        ],
    }
    if state.result is not None:
        result = state.result
        written["result"] = {"winner": result.winner, "reason": result.reason, "rule": result.rule}
    return written


def _table(table: Table) -> dict[str, object]:
    size: dict[str, object] = {"width": _inches(table.width), "height": _inches(table.height)}
    return {**size, "added": table.added} if table.added else size


def _written(unit: Unit) -> dict[str, object]:
    radius = next(iter(unit.figures.values())).radius
    figures: list[dict[str, object]] = []
    for key, figure in unit.figures.items():
        row: dict[str, object] = {"id": key, "role": figure.role, "fallen": figure.fallen, **figure.profile}
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
    return {
        "id": unit.id,
        "side": unit.side,
        "name": unit.name,
        **unit.profile,
        "base": _inches(2 * radius),
        "figures": figures,
        "conditions": list(unit.conditions),
        "activated": unit.activated,
        "left": unit.left,
        **carrying,
    }


def dump(setup: Mapping[str, object]) -> str:
    """A setup as readable JSON: short lists on one line."""
    lines = json.dumps(setup, indent=1)
    return lines + "\n"


def _point(at: Place) -> Point:
    return (inches(at[0]), inches(at[1]))


def _points(places: tuple[Place, ...]) -> tuple[Point, ...]:
    return tuple(_point(at) for at in places)


def _place(at: Point) -> list[float]:
    return [_inches(at[0]), _inches(at[1])]


def _inches(mil: int) -> float:
    return mil / 1000
