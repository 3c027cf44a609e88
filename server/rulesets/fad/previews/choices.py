"""Previews of choices: the numbers that the procedures use, and exact odds in place of dice."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from client_protocol.choices import PathParameter, PathsDeclared, Picked, PointTaken, UnitNamed, Why
from client_protocol.explained import Explained
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.questions import total
from server.kernel.ruleset import Preview
from server.kernel.state import State
from server.kernel.traits import has
from server.rulesets.fad import blast, command, firing, lines_of_fire
from server.rulesets.fad.bots import fighting
from server.rulesets.fad.damage import bonuses, damage_bonus, for_squad
from server.rulesets.fad.falling_back import spends
from server.rulesets.fad.fire_priority import by_priority
from server.rulesets.fad.game import SCATTERED, FadRules
from server.rulesets.fad.inspiration import INSPIRED
from server.rulesets.fad.machines import endurance, rout, stands_fast
from server.rulesets.fad.melee import (
    DRAW,
    LOST,
    OVERRUN,
    WON,
    AssaultDice,
    AssaultScore,
    DeflectNumber,
    KillNumber,
    kill_dice,
    outcomes,
)
from server.rulesets.fad.morale import FALLS_BACK, RALLIED, ROUTED, may_stay, must_test, read_morale
from server.rulesets.fad.previews.blast import preview_blast
from server.rulesets.fad.previews.losses import armour_numbers, losses
from server.rulesets.fad.previews.moves import contact_chance, preview_move
from server.rulesets.fad.previews.special import special_chances, special_notes
from server.rulesets.fad.quality import QualityNeed
from server.rulesets.fad.shooting import FireEffect, PointsPerHit, fire_dice, support_dice
from server.rulesets.fad.shot import Shot, aim
from server.rulesets.fad.vehicles.bolster import tank_nearby
from server.rulesets.shared.previews import odds
from server.rulesets.shared.words.chances import chance_line, expected_line, or_more


def preview(rules: FadRules, believed: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return the preview of `picked`, or None if there is nothing to show."""
    own = _of_its_owner(rules, believed, picked.choice)
    if own is not None:
        return own(rules, believed, asked, picked)
    if asked.unit and command.task_of(rules, believed, believed.units[asked.unit], picked.choice) is not None:
        return command.preview(rules, believed, asked, picked)
    named = picked.values[0].unit if picked.values and isinstance(picked.values[0], UnitNamed) else ""
    if picked.values and isinstance(picked.values[0], PathsDeclared):
        if is_vehicle(believed.units[asked.unit]):
            return _preview_flight(rules, believed, asked, picked)
        return preview_move(rules, believed, asked, picked.choice, picked.values[0])
    if picked.choice == "activate":
        return None if is_vehicle(believed.units[named]) else preview_morale(rules, believed, named)
    if picked.choice.partition(":")[0] == blast.BLAST:
        at = picked.values[0]
        return (
            preview_blast(rules, believed, asked.unit, at.at, blast.mount_of(picked.choice))
            if isinstance(at, PointTaken)
            else None
        )
    if picked.choice == "assault":
        # fad4/transport.disembark: no dice say how far a squad comes that has got off
        return preview_assault(rules, believed, asked.unit, named, sure=asked.rule == "transport.disembark")
    if picked.choice == "free-shot":
        # A free shot is fired while the attackers are the active unit.
        return preview_shot(rules, believed, asked.unit, believed.turn.unit, free=True)
    # A squad's own fire is a part too: both parts, at a target that is named.
    part = firing.part_of(picked.choice) or firing.Part("", picked.choice == "open-fire")
    target = part.target or named
    # Of a vehicle only its mounts are aimed; other units that it names, to steer them say, are none of its targets.
    aims = asked.unit and (part.mount or not is_vehicle(believed.units[asked.unit]))
    if target and aims:
        return preview_shot(rules, believed, asked.unit, target, open_fire=part.open_fire, mount=part.mount)
    return None


def _preview_flight(rules: FadRules, state: State, asked: Asked, picked: Picked) -> Preview | None:
    """Return what is said of the way of a vehicle that falls back; None of other ways."""
    taken, way = asked.choice(picked.choice), picked.values[0]
    assert isinstance(way, PathsDeclared), "a path was asked for"
    if taken is None or not any(isinstance(one, PathParameter) and spends(one) for one in taken.parameters):
        return None
    unit = state.units[asked.unit]
    note = rules.vehicles.foretell_flight(rules, state, unit, way)
    return Preview(f"{unit.name} falls back there", "", (), (), (note,)) if note else None


def _of_its_owner(
    rules: FadRules, state: State, choice: str
) -> Callable[[FadRules, State, Asked, Picked], Preview | None] | None:
    """Return what the action or the module says that a choice belongs to; None for a choice of the family's chapters."""
    action = rules.action(state, choice)
    if action is not None:
        return action.preview or (lambda *_: None)
    return rules.own_preview(state, choice)


