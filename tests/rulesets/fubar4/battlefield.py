"""The words that FUBAR's rules tests are written in: sections and vehicles on a table, scripted dice, answers, what followed.

    table = play(battle(unit("blue", at=(10, 10)), unit("red", at=(10, 23))))
    table.activates("blue-1", dice=[5]).answers("walk", shifted(table.state, "blue-1", 0, 4))

Bases are an inch wide, vehicles as the data has their hulls.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Self

from client_protocol.choices import Assigned, AssignmentParameter, PathsDeclared, StopTaken
from server.kernel.geometry import inches
from server.kernel.setups import FORMAT
from server.kernel.state import State
from server.rulesets.fubar.ruleset import FubarRuleset
from server.rulesets.library import edition
from tests.support.tabletop import Place, PlayedTable, Row, degrees, figures, lines, paths, shifted

__all__ = ["Row", "degrees", "figures", "lines", "paths", "shifted"]

APART = 1.5
"""Inches from one figure's centre to the next in a line: a gap of half an inch."""
SIDES = {
    "blue": ("B", "circle", "south"),
    "red": ("R", "square", "north"),
    "green": ("G", "diamond", "west"),
}


@cache
def fubar4() -> FubarRuleset:
    """The edition's rules, loaded once."""
    rules = edition("fubar4")
    assert isinstance(rules, FubarRuleset)
    return rules


# --- setting up -----------------------------------------------------------------------------------------------------


def unit(
    side: str,
    at: Place | Sequence[Place] | None,
    *,
    figures: int = 6,
    id: str = "",  # noqa: A002  # the setup's own word
    level: str = "seasoned",
    arm: str = "assault-rifle",
    armour: str = "none",
    support: Sequence[str] = (),
    each: Mapping[int, Mapping[str, object]] | None = None,
    lost: int = 0,
    suppressed: int = 0,
    apart: float = APART,
    **other: object,
) -> Row:
    """An infantry unit as a setup has it, called "blue-1" and so on unless it has an `id`.

    One place `at` is where its first figure stands, the others in line to the right; None: not on the table. `support` are the
    first figures' weapons, `each` what single figures (counted from 1) have otherwise (arm, armour, leader="yes", level,
    launcher="yes", role, conditions); `lost`: how many of the last ones have fallen; `suppressed`: how many of the living,
    last ones first. `other`: conditions, activated, grenades="yes", aboard ...
    """
    places: list[Place | None]
    if at is None:
        places = [None] * figures
    elif isinstance(at[0], int | float):
        x, y = float(at[0]), float(at[1])  # type: ignore[arg-type]  # one place
        places = [(x + i * apart, y) for i in range(figures)]
    else:
        places = list(at)  # type: ignore[arg-type]  # a place for each
    alive = len(places) - lost
    rows: list[Row] = []
    for number, place in enumerate(places, 1):
        row: Row = {"id": str(number), "arm": arm, "armour": armour, "fallen": number > alive}
        if number <= len(support):
            row["role"] = support[number - 1]
        if alive - suppressed < number <= alive:
            row["conditions"] = ["suppressed"]
        rows.append(row | ({} if place is None else {"at": place}) | dict((each or {}).get(number, {})))
    return {"id": id, "side": side, "name": "", "kind": "infantry", "level": level, "figures": rows, **other}


def vehicle(
    side: str,
    at: Place | None,
    *,
    id: str = "",  # noqa: A002  # the setup's own word
    facing: float = 90,
    level: str = "seasoned",
    armour: str = "light",
    hull: str = "carrier",
    crew: int = 2,
    crew_armour: str = "none",
    seats: int = 0,
    weapons: Sequence[str | tuple[str, str]] = ("heavy-machine-gun",),
    **other: object,
) -> Row:
    """A vehicle as a setup has it: its centre at `at`, facing `facing` degrees (90: away from the south edge). A weapon is its id
    (all round) or (id, arc).
    """
    book = fubar4().book
    body = book.hulls[hull]
    mounts: Row = {}
    for number, weapon in enumerate(weapons, 1):
        name, arc = weapon if isinstance(weapon, tuple) else (weapon, "turret")
        bears = book.arcs[arc]
        mounts[f"m{number}"] = {"weapon": name, "middle": bears.middle, "spread": bears.spread}
    figure: Row = {"id": "1", "hull": (body.length, body.width), "facing": facing}
    if at is not None:
        figure["at"] = at
    return {
        "id": id,
        "side": side,
        "name": "",
        "kind": "vehicle",
        "level": level,
        "armour": armour,
        "crew": crew,
        "crew_armour": crew_armour,
        "seats": seats,
        "mounts": mounts,
        "figures": [figure],
        **other,
    }


