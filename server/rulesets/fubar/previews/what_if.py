"""What-if: what two units could do to each other from where they stand, and what is wrong with a place."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.choices import AssignmentParameter
from server.kernel.bodies import is_vehicle
from server.kernel.facts import ConditionLost, FiguresLost
from server.kernel.ruleset import Preview
from server.kernel.state import State, Unit
from server.rulesets.fubar import vehicles
from server.rulesets.fubar.aim import AIMED, DRIVE, HALT, REACTION, WALK, fire_parameter
from server.rulesets.fubar.assault import charge_parameter, charge_way
from server.rulesets.fubar.coherency import out_of_touch
from server.rulesets.fubar.game import (
    IMMOBILISED,
    ON_GUARD,
    REACTED,
    SUPPRESSED,
    UNTIL_NEXT_TRY,
    FubarRules,
    fighting,
    suppressed,
)
from server.rulesets.fubar.previews.close_combat import preview_assault
from server.rulesets.fubar.previews.fire import preview_fire
from server.rulesets.shared.previews.what_if import barred_ground

_TITLES = {
    WALK: "{} fires at {} on a Walk",
    AIMED: "{} stays and fires at {}: Aimed Fire",
    DRIVE: "{} fires at {} while it drives",
    HALT: "{} halts and fires at {}",
    REACTION: "{} is On Guard and fires back at {}",
}
_BACK = "{} fires back at {}"


def what_if(rules: FubarRules, state: State, unit_id: str, target_id: str) -> tuple[Preview, ...]:
    """Return what `unit_id`, once activated, could do to `target_id` from where both stand, and what the target could do in
    return.

    Empty for friends, or if one of them is not on the table or is in close combat.
    """
    unit, target = state.units[unit_id], state.units[target_id]
    if unit.side == target.side or not unit.on_table or not target.on_table or fighting(unit) or fighting(target):
        return ()
    there = _tried(state, unit_id)
    told = [_fire(rules, there, unit_id, target_id, moment, _TITLES[moment]) for moment in moments(unit)]
    if not is_vehicle(unit) and not is_vehicle(target):
        told.append(_assault(rules, there, unit_id, target_id))
    if suppressed(unit):
        up = f"The suppressed of {unit.name} are up again once it has tried to activate."
        told = [foreseen and replace(foreseen, notes=(*foreseen.notes, up)) for foreseen in told]
    if ON_GUARD in target.conditions and REACTED not in target.conditions:
        told.append(_fire(rules, there, target_id, unit_id, REACTION, _TITLES[REACTION]))
    else:
        steady = HALT if is_vehicle(target) else AIMED
        told.append(_fire(rules, _tried(there, target_id), target_id, unit_id, steady, _BACK))
    return tuple(foreseen for foreseen in told if foreseen is not None)


def amiss(rules: FubarRules, state: State, unit_id: str) -> tuple[str, ...]:
    """Return sentences on what is wrong with a unit's place: ground that it may not enter, figures out of touch
    (fubar4/unit.coherency).
    """
    unit = state.units[unit_id]
    told = barred_ground(state, unit, _barred(rules, state, unit))
    away = len(out_of_touch(rules, state, unit))
    if not away:
        return told
    return (*told, f"{away} of {unit.strength} figures of {unit.name} are out of touch with the others.")


def _barred(rules: FubarRules, state: State, unit: Unit) -> tuple[str, ...]:
    if not is_vehicle(unit):
        return rules.pieces_with(state, "impassable")
    # fubar4/vehicle.move-moderate: any ground that it could drive on by some action is allowed
    action = vehicles.DRIVE_COVER if vehicles.is_tank(rules, unit) else vehicles.DRIVE
    return vehicles.drive_parameter(rules, state, unit.id, action).barred


def moments(unit: Unit) -> tuple[str, ...]:
    """Return the moments at which a unit on the table may fire in its own activation."""
    if not is_vehicle(unit):
        return (WALK, AIMED)
    # fubar4/vdamage.immobilised
    return (HALT,) if IMMOBILISED in unit.conditions else (DRIVE, HALT)


def _tried(state: State, unit_id: str) -> State:
    """Return `state` after the unit has tried to activate.

    The effects of its last action are over (fubar4/action.table), and no figure of it is suppressed
    (fubar4/suppress.recover).
    """
    unit = state.units[unit_id]
    for condition in UNTIL_NEXT_TRY:
        if condition in unit.conditions:
            state = ConditionLost(unit_id, condition, "action.table").fold(state)
    down = tuple(suppressed(unit))
    return FiguresLost(unit_id, down, SUPPRESSED, "suppress.recover").fold(state) if down else state


def _fire(rules: FubarRules, state: State, unit_id: str, target_id: str, moment: str, title: str) -> Preview | None:
    parameter = fire_parameter(rules, state, unit_id, moment, [target_id])
    if not isinstance(parameter, AssignmentParameter):
        return None
    told = preview_fire(rules, state, unit_id, moment, parameter.suggested)
    if told is None:
        return None
    # The notes after the first say why other enemies cannot be fired at; those have previews of their own.
    named = title.format(state.units[unit_id].name, state.units[target_id].name)
    return replace(told, title=named, notes=told.notes[:1])


def _assault(rules: FubarRules, state: State, unit_id: str, target_id: str) -> Preview | None:
    way = charge_way(state, charge_parameter(rules, state, unit_id, target_id), target_id)
    return None if way is None else preview_assault(rules, state, unit_id, target_id, way)
