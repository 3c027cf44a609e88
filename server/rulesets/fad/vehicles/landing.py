"""Landing and taking off: what the owner of a flyer says at the end of its activation (fad4/move.fly)."""

from __future__ import annotations

from client_protocol.choices import Choice, Picked, Why
from server.kernel.answers.check import Asked
from server.kernel.bodies import pose
from server.kernel.facts import ConditionGained, ConditionLost
from server.kernel.procedure import Steps, ask
from server.kernel.space.hulls import enters, outline, smaller
from server.kernel.state import State, Unit
from server.rulesets.fad.game import LANDED, FadGame, FadRules
from server.rulesets.fad.vehicles.characteristics import mobility
from server.rulesets.fad.vehicles.driving import grounds_closed

RULE = "move.fly"
WHEELS = "wheel"
"""The mobility whose ground a flyer can land on."""


def settle(game: FadGame, vehicle: str) -> Steps[None]:
    """Let the owner of a flyer say whether it is airborne or landed from now on."""
    if game.unit(vehicle).left or not mobility(game.rules, game.unit(vehicle)).flies:
        return
    seat = game.state.seat_of(vehicle)
    state = game.believed(seat)
    unit = state.units[vehicle]
    choices = (
        Choice("airborne", "In the air", RULE, "Sees and is seen over everything; cannot be assaulted."),
        Choice(
            "land", "Land", RULE, "An ordinary target until it activates again.", (), blocked(game.rules, state, unit)
        ),
    )
    title = f"{unit.name}: in the air or landed?"
    picked = yield from ask(seat, Asked(title, choices, Picked("airborne"), RULE, vehicle))
    landed = LANDED in game.unit(vehicle).conditions
    if picked.choice == "land" and not landed:
        yield ConditionGained(vehicle, LANDED, RULE)
    elif picked.choice == "airborne" and landed:
        yield ConditionLost(vehicle, LANDED, RULE)


def blocked(rules: FadRules, state: State, unit: Unit) -> Why | None:
    """Return why a flyer cannot land where it is, or None if it can."""
    closed = grounds_closed(rules, state, rules.book.mobilities[WHEELS])
    hull = next(iter(unit.figures.values())).hull
    assert hull is not None, "a vehicle has a hull"
    ground = outline(pose(unit), smaller(hull))
    for piece in state.table.terrain:
        if piece.id in closed and enters(ground, piece):
            return Why(f"{unit.name} cannot land on {piece.name}.", RULE)
    return None
