"""What previews say of FAD 4's tests of crews, and of shots at vehicles: exact odds in place of dice."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from client_protocol.explained import Explained
from client_protocol.from_server import Chance
from server.kernel.ruleset import Preview
from server.kernel.state import State, Unit
from server.rulesets.fad.damage import bonuses, piercing
from server.rulesets.fad.fad4.crew import (
    BEYOND_REPAIR,
    REPAIRED,
    STILL_DAMAGED,
    must_test,
    repair_dice,
    repair_result,
)
from server.rulesets.fad.fad4.vehicle_damage import (
    CRITICAL_HIT,
    DAMAGED,
    FAILED,
    armour,
    damage,
    facing_of,
    result_of,
)
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.module import Foretold
from server.rulesets.fad.morale import FALLS_BACK, RALLIED, ROUTED, read_morale
from server.rulesets.fad.quality import QualityNeed
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line, expected_line


def test(rules: FadRules, state: State, vehicle: Unit) -> Preview | None:
    """Return the odds of the tests of a vehicle that activates, or None if it takes none."""
    damaged = DAMAGED in vehicle.conditions
    need = rules.advisers.answer(state, QualityNeed(vehicle.id))
    chances: list[Chance] = []
    dice: list[str] = []
    if must_test(rules, vehicle):
        count = rules.book.tables.quality_test.dice
        spread = odds.passes(count, need.value)
        dice.append(f"{count}D6 for morale")
        labels = (
            (RALLIED, "Rallies"),
            (FALLS_BACK, "Bails out" if damaged else "Falls back"),
            (ROUTED, "Routs"),
        )
        chances += [
            chance_line(label, sum((w for n, w in spread.items() if read_morale(rules, n) == key), Fraction(0)))
            for key, label in labels
        ]
    if damaged:
        count = repair_dice(rules, vehicle)
        spread = odds.passes(count, need.value)
        dice.append(f"{count}D6 for repair")
        labels = ((REPAIRED, "Repaired"), (STILL_DAMAGED, "Stays damaged"), (BEYOND_REPAIR, "Beyond repair"))
        chances += [
            chance_line(label, sum((w for n, w in spread.items() if repair_result(rules, n) == key), Fraction(0)))
            for key, label in labels
        ]
    if not chances:
        return None
    return Preview(
        f"{vehicle.name} must test first", f"{', '.join(dice)}, each on its own", (("Each die", need),), tuple(chances)
    )


def foretell(rules: FadRules, state: State, shot: Shot, hits: Mapping[int, Fraction]) -> Foretold:
    """Return the odds of damage from a shot at a vehicle."""
    most = max(hits)
    added = [bonus.value for bonus in bonuses(rules, state, shot, max(1, most))]
    struck = piercing(rules, state.units[shot.shooter], shot, max(1, most))
    ratings = [rules.advisers.answer(state, armour(rules, state, shot, ap, weapon)) for ap, weapon in struck]
    each = list(zip(added, ratings, strict=True))
    through = [_share(rules, bonus, rating.value, {FAILED}, wanted=False) for bonus, rating in each]
    critical = [_share(rules, bonus, rating.value, {CRITICAL_HIT}, wanted=True) for bonus, rating in each]
    tokens = odds.over(hits, lambda number: odds.successes(through[:number]))
    criticals = odds.over(hits, lambda number: odds.successes(critical[:number]))
    taken, limit = damage(rules, state.units[shot.target])
    chances = (
        expected_line("Expected penetrating hits", odds.mean(tokens)),
        chance_line("Damaged", odds.chance(tokens, lambda number: number >= 1)),
        chance_line("Critically Damaged", odds.chance(criticals, lambda number: number >= 1)),
        chance_line("Removed", odds.chance(tokens, lambda number: taken + number >= limit)),
    )
    facing = facing_of(rules, state, shot)
    numbers: list[tuple[str, Explained]] = [
        (f"Armour to reach ({facing}) with {name}", rating)
        for rating, (_, name) in dict(zip(ratings, struck, strict=True)).items()
    ]
    return Foretold(tuple(numbers), chances)


def _share(rules: FadRules, bonus: int, needed: int, results: set[str], *, wanted: bool) -> Fraction:
    """Return the share of the faces of a die whose result is one of these, or is none of them."""
    faces = [face for face in range(1, 7) if (result_of(rules, face + bonus, needed) in results) == wanted]
    return Fraction(len(faces), 6)
