"""Deployment: the shared procedure with this family's numbers (fubar4/setup.victory)."""

from __future__ import annotations

from server.kernel.bodies import is_vehicle
from server.kernel.facts import UnitNoted
from server.kernel.procedure import Steps
from server.kernel.space.geometry import centroid
from server.kernel.state import State, Unit
from server.rulesets.fubar.game import SET_UP, FubarGame, FubarRules
from server.rulesets.fubar.setup import forces
from server.rulesets.fubar.vehicles import is_tank
from server.rulesets.shared import boarding
from server.rulesets.shared.setup import deployment as shared
from server.rulesets.shared.setup.muster import Mustering

RULE = "setup.victory"


def deploy(game: FubarGame) -> Steps[None]:
    """Run one step of the deployment, and note where units are set up (fubar4/activation.failed-withdraw)."""
    before = {unit.id for unit in game.state.units.values() if unit.on_table or unit.aboard}
    yield from shared.deploy(game, deployment(game.rules, game.state))
    for unit in list(game.state.units.values()):
        if (unit.on_table or unit.aboard) and unit.id not in before and not is_vehicle(unit):
            # One that begins aboard is set up where its vehicle is.
            there = game.unit(unit.aboard) if unit.aboard else unit
            yield UnitNoted(unit.id, SET_UP, centroid([at for at, _ in there.places()]))


def mustering(rules: FubarRules) -> Mustering:
    """How forces that players bring get onto the roster (fubar4/unit.forces)."""
    return Mustering(
        rule="unit.forces",
        units_of=lambda force, side: forces.units_of(rules.book, force, side),
        crowded=lambda state, side: shared.crowding(state, side, deployment(rules, state)),
    )


def deployment(rules: FubarRules, state: State) -> shared.Deployment:
    """Return how the sides deploy in this match."""
    return shared.Deployment(
        rule=RULE,
        gap_rule="unit.coherency",
        # A unit may be set up out of touch: it pays for that at its activation.
        gap=lambda _state, _unit: 0,
        barred=lambda state, unit: barred(rules, state, unit),
        blind=state.options.get("deployment") == "blind",
        carriers=carriers,
        riding="vehicle.transport",
    )


def carriers(state: State, unit: Unit) -> list[str]:
    """Return the vehicles in which `unit` may begin the game: of its side, with seats for all of it
    (fubar4/vehicle.transport).
    """
    return [] if is_vehicle(unit) else boarding.carriers(state, unit)


def barred(rules: FubarRules, state: State, unit: Unit) -> tuple[str, ...]:
    """Return the terrain on which `unit` may not stand: impassable pieces, and for vehicles cover that they may not drive
    into (fubar4/vehicle.move-soft, fubar4/vehicle.move-moderate).
    """
    impassable = rules.pieces_with(state, "impassable")
    if not is_vehicle(unit):
        return impassable
    closed = {"hard"} if is_tank(rules, unit) else {"moderate", "hard"}
    solid = tuple(p.id for p in state.table.terrain if p.cover in closed and p.id not in impassable)
    return impassable + solid
