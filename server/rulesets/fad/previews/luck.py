"""The luck of each roll: what is counted, and for which unit (see `server.rulesets.shared.previews.luck`)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from client_protocol.luck import Luck
from server.kernel.facts import Fact, Rolled
from server.kernel.state import State
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.damage import ArmourRating, piercing
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.luck import Row, added, reaching, reckon, roll_off, successes, told


def quality_test(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the passes of a Quality Test, for the unit that takes it."""
    need = fact.numbers[0]
    return successes(fact, "passes", "pass", [odds.at_least(need.value)] * len(fact.faces))


def fire_effect(rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the Fire Effect, for the shooter: hits and markers depend on it."""
    effect, _ = fact.numbers
    # The best of the basic dice, plus one die for each support weapon that has one; all other ADD lines are certain.
    more = [face for face, mark in zip(fact.faces, fact.marks, strict=True) if mark == "added"]
    certain = sum(line.amount for line in effect.lines if line.stage == "ADD") - sum(more)
    # The floor has a line only if it raised the result.
    floors = [line.amount for line in effect.lines if line.floor]
    floor = floors[0] if floors else rules.book.tables.fire_effect.minimum
    spread: dict[int, Fraction] = {}
    # Of the basic dice those count that are marked so: one, or two if a heavy weapon joined in.
    best = odds.best_of(len(fact.faces) - len(more), max(1, fact.marks.count("kept")))
    dice = added(best, odds.total(len(more)))
    for value, weight in dice.items():
        effective = max(value + certain, floor)
        spread[effective] = spread.get(effective, Fraction(0)) + weight
    return (reckon(fact.side, fact.unit, "Fire Effect", spread, effect.value),)


def _scattered(rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the dice of scattered fire that hit, for the shooter."""
    hit = odds.at_least(rules.book.tables.line_of_fire.scattered_hit)
    return successes(fact, "hits", "hit", [hit] * len(fact.faces))


def _strike(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the sum of the dice, for the shooter: the hits on each unit in the blast depend on it."""
    return _sum(fact, "Strike Effect")


def _damage(rules: FadRules, state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the dice that kill, for the shooter, including several on the same figure."""
    bonus = fact.numbers[0].value
    # If the defender rolls too, the shooter's luck depends on both dice.
    chances = [armour_of(rules, state).kills(rating - bonus) for rating in _ratings(rules, state, fact)]
    return successes(fact, "kills", "kill", chances)


def _squad_damage(rules: FadRules, state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the hits that kill, for the shooter. If the defender rolls too, that depends on both dice."""
    bonus, armour = (number.value for number in fact.numbers)
    hits, kills = map(int, fact.outcome.split())
    spread = armour_of(rules, state).squad(hits, armour - bonus)
    return (reckon(fact.side, fact.unit, "kills", spread, kills),)


def _armour(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the sum of the dice, for the unit that defends."""
    return _sum(fact, "the armour's dice")


def _sum(fact: Rolled, wanted: str) -> tuple[Luck, ...]:
    spread: dict[int, Fraction] = {0: Fraction(1)}
    for _ in fact.faces:
        spread = added(spread, odds.highest(1))
    return (reckon(fact.side, fact.unit, wanted, spread, sum(fact.faces)),)


def _ratings(rules: FadRules, state: State, fact: Rolled) -> list[int]:
    """Return the number that each die had to reach.

    The fact lists each rating once, in the order of the dice. Which hit had which rating is worked out from the shot, as long
    as the rules still give the same ratings for it.
    """
    told = fact.numbers[1:]
    count = len(fact.faces)
    if len({rating.value for rating in told}) > 1:
        shot = aim(rules, state, fact.unit, fact.target)
        if isinstance(shot, Shot):
            hits = piercing(rules, state.units[fact.unit], shot, count)
            ratings = [rules.advisers.answer(state, ArmourRating(fact.target, ap, weapon)) for ap, weapon in hits]
            if rules.keys.told(tuple(dict.fromkeys(ratings))) == told:
                return [rating.value for rating in ratings]
    # Each support weapon has one hit; all other hits have the last rating.
    return [told[min(i, len(told) - 1)].value for i in range(count)]


def _assault(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the score, for the unit that has it."""
    (score,) = fact.numbers
    certain = score.value - max(fact.faces)
    spread = {face + certain: weight for face, weight in odds.highest(len(fact.faces)).items()}
    return (reckon(fact.side, fact.unit, "the score", spread, score.value),)


def _kills(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the dice that kill, for the unit that rolls, including kills beyond the enemy's number."""
    return reaching(fact, "kills", "kill")


def _vehicle_damage(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the hits that penetrate, for the shooter: all dice of a shot must reach the same armour, or one of two in their
    order.
    """
    bonus, *ratings = (number.value for number in fact.numbers)
    needs = [ratings[min(i, len(ratings) - 1)] - bonus for i in range(len(fact.faces))]
    chances = [odds.at_least(need) for need in needs]
    spread = odds.successes(chances)
    return (reckon(fact.side, fact.unit, "penetrating hits", spread, int(fact.outcome)),)


def _penetration(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the hit that penetrates, for the shooter."""
    rating, armour = (number.value for number in fact.numbers)
    return successes(fact, "penetrating hits", "hit", [odds.at_least(armour - rating)])


def _vehicle_kill(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the dice without a 1, for the shooter: two of them kill, one puts out of action."""
    return successes(fact, "dice that damage a vehicle", "hit", [odds.at_least(2)] * len(fact.faces))


def _external(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the die that immobilises a vehicle, for the shooter."""
    return successes(fact, "vehicles immobilised", "hit", [1 - odds.at_least(2)])


def _defence(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the die, for the vehicle."""
    return (reckon(fact.side, fact.unit, "the vehicle's die", odds.highest(1), fact.faces[0]),)


def _vehicle_strike(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the dice that penetrate, for the squad, against what the vehicle has rolled."""
    bonus, defence = (number.value for number in fact.numbers)
    return successes(fact, "penetrating hits", "hit", [odds.at_least(defence - bonus)] * len(fact.faces))


def _passengers(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the passengers who get out of a destroyed vehicle alive, for their side."""
    (killed,) = fact.numbers
    return successes(fact, "men who get out", "pass", [1 - odds.at_least(killed.value)] * len(fact.faces))


def _buried(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count those who come out of a building that collapsed, for their side."""
    (killed,) = fact.numbers
    return successes(fact, "men who get out", "pass", [1 - odds.at_least(killed.value)] * len(fact.faces))


def _deflect(_rules: FadRules, _state: State, fact: Rolled) -> tuple[Luck, ...]:
    """Count the kills that armour undoes, for the unit that wears it."""
    return reaching(fact, "kills deflected", "pass")


ROWS: Mapping[str, Row[FadRules]] = {
    "initiative": roll_off,
    "deployment": roll_off,
    "end_fire": roll_off,
    "morale": quality_test,
    "fire_effect": fire_effect,
    "scattered_fire": _scattered,
    "ranging": quality_test,
    "strike": _strike,
    "armour": _armour,
    "damage": _damage,
    "squad_damage": _squad_damage,
    "assault": _assault,
    "kills": _kills,
    "shock": _kills,
    "vehicle_damage": _vehicle_damage,
    "crew_morale": quality_test,
    "repair": quality_test,
    "penetration": _penetration,
    "vehicle_kill": _vehicle_kill,
    "external_damage": _external,
    "return": quality_test,
    "passengers": _passengers,
    "buried": _buried,
    "nerve": quality_test,
    "vehicle_defence": _defence,
    "vehicle_strike": _vehicle_strike,
    "deflect": _deflect,
}
"""The rows by the purpose of the roll. A purpose without a row is not counted as luck."""


def luck(rules: FadRules, state: State, fact: Fact) -> tuple[Luck, ...]:
    """Return how lucky `fact` was and for whom, as it happens to `state`; () if it is no roll."""
    if isinstance(fact, Rolled) and (own := rules.rolls.get(fact.purpose)) is not None:
        return own.luck(rules, state, fact) if own.luck else ()
    return told(rules, ROWS, state, fact)
