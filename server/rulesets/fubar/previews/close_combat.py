"""Previews of close combat: exact odds of the first round after a charge."""

from __future__ import annotations

from fractions import Fraction
from functools import partial

from client_protocol.choices import EndsTouching, PathParameter, PathsDeclared, Picked, UnitNamed
from client_protocol.explained import Explained
from server.kernel.answers.check import Asked, check_path
from server.kernel.facts import UnitMoved
from server.kernel.march import on_the_way
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import inches
from server.kernel.state import State
from server.rulesets.fubar import dice
from server.rulesets.fubar.assault import charge_parameter, charge_way, met
from server.rulesets.fubar.combat import Blow, blows
from server.rulesets.fubar.contact import unengaged, ways_in
from server.rulesets.fubar.game import ON_GUARD, FubarRules
from server.rulesets.fubar.saves import PersonalSave
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line, expected_line, or_more


def preview(rules: FubarRules, believed: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return the preview of an assault, or of a charge as it is drawn; None if `picked` is neither."""
    value = picked.values[0] if picked.values else None
    if picked.choice == "assault" and isinstance(value, UnitNamed):
        way = charge_way(believed, charge_parameter(rules, believed, asked.unit, value.unit), value.unit)
        return None if way is None else preview_assault(rules, believed, asked.unit, value.unit, way)
    choice = asked.choice(picked.choice)
    if picked.choice != "charge" or choice is None or not isinstance(value, PathsDeclared):
        return None
    parameter = choice.parameters[0]
    if not isinstance(parameter, PathParameter) or check_path(believed, parameter, value) is not None:
        return None
    touching = parameter.ends[0].any_of[0]
    assert isinstance(touching, EndsTouching), "a charge ends in contact"
    return preview_assault(rules, believed, asked.unit, touching.units[0], value)


def preview_assault(rules: FubarRules, state: State, unit: str, target: str, way: PathsDeclared) -> Preview | None:
    """Return the odds of the first round after a charge along `way`, or None if no figure reaches the enemy.

    The odds assume that no enemy fires at the charge, and that every figure that can step up does.
    """
    guards = [enemy.name for enemy in state.enemies_of(state.units[unit].side) if ON_GUARD in enemy.conditions]
    there = on_the_way(state, unit, way.paths, 1.0)
    reached = met(there, unit, target)
    reach = inches(rules.book.tables.close_combat.step_up)
    for enemy in reached:
        able = unengaged(there, enemy, [unit], reach)
        there = UnitMoved(enemy, "step-up", ways_in(rules, there, enemy, able, [unit], reach)).fold(there)
    struck = blows(rules, there, [(unit, enemy) for enemy in reached])
    if not struck:
        return None
    own = [blow for blow in struck if blow.unit == unit]
    other = [blow for blow in struck if blow.unit != unit]
    name = state.units[unit].name
    foe = " and ".join(state.units[enemy].name for enemy in reached)
    dealt, taken = _lost(rules, there, own), _lost(rules, there, other)
    chances = [
        expected_line(f"Expected losses of {foe}", odds.mean(dealt)),
        chance_line(f"{foe} {'loses' if len(reached) == 1 else 'lose'} at least one figure", or_more(dealt, 1)),
        expected_line(f"Expected losses of {name}", odds.mean(taken)),
        chance_line(f"{name} loses at least one figure", or_more(taken, 1)),
    ]
    whole = sum(there.units[enemy].strength for enemy in reached)
    if whole in dealt:
        chances.insert(2, chance_line(f"{foe} {'is' if len(reached) == 1 else 'are'} wiped out", dealt[whole]))
    strike = "1 figure" if _count(own) == 1 else f"{_count(own)} figures"
    verb = "strikes" if _count(own) == 1 else "strike"
    notes = [f"{strike} of {name} {verb}, {_count(other)} of {foe}, if every figure that can step up does."]
    if guards:
        notes.append(f"On Guard, and not counted in the odds: {', '.join(guards)}.")
    numbers = [*_numbers(rules, there, own), *_numbers(rules, there, other)]
    return Preview(
        f"{name} assaults {foe}",
        "1D6 for each figure in contact; a 6 always succeeds, a 1 always fails",
        tuple(dict.fromkeys(numbers)),
        tuple(chances),
        tuple(notes),
    )


def _count(struck: list[Blow]) -> int:
    return sum(len(blow.figures) for blow in struck)


def _numbers(rules: FubarRules, state: State, struck: list[Blow]) -> list[tuple[str, Explained]]:
    told = []
    for blow in struck:
        name = state.units[blow.unit].name
        told.append((f"{name}: each needs", blow.need))
        if blow.bonus.value:
            told.append((f"{name}: added to each die of suppressed figures", blow.bonus))
        save = rules.advisers.answer(state, PersonalSave(blow.enemy))
        if save.value:
            told.append((f"{state.units[blow.enemy].name} saves on", save))
    return told


def _lost(rules: FubarRules, state: State, struck: list[Blow]) -> dict[int, Fraction]:
    """Return the distribution of the losses from these blows; no unit loses more figures than it has."""
    spread = {0: Fraction(1)}
    for enemy in dict.fromkeys(blow.enemy for blow in struck):
        save = rules.advisers.answer(state, PersonalSave(enemy)).value
        through = 1 - dice.chance(save) if save else Fraction(1)
        events = [
            dice.chance(blow.need.value, blow.bonus.value) * through
            for blow in struck
            if blow.enemy == enemy
            for _ in blow.figures
        ]
        most = state.units[enemy].strength
        capped = odds.over(odds.successes(events), partial(_capped, most=most))
        spread = _sum(spread, capped)
    return spread


def _capped(number: int, most: int) -> dict[int, Fraction]:
    return {min(number, most): Fraction(1)}


def _sum(one: dict[int, Fraction], other: dict[int, Fraction]) -> dict[int, Fraction]:
    """Return the distribution of the sum of two independent numbers."""
    return odds.over(one, lambda number: {number + more: weight for more, weight in other.items()})
