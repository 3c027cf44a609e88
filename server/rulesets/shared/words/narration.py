"""Sentences for facts that are the same in every game. Nothing here decides anything."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from msgspec import Struct, field

from client_protocol.view import Die, Story, Trail, Word
from server.kernel import facts
from server.kernel.facts import Fact
from server.kernel.march import Paths
from server.kernel.space.geometry import about
from server.kernel.space.paths import path_length
from server.kernel.state import State, Unit

R = TypeVar("R")
Teller = Callable[[State, Any], Story | None]
OwnTeller = Callable[[R, State, Any], Story | None]
"""A teller of one family, which takes names and numbers from the family's rules."""

LEAVING = {
    "destroyed": "is destroyed",
    "left_table": "has left the table",
    "no_room": "finds no free space in its deployment zone and stays out of the game",
}
"""The sentences for units that leave the game, the same in every family."""


class Phrases(Struct, frozen=True, gc=False):
    """The words that a family brings to the shared sentences: the rules of the turn, of activations, of deployment and of
    objectives; how units move and leave (in addition to `LEAVING`), by the keys in the facts; and the names of its
    conditions.
    """

    turn: str
    activation: str
    deployment: str
    objectives: str
    manners: Mapping[str, str]
    words: Mapping[str, Word]
    leaving: Mapping[str, str] = field(default_factory=dict)


def tellers(phrases: Phrases) -> dict[type[Fact], Teller]:
    """Return the shared teller for each kind of fact. A family adds its own or replaces some."""
    return {
        facts.TurnBegan: lambda _, fact: Story("turn", f"Turn {fact.number}", phrases.turn),
        facts.SideFirst: _first,
        facts.ActivationBegan: lambda state, fact: _activation(phrases, state, fact),
        facts.UnitPlaced: lambda state, fact: _placed(phrases, state, fact),
        facts.MoveDeclared: _heading,
        facts.UnitMoved: lambda state, fact: _moved(phrases, state, fact),
        facts.FiguresFell: _fell,
        facts.ConditionGained: lambda state, fact: _gained(phrases, state, fact),
        facts.ConditionLost: lambda state, fact: _lost(phrases, state, fact),
        facts.UnitLeft: lambda state, fact: _left(phrases, state, fact),
        facts.ObjectiveHeld: lambda state, fact: _held(phrases, state, fact),
        facts.MatchEnded: _ended,
    }


def tell(
    rules: R, own: Mapping[type[Fact], OwnTeller[R]], common: Mapping[type[Fact], Teller], state: State, fact: Fact
) -> Story | None:
    """Return the sentence for `fact`, which happens to `state`, or None if there is nothing to say.

    A family's teller in `own` is preferred to the one in `common`.
    """
    if type(fact) in own:
        return own[type(fact)](rules, state, fact)
    teller = common.get(type(fact))
    return None if teller is None else teller(state, fact)


def figures_text(count: int) -> str:
    """Return a number of figures in words."""
    return f"{count} figure" if count == 1 else f"{count} figures"


def dice_of(fact: facts.Rolled) -> tuple[Die, ...]:
    """Return the dice of a roll as the page draws them."""
    return tuple(
        Die(fact.sides, face, fact.marks[i] if i < len(fact.marks) else "") for i, face in enumerate(fact.faces)
    )


def rolled(fact: facts.Rolled, kind: str, text: str) -> Story:
    """Return the story `text` of a roll, with its dice and numbers."""
    units = tuple(unit for unit in (fact.unit, fact.target) if unit)
    return Story(kind, text, fact.rule, fact.side, units, dice_of(fact), fact.numbers)


def roll_off_text(state: State, fact: facts.Rolled, title: str) -> str:
    """Return a roll-off in words: the score of each side (see `server.rulesets.shared.roll_off`)."""
    if fact.numbers:
        scores = [(number.lines[0].reason, number.value) for number in fact.numbers]
    else:
        scores = [(side.name, face) for side, face in zip(state.sides.values(), fact.faces, strict=True)]
    rolls = ", ".join(f"{name} {score}" for name, score in scores)
    return f"{title}: {rolls}{' – a draw' if not fact.outcome else ''}."


