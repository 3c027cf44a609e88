"""The Commander card: a commander activates a unit that is under his command (fad5/turn.cards-commander)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter, Why
from server.kernel import notes
from server.kernel.answers.check import Asked
from server.kernel.facts import Declared, Noted
from server.kernel.procedure import Steps, ask_later
from server.kernel.state import State, Unit
from server.rulesets.fad.commanders import under
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.special_cards import COMMANDER_RULE

OPTION = "commander_card"
"""The option that says whether the activation is brought forward or is one more."""
EXTRA = "extra"
"""Its value for one more."""
COMMANDED = "cards.commanded"
"""The note of a match that lists the units that commanders have activated this turn, each as often as they did."""


def extra(state: State) -> bool:
    """Return whether what a commander activates uses up none of its cards."""
    return state.options.get(OPTION) == EXTRA


def commanded(state: State) -> tuple[str, ...]:
    """Return the units that commanders have activated this turn."""
    return notes.words(state.book, COMMANDED)


def forget(state: State) -> Steps[None]:
    """Begin a turn, in which none has."""
    if commanded(state):
        yield Noted(COMMANDED, ())


def _candidate(state: State, commander: str, unit: Unit, able: Sequence[str]) -> Candidate:
    """Return a unit of the commander's side, with why he may not activate it."""
    if unit.id in able:
        return Candidate(unit.id)
    if unit.id not in {one.id for one in under(state, state.units[commander])}:
        sentence = f"{unit.name} is not under the command of this commander."
    elif unit.aboard or unit.attached:
        sentence = f"{unit.name} does not activate on its own."
    else:
        sentence = f"{unit.name} has no card left in the deck."
    return Candidate(unit.id, "", Why(sentence, COMMANDER_RULE))


def command(game: FadGame, commander: str, units: Sequence[str]) -> Steps[str]:
    """Ask a commander which of these units activates now, and return it; "" for none."""
    seat = game.state.seat_of(commander)
    picked = yield from ask_later(game, seat, partial(_asked, commander, units))
    if picked.choice == "no-command":
        return ""
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    own = named.unit == commander
    yield Declared(commander, "commands-own" if own else "commands", COMMANDER_RULE, "" if own else named.unit)
    yield Noted(COMMANDED, (*commanded(game.state), named.unit))
    return named.unit


def _asked(commander: str, units: Sequence[str], state: State) -> Asked:
    text = (
        "It activates once more this turn."
        if extra(state)
        else "It activates now, and its card is taken out of the deck."
    )
    candidates = tuple(
        _candidate(state, commander, unit, units) for unit in state.units_of(state.units[commander].side)
    )
    choices = (
        Choice("activate", "Activate", COMMANDER_RULE, text, (UnitParameter("Unit", candidates),), preview=True),
        Choice("no-command", "None", COMMANDER_RULE, "The card is used up."),
    )
    title = f"The Commander card of {state.units[commander].name}: activate a unit?"
    return Asked(title, choices, Picked("no-command"), COMMANDER_RULE)
