"""Setups: a whole position as one readable file, TOML or JSON (docs/setups.md), as FEN is for chess.

Reading knows the schema and leaves the meaning of characteristics to the rule set; writing is the inverse of reading.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import msgspec
from msgspec import UNSET, Struct
from msgspec.structs import replace

from server.kernel.attaching import join
from server.kernel.errors import RulesetError
from server.kernel.files.bounds import BASES, FIGURES, HULLS, OPENINGS, Bounds, count, count_pieces, count_units
from server.kernel.files.buildings import Opening, parts
from server.kernel.files.check import check, check_attached
from server.kernel.files.misfits import misfit
from server.kernel.files.schema import (
    FORMAT,
    Setup,
    SetupAsset,
    SetupCount,
    SetupFigure,
    SetupMount,
    SetupNote,
    SetupOpening,
    SetupSide,
    SetupTerrain,
    SetupTurn,
    SetupUnit,
)
from server.kernel.files.text import parse
from server.kernel.files.writing import dump, unit_row, write
from server.kernel.notes import Note
from server.kernel.space.geometry import FULL_TURN, Outline
from server.kernel.space.terrain import Sight, Terrain
from server.kernel.space.values import Hull
from server.kernel.state import Asset, Figure, Mount, Objective, Result, Side, State, Table, Turn, Unit
from server.kernel.traits import Trait, checked, kept


class Kind(Struct, frozen=True):
    """What a kind of terrain does by default, from a rule set's palette. `sight_depth` in mil. `walls` is the kind of the walls
    of a building; a kind that is an `opening` is put into them.
    """

    name: str
    cover: str
    flags: tuple[str, ...]
    sight: Sight
    sight_depth: int
    linear: bool
    walls: str = ""
    opening: bool = False

    def piece(self, key: str, kind: str, outline: Outline, name: str = "") -> Terrain:
        """Return a piece of this kind with that id, called `name` or else as the kind is."""
        return Terrain(
            key, name or self.name, kind, outline, self.linear, self.cover, self.flags, self.sight, self.sight_depth
        )


__all__ = ["FORMAT", "Setup", "SetupUnit", "convert", "dump", "parse", "read", "unit_row", "write"]
"""What is defined here, and what others need of a setup's schema, its text, and its writing."""

Palette = Callable[[str], Kind]
"""A kind's entry. Raises `RulesetError` for a kind it does not have."""
Profile = Callable[[str, Mapping[str, object], tuple[str, ...]], dict[str, Note]]
"""Checks a unit's characteristics and its figures' roles (unit name, the setup's other fields, roles) and gives its profile."""
FigureProfile = Callable[[str, Mapping[str, object]], dict[str, Note]]
"""Checks a figure's characteristics (unit name, the setup's other fields) and gives its profile."""
AssetProfile = Callable[[str, Mapping[str, object]], dict[str, Note]]
"""Checks the characteristics of what a side has off the table (its name, the setup's other fields) and gives its profile."""
Roster = Callable[[str, int, Mapping[str, object]], tuple[list[dict[str, object]], dict[str, object]]]
"""Lists the figures of a unit that a setup only counts (unit name, their number, the setup's other fields): returns each
figure's own fields, as a list would have them, and the other fields without those that described figures. Raises
`RulesetError`.
"""
Muster = Callable[[str, str], list[Unit]]
"""The units of a ready force for a side (side, force). Raises `RulesetError`."""

NO_TRAITS: Mapping[str, Trait] = {}

_UNIT_FIELDS = set(SetupUnit.__struct_fields__)
_ASSET_FIELDS = set(SetupAsset.__struct_fields__)
_FIGURE_FIELDS = set(SetupFigure.__struct_fields__)


class _Rows(Struct, frozen=True):
    """What the rows of units and figures are read with."""

    bounds: Bounds
    profile: Profile
    figure_profile: FigureProfile
    traits: Mapping[str, Trait]


def no_profile(name: str, other: Mapping[str, object]) -> dict[str, Note]:
    """Refuse characteristics, for rule sets whose figures have none of their own. Raises `RulesetError`."""
    if other:
        raise RulesetError(f"{name}: a figure has unknown fields: {', '.join(sorted(other))}")
    return {}


def no_assets(name: str, _other: Mapping[str, object]) -> dict[str, Note]:
    """Refuse what sides have off the table, for rule sets without it. Raises `RulesetError`."""
    raise RulesetError(f"{name}: in this edition sides have no assets off the table")


def plain_roster(
    _name: str, count: int, other: Mapping[str, object]
) -> tuple[list[dict[str, object]], dict[str, object]]:
    """Return `count` figures without fields of their own, for rule sets whose figures are alike unless they are listed."""
    return [{} for _ in range(count)], dict(other)