def effects(rules: FadRules, state: State, shot: Shot, *, open_fire: bool) -> dict[int, Fraction]:
    """Return the distribution of the Fire Effect of `shot`."""
    base = rules.advisers.answer(state, FireEffect(shot, open_fire))
    plain = sum(line.amount for line in base.lines if line.stage == "ADD")
    minimum = rules.book.tables.fire_effect.minimum
    best = odds.best_of(*fire_dice(rules, state, shot))
    extra = odds.total(len(support_dice(rules, shot)))
    spread: dict[int, Fraction] = {}
    for face, weight in best.items():
        for more, share in extra.items():
            value = max(face + more + plain, minimum)
            spread[value] = spread.get(value, Fraction(0)) + weight * share
    return spread


def preview_shot(
    rules: FadRules,
    state: State,
    shooter: str,
    target: str,
    *,
    open_fire: bool = False,
    free: bool = False,
    mount: str = "",
) -> Preview | None:
    """Return the odds of a shot, of a vehicle with the weapon on `mount`, or None if it cannot be fired."""
    shot = aim(rules, state, shooter, target, mount)
    if isinstance(shot, Why):
        return None
    shot = shot if free else by_priority(rules, state, shot)
    if has(state.units[shooter], SCATTERED):
        return _preview_scattered(rules, state, shot)
    spread = effects(rules, state, shot, open_fire=open_fire)
    points = rules.advisers.answer(state, PointsPerHit(shot))
    hits = odds.over(spread, lambda effect: {rules.dealt(shot, effect // points.value): Fraction(1)})
    if is_vehicle(state.units[target]):
        return _preview_at_vehicle(rules, state, shot, hits, points, open_fire=open_fire)
    lost = odds.over(hits, lambda number: losses(rules, state, shot, number))
    # fad4/assault.no-markers
    left = () if free else [aftermath.foretell(rules, state, target, spread) for aftermath in rules.aftermaths(state)]
    chances = [
        expected_line("Expected hits", odds.mean(hits)),
        expected_line("Expected losses", odds.mean(lost)),
        chance_line("At least one loss", odds.chance(lost, lambda number: number >= 1)),
        *(chance_line(f"{number} or more", or_more(lost, number)) for number in (2, 3) if number in lost),
        *(chance for foretold in left for chance in foretold.chances),
        *special_chances(rules, state, shot, hits),
        *(rules.hindrances(state, state.units[shooter], state.units[target]) if free else ()),
    ]
    squad = for_squad(state)
    numbers = [
        ("Fire Effect (without the dice)", _without_floor(rules, state, shot, open_fire=open_fire)),
        ("Points for each hit", points),
        (
            f"Damage (plus 1D6 for {'all hits' if squad else 'odd hits' if shot.joined else 'each hit'})",
            rules.advisers.answer(state, damage_bonus(shot)),
        ),
        *(
            [("Damage (plus 1D6 for even hits)", bonuses(rules, state, shot, 2)[1])]
            if shot.joined and not squad
            else []
        ),
        *armour_numbers(rules, state, shot),
        *(number for foretold in left for number in foretold.numbers),
    ]
    who = "" if shot.mount else f"{len(shot.firing)} of {state.units[shooter].strength} figures fire; "
    along = f"with the {rules.mounted(state.units[shooter], shot.joined).name.lower()}; " if shot.joined else ""
    notes = [f"{who}{along}{len(shot.seen)} can be hit.", *special_notes(rules, shot.weapon)]
    stopped = lines_of_fire.note(rules, state, shooter, target)
    if stopped:
        notes.append(stopped)
    own = next((effect.wounding for effect in rules.fired(state, shot) if effect.wounding is not None), None)
    wounding = own or rules.wounding(state)
    if wounding is not None:
        notes.append(wounding.note(rules))
    notes += [note for one in endurance(rules, state) if (note := one.note(rules, state.units[target]))]
    title = f"{state.units[shooter].name} at {state.units[target].name}"
    return Preview(title, _dice(rules, state, shot), tuple(numbers), tuple(chances), tuple(notes))


def _scattered_hits(rules: FadRules) -> dict[int, Fraction]:
    table = rules.book.tables.line_of_fire
    return odds.passes(table.scattered_dice, table.scattered_hit)


def _preview_scattered(rules: FadRules, state: State, shot: Shot) -> Preview:
    """Return the odds of scattered fire (fad5/shoot.scattered-fire)."""
    table, hits = rules.book.tables.line_of_fire, _scattered_hits(rules)
    title = f"{state.units[shot.shooter].name} at {state.units[shot.target].name}"
    dice = f"{table.scattered_dice}D6, each hits on {table.scattered_hit}"
    if is_vehicle(state.units[shot.target]):
        foretold = rules.vehicles.foretell(rules, state, shot, hits)
        return Preview(
            title, dice, foretold.numbers, (expected_line("Expected hits", odds.mean(hits)), *foretold.chances)
        )
    lost = odds.over(hits, lambda number: losses(rules, state, shot, number))
    chances = (
        expected_line("Expected hits", odds.mean(hits)),
        expected_line("Expected losses", odds.mean(lost)),
        chance_line("At least one loss", odds.chance(lost, lambda number: number >= 1)),
    )
    damage = rules.advisers.answer(state, damage_bonus(shot))
    numbers = (("Damage (plus 1D6 for each hit)", damage), *armour_numbers(rules, state, shot))
    notes = ("Scattered fire: nothing is added, and cover does not count. Only a hit puts the target Under Fire.",)
    return Preview(title, dice, numbers, chances, notes)


def _dice(rules: FadRules, state: State, shot: Shot) -> str:
    count, kept = fire_dice(rules, state, shot)
    best = f"highest of {count}D6" if count > 1 else "1D6"
    return (f"two highest of {count}D6" if kept > 1 else best) + " + 1D6" * len(support_dice(rules, shot))


def _preview_at_vehicle(
    rules: FadRules, state: State, shot: Shot, hits: dict[int, Fraction], points: Explained, *, open_fire: bool
) -> Preview:
    title = f"{state.units[shot.shooter].name} at {state.units[shot.target].name}"
    if any(effect.strike is not None for effect in rules.effects(shot.weapon)):
        effect = ("Fire Effect (without the dice)", _without_floor(rules, state, shot, open_fire=open_fire))
        told = (expected_line("Expected hits", odds.mean(hits)), *special_chances(rules, state, shot, hits))
        told_numbers = (effect, ("Points for each hit", points))
        return Preview(title, _dice(rules, state, shot), told_numbers, told, special_notes(rules, shot.weapon))
    foretold = rules.vehicles.foretell(rules, state, shot, hits)
    rated = rules.book.tables.vehicles.rated_only
    bonus = rules.advisers.answer(state, damage_bonus(shot))
    numbers = (
        ("Fire Effect (without the dice)", _without_floor(rules, state, shot, open_fire=open_fire)),
        ("Points for each hit", points),
        # fad5/damage.vehicle-penetration: the damage of a weapon does not count
        *([] if rated else [("Damage (plus 1D6 for each hit)", bonus)]),
        *foretold.numbers,
    )
    chances = (expected_line("Expected hits", odds.mean(hits)), *foretold.chances)
    notes = (*_part_of(state, shot), *special_notes(rules, shot.weapon)) if rated else special_notes(rules, shot.weapon)
    return Preview(title, _dice(rules, state, shot), numbers, chances, notes)


def _part_of(state: State, shot: Shot) -> tuple[str, ...]:
    """Return how much of a squad fires at a vehicle (fad5/shoot.squad-vs-vehicle)."""
    strength = state.units[shot.shooter].strength
    if shot.mount or len(shot.firing) == strength:
        return ()
    return (
        f"{len(shot.firing)} of {strength} figures fire: those whose weapons can harm it, and that see it in range.",
    )


def _without_floor(rules: FadRules, state: State, shot: Shot, *, open_fire: bool) -> Explained:
    answer = rules.advisers.answer(state, FireEffect(shot, open_fire))
    return total(line for line in answer.lines if line.stage != "CAP")


def preview_assault(rules: FadRules, state: State, attacker: str, target: str, *, sure: bool = False) -> Preview:
    """Return the odds of a close assault as the squads stand, before the free shot. It may be `sure` that they come into contact,
    whatever the match rolls for.
    """
    if rules.helpless(state, state.units[target]):
        return _preview_overrun(rules, state, attacker, target, sure=sure)
    own = rules.advisers.answer(state, AssaultScore(attacker, target, charging=True))
    other = rules.advisers.answer(state, AssaultScore(target, attacker, charging=False))
    results: dict[tuple[str, str], Fraction] = {}
    mine = odds.highest(rules.advisers.answer(state, AssaultDice(attacker)).value)
    theirs = odds.highest(rules.advisers.answer(state, AssaultDice(target)).value)
    for face, weight in mine.items():
        for against, share in theirs.items():
            result = outcomes(rules, face + own.value, against + other.value)
            results[result] = results.get(result, Fraction(0)) + weight * share
    lost = {unit: Fraction(0) for unit in (attacker, target)}
    for (won, beaten), weight in results.items():
        lost[target] += weight * _mean_kills(rules, state, attacker, target, won, beaten)
        lost[attacker] += weight * _mean_kills(rules, state, target, attacker, beaten, won)
    chances = [
        *([] if sure else contact_chance(rules, state, attacker, target)),
        chance_line("Overrun them", odds.chance(results, lambda r: r[1] == OVERRUN)),
        chance_line("Win", odds.chance(results, lambda r: r == (WON, LOST))),
        chance_line("Draw", odds.chance(results, lambda r: r[0] == DRAW)),
        chance_line("Lose", odds.chance(results, lambda r: r == (LOST, WON))),
        chance_line("Be overrun", odds.chance(results, lambda r: r[0] == OVERRUN)),
        expected_line("Expected losses of the target", lost[target]),
        expected_line("Expected own losses", lost[attacker]),
    ]
    names = (state.units[attacker].name, state.units[target].name)
    shot = aim(rules, state, target, attacker)
    notes = []
    if isinstance(shot, Shot):
        spread = effects(rules, state, shot, open_fire=False)
        points = rules.advisers.answer(state, PointsPerHit(shot)).value
        hits = odds.over(spread, lambda effect: {effect // points: Fraction(1)})
        if has(state.units[target], SCATTERED):
            hits = _scattered_hits(rules)
        first = odds.over(hits, lambda number: losses(rules, state, shot, number))
        notes.append(
            f"{names[1]} may fire first: {float(odds.mean(first)):.1f} losses expected, not counted in the odds above."
        )
    else:
        notes.append(f"{names[1]} has no free shot. {shot.sentence}")
    if rules.chapters.fight.note:
        notes.append(rules.chapters.fight.note)
    return Preview(
        f"{names[0]} assaults {names[1]}",
        "highest of 2D6 each",
        ((f"{names[0]} (without the dice)", own), (f"{names[1]} (without the dice)", other)),
        tuple(chances),
        tuple(notes),
    )


def _preview_overrun(rules: FadRules, state: State, attacker: str, target: str, *, sure: bool) -> Preview:
    """Return what comes of a close assault on a unit that cannot fight."""
    chances = (
        *([] if sure else contact_chance(rules, state, attacker, target)),
        chance_line("Overrun them", Fraction(1)),
        expected_line("Expected losses of the target", Fraction(state.units[target].strength)),
        expected_line("Expected own losses", Fraction(0)),
    )
    names = (state.units[attacker].name, state.units[target].name)
    return Preview(f"{names[0]} assaults {names[1]}", "no dice", (), chances, (f"{names[1]} cannot fight.",))


def _mean_kills(rules: FadRules, state: State, unit: str, enemy: str, outcome: str, other: str) -> Fraction:
    if other == OVERRUN:
        return Fraction(state.units[enemy].strength)
    strength = len(fighting(state.units[enemy]))
    need = rules.advisers.answer(state, KillNumber(outcome)).value
    spread = odds.passes(kill_dice(rules, state, unit, fighting(state.units[unit]), outcome), need)
    deflect = rules.advisers.answer(state, DeflectNumber(enemy, unit)).value
    lives = odds.at_least(deflect) if deflect else Fraction(0)
    return sum((min(kills, strength) * (1 - lives) * weight for kills, weight in spread.items()), Fraction(0))


def preview_morale(rules: FadRules, state: State, unit_id: str) -> Preview | None:
    """Return the odds of the Morale Test that a unit must take when it activates, or None if it need not."""
    unit = state.units[unit_id]
    if not must_test(rules, unit):
        return None
    if INSPIRED in unit.conditions:
        # fad5/turn.inspiration-morale
        return Preview(f"{unit.name} must test its morale", "no dice", (), (chance_line("Rallies", Fraction(1)),))
    need = rules.advisers.answer(state, QualityNeed(unit_id))
    granted = tank_nearby(rules, state, unit)
    free = 0 if granted is None else granted.amount
    count = rules.book.tables.quality_test.dice - free
    again = rules.again(state, unit)
    rating = 0 if again is None else again.amount
    spread = {passes + free: weight for passes, weight in odds.passes_again(count, need.value, rating).items()}
    # fad4/morale.overrides, fad4/morale.infantry-fall-back: units that stay broken do not always fall back
    moves = rules.held(unit) is None and not stands_fast(rules, state, unit) and not may_stay(rules, state, unit)
    own = rout(rules, state, unit)
    broken = "Falls back" if moves else "Stays broken"
    chances = tuple(
        chance_line(label, sum((w for n, w in spread.items() if read_morale(rules, n) == key), Fraction(0)))
        for key, label in ((RALLIED, "Rallies"), (FALLS_BACK, broken), (ROUTED, own.label if own else "Routs"))
    )
    numbers = [("Each die", need), *([("Passes without a die", total([granted]))] if granted else [])]
    numbers += [("Failed dice rolled again", total([again]))] if again else []
    return Preview(f"{unit.name} must test its morale", f"{count}D6, each on its own", tuple(numbers), chances)
