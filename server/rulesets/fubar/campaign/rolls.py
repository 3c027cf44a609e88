"""The dice after a battle: what is rolled for each unit, with its odds, and the facts that the faces lead to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from client_protocol.campaigns import CampaignDice
from server.kernel.campaigns.facts import (
    AnyFact,
    BattleFought,
    FiguresReplaced,
    LevelTested,
    UnitHurt,
    VehicleReplaced,
    fold,
)
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Condition, Roster, RosterUnit
from server.kernel.campaigns.state import PostBattle, Rolling
from server.rulesets.fubar.campaign.figures import standing
from server.rulesets.fubar.campaign.roster import fielded, level
from server.rulesets.fubar.campaign.terms import Terms
from server.rulesets.fubar.game import LEVEL
from server.rulesets.shared.campaigns.outcomes import refuse_others
from server.rulesets.shared.campaigns.rolls import SIDES, first_back, of_table, refuse_faces
from server.rulesets.shared.campaigns.terms import stepped
from server.rulesets.shared.setup.deployment import NO_ROOM

FACES = range(1, SIDES + 1)


# --- the battle -------------------------------------------------------------------------------------------------------


def battle_fought(own: Terms, roster: Roster, outcomes: Sequence[UnitOutcome]) -> BattleFought:
    """Return the fact that a battle is over, with the dice that come of it: for each unit first that for its level, then that for
    its lost figures or its repair.

    Args:
        own: the terms of the campaign.
        roster: the roster, as it was when the battle began.
        outcomes: what the battle did to each unit of the force that `force_of` gave for it, in the force's order.

    Raises:
        ValueError: the outcomes are not those of that force.
    """
    numbers = fielded(roster)
    refuse_others(roster, numbers, outcomes)
    met = dict(zip(numbers, outcomes, strict=True))
    hurt = tuple(_hurt(roster.units[number], number, one) for number, one in met.items() if one.suffered)
    # A unit for which there was no free space at the deployment was not in the battle.
    fought = tuple(number for number, one in met.items() if one.left != NO_ROOM)
    after = fold(PostBattle(roster), BattleFought(hurt=hurt, rolls=(), fought=fought))
    rolls = [rolling for number in roster.there for rolling in _rolls(own, after, number, fought=number in fought)]
    return BattleFought(hurt=hurt, rolls=tuple(rolls), fought=fought)


def _hurt(unit: RosterUnit, number: int, outcome: UnitOutcome) -> UnitHurt:
    if unit.vehicle:
        condition: Condition = "lost" if outcome.damage == "lost" else "damaged"
        return UnitHurt(number, condition=condition)
    places = standing(unit.started, unit.missing)
    lost = tuple(places[place - 1] for place in outcome.lost)
    return UnitHurt(number, tuple(sorted((*unit.missing, *lost))), len(lost))


def _rolls(own: Terms, state: PostBattle, number: int, *, fought: bool) -> Iterator[Rolling]:
    unit = state.unit(number)
    # No die is rolled that changes nothing: a unit cannot rise above the best level or fall below the worst.
    if fought and any(_changed(own, state, number, face) != level(unit) for face in FACES):
        yield Rolling("level", number)
    # A vehicle that is still damaged rolls again.
    if state.lost.get(number) or unit.condition in {"damaged", "lost"}:
        yield Rolling("replacements", number)


# --- what is due ------------------------------------------------------------------------------------------------------


def dice(own: Terms, state: PostBattle) -> CampaignDice:
    """Return the dice that are due next, with their odds. There are some."""
    rolling = state.queue[0]
    number, unit = rolling.unit, state.unit(rolling.unit)
    if rolling.kind == "level":
        title = f"Does the level of {unit.name} change?"
        rows = [f"Its level is {own.book.levels[_changed(own, state, number, face)].name}" for face in FACES]
    elif unit.vehicle:
        title = f"Is {unit.name} repaired?"
        rows = ["Repaired" if _mended(own, unit, face) else "Not repaired" for face in FACES]
    else:
        title = f"How many lost figures come back to {unit.name}?"
        rows = [f"{len(_back(own, state, number, face))} of {state.lost[number]}" for face in FACES]
    return CampaignDice(rolling.kind, number, 1, title, of_table(rows))


# --- what comes of them -----------------------------------------------------------------------------------------------


def facts_of(own: Terms, state: PostBattle, faces: Sequence[int]) -> tuple[AnyFact, ...]:
    """Return the facts to which the dice that are due lead with these faces. Raises `ValueError`: they are not due."""
    refuse_faces(dice(own, state), faces)
    (face,), rolling = faces, state.queue[0]
    number, unit = rolling.unit, state.unit(rolling.unit)
    if rolling.kind == "level":
        return (LevelTested(unit=number, face=face, field=LEVEL, level=_changed(own, state, number, face)),)
    if unit.vehicle:
        condition: Condition = "fit" if _mended(own, unit, face) else unit.condition
        return (VehicleReplaced(unit=number, face=face, condition=condition),)
    return (FiguresReplaced(unit=number, face=face, figures=_back(own, state, number, face)),)


def _changed(own: Terms, state: PostBattle, number: int, face: int) -> str:
    """Return the level of a unit after its die."""
    table = own.table.heavy_level_change if heavy(own, state, number) else own.table.level_change
    return stepped(own.book.levels, level(state.unit(number)), table[face - 1])


def heavy(own: Terms, state: PostBattle, number: int) -> bool:
    """Return whether a unit had heavy losses in the last battle. It is asked before any of them come back."""
    unit, lost = state.unit(number), state.lost.get(number, 0)
    return unit.condition == "lost" or lost * 100 > own.table.heavy * (unit.strength + lost)


def _back(own: Terms, state: PostBattle, number: int, face: int) -> tuple[int, ...]:
    """Return the figures that come back by a die: a part of those lost in this battle, rounded up."""
    count = -(-state.lost[number] * own.table.recovered[face - 1] // 100)
    return first_back(state.unit(number), count)


def _mended(own: Terms, vehicle: RosterUnit, face: int) -> bool:
    table = own.table.repaired if vehicle.condition == "damaged" else own.table.salvaged
    return table[face - 1]
