"""The words that rules tests are written in: squads on a table, scripted dice, answers, what followed.

    table = play(battle(unit("blue", at=(10, 10)), unit("red", at=(10, 23))))
    table.activates("blue-1").opens_fire_at("red-1", dice=[4, 2, 3, 1, 6])
    assert lines(table.fire_effect) == [("fire.effect-roll", 4), ("action.open-fire", 2), ...]

Places and lengths are inches, as in a rulebook; bases are an inch wide. Each answer brings the dice that it makes fall: too
few of them, or dice left over, is an error, and so is an answer that is refused.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Self, TypeVar

from client_protocol.choices import (
    Choice,
    DirectionTaken,
    FiguresPicked,
    PathParameter,
    PathsDeclared,
    Picked,
    UnitNamed,
    UnitParameter,
    Value,
    Why,
)
from client_protocol.explained import Explained
from server.kernel.belief import believed
from server.kernel.dice import ScriptedDice
from server.kernel.facts import Fact, Rolled
from server.kernel.geometry import inches
from server.kernel.procedure import Run
from server.kernel.prompts import Asked, Refusal, check
from server.kernel.setups import FORMAT
from server.kernel.state import State, Unit
from server.opponents.simulation import RandomDice
from server.rulesets.fad.ruleset import FadRuleset
from server.rulesets.library import edition

Place = tuple[float, float]
Row = dict[str, object]
F = TypeVar("F", bound=Fact)

APART = 2.5
"""Inches from one figure's centre to the next in a line: a gap of 1.5", so that nobody is bunched up."""


def fad4() -> FadRuleset:
    """The edition's rules, loaded once."""
    rules = edition("fad4")
    assert isinstance(rules, FadRuleset)
    return rules


# --- setting up -----------------------------------------------------------------------------------------------------


def line(at: Place, figures: int, apart: float = APART) -> list[Place]:
    """Places in a line to the right of `at`, `apart` from centre to centre."""
    return [(at[0] + i * apart, at[1]) for i in range(figures)]


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
    """A unit as a setup has it, called "blue-1" and so on unless it has an `id`. One place `at` is where its first figure
    stands, the others in line to the right; None: not on the table. `support` are the first figures' weapons (after the
    `leader`), `lost` how many of the last ones have fallen. `other`: conditions, activated, non_combatant ...
    """
    places: list[Place | None]
    if at is None:
        places = [None] * figures
    elif isinstance(at[0], int | float):
        places = list(line((float(at[0]), float(at[1])), figures, apart))  # type: ignore[arg-type]  # one place
    else:
        places = list(at)  # type: ignore[arg-type]  # a place for each
    roles = ["leader"] * leader + list(support)
    roles += [""] * (len(places) - len(roles))
    rows: list[Row] = []
    for number, (place, role) in enumerate(zip(places, roles, strict=True), 1):
        fallen = number > len(places) - lost
        rows.append({"id": str(number), "role": role, "fallen": fallen} | ({} if place is None else {"at": place}))
    own: Row = {"quality": quality, "resolve": resolve, "small_arm": small_arm, "armour": armour}
    return {"id": id, "side": side, "name": "", "figures": rows, **own, **other}


def piece(kind: str, *outline: Place, id: str = "", **other: object) -> Row:  # noqa: A002  # the setup's own word
    """A piece of terrain with the corners `outline` (for a wall or hedge: its points); two corners of an area span a box."""
    corners = list(outline)
    if len(corners) == 2 and not fad4().book.palette[kind].linear:
        (left, bottom), (right, top) = corners
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    return {"id": id or kind, "kind": kind, "outline": corners, **other}


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
) -> State:
    """A state in the middle of a battle: turn 1, blue went first and is to activate, unless said otherwise. Blue's edge is
    the south, red's the north.
    """
    width, height = size
    rows: list[Row] = []
    for row in units:
        count = sum(other["side"] == row["side"] for other in rows) + 1
        name = str(row["id"]) or f"{row['side']}-{count}"
        rows.append({**row, "id": name, "name": name.replace("-", " ").title()})
    setup: Row = {
        "format": FORMAT,
        "edition": "fad4",
        "id": "test",
        "name": "A test",
        "table": {"width": width, "height": height},
        "side": [
            _side("blue", "south", [(0, 0), (width, 0), (width, 12), (0, 12)]),
            _side("red", "north", [(0, height - 12), (width, height - 12), (width, height), (0, height)]),
        ],
        "unit": rows,
        "terrain": list(terrain),
        "options": dict(options or {}),
        "objective": list(objectives),
        "victory": dict(victory or {}),
        "turn": {"number": turn, "phase": phase, "first": first, "active": active},
    }
    return fad4().read(setup)


