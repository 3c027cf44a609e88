"""Matches whose set-up is generated, and what is told of them."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec.structs import replace

from server.kernel.facts import Fact
from server.kernel.procedure import Game
from server.kernel.programs import UNCONTROLLED
from server.kernel.setup_facts import SideDeclared
from server.kernel.state import State
from server.opponents.simulation import play as simulated
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.victory import end_turn
from tests.support.battlefield import BattleTable, fad4


def scenario(*held: str, **options: str | int) -> State:
    """Return the scenario with sides that the rules play: red, unless others are named."""
    state = fad4().open("contact", dict(options))
    return replace(state, desk=replace(state.desk, programs=dict.fromkeys(held or ("red",), UNCONTROLLED)))


def declared(table: BattleTable, action: str) -> list[tuple[str, str, tuple[int, ...]]]:
    return [(fact.side, fact.value, fact.faces) for fact in table.seen(SideDeclared) if fact.action == action]


def ready(given: Mapping[str, str], turn: int = 3) -> State:
    """Return a match at the end of a turn with these missions, all units at their own edges, no enemy near anything."""
    state = scenario("blue", "red")
    for played in simulated(fad4(), state, 4):
        state = played.after
        if state.turn.number:
            break
    book = {key: value for key, value in state.book.items() if "mission" not in key and ".row" not in key}
    book |= {f"secret.{side}.mission": mission for side, mission in given.items()}
    book |= {f"generated.commander.{side}": (f"{side}-1", "1") for side in given}
    for side in given:
        y = 2_000 if side == "blue" else 46_000
        for number, unit in enumerate(state.units_of(side)):
            figures = {
                key: replace(figure, at=(4_000 + 10_000 * number + 1_200 * place, y))
                for place, (key, figure) in enumerate(unit.figures.items())
            }
            state = state.with_unit(replace(unit, figures=figures))
    sides = {side: replace(one, edge="south" if side == "blue" else "north") for side, one in state.sides.items()}
    objectives = {key: replace(one, at=(24_000, _height(key))) for key, one in state.objectives.items()}
    return replace(state, book=book, sides=sides, objectives=objectives, turn=replace(state.turn, number=turn))


def _height(key: str) -> int:
    side, _, which = key.partition(".")
    height = {"near": 8_000, "middle": 24_000, "far": 40_000}[which]
    return height if side == "blue" else 48_000 - height


def ended(state: State) -> tuple[list[Fact], State]:
    """Return the facts of the end of the turn, and the state after them."""
    facts: list[Fact] = []
    game: FadGame = Game(fad4().rules, state)
    for step in end_turn(game):
        assert isinstance(step, Fact), "no dice fall, and nothing is asked"
        game.state = step.fold(game.state)
        facts.append(step)
    return facts, game.state
