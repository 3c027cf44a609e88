"""FAD 5's tests of a vehicle that activates: the morale of its crew, then its return to action."""

from __future__ import annotations

from client_protocol.choices import Choice, Picked
from server.kernel.answers.check import Asked
from server.kernel.bodies import riders
from server.kernel.facts import ConditionLost
from server.kernel.procedure import Steps, ask
from server.kernel.state import Unit
from server.rulesets.fad.fad5.vehicle_damage import OUT_OF_ACTION, RESULTS, SHAKEN, SYSTEM, immobile
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.morale import FALLS_BACK, ROUTED, read_morale
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.vehicles import wrecks
from server.rulesets.fad.vehicles.standing import ABLE, FLEES, GONE, IDLE, LETS_OFF

ABANDONS = "abandons"
RETURNS, STAYS_OUT = "returns", "stays_out"
RETURN_DICE = 2


def check(game: FadGame, vehicle: str) -> Steps[str]:
    """Test the crew's morale and then whether the vehicle returns to action, and return what it may do.

    A crew that routs or bails out leaves the game.
    """
    standing = yield from _check_morale(game, vehicle)
    if standing != ABLE or OUT_OF_ACTION not in game.unit(vehicle).conditions:
        return standing
    return (yield from _return(game, vehicle))


def morale_result(rules: FadRules, vehicle: Unit, passes: int) -> str:
    """Return what a Morale Test of a crew with this many passes comes to."""
    result = read_morale(rules, passes)
    # fad5/morale.vehicle-bail-out
    return ABANDONS if result == FALLS_BACK and immobile(vehicle) else result


def _check_morale(game: FadGame, vehicle: str) -> Steps[str]:
    before = game.unit(vehicle)
    # fad5/resolve.vehicles: once, however often it was hit
    if SHAKEN not in before.conditions:
        return ABLE
    passes = yield from quality_test(
        game, vehicle, "crew_morale", "morale.test", lambda count: morale_result(game.rules, before, count)
    )
    yield ConditionLost(vehicle, SHAKEN, "resolve.vehicle")
    result = morale_result(game.rules, before, passes)
    if result == ROUTED:
        yield from wrecks.remove(game, vehicle, "routed", "morale.rout")
        return GONE
    if result == ABANDONS:
        yield from wrecks.remove(game, vehicle, "bailed_out", "morale.vehicle-bail-out")
        return GONE
    # fad5/morale.result-one-vehicle
    return FLEES if result == FALLS_BACK else ABLE


def returns(passes: int) -> str:
    """Return what a test to return to action comes to: all dice must pass (fad5/damage.vehicle-system-kill)."""
    return RETURNS if passes == RETURN_DICE else STAYS_OUT


def _lets_off(game: FadGame, vehicle: str) -> Steps[bool]:
    """Ask whether a vehicle that is out of action lets those aboard get off, in the place of its test."""
    if not riders(game.state, vehicle):
        return False
    seat = game.state.seat_of(vehicle)
    name, rule = game.unit(vehicle).name, RESULTS[SYSTEM]
    choices = (
        Choice("return", "Return to action", rule, "The crew takes its test; if it fails, the vehicle does nothing."),
        Choice("let-troops-off", "Let troops off", rule, "Those aboard get off, and the crew takes no test."),
    )
    asked = Asked(f"{name} is out of action", choices, Picked("return"), rule, vehicle)
    picked = yield from ask(seat, asked)
    return picked.choice == "let-troops-off"


def _return(game: FadGame, vehicle: str) -> Steps[str]:
    if (yield from _lets_off(game, vehicle)):
        return LETS_OFF
    passes = yield from quality_test(game, vehicle, "return", RESULTS[SYSTEM], returns, dice=RETURN_DICE)
    if returns(passes) == STAYS_OUT:
        return IDLE
    yield ConditionLost(vehicle, OUT_OF_ACTION, RESULTS[SYSTEM])
    return ABLE
