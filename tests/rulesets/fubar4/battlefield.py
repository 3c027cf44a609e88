"""The shared functions of FUBAR's tests: sections and vehicles on a table, scripted dice, answers, and the facts that follow.

    table = play(battle(unit("blue", at=(10, 10)), unit("red", at=(10, 23))))
    table.activates("blue-1", dice=[5]).answers("walk", shifted(table.state, "blue-1", 0, 4))

Bases are an inch wide; vehicles have the hulls of the edition's data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Self

from client_protocol.choices import Assigned, AssignmentParameter, PathsDeclared, StopTaken
from server.kernel.files.bounds import FIGURES
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fubar.ruleset import FubarRuleset
from server.rulesets.library import edition
from tests.support.tabletop import (
    Place,
    PlayedTable,
    Row,
    degrees,
    figures,
    lines,
    outlined,
    paths,
    places,
    setup,
    shifted,
)

__all__ = ["Row", "degrees", "figures", "lines", "paths", "shifted"]

APART = 1.5
"""Inches from one figure's centre to the next in a line: a gap of half an inch."""


@cache
def fubar4() -> FubarRuleset:
    """Return the edition's rules, loaded once."""
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
    """Return an infantry unit as a setup has it, called "blue-1" and so on unless it has an `id`.

    If `at` is one place, the first figure stands there and the others in line to the right; with None the unit is not on the
    table. `support` are the first figures' weapons. `each` overrides single figures, counted from 1 (arm, armour,
    leader="yes", level, launcher="yes", role, conditions). `lost` is how many of the last figures have fallen, and
    `suppressed` how many of the living, last ones first. `other` are further fields of the setup: conditions, activated,
    grenades="yes", aboard ...
    """
    where = places(at, figures, apart)
    alive = len(where) - lost
    rows: list[Row] = []
    for number, place in enumerate(where, 1):
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
    """Return a vehicle as a setup has it: its centre at `at`, facing `facing` degrees (90: away from the south edge). A
    weapon is its id (all round) or (id, arc).
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
    """Return a piece of terrain with the corners `outline` (for a wall or hedge: its points); two corners of an area span a
    box.
    """
    return outlined(kind, outline, id, linear=fubar4().book.palette[kind].linear, **other)


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
    """Return a state in the middle of a battle, by default in turn 1 with the initiative on blue's side.

    Blue's edge is the south, red's the north, and green's, a side that exists only if it has units, the west.
    """
    position = setup(
        "fubar4",
        units,
        size,
        8,
        terrain=list(terrain),
        options=dict(options or {}),
        objective=list(objectives),
        victory=dict(victory or {}),
        book=dict(book or {}),
        turn={"number": turn, "phase": phase, "first": active if phase == "activations" else "", "active": active},
    )
    return fubar4().read(position)


def crowd(side: str, places: Sequence[Place]) -> list[Row]:
    """Return one man on each of these places, in as few units as possible."""
    return [unit(side, places[i : i + FIGURES], id=f"crowd-{i // FIGURES + 1}") for i in range(0, len(places), FIGURES)]


def melee(*units: Row, **other: object) -> State:
    """Return a battle in which red has a unit far away that has not tried yet, so that the turn goes on while all others
    fight.
    """
    return battle(*units, unit("red", (46, 47), figures=1, id="reserve"), **other)  # type: ignore[arg-type]


# --- values ---------------------------------------------------------------------------------------------------------


def at_targets(table: BattleTable, key: str, target: str) -> Assigned:
    """Return every row of the choice `key` that can fire at `target`, with the first weapon offered for that."""
    (parameter,) = table.choice(key).parameters
    assert isinstance(parameter, AssignmentParameter)
    given: dict[str, str] = {}
    for row in parameter.rows:
        option = next((option.key for option in row.options if option.unit == target), None)
        if option is not None:
            given[row.key] = option
    return Assigned(given)


def given(**options: str) -> Assigned:
    """Return an assignment; rows are written like _1="casualty"."""
    return Assigned({row.removeprefix("_"): option for row, option in options.items()})


def drive(*way: Place, facing: float | None = None) -> PathsDeclared:
    """Return the path of a hull's centre, and its facing at the end (degrees)."""
    points = tuple((inches(x), inches(y)) for x, y in way)
    return PathsDeclared({"1": points} if points else {}, None if facing is None else round(facing * 100))


def stop(share: float) -> StopTaken:
    """Return a place on the path: 0 is its beginning, 1 its end."""
    return StopTaken(round(share * 1000))


# --- playing --------------------------------------------------------------------------------------------------------


class BattleTable(PlayedTable):
    """A battle of FUBAR under way."""

    def fires(self, target: str, *, key: str = "fire", dice: Sequence[int] = ()) -> Self:
        """Fire with every figure that can at `target`, with the first weapon offered."""
        return self.answers(key, at_targets(self, key, target), dice=dice)


def play(state: State, dice: Sequence[int] = ()) -> BattleTable:
    """Play on from `state`; `dice` fall before the first prompt."""
    return BattleTable(fubar4(), state, dice)
