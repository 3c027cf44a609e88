"""A battle under way in any edition: the prompts, the answers, and every fact since it began.

Places and lengths are inches, as in a rulebook. Each answer comes with the dice that it rolls: too few of them, or dice left
over, are an error, and so is an answer that is refused. Each family's tests add functions of their own.
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
from server.kernel.answers.check import Asked, Refusal, check
from server.kernel.belief import believed
from server.kernel.dice import ScriptedDice
from server.kernel.facts import Fact, Rolled
from server.kernel.files.setups import FORMAT
from server.kernel.procedure import Run
from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import inches
from server.kernel.state import State, Unit
from server.opponents.simulation import RandomDice

Place = tuple[float, float]
Row = dict[str, object]
F = TypeVar("F", bound=Fact)


SIDES = {
    "blue": ("B", "circle", "south"),
    "red": ("R", "square", "north"),
    "green": ("G", "diamond", "west"),
}
"""A side's letter and shape, and its edge of the table."""


# --- setting up -----------------------------------------------------------------------------------------------------


def line(at: Place, figures: int, apart: float) -> list[Place]:
    """Return places in a line to the right of `at`, `apart` inches from centre to centre."""
    return [(at[0] + i * apart, at[1]) for i in range(figures)]


def places(at: Place | Sequence[Place] | None, figures: int, apart: float) -> list[Place | None]:
    """Return where the figures of a unit stand: in line from one place, at a place for each, or not on the table."""
    if at is None:
        return [None] * figures
    if isinstance(at[0], int | float):
        return list(line((float(at[0]), float(at[1])), figures, apart))  # type: ignore[arg-type]  # one place
    return list(at)  # type: ignore[arg-type]  # a place for each


def outlined(kind: str, outline: Sequence[Place], id: str, *, linear: bool, **other: object) -> Row:  # noqa: A002
    """Return a piece of terrain as a setup has it. Two corners of a piece that is not `linear` span a box."""
    corners = list(outline)
    if len(corners) == 2 and not linear:
        (left, bottom), (right, top) = corners
        corners = [(left, bottom), (right, bottom), (right, top), (left, top)]
    return {"id": id or kind, "kind": kind, "outline": corners, **other}


def setup(edition: str, units: Sequence[Row], size: tuple[float, float], depth: float, **other: object) -> Row:
    """Return a setup of blue in the south, red in the north, and green in the west if it has units; their zones are `depth`
    inches deep.

    Units without an `id` are called "blue-1" and so on. `other` are further fields: terrain, options, turn ...
    """
    width, height = size
    rows: list[Row] = []
    for row in units:
        count = sum(known["side"] == row["side"] for known in rows) + 1
        name = str(row["id"]) or f"{row['side']}-{count}"
        rows.append({**row, "id": name, "name": name.replace("-", " ").title()})
    zones: dict[str, list[Place]] = {
        "blue": [(0, 0), (width, 0), (width, depth), (0, depth)],
        "red": [(0, height - depth), (width, height - depth), (width, height), (0, height)],
        "green": [(0, depth), (depth, depth), (depth, height - depth), (0, height - depth)],
    }
    sides = [
        {"id": side, "name": side.title(), "letter": letter, "shape": shape, "edge": edge, "zone": zones[side]}
        for side, (letter, shape, edge) in SIDES.items()
        if side != "green" or any(row["side"] == "green" for row in rows)
    ]
    table = {"width": width, "height": height}
    named = {"format": FORMAT, "edition": edition, "id": "test", "name": "A test"}
    return {**named, "table": table, "side": sides, "unit": rows, **other}


# --- values ---------------------------------------------------------------------------------------------------------


def shifted(state: State, unit_id: str, dx: float, dy: float, only: Iterable[str] | None = None) -> PathsDeclared:
    """Return the move of all living figures of a unit, or `only` some, straight by (dx, dy) inches."""
    wanted = None if only is None else set(only)
    return PathsDeclared(
        {
            key: ((figure.at[0] + inches(dx), figure.at[1] + inches(dy)),)
            for key, figure in state.units[unit_id].living.items()
            if figure.at is not None and (wanted is None or key in wanted)
        }
    )


def paths(**ways: Sequence[Place]) -> PathsDeclared:
    """Return paths by figure, written _1=[(x, y), ...]."""
    return PathsDeclared(
        {key.removeprefix("_"): tuple((inches(x), inches(y)) for x, y in way) for key, way in ways.items()}
    )


