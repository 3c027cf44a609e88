"""The activation of a vehicle: its crew is tested, then it takes one action."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from client_protocol.choices import Choice, PathParameter, PathsDeclared, Picked, Why
from server.kernel.answers.check import Asked
from server.kernel.bodies import pose
from server.kernel.facts import Declared
from server.kernel.procedure import Steps, ask, ask_later
from server.kernel.space.geometry import inches, inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad.blast import BLAST
from server.rulesets.fad.game import ENGAGE, MOVE_OUT, OPEN_FIRE, VEHICLE, FadGame, FadRules
from server.rulesets.fad.travel import arrive
from server.rulesets.fad.vehicles import letting_off, squads
from server.rulesets.fad.vehicles.assault import ASSAULTS
from server.rulesets.fad.vehicles.characteristics import mobility
from server.rulesets.fad.vehicles.driving import CAUTIOUS, STANDARD, allowance, drive, drive_parameter, drive_rule
from server.rulesets.fad.vehicles.fire_control import Pace, control, pace_before, pace_of
from server.rulesets.fad.vehicles.firing import fire, fire_choices, in_priority, offer_fire
from server.rulesets.fad.vehicles.flights import FLIGHTS, SCOOT, STRAFE
from server.rulesets.fad.vehicles.flights import choices as flights
from server.rulesets.fad.vehicles.landing import lift_off, settle, take_off
from server.rulesets.fad.vehicles.letting_off import choices as let_off
from server.rulesets.fad.vehicles.letting_off import picked_squad
from server.rulesets.fad.vehicles.passage import Passage
from server.rulesets.fad.vehicles.riding import may_fire
from server.rulesets.fad.vehicles.standing import ABLE, FLEES, LETS_OFF

DRIVE_FIRE = "drive-fire"
DRIVE_OUT = "drive-out"
FIRE_DRIVE = "fire-drive"
FIRE_ALL = "fire-all"
FIRE_ABOARD = "fire-aboard"
_ACTION_OF = {FIRE_ALL: OPEN_FIRE, FIRE_ABOARD: OPEN_FIRE, DRIVE_OUT: MOVE_OUT, SCOOT: MOVE_OUT, STRAFE: MOVE_OUT}
"""The action that a choice belongs to. Choices that are missing here are ways to engage the enemy."""


def activate(game: FadGame, vehicle: str) -> Steps[Passage]:
    """Test the crew of a vehicle, let it act as the tests allow, and return what is left to do for those aboard."""
    passage = Passage()
    yield from lift_off(game, vehicle)
    standing = yield from game.rules.vehicles.check(game, vehicle)
    if standing == FLEES:
        yield from game.rules.vehicles.flee(game, vehicle)
    elif standing in {ABLE, LETS_OFF}:
        began = pose(game.unit(vehicle)).at
        yield from take_off(game, vehicle)
        yield from act(game, vehicle, passage)
        yield from squads.note(game, vehicle, began)
    yield from settle(game, vehicle)
    return passage


def act(game: FadGame, vehicle: str, passage: Passage) -> Steps[None]:
    """Let a vehicle take its one action (fad4/activation.one-action), or let troops off."""
    seat = game.state.seat_of(vehicle)
    while True:
        picked = yield from ask_later(game, seat, partial(_asked_action, game.rules, vehicle, tuple(passage.idle)))
        squad = picked_squad(picked)
        added = game.rules.action(game.state, picked.choice)
        if added is not None and added.free:
            yield from added.carry_out(game, vehicle, picked)
            continue
        if not squad:
            yield from _carry_out(game, vehicle, picked, passage)
            return
        if (yield from _gets_off(game, squad, picked, passage)):
            yield from _let_more_off(game, vehicle, passage)
            return


def _asked_action(rules: FadRules, vehicle: str, idle: Sequence[str], state: State) -> Asked:
    title = f"{state.units[vehicle].name}: choose its action"
    choices = (*actions(rules, state, vehicle), *let_off(rules, state, state.units[vehicle], idle))
    return Asked(title, choices, Picked("hold"), "activation.one-action", vehicle)


def _gets_off(game: FadGame, squad: str, picked: Picked, passage: Passage) -> Steps[bool]:
    off = yield from letting_off.let_off(game, squad, picked, passage)
    (passage.off if off else passage.idle).append(squad)
    return off


def _let_more_off(game: FadGame, vehicle: str, passage: Passage) -> Steps[None]:
    """Let further squads off, and then the vehicle fire: it has done all that it does with its move
    (fad4/transport.disembark-vehicle). Or that was the whole of its activation (fad5/transport.disembark).
    """
    seat = game.state.seat_of(vehicle)
    rule = "transport.disembark-vehicle"
    passage.fires = game.rules.book.tables.transport.together
    while True:
        state = game.believed(seat)
        further = tuple(let_off(game.rules, state, state.units[vehicle], passage.idle))
        if not any(choice.why is None for choice in further):
            break
        enough = Choice("no-more-off", "Let no more off", rule)
        asked = Asked(
            f"{state.units[vehicle].name} may let more off", (*further, enough), Picked("no-more-off"), rule, vehicle
        )
        picked = yield from ask(seat, asked)
        squad = picked_squad(picked)
        if not squad:
            break
        yield from _gets_off(game, squad, picked, passage)
    if passage.fires:
        yield from offer_fire(game, vehicle)


def _carry_out(game: FadGame, vehicle: str, picked: Picked, passage: Passage) -> Steps[None]:
    passage.fires = picked.choice not in {DRIVE_OUT, *ASSAULTS}
    stays = game.rules.has_action(OPEN_FIRE, VEHICLE)
    passage.open_fire = stays and (picked.choice in {FIRE_ALL, FIRE_ABOARD} or picked.choice.startswith(BLAST))
    if picked.choice == DRIVE_FIRE:
        # fad4/action.engage-vehicle: the shots come after the move
        yield Declared(vehicle, "engage", "action.engage-vehicle")
        way = _way(picked)
        pace = pace_of(game.rules, game.unit(vehicle), next(iter(way.paths.values()), ()), way.facing)
        yield from drive(game, vehicle, way, *_manner(game, vehicle, CAUTIOUS))
        yield from arrive(game, vehicle)
        yield from offer_fire(game, vehicle, pace=pace)
    elif not stays and (picked.choice == FIRE_DRIVE or picked.choice.startswith(BLAST)):
        yield Declared(vehicle, "engage", "action.engage-vehicle")
        pace, among = pace_before(game.rules, game.unit(vehicle)), in_priority(game, vehicle)
        spent = yield from fire(game, vehicle, picked)
        yield from offer_fire(game, vehicle, spent, pace=pace, among=among)
        yield from _drive_after_fire(game, vehicle)
    elif picked.choice == FIRE_ALL or picked.choice.startswith(BLAST):
        # fad4/action.open-fire
        spent = yield from fire(game, vehicle, picked, open_fire=True)
        yield from offer_fire(game, vehicle, spent, open_fire=True)
    elif picked.choice == FIRE_ABOARD:
        # fad4/transport.soft-skin-fire
        yield Declared(vehicle, "open-fire-aboard", "transport.soft-skin-fire")
    elif picked.choice == DRIVE_OUT:
        # fad4/action.move-out-vehicle
        yield Declared(vehicle, "move-out", "action.move-out-vehicle")
        yield from drive(game, vehicle, _way(picked), *_manner(game, vehicle, STANDARD))
        yield from arrive(game, vehicle)
        own = control(game.rules, game.unit(vehicle))
        if own is not None and own.standard and not mobility(game.rules, game.unit(vehicle)).jumps:
            # fad5/move.vehicle-fire-at-standard, fad5/move.warp-standard
            yield from offer_fire(game, vehicle, pace=Pace.STANDARD)
    elif picked.choice in FLIGHTS:
        yield from FLIGHTS[picked.choice](game, vehicle, _way(picked))
    elif picked.choice in ASSAULTS and game.rules.vehicles.close is not None:
        yield from game.rules.vehicles.close.charge(game, vehicle, picked)
    elif (added := game.rules.action(game.state, picked.choice)) is not None:
        yield from added.carry_out(game, vehicle, picked)
    else:
        yield Declared(vehicle, "hold", "action.engage-vehicle")


def _manner(game: FadGame, vehicle: str, speed: str) -> tuple[str, str]:
    """Return how a vehicle drives at a speed, as a word of the log and its rule."""
    return ("warp" if mobility(game.rules, game.unit(vehicle)).jumps else "drive"), drive_rule(
        game.rules, game.unit(vehicle), speed
    )


def _drive_after_fire(game: FadGame, vehicle: str) -> Steps[None]:
    """Let a vehicle drive that has fired, at cautious speed (fad5/turn.action-engage)."""
    seat = game.state.seat_of(vehicle)
    state = game.believed(seat)
    unit = state.units[vehicle]
    if unit.left or (game.rules.vehicles.stuck(unit) or squads.held(game.rules, state, unit)) is not None:
        return
    manner, rule = _manner(game, vehicle, CAUTIOUS)
    picked = yield from ask_later(game, seat, partial(_asked_drive, game.rules, vehicle, rule))
    if picked.choice == "drive":
        yield from drive(game, vehicle, _way(picked), manner, rule)
        yield from arrive(game, vehicle)


def _asked_drive(rules: FadRules, vehicle: str, rule: str, state: State) -> Asked:
    unit = state.units[vehicle]
    far = inches_text(allowance(rules, state, vehicle, CAUTIOUS).value)
    parameter = squads.keeping(rules, state, drive_parameter(rules, state, vehicle, CAUTIOUS))
    own = control(rules, unit)
    if own is not None and pace_before(rules, unit) == Pace.SLOW:
        # fad5/vehicle.fire-control.close-support
        slow = min(parameter.allowance, inches(rules.book.tables.vehicles.slow))
        parameter, far = replace(parameter, allowance=slow, allowance_rule=own.rule), inches_text(slow)
    shown = rules.foretells_moves(state)
    choices = (
        Choice("drive", "Drive", rule, f"Up to {far}, at cautious speed.", (parameter,), preview=shown),
        Choice("stay", "Stay", rule, "It stays where it is."),
    )
    return Asked(f"{unit.name} has fired, and may drive", choices, Picked("stay"), rule, vehicle)


def _way(picked: Picked) -> PathsDeclared:
    way = picked.values[0]
    assert isinstance(way, PathsDeclared), "checked against the choice"
    return way


def actions(rules: FadRules, state: State, vehicle: str) -> tuple[Choice, ...]:
    """Return the choices of a vehicle that acts."""
    unit = state.units[vehicle]
    engage = "action.engage-vehicle"
    choices = (
        _drive_fire(rules, state, unit),
        *_fire(rules, state, vehicle),
        _drive_out(rules, state, unit),
        *flights(rules, state, unit, _stays(rules, state, unit)),
        *(rules.vehicles.close.charges(rules, state, vehicle) if rules.vehicles.close is not None else ()),
        *_fire_aboard(rules, state, unit),
        *rules.vehicle_offers(state, unit),
        Choice("hold", "Hold", engage, "Neither drive nor fire."),
    )
    return tuple(choice for choice in choices if rules.has_action(_ACTION_OF.get(choice.key, ENGAGE), VEHICLE))


def _fire(rules: FadRules, state: State, vehicle: str) -> Iterator[Choice]:
    if rules.has_action(OPEN_FIRE, VEHICLE):
        yield from fire_choices(rules, state, vehicle, (FIRE_ALL, "Open Fire"), "action.open-fire", _open_fire(rules))
        return
    # fad5/turn.action-engage: all that it fires comes before the move, or all after it
    unit = state.units[vehicle]
    own, pace = control(rules, unit), pace_before(rules, unit)
    limits = "" if own is None else f" Fire control {own.name}: {own.text}."
    said, label = "Engage the Enemy: fire, and drive at cautious speed afterwards.", "Fire, then drive"
    if (stuck := rules.vehicles.stuck(unit)) is not None:
        said, label = f"Engage the Enemy: fire. {stuck.sentence}", "Fire"
    elif pace == Pace.SLOW:
        said = f"Engage the Enemy: fire, and drive up to {inches_text(inches(rules.book.tables.vehicles.slow))} afterwards."
    yield from fire_choices(
        rules, state, vehicle, (FIRE_DRIVE, label), "action.engage-vehicle", said + limits, pace=pace
    )


def _fire_aboard(rules: FadRules, state: State, vehicle: Unit) -> Iterator[Choice]:
    """Yield the choice of Open Fire in which the vehicle's own weapons stay silent, or it has none."""
    if may_fire(rules, state, vehicle):
        bonus = rules.book.tables.fire_effect_modifiers.open_fire
        said = f"Stay where it is; the squads aboard fire, with {bonus:+d}, and the vehicle does not."
        why = rules.vehicles.crippled(vehicle)
        yield Choice(FIRE_ABOARD, "Open Fire from aboard only", "transport.soft-skin-fire", said, (), why)


