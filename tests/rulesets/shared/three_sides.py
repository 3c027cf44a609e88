"""Three sides on a table, and a rule set with a single procedure."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, cast

from client_protocol.choices import Picked
from server.kernel.answers.check import Asked, check
from server.kernel.dice import ScriptedDice
from server.kernel.facts import Fact
from server.kernel.procedure import Game, Run, Steps
from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import Point
from server.kernel.space.values import Hull
from server.kernel.state import Figure, Side, State, Table, Turn, Unit
from server.rulesets.shared.turns import DEPLOYMENT

SIDES = ("blue", "red", "green")
SIZE = 48_000
ZONES = {
    "blue": ((0, 0), (SIZE, 0), (SIZE, 8_000), (0, 8_000)),
    "red": ((0, 40_000), (SIZE, 40_000), (SIZE, SIZE), (0, SIZE)),
    "green": ((0, 14_000), (8_000, 14_000), (8_000, 34_000), (0, 34_000)),
}


def squad(side: str, number: int = 1, figures: int = 4, at: Sequence[Point] = ()) -> Unit:
    """Return a squad on inch-wide bases, off the table unless it has places."""
    places = [*at, *([None] * (figures - len(at)))]
    own = {str(i + 1): Figure(place, 500) for i, place in enumerate(places)}
    return Unit(f"{side}-{number}", side, f"{side.title()} {number}", number, {}, own)


def vehicle(side: str, number: int = 1, at: Point | None = None) -> Unit:
    """Return a vehicle of 6 by 3 inches."""
    hull = {"1": Figure(at, 1_500, hull=Hull(6_000, 3_000))}
    return Unit(f"{side}-{number}", side, f"{side.title()} {number}", number, {}, hull)


def table(*units: Unit, zones: Mapping[str, Sequence[Point]] = ZONES) -> State:
    """Return the state before deployment, with these units."""
    return State(
        edition="none",
        title="Three",
        options={},
        table=Table(SIZE, SIZE),
        sides={side: Side(side, side.title(), side[0], "circle", side, tuple(zones[side])) for side in SIDES},
        units={unit.id: unit for unit in units},
        objectives={},
        victory={},
        turn=Turn(phase=DEPLOYMENT),
    )


class _Rules:
    """Runs one procedure again and again until it returns none."""

    def __init__(self, procedure: Callable[[Game[Any]], Steps[Any] | None]) -> None:
        self.procedure = procedure

    def game(self, state: State) -> Game[Any]:
        return Game(self, state)


class Play:
    """A procedure under way: every fact so far, and the open prompts."""

    def __init__(
        self, state: State, procedure: Callable[[Game[Any]], Steps[Any] | None], dice: Sequence[int] = ()
    ) -> None:
        self.facts: list[Fact] = []
        self.run = Run(cast("Ruleset", _Rules(procedure)), state, ScriptedDice(dice))
        self.facts += self.run.begin().facts

    @property
    def asked(self) -> Mapping[str, Asked]:
        """The open prompts, by seat."""
        return {} if self.run.asked is None else self.run.asked.seats

    def answer(self, seat: str, picked: Picked | None = None) -> None:
        """Give the seat's answer, which has to be legal; by default the prompt's own."""
        asked = self.asked[seat]
        picked = picked or asked.default
        assert check(self.run.state, asked, picked) is None
        self.facts += self.run.answer(seat, picked).facts

    def finish(self) -> None:
        """Give the default answers of every seat, to the end."""
        while self.asked:
            for seat in list(self.asked):
                self.answer(seat)
