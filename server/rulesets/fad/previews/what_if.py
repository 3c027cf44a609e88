"""What-if: what two units could do to each other from where they stand, and what is wrong with a place."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from client_protocol.choices import AssignmentParameter, Choice, UnitParameter
from server.kernel.bodies import is_vehicle
from server.kernel.facts import ConditionLost
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import beyond, inches_text
from server.kernel.space.paths import largest_gap
from server.kernel.standing import TOUCH
from server.kernel.state import State, Unit
from server.rulesets.fad.charge import charge_parameter
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.game import OPEN_FIRE, FadRules, coming_off
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import Act
from server.rulesets.fad.morale import must_test
from server.rulesets.fad.movement import CoherencyDistance, crew_bond, widest_gap
from server.rulesets.fad.previews.blast import preview_blast
from server.rulesets.fad.previews.choices import preview_assault, preview_shot
from server.rulesets.fad.previews.vehicles import preview_fire
from server.rulesets.fad.ranging import bearer, point_at
from server.rulesets.fad.vehicles.characteristics import weapons
from server.rulesets.fad.vehicles.firing import fire_parameter
from server.rulesets.shared.charging import way_into_contact
from server.rulesets.shared.distances import apart
from server.rulesets.shared.previews.what_if import barred_ground


def what_if(rules: FadRules, state: State, unit_id: str, target_id: str) -> tuple[Preview, ...]:
    """Return what `unit_id` could do to `target_id` from where both stand, and what the target could do in return.

    Empty for friends, or if one of them is not on the table.
    """
    unit, target = state.units[unit_id], state.units[target_id]
    if unit.side == target.side or not unit.on_table or not target.on_table:
        return ()
    own = (
        _fire(rules, state, unit, target, f"{unit.name} fires at {target.name}"),
        _open_fire(rules, state, unit, target),
        *_blasts(rules, state, unit, target),
        _assault(rules, state, unit, target),
    )
    # fad4/activation.clear-markers: when the target activates, the unit has already had its activation
    after = state
    for condition in coming_off(rules, unit):
        after = ConditionLost(unit_id, condition, "activation.clear-markers").fold(after)
    back = _fire(rules, after, target, after.units[unit_id], f"{target.name} fires back at {unit.name}")
    return (*(_testing(rules, unit, told) for told in own if told), *(_testing(rules, target, t) for t in (back,) if t))


def amiss(rules: FadRules, state: State, unit_id: str) -> tuple[str, ...]:
    """Return sentences on what is wrong with a squad's place: impassable ground (fad4/terrain.agreed), or gaps that are too
    wide (fad4/coherency.distance).
    """
    unit = state.units[unit_id]
    told = barred_ground(state, unit, on_foot(rules, state).closed)
    places = unit.places()
    widest = largest_gap([at for at, _ in places], [radius for _, radius in places]) if places else 0
    limit = rules.advisers.answer(state, CoherencyDistance(unit_id)).value
    if widest > limit:
        far, most = beyond(widest, limit), inches_text(limit)
        told = (*told, f"{unit.name} is out of coherency: a gap is {far}; the limit is {most}.")
    crew, nearer = crew_bond(rules, state, unit)
    if (apart := widest_gap(unit, crew)) > nearer:
        # fad5/move.coherency-weapon-team
        far, most = beyond(apart, nearer), inches_text(nearer)
        told = (*told, f"The crew of {unit.name}'s weapon is out of coherency: a gap is {far}; the limit is {most}.")
    return told


def _fire(
    rules: FadRules, state: State, unit: Unit, target: Unit, title: str, *, open_fire: bool = False
) -> Preview | None:
    if is_vehicle(unit):
        return _vehicle_fire(rules, state, unit, target, title, open_fire=open_fire)
    # fad4/shoot.fire-priority: as a prompt lists them
    if not any(row.unit == target.id and row.why is None for row in targets(rules, state, unit.id)):
        return None
    told = preview_shot(rules, state, unit.id, target.id, open_fire=open_fire)
    return None if told is None else replace(told, title=title)


def _vehicle_fire(
    rules: FadRules, state: State, vehicle: Unit, target: Unit, title: str, *, open_fire: bool
) -> Preview | None:
    """Return the odds of all weapons of a vehicle that may be fired at the target."""
    parameter = fire_parameter(rules, state, vehicle.id)
    if not isinstance(parameter, AssignmentParameter):
        return None
    given = {row.key: target.id for row in parameter.rows if any(option.key == target.id for option in row.options)}
    told = preview_fire(rules, state, vehicle.id, given, open_fire=open_fire)
    if told is None:
        return None
    # fad5/shoot.vehicle-weapons
    most = "one of these weapons" if parameter.most == 1 else f"{parameter.most} of these weapons"
    limits = (f"It fires {most} in an activation.",) if parameter.most < len(given) else ()
    return replace(told, title=title, notes=(*told.notes, *limits))


def _open_fire(rules: FadRules, state: State, unit: Unit, target: Unit) -> Preview | None:
    if not rules.has_action(OPEN_FIRE):
        return None
    return _fire(rules, state, unit, target, f"{unit.name} stays and fires at {target.name}: Open Fire", open_fire=True)


def _blasts(rules: FadRules, state: State, unit: Unit, target: Unit) -> Iterator[Preview | None]:
    """Yield the odds of each weapon of the unit that blasts, fired at the best point around the target."""
    if is_vehicle(target) or (is_vehicle(unit) and rules.vehicles.crippled(unit) is not None):
        return
    for mount in weapons(unit) if is_vehicle(unit) else [""]:
        at = point_at(rules, state, unit, target.id, mount)
        served = bearer(rules, unit, mount)
        if at is not None and served is not None:
            told = preview_blast(rules, state, unit.id, at, mount)
            title = f"{unit.name} fires its {served[1].name.lower()} at a point by {target.name}"
            yield None if told is None else replace(told, title=title)


def _assault(rules: FadRules, state: State, unit: Unit, target: Unit) -> Preview | None:
    close = rules.vehicles.close if rules.chapters.vehicles is not None else None
    if is_vehicle(unit):
        # fad4/assault.by-vehicle
        if close is None:
            return None
        able = (choice.key for choice in close.charges(rules, state, unit.id) if _names(choice, target.id))
        told = [close.foretell_charge(rules, state, unit.id, target.id, key) for key in able]
        return told[0] if told else None
    if is_vehicle(target) and (rules.out_of_reach(target) or close is None):
        # fad4/move.fly
        return None
    # fad4/assault.declare
    if rules.barred(state, unit, Act.ASSAULT) is not None:
        return None
    parameter = charge_parameter(rules, state, unit.id, target.id)
    # A gap that is still called contact does not lengthen the charge.
    near = apart(unit, target) <= max(parameter.allowance, TOUCH)
    if not near or way_into_contact(state, parameter, target.id) is None:
        return None
    preview = close.foretell if is_vehicle(target) and close is not None else preview_assault
    return preview(rules, state, unit.id, target.id)


def _names(choice: Choice, target: str) -> bool:
    """Return whether a choice may name this unit."""
    found = (one for one in choice.parameters if isinstance(one, UnitParameter))
    return choice.why is None and any(row.unit == target and row.why is None for one in found for row in one.candidates)


def _testing(rules: FadRules, unit: Unit, told: Preview) -> Preview:
    """Return the preview `told` of an act of `unit`, with a note on the Morale Test that it must take first."""
    # fad4/resolve.infantry
    if is_vehicle(unit) or not must_test(rules, unit):
        return told
    return replace(told, notes=(*told.notes, f"{unit.name} must test its morale first, whenever it activates."))
