"""The retreat of a vehicle: whose crew is Broken (fad4/morale.vehicle-fall-back), or that has lost a close assault
(fad4/assault.by-vehicle).
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from client_protocol.choices import Choice, EndRule, EndsBeyond, EndsFarther, PathParameter, PathsDeclared, Picked, Why
from server.kernel.answers.check import Asked
from server.kernel.facts import Declared
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import FULL_TURN, inches, inches_text
from server.kernel.standing import bases, end_bodies, hulls, nearest
from server.kernel.state import State
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.vehicles.driving import STANDARD, drive, drive_parameter
from server.rulesets.shared.distances import enemies_by_distance, visible_enemies
from server.rulesets.shared.ways import legal_shifts

RULE = "morale.vehicle-fall-back"
TURN = 1500
"""Hundredths of a degree between the directions that are tried."""
SHARES = (8, 7, 6, 5, 4, 3, 2, 1)
"""The lengths that are tried, as shares of the first."""


def flee(game: FadGame, unit: str) -> Steps[None]:
    """Let a vehicle drive away from the enemy as fast as it can; it does not fire."""
    rules, seat = game.rules, game.state.seat_of(unit)
    state = game.believed(seat)
    enemy = _threat(rules, state, unit)
    if not enemy:
        return
    parameter, best = retreat(rules, state, drive_parameter(rules, state, unit, STANDARD, may_stay=False), enemy, RULE)
    choices = [Choice("fall-back", "Fall back", RULE, "Away from the enemy, as fast as it can.", (parameter,))]
    if best is not None:
        default = Picked("fall-back", (best,))
    else:
        choices.append(Choice("stay", "Stay", RULE, "No way out was found. Stay only if you find none either."))
        default = Picked("stay")
    name = state.units[unit].name
    picked = yield from ask(seat, Asked(f"{name} falls back", tuple(choices), default, RULE, unit))
    if picked.choice == "fall-back":
        yield Declared(unit, "fall-back", RULE)
        way = picked.values[0]
        assert isinstance(way, PathsDeclared), "checked against the choice"
        yield from drive(game, unit, way, "fall-back", RULE)


def _threat(rules: FadRules, state: State, unit: str) -> str:
    """Return the enemy from whom a vehicle flees: the nearest that it sees, or of all if it sees none; "" if there is none."""
    vehicle = state.units[unit]
    near = visible_enemies(rules, state, vehicle) or enemies_by_distance(state, vehicle)
    return near[0].unit if near else ""


def retreat(
    rules: FadRules, state: State, parameter: PathParameter, enemy: str, rule: str
) -> tuple[PathParameter, PathsDeclared | None]:
    """Return how a vehicle that drives away from an enemy may go, and the way found that gains most: its owner must gain as much,
    but for the `slack`. None if no way was found; then it need only end farther off.
    """
    name, threat = state.units[parameter.unit].name, state.units[enemy].name
    why = Why(f"{name} falls back: it must end farther from {threat} than it is now.", rule)
    parameter = replace(parameter, ends=(EndRule((EndsFarther((enemy,)),), why),))
    best = _best(state, parameter, enemy)
    if best is None:
        return parameter, None
    least = _distance(state, parameter.unit, enemy, best) - inches(rules.book.tables.movement.slack)
    far = EndsBeyond((enemy,), tuple((figure, least) for figure in state.units[parameter.unit].living))
    why = Why(f"{name} falls back as far as it can: it must end at least {inches_text(least)} from {threat}.", rule)
    return replace(parameter, ends=(*parameter.ends, EndRule((far,), why))), best


def _best(state: State, parameter: PathParameter, enemy: str) -> PathsDeclared | None:
    """Return the straight way on which a vehicle gets farthest from an enemy; None if none gets it farther off."""
    best = PathsDeclared({})
    began = _distance(state, parameter.unit, enemy, best)
    for share in SHARES:
        length = parameter.allowance * share // SHARES[0]
        if _distance(state, parameter.unit, enemy, best) - began >= length:
            # No way of this length gains more.
            break
        ways = legal_shifts(state, parameter, range(0, FULL_TURN, TURN), [length])
        best = farthest(state, parameter.unit, enemy, [best, *ways])
    return best if best.paths else None


def farthest(state: State, unit: str, enemy: str, ways: Sequence[PathsDeclared]) -> PathsDeclared:
    """Return the way that ends farthest from an enemy."""
    return max(ways, key=lambda way: _distance(state, unit, enemy, way))


def _distance(state: State, unit: str, enemy: str, way: PathsDeclared) -> int:
    """Return how far from an enemy a vehicle ends on its way, in mil."""
    near, sides = bases(state, only=[enemy]), hulls(state, only=[enemy])
    return min(nearest(end, near, sides) for end in end_bodies(state.units[unit], way).values())
