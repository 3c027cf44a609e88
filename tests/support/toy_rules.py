"""A rule set small enough to see through, with everything in it that a room must bear.

Both seats deploy at once, unseen. Then come rounds: both bid at once, unseen; two dice fall openly and one in secret; the
side that lost picks a figure to fall, and the other side says whether to press on, which rolls once more. A round is a
procedure, so that each ends at a boundary.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from client_protocol.choices import (
    Choice,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    Picked,
    PlacementParameter,
)
from client_protocol.explained import Explained, Line
from client_protocol.messages import EditionInfo, OptionValue, ScenarioInfo
from client_protocol.view import CardLine, Story, Word
from server.kernel.facts import (
    Declared,
    Fact,
    FiguresFell,
    MatchEnded,
    Noted,
    PhaseBegan,
    Rolled,
    SideToAct,
    TurnBegan,
    UnitPlaced,
)
from server.kernel.procedure import Game, Steps, ask, ask_all, roll
from server.kernel.prompts import Asked
from server.kernel.ruleset import Foreseen, RulesetError
from server.kernel.state import Figure, Side, State, Table, Unit
from server.kernel.terrain import Terrain

SEATS = ("red", "blue")
ZONES = {
    "red": ((0, 0), (12000, 0), (12000, 3000), (0, 3000)),
    "blue": ((0, 9000), (12000, 9000), (12000, 12000), (0, 12000)),
}
SPOTS = {
    "red": {str(n): (2000 * n, 1000) for n in (1, 2, 3)},
    "blue": {str(n): (2000 * n, 11000) for n in (1, 2, 3)},
}


class ToyRules:
    """The rule set. `version` and `bonus` make another version of it: the bonus is added to every roll's number."""

    def __init__(self, rounds: int = 2, version: str = "toy 1", bonus: int = 0) -> None:
        self._rounds = rounds
        self._version = version
        self._bonus = bonus

    @property
    def info(self) -> EditionInfo:
        seats = tuple((seat, seat.title()) for seat in SEATS)
        return EditionInfo("toy", "Toy", (), (ScenarioInfo("duel", "Duel", "Three against three.", 1, seats),))

    @property
    def version(self) -> str:
        return self._version

    @property
    def reference(self) -> tuple[dict[str, str], ...]:
        return ()

    def open(self, scenario: str, options: Mapping[str, OptionValue]) -> State:
        if scenario != "duel" or options:
            raise RulesetError("the toy has one scenario, duel, and no options")
        letters = {"red": ("R", "circle"), "blue": ("B", "square")}
        return State(
            edition="toy",
            title="Duel",
            options={},
            table=Table(12000, 12000, (Terrain("wood", "Wood", "woods", ((5000, 5000), (7000, 5000), (6000, 7000))),)),
            sides={seat: Side(seat, seat.title(), *letters[seat], seat, ZONES[seat]) for seat in SEATS},
            units={
                f"{seat}-1": Unit(
                    f"{seat}-1", seat, f"{seat.title()} squad", 1, {}, {n: Figure(None, 500) for n in SPOTS[seat]}
                )
                for seat in SEATS
            },
            objectives={},
            victory={"turn_limit": self._rounds},
        )

    def read(self, setup: Mapping[str, object]) -> State:
        raise RulesetError(f"the toy reads no setups, not even {setup}")

    def procedure(self, game: Game[Any]) -> Steps[None] | None:
        if game.state.result is not None:
            return None
        if game.state.turn.number == 0:
            return _deploy(game)
        return self._round(game) if game.state.turn.number <= self._rounds else _end(game)

    def _round(self, game: Game[Any]) -> Steps[None]:
        bids = yield from ask_all({seat: _bid(seat) for seat in SEATS})
        faces = yield from roll(2)
        hidden = yield from roll(1, 6, "secret:red")
        sums = {seat: face + int(bids[seat].choice) for seat, face in zip(SEATS, faces, strict=True)}
        lines = (Line("SET", faces[0], "the die", "toy/bid"), Line("ADD", self._bonus, "bonus", "toy/bonus"))
        yield Rolled("bid", "toy/bid", faces, numbers=(Explained(faces[0] + self._bonus, lines),), side="red")
        yield Noted("hidden", hidden[0])
        loser = min(SEATS, key=lambda seat: sums[seat])
        winner = next(seat for seat in SEATS if seat != loser)
        unit = f"{loser}-1"
        while game.unit(unit).strength > 0:
            figures = tuple(game.unit(unit).living)
            picked = yield from ask(loser, _losses(unit, figures))
            assert isinstance(picked.values[0], FiguresPicked)
            yield FiguresFell(unit, picked.values[0].figures, "bid", "toy/loss")
            yield SideToAct(winner)
            again = yield from ask(winner, _press(unit))
            yield Declared(f"{winner}-1", again.choice, "toy/press", unit)
            if again.choice == "stop":
                break
            (face,) = yield from roll(1)
            yield Rolled("press", "toy/press", (face,), side=winner)
            if face < 4:
                break
        yield TurnBegan(game.state.turn.number + 1)

    def foresee(self, believed: State, asked: Asked, picked: Picked) -> Foreseen | None:
        # Careless on purpose, as story is.
        bids = (f"{seat} bids {bid.choice}" for seat, bid in believed.sealed.items())
        return Foreseen(asked.title, "1D6", notes=tuple(bids)) if picked.choice in {"press", "1"} else None

    def story(self, state: State, fact: Fact) -> Story | None:
        if isinstance(fact, Rolled):
            return Story("roll", f"{fact.purpose}: {fact.faces}", fact.rule, fact.side)
        if isinstance(fact, FiguresFell):
            return Story("loss", f"{state.units[fact.unit].name} loses {', '.join(fact.figures)}.")
        if isinstance(fact, UnitPlaced):
            return Story("deploy", f"{state.units[fact.unit].name} is placed.")
        # Careless on purpose: whoever hands this the true state lets out who has bid what.
        bids = " ".join(f"{seat}={picked.choice}" for seat, picked in sorted(state.sealed.items()))
        return Story("turn", f"{type(fact).__name__} {bids}")

    def card(self, state: State, unit: Unit) -> tuple[CardLine, ...]:
        return (CardLine("Strength", str(unit.strength)), CardLine("Side", state.sides[unit.side].name))

    def role(self, role: str) -> str:
        return role

    def cover_names(self) -> Mapping[str, str]:
        return {"none": "", "soft": "Soft cover"}

    @property
    def words(self) -> dict[str, Word]:
        return {"deployment": Word("Deployment", "Both place their squads, unseen.")}


