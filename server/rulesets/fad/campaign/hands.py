"""The figures of a unit of a force, one by one, and the unit that is left when some of them are missing."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.forces import Entries, ForceUnit
from server.rulesets.fad.game import CHARACTER, INFANTRY, LEADER, SNIPER, VEHICLE, WEAPON_TEAM
from server.rulesets.fad.setup.forces import ALONE, HEAVY
from server.rulesets.fad.setup.points import BOTS

SUPPORT, FIGURES, CREW = "support", "figures", "crew"
"""The list of a squad's support weapons; the fields with the numbers of a squad's figures and of a team's crew."""


class Hand(Struct, frozen=True):
    """A figure of a unit: what it is, and for a gunner or a bot the row of its list, counted from 0."""

    role: Literal["leader", "gunner", "heavy", "figure", "bot", "vehicle"]
    row: int = -1


_FIGURE = Hand("figure")


def hands(unit: ForceUnit) -> tuple[Hand, ...]:
    """Return the figures of a unit in the order of its roster on the table, whose ids count from 1.

    Args:
        unit: a unit with every field filled in.
    """
    if unit.kind == VEHICLE:
        return (Hand("vehicle"),)
    if unit.kind == CHARACTER:
        return (_FIGURE,)
    if unit.kind == WEAPON_TEAM:
        return (_FIGURE,) * int(unit.fields[CREW])
    found = [Hand("leader")] * _led(unit)
    for row, entries in enumerate(unit.rows.get(SUPPORT, ())):
        found += [Hand("gunner", row)] * int(entries["count"])
    found += [Hand("heavy")] * (unit.fields.get(HEAVY, ALONE) != ALONE)
    found += [_FIGURE] * (int(unit.fields[FIGURES]) - len(found))
    found += [Hand("bot", row) for row in range(len(unit.rows.get(BOTS, ())))]
    return tuple(found)


def _led(unit: ForceUnit) -> bool:
    return bool(unit.fields.get(LEADER) and not unit.fields.get(SNIPER))


def standing(unit: ForceUnit, missing: Collection[int]) -> tuple[int, ...]:
    """Return the places of the figures that are not missing, in roster order; places count from 1."""
    return tuple(place for place in range(1, len(hands(unit)) + 1) if place not in missing)


def closed_up(unit: ForceUnit, missing: Collection[int]) -> tuple[int, ...]:
    """Return the places that are missing once the survivors have closed up: who is left takes the place of a lost leader, first
    those without a weapon of their own, and bots do not go on alone.
    """
    own = hands(unit)
    if not _left(own, missing):
        return tuple(range(1, len(own) + 1))
    gone = {place for place in range(1, len(own) + 1) if place in missing}
    for leader, heir in heirs(unit, missing):
        gone = (gone - {leader}) | {heir}
    return tuple(sorted(gone))


def heirs(unit: ForceUnit, missing: Collection[int]) -> tuple[tuple[int, int], ...]:
    """Return who takes the place of a lost leader, as (the leader's place, their own); empty if no leader is missing, or none is
    left.
    """
    own = hands(unit)
    left = _left(own, missing)
    leaders = [place for place in missing if own[place - 1].role == "leader"]
    heir = max(left, key=lambda place: (own[place - 1] == _FIGURE, place), default=0)
    return tuple((leader, heir) for leader in leaders) if heir else ()


def _left(own: Sequence[Hand], missing: Collection[int]) -> list[int]:
    """Return the places of those who are left and can go on alone."""
    return [place for place, hand in enumerate(own, 1) if place not in missing and hand.role != "bot"]


def without(unit: ForceUnit, missing: Collection[int]) -> ForceUnit:
    """Return a unit without its missing figures and what they carry. At least one figure is not missing, and the survivors have
    closed up (see `closed_up`).
    """
    own = hands(unit)
    left = [own[place - 1] for place in standing(unit, missing)]
    if unit.kind == WEAPON_TEAM:
        return replace(unit, fields={**unit.fields, CREW: len(left)})
    if unit.kind != INFANTRY:
        return unit
    fields: Entries = {**unit.fields, FIGURES: sum(hand.role != "bot" for hand in left)}
    if Hand("heavy") in own and Hand("heavy") not in left:
        fields[HEAVY] = ALONE
    rows = {
        key: tuple(_counted(key, row, place, left) for place, row in enumerate(listed))
        for key, listed in unit.rows.items()
    }
    return replace(unit, fields=fields, rows={key: tuple(row for row in listed if row) for key, listed in rows.items()})


def _counted(listed: str, row: Entries, place: int, left: Sequence[Hand]) -> Entries:
    """Return a row of a list with as many as are left; nothing if none is."""
    if listed == BOTS:
        return row if Hand("bot", place) in left else {}
    if listed != SUPPORT:
        return row
    count = left.count(Hand("gunner", place))
    return {**row, "count": count} if count else {}
