"""Plasma Cooler: a card that ends the turn at once. Units that have not activated may fire at short range, and do nothing else
(fad5/turn.plasma-cooler).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter
from server.kernel.answers.check import Asked
from server.kernel.facts import SideToAct
from server.kernel.procedure import Steps, ask
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.given_fire import fire_given, given_fire, may_fire_at
from server.rulesets.fad.sequence import by_expanded_cards
from server.rulesets.fad.vehicles.transport import waiting
from server.rulesets.shared.deck import discards
from server.rulesets.shared.distances import enemies_by_distance, visible_enemies
from server.rulesets.shared.roll_off import roll_off
from server.rulesets.shared.setup.book import ON

COOLER = "card:plasma-cooler"
"""The card in the deck. No unit has such an id."""
OPTION = "plasma_cooler"
"""The option that puts the card into the deck."""
RULE = "turn.plasma-cooler"
SHORT = ("base", "close")
"""The bands of short range: there is no band of that name."""


def left(state: State) -> list[str]:
    """Return the card if it is in the deck, which the expanded one always has, and not drawn yet."""
    there = state.options.get(OPTION) == ON or by_expanded_cards(state)
    return [COOLER] if there and COOLER not in discards(state) else []


def end_turn(game: FadGame) -> Steps[None]:
    """End the turn: the sides take turns to fire with a unit that has not activated, until both pass one after the other."""
    fired: set[str] = set()
    able = [side for side in game.state.sides if any(_able(game, side, fired))]
    order = (yield from roll_off(game, "end_fire", RULE, sides=able)) if len(able) > 1 else able
    passed = 0
    while order and passed < len(order):
        side = order[0]
        units = list(_able(game, side, fired))
        unit = (yield from _pick(game, side, units)) if units else ""
        if unit:
            fired.add(unit)
        passed = 0 if unit else passed + 1
        order = [*order[1:], side]


def _able(game: FadGame, side: str, fired: set[str]) -> Iterator[str]:
    """Yield the units of a side that may still fire, as the side knows it."""
    state = game.believed(game.state.sides[side].seat)
    for unit in waiting(state, side):
        if unit.on_table and unit.id not in fired and _may_fire(game.rules, state, unit):
            yield unit.id


def _may_fire(rules: FadRules, state: State, unit: Unit) -> bool:
    # Most enemies are out of reach: whether they are seen does not matter.
    return may_fire_at(rules, state, unit, RULE, enemies_by_distance(state, unit), SHORT)


def _fire_choice(rules: FadRules, state: State, unit: Unit) -> Choice:
    """Return the choice to fire at an enemy that a unit sees at short range: Fire Priority does not count."""
    seen = [near.unit for near in visible_enemies(rules, state, unit)]
    return given_fire(rules, state, unit, ("fire", "Fire"), RULE, seen, bands=SHORT)


def _pick(game: FadGame, side: str, units: Iterable[str]) -> Steps[str]:
    """Let a side fire with one of these units, and return that unit; "" if it passes."""
    yield SideToAct(side)
    seat = game.state.sides[side].seat
    candidates = tuple(Candidate(unit) for unit in units)
    text = "The unit fires at an enemy at short range, and does nothing else."
    choices = (
        Choice("end-fire", "Fire", RULE, text, (UnitParameter("Unit", candidates),)),
        Choice("pass", "Pass", RULE, "If both sides pass one after the other, the turn is over."),
    )
    picked = yield from ask(seat, Asked("The turn ends: fire with a unit, or pass", choices, Picked("pass"), RULE))
    if picked.choice == "pass":
        return ""
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    yield from _fire(game, named.unit)
    return named.unit


def _fire(game: FadGame, unit: str) -> Steps[None]:
    state = game.believed(game.state.seat_of(unit))
    choices = (_fire_choice(game.rules, state, state.units[unit]), Choice("hold-fire", "Hold fire", RULE))
    asked = Asked(f"{state.units[unit].name} may shoot", choices, Picked("hold-fire"), RULE, unit)
    picked = yield from ask(state.seat_of(unit), asked)
    if picked.choice == "fire":
        yield from fire_given(game, unit, picked)
