"""The dice after a battle: their odds, and the check of their faces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from client_protocol.campaigns import CampaignDice, Odds
from server.kernel.campaigns.roster import RosterUnit

SIDES = 6


def of_table(rows: Sequence[str]) -> tuple[Odds, ...]:
    """Return the odds of one die by a table that has a row for each face."""
    return tuple(Odds(result, ways, SIDES) for result, ways in Counter(rows).items())


def refuse_faces(due: CampaignDice, faces: Sequence[int]) -> None:
    """Refuse faces that are not those of as many six-sided dice as are due. Raises `ValueError`."""
    if len(faces) != due.count or not all(1 <= face <= SIDES for face in faces):
        raise ValueError(f"{due.title} {due.count} faces from 1 to {SIDES} are due.")


def first_back(unit: RosterUnit, count: int) -> tuple[int, ...]:
    """Return the `count` missing figures that come back first: in the order in which the unit lists them."""
    return unit.missing[:count]
