"""The activation of a vehicle: its crew is tested, then it takes one action."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Choice, PathsDeclared, Picked, UnitNamed
from server.kernel.answers.check import Asked
from server.kernel.facts import Declared
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad.blast import BLAST
from server.rulesets.fad.game import ENGAGE, MOVE_OUT, OPEN_FIRE, VEHICLE, FadGame, FadRules
from server.rulesets.fad.travel import arrive
from server.rulesets.fad.vehicles import letting_off, squads
from server.rulesets.fad.vehicles.assault import BY_VEHICLE, allowed, assault_infantry, victims
from server.rulesets.fad.vehicles.driving import CAUTIOUS, STANDARD, allowance, drive, drive_parameter
from server.rulesets.fad.vehicles.firing import fire, fire_choices, offer_fire
from server.rulesets.fad.vehicles.landing import settle
from server.rulesets.fad.vehicles.letting_off import choices as let_off
from server.rulesets.fad.vehicles.letting_off import picked_squad
from server.rulesets.fad.vehicles.passage import Passage
from server.rulesets.fad.vehicles.retreat import flee
from server.rulesets.fad.vehicles.riding import may_fire
from server.rulesets.fad.vehicles.standing import ABLE, FLEES
from server.rulesets.shared.targets import target_choice

DRIVE_FIRE = "drive-fire"
DRIVE_OUT = "drive-out"
FIRE_ALL = "fire-all"
FIRE_ABOARD = "fire-aboard"
ASSAULT = "vehicle-assault"
_ACTION_OF = {FIRE_ALL: OPEN_FIRE, FIRE_ABOARD: OPEN_FIRE, DRIVE_OUT: MOVE_OUT}
"""The action that a choice belongs to. Choices that are missing here are ways to engage the enemy."""


def activate(game: FadGame, vehicle: str) -> Steps[Passage]:
    """Test the crew of a vehicle, let it act as the tests allow, and return what is left to do for those aboard."""
    passage = Passage()
    standing = yield from game.rules.vehicles.check(game, vehicle)
    if standing == FLEES:
        yield from flee(game, vehicle)
    elif standing == ABLE:
        yield from act(game, vehicle, passage)
    yield from settle(game, vehicle)
    return passage


def act(game: FadGame, vehicle: str, passage: Passage) -> Steps[None]:
    """Let a vehicle take its one action (fad4/activation.one-action), or let troops off."""
    seat = game.state.seat_of(vehicle)
    while True:
        state = game.believed(seat)
        title = f"{state.units[vehicle].name}: choose its action"
        choices = (
            *actions(game.rules, state, vehicle),
            *let_off(game.rules, state, state.units[vehicle], passage.idle),
        )
        picked = yield from ask(seat, Asked(title, choices, Picked("hold"), "activation.one-action", vehicle))
        squad = picked_squad(picked)
        if not squad:
            yield from _carry_out(game, vehicle, picked, passage)
            return
        if (yield from _gets_off(game, squad, picked, passage)):
            yield from _let_more_off(game, vehicle, passage)
            return


def _gets_off(game: FadGame, squad: str, picked: Picked, passage: Passage) -> Steps[bool]:
    off = yield from letting_off.let_off(game, squad, picked)
    (passage.off if off else passage.idle).append(squad)
    return off


def _let_more_off(game: FadGame, vehicle: str, passage: Passage) -> Steps[None]:
    """Let further squads off, and then the vehicle fire: it has done all that it does with its move
    (fad4/transport.disembark-vehicle).
    """
    seat = game.state.seat_of(vehicle)
    rule = "transport.disembark-vehicle"
    passage.fires = True
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
    yield from offer_fire(game, vehicle)


def _carry_out(game: FadGame, vehicle: str, picked: Picked, passage: Passage) -> Steps[None]:
    passage.fires = picked.choice not in {DRIVE_OUT, ASSAULT}
    passage.open_fire = picked.choice in {FIRE_ALL, FIRE_ABOARD} or picked.choice.startswith(BLAST)
    if picked.choice == DRIVE_FIRE:
        # fad4/action.engage-vehicle: the shots come after the move
        yield Declared(vehicle, "engage", "action.engage-vehicle")
        yield from drive(game, vehicle, _way(picked), "drive", "move.vehicle-cautious")
        yield from arrive(game, vehicle)
        yield from offer_fire(game, vehicle)
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
        yield from drive(game, vehicle, _way(picked), "drive", "move.vehicle-standard")
        yield from arrive(game, vehicle)
    elif picked.choice == ASSAULT:
        named = picked.values[0]
        assert isinstance(named, UnitNamed), "checked against the choice"
        yield from assault_infantry(game, vehicle, named.unit)
    elif (added := game.rules.action(game.state, picked.choice)) is not None:
        yield from added.carry_out(game, vehicle, picked)
    else:
        yield Declared(vehicle, "hold", "action.engage-vehicle")


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
        *fire_choices(rules, state, vehicle, (FIRE_ALL, "Open Fire"), "action.open-fire", _open_fire(rules)),
        _drive_out(rules, state, unit),
        *_assault(rules, state, vehicle),
        *_fire_aboard(rules, state, unit),
        *rules.vehicle_offers(state, unit),
        Choice("hold", "Hold", engage, "Neither drive nor fire."),
    )
    return tuple(choice for choice in choices if rules.has_action(_ACTION_OF.get(choice.key, ENGAGE), VEHICLE))


def _assault(rules: FadRules, state: State, vehicle: str) -> Iterator[Choice]:
    if allowed(state):
        said = "Engage the Enemy: drive into infantry at cautious speed; it shoots first."
        yield target_choice(ASSAULT, "Close Assault", BY_VEHICLE, said, victims(rules, state, vehicle), BY_VEHICLE)


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
    parameter = drive_parameter(rules, state, unit.id, CAUTIOUS, squads.ends(rules, state, unit))
    if rules.vehicles.crippled(unit) is not None:
        # fad4/vehicle.damaged-limits
        return Choice(
            DRIVE_FIRE, "Drive", "vehicle.damaged-limits", f"Up to {far}: a damaged vehicle does no more.", (parameter,)
        )
    said = f"Engage the Enemy: drive up to {far} at cautious speed, and fire from there."
    return Choice(DRIVE_FIRE, "Drive, then fire", "action.engage-vehicle", said, (parameter,))


def _drive_out(rules: FadRules, state: State, unit: Unit) -> Choice:
    far = inches_text(allowance(rules, state, unit.id, STANDARD).value)
    parameter = drive_parameter(rules, state, unit.id, STANDARD, squads.ends(rules, state, unit))
    said = f"Drive up to {far} at standard speed, without firing."
    why = rules.vehicles.crippled(unit)
    return Choice(DRIVE_OUT, "Move Out", "action.move-out-vehicle", said, (parameter,), why)