def _first(state: State, fact: facts.SideFirst) -> Story:
    return Story("turn", f"{state.sides[fact.side].name} goes first.", fact.rule, fact.side)


def _activation(phrases: Phrases, state: State, fact: facts.ActivationBegan) -> Story:
    unit = state.units[fact.unit]
    return Story("turn", f"{unit.name} activates.", phrases.activation, unit.side, (unit.id,))


def _placed(phrases: Phrases, state: State, fact: facts.UnitPlaced) -> Story:
    unit = state.units[fact.unit]
    return Story("deploy", f"{unit.name} deploys.", phrases.deployment, unit.side, (unit.id,))


def _heading(state: State, fact: facts.MoveDeclared) -> Story:
    unit = state.units[fact.unit]
    text = f"{unit.name} says where it is heading, up to {about(_longest(unit, fact.paths))} away."
    return Story("move", text, fact.rule, unit.side, (unit.id,), trail=trail(unit, fact.paths, declared=True))


def trail(unit: Unit, paths: Paths, *, declared: bool = False) -> Trail:
    """Return the ways of a unit's figures as a table shows them, from where the figures stand."""
    starts = {key: unit.figures[key].at for key in paths}
    return Trail(unit.id, {key: (at, *paths[key]) for key, at in starts.items() if at is not None}, declared)


def _longest(unit: Unit, paths: Paths) -> float:
    return max((path_length(way) for way in trail(unit, paths).ways.values()), default=0.0)


def _moved(phrases: Phrases, state: State, fact: facts.UnitMoved) -> Story:
    unit = state.units[fact.unit]
    how = phrases.manners[fact.manner] if fact.paths else "turns"
    far = f" up to {about(_longest(unit, fact.paths))}" if fact.paths else ""
    text = f"{unit.name} {how}{far}."
    return Story("move", text, fact.rule, unit.side, (unit.id,))


_GONE = {"left_table": ("leaves the table", "leave the table"), "captured": ("is captured", "are captured")}
"""What one figure does, and what several do, that are lost by these causes; by any other they fall."""


def _fell(state: State, fact: facts.FiguresFell) -> Story:
    unit = state.units[fact.unit]
    count = len(fact.figures)
    left = unit.strength - count
    one, more = _GONE.get(fact.cause, ("falls", "fall"))
    how = one if count == 1 else more
    text = f"{figures_text(count)} of {unit.name} {how}; {left} left."
    return Story("loss", text, fact.rule, unit.side, (unit.id,))


def _gained(phrases: Phrases, state: State, fact: facts.ConditionGained) -> Story:
    unit = state.units[fact.unit]
    text = f"{unit.name} is {phrases.words[fact.condition].label}."
    return Story("morale", text, fact.rule, unit.side, (unit.id,))


def _lost(phrases: Phrases, state: State, fact: facts.ConditionLost) -> Story:
    unit = state.units[fact.unit]
    text = f"{unit.name} is no longer {phrases.words[fact.condition].label}."
    return Story("morale", text, fact.rule, unit.side, (unit.id,))


def _left(phrases: Phrases, state: State, fact: facts.UnitLeft) -> Story:
    unit = state.units[fact.unit]
    how = {**LEAVING, **phrases.leaving}[fact.reason]
    return Story("loss", f"{unit.name} {how}.", fact.rule, unit.side, (unit.id,))


def _held(phrases: Phrases, state: State, fact: facts.ObjectiveHeld) -> Story:
    name = state.objectives[fact.objective].name
    text = f"{state.sides[fact.side].name} holds {name}." if fact.side else f"No side holds {name} now."
    return Story("turn", text, phrases.objectives, fact.side)


def _ended(state: State, fact: facts.MatchEnded) -> Story:
    result = f"{state.sides[fact.winner].name} wins" if fact.winner else "A draw"
    return Story("end", f"{result}. {fact.reason}", fact.rule, fact.winner)