def _side(side: str, edge: str, zone: list[Place]) -> Row:
    letter, shape = {"blue": ("B", "circle"), "red": ("R", "square")}[side]
    return {"id": side, "name": side.title(), "letter": letter, "shape": shape, "edge": edge, "zone": zone}


def facing(
    apart: float,
    *,
    blue: Mapping[str, object] | None = None,
    red: Mapping[str, object] | None = None,
    terrain: Sequence[Row] = (),
    options: Mapping[str, object] | None = None,
    others: Iterable[Row] = (),
) -> State:
    """Two lines that face each other, `apart` inches from base edge to base edge; blue's first figure stands at (6, 6), red's
    opposite. What is said of `blue` and `red` goes to `unit`; `others` are further units.
    """
    return battle(
        unit("blue", (6, 6), **(blue or {})),  # type: ignore[arg-type]  # as `unit` takes it
        unit("red", (6, 7 + apart), **(red or {})),  # type: ignore[arg-type]  # as `unit` takes it
        *others,
        terrain=terrain,
        options=options,
        size=(48, 72),
    )


# --- values ---------------------------------------------------------------------------------------------------------


def shifted(state: State, unit_id: str, dx: float, dy: float, only: Iterable[str] | None = None) -> PathsDeclared:
    """All living figures of a unit, or `only` some, moved straight by (dx, dy) inches."""
    wanted = None if only is None else set(only)
    return PathsDeclared(
        {
            key: ((figure.at[0] + inches(dx), figure.at[1] + inches(dy)),)
            for key, figure in state.units[unit_id].living.items()
            if figure.at is not None and (wanted is None or key in wanted)
        }
    )


def paths(**ways: Sequence[Place]) -> PathsDeclared:
    """Paths by figure, written _1=[(x, y), ...]."""
    return PathsDeclared(
        {key.removeprefix("_"): tuple((inches(x), inches(y)) for x, y in way) for key, way in ways.items()}
    )


def figures(*picked: str) -> FiguresPicked:
    """Figures, by their ids."""
    return FiguresPicked(picked)


def degrees(angle: float) -> DirectionTaken:
    """A direction: 0 is to the right, 90 away from the south edge."""
    return DirectionTaken(round(angle * 100))


# --- reading --------------------------------------------------------------------------------------------------------


def lines(number: Explained) -> list[tuple[str, int]]:
    """The lines of a number, as (rule, amount)."""
    return [(entry.rule, entry.amount) for entry in number.lines]


# --- playing --------------------------------------------------------------------------------------------------------


