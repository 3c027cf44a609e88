"""Light mortars: they fire without a call at what any unit of their side sees."""

from __future__ import annotations

from client_protocol.choices import Choice, Picked, PointParameter, Spotter, Why
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Declared
from server.kernel.procedure import Steps
from server.kernel.space.geometry import inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad.blast import POINT
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.modules.indirect_fire.batteries import (
    SPOTTED,
    Battery,
    accuracy,
    cannot_fire,
    mortar,
    radius,
    reach,
)
from server.rulesets.fad.modules.indirect_fire.calls import ON_BOARD, point_of
from server.rulesets.fad.modules.indirect_fire.points import suggested
from server.rulesets.fad.modules.indirect_fire.strikes import Strike, land
from server.rulesets.fad.vehicles.firing import offer_fire

FIRE = "spotted-fire"
RULE = "adv.artillery-light-mortars"


def offer(rules: FadRules, state: State, unit: Unit) -> Choice | None:
    """Return the action to fire a light mortar at what others have spotted; None for a unit without one."""
    own = mortar(rules, unit, SPOTTED)
    if own is None:
        return None
    name, area = own.weapon.name.lower(), inches_text(own.weapon.radius)
    stays = "" if is_vehicle(unit) else f"; {unit.name} stays where it is"
    text = f"At a point that any unit of its side sees: strikes all infantry within {area}, friends too{stays}."
    why = cannot_fire(rules, state, own)
    if why is not None:
        return Choice(FIRE, f"Fire the {name} indirectly", RULE, text, why=why)
    return Choice(FIRE, f"Fire the {name} indirectly", RULE, text, (_point(rules, state, unit, own),), preview=True)


def _point(rules: FadRules, state: State, unit: Unit, own: Battery) -> PointParameter:
    friends = [friend for friend in state.units_of(unit.side) if friend.on_table]
    parameter = PointParameter(
        own.weapon.name,
        unit.id,
        own.figure,
        reach(rules, state, own),
        radius(rules, own.weapon),
        (),
        Why(""),
        reach_rule=ON_BOARD,
        sight_rule=POINT,
        spotters=tuple(Spotter(friend.id, (), rules.airborne(friend)) for friend in friends),
    )
    return suggested(rules, state, parameter, friends)


def strike_of(rules: FadRules, state: State, unit: str, picked: Picked) -> Strike:
    """Return the strike of a unit's light mortar at the point that `picked` names."""
    own = mortar(rules, state.units[unit], SPOTTED)
    assert own is not None, "the choice is offered to those who have a light mortar"
    return Strike(unit, own.figure, own.weapon, point_of(picked), accuracy(rules, state, own), off_table=False)


def fire(game: FadGame, unit: str, picked: Picked) -> Steps[None]:
    """Fire the light mortar of a unit that activates; it is not asked whether the call comes through."""
    own = mortar(game.rules, game.unit(unit), SPOTTED)
    assert own is not None, "the choice is offered to those who have a light mortar"
    yield Declared(unit, FIRE, RULE)
    yield from land(game, strike_of(game.rules, game.state, unit, picked))
    if is_vehicle(game.unit(unit)):
        yield from offer_fire(game, unit, frozenset({own.mount}))