def _deploy(game: Game[Any]) -> Steps[None]:
    placed = yield from ask_all({seat: _placing(seat) for seat in SEATS})
    for seat in SEATS:
        (value,) = placed[seat].values
        assert isinstance(value, FiguresPlaced)
        yield UnitPlaced(f"{seat}-1", value.places[0])
    yield PhaseBegan("bidding")
    yield TurnBegan(game.state.turn.number + 1)


def _end(game: Game[Any]) -> Steps[None]:
    strengths = {seat: game.unit(f"{seat}-1").strength for seat in SEATS}
    best = max(SEATS, key=lambda seat: strengths[seat])
    draw = len(set(strengths.values())) == 1
    yield MatchEnded("" if draw else best, "More figures are left.", "toy/end")


def _placing(seat: str) -> Asked:
    parameter = PlacementParameter((f"{seat}-1",), ZONES[seat], (6000,), (), (SPOTS[seat],))
    default = Picked("place", (FiguresPlaced((SPOTS[seat],)),))
    return Asked("Place your squad", (Choice("place", "Place", parameters=(parameter,)),), default)


def _bid(seat: str) -> Asked:
    choices = tuple(Choice(str(n), f"Bid {n}") for n in (1, 2, 3))
    return Asked("Bid", choices, Picked("1"), "toy/bid", f"{seat}-1")


def _losses(unit: str, figures: tuple[str, ...]) -> Asked:
    choice = Choice("fall", "Falls", parameters=(FiguresParameter("Who falls", unit, figures, 1, 1),))
    return Asked("Choose a loss", (choice,), Picked("fall", (FiguresPicked(figures[-1:]),)), "toy/loss", unit)


def _press(unit: str) -> Asked:
    choices = (Choice("press", "Press on", preview=True), Choice("stop", "Stop"))
    return Asked("Press on?", choices, Picked("stop"), "toy/press", unit)
