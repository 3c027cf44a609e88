"""Previews of indirect fire: whether it comes, whether it lands where it should, and what it does there."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from client_protocol.choices import Picked, PointTaken
from client_protocol.explained import Explained
from client_protocol.from_server import Chance
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import inches_text
from server.kernel.state import State, Unit
from server.rulesets.fad.blast import StrikeEffect, strike_dice
from server.rulesets.fad.calling import TimingNeed
from server.rulesets.fad.damage import DamageBonus
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.modules.indirect_fire.batteries import Battery, accuracy, radius
from server.rulesets.fad.modules.indirect_fire.calls import ARRIVES, GARBLED, LOST, called, outcome, point_of
from server.rulesets.fad.modules.indirect_fire.spotted import strike_of
from server.rulesets.fad.modules.indirect_fire.strikes import Strike, shot_at_nearest, shots_of
from server.rulesets.fad.previews.blast import in_blast, named, target_odds
from server.rulesets.fad.previews.losses import armour_numbers, losses
from server.rulesets.fad.previews.special import landing_chances, special_notes
from server.rulesets.fad.shooting import FireEffect, PointsPerHit
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line, expected_line

Told = tuple[list[tuple[str, Explained]], list[Chance], list[str]]
"""Numbers, odds and notes."""


def preview_call(rules: FadRules, state: State, unit: Unit, picked: Picked) -> Preview | None:
    """Return the odds of a call at a legal point."""
    if not picked.values or not isinstance(picked.values[0], PointTaken):
        return None
    figure, battery = called(rules, state, unit.id, picked.choice)
    table = rules.book.tables.artillery
    need = rules.advisers.answer(state, TimingNeed(unit.id, figure))
    passes = odds.passes(table.timing_dice, need.value)
    labels = ((ARRIVES, "The strike comes"), (GARBLED, "Garbled: no strike"), (LOST, "Contact is lost for good"))
    chances = [chance_line(label, _of(rules, battery, passes, result)) for result, label in labels]
    if battery.asset is None:
        # adv.artillery-mortar-no-loss
        chances.pop()
    by = (battery.id, battery.figure) if battery.asset is None else (unit.id, figure)
    strike = Strike(
        *by, battery.weapon, point_of(picked), accuracy(rules, state, battery), off_table=battery.asset is not None
    )
    numbers, more, notes = _landing(rules, state, strike)
    return Preview(
        f"{unit.name} calls {battery.name}",
        f"{table.timing_dice}D6 for the call, {_dice(rules, strike)}",
        (("Each die of the call", need), *numbers),
        (*chances, *more),
        tuple(notes),
    )


def _of(rules: FadRules, battery: Battery, passes: dict[int, Fraction], result: str) -> Fraction:
    return odds.chance(passes, lambda number: outcome(rules, battery, number) == result)


def preview_spotted(rules: FadRules, state: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return the odds of a light mortar's own fire at a legal point."""
    if not picked.values or not isinstance(picked.values[0], PointTaken):
        return None
    strike = strike_of(rules, state, asked.unit, picked)
    numbers, chances, notes = _landing(rules, state, strike)
    title = f"{state.units[asked.unit].name}: {strike.weapon.name}, indirectly"
    return Preview(title, _dice(rules, strike), tuple(numbers), tuple(chances), tuple(notes))


def _dice(rules: FadRules, strike: Strike) -> str:
    table = rules.book.tables
    last = (
        strike_dice(rules, table.artillery.strike_dice) if strike.weapon.blasts else table.fire_effect.individual_dice
    )
    return f"{table.artillery.accuracy_dice}D6 for accuracy, then {last}D6"


