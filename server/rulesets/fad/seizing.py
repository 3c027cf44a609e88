"""Seize initiative: a side whose initiative die is a 6 against a 1 may let a unit activate twice this turn
(fad5/turn.seize-initiative).
"""

from __future__ import annotations

from collections.abc import Mapping

from client_protocol.choices import Candidate, Choice, Picked, UnitNamed, UnitParameter
from server.kernel import notes
from server.kernel.answers.check import Asked
from server.kernel.facts import Noted
from server.kernel.procedure import Steps, ask
from server.kernel.state import State
from server.rulesets.fad.game import FadGame
from server.rulesets.fad.vehicles.transport import waiting

OPTION = "seize_initiative"
"""The option that says whether the initiative can be seized, and what for."""
OFF, ANY_UNIT = "off", "any-unit"
"""Its values for not at all, and for a second activation of any unit; otherwise it is one of the unit that has just activated."""
SEIZED = "initiative.seized"
"""The note of a match that names the side that may still let a unit activate once more this turn; "" if there is none."""
RULE = "turn.seize-initiative"
HIGH, LOW = 6, 1


def seize(state: State, scores: Mapping[str, int]) -> Steps[None]:
    """Note which side seizes the initiative by these dice, if one does. What was not used last turn is lost."""
    winner = max(scores, key=lambda side: scores[side])
    seized = state.options.get(OPTION, OFF) != OFF and sorted(scores.values()) == [LOW, HIGH]
    if seized or holder(state):
        yield Noted(SEIZED, winner if seized else "")


def holder(state: State) -> str:
    """Return the side that may still let a unit activate once more this turn; "" if there is none."""
    return notes.word(state.book, SEIZED, "")


def offer(game: FadGame, unit: str) -> Steps[str]:
    """After the activation of `unit` offer its side another activation, and return the unit that has it; "" for none."""
    state = game.state
    side = state.units[unit].side
    if side != holder(state):
        return ""
    candidates = _candidates(state, unit)
    if not candidates:
        return ""
    label = "Activate it again" if len(candidates) == 1 else "Activate a unit again"
    text = "It has the initiative seized by a 6 against a 1: its Resolve is checked again, and it takes another action."
    again = Choice("seize", label, RULE, text, (UnitParameter("Unit", candidates),))
    # The last unit of the side is its last chance.
    default = Picked("go-on") if waiting(state, side) else Picked("seize", (UnitNamed(candidates[0].unit),))
    choices = (again, Choice("go-on", "Keep the initiative", RULE, "What is not used by the end of the turn is lost."))
    asked = Asked("You have seized the initiative: let a unit activate again?", choices, default, RULE)
    picked = yield from ask(state.sides[side].seat, asked)
    if picked.choice != "seize":
        return ""
    named = picked.values[0]
    assert isinstance(named, UnitNamed), "checked against the choice"
    yield Noted(SEIZED, "")
    return named.unit


def _candidates(state: State, unit: str) -> tuple[Candidate, ...]:
    """Return the units that may activate again, the one that has just activated first."""
    others = state.units_of(state.units[unit].side) if state.options.get(OPTION) == ANY_UNIT else []
    keys = dict.fromkeys((unit, *(other.id for other in others if other.activated == state.turn.number)))
    return tuple(Candidate(key) for key in keys if state.units[key].on_table)