def no_muster(side: str, force: str) -> list[Unit]:
    """Refuse a ready force, for rule sets without them. Raises `RulesetError`."""
    raise RulesetError(f"side {side!r} is to play the force {force!r}; this edition has no ready forces")


def convert(mapping: Mapping[str, object]) -> Setup:
    """Return the setup in `mapping`, its fields checked. Raises `RulesetError`."""
    try:
        setup = msgspec.convert(mapping, Setup)
    except msgspec.ValidationError as error:
        raise RulesetError(f"the setup does not fit its schema: {misfit(error)}") from error
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
    traits: Mapping[str, Trait] = NO_TRAITS,
    asset_profile: AssetProfile = no_assets,
) -> State:
    """Return the state that `setup` describes, with `options` settled. `traits` are those of the edition, by id. A missing phase
    is left to the rule set. Raises `RulesetError`.
    """
    count(setup)
    rows = _Rows(Bounds(setup.table.width, setup.table.height), profile, figure_profile, traits)
    bounds = rows.bounds
    sides = {
        side.id: Side(
            side.id,
            side.name,
            side.letter,
            side.shape,
            side.id,
            bounds.points(side.name, side.zone),
            side.edge,
            _assets(side, asset_profile) if side.assets else UNSET,
        )
        for side in setup.side
    }
    units: dict[str, Unit] = {}
    found = [unit for side in setup.side if side.force for unit in muster(side.id, side.force)]
    for number, row in enumerate(setup.unit, len(found) + 1):
        found.append(_unit(number, _listed(number, row, roster), rows))
    count_units(found)
    for number, listed in enumerate(found, 1):
        unit = replace(listed, number=number)
        if unit.side not in sides:
            raise RulesetError(f"{unit.name} belongs to side {unit.side!r}, which the setup does not have")
        if unit.id in units:
            raise RulesetError(f"two units have the id {unit.id!r}")
        units[unit.id] = unit
    terrain = tuple(part for row in setup.terrain for part in _pieces(row, bounds, palette))
    count_pieces(terrain)
    table = Table(
        bounds.length("the table's width", setup.table.width),
        bounds.length("the table's height", setup.table.height),
        terrain,
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
        objectives={
            o.id: Objective(o.id, o.name, bounds.point(o.name, o.at), bounds.length(o.name, o.radius), o.held_by)
            for o in setup.objective
        },
        victory=dict(setup.victory),
        turn=Turn(turn.number, turn.phase, turn.first, turn.active),
        book={key: _note(value) for key, value in setup.book.items()},
        result=None if setup.result is None else Result(setup.result.winner, setup.result.reason, setup.result.rule),
    )
    check_attached(state)
    for unit in state.units.values():
        if unit.attached:
            state = join(state, unit.id, unit.attached)
    check(state)
    return state


def _assets(side: SetupSide, profile: AssetProfile) -> dict[str, Asset]:
    """Return what a side has off the table, by id."""
    found: dict[str, Asset] = {}
    for number, row in enumerate(side.assets, 1):
        try:
            asset = msgspec.convert(row, SetupAsset)
        except msgspec.ValidationError as error:
            raise RulesetError(f"{side.name}, asset {row.get('name', number)}: {misfit(error)}") from error
        if asset.id in found:
            raise RulesetError(f"two assets of {side.name} have the id {asset.id!r}")
        other = {key: value for key, value in row.items() if key not in _ASSET_FIELDS}
        found[asset.id] = Asset(asset.id, asset.name, profile(asset.name, other))
    return found


def _listed(number: int, row: dict[str, Any], roster: Roster) -> dict[str, Any]:
    """Return the row of a unit with its figures listed, if they are counted."""
    if not isinstance(row.get("figures"), int):
        return row
    try:
        unit = msgspec.convert(row, SetupCount)
    except msgspec.ValidationError as error:
        raise RulesetError(f"unit {row.get('name', number)}: {misfit(error)}") from error
    count = unit.figures
    if not 0 < count <= FIGURES:
        raise RulesetError(f"{unit.name} has {count} figures; a unit has 1 to {FIGURES}")
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


def _note(value: SetupNote) -> Note:
    """Return a note of the book as the state holds it."""
    if isinstance(value, list):
        return tuple(tuple(item) if isinstance(item, list) else item for item in value)
    return value