def piece(kind: str, *outline: Place, id: str = "", **other: object) -> Row:  # noqa: A002  # the setup's own word
    """A piece of terrain with the corners `outline` (for a wall or hedge: its points); two corners of an area span a box."""
    corners = list(outline)
    if len(corners) == 2 and not fubar4().book.palette[kind].linear:
        (left, bottom), (right, top) = corners
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    return {"id": id or kind, "kind": kind, "outline": corners, **other}


def battle(
    *units: Row,
    terrain: Sequence[Row] = (),
    options: Mapping[str, object] | None = None,
    objectives: Sequence[Row] = (),
    victory: Mapping[str, object] | None = None,
    book: Mapping[str, object] | None = None,
    turn: int = 1,
    phase: str = "activations",
    active: str = "blue",
    size: tuple[float, float] = (48, 48),
) -> State:
    """A state in the middle of a battle: turn 1, blue has the initiative, unless said otherwise. Blue's edge is the south, red's
    the north, green's (a side only when it has units) the west.
    """
    width, height = size
    rows: list[Row] = []
    for row in units:
        count = sum(other["side"] == row["side"] for other in rows) + 1
        name = str(row["id"]) or f"{row['side']}-{count}"
        rows.append({**row, "id": name, "name": name.replace("-", " ").title()})
    zones: dict[str, list[Place]] = {
        "blue": [(0, 0), (width, 0), (width, 8), (0, 8)],
        "red": [(0, height - 8), (width, height - 8), (width, height), (0, height)],
        "green": [(0, 8), (8, 8), (8, height - 8), (0, height - 8)],
    }
    playing = [side for side in SIDES if side != "green" or any(row["side"] == "green" for row in rows)]
    sides: list[Row] = []
    for side in playing:
        letter, shape, edge = SIDES[side]
        zone = zones[side]
        sides.append({"id": side, "name": side.title(), "letter": letter, "shape": shape, "edge": edge, "zone": zone})
    setup: Row = {
        "format": FORMAT,
        "edition": "fubar4",
        "id": "test",
        "name": "A test",
        "table": {"width": width, "height": height},
        "side": sides,
        "unit": rows,
        "terrain": list(terrain),
        "options": dict(options or {}),
        "objective": list(objectives),
        "victory": dict(victory or {}),
        "book": dict(book or {}),
        "turn": {"number": turn, "phase": phase, "first": active if phase == "activations" else "", "active": active},
    }
    return fubar4().read(setup)


def crowd(side: str, places: Sequence[Place]) -> list[Row]:
    """A man on each of these places, in units of fifty at most."""
    return [unit(side, places[i : i + 50], id=f"crowd-{i // 50 + 1}") for i in range(0, len(places), 50)]


def melee(*units: Row, **other: object) -> State:
    """A battle in which red has somebody far away who has still to try, so that the turn goes on while all others fight."""
    return battle(*units, unit("red", (46, 47), figures=1, id="reserve"), **other)  # type: ignore[arg-type]


# --- values ---------------------------------------------------------------------------------------------------------


def at_targets(table: BattleTable, key: str, target: str) -> Assigned:
    """Every row of the choice `key` that can be pointed at `target` pointed at it, with the first weapon offered for that."""
    (parameter,) = table.choice(key).parameters
    assert isinstance(parameter, AssignmentParameter)
    given: dict[str, str] = {}
    for row in parameter.rows:
        option = next((option.key for option in row.options if option.unit == target), None)
        if option is not None:
            given[row.key] = option
    return Assigned(given)


def given(**options: str) -> Assigned:
    """An assignment, rows written _1="casualty"."""
    return Assigned({row.removeprefix("_"): option for row, option in options.items()})


def drive(*way: Place, facing: float | None = None) -> PathsDeclared:
    """The way of a hull's centre, and where it faces at the end (degrees)."""
    points = tuple((inches(x), inches(y)) for x, y in way)
    return PathsDeclared({"1": points} if points else {}, None if facing is None else round(facing * 100))


def stop(share: float) -> StopTaken:
    """A place on the way: 0 its beginning, 1 its end."""
    return StopTaken(round(share * 1000))


# --- playing --------------------------------------------------------------------------------------------------------


class BattleTable(PlayedTable):
    """A battle of FUBAR under way."""

    def fires(self, target: str, *, key: str = "fire", dice: Sequence[int] = ()) -> Self:
        """Everybody who can fires at `target`, with the first weapon offered."""
        return self.answers(key, at_targets(self, key, target), dice=dice)


def play(state: State, dice: Sequence[int] = ()) -> BattleTable:
    """Play on from `state`; `dice` fall before the first prompt."""
    return BattleTable(fubar4(), state, dice)