def _open_fire(rules: FadRules) -> str:
    bonus = rules.book.tables.fire_effect_modifiers.open_fire
    return f"Fire each weapon once, with {bonus:+d}, and stay where it is."


def _drive_fire(rules: FadRules, state: State, unit: Unit) -> Choice:
    far = inches_text(allowance(rules, state, unit.id, CAUTIOUS).value)
    parameter = squads.keeping(rules, state, drive_parameter(rules, state, unit.id, CAUTIOUS))
    stuck = rules.vehicles.stuck(unit)
    if (why := squads.held(rules, state, unit)) is not None and stuck is None:
        # fad5/move.vehicle-formations: it may fire
        still = replace(parameter, allowance=0, limits=(), dear=None, allowance_rule=squads.RULE)
        return Choice(
            DRIVE_FIRE, "Turn, then fire", squads.RULE, f"It may turn on the spot, and fire. {why.sentence}", (still,)
        )
    if rules.vehicles.crippled(unit) is not None and stuck is None:
        # fad4/vehicle.damaged-limits
        return Choice(
            DRIVE_FIRE, "Drive", "vehicle.damaged-limits", f"Up to {far}: a damaged vehicle does no more.", (parameter,)
        )
    shown = rules.foretells_moves(state)
    said = f"Engage the Enemy: drive up to {far} at cautious speed, and fire from there."
    if mobility(rules, unit).jumps:
        # fad5/move.warp
        said = f"Engage the Enemy: redeploy up to {far} away, and fire from there."
        return Choice(DRIVE_FIRE, "Warp, then fire", "move.warp", said, (parameter,), stuck, shown)
    said += _off_road(parameter)
    return Choice(DRIVE_FIRE, "Drive, then fire", "action.engage-vehicle", said, (parameter,), stuck, shown)


