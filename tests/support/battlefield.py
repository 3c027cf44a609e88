"""The words that rules tests are written in: squads on a table, scripted dice, answers, what followed.

    table = play(battle(unit("blue", at=(10, 10)), unit("red", at=(10, 23))))
    table.activates("blue-1").opens_fire_at("red-1", dice=[4, 2, 3, 1, 6])
    assert lines(table.fire_effect) == [("fire.effect-roll", 4), ("action.open-fire", 2), ...]

Places and lengths are inches, as in a rulebook; bases are an inch wide. Each answer brings the dice that it makes fall: too
few of them, or dice left over, is an error, and so is an answer that is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Self

from client_protocol.choices import PathsDeclared
from client_protocol.explained import Explained
from server.kernel.state import State
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.library import edition
from tests.support import tabletop
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

__all__ = ["degrees", "figures", "lines", "paths", "shifted"]

APART = 2.5
"""Inches from one figure's centre to the next in a line: a gap of 1.5", so that no figures are bunched up."""


def fad4() -> FadRuleset:
    """Return the edition's rules, loaded once."""
    return fad("fad4")


def fad(name: str) -> FadRuleset:
    """Return the rules of an edition of the family, loaded once."""
    rules = edition(name)
    assert isinstance(rules, FadRuleset)
    return rules


# --- setting up -----------------------------------------------------------------------------------------------------


def line(at: Place, figures: int, apart: float = APART) -> list[Place]:
    """Return places in a line to the right of `at`, `apart` inches from centre to centre."""
    return tabletop.line(at, figures, apart)


def unit(
    side: str,
    at: Place | Sequence[Place] | None,
    *,
    figures: int = 6,
    id: str = "",  # noqa: A002  # the setup's own word
    quality: str = "regular",
    resolve: str = "determined",
    small_arm: str = "assault-rifle",
    armour: str = "light",
    support: Sequence[str] = (),
    leader: bool = False,
    lost: int = 0,
    apart: float = APART,
    **other: object,
) -> Row:
    """Return a unit as a setup has it, called "blue-1" and so on unless it has an `id`.

    If `at` is one place, the first figure stands there and the others in line to the right; with None the unit is not on the
    table. `support` are the first figures' weapons (after the `leader`), and `lost` is how many of the last ones have fallen.
    `other` are further fields of the setup: conditions, activated, non_combatant ...
    """
    where = places(at, figures, apart)
    roles = ["leader"] * leader + list(support)
    roles += [""] * (len(where) - len(roles))
    rows: list[Row] = []
    for number, (place, role) in enumerate(zip(where, roles, strict=True), 1):
        fallen = number > len(where) - lost
        rows.append({"id": str(number), "role": role, "fallen": fallen} | ({} if place is None else {"at": place}))
    own: Row = {"quality": quality, "resolve": resolve, "small_arm": small_arm, "armour": armour}
    return {"id": id, "side": side, "name": "", "figures": rows, **own, **other}


def vehicle(
    side: str,
    at: Place | None,
    *,
    facing: float = 90,
    id: str = "",  # noqa: A002  # the setup's own word
    quality: str = "regular",
    resolve: str = "steady",
    mobility: str = "track",
    armour: tuple[int, int, int] = (6, 4, 3),
    weapons: Sequence[str] | Mapping[str, Mapping[str, object]] = ("light-auto-cannon",),
    hull: Place = (4, 2),
    seats: int = 0,
    **other: object,
) -> Row:
    """Return a vehicle as a setup has it, called "blue-1" and so on unless it has an `id`.

    `at` is its centre and `facing` its direction in degrees (90: north). `armour` are the ratings of front, side and rear, and
    `weapons` its mounts, which bear all round unless they say otherwise. `other` are further fields of the setup: conditions,
    damage_tokens ...
    """
    figure: Row = {"id": "1", "hull": hull, "facing": facing} | ({} if at is None else {"at": at})
    mounts = weapons if isinstance(weapons, Mapping) else {f"m{n}": {"weapon": w} for n, w in enumerate(weapons, 1)}
    front, flank, rear = armour
    ratings: Row = {"armour_front": front, "armour_side": flank, "armour_rear": rear}
    profile: Row = {"quality": quality, "resolve": resolve, "mobility": mobility}
    own: Row = {"id": id, "side": side, "name": "", "figures": [figure], "mounts": dict(mounts), "seats": seats}
    return {**own, **profile, **ratings, **other}


