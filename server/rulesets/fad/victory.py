"""The end of a turn, and of the match (fad4/setup.victory)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction

from client_protocol.view import Aim
from server.kernel.facts import MatchEnded, PhaseBegan
from server.kernel.procedure import Steps
from server.kernel.state import Figure, Objective, State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import NEUTRAL, FadGame, FadRules
from server.rulesets.fad.generated import victory as missions
from server.rulesets.fad.generated.noting import generated
from server.rulesets.shared.objectives import most, near, see_who_holds, standing
from server.rulesets.shared.turns import NEXT_TURN

RULE = "setup.victory"


def end_turn(game: FadGame) -> Steps[None]:
    """Settle who holds the objectives and whether a side has won; else begin the next turn."""
    for ending in game.rules.ending(game.state):
        yield from ending(game)
    yield from see_who_holds(game.state, held_by)
    if missions.in_missions(game.state):
        yield from missions.end_turn(game)
    ended = decided(game.rules, game.state)
    if ended is not None:
        yield from missions.disclosed(game.state)
    yield ended if ended is not None else PhaseBegan(NEXT_TURN)


def held_by(state: State, objective: Objective) -> str:
    """Return the side with the most living figures whose bases reach into the objective's radius; "" if none or two are
    level.
    """
    return most(near(state, objective, _counted))


def _counted(unit: Unit) -> Iterable[Figure]:
    # Who obeys no side holds nothing for one.
    return () if has(unit, NEUTRAL) else standing(unit)


def decided(rules: FadRules, state: State) -> MatchEnded | None:
    """Return how the match ends at the end of this turn, or None if it goes on."""
    left, whole = _fighting(rules, state)
    there = [side for side, units in left.items() if units]
    if missions.in_missions(state):
        return missions.decided(rules, state, there)
    if not there:
        return MatchEnded("", "Neither side has a unit left.", RULE)
    if len(there) == 1:
        return _won(state, there[0], "has the last units in the game")
    last = state.turn.number >= int(state.victory.get("turn_limit", 8))
    if state.victory.get("kind") == "objective":
        return _by_objective(state) if last else None
    return _by_breaking(state, left, whole, last=last)


def _fighting(rules: FadRules, state: State) -> tuple[dict[str, int], dict[str, int]]:
    """Return how many units each side has left that fight, and how many it had."""
    left, whole = dict.fromkeys(state.sides, 0), dict.fromkeys(state.sides, 0)
    # In most matches no unit can be a bystander, and this is asked for every view.
    some = bool(rules.played(state).bystander)
    for unit in state.units.values():
        if unit.side in whole and not (some and rules.bystander(state, unit)):
            whole[unit.side] += 1
            left[unit.side] += not unit.left
    return left, whole


def _by_breaking(state: State, left: dict[str, int], whole: dict[str, int], *, last: bool) -> MatchEnded | None:
    # At least half of the opposing units, rounded up, are gone.
    broken = [side for side in state.sides if (whole[side] - left[side]) * 2 >= whole[side]]
    if len(broken) == 1:
        winner = next(side for side in state.sides if side not in broken)
        return _won(state, winner, f"broke {state.sides[broken[0]].name}: half of its units are gone")
    if not broken and not last:
        return None
    share = {side: Fraction(left[side], whole[side]) for side in state.sides}
    best = max(share.values())
    leaders = [side for side, own in share.items() if own == best]
    if len(leaders) == 1:
        return _won(state, leaders[0], "has the larger share of its units left")
    reason = "Both sides are broken" if broken else "The last turn is over"
    return MatchEnded("", f"{reason}, and both have the same share of their units left.", RULE)


def _by_objective(state: State) -> MatchEnded:
    objective = state.objectives[str(state.victory["objective"])]
    holder = objective.held_by
    heir = str(state.victory.get("unheld", ""))
    if not holder and heir:
        return _won(state, heir, f"wins, as neither side holds {objective.name} at the end of the last turn")
    if not holder:
        return MatchEnded("", f"The last turn is over, and neither side holds {objective.name}.", RULE)
    return _won(state, holder, f"holds {objective.name} at the end of the last turn")


# --- how it is won ------------------------------------------------------------------------------------------------------


def aim(rules: FadRules, state: State) -> Aim:
    """Return how a match is won, and how it stands."""
    limit = int(state.victory.get("turn_limit", 8))
    if generated(state):
        return Aim("Each side has a mission of its own, and wins when it has carried it out.", rule=RULE)
    fights = state.turn.number > 0 and state.result is None
    if state.victory.get("kind") == "objective":
        objective = state.objectives[str(state.victory["objective"])]
        heir = state.sides.get(str(state.victory.get("unheld", "")))
        unheld = f" If neither side does, {heir.name} wins." if heir is not None else ""
        how = f"The side that holds {objective.name} at the end of turn {limit} wins.{unheld}"
        holder = state.sides.get(objective.held_by)
        stands = (
            f"{holder.name} holds {objective.name}" if holder is not None else f"Neither side holds {objective.name}"
        )
        return Aim(how, stands if fights else "", RULE)
    how = f"A side that has lost half of its units at the end of a turn is beaten. After turn {limit} the larger share left wins."
    return Aim(how, f"Units lost: {', '.join(_losses(rules, state))}" if fights else "", RULE)


def _losses(rules: FadRules, state: State) -> Iterator[str]:
    """Yield how many units each side has lost, of those whose loss beats it."""
    left, whole = _fighting(rules, state)
    for key, side in state.sides.items():
        # At least half of them, rounded up
        yield f"{side.name} {whole[key] - left[key]} of {-(-whole[key] // 2)}"


def _won(state: State, side: str, how: str) -> MatchEnded:
    return MatchEnded(side, f"{state.sides[side].name} {how}.", RULE)