class BattleTable:
    """A battle under way: what is asked, what is answered, and every fact since it began."""

    def __init__(self, state: State, dice: Sequence[int] = ()) -> None:
        scripted = ScriptedDice(dice)
        self._chance: RandomDice | None = None
        self._run = Run(fad4(), state, scripted)
        self.facts: list[Fact] = list(self._run.begin().facts)
        scripted.finish()

    # what one sees

    @property
    def state(self) -> State:
        """The state as it is now."""
        return self._run.state

    @property
    def prompts(self) -> dict[str, Asked]:
        """What is asked now, by seat."""
        return {} if self._run.asked is None else self._run.asked.seats

    @property
    def asked(self) -> str:
        """The seat that is asked now; several are an error."""
        (seat,) = self.prompts
        return seat

    @property
    def prompt(self) -> Asked:
        """What the one seat is asked now."""
        return self.prompts[self.asked]

    @property
    def offered(self) -> list[str]:
        """The keys of the choices that may be taken now, in their order."""
        return [choice.key for choice in self.prompt.choices if choice.why is None]

    def unit(self, unit_id: str) -> Unit:
        """A unit as it is now."""
        return self.state.units[unit_id]

    def choice(self, key: str) -> Choice:
        """A choice of the open prompt."""
        choice = self.prompt.choice(key)
        assert choice is not None, f"{key} is not among {[c.key for c in self.prompt.choices]}"
        return choice

    def path(self, key: str) -> PathParameter:
        """What a choice says about the way a unit may take."""
        (parameter,) = self.choice(key).parameters
        assert isinstance(parameter, PathParameter)
        return parameter

    def barred(self, key: str) -> Why | None:
        """Why a choice of the open prompt cannot be taken; None when it can."""
        return self.choice(key).why

    def targets(self, key: str) -> dict[str, str]:
        """The units a choice offers, in their order, each with the rule that forbids it ("" when it may be named)."""
        (parameter,) = self.choice(key).parameters
        assert isinstance(parameter, UnitParameter)
        return {row.unit: row.why.rule if row.why else "" for row in parameter.candidates}

    def seen(self, kind: type[F]) -> list[F]:
        """The facts of a kind so far."""
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def rolled(self, purpose: str) -> Rolled:
        """The last roll for this purpose."""
        return [fact for fact in self.seen(Rolled) if fact.purpose == purpose][-1]

    @property
    def fire_effect(self) -> Explained:
        """The Fire Effect of the last shot."""
        return self.rolled("fire_effect").numbers[0]

    # what one does

    def answers(self, choice: str, *values: Value | str, dice: Sequence[int] = (), seat: str | None = None) -> Self:
        """Answer the open prompt; a word among the values names a unit. `dice` fall before the next prompt."""
        answering = self.asked if seat is None else seat
        picked = _picked(choice, values)
        refusal = check(believed(self.state, answering), self.prompts[answering], picked)
        assert refusal is None, f"refused: {refusal}"
        return self._go_on(answering, picked, dice)

    def refused(self, choice: str, *values: Value | str, seat: str | None = None) -> Refusal:
        """Try an answer that must be refused; returns why."""
        answering = self.asked if seat is None else seat
        refusal = check(believed(self.state, answering), self.prompts[answering], _picked(choice, values))
        assert refusal is not None, f"{choice} was not refused"
        return refusal

    def defaults(self, dice: Sequence[int] = ()) -> Self:
        """Answer as the clock would."""
        return self._go_on(self.asked, self.prompt.default, dice)

    def activates(self, unit_id: str, dice: Sequence[int] = ()) -> Self:
        """Activate a unit."""
        return self.answers("activate", unit_id, dice=dice)

    def holds(self, dice: Sequence[int] = ()) -> Self:
        """The active unit does nothing."""
        return self.answers("hold", dice=dice)

    def opens_fire_at(self, target: str, dice: Sequence[int]) -> Self:
        """The active unit stays and shoots."""
        return self.answers("open-fire", target, dice=dice)

    def fires_at(self, target: str, dice: Sequence[int]) -> Self:
        """The active unit shoots first and stays where it is."""
        return self.answers("fire-move", target, dice=dice).answers("stay")

    def moves(self, dx: float, dy: float) -> Self:
        """All of the active unit moves straight by (dx, dy) inches; a shot may follow."""
        return self.answers("move-fire", shifted(self.state, self.state.turn.unit, dx, dy))

    def rushes(self, dx: float, dy: float) -> Self:
        """All of the active unit rushes straight by (dx, dy) inches."""
        return self.answers("move-out", shifted(self.state, self.state.turn.unit, dx, dy))

    def chance(self, seed: int) -> Self:
        """From here on dice come from a seed, where an answer does not script them."""
        self._chance = RandomDice(random.Random(seed))
        return self

    def _go_on(self, seat: str, picked: Picked, dice: Sequence[int]) -> Self:
        scripted = ScriptedDice(dice)
        self._run.dice = self._chance if self._chance is not None and not dice else scripted
        self.facts.extend(self._run.answer(seat, picked).facts)
        scripted.finish()
        return self


def _picked(choice: str, values: Sequence[Value | str]) -> Picked:
    return Picked(choice, tuple(UnitNamed(value) if isinstance(value, str) else value for value in values))


def play(state: State, dice: Sequence[int] = ()) -> BattleTable:
    """Play on from `state`; `dice` fall before the first prompt."""
    return BattleTable(state, dice)