def driven(*points: Place, facing: float | None = None) -> PathsDeclared:
    """Return the way of a vehicle's hull through these points, and its direction at the end in degrees (none: as it drove)."""
    path = tuple((round(1000 * x), round(1000 * y)) for x, y in points)
    return PathsDeclared({"1": path} if path else {}, None if facing is None else round(100 * facing))


def piece(kind: str, *outline: Place, id: str = "", **other: object) -> Row:  # noqa: A002  # the setup's own word
    """Return a piece of terrain with the corners `outline` (for a wall or hedge: its points); two corners of an area span a
    box.
    """
    palette = fad("fad5").book.palette | fad4().book.palette
    return outlined(kind, outline, id, linear=palette[kind].linear, **other)


def battle(
    *units: Row,
    terrain: Sequence[Row] = (),
    options: Mapping[str, object] | None = None,
    objectives: Sequence[Row] = (),
    victory: Mapping[str, object] | None = None,
    turn: int = 1,
    phase: str = "activations",
    first: str = "blue",
    active: str = "blue",
    size: tuple[float, float] = (48, 48),
    rules: FadRuleset | None = None,
    assets: Mapping[str, Sequence[Row]] | None = None,
) -> State:
    """Return a state in the middle of a battle, by default in turn 1, in which blue went first and is to activate.

    Blue's edge is the south, red's the north. `rules`, if given, are another edition's than FAD 4's. `assets` are what sides have
    off the table.
    """
    played = rules or fad4()
    position = setup(
        played.info.id,
        units,
        size,
        12,
        terrain=list(terrain),
        options=dict(options or {}),
        objective=list(objectives),
        victory=dict(victory or {}),
        turn={"number": turn, "phase": phase, "first": first, "active": active},
    )
    for side in position["side"]:  # type: ignore[attr-defined]  # the rows of sides
        if side["id"] in (assets or {}):
            side["assets"] = list((assets or {})[side["id"]])
    return played.read(position)


def facing(
    apart: float,
    *,
    blue: Mapping[str, object] | None = None,
    red: Mapping[str, object] | None = None,
    terrain: Sequence[Row] = (),
    options: Mapping[str, object] | None = None,
    others: Iterable[Row] = (),
    rules: FadRuleset | None = None,
) -> State:
    """Return two lines that face each other, `apart` inches from base edge to base edge; blue's first figure stands at (6,
    6), red's opposite.

    The fields in `blue` and `red` go to `unit`; `others` are further units.
    """
    return battle(
        unit("blue", (6, 6), **(blue or {})),  # type: ignore[arg-type]  # as `unit` takes it
        unit("red", (6, 7 + apart), **(red or {})),  # type: ignore[arg-type]  # as `unit` takes it
        *others,
        terrain=terrain,
        options=options,
        size=(48, 72),
        rules=rules,
    )


# --- playing -------------------------------------------------------------------------------------------------------


class BattleTable(PlayedTable):
    """A battle of FAD under way."""

    @property
    def fire_effect(self) -> Explained:
        """The Fire Effect of the last shot."""
        return self.rolled("fire_effect").numbers[0]

    def holds(self, dice: Sequence[int] = ()) -> Self:
        """Let the active unit do nothing."""
        return self.answers("hold", dice=dice)

    def opens_fire_at(self, target: str, dice: Sequence[int]) -> Self:
        """Let the active unit stay and shoot."""
        return self.answers("open-fire", target, dice=dice)

    def fires_at(self, target: str, dice: Sequence[int]) -> Self:
        """Let the active unit shoot first and stay where it is."""
        return self.answers("fire-move", target, dice=dice).answers("stay")

    def moves(self, dx: float, dy: float) -> Self:
        """Move all figures of the active unit straight by (dx, dy) inches; a shot may follow."""
        return self.answers("move-fire", shifted(self.state, self.state.turn.unit, dx, dy))

    def rushes(self, dx: float, dy: float) -> Self:
        """Let all figures of the active unit rush straight by (dx, dy) inches."""
        return self.answers("move-out", shifted(self.state, self.state.turn.unit, dx, dy))


def play(state: State, dice: Sequence[int] = ()) -> BattleTable:
    """Play on from `state` by its edition's rules; `dice` fall before the first prompt."""
    return BattleTable(fad(state.edition), state, dice)