def _unit(number: int, row: dict[str, Any], rows: _Rows) -> Unit:
    bounds = rows.bounds
    try:
        unit = msgspec.convert(row, SetupUnit)
    except msgspec.ValidationError as error:
        raise RulesetError(f"unit {row.get('name', number)}: {misfit(error)}") from error
    if not 0 < len(unit.figures) <= FIGURES:
        raise RulesetError(f"{unit.name} has {len(unit.figures)} figures; a unit has 1 to {FIGURES}")
    radius = bounds.length(f"the bases of {unit.name}", unit.base, *BASES) // 2
    figures = dict(_figure(unit.name, figure, radius, rows) for figure in unit.figures)
    if len(figures) < len(unit.figures):
        raise RulesetError(f"{unit.name}: two figures have the same id")
    other = {key: value for key, value in row.items() if key not in _UNIT_FIELDS}
    traits, other = checked(unit.name, "unit", rows.traits, other)
    return Unit(
        id=unit.id,
        side=unit.side,
        name=unit.name,
        number=number,
        profile=rows.profile(unit.name, other, tuple(f.role for f in figures.values() if f.role)),
        figures=figures,
        conditions=tuple(sorted(unit.conditions)),
        activated=unit.activated,
        left=unit.left,
        mounts={key: _mount(unit.name, mount, bounds) for key, mount in unit.mounts.items()},
        seats=unit.seats,
        aboard=unit.aboard,
        traits=kept(traits),
        attached=unit.attached or UNSET,
    )


def _figure(name: str, row: dict[str, Any], radius: int, rows: _Rows) -> tuple[str, Figure]:
    bounds = rows.bounds
    try:
        figure = msgspec.convert(row, SetupFigure)
    except msgspec.ValidationError as error:
        raise RulesetError(f"{name}, figure {row.get('id', '?')}: {misfit(error)}") from error
    hull = None
    if figure.hull is not None:
        hull = Hull(*(bounds.length(f"the hull of {name}", side, *HULLS) for side in figure.hull))
    other = {key: value for key, value in row.items() if key not in _FIGURE_FIELDS}
    traits, other = checked(f"{name}, figure {figure.id}", "figure", rows.traits, other)
    return figure.id, Figure(
        at=None if figure.at is None else bounds.point(name, figure.at),
        radius=radius if hull is None else hull.width // 2,
        role=figure.role,
        fallen=figure.fallen,
        conditions=tuple(sorted(figure.conditions)),
        profile=rows.figure_profile(name, other),
        hull=hull,
        facing=bounds.angle(name, figure.facing) % FULL_TURN,
        traits=kept(traits),
    )


def _mount(name: str, mount: SetupMount, bounds: Bounds) -> Mount:
    middle, spread = bounds.angle(name, mount.middle), bounds.angle(name, mount.spread)
    if not 0 <= spread <= FULL_TURN // 2:
        raise RulesetError(f"{name}: a weapon bears on 0 to 180 degrees to either side, not on {mount.spread:g}")
    return Mount(mount.weapon, middle % FULL_TURN, spread, mount.lost)


def _pieces(row: SetupTerrain, bounds: Bounds, palette: Palette) -> list[Terrain]:
    """Return a piece of terrain, and behind it the walls and openings if it is a building. Raises `RulesetError`."""
    piece = _terrain(row, bounds, palette)
    if not row.openings:
        return [piece]
    walls = palette(row.kind).walls
    if not walls:
        raise RulesetError(f"{piece.name} has openings, and terrain of the kind {row.kind!r} has no walls")
    looks = {one.kind: _plain(one.kind, palette) for one in row.openings}
    for one in row.openings:
        if not palette(one.kind).opening:
            raise RulesetError(f"{piece.name}: {one.kind!r} is no opening of a building")
    openings = [
        Opening(one.kind, one.name or looks[one.kind].name, bounds.point(piece.name, one.at), _wide(piece, one, bounds))
        for one in row.openings
    ]
    return [piece, *parts(piece, _plain(walls, palette), openings, looks)]


def _wide(piece: Terrain, opening: SetupOpening, bounds: Bounds) -> int:
    return bounds.length(f"an opening of {piece.name}", opening.width, *OPENINGS)


def _plain(kind: str, palette: Palette) -> Terrain:
    """Return a piece of a kind that is nowhere."""
    return palette(kind).piece(kind, kind, ())


def _terrain(piece: SetupTerrain, bounds: Bounds, palette: Palette) -> Terrain:
    kind = palette(piece.kind)
    name = piece.name or kind.name
    return Terrain(
        id=piece.id,
        name=name,
        kind=piece.kind,
        outline=bounds.points(name, piece.outline),
        linear=kind.linear if piece.linear is None else piece.linear,
        cover=kind.cover if piece.cover is None else piece.cover,
        flags=kind.flags if piece.flags is None else piece.flags,
        sight=kind.sight if piece.sight is None else piece.sight,
        sight_depth=kind.sight_depth if piece.sight_depth is None else bounds.length(name, piece.sight_depth),
    )