def figures(*picked: str) -> FiguresPicked:
    """Return the choice of these figures, by their ids."""
    return FiguresPicked(picked)


def degrees(angle: float) -> DirectionTaken:
    """Return a direction: 0 is to the right, 90 away from the south edge."""
    return DirectionTaken(round(angle * 100))


# --- reading --------------------------------------------------------------------------------------------------------


def lines(number: Explained) -> list[tuple[str, int]]:
    """Return the lines of a number, as (rule, amount)."""
    return [(entry.rule, entry.amount) for entry in number.lines]


# --- playing -------------------------------------------------------------------------------------------------------


class PlayedTable:
    """A battle under way: the prompts, the answers, and every fact since it began."""

    def __init__(self, rules: Ruleset, state: State, dice: Sequence[int] = ()) -> None:
        scripted = ScriptedDice(dice)
        self._chance: RandomDice | None = None
        self._run = Run(rules, state, scripted)
        self.facts: list[Fact] = list(self._run.begin().facts)
        scripted.finish()

    # reading

    @property
    def state(self) -> State:
        """The present state."""
        return self._run.state

    @property
    def prompts(self) -> Mapping[str, Asked]:
        """The open prompts, by seat."""
        return {} if self._run.asked is None else self._run.asked.seats

    @property
    def asked(self) -> str:
        """The seat that is asked now; several are an error."""
        (seat,) = self.prompts
        return seat

    @property
    def prompt(self) -> Asked:
        """The prompt of the one seat that is asked now."""
        return self.prompts[self.asked]

    @property
    def offered(self) -> list[str]:
        """The keys of the choices that may be taken now, in order."""
        return [choice.key for choice in self.prompt.choices if choice.why is None]

    def unit(self, unit_id: str) -> Unit:
        """Return a unit as it is now."""
        return self.state.units[unit_id]

    def choice(self, key: str) -> Choice:
        """Return a choice of the open prompt."""
        choice = self.prompt.choice(key)
        assert choice is not None, f"{key} is not among {[c.key for c in self.prompt.choices]}"
        return choice

    def path(self, key: str) -> PathParameter:
        """Return a choice's path parameter."""
        (parameter,) = self.choice(key).parameters
        assert isinstance(parameter, PathParameter)
        return parameter

    def barred(self, key: str) -> Why | None:
        """Return why a choice of the open prompt cannot be taken, or None if it can."""
        return self.choice(key).why

    def targets(self, key: str) -> dict[str, str]:
        """Return the units that a choice offers, in order, each with the rule that forbids it ("" if it may be named)."""
        (parameter,) = self.choice(key).parameters
        assert isinstance(parameter, UnitParameter)
        return {row.unit: row.why.rule if row.why else "" for row in parameter.candidates}

    def seen(self, kind: type[F]) -> list[F]:
        """Return the facts of a kind so far."""
        return [fact for fact in self.facts if isinstance(fact, kind)]

    def rolled(self, purpose: str) -> Rolled:
        """Return the last roll for this purpose."""
        return [fact for fact in self.seen(Rolled) if fact.purpose == purpose][-1]

    # playing

    def answers(self, choice: str, *values: Value | str, dice: Sequence[int] = (), seat: str | None = None) -> Self:
        """Answer the open prompt; a word among the values names a unit. `dice` fall before the next prompt."""
        answering = self.asked if seat is None else seat
        picked = _picked(choice, values)
        refusal = check(believed(self.state, answering), self.prompts[answering], picked)
        assert refusal is None, f"refused: {refusal}"
        return self._go_on(answering, picked, dice)

    def refused(self, choice: str, *values: Value | str, seat: str | None = None) -> Refusal:
        """Try an answer that must be refused, and return why it is."""
        answering = self.asked if seat is None else seat
        refusal = check(believed(self.state, answering), self.prompts[answering], _picked(choice, values))
        assert refusal is not None, f"{choice} was not refused"
        return refusal

    def defaults(self, dice: Sequence[int] = ()) -> Self:
        """Give the default answers."""
        return self._go_on(self.asked, self.prompt.default, dice)

    def activates(self, unit_id: str, dice: Sequence[int] = ()) -> Self:
        """Activate a unit."""
        return self.answers("activate", unit_id, dice=dice)

    def chance(self, seed: int) -> Self:
        """From here on take dice from a seed, unless an answer scripts them."""
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
