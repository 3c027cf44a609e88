"""The end of a turn, and of the match (fubar4/setup.victory)."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import lru_cache

from client_protocol.view import Aim
from server.kernel.facts import MatchEnded, PhaseBegan
from server.kernel.procedure import Steps
from server.kernel.state import Figure, Objective, State, Unit
from server.rulesets.fubar.game import FubarGame, standing
from server.rulesets.shared import objectives
from server.rulesets.shared.turns import NEXT_TURN

RULE = "setup.victory"


def end_turn(game: FubarGame) -> Steps[None]:
    """Settle who holds the objectives and whether a side has won; else begin the next turn."""
    yield from objectives.see_who_holds(game.state, held_by)
    ended = decided(game.state)
    yield ended if ended is not None else PhaseBegan(NEXT_TURN)


def held_by(state: State, objective: Objective) -> str:
    """Return the side that alone has figures in reach of the objective, if one of them is not suppressed; else ""."""
    able = objectives.near(state, objective, _able)
    there = objectives.near(state, objective)
    side = objectives.alone(there)
    return side if side and able[side] else ""


def _able(unit: Unit) -> Iterable[Figure]:
    return standing(unit).values()


def decided(state: State) -> MatchEnded | None:
    """Return how the match ends now, or None if it goes on."""
    left = [side for side in state.sides if state.units_of(side)]
    if not left:
        return MatchEnded("", "No side has a figure left.", RULE)
    if len(left) == 1:
        return _won(state, left[0], "has the last figures in the game")
    if state.turn.number < int(state.victory.get("turn_limit", 8)):
        return None
    held = {side: _held(state, side) for side in left}
    best = [side for side in left if held[side] == max(held.values())]
    if len(best) == 1:
        many = "1 objective" if held[best[0]] == 1 else f"{held[best[0]]} objectives"
        return _won(state, best[0], f"holds {many} at the end of the last turn, more than any other side")
    share = {side: _share(state, side) for side in best}
    leaders = [side for side in best if share[side] == max(share.values())]
    if len(leaders) == 1:
        return _won(
            state, leaders[0], "holds as many objectives as any other side and has the larger share of its figures left"
        )
    return MatchEnded("", "The last turn is over, with as many objectives and the same share of figures left.", RULE)


def _held(state: State, side: str) -> int:
    return sum(objective.held_by == side for objective in state.objectives.values())


def _share(state: State, side: str) -> Fraction:
    left, whole = _figures(state)[side]
    return Fraction(left, whole) if whole else Fraction(0)


def _figures(state: State) -> dict[str, tuple[int, int]]:
    """Return how many figures each side has left, and how many it had."""
    left, whole = dict.fromkeys(state.sides, 0), dict.fromkeys(state.sides, 0)
    for unit in state.units.values():
        if unit.side in whole and unit.profile.get("kind") != "crew":
            whole[unit.side] += len(unit.figures)
            left[unit.side] += 0 if unit.left else unit.strength
    return {side: (left[side], whole[side]) for side in whole}


@lru_cache(maxsize=1024)
def _percent(left: int, whole: int) -> int:
    return round(Fraction(100 * left, whole)) if whole else 0


def aim(state: State) -> Aim:
    """Return how a match is won, and how it stands."""
    limit, marked = int(state.victory.get("turn_limit", 8)), len(state.objectives)
    most = "that holds most objectives, and then the one " if marked > 1 else ""
    most = "that holds the objective, or else the one " if marked == 1 else most
    how = f"At the end of turn {limit} the side {most}with the larger share of its figures left wins."
    if state.turn.number == 0 or state.result is not None:
        return Aim(how, rule=RULE)
    told = []
    figures = _figures(state)
    for side in state.sides.values():
        held = _held(state, side.id)
        holds = f"{held} of {marked} objectives, " if marked > 1 else "the objective, " if held else ""
        told.append(f"{side.name}: {holds}{_percent(*figures[side.id])} % of its figures")
    return Aim(how, "; ".join(told), RULE)


def _won(state: State, side: str, how: str) -> MatchEnded:
    return MatchEnded(side, f"{state.sides[side].name} {how}.", RULE)
