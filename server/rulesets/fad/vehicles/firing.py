"""Firing the weapons of a vehicle: each at a target of its own, or not at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec.structs import replace

from client_protocol.choices import (
    Assigned,
    AssignmentParameter,
    AssignmentRow,
    Choice,
    Picked,
    PointParameter,
    PointTaken,
    RowOption,
    Why,
)
from server.kernel.answers.check import Asked
from server.kernel.answers.points import check_point
from server.kernel.bodies import is_vehicle
from server.kernel.procedure import Steps, ask
from server.kernel.state import State, Unit
from server.rulesets.fad import blast, shooting
from server.rulesets.fad.fire_priority import permitted, targets
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.fad.vehicles.characteristics import weapons
from server.rulesets.fad.vehicles.fire_control import Pace, control, ready

RULE = "shoot.vehicle-weapons"


def fire_parameter(
    rules: FadRules, state: State, unit_id: str, spent: Collection[str] = (), pace: Pace = Pace.STILL
) -> AssignmentParameter | Why:
    """Return the parameter that asks which weapon is aimed at whom, or why none can be (fad4/shoot.vehicle-weapons).

    Each row is a mount that is not `spent` and may be fired at this pace, and each option a target. The suggestion is the nearest
    target for each weapon.
    """
    vehicle = state.units[unit_id]
    crippled = rules.vehicles.crippled(vehicle)
    if crippled is not None:
        return crippled
    rows: list[AssignmentRow] = []
    mounts, most = ready(rules, vehicle, pace, spent)
    why = Why(_no_weapon(rules, vehicle, pace), RULE)
    for mount in mounts:
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
    return weapons_parameter(unit_id, rows, most) if rows else why


def weapons_parameter(vehicle: str, rows: Sequence[AssignmentRow], most: int) -> AssignmentParameter:
    """Return the parameter that asks which weapons of a vehicle, at `most` so many, fire at whom. The suggestion is the first
    target of each.
    """
    return AssignmentParameter(
        label="Which weapon fires at whom",
        unit=vehicle,
        rows=tuple(rows),
        least=1,
        most=min(most, len(rows)),
        suggested={row.key: row.options[0].key for row in rows[:most]},
        none="does not fire",
    )


def unfit(rules: FadRules, state: State, vehicle: Unit, mount: str, target: Unit) -> Why | None:
    """Return why a weapon cannot be fired at a unit, wherever both are; None if it can."""
    weapon = rules.mounted(vehicle, mount)
    if weapon.blast and not is_vehicle(target):
        # fad4/blast.declare-role, fad5/blast.declare-shot-type
        return Why(
            f"The {weapon.name.lower()} fires blasts at infantry; aimed fire is for vehicles.", "blast.declare-role"
        )
    found = (
        effect.unfit(rules, state, weapon, target) for effect in rules.effects(weapon.id) if effect.unfit is not None
    )
    return next((why for why in found if why is not None), None)


def _no_weapon(rules: FadRules, vehicle: Unit, pace: Pace) -> str:
    own = control(rules, vehicle)
    if own is None or not weapons(vehicle):
        return f"{vehicle.name} has no weapon."
    moving = " at standard speed" if pace == Pace.STANDARD else ""
    return f"{vehicle.name} fires no more: fire control {own.name}{moving}."


def fire_choices(
    rules: FadRules,
    state: State,
    unit_id: str,
    named: tuple[str, str],
    rule: str,
    said: str,
    spent: Collection[str] = (),
    pace: Pace = Pace.STILL,
) -> Iterator[Choice]:
    """Yield the choices to fire from where the vehicle stands: aimed, by the key and label that are `named`, and for each weapon
    that blasts at a point.
    """
    parameter = fire_parameter(rules, state, unit_id, spent, pace)
    if isinstance(parameter, Why):
        yield Choice(*named, rule, said, (), parameter)
    else:
        yield Choice(*named, rule, said, (parameter,), preview=True)
    vehicle = state.units[unit_id]
    if rules.vehicles.crippled(vehicle) is None:
        for mount in ready(rules, vehicle, pace, spent)[0]:
            yield from blast.choices(rules, state, vehicle, mount)


def at_these(state: State, choices: Iterable[Choice], targets: Collection[str]) -> Iterator[Choice]:
    """Yield those of the choices to fire that can be taken, at these targets alone."""
    for choice in choices:
        (parameter,) = choice.parameters or (None,)
        if choice.why is not None:
            continue
        if isinstance(parameter, AssignmentParameter):
            aimed = _at(parameter, targets)
            if aimed is not None:
                yield replace(choice, parameters=(aimed,))
        elif isinstance(parameter, PointParameter):
            near = tuple(one for one in parameter.near if one in targets)
            if near:
                yield replace(choice, parameters=(_burst(state, parameter, near),))
            elif not parameter.near:
                # No target bounds it: it is any point in range.
                yield choice


def _at(parameter: AssignmentParameter, targets: Collection[str]) -> AssignmentParameter | None:
    """Return the assignment with these targets alone; None if there is no shot at any."""
    rows = tuple(
        replace(row, options=options)
        for row in parameter.rows
        if (options := tuple(option for option in row.options if option.unit in targets))
    )
    if not rows:
        return None
    most = min(parameter.most, len(rows))
    suggested = {row.key: row.options[0].key for row in rows[:most]}
    return replace(parameter, rows=rows, most=most, suggested=suggested)


def _burst(state: State, parameter: PointParameter, near: tuple[str, ...]) -> PointParameter:
    """Return the point with these targets alone; what was suggested stays if it is near one of them."""
    narrowed = replace(parameter, near=near)
    at = parameter.suggested
    if at is not None and check_point(state, narrowed, PointTaken(at)) is not None:
        return replace(narrowed, suggested=None)
    return narrowed


def offer_fire(
    game: FadGame,
    unit: str,
    spent: frozenset[str] = frozenset(),
    *,
    open_fire: bool = False,
    pace: Pace = Pace.STILL,
    among: Collection[str] | None = None,
) -> Steps[None]:
    """Offer the vehicle's fire with the weapons that are not `spent`, at its pace, until its owner holds fire or none is left.
    Its targets are `among` those of its Fire Priority when it began to fire: now, if they are left out.
    """
    seat = game.state.seat_of(unit)
    if among is None:
        among = in_priority(game, unit)
    while not game.unit(unit).left:
        state = game.believed(seat)
        offered = fire_choices(game.rules, state, unit, ("fire", "Fire"), RULE, "", spent, pace)
        able = [choice for choice in offered if choice.why is None] if not among else [*at_these(state, offered, among)]
        if not able:
            return
        choices = (*able, Choice("hold-fire", "Hold fire", RULE))
        asked = Asked(f"{state.units[unit].name} may fire", choices, Picked("hold-fire"), RULE, unit)
        picked = yield from ask(seat, asked)
        if picked.choice == "hold-fire":
            return
        spent = yield from fire(game, unit, picked, spent, open_fire=open_fire)


def in_priority(game: FadGame, unit: str) -> Collection[str]:
    """Return the enemies among which the targets of all weapons of a vehicle are that begins to fire
    (fad5/vehicle.fire-control.multiple-targets); none in an edition in which each is among those when its turn comes.
    """
    state = game.believed(game.state.seat_of(unit))
    vehicle = state.units[unit]
    return () if control(game.rules, vehicle) is None else permitted(game.rules, state, vehicle)


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
    if control(game.rules, vehicle) is not None:
        # fad5/turn.action-engage: each weapon may be aimed when its turn comes
        return spent | set(chosen)
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
