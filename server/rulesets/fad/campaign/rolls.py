"""The dice after a battle: what is rolled for each unit, with its odds, and the facts that the faces lead to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product

from client_protocol.campaigns import CampaignDice, Odds
from server.kernel.campaigns.facts import (
    AnyFact,
    BattleFought,
    FiguresReplaced,
    LevelTested,
    PointsGained,
    Reinforced,
    UnitHurt,
    VehicleReplaced,
)
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Condition, Roster, RosterUnit
from server.kernel.campaigns.state import PostBattle, Rolling
from server.rulesets.fad import game
from server.rulesets.fad.campaign.hands import heirs, standing
from server.rulesets.fad.campaign.roster import closed_up, fielded, platoons, quality, resolve
from server.rulesets.fad.campaign.terms import Terms
from server.rulesets.shared.campaigns.outcomes import refuse_others
from server.rulesets.shared.campaigns.rolls import SIDES, first_back, of_table, refuse_faces
from server.rulesets.shared.campaigns.terms import stepped

INFANTRY, LONE, VEHICLES = "campaign.infantry-replacements", "campaign.lone-figures", "campaign.vehicle-replacements"
QUALITY, RESOLVE = "campaign.quality-loss", "campaign.resolve-change"
REINFORCEMENTS, EXPERIENCE, SCOPE = "campaign.reinforcements", "campaign.experience", "campaign.scope"
DIE = "campaign.buy.reinforcement-die"


# --- the battle -------------------------------------------------------------------------------------------------------


def battle_fought(own: Terms, roster: Roster, outcomes: Sequence[UnitOutcome]) -> BattleFought:
    """Return the fact that a battle is over, with the dice that come of it (fad5/campaign.scope).

    Args:
        own: the terms of the campaign.
        roster: the roster, as it was when the battle began.
        outcomes: what the battle did to each unit of the force that `force_of` gave for it, in the force's order.

    Raises:
        ValueError: the outcomes are not those of that force.
    """
    numbers = fielded(own, roster)
    refuse_others(roster, numbers, outcomes)
    fought = {number: one for number, one in zip(numbers, outcomes, strict=True) if one.suffered}
    hurt = {number: _hurt(roster.units[number], number, one) for number, one in fought.items()}
    rolls = [
        rolling for number in roster.there for rolling in _rolls(own, roster.units[number], number, hurt.get(number))
    ]
    rolls.append(Rolling("reinforcements"))
    return BattleFought(rule=own.rule(SCOPE), hurt=tuple(hurt.values()), rolls=tuple(rolls), fought=numbers)


def _hurt(unit: RosterUnit, number: int, outcome: UnitOutcome) -> UnitHurt:
    if unit.vehicle:
        condition: Condition = "lost" if outcome.damage == "lost" else "damaged"
        return UnitHurt(number, condition=condition)
    places = standing(unit.started, unit.missing)
    lost = tuple(places[place - 1] for place in outcome.lost)
    gone = (*unit.missing, *lost)
    missing = closed_up(unit, gone)
    # Bots that are left without their squad are lost with it.
    return UnitHurt(number, missing, len(missing) - len(unit.missing), heirs=heirs(unit.started, gone))


def _rolls(own: Terms, unit: RosterUnit, number: int, hurt: UnitHurt | None) -> Iterator[Rolling]:
    """Yield the dice for a unit, in their order: replacements, then Resolve. Those for Quality come of replacements."""
    if unit.vehicle:
        # fad5/campaign.vehicle-replacements: one that was not repaired rolls again
        if hurt is not None or unit.condition == "damaged":
            yield Rolling("replacements", number)
    elif hurt is not None and not unit.lone:
        # fad5/campaign.infantry-replacements, fad5/campaign.lone-figures
        yield Rolling("replacements", number)
    if hurt is not None and resolve(unit) and not _steadfast(own, unit):
        # fad5/campaign.resolve-change
        yield Rolling("resolve", number)


def _steadfast(own: Terms, unit: RosterUnit) -> bool:
    """Return whether the Resolve of a unit never changes, by a trait."""
    return any(unit.fields.get(trait) for trait in own.table.steadfast)


# --- what is due ------------------------------------------------------------------------------------------------------


def dice(own: Terms, state: PostBattle) -> CampaignDice:
    """Return the dice that are due next, with their odds. There are some."""
    rolling = state.queue[0]
    return _DICE[rolling.kind](own, state, rolling)


def _replacements(own: Terms, state: PostBattle, rolling: Rolling) -> CampaignDice:
    unit = state.unit(rolling.unit)
    if unit.vehicle:
        rows = [_VEHICLE[result](unit) for result in own.table.vehicle_replacements]
        title, rule = f"Is {unit.name} repaired or replaced?", VEHICLES
    else:
        backs = [_back(own, state, rolling.unit, face) for face in range(1, SIDES + 1)]
        rows = [f"Replacements for {len(back)} of {unit.gap}" if back else "No replacements" for back in backs]
        title, rule = f"Replacements for {unit.name}", INFANTRY
    return CampaignDice(rolling.kind, rolling.unit, 1, title, of_table(rows), own.rule(rule))


_VEHICLE: Mapping[str, Callable[[RosterUnit], str]] = {
    "none": lambda _unit: "Nothing",
    "repaired": lambda unit: "Repaired" if unit.condition == "damaged" else "Nothing",
    "replaced": lambda unit: "Repaired" if unit.condition == "damaged" else "Replaced",
}


def _quality(own: Terms, state: PostBattle, rolling: Rolling) -> CampaignDice:
    unit, levels = state.unit(rolling.unit), own.book.qualities
    rows = [f"Its Quality is {levels[_dropped(own, unit, face)].name}" for face in range(1, SIDES + 1)]
    return CampaignDice(
        rolling.kind, rolling.unit, 1, f"Does {unit.name} lose Quality?", of_table(rows), own.rule(QUALITY)
    )


def _resolve(own: Terms, state: PostBattle, rolling: Rolling) -> CampaignDice:
    unit, levels = state.unit(rolling.unit), own.book.resolves
    rows = [f"Its Resolve is {levels[_changed(own, unit, face)].name}" for face in range(1, SIDES + 1)]
    title = f"Does the Resolve of {unit.name} change?"
    return CampaignDice(rolling.kind, rolling.unit, 1, title, of_table(rows), own.rule(RESOLVE))


def _troopers(own: Terms, state: PostBattle, rolling: Rolling) -> CampaignDice:
    count = own.table.reinforcements if rolling.kind == "reinforcements" else 1
    ways = Counter(sum(faces) for faces in product(range(1, SIDES + 1), repeat=count))
    odds = tuple(
        Odds(f"{troopers} more" if state.troopers else f"{troopers}", ways[troopers], SIDES**count)
        for troopers in sorted(ways)
    )
    rule = REINFORCEMENTS if rolling.kind == "reinforcements" else DIE
    return CampaignDice(rolling.kind, -1, count, "How many reinforcements come?", odds, own.rule(rule))


_DICE: Mapping[str, Callable[[Terms, PostBattle, Rolling], CampaignDice]] = {
    "replacements": _replacements,
    "level": _quality,
    "resolve": _resolve,
    "reinforcements": _troopers,
    "reinforcement_die": _troopers,
}


# --- what comes of them -----------------------------------------------------------------------------------------------


def facts_of(own: Terms, state: PostBattle, faces: Sequence[int]) -> tuple[AnyFact, ...]:
    """Return the facts to which the dice that are due lead with these faces.

    Raises:
        ValueError: these are not as many faces of six-sided dice as are due.
    """
    due, rolling = dice(own, state), state.queue[0]
    refuse_faces(due, faces)
    if rolling.kind in {"reinforcements", "reinforcement_die"}:
        came = Reinforced(rule=due.rule, faces=tuple(faces))
        # fad5/campaign.experience: win or lose
        points = own.table.points * platoons(state.roster)
        gained = PointsGained(rule=own.rule(EXPERIENCE), points=points)
        return (came, gained) if rolling.kind == "reinforcements" else (came,)
    (face,), unit = faces, state.unit(rolling.unit)
    if rolling.kind == "level":
        return (
            LevelTested(
                rule=due.rule, unit=rolling.unit, face=face, field=game.QUALITY, level=_dropped(own, unit, face)
            ),
        )
    if rolling.kind == "resolve":
        return (
            LevelTested(
                rule=due.rule, unit=rolling.unit, face=face, field=game.RESOLVE, level=_changed(own, unit, face)
            ),
        )
    if unit.vehicle:
        return (_vehicle(own, unit, rolling.unit, face),)
    back = _back(own, state, rolling.unit, face)
    # fad5/campaign.quality-loss: replacements for at least half of the first strength
    tests = bool(back) and len(back) * 100 >= unit.initial * own.table.diluted
    return (FiguresReplaced(rule=due.rule, unit=rolling.unit, face=face, figures=back, tests=tests),)


def _back(own: Terms, state: PostBattle, number: int, face: int) -> tuple[int, ...]:
    """Return the figures that a die replaces: those with weapons of their own first (fad5/campaign.infantry-replacements)."""
    result, unit = own.table.infantry_replacements[face - 1], state.unit(number)
    half = -(-state.lost.get(number, 0) * own.table.half // 100)
    count = {"none": 0, "half": half, "full": unit.gap}[result]
    return first_back(unit, count)


def _vehicle(own: Terms, unit: RosterUnit, number: int, face: int) -> VehicleReplaced:
    result = own.table.vehicle_replacements[face - 1]
    good = result == "replaced" or (result == "repaired" and unit.condition == "damaged")
    # fad5/campaign.quality-loss: a vehicle that was replaced is all replacement
    tests = good and unit.condition == "lost"
    condition: Condition = "fit" if good else unit.condition
    return VehicleReplaced(rule=own.rule(VEHICLES), unit=number, face=face, condition=condition, tests=tests)


def _dropped(own: Terms, unit: RosterUnit, face: int) -> str:
    return stepped(own.book.qualities, quality(unit), own.table.quality_loss[face - 1])


def _changed(own: Terms, unit: RosterUnit, face: int) -> str:
    return stepped(own.book.resolves, resolve(unit), own.table.resolve_change[face - 1])
