"""What hits come to: how many figures fall, and what the damage dice must reach."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

from msgspec.structs import replace

from client_protocol.explained import Explained
from server.kernel.state import State
from server.rulesets.fad import machines
from server.rulesets.fad.allocation import RANDOM, allocation, closest
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.damage import ArmourRating, bonuses, damage_bonus, for_squad, piercing, squad_armour
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.previews import odds


def kill_chance(
    rules: FadRules, state: State, shot: Shot, piercing_by: int, weapon: str, added: Explained | None = None
) -> Fraction:
    """Return the chance that one hit takes its figure out. `added` is what its damage die has, if not that of all the shot."""
    bonus = added or rules.advisers.answer(state, damage_bonus(shot))
    armour = rules.advisers.answer(state, ArmourRating(shot.target, piercing_by, weapon)).value
    # A machine that is only damaged is not out.
    armour += machines.tougher(rules, state, state.units[shot.target])
    return armour_of(rules, state).kills(armour - bonus.value)


def losses(rules: FadRules, state: State, shot: Shot, hits: int) -> dict[int, Fraction]:
    """Return the distribution of the losses from this many hits. A second hit on a dead figure is lost."""
    through = {hits: Fraction(1)}
    for shield in rules.shields(state):
        met = min(hits, shield.left(rules, state, state.units[shot.target]))
        stopped = odds.successes([shield.chance(rules)] * met)
        through = odds.over(stopped, lambda saved: {hits - saved: Fraction(1)})
    return odds.over(through, lambda left: _unshielded(rules, state, shot, left))


def _unshielded(rules: FadRules, state: State, shot: Shot, hits: int) -> dict[int, Fraction]:
    if any(effect.strike is not None for effect in rules.effects(shot.weapon)):
        return {0: Fraction(1)}
    if for_squad(state):
        return _squad_losses(rules, state, shot, hits)
    chances = [
        kill_chance(rules, state, shot, ap, weapon, bonus)
        for (ap, weapon), bonus in zip(
            piercing(rules, state.units[shot.shooter], shot, hits), bonuses(rules, state, shot, hits), strict=True
        )
    ]
    if allocation(state) == RANDOM:
        count = len(shot.seen)
        return odds.drawn_again(count, chances) if rules.book.tables.hits.again else odds.drawn(count, chances)
    # An owner who picks decides who falls. How many fall is reckoned for the figures nearest the shooters.
    alive: dict[str, Fraction] = {}
    for figure, chance in zip(closest(shot, hits), chances, strict=True):
        alive[figure] = alive.get(figure, Fraction(1)) * (1 - chance)
    return odds.successes([1 - lives for lives in alive.values()])


def _squad_losses(rules: FadRules, state: State, shot: Shot, hits: int) -> dict[int, Fraction]:
    """Return the distribution of the losses if one roll of damage counts for all hits (fad4/damage.squad-based)."""
    bonus = rules.advisers.answer(state, damage_bonus(shot)).value
    armour = rules.advisers.answer(state, squad_armour(rules, state, shot)).value
    count = len(shot.seen)
    killing = armour_of(rules, state).squad(hits, armour - bonus)
    if machines.tougher(rules, state, state.units[shot.target]):
        killing = odds.over(killing, lambda kills: {min(kills, count) // 2: Fraction(1)})
    if allocation(state) == RANDOM and rules.book.tables.hits.again:
        return odds.over(killing, lambda kills: odds.drawn_again(count, [Fraction(1)] * kills))
    return odds.over(killing, lambda kills: {min(kills, count): Fraction(1)})


def armour_numbers(rules: FadRules, state: State, shot: Shot, of: str = "") -> list[tuple[str, Explained]]:
    """Return what the damage dice must reach: first for each hit of a piercing support weapon, then for all other hits. `of` is
    added to the labels.
    """
    if for_squad(state):
        return [
            (
                f"Armour ({_squad_title(rules, state)}each point above the damage saves a hit){of}",
                rules.advisers.answer(state, squad_armour(rules, state, shot)),
            )
        ]
    if shot.joined:
        return _joined_numbers(rules, state, shot, of)
    hits = piercing(rules, state.units[shot.shooter], shot, len(shot.supporting) + 1)
    ratings = [rules.advisers.answer(state, ArmourRating(shot.target, ap, weapon)) for ap, weapon in hits]
    special = Counter(rating for rating in ratings if rating != ratings[-1])
    reach = f"{armour_of(rules, state).title}{of}"
    shares = [(f"{reach} with {'one hit' if n == 1 else f'{n} hits'}", r) for r, n in special.items()]
    return [*shares, (reach, ratings[-1])]


def _squad_title(rules: FadRules, state: State) -> str:
    return "plus 1D6; " if armour_of(rules, state).rolls else ""


def _joined_numbers(rules: FadRules, state: State, shot: Shot, of: str) -> list[tuple[str, Explained]]:
    """Return what the damage dice must reach for the hits of the small arms, and for those of the weapon that joins in."""
    plain, second = piercing(rules, state.units[shot.shooter], replace(shot, supporting=()), 2)
    return [
        (
            f"{armour_of(rules, state).title}{of}, {which} hits",
            rules.advisers.answer(state, ArmourRating(shot.target, *hit)),
        )
        for which, hit in (("odd", plain), ("even", second))
    ]
