"""FAD 5's check of Resolve: a unit whose losses break it stays Broken, even if it passes its test."""

from __future__ import annotations

import math

from msgspec.structs import replace

from client_protocol.choices import EndRule, EndsFarther, EndsSpent, PathParameter, Why
from server.kernel.facts import ConditionGained, ConditionLost, UnitLeft
from server.kernel.procedure import Steps
from server.kernel.space.geometry import inches
from server.kernel.space.terrain import NO_COVER
from server.kernel.state import State, Unit
from server.rulesets.fad.chapters import Morale
from server.rulesets.fad.cover import cover_of, in_cover
from server.rulesets.fad.game import BROKEN, FadGame, FadRules
from server.rulesets.fad.inspiration import holds
from server.rulesets.fad.morale import RALLIED, ROUTED, UNBROKEN, casualties_break, read_morale
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.vehicles.bolster import tank_nearby
from server.rulesets.shared.distances import visible_enemies


def _check_resolve(game: FadGame, unit: str) -> Steps[str]:
    """Check `unit`'s Resolve on activation, with a Morale Test if its losses break it, and return the result.

    A unit that routs leaves the game.
    """
    # fad5/resolve.check, fad5/resolve.break-points
    if not casualties_break(game.rules, game.unit(unit)):
        return UNBROKEN
    heartened = game.rules.heartened(game.state, game.unit(unit))
    if heartened:
        if BROKEN in game.unit(unit).conditions:
            yield ConditionLost(unit, BROKEN, heartened)
        return UNBROKEN
    if BROKEN not in game.unit(unit).conditions:
        # fad5/resolve.broken
        yield ConditionGained(unit, BROKEN, "resolve.broken")
    if (yield from holds(game, unit)):
        return RALLIED
    # fad5/resolve.broken-persists: passing ends nothing; it is tested again on each activation
    # fad5/morale.afv-bolster
    granted = tank_nearby(game.rules, game.state, game.unit(unit))
    passes = yield from quality_test(
        game, unit, "morale", "morale.test", lambda n: read_morale(game.rules, n), granted=granted
    )
    standing = read_morale(game.rules, passes)
    if standing == ROUTED:
        # fad5/morale.result-none
        yield UnitLeft(unit, "routed", "morale.rout")
    return standing


def _retreats(rules: FadRules, state: State, unit: Unit, parameter: PathParameter) -> tuple[PathParameter, ...]:
    """Return how a unit falls back: away from the enemy from which it ends farther, with its whole move if that can be."""
    foes = [key for rule in parameter.ends for end in rule.any_of if isinstance(end, EndsFarther) for key in end.units]
    kept = replace(
        parameter,
        # fad5/morale.fall-back-direction
        receding=tuple(foes),
        receding_rule="morale.fall-back-direction",
        # fad5/morale.fall-back-no-assault
        clear_rule="morale.fall-back-no-assault",
    )
    if not foes:
        return (kept,)
    table = rules.book.tables.movement
    enemies = [enemy.id for enemy in state.enemies_of(unit.side) if enemy.on_table]
    half = math.ceil(unit.strength / 2)
    spent = EndsSpent(
        parameter.allowance - inches(table.slack),
        half,
        rules.cover_pieces(state),
        rules.edge_reach(),
        tuple(enemies),
        hides=not any(enemy in rules.aloft(state) for enemy in enemies),
    )
    why = Why(
        f"{unit.name} falls back with its whole move: {half} of its figures use it up, or end in cover or out of every enemy's "
        "sight.",
        "morale.fall-back-direction",
    )
    return (replace(kept, ends=(*kept.ends, EndRule((spent,), why))), kept)


def _sheltered(rules: FadRules, state: State, unit: Unit) -> bool:
    """Return whether a unit is in cover against the nearest enemy that it sees, or against any if it sees none
    (fad5/morale.result-one-infantry).
    """
    near = visible_enemies(rules, state, unit)
    if not near:
        return in_cover(rules, state, unit)
    enemy = state.units[near[0].unit]
    return cover_of(rules, state, enemy, unit, tuple(enemy.living)) != NO_COVER


MORALE = Morale(
    check_resolve=_check_resolve,
    leaves_table=False,
    broken_persists=True,
    sheltered=_sheltered,
    stays_first=True,
    flees_unseen=True,
    retreats=_retreats,
)
