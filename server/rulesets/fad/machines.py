"""Machines among the figures of units: what damage does to them, and how they stand where men would run."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from server.kernel.facts import FiguresGained
from server.kernel.procedure import Steps
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import Endurance, Leaving

FATAL = 100
"""What stands for a hit by as much as kills, where one die of damage counts for all."""


def endurance(rules: FadRules, state: State) -> Sequence[Endurance]:
    """Return how the machines of this match take damage."""
    return rules.played(state).endurances


def endured(
    rules: FadRules, state: State, unit: Unit, fallen: Sequence[str], margins: Mapping[str, Sequence[int]] | None
) -> dict[str, Endurance]:
    """Return the figures that damage would take out and that only come to harm by it.

    Args:
        rules: the rules.
        state: the state.
        unit: the unit that is struck.
        fallen: the figures that damage would take out.
        margins: by how much each hit on each of them reached its armour; None if one die counted for all: then the farther half,
            rounded up, is only damaged, as men are only wounded.
    """
    if margins is None:
        half = len(fallen) // 2
        margins = {key: (0,) if place >= half else (FATAL,) for place, key in enumerate(fallen)}
    own = {key: margins[key] for key in fallen if not unit.figures[key].of}
    return {key: one for one in endurance(rules, state) for key in one.kept(rules, unit, own)}


def spare(game: FadGame, unit: str, kept: Mapping[str, Endurance]) -> Steps[None]:
    """Mark the machines that damage has not taken out."""
    for one in dict.fromkeys(kept.values()):
        marked = tuple(
            key for key, how in kept.items() if how is one and one.marker not in game.unit(unit).figures[key].conditions
        )
        if marked:
            yield FiguresGained(unit, marked, one.marker, one.rule)


def tougher(rules: FadRules, state: State, unit: Unit) -> int:
    """Return by how much a hit must beat the armour of a unit of machines to take one of them out; 0 for men."""
    found = (one.least(rules, unit) for one in endurance(rules, state))
    return max(found, default=0)


def stands_fast(rules: FadRules, state: State, unit: Unit) -> bool:
    """Return whether a unit does not fall back when a Morale Test would have it so."""
    return any(stands_fast(unit) for stands_fast in rules.played(state).stands_fast)


def rout(rules: FadRules, state: State, unit: Unit) -> Leaving | None:
    """Return for what reason a unit leaves the game that routs, if it is a reason of its own."""
    found = (routs(unit) for routs in rules.played(state).routs)
    return next((reason for reason in found if reason is not None), None)
