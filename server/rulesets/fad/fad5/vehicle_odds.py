"""What previews say of FAD 5's tests of crews, and of shots at vehicles: exact odds in place of dice."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from msgspec import Struct

from client_protocol.explained import Explained
from client_protocol.from_server import Chance
from server.kernel.ruleset import Preview
from server.kernel.state import State, Unit
from server.rulesets.fad.fad5.anti_tank import ratings
from server.rulesets.fad.fad5.crew import ABANDONS, RETURN_DICE, RETURNS, morale_result, returns
from server.rulesets.fad.fad5.vehicle_damage import (
    IMMOBILISED,
    OUT_OF_ACTION,
    SHAKEN,
    VehicleArmour,
    struck_facing,
    stuck,
)
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.module import Foretold
from server.rulesets.fad.morale import FALLS_BACK, RALLIED, ROUTED
from server.rulesets.fad.quality import QualityNeed
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line

KILLED = Fraction(25, 36)
OUT = Fraction(10, 36)
HARMLESS = Fraction(1, 36)
STOPPED = Fraction(1, 6)


class Damage(Struct, frozen=True):
    """What has become of a vehicle: whether it is killed, or else out of action, immobilised, its crew shaken."""

    killed: bool = False
    out: bool = False
    immobilised: bool = False
    shaken: bool = False


def damage_of(vehicle: Unit) -> Damage:
    """Return the damage that a vehicle has."""
    return Damage(
        out=OUT_OF_ACTION in vehicle.conditions,
        immobilised=IMMOBILISED in vehicle.conditions,
        shaken=SHAKEN in vehicle.conditions,
    )


def _struck(spread: Mapping[Damage, Fraction], through: Fraction) -> dict[Damage, Fraction]:
    """Return the distribution of what becomes of a vehicle after another hit, which penetrates with this chance."""
    found: dict[Damage, Fraction] = {}
    for before, weight in spread.items():
        if before.killed:
            ends = [(before, Fraction(1))]
        else:
            held = 1 - through
            stopped = Fraction(0) if before.immobilised else held * STOPPED
            ends = [
                (Damage(killed=True), through * KILLED),
                (Damage(out=True, immobilised=before.immobilised, shaken=True), through * OUT),
                (Damage(out=before.out, immobilised=before.immobilised, shaken=True), through * HARMLESS),
                (Damage(out=before.out, immobilised=True, shaken=True), stopped),
                (before, held - stopped),
            ]
        for end, share in ends:
            found[end] = found.get(end, Fraction(0)) + weight * share
    return found


def damages(before: Damage, through: Sequence[Fraction]) -> dict[Damage, Fraction]:
    """Return the distribution of what becomes of a vehicle after hits that each penetrate with these chances."""
    spread = {before: Fraction(1)}
    for chance in through:
        spread = _struck(spread, chance)
    return spread


def chances_of(before: Damage, spread: Mapping[Damage, Fraction]) -> tuple[Chance, ...]:
    """Return the lines on what becomes of a vehicle with that damage, given how likely each outcome is."""
    lines = [chance_line("Killed", odds.chance(spread, lambda end: end.killed))]
    if not before.out:
        lines.append(chance_line("Out of action", odds.chance(spread, lambda end: end.out)))
    if not before.immobilised:
        lines.append(chance_line("Immobilised", odds.chance(spread, lambda end: end.immobilised)))
    if not before.shaken:
        lines.append(chance_line("Crew must test its morale", odds.chance(spread, lambda end: end.shaken)))
    return tuple(lines)


def after(_rules: FadRules, vehicle: Unit, through: Mapping[int, Fraction]) -> tuple[Chance, ...]:
    """Return what hits that penetrate do to a vehicle, given how likely each number of them is."""
    before = damage_of(vehicle)
    spread: dict[Damage, Fraction] = {}
    for number, weight in through.items():
        for end, share in damages(before, [Fraction(1)] * number).items():
            spread[end] = spread.get(end, Fraction(0)) + weight * share
    return chances_of(before, spread)


def foretell(rules: FadRules, state: State, shot: Shot, hits: Mapping[int, Fraction]) -> Foretold:
    """Return the odds of damage from a shot at a vehicle."""
    facing = struck_facing(rules, state, shot)
    armour = rules.advisers.answer(state, VehicleArmour(shot.target, facing))
    rated = ratings(rules, state, shot, max(1, *hits))
    through = [odds.at_least(armour.value - rating.value) for rating in rated]
    before = damage_of(state.units[shot.target])
    spread: dict[Damage, Fraction] = {}
    for number, weight in hits.items():
        for end, share in damages(before, through[:number]).items():
            spread[end] = spread.get(end, Fraction(0)) + weight * share
    numbers: list[tuple[str, Explained]] = [
        ("Anti-tank (plus 1D6 for each hit)", rating) for rating in dict.fromkeys(rated)
    ]
    numbers.append((f"Armour to reach ({facing})", armour))
    penetrating = odds.over(hits, lambda number: odds.successes(through[:number]))
    chances = (chance_line("At least one hit penetrates", odds.chance(penetrating, bool)), *chances_of(before, spread))
    return Foretold(tuple(numbers), chances)


def test(rules: FadRules, state: State, vehicle: Unit) -> Preview | None:
    """Return the odds of the tests of a vehicle that activates, or None if it takes none."""
    need = rules.advisers.answer(state, QualityNeed(vehicle.id))
    chances: list[Chance] = []
    dice: list[str] = []
    if SHAKEN in vehicle.conditions:
        count = rules.book.tables.quality_test.dice
        spread = odds.passes(count, need.value)
        dice.append(f"{count}D6 for morale")
        labels = {
            RALLIED: "Acts normally",
            # fad5/adv.bogging.bogged
            FALLS_BACK: "Falls back" if stuck(vehicle) is None else "Falls back if it gets free first, or else stays",
            ABANDONS: "Crew bails out",
            ROUTED: "Routs",
        }
        for result, label in labels.items():
            share = odds.chance(spread, lambda passes, key=result: morale_result(rules, vehicle, passes) == key)  # type: ignore[misc]  # bound at once
            if share or result not in {FALLS_BACK, ABANDONS}:
                chances.append(chance_line(label, share))
    if OUT_OF_ACTION in vehicle.conditions:
        spread = odds.passes(RETURN_DICE, need.value)
        dice.append(f"{RETURN_DICE}D6 to return to action")
        chances.append(chance_line("Returns to action", odds.chance(spread, lambda passes: returns(passes) == RETURNS)))
    if not chances:
        return None
    return Preview(
        f"{vehicle.name} must test first", f"{', '.join(dice)}, each on its own", (("Each die", need),), tuple(chances)
    )
