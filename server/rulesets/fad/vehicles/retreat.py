"""The retreat of a vehicle whose crew is Broken (fad4/morale.vehicle-fall-back)."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import Choice, EndRule, EndsFarther, PathsDeclared, Picked, Why
from server.kernel.answers.check import Asked
from server.kernel.facts import Declared
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import FULL_TURN
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
    ends = _ends(state, unit, enemy)
    parameter = drive_parameter(rules, state, unit, STANDARD, ends, may_stay=False)
    lengths = [parameter.allowance * share // SHARES[0] for share in SHARES]
    found = legal_shifts(state, parameter, range(0, FULL_TURN, TURN), lengths[:1])
    ways = found or legal_shifts(state, parameter, range(0, FULL_TURN, TURN), lengths[1:])
    choices = [Choice("fall-back", "Fall back", RULE, "Away from the enemy, as fast as it can.", (parameter,))]
    if ways:
        default = Picked("fall-back", (farthest(state, unit, enemy, ways),))
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


def _ends(state: State, unit: str, enemy: str) -> tuple[EndRule, ...]:
    name, threat = state.units[unit].name, state.units[enemy].name
    why = Why(f"{name} falls back: it must end farther from {threat} than it is now.", RULE)
    return (EndRule((EndsFarther((enemy,)),), why),)


def farthest(state: State, unit: str, enemy: str, ways: Sequence[PathsDeclared]) -> PathsDeclared:
    """Return the way that ends farthest from an enemy."""
    near, sides = bases(state, only=[enemy]), hulls(state, only=[enemy])
    vehicle = state.units[unit]

    def gained(way: PathsDeclared) -> int:
        return min(nearest(end, near, sides) for end in end_bodies(vehicle, way).values())

    return max(ways, key=gained)
