"""What-if: what a seat's units would see and could do from imagined places. Pure; never logged, and told to no other player."""

from __future__ import annotations

from client_protocol.from_client import AskWhatIf, GhostPlaces, Look
from client_protocol.from_server import Preview, Refused, Sight, WhatIf, WhatIfTarget
from server.kernel.bodies import apart, bodies
from server.kernel.ruleset import Ruleset
from server.kernel.state import State, Unit
from server.kernel.what_if import placed, problems
from server.matches.projections.sight import look

MOST_TARGETS = 40
"""The most other units in an answer, enemies first, the nearest of them first: the work for one message is bounded."""


def what_if(rules: Ruleset, believed: State, seat: str, message: AskWhatIf) -> WhatIf | Refused:
    """Return what `message.unit` would see of every other unit on the table, and what it could do to each and each to it, if
    the units of `seat` in `message.ghosts` stood there. Everything else is as in `believed`, what the seat may know.
    """
    unit = believed.units.get(message.unit)
    if unit is None or believed.seat_of(unit.id) != seat:
        return _not_own(message.id)
    state = believed
    for key, ghost in message.ghosts.items():
        refused = _refusal(believed, seat, message.id, key, ghost)
        if refused is not None:
            return refused
        state = state.with_unit(placed(believed.units[key], ghost.places, ghost.facings))
    unit = state.units[unit.id]
    if not unit.on_table:
        return Refused(message.id, "not_there", f"{unit.name} is not on the table: put its ghost there first.")
    return WhatIf(
        message.id,
        unit.id,
        tuple(_target(rules, state, message.id, unit.id, other) for other in _others(state, unit)),
        tuple(problem for key in message.ghosts for problem in problems(rules, state, state.units[key])),
    )


# --- who may be where -----------------------------------------------------------------------------------------------


def _not_own(id_: str) -> Refused:
    # Another player's unit and a missing one are refused in the same words, so that trying ids reveals no unit.
    return Refused(id_, "no_such_unit", "You can put ghosts only of your own units.")


def _refusal(state: State, seat: str, id_: str, key: str, ghost: GhostPlaces) -> Refused | None:
    """Return why this unit cannot be imagined so; None if it can."""
    unit = state.units.get(key)
    if unit is None or state.seat_of(key) != seat:
        return _not_own(id_)
    if unit.left:
        return Refused(id_, "not_allowed", f"{unit.name} is out of the game.")
    for figure in (*ghost.places, *ghost.facings):
        if figure not in unit.living:
            return Refused(id_, "no_such_figure", f"{unit.name} has no figure {figure} that could stand anywhere.")
    for figure, at in ghost.places.items():
        if not (0 <= at[0] <= state.table.width and 0 <= at[1] <= state.table.height):
            return Refused(id_, "off_table", f"Figure {figure} of {unit.name} would be off the table.", "", at, figure)
    missing = [figure for figure, one in unit.living.items() if one.at is None and figure not in ghost.places]
    if missing:
        sentence = f"{unit.name} is not on the table: it needs a place for each of its {unit.strength} figures."
        return Refused(id_, "places", sentence, figure=missing[0])
    return None


# --- what could be seen and done ------------------------------------------------------------------------------------


def _others(state: State, unit: Unit) -> list[str]:
    """Return the other units on the table that the answer covers."""
    own = list(bodies(unit).values())
    there = [other for other in state.units.values() if other.id != unit.id and other.on_table]
    away = {other.id: apart(own, bodies(other).values()) for other in there}
    there.sort(key=lambda other: (other.side == unit.side, away[other.id]))
    return [other.id for other in there[:MOST_TARGETS]]


def _target(rules: Ruleset, state: State, id_: str, unit: str, target: str) -> WhatIfTarget:
    sight = look(rules, state, Look(id_, unit, target))
    assert isinstance(sight, Sight), "both are on the table"
    return WhatIfTarget(
        target,
        sight,
        tuple(
            Preview(id_, told.title, told.dice, told.numbers, told.chances, told.notes)
            for told in rules.what_if(state, unit, target)
        ),
    )
