"""FAD 4's tests of a vehicle that activates: the resolve of its crew, then the repair of its damage."""

from __future__ import annotations

from server.kernel.facts import ConditionGained, ConditionLost
from server.kernel.procedure import Steps
from server.kernel.state import Unit
from server.rulesets.fad.fad4.vehicle_damage import CRITICAL, DAMAGED, tokens
from server.rulesets.fad.game import BROKEN, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.morale import RALLIED, ROUTED, read_morale
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.vehicles import wrecks
from server.rulesets.fad.vehicles.standing import ABLE, FLEES, GONE

BAILS_OUT = "bails_out"
REPAIRED, STILL_DAMAGED, BEYOND_REPAIR = "repaired", "still_damaged", "beyond_repair"


def check(game: FadGame, vehicle: str) -> Steps[str]:
    """Test the crew's Resolve and then repair the vehicle, and return what it may do.

    A crew that routs or bails out, and a vehicle beyond repair, leave the game.
    """
    standing = yield from _check_resolve(game, vehicle)
    if standing != ABLE or DAMAGED not in game.unit(vehicle).conditions:
        return standing
    return (yield from _repair(game, vehicle))


def must_test(rules: FadRules, vehicle: Unit) -> bool:
    """Return whether the crew must take a Morale Test when the vehicle activates.

    Its Resolve is checked only if it is Under Fire (fad4/resolve.vehicle, fad4/underfire.vehicle).
    """
    return UNDER_FIRE in vehicle.conditions and tokens(vehicle) >= rules.resolve(vehicle).hits


def _check_resolve(game: FadGame, vehicle: str) -> Steps[str]:
    before = game.unit(vehicle)
    was_broken = BROKEN in before.conditions
    if not must_test(game.rules, before):
        if was_broken:
            yield ConditionLost(vehicle, BROKEN, "resolve.vehicle")
        return ABLE

    def outcome(passes: int) -> str:
        result = read_morale(game.rules, passes)
        if result in {RALLIED, ROUTED}:
            return result
        # fad4/morale.vehicle-bail-out: it cannot fall back
        return BAILS_OUT if DAMAGED in before.conditions else result

    passes = yield from quality_test(game, vehicle, "crew_morale", "morale.test", outcome)
    result = outcome(passes)
    if result == RALLIED:
        if was_broken:
            yield ConditionLost(vehicle, BROKEN, "morale.rally")
        return ABLE
    if result == ROUTED:
        yield from wrecks.remove(game, vehicle, "routed", "morale.rout")
        return GONE
    if result == BAILS_OUT:
        yield from wrecks.remove(game, vehicle, "bailed_out", "morale.vehicle-bail-out")
        return GONE
    if not was_broken:
        yield ConditionGained(vehicle, BROKEN, "morale.vehicle-fall-back")
    return FLEES


def repair_result(rules: FadRules, passes: int) -> str:
    """Return what a repair test with this many passes comes to."""
    table = rules.book.tables.vehicles
    if passes >= table.repaired:
        return REPAIRED
    return STILL_DAMAGED if passes >= table.still_damaged else BEYOND_REPAIR


def repair_dice(rules: FadRules, vehicle: Unit) -> int:
    """Return how many dice the repair test has: one less, which counts as failed, for a vehicle that was ever Critically Damaged
    (fad4/vehicle.critical-repair).
    """
    return rules.book.tables.quality_test.dice - (CRITICAL in vehicle.conditions)


def _repair(game: FadGame, vehicle: str) -> Steps[str]:
    """Take the repair test (fad4/vehicle.repair-test): one for each activation, however many tokens there are."""
    rules = game.rules
    dice = repair_dice(rules, game.unit(vehicle))
    passes = yield from quality_test(
        game, vehicle, "repair", "vehicle.repair-test", lambda count: repair_result(rules, count), dice=dice
    )
    result = repair_result(rules, passes)
    if result == BEYOND_REPAIR:
        yield from wrecks.remove(game, vehicle, "beyond_repair", "vehicle.beyond-repair")
        return GONE
    if result == REPAIRED:
        yield ConditionLost(vehicle, DAMAGED, "vehicle.repaired")
    # fad4/vehicle.still-damaged
    return ABLE
