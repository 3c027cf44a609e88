"""FAD 5's check of Resolve: a unit whose losses break it stays Broken, even if it passes its test."""

from __future__ import annotations

from server.kernel.facts import ConditionGained, UnitLeft
from server.kernel.procedure import Steps
from server.rulesets.fad.chapters import Morale
from server.rulesets.fad.game import BROKEN, FadGame
from server.rulesets.fad.morale import ROUTED, UNBROKEN, casualties_break, read_morale
from server.rulesets.fad.quality import quality_test


def _check_resolve(game: FadGame, unit: str) -> Steps[str]:
    """Check `unit`'s Resolve on activation, with a Morale Test if its losses break it, and return the result.

    A unit that routs leaves the game.
    """
    # fad5/resolve.check, fad5/resolve.break-points
    if not casualties_break(game.rules, game.unit(unit)):
        return UNBROKEN
    if BROKEN not in game.unit(unit).conditions:
        # fad5/resolve.broken
        yield ConditionGained(unit, BROKEN, "resolve.broken")
    # fad5/resolve.broken-persists: passing ends nothing; it is tested again on each activation
    passes = yield from quality_test(game, unit, "morale", "morale.test", lambda n: read_morale(game.rules, n))
    standing = read_morale(game.rules, passes)
    if standing == ROUTED:
        # fad5/morale.result-none
        yield UnitLeft(unit, "routed", "morale.rout")
    return standing


MORALE = Morale(check_resolve=_check_resolve, leaves_table=False, broken_persists=True)
