"""Previews of a vehicle's fire: each of its weapons at its own target."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from msgspec.structs import replace

from client_protocol.choices import Assigned, Picked, UnitNamed
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.ruleset import Preview
from server.kernel.state import State
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.melee import DRAW, LOST, OVERRUN, WON, AssaultDice, AssaultScore
from server.rulesets.fad.previews.choices import preview_shot
from server.rulesets.fad.quality import QualityNeed
from server.rulesets.fad.vehicles import activation
from server.rulesets.fad.vehicles.assault import ASSAULTS, StrikeBonus, WeakestArmour, fighters, scored
from server.rulesets.fad.vehicles.characteristics import armoured
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line, expected_line


def preview(rules: FadRules, believed: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return the preview of what a vehicle does in `picked`, or None if it is no vehicle's, or there is nothing to show."""
    if picked.choice == "activate" and picked.values and isinstance(picked.values[0], UnitNamed):
        vehicle = believed.units[picked.values[0].unit]
        return rules.vehicles.test(rules, believed, vehicle) if is_vehicle(vehicle) else None
    named = picked.values[0].unit if picked.values and isinstance(picked.values[0], UnitNamed) else ""
    close = rules.vehicles.close
    if picked.choice in ASSAULTS and close is not None:
        return close.foretell_charge(rules, believed, asked.unit, named, picked.choice)
    if picked.choice == "assault" and is_vehicle(believed.units[named]) and close is not None:
        return close.foretell(rules, believed, asked.unit, named)
    if not picked.values or not isinstance(picked.values[-1], Assigned) or not is_vehicle(believed.units[asked.unit]):
        return None
    return preview_fire(
        rules, believed, asked.unit, picked.values[-1].given, open_fire=picked.choice == activation.FIRE_ALL
    )


def preview_fire(
    rules: FadRules, state: State, vehicle: str, given: Mapping[str, str], *, open_fire: bool
) -> Preview | None:
    """Return the odds of a vehicle's fire, one weapon after the other as both stand now; None if none can be fired."""
    told: list[Preview] = []
    unit = state.units[vehicle]
    for mount in unit.mounts:
        if mount in given and given[mount] in state.units:
            one = preview_shot(rules, state, vehicle, given[mount], open_fire=open_fire, mount=mount)
            if one is not None:
                at = f"{rules.mounted(unit, mount).name} at {state.units[given[mount]].name}"
                told.append(_named(one, at) if len(given) > 1 else one)
    if not told:
        return None
    targets = " and ".join(dict.fromkeys(state.units[target].name for target in given.values()))
    return Preview(
        f"{unit.name} at {targets}",
        told[0].dice if len(told) == 1 else "a roll for each weapon",
        tuple(number for one in told for number in one.numbers),
        tuple(chance for one in told for chance in one.chances),
        tuple(note for one in told for note in one.notes),
    )


def _named(preview: Preview, name: str) -> Preview:
    """Return a preview in which each number and chance says of which weapon it is."""
    return replace(
        preview,
        numbers=tuple((f"{name}: {label}", number) for label, number in preview.numbers),
        chances=tuple(replace(chance, label=f"{name}: {chance.label}") for chance in preview.chances),
    )


def preview_strike(rules: FadRules, state: State, unit: str, vehicle: str) -> Preview:
    """Return the odds of a close assault on a vehicle, with all figures of the squad in contact."""
    figures = len(fighters(rules, state, unit, vehicle))
    armour = rules.advisers.answer(state, WeakestArmour(vehicle))
    bonus = rules.advisers.answer(state, StrikeBonus(unit, vehicle, charging=True))
    spread = odds.over(
        odds.highest(1), lambda face: odds.passes(figures, max(1, min(7, face + armour.value - bonus.value)))
    )
    chances = []
    if armoured(rules, state.units[vehicle]):
        need = rules.advisers.answer(state, QualityNeed(unit))
        tested = odds.passes(rules.book.tables.quality_test.dice, need.value)
        steady = odds.chance(tested, lambda passes: passes >= rules.book.tables.morale.rally_passes)
        chances.append(chance_line("Keeps its nerve", steady))
    chances += [
        expected_line("Expected penetrating hits", odds.mean(spread)),
        *rules.vehicles.odds(rules, state.units[vehicle], spread),
    ]
    names = state.units[unit].name, state.units[vehicle].name
    notes = (f"Reckoned with all {figures} figures in contact.",) if figures > 1 else ()
    return Preview(
        f"{names[0]} assaults {names[1]}",
        "1D6 for each figure in contact, against 1D6 of the vehicle",
        (("Added to each die", bonus), ("Added to the vehicle's die", armour)),
        tuple(chances),
        notes,
    )


def preview_ram(rules: FadRules, state: State, vehicle: str, target: str) -> Preview:
    """Return the odds of a vehicle's close assault on a squad, before the free shot."""
    own = rules.advisers.answer(state, AssaultScore(vehicle, target, charging=True))
    other = rules.advisers.answer(state, AssaultScore(target, vehicle, charging=False))
    results: dict[tuple[str, str], Fraction] = {}
    for face, weight in odds.highest(rules.advisers.answer(state, AssaultDice(vehicle)).value).items():
        for against, share in odds.highest(rules.advisers.answer(state, AssaultDice(target)).value).items():
            result = scored(rules, face + own.value, against + other.value)
            results[result] = results.get(result, Fraction(0)) + weight * share
    names = state.units[vehicle].name, state.units[target].name
    return Preview(
        f"{names[0]} drives into {names[1]}",
        "highest of the dice on each side",
        ((f"{names[0]} (without the dice)", own), (f"{names[1]} (without the dice)", other)),
        (
            chance_line("Overrun them", odds.chance(results, lambda result: result[1] == OVERRUN)),
            chance_line("Win", odds.chance(results, lambda result: result == (WON, LOST))),
            chance_line("Draw", odds.chance(results, lambda result: result[0] == DRAW)),
            chance_line("Lose", odds.chance(results, lambda result: result[0] == LOST)),
        ),
        (
            f"{names[1]} may fire first: if that damages the vehicle, it does not assault.",
            f"The figures of {names[1]} in contact strike at the vehicle.",
        ),
    )
