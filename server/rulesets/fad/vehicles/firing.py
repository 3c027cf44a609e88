"""Firing the weapons of a vehicle: each at a target of its own, or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

from client_protocol.choices import Assigned, AssignmentParameter, AssignmentRow, Choice, Picked, RowOption, Why
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.procedure import Steps, ask
from server.kernel.state import State, Unit
from server.rulesets.fad import blast, shooting
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.shot import Shot, aim, targets
from server.rulesets.fad.vehicles.characteristics import weapons

RULE = "shoot.vehicle-weapons"


def fire_parameter(
    rules: FadRules, state: State, unit_id: str, spent: Collection[str] = ()
) -> AssignmentParameter | Why:
    """Return the parameter that asks which weapon is aimed at whom, or why none can be (fad4/shoot.vehicle-weapons).

    Each row is a mount that is not `spent`, and each option a target. The suggestion is the nearest target for each weapon.
    """
    vehicle = state.units[unit_id]
    crippled = rules.vehicles.crippled(vehicle)
    if crippled is not None:
        return crippled
    rows: list[AssignmentRow] = []
    why = Why(f"{vehicle.name} has no weapon.", RULE)
    for mount in unspent(vehicle, spent):
        options = []
        for candidate in targets(rules, state, unit_id, mount):
            target = state.units[candidate.unit]
            barred = candidate.why or unfit(rules, state, vehicle, mount, target)
            if barred is None:
                options.append(RowOption(target.id, target.name, target.id, candidate.note))
            else:
                why = barred
        if options:
            rows.append(AssignmentRow(mount, rules.mounted(vehicle, mount).name, tuple(options)))
    if not rows:
        return why
    return AssignmentParameter(
        label="Which weapon fires at whom",
        unit=unit_id,
        rows=tuple(rows),
        least=1,
        most=len(rows),
        suggested={row.key: row.options[0].key for row in rows},
        none="does not fire",
    )


def unfit(rules: FadRules, state: State, vehicle: Unit, mount: str, target: Unit) -> Why | None:
    """Return why a weapon cannot be fired at a unit, wherever both are; None if it can."""
    weapon = rules.mounted(vehicle, mount)
    if weapon.blast and not is_vehicle(target):
        # fad4/blast.declare-role
        return Why(
            f"The {weapon.name.lower()} fires blasts at infantry; aimed fire is for vehicles.", "blast.declare-role"
        )
    found = (
        effect.unfit(rules, state, weapon, target) for effect in rules.effects(weapon.id) if effect.unfit is not None
    )
    return next((why for why in found if why is not None), None)


def unspent(vehicle: Unit, spent: Collection[str]) -> list[str]:
    """Return the mounts whose weapons can still be fired in this activation."""
    return [mount for mount in weapons(vehicle) if mount not in spent]


def fire_choices(
    rules: FadRules,
    state: State,
    unit_id: str,
    named: tuple[str, str],
    rule: str,
    said: str,
    spent: Collection[str] = (),
) -> Iterator[Choice]:
    """Yield the choices to fire from where the vehicle stands: aimed, by the key and label that are `named`, and for each weapon
    that blasts at a point.
    """
    parameter = fire_parameter(rules, state, unit_id, spent)
    if isinstance(parameter, Why):
        yield Choice(*named, rule, said, (), parameter)
    else:
        yield Choice(*named, rule, said, (parameter,), preview=True)
    vehicle = state.units[unit_id]
    if rules.vehicles.crippled(vehicle) is None:
        for mount in unspent(vehicle, spent):
            yield from blast.choices(rules, state, vehicle, mount)


def offer_fire(
    game: FadGame, unit: str, spent: frozenset[str] = frozenset(), *, open_fire: bool = False
) -> Steps[None]:
    """Offer the vehicle's fire with the weapons that are not `spent`, until its owner holds fire or none is left."""
    seat = game.state.seat_of(unit)
    while not game.unit(unit).left:
        state = game.believed(seat)
        offered = fire_choices(game.rules, state, unit, ("fire", "Fire"), RULE, "", spent)
        able = [choice for choice in offered if choice.why is None]
        if not able:
            return
        choices = (*able, Choice("hold-fire", "Hold fire", RULE))
        asked = Asked(f"{state.units[unit].name} may fire", choices, Picked("hold-fire"), RULE, unit)
        picked = yield from ask(seat, asked)
        if picked.choice == "hold-fire":
            return
        spent = yield from fire(game, unit, picked, spent, open_fire=open_fire)


def fire(
    game: FadGame, unit: str, picked: Picked, spent: frozenset[str] = frozenset(), *, open_fire: bool = False
) -> Steps[frozenset[str]]:
    """Fire as `picked` says, and return the mounts that are spent then. What was not aimed stays silent, unless it blasts."""
    mount = blast.mount_of(picked.choice)
    if picked.choice.startswith(blast.BLAST):
        yield from blast.fire(game, unit, picked)
        return spent | {mount}
    chosen = given(picked)
    yield from fire_all(game, unit, chosen, open_fire=open_fire)
    vehicle = game.unit(unit)
    return spent | set(chosen) | {key for key in vehicle.mounts if not game.rules.mounted(vehicle, key).blasts}


def given(picked: Picked) -> Mapping[str, str]:
    """Return the target of each weapon that fires."""
    value = picked.values[0]
    assert isinstance(value, Assigned), "checked against the choice"
    return value.given


def fire_all(game: FadGame, unit: str, chosen: Mapping[str, str], *, open_fire: bool = False) -> Steps[None]:
    """Fire each weapon once at its target, in the order of the mounts (fad4/shoot.vehicle-speed)."""
    for mount in weapons(game.unit(unit)):
        target = chosen.get(mount)
        if target is None or game.unit(target).left or game.unit(unit).left:
            continue
        # An earlier shot may have left nothing that this weapon could hit.
        shot = aim(game.rules, game.state, unit, target, mount)
        if isinstance(shot, Shot):
            yield from shooting.shoot(game, shot, open_fire=open_fire)
