"""Troops in vehicles: getting in, getting out, and firing from inside (fubar4/vehicle.transport)."""

from __future__ import annotations

from client_protocol.choices import Assigned, AssignmentParameter, Choice, FiguresPlaced, Picked, Why
from server.kernel.answers.check import Asked
from server.kernel.bodies import body
from server.kernel.facts import Declared, UnitPlaced
from server.kernel.notes import pair
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import Outline, beyond, inches, inches_text
from server.kernel.state import State, Unit
from server.rulesets.fubar import aim, fire
from server.rulesets.fubar.game import MOVED, FubarGame, FubarRules
from server.rulesets.fubar.getting_out import space_round
from server.rulesets.shared import boarding, driving

RULE = "vehicle.transport"
GET_OUT = "get-out"
FIRE = "fire-aboard"
STAY = "stay-aboard"


# --- getting in -----------------------------------------------------------------------------------------------------


def too_fast(rules: FubarRules, state: State, vehicle: Unit) -> Why | None:
    """Return why a unit cannot get out of a vehicle this turn, because it has driven too far; None if it has not."""
    most = inches(rules.book.tables.transport.most_moved)
    gone = driving.gone_this_turn(state, pair(vehicle.profile, MOVED))
    if gone <= most:
        return None
    far, limit = beyond(gone, most), inches_text(most)
    return Why(f"{vehicle.name} has driven {far} this turn; units cannot get out after more than {limit}.", RULE)


def offer_seats(game: FubarGame, unit: str) -> Steps[None]:
    """Offer seats to a unit that has ended a Walk or a Run (fubar4/vehicle.transport).

    Every figure must be near a vehicle of its side that has seats for the whole unit.
    """
    yield from boarding.offer_seats(game, unit, inches(game.rules.book.tables.transport.reach), RULE)


# --- an activation aboard -------------------------------------------------------------------------------------------


def ride(game: FubarGame, unit: str) -> Steps[bool]:
    """Let a unit aboard a vehicle act after a successful activation, and return whether it has got out.

    A unit that has got out goes on with any action other than Assault.
    """
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    name = state.units[state.units[unit].aboard].name
    title = f"{state.units[unit].name}, aboard {name}"
    picked = yield from ask(seat, Asked(title, choices(game.rules, state, unit), Picked(STAY), RULE, unit))
    if picked.choice == GET_OUT:
        yield from alight(game, unit, picked)
        return True
    if picked.choice == FIRE:
        given = picked.values[0]
        assert isinstance(given, Assigned), "checked against the choice"
        yield from fire.fire(game, unit, aim.ABOARD, given.given)
    else:
        yield Declared(unit, STAY, RULE)
    return False


def choices(rules: FubarRules, state: State, unit_id: str) -> tuple[Choice, ...]:
    """Return the choices of a unit that is aboard a vehicle."""
    return (
        _out_choice(rules, state, unit_id),
        _fire_choice(rules, state, unit_id),
        Choice(STAY, "Stay aboard", RULE, "Nothing else this turn."),
    )


def _out_choice(rules: FubarRules, state: State, unit_id: str) -> Choice:
    unit = state.units[unit_id]
    vehicle = state.units[unit.aboard]
    reach = inches(rules.book.tables.transport.reach)
    space = space_round(rules, state, unit_id, _outline(vehicle))
    places = space.within(reach)
    why = too_fast(rules, state, vehicle)
    if why is None and len(places) < unit.strength:
        why = Why(f"There is no free space next to {vehicle.name} for all of {unit.name}.", RULE)
    consequence = "Placed next to the vehicle; then any action except Assault."
    parameter = space.placement(reach, places)
    return Choice(GET_OUT, "Get out", RULE, consequence, () if why else (parameter,), why)


def _fire_choice(rules: FubarRules, state: State, unit_id: str) -> Choice:
    vehicle = state.units[state.units[unit_id].aboard]
    label, consequence = "Fire from aboard", "Small arms and grenades, as on a Walk."
    if rules.vehicle_armour(vehicle).armoured:
        why = Why(f"{vehicle.name} is armoured: passengers cannot fire from it.", RULE)
        return Choice(FIRE, label, RULE, consequence, (), why)
    aimed = aim.fire_parameter(rules, state, unit_id, aim.ABOARD)
    if isinstance(aimed, AssignmentParameter):
        return Choice(FIRE, label, RULE, consequence, (aimed,), preview=True)
    return Choice(FIRE, label, RULE, consequence, (), aimed)


def alight(game: FubarGame, unit: str, picked: Picked) -> Steps[None]:
    """Place the unit where its owner says."""
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    yield UnitPlaced(unit, placed.places[0])


def _outline(vehicle: Unit) -> Outline:
    return body(next(iter(vehicle.figures.values()))).outline
