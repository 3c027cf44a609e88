"""The numbers of a close assault: the score of each side, and what its dice must show to kill."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from client_protocol.explained import Line
from server.kernel.bodies import is_vehicle
from server.kernel.questions import Question
from server.kernel.state import State, Unit
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.bots import fighting
from server.rulesets.fad.game import POWERED, FadRules
from server.rulesets.fad.vehicles.characteristics import weakest

WON = "won"
DRAW = "draw"
LOST = "lost"
OVERRUN = "overrun"


class AssaultScore(Question, frozen=True):
    """The score of `unit` against `enemy` without the dice. `charging` is true for the side that charged. `own` and `theirs`
    are the figures that fight on each side; None for all.
    """

    unit: str
    enemy: str
    charging: bool
    own: tuple[str, ...] | None = None
    theirs: tuple[str, ...] | None = None


class AssaultDice(Question, frozen=True):
    """How many dice a side rolls for its score; the highest counts."""

    unit: str


class KillNumber(Question, frozen=True):
    """The number that a figure's die must reach to kill after `outcome` (won, draw, lost, overrun)."""

    outcome: str


class KillDice(Question, frozen=True):
    """How many dice figure `figure` of `unit` rolls to kill."""

    unit: str
    figure: str


class DeflectNumber(Question, frozen=True):
    """What a die must reach to undo a kill that `unit` suffers from `enemy`; 0 if none does."""

    unit: str
    enemy: str


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(AssaultScore, lambda state, q: _score_lines(rules, state, q))
    rules.advisers.add(AssaultDice, lambda state, q: _dice_lines(rules, state.units[q.unit]))
    rules.advisers.add(KillDice, lambda state, q: _kill_dice_lines(rules, state.units[q.unit], q.figure))
    rules.advisers.add(DeflectNumber, lambda state, q: _deflect_lines(rules, state, q))
    rules.advisers.add(KillNumber, lambda _, q: _kill_lines(rules, q.outcome))


def _score_lines(rules: FadRules, state: State, question: AssaultScore) -> Iterator[Line]:
    unit, enemy = state.units[question.unit], state.units[question.enemy]
    own = question.own if question.own is not None else fighting(unit)
    theirs = question.theirs if question.theirs is not None else fighting(enemy)
    # fad5/assault.example works one out
    yield from modifiers(rules, state, unit, enemy, (len(own), len(theirs)), charging=question.charging)
    if not is_vehicle(unit):
        yield from _arms_lines(rules, unit, own)
        yield from _grenade_lines(rules, unit, enemy, charging=question.charging)


def modifiers(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, fight: tuple[int, int], *, charging: bool
) -> Iterator[Line]:
    """Yield what Table 7 adds for a unit against an enemy; `fight` says how many figures fight on each side, its own first
    (fad4/assault.modifier-table).
    """
    amount = rules.book.tables.close_assault_modifiers
    own, theirs = fight
    if charging:
        yield Line("ADD", amount.charging, "charging", "assault.charging")
    if _armour(rules, state, unit) > _armour(rules, state, enemy):
        yield Line("ADD", amount.better_armour, "better armour", "assault.better-armour")
    if own > theirs:
        yield Line("ADD", (own - theirs) * amount.outnumber, f"{own} against {theirs}", "assault.outnumber")
    levels = rules.level(unit) - rules.level(enemy)
    if levels > 0:
        name = f"{rules.quality(unit).name} against {rules.quality(enemy).name}"
        yield Line("ADD", levels * amount.quality, name, "assault.quality")


def _arms_lines(rules: FadRules, unit: Unit, fighting: Collection[str]) -> Iterator[Line]:
    # fad4/tech.weapon-tables: bonuses of weapons and suits hand to hand. What the whole squad has counts once; a support
    # weapon counts for each fighting figure that carries one
    arm, armour = rules.small_arm(unit, fighting), rules.armour(unit)
    if arm.assault_bonus:
        yield Line("ADD", arm.assault_bonus, arm.name, "assault.weapons")
    if armour.assault_bonus:
        # fad5/assault.mod-powered: on top of what the better armour adds
        rule = "assault.mod-powered" if POWERED in armour.traits else "tech.personal-armour"
        yield Line("ADD", armour.assault_bonus, armour.name, rule)
    # fad5/assault.mod-traits
    yield from rules.trait_lines("assault", unit)
    for figure, weapon in rules.carried(unit):
        if weapon.assault_bonus and figure in fighting:
            yield Line("ADD", weapon.assault_bonus, weapon.name, "assault.weapons")


