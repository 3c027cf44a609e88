"""What an uncontrolled unit expects of its fire, and how it stands in a close assault: the numbers of previews."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from client_protocol.choices import Why
from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import Point
from server.kernel.state import State
from server.kernel.traits import has
from server.rulesets.fad.blast import StrikeEffect, shots_at, strike_dice
from server.rulesets.fad.damage import piercing
from server.rulesets.fad.fire_priority import by_priority
from server.rulesets.fad.game import SCATTERED, FadRules
from server.rulesets.fad.melee import AssaultScore
from server.rulesets.fad.previews.choices import effects
from server.rulesets.fad.previews.losses import losses
from server.rulesets.fad.quality import QualityNeed
from server.rulesets.fad.ranging import bearer
from server.rulesets.fad.shooting import PointsPerHit
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.shared.previews import odds

NOTHING = Fraction(0)
MYRIAD = 10_000


def shot_worth(
    rules: FadRules, state: State, shooter: str, target: str, *, open_fire: bool = False, mount: str = ""
) -> Fraction:
    """Return what a shot can be expected to do, of a vehicle with the weapon on `mount`: how many figures fall, or how likely it
    damages a vehicle. What pierces armour is worth more at a vehicle that it can damage than at any squad
    (fad4/ai.shooting-choice).
    """
    shot = aim(rules, state, shooter, target, mount)
    if isinstance(shot, Why):
        return NOTHING
    shot = by_priority(rules, state, shot)
    if has(state.units[shooter], SCATTERED):
        table = rules.book.tables.line_of_fire
        hits = odds.passes(table.scattered_dice, table.scattered_hit)
    else:
        spread = effects(rules, state, shot, open_fire=open_fire)
        points = rules.advisers.answer(state, PointsPerHit(shot)).value
        hits = odds.over(spread, lambda effect: {rules.dealt(shot, effect // points): Fraction(1)})
    if not is_vehicle(state.units[target]):
        return odds.mean(odds.over(hits, lambda number: losses(rules, state, shot, number)))
    if any(effect.strike is not None for effect in rules.effects(shot.weapon)):
        return NOTHING
    told = rules.vehicles.foretell(rules, state, shot, hits).chances
    damaged = Fraction(max((chance.per_myriad or 0 for chance in told), default=0), MYRIAD)
    pierces = any(strength for strength, _ in piercing(rules, state.units[shooter], shot, 1))
    return damaged + MOST if damaged and pierces else damaged


MOST = Fraction(100)
"""More than any shot at a squad is worth."""


def blast_worth(rules: FadRules, state: State, unit_id: str, at: Point, mount: str = "") -> dict[str, Fraction]:
    """Return how many figures of each unit a blast at a point can be expected to take out; none where a friend stands in it."""
    unit = state.units[unit_id]
    served = bearer(rules, unit, mount)
    if served is None:
        return {}
    figure, weapon = served
    shots = shots_at(rules, state, unit_id, figure, weapon, at)
    if any(state.units[shot.target].side == unit.side for shot in shots):
        return {}
    if any(row.foretell_burst or row.strike for row in rules.effects(weapon.id)):
        return {}
    table = rules.book.tables.blast
    passes = odds.passes(table.ranging_dice, rules.advisers.answer(state, QualityNeed(unit_id)).value)
    effect = rules.advisers.answer(state, StrikeEffect(weapon.id)).value
    strikes = odds.over(
        {number: weight for number, weight in passes.items() if number >= max(1, table.ranging_passes)},
        lambda number: {total + effect: weight for total, weight in odds.total(strike_dice(rules, number)).items()},
    )
    return {shot.target: _burst_worth(rules, state, shot, strikes) for shot in shots}


def _burst_worth(rules: FadRules, state: State, shot: Shot, strikes: Mapping[int, Fraction]) -> Fraction:
    points = rules.advisers.answer(state, PointsPerHit(shot)).value
    hits = odds.over(strikes, lambda total: {rules.dealt(shot, total // points): Fraction(1)})
    return odds.mean(odds.over(hits, lambda number: losses(rules, state, shot, number)))


def lead(rules: FadRules, state: State, attacker: str, target: str) -> int:
    """Return by how much the assault factor of a squad is higher than that of a squad that it would charge, before the dice and
    the free shot (fad4/ai.assault-factor).
    """
    own = rules.advisers.answer(state, AssaultScore(attacker, target, charging=True)).value
    other = rules.advisers.answer(state, AssaultScore(target, attacker, charging=False)).value
    return own - other