def _landing(rules: FadRules, state: State, strike: Strike) -> Told:
    dice = rules.book.tables.artillery.accuracy_dice
    pinpoint = odds.chance(odds.passes(dice, strike.need.value), lambda number: number == dice)
    numbers, chances, notes = (_blast if strike.weapon.blasts else _aimed)(rules, state, strike)
    notes.append(
        'Each die of accuracy that fails moves it 1D6" in a random direction: the odds count strikes on the point.'
    )
    return (
        [("Each die of accuracy", strike.need), *numbers],
        [chance_line("Lands on the point, if it comes", pinpoint), *chances],
        notes,
    )


def _blast(rules: FadRules, state: State, strike: Strike) -> Told:
    shots = shots_of(rules, state, strike, strike.at)
    effect = rules.advisers.answer(state, StrikeEffect(strike.weapon.id))
    count = strike_dice(rules, rules.book.tables.artillery.strike_dice)
    strikes = {total + effect.value: weight for total, weight in odds.total(count).items()}
    numbers: list[tuple[str, Explained]] = [("Strike Effect (without the dice)", effect)]
    chances: list[Chance] = []
    notes: list[str] = []
    bursts = [row.foretell_burst for row in rules.effects(strike.weapon.id) if row.foretell_burst is not None]
    if bursts:
        sure = Fraction(1)
        for shot in shots:
            found = (row for foretell in bursts for row in foretell(rules, state, shot, sure))
            chances += (Chance(f"{row.label}: {named(state, shot)}", row.value, row.per_myriad) for row in found)
            notes.append(in_blast(rules, state, shot))
        numbers = []
    for shot in () if bursts else shots:
        told, more, note = target_odds(rules, state, shot, strikes)
        chances += told
        numbers += more
        notes.append(note)
    if shots and not bursts:
        numbers.append(("Damage (plus 1D6)", rules.advisers.answer(state, DamageBonus(strike.unit, strike.weapon.id))))
    chances += landing_chances(rules, state, strike.weapon.id, strike.at, Fraction(1))
    notes += special_notes(rules, strike.weapon.id)
    area = inches_text(radius(rules, strike.weapon))
    notes.append(
        f"All figures within {area} can be hit; each unit there is shot at, hit or not. Vehicles are not affected."
    )
    return numbers, chances, notes


def _aimed(rules: FadRules, state: State, strike: Strike) -> Told:
    shot = shot_at_nearest(rules, state, strike, strike.at)
    area = inches_text(radius(rules, strike.weapon))
    if shot is None:
        return [], [], [f"No unit is within {area} of that point: a strike there has no effect."]
    target = state.units[shot.target]
    effect = rules.advisers.answer(state, FireEffect(shot))
    points = rules.advisers.answer(state, PointsPerHit(shot))
    plain = sum(line.amount for line in effect.lines if line.stage == "ADD")
    minimum = rules.book.tables.fire_effect.minimum
    die = odds.highest(rules.book.tables.fire_effect.individual_dice)
    hits = odds.over(die, lambda face: {max(face + plain, minimum) // points.value: Fraction(1)})
    own = " (your own)" if target.side == state.units[strike.unit].side else ""
    numbers: list[tuple[str, Explained]] = [
        ("Fire Effect (without the die)", effect),
        ("Points for each hit", points),
        ("Damage (plus 1D6 for each hit)", rules.advisers.answer(state, DamageBonus(shot.shooter, shot.weapon))),
    ]
    chances = [expected_line(f"Expected hits on {target.name}{own}", odds.mean(hits))]
    more: Sequence[tuple[str, Explained]]
    if is_vehicle(target):
        foretold = rules.vehicles.foretell(rules, state, shot, hits)
        more = foretold.numbers
        chances += foretold.chances
    else:
        more = armour_numbers(rules, state, shot)
        lost = odds.over(hits, lambda number: losses(rules, state, shot, number))
        chances.append(expected_line(f"Expected losses of {target.name}{own}", odds.mean(lost)))
    return (
        [*numbers, *more],
        chances,
        [f"It strikes the unit nearest to the point, within {area} of it: {target.name}."],
    )