def _grenade_lines(rules: FadRules, unit: Unit, enemy: Unit, *, charging: bool) -> Iterator[Line]:
    if not charging:
        yield from rules.trait_lines("charged", unit)
    if not is_vehicle(enemy) and POWERED in rules.armour(enemy).traits:
        yield from rules.trait_lines("powered", unit)


def _armour(rules: FadRules, state: State, unit: Unit) -> int:
    """Return the armour that counts hand to hand: of a vehicle the weakest."""
    if is_vehicle(unit):
        return rules.vehicles.rating(rules, state, unit, weakest(rules, state, unit))
    return armour_of(rules, state).rating(rules, state, unit)


def _dice_lines(rules: FadRules, unit: Unit) -> Iterator[Line]:
    # fad4/assault.victor-roll: two dice for a squad, one for an individual
    table = rules.book.tables.close_assault
    if is_vehicle(unit):
        yield Line("SET", table.squad_dice, "vehicle", "assault.by-vehicle")
    elif rules.chapters.fire.alone(unit):
        yield Line("SET", table.individual_dice, "individual", "assault.victor-roll")
    else:
        yield Line("SET", table.squad_dice, "squad", "assault.victor-roll")


def _kill_lines(rules: FadRules, outcome: str) -> Iterator[Line]:
    # fad4/assault.kill-table, fad4/assault.overrun
    rule = "assault.overrun-dice" if outcome == OVERRUN else "assault.kill-table"
    yield Line("SET", rules.book.tables.close_combat_kill.of(outcome), f"each die, {outcome}", rule)


def _kill_dice_lines(rules: FadRules, unit: Unit, figure: str) -> Iterator[Line]:
    armour = rules.armour(unit)
    # fad5/assault.powered-kill-dice
    rule = "assault.powered-kill-dice" if armour.kill_dice > 1 else "assault.kill-table"
    yield Line("SET", armour.kill_dice, armour.name if armour.kill_dice > 1 else "each figure", rule)
    for carrier, weapon in rules.carried(unit):
        if carrier == figure and weapon.kill_dice:
            # fad4/tech.weapon-tables
            yield Line("ADD", weapon.kill_dice, weapon.name, "assault.weapons")


def _deflect_lines(rules: FadRules, state: State, question: DeflectNumber) -> Iterator[Line]:
    armour = rules.armour(state.units[question.unit])
    if armour.deflects:
        # fad4/tech.personal-armour
        yield Line("SET", armour.deflects, f"each kill, {armour.name}", "assault.powered-deflect")


def kill_dice(rules: FadRules, state: State, unit: str, fighters: Iterable[str], outcome: str) -> int:
    """Return how many dice the figures `fighters` of `unit` roll to kill."""
    if outcome == OVERRUN:
        # fad4/assault.overrun: the parting blow is a die for each figure
        return len(tuple(fighters))
    return sum(rules.advisers.answer(state, KillDice(unit, figure)).value for figure in fighters)


def outcomes(rules: FadRules, own: int, other: int) -> tuple[str, str]:
    """Return the outcome of two scores for each side: won, draw, lost, or overrun.

    A side whose score is at most half of the other's is overrun (fad4/assault.overrun), unless neither has more than 0
    (fad5/assault.overrun).
    """
    if own == other:
        return DRAW, DRAW
    factor = rules.book.tables.close_assault.overrun_factor
    if own > other:
        return WON, OVERRUN if own > 0 and own >= factor * other else LOST
    return OVERRUN if other > 0 and other >= factor * own else LOST, WON