def _drive_out(rules: FadRules, state: State, unit: Unit) -> Choice:
    far = inches_text(allowance(rules, state, unit.id, STANDARD).value)
    parameter = squads.keeping(rules, state, drive_parameter(rules, state, unit.id, STANDARD))
    own = control(rules, unit)
    fires = "and fire as its fire control lets it" if own is not None and own.standard else "without firing"
    said = f"Drive up to {far} at standard speed, {fires}."
    why = _stays(rules, state, unit)
    if mobility(rules, unit).jumps:
        # fad5/move.warp-standard
        said = "Redeploy anywhere on the table, without firing."
        return Choice(
            DRIVE_OUT, "Warp away", "move.warp-standard", said, (parameter,), why, rules.foretells_moves(state)
        )
    said += _off_road(parameter)
    return Choice(
        DRIVE_OUT, "Move Out", "action.move-out-vehicle", said, (parameter,), why, rules.foretells_moves(state)
    )


def _off_road(parameter: PathParameter) -> str:
    """Return what a choice says of ground that costs more than roads, as a sentence with a space before it; "" for most."""
    return "" if parameter.dear is None else f" {parameter.dear.sentence}"


def _stays(rules: FadRules, state: State, unit: Unit) -> Why | None:
    """Return why a vehicle goes nowhere at standard speed; None if it may."""
    return rules.vehicles.stuck(unit) or rules.vehicles.crippled(unit) or squads.held(rules, state, unit)
