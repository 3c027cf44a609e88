"""Landing and taking off: what the owner of a flyer says at the ends of its activation (fad4/move.fly,
fad5/move.flyer-airborne).
"""

from __future__ import annotations

from client_protocol.choices import Choice, Picked, Why
from server.kernel.answers.check import Asked
from server.kernel.bodies import pose
from server.kernel.facts import ConditionGained, ConditionLost
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import Outline
from server.kernel.space.hulls import enters, outline, smaller
from server.kernel.state import State, Unit
from server.rulesets.fad.game import LANDED, TOUCHED_DOWN, FadGame, FadRules
from server.rulesets.fad.vehicles.characteristics import mobility
from server.rulesets.fad.vehicles.driving import grounds_closed

RULE = "move.flyer-airborne"
TOUCHDOWN = "move.flyer-touchdown"
WHEELS = "wheel"
"""The mobility whose ground a flyer can land on."""
LANDABLE = "landable"
"""The flag of terrain on which flyers land though nothing drives on it: a roof."""


def flies(rules: FadRules, vehicle: Unit) -> bool:
    """Return whether a vehicle is a flyer, in the air or not."""
    return mobility(rules, vehicle).flies


def take_off(game: FadGame, vehicle: str) -> Steps[None]:
    """Let the owner of a landed flyer that is to act say whether it takes off (fad5/move.flyer-airborne)."""
    unit = game.unit(vehicle)
    rules = game.rules
    if not rules.book.tables.vehicles.touches_down or LANDED not in unit.conditions:
        return
    if rules.vehicles.stuck(unit) is not None:
        return
    seat = game.state.seat_of(vehicle)
    choices = (
        Choice("take-off", "Take off", RULE, "Sees and is seen over everything; cannot be assaulted."),
        Choice("stay-landed", "Stay on the ground", RULE, "Takes off if it drives."),
    )
    asked = Asked(f"{unit.name} may take off", choices, Picked("stay-landed"), RULE, vehicle)
    picked = yield from ask(seat, asked)
    if picked.choice == "take-off":
        yield ConditionLost(vehicle, LANDED, RULE)


def settle(game: FadGame, vehicle: str) -> Steps[None]:
    """Let the owner of a flyer say whether it is airborne or landed from now on."""
    if game.unit(vehicle).left or not flies(game.rules, game.unit(vehicle)):
        return
    if game.rules.book.tables.vehicles.touches_down and not game.rules.airborne(game.unit(vehicle)):
        # fad5/move.flyer-airborne: it takes off when it next activates
        return
    seat = game.state.seat_of(vehicle)
    state = game.believed(seat)
    unit = state.units[vehicle]
    stays = Choice("airborne", "In the air", RULE, "Sees and is seen over everything; cannot be assaulted.")
    if TOUCHED_DOWN in unit.conditions:
        # fad5/move.flyer-touchdown
        said = "Sees and is seen over everything; it can be assaulted until it activates again."
        stays = Choice("airborne", "Touch down briefly", TOUCHDOWN, said)
    choices = (
        stays,
        Choice(
            "land", "Land", RULE, "An ordinary target until it activates again.", (), blocked(game.rules, state, unit)
        ),
    )
    title = f"{unit.name}: in the air or landed?"
    picked = yield from ask(seat, Asked(title, choices, Picked("airborne"), RULE, vehicle))
    landed = LANDED in game.unit(vehicle).conditions
    if picked.choice == "land" and not landed:
        yield from land(game, vehicle, RULE)
    elif picked.choice == "airborne" and landed:
        yield ConditionLost(vehicle, LANDED, RULE)


def land(game: FadGame, vehicle: str, rule: str) -> Steps[None]:
    """Mark a flyer in the air as landed where it is, by a rule."""
    yield from lift_off(game, vehicle)
    yield ConditionGained(vehicle, LANDED, rule)


def come_down(game: FadGame, vehicle: str, rule: str) -> Steps[None]:
    """Land a flyer in the air that can fly no longer where it is, by a rule. Over impassable ground it stays on top of that, and
    counts as in the air.
    """
    ground = _ground(game.unit(vehicle))
    closed = game.rules.pieces_with(game.state, "impassable")
    if not any(piece.id in closed and enters(ground, piece) for piece in game.state.table.terrain):
        yield from land(game, vehicle, rule)


def touch_down(game: FadGame, vehicle: str) -> Steps[None]:
    """Mark a flyer in the air that lets troops off (fad5/move.flyer-touchdown)."""
    unit = game.unit(vehicle)
    if game.rules.airborne(unit) and TOUCHED_DOWN not in unit.conditions:
        yield ConditionGained(vehicle, TOUCHED_DOWN, TOUCHDOWN)


def lift_off(game: FadGame, vehicle: str) -> Steps[None]:
    """Take the marker off a flyer that had touched down, as it activates (fad5/move.flyer-touchdown)."""
    if TOUCHED_DOWN in game.unit(vehicle).conditions:
        yield ConditionLost(vehicle, TOUCHED_DOWN, TOUCHDOWN)


def blocked(rules: FadRules, state: State, unit: Unit) -> Why | None:
    """Return why a flyer cannot land where it is, or None if it can."""
    closed = grounds_closed(rules, state, rules.book.mobilities[WHEELS])
    ground = _ground(unit)
    for piece in state.table.terrain:
        if piece.id in closed and LANDABLE not in piece.flags and enters(ground, piece):
            return Why(f"{unit.name} cannot land on {piece.name}.", RULE)
    return None


def _ground(unit: Unit) -> Outline:
    hull = next(iter(unit.figures.values())).hull
    assert hull is not None, "a vehicle has a hull"
    return outline(pose(unit), smaller(hull))
