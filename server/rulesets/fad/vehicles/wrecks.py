"""Vehicles that leave the game, and the wrecks that stay."""

from __future__ import annotations

from server.kernel.bodies import body, is_vehicle, riders
from server.kernel.facts import TerrainAdded, UnitLeft
from server.kernel.procedure import Steps
from server.kernel.space.hulls import SLACK, drawn_in
from server.kernel.space.terrain import Terrain
from server.kernel.state import Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.vehicles import passengers
from server.rulesets.fad.vehicles.passengers import Fate

WRECK = "wreck"
RULE = "damage.vehicle-removed"
OPTION = "wrecks"
"""The option that says whether wrecks stay on the table (fad5/damage.wrecks)."""
STAY = "stay"


def remove(game: FadGame, vehicle: str, reason: str, rule: str, fate: Fate = Fate.UNHARMED) -> Steps[None]:
    """Take a vehicle out of the game, and leave its wreck where it stood (fad4/damage.vehicle-removed). `fate` says what that
    means for those aboard.
    """
    gone = game.unit(vehicle)
    assert is_vehicle(gone), "only vehicles leave wrecks"
    aboard = [unit.id for unit in riders(game.state, vehicle)]
    yield UnitLeft(vehicle, reason, rule)
    wreck = _wreck(game.rules, gone)
    if game.state.options.get(OPTION, STAY) == STAY:
        yield TerrainAdded(wreck, game.rules.vehicles.wreck_rule or rule)
    yield from passengers.suffer(game, aboard, wreck.outline, fate)


def _wreck(rules: FadRules, vehicle: Unit) -> Terrain:
    # A base may stand this far into a hull that it touches, and must not stand in impassable ground afterwards.
    outline = drawn_in(body(next(iter(vehicle.figures.values()))).outline, 2 * SLACK + 1)
    return rules.book.kind(WRECK).piece(f"wreck-{vehicle.id}", WRECK, outline, f"Wreck of {vehicle.name}")
