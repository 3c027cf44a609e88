"""The part of those aboard in the activation of their vehicle (fad4/transport.single-unit)."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import Choice, Picked
from server.kernel.answers.check import Asked
from server.kernel.bodies import riders
from server.kernel.facts import ActivationBegan, ActivationEnded, ConditionLost, Declared, Noted
from server.kernel.procedure import Steps, ask
from server.kernel.state import State, Unit
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.firing import fire_at, target_choice
from server.rulesets.fad.game import FadGame, FadRules, coming_off
from server.rulesets.fad.morale import RALLIED, UNBROKEN
from server.rulesets.fad.sequence import by_cards
from server.rulesets.fad.vehicles import letting_off
from server.rulesets.fad.vehicles.characteristics import armoured
from server.rulesets.fad.vehicles.passage import Passage
from server.rulesets.shared.deck import DISCARDS, discards

RULE = "transport.soft-skin-fire"
_CREWLESS = ("bailed_out", "routed")
"""The reasons for which a vehicle leaves the game with its crew: those aboard get out, and do not act again this turn."""
_EACH = "cards_of_a_unit"
"""The option that says how many cards a unit has."""


def act(game: FadGame, vehicle: str, aboard: Sequence[str], passage: Passage) -> Steps[None]:
    """Let those who were aboard a vehicle when it began to activate have their part: those that it let off, and then those who
    shoot from it. All of them have then activated (fad4/transport.separate-next-turn).
    """
    together = game.rules.book.tables.transport.together
    # fad5/transport.embarked-no-activation, fad5/transport.passengers-idle: only those that got off act
    for unit in (*passage.off, *(one for one in aboard if together and one not in passage.off)):
        if not game.unit(unit).left:
            yield from _act(game, unit, vehicle, passage)
    for unit in () if together else aboard:
        if game.unit(unit).aboard and not game.unit(unit).left:
            # fad5/turn.marker-removal: with the activation of their vehicle
            yield from _clear(game, unit)
    if not together and game.unit(vehicle).left in _CREWLESS:
        yield from _spend(game, aboard)


def _act(game: FadGame, unit: str, vehicle: str, passage: Passage) -> Steps[None]:
    inside = bool(game.unit(unit).aboard)
    # fad5/transport.disembark: it may have activated before it got in
    anew = game.unit(unit).activated < game.state.turn.number
    if anew:
        yield ActivationBegan(unit)
        if not game.rules.book.tables.transport.together:
            yield from _set_cards_aside(game, unit)
    if unit in passage.off:
        yield from letting_off.act(game, unit, vehicle, shaken=unit in passage.shaken)
    elif inside and passage.fires and unit not in passage.idle and not _no_fire(game.rules, game.unit(vehicle)):
        yield from _offer_fire(game, unit, open_fire=passage.open_fire)
    if inside or unit in passage.off:
        yield from _clear(game, unit)
    if anew:
        yield ActivationEnded(unit)


def _clear(game: FadGame, unit: str) -> Steps[None]:
    for condition in coming_off(game.rules, game.unit(unit)):
        yield ConditionLost(unit, condition, "activation.clear-markers")


def _spend(game: FadGame, aboard: Sequence[str]) -> Steps[None]:
    """Let those count as activated whose vehicle its crew has left in its activation (fad5/morale.vehicle-bail-out)."""
    for unit in aboard:
        if not game.unit(unit).left and game.unit(unit).activated < game.state.turn.number:
            yield ActivationBegan(unit)
            yield from _set_cards_aside(game, unit)
            yield from _clear(game, unit)
            yield ActivationEnded(unit)


def _set_cards_aside(game: FadGame, unit: str) -> Steps[None]:
    """Lay the cards of a squad that has activated by getting off on the discards: it had none while it was aboard
    (fad5/transport.embarked-no-activation).
    """
    if by_cards(game.state):
        each = game.state.options.get(_EACH, 1)
        assert isinstance(each, int), "the option is a number"
        drawn = discards(game.state)
        yield Noted(DISCARDS, (*drawn, *[unit] * (each - drawn.count(unit))))


def may_fire(rules: FadRules, state: State, vehicle: Unit) -> bool:
    """Return whether a squad aboard could shoot from the vehicle where it stands."""
    return not _no_fire(rules, vehicle) and any(
        row.why is None for unit in riders(state, vehicle.id) for row in targets(rules, state, unit.id)
    )


def _no_fire(rules: FadRules, vehicle: Unit) -> bool:
    return vehicle.left != "" or armoured(rules, vehicle)


def _offer_fire(game: FadGame, unit: str, *, open_fire: bool) -> Steps[None]:
    """Offer a squad aboard a shot from the vehicle's place. It checks its Resolve only if it wants to shoot."""
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    key = "open-fire" if open_fire else "fire"
    fire = target_choice(key, "Fire from aboard", RULE, "From the vehicle's place.", targets(game.rules, state, unit))
    if fire.why is not None:
        return
    own = state.units[unit]
    title = f"{own.name} may fire from {state.units[own.aboard].name}"
    hold = Choice("hold-fire", "Hold fire", RULE)
    picked = yield from ask(seat, Asked(title, (fire, hold), Picked("hold-fire"), RULE, unit))
    if picked.choice == "hold-fire":
        return
    standing = yield from game.rules.chapters.morale.check_resolve(game, unit)
    if standing in {UNBROKEN, RALLIED}:
        yield from fire_at(game, unit, picked, open_fire=open_fire)
    elif not game.unit(unit).left:
        yield Declared(unit, "stay-aboard", "transport.single-unit")
