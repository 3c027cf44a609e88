"""FAD 4's check of Resolve: a unit that rallies is no longer Broken."""

from __future__ import annotations

from server.kernel.facts import ConditionGained, ConditionLost, UnitLeft
from server.kernel.procedure import Steps
from server.rulesets.fad.chapters import Morale
from server.rulesets.fad.cover import in_cover
from server.rulesets.fad.game import BROKEN, FadGame
from server.rulesets.fad.machines import rout
from server.rulesets.fad.morale import FALLS_BACK, RALLIED, ROUTED, UNBROKEN, must_test, read_morale
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.vehicles.bolster import tank_nearby


def _check_resolve(game: FadGame, unit: str) -> Steps[str]:
    """Check `unit`'s Resolve on activation, with a Morale Test if it must take one, and return the result.

    A unit that routs leaves the game.
    """
    # fad4/resolve.infantry: on each activation, as long as the losses stand
    if not must_test(game.rules, game.unit(unit)):
        if BROKEN in game.unit(unit).conditions:
            # Its wounded have recovered, a leader has joined it, or only terror broke it.
            yield ConditionLost(unit, BROKEN, "resolve.infantry")
        return UNBROKEN
    granted = tank_nearby(game.rules, game.state, game.unit(unit))
    passes = yield from quality_test(
        game,
        unit,
        "morale",
        "morale.test",
        lambda n: read_morale(game.rules, n),
        granted=granted,
        again=game.rules.again(game.state, game.unit(unit)),
    )
    standing = read_morale(game.rules, passes)
    was_broken = BROKEN in game.unit(unit).conditions
    if standing == ROUTED:
        # fad4/morale.rout
        own = rout(game.rules, game.state, game.unit(unit))
        yield UnitLeft(unit, "routed" if own is None else own.id, "morale.rout" if own is None else own.rule)
    elif standing == RALLIED and was_broken:
        # fad4/morale.rally
        yield ConditionLost(unit, BROKEN, "morale.rally")
    elif standing == FALLS_BACK and not was_broken:
        # fad4/morale.infantry-fall-back
        yield ConditionGained(unit, BROKEN, "morale.infantry-fall-back")
    return standing


MORALE = Morale(check_resolve=_check_resolve, leaves_table=True, broken_persists=False, sheltered=in_cover)
