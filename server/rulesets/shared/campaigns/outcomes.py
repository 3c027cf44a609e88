"""The units of a force, as a match met them, and whether outcomes are those of a roster."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from client_protocol.forces import Force, ForceForm, ForceUnit
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Roster
from server.kernel.files.forces import filled
from server.kernel.state import State, Unit


def brought(form: ForceForm, state: State, seat: str, force: Force) -> Iterator[tuple[ForceUnit, Unit]]:
    """Yield each unit of a force with every field filled in, and the unit of the match that it was, in the force's order.

    Args:
        form: the form from which the force is made.
        state: the match at its end.
        seat: the seat that brought the force.
        force: the force, as it was brought.

    Raises:
        ValueError: the seat plays no side, or a unit of the force was never on the roster.
    """
    side = next((side.id for side in state.sides.values() if side.seat == seat), None)
    if side is None:
        raise ValueError(f"The seat {seat!r} plays no side of this match.")
    for number, one in enumerate(filled(form, force).units, 1):
        unit = state.units.get(f"{side}-{number}")
        if unit is None:
            raise ValueError(f"{one.name} was never on the roster of this match.")
        yield one, unit


def refuse_others(roster: Roster, fielded: Sequence[int], outcomes: Sequence[UnitOutcome]) -> None:
    """Refuse outcomes that are not those of the units of a roster that were in the battle. Raises `ValueError`."""
    if [(one.place, one.strength) for one in outcomes] != [
        (place, roster.units[number].strength) for place, number in enumerate(fielded)
    ]:
        raise ValueError("These are not the outcomes of the force that this roster had in the battle.")
