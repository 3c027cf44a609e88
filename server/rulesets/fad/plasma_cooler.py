"""Plasma Cooler: a card that ends the turn at once. Units that have not activated may fire at short range, and do nothing else
(fad5/turn.plasma-cooler).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter
from server.kernel.answers.check import Asked
from server.kernel.facts import SideToAct
from server.kernel.procedure import Steps, ask_later
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
    able = [side for side in game.state.sides if _any_able(game, side, fired)]
    order = (yield from roll_off(game, "end_fire", RULE, sides=able)) if len(able) > 1 else able
    passed = 0
    while order and passed < len(order):
        side = order[0]
        unit = (yield from _pick(game, side, frozenset(fired))) if _any_able(game, side, fired) else ""
        if unit:
            fired.add(unit)
        passed = 0 if unit else passed + 1
        order = [*order[1:], side]


def _any_able(game: FadGame, side: str, fired: Collection[str]) -> bool:
    """Return whether a side has a unit that may still fire, as the side knows it."""
    return any(_able(game.rules, side, fired, game.believed(game.state.sides[side].seat)))


def _able(rules: FadRules, side: str, fired: Collection[str], state: State) -> Iterator[str]:
    """Yield the units of a side that may still fire."""
    for unit in waiting(state, side):
        if unit.on_table and unit.id not in fired and _may_fire(rules, state, unit):
            yield unit.id


def _may_fire(rules: FadRules, state: State, unit: Unit) -> bool:
    # Most enemies are out of reach: whether they are seen does not matter.
    return may_fire_at(rules, state, unit, RULE, enemies_by_distance(state, unit), SHORT)


def _fire_choice(rules: FadRules, state: State, unit: Unit) -> Choice:
    """Return the choice to fire at an enemy that a unit sees at short range: Fire Priority does not count."""
    seen = [near.unit for near in visible_enemies(rules, state, unit)]
    return given_fire(rules, state, unit, ("fire", "Fire"), RULE, seen, bands=SHORT)


def _pick(game: FadGame, side: str, fired: Collection[str]) -> Steps[str]:
    """Let a side fire with one of its units that have not `fired`, and return that unit; "" if it passes."""
    yield SideToAct(side)
    seat = game.state.sides[side].seat
    picked = yield from ask_later(game, seat, partial(_asked_unit, game.rules, side, fired))
    if picked.choice == "pass":
        return ""
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    yield from _fire(game, named.unit)
    return named.unit


def _asked_unit(rules: FadRules, side: str, fired: Collection[str], state: State) -> Asked:
    candidates = tuple(Candidate(unit) for unit in _able(rules, side, fired, state))
    text = "The unit fires at an enemy at short range, and does nothing else."
    choices = (
        Choice("end-fire", "Fire", RULE, text, (UnitParameter("Unit", candidates),)),
        Choice("pass", "Pass", RULE, "If both sides pass one after the other, the turn is over."),
    )
    return Asked("The turn ends: fire with a unit, or pass", choices, Picked("pass"), RULE)


def _fire(game: FadGame, unit: str) -> Steps[None]:
    picked = yield from ask_later(game, game.state.seat_of(unit), partial(_asked_fire, game.rules, unit))
    if picked.choice == "fire":
        yield from fire_given(game, unit, picked)


def _asked_fire(rules: FadRules, unit: str, state: State) -> Asked:
    choices = (_fire_choice(rules, state, state.units[unit]), Choice("hold-fire", "Hold fire", RULE))
    return Asked(f"{state.units[unit].name} may shoot", choices, Picked("hold-fire"), RULE, unit)
