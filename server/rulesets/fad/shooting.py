"""Shooting: the Fire Effect roll, the hits, and the marker that they leave."""

from __future__ import annotations

from collections.abc import Iterator
from enum import IntEnum
from functools import partial

from msgspec.structs import replace

from client_protocol.choices import Choice, FiguresParameter, FiguresPicked, Picked
from client_protocol.explained import Explained, Line
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.facts import ConditionGained, Declared, Rolled
from server.kernel.procedure import Steps, ask, roll
from server.kernel.questions import Question, total
from server.kernel.standing import terrain_of
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad import damage
from server.rulesets.fad.game import BROKEN, SCATTERED, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.setup.variants import ADDED
from server.rulesets.fad.shot import Shot, modes_in, without
from server.rulesets.fad.vehicles.characteristics import outside


class FireEffect(Question, frozen=True):
    """The Fire Effect of `shot` without the dice. `open_fire` is true for the action Open Fire."""

    shot: Shot
    open_fire: bool = False


class PointsPerHit(Question, frozen=True):
    """How many Fire Effect points make one hit at the target of `shot`."""

    shot: Shot


class FireDice(Question, frozen=True):
    """How many dice a Fire Effect roll has; the highest counts. `mount` is the weapon that is aimed (see `Shot`)."""

    unit: str
    mount: str = ""


class Rank(IntEnum):
    """In which order the lines of a Fire Effect are told."""

    RANGE = 0
    MARKERS = 1
    TARGET = 2
    SHOOTER = 3


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    for rank, adviser in (
        (Rank.RANGE, _range_lines),
        (Rank.MARKERS, _marker_lines),
        (Rank.TARGET, _target_lines),
        (Rank.SHOOTER, _shooter_lines),
    ):
        rules.advisers.add(FireEffect, partial(adviser, rules), rank=rank)
    rules.advisers.add(PointsPerHit, lambda _, q: _points_lines(rules, q))
    rules.advisers.add(FireDice, lambda state, q: _dice_lines(rules, state.units[q.unit], q.mount))


def _range_lines(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    shot = question.shot
    amount = rules.book.tables.fire_effect_modifiers
    # fad4/fire.at-base-range; the option says whether the whole of close range counts
    if shot.band == "base" or (shot.band == "close" and state.options.get("base_range_bonus_band") == "close"):
        yield Line("ADD", amount.at_base_range, f"{shot.band} range", "fire.at-base-range")
    elif shot.band == "medium":
        yield Line("ADD", amount.at_medium_range, "medium range", "fire.at-medium-range")
    elif shot.band == "long":
        yield Line("ADD", amount.at_long_range, "long range", "fire.at-long-range")


def _marker_lines(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    target = state.units[question.shot.target]
    if is_vehicle(target):
        return
    # fad4/fire.target-under-fire, fad4/underfire.harder-target: counted once, and only for a marker that the target had before
    # this shot
    if UNDER_FIRE in target.conditions and not rules.replaced(target, UNDER_FIRE):
        amount = rules.book.tables.fire_effect_modifiers.target_under_fire_or_pinned
        yield Line("ADD", amount, "target Under Fire", "underfire.harder-target")


def _target_lines(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    shot = question.shot
    target = state.units[shot.target]
    if is_vehicle(target):
        # fad4/fire.modifier-table: none of these counts against a vehicle
        return
    amount = rules.book.tables.fire_effect_modifiers
    if rules.bunched_up(target):
        yield Line("ADD", amount.target_bunched_up, "target bunched up", "fire.target-bunched-up")
    # fad4/fire.target-non-combatant
    yield from rules.trait_lines("target", target)
    # fad4/fire.target-rabble-open: no cover against this shot
    quality = rules.quality(target)
    if quality.in_open and shot.cover == "none" and not _in_rough(rules, state, target):
        yield Line("ADD", quality.in_open, f"{quality.name} in the open", quality.in_open_rule)


def _in_rough(rules: FadRules, state: State, target: Unit) -> bool:
    """Return whether a unit that nothing covers is not in the open all the same (fad5/shoot.mod-rabble-open)."""
    if not rules.book.tables.cover.rough:
        return False
    rough = rules.book.grounds["difficult"]
    ground = terrain_of(state, rules.pieces_with(state, rough.id))
    return any(piece.holds(at) for piece in ground if rough.unless not in piece.flags for at, _ in target.places())


def _shooter_lines(rules: FadRules, state: State, question: FireEffect) -> Iterator[Line]:
    shot = question.shot
    unit = state.units[shot.shooter]
    amount = rules.book.tables.fire_effect_modifiers
    if shot.origin is not None:
        # adv.artillery-non-blast: who called it does not count
        yield from _weapon_lines(rules, state, shot, rules.book.heavy_weapons[shot.weapon])
        return
    if question.open_fire:
        yield Line("ADD", amount.open_fire, "Open Fire", "action.open-fire")
    # fad4/fire.shooter-regular, fad4/fire.shooter-elite
    quality = rules.quality(unit)
    if quality.shooter:
        yield Line("ADD", quality.shooter, quality.name, quality.shooter_rule)
    # fad5/shoot.mod-traits
    yield from rules.trait_lines("shooter", unit)
    if shot.mount:
        yield from _mount_lines(rules, state, shot, shot.mount)
        yield from _suppressed_crew(rules, unit, shot.mount) if is_vehicle(unit) else _suppressed(rules, unit)
        yield _floor(rules)
        return
    riflemen = rules.chapters.fire.riflemen(rules, state, shot)
    threes = 0 if shot.lone else riflemen // amount.riflemen_each
    if threes:
        yield Line("ADD", threes * amount.riflemen, f"{riflemen} riflemen", "fire.shooter-riflemen")
    # fad4/shoot.support-weapons
    for _, weapon_id in shot.supporting:
        weapon = rules.book.support_weapons[weapon_id]
        if weapon.fire_effect:
            yield Line("ADD", weapon.fire_effect, weapon.name, "fire.support-weapons")
    if shot.joined:
        yield from _mount_lines(rules, state, shot, shot.joined)
    yield from _suppressed(rules, unit)
    yield _floor(rules)


def _suppressed(rules: FadRules, unit: Unit) -> Iterator[Line]:
    amount = rules.book.tables.fire_effect_modifiers
    # fad4/fire.shooter-under-fire-or-broken, fad4/underfire.fire-penalty: once, even if both
    if BROKEN in unit.conditions:
        yield Line("ADD", amount.shooter_under_fire_or_broken, "Broken", "fire.shooter-under-fire-or-broken")
    elif UNDER_FIRE in unit.conditions:
        yield Line("ADD", amount.shooter_under_fire_or_broken, "Under Fire", "underfire.fire-penalty")


def _suppressed_crew(rules: FadRules, vehicle: Unit, mount: str) -> Iterator[Line]:
    amount = rules.book.tables.fire_effect_modifiers
    # fad5/under-fire.vehicles: more for weapons that are served from outside
    if UNDER_FIRE in vehicle.conditions and amount.vehicle_under_fire:
        rule = "under-fire.vehicles"
        if outside(vehicle, mount):
            yield Line("ADD", amount.outside_under_fire, "Under Fire, served from outside", rule)
        else:
            yield Line("ADD", amount.vehicle_under_fire, "Under Fire", rule)


def _mount_lines(rules: FadRules, state: State, shot: Shot, mount: str) -> Iterator[Line]:
    yield from _weapon_lines(rules, state, shot, rules.mounted(state.units[shot.shooter], mount))


def _weapon_lines(rules: FadRules, state: State, shot: Shot, weapon: HeavyWeapon) -> Iterator[Line]:
    # fad4/blast.fire-effect-role, fad5/blast.no-fire-effect-vs-vehicle: at a vehicle a weapon that can fire blasts has no bonus
    vehicle = is_vehicle(state.units[shot.target])
    effect = weapon.fire_effect + (0 if vehicle else weapon.at_infantry)
    # Auto cannon fire as with conventional rounds at vehicles, also when they are loaded with what bursts.
    blasts = rules.book.heavy_weapons[weapon.id.partition(ADDED)[0]].blast
    if effect and not (blasts and vehicle):
        yield Line("ADD", effect, weapon.name, "fire.heavy-weapon")


def _floor(rules: FadRules) -> Line:
    minimum = rules.book.tables.fire_effect.minimum
    return Line("CAP", minimum, f"never below {minimum}", "fire.effect-roll", floor=True)


def _points_lines(rules: FadRules, question: PointsPerHit) -> Iterator[Line]:
    cover = rules.book.covers[question.shot.cover]
    # fad4/hits.open, fad4/hits.partial-cover, fad4/hits.heavy-cover
    yield Line("SET", cover.points_per_hit, cover.name, cover.rule)


def _dice_lines(rules: FadRules, unit: Unit, mount: str) -> Iterator[Line]:
    # fad4/fire.effect-roll: a squad rolls two dice, an individual one
    # fad5/shoot.independents: each of these is a unit that fires by itself
    if mount and not is_vehicle(unit):
        yield Line("SET", rules.book.tables.fire_effect.individual_dice, "weapon team", "fire.effect-roll")
    elif rules.chapters.fire.alone(unit):
        yield Line("SET", rules.book.tables.fire_effect.individual_dice, "individual", "fire.effect-roll")
    else:
        yield Line("SET", rules.book.tables.fire_effect.squad_dice, "squad", "fire.effect-roll")


def support_dice(rules: FadRules, shot: Shot) -> list[str]:
    """Return the support weapons of `shot` that add a die of their own, in roster order."""
    return [weapon for _, weapon in shot.supporting if rules.book.support_weapons[weapon].fire_effect_die]


def fire_dice(rules: FadRules, state: State, shot: Shot) -> tuple[int, int]:
    """Return how many dice the Fire Effect of `shot` has, and how many of them count: the highest, or with a heavy weapon that
    joins in, the two highest of all (fad5/adv.weapon-teams.combined-fire).
    """
    if shot.lone:
        # fad4/tech.weapon-tables
        return (rules.book.tables.fire_effect.individual_dice, 1)
    count = rules.advisers.answer(state, FireDice(shot.shooter, shot.mount)).value
    return (count + rules.book.tables.fire_effect.individual_dice, 2) if shot.joined else (count, 1)


def dice_lines(rules: FadRules, dice: tuple[int, int], faces: tuple[int, ...], weapons: list[str]) -> list[Line]:
    """Return the lines of the dice: the highest of them, or the two highest (see `fire_dice`), and one die for each of
    `weapons`.
    """
    count, kept = dice
    best = sum(sorted(faces[:count])[-kept:])
    if kept > 1:
        lines = [Line("SET", best, f"two highest of {count}D6", "adv.weapon-teams.combined-fire")]
    else:
        lines = [Line("SET", best, f"highest of {count}D6" if count > 1 else "1D6", "fire.effect-roll")]
    for weapon, face in zip(weapons, faces[count:], strict=True):
        lines.append(Line("ADD", face, f"{rules.book.support_weapons[weapon].name} 1D6", "fire.support-weapons"))
    return lines


def shoot(game: FadGame, shot: Shot, *, open_fire: bool = False, free: bool = False) -> Steps[None]:
    """Resolve `shot`. A `free` shot at attackers leaves no markers."""
    rules = game.rules
    shot = yield from _from_openings(game, shot)
    shot = yield from _in_modes(game, shot)
    shot = yield from _held_back(game, shot)
    shooter, target = game.unit(shot.shooter), shot.target
    rule = "assault.free-shot" if free else ("action.open-fire" if open_fire else "shoot.squad-one-target")
    yield Declared(shot.shooter, "free-shot" if free else "shoot", rule, target)
    if not free:
        for hook in rules.firing(game.state):
            yield from hook(game, shot.shooter, bool(shot.mount or shot.joined))
    if has(shooter, SCATTERED):
        yield from _scattered(game, shot, free=free)
        return
    # fad4/fire.effect-roll: keep the highest, never add
    count, kept = dice = fire_dice(rules, game.state, shot)
    weapons = support_dice(rules, shot)
    faces = yield from roll(count + len(weapons), purpose="fire_effect")
    given = dice_lines(rules, dice, faces, weapons)
    effect = rules.advisers.answer(game.state, FireEffect(shot, open_fire), *given)
    points = rules.advisers.answer(game.state, PointsPerHit(shot))
    hits = rules.dealt(shot, effect.value // points.value)
    yield Rolled(
        purpose="fire_effect",
        rule="fire.effect-roll",
        faces=faces,
        marks=_marks(faces, count, kept),
        numbers=(effect, points),
        outcome=str(hits),
        side=shooter.side,
        unit=shot.shooter,
        target=target,
    )
    fired = rules.rows_fired(game.state, shot)
    if hits:
        yield from damage.strike(game, shot, hits)
    for use in rules.using(game.state):
        yield from use(game, shot.shooter, fired)
    if not free:
        yield from mark(game, target, effect)
        for follow in rules.following(game.state):
            yield from follow(game, shot)


def _scattered(game: FadGame, shot: Shot, *, free: bool) -> Steps[None]:
    """Resolve scattered fire: each die that shows enough hits, whatever the range and the cover, and only a hit marks the target
    (fad5/shoot.scattered-fire).
    """
    table = game.rules.book.tables.line_of_fire
    faces = yield from roll(table.scattered_dice, purpose="scattered_fire")
    hits = sum(face >= table.scattered_hit for face in faces)
    yield Rolled(
        purpose="scattered_fire",
        rule="shoot.scattered-fire",
        faces=faces,
        marks=tuple("hit" if face >= table.scattered_hit else "fail" for face in faces),
        outcome=str(hits),
        side=game.unit(shot.shooter).side,
        unit=shot.shooter,
        target=shot.target,
    )
    if not hits:
        return
    yield from damage.strike(game, shot, game.rules.dealt(shot, hits))
    if not free:
        # There is no Fire Effect that could pin the target.
        yield from mark(game, shot.target, total(()), "shoot.scattered-fire")


def _from_openings(game: FadGame, shot: Shot) -> Steps[Shot]:
    """Ask the owner of a squad who fires, where not all who want a place at a door or window get one
    (fad5/shoot.building-openings); by default those whose fire adds most.
    """
    wanting = game.rules.chapters.fire.rivals(game.rules, game.state, shot)
    placed = tuple(key for key in wanting if key in shot.firing)
    if not placed:
        return shot
    unit, rule = game.unit(shot.shooter), "shoot.building-openings"
    pick = FiguresParameter("Who fires from the doors and windows", unit.id, wanting, 1, len(wanting))
    told = "Who is picked and finds no place all the same does not fire."
    choice = Choice("take-places", "These fire", rule, told, (pick,))
    default = Picked("take-places", (FiguresPicked(placed),))
    asked = Asked(f"{unit.name}: not all find a place at a door or window", (choice,), default, rule, unit.id)
    picked = yield from ask(game.state.seat_of(unit.id), asked)
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    if set(value.figures) == set(placed):
        return shot
    left = without(game.rules, game.state, shot, frozenset(wanting) - set(value.figures))
    return left if isinstance(left, Shot) else shot


def _in_modes(game: FadGame, shot: Shot) -> Steps[Shot]:
    """Ask the shooters' player as what each support weapon with several modes is fired, where more than one reaches the target;
    by default as what adds most (fad4/tech.weapon-tables).
    """
    rules, unit = game.rules, game.unit(shot.shooter)
    chosen = []
    for key, mode in shot.supporting:
        weapon = rules.support(unit.figures[key].role)
        assert weapon is not None, "a figure with a support weapon fires it"
        fitting = modes_in(rules, unit, weapon, shot.distance, game.unit(shot.target), shot.firing)
        picked = Picked(mode)
        if len(fitting) > 1:
            rule = "tech.weapon-tables"
            choices = tuple(Choice(row.id, row.name, rule, row.shown) for row in fitting)
            title = f"{unit.name} fires its {weapon.name} as"
            picked = yield from ask(game.state.seat_of(unit.id), Asked(title, choices, picked, rule, unit.id))
        chosen.append((key, picked.choice))
    return replace(shot, supporting=tuple(chosen))


def _held_back(game: FadGame, shot: Shot) -> Steps[Shot]:
    """Ask the owner of a squad whether support weapons are left out of a shot, where its hits do more without them; by default
    all fire (fad5/shoot.support-weapons).
    """
    spared = game.rules.chapters.fire.spared(game.rules, game.state, shot)
    if not spared:
        return shot
    unit, target, rule = game.unit(shot.shooter), game.unit(shot.target), "shoot.support-weapons"
    pick = FiguresParameter("Who holds fire", unit.id, spared, 1, len(spared))
    told = "The hits have the ratings of the weapons that fire: fewer hits, and better ones."
    choices = (
        Choice("fire-all", "All weapons fire", rule),
        Choice("hold-back", "Hold some back", rule, told, (pick,)),
    )
    title = f"{unit.name}: which support weapons fire at {target.name}?"
    asked = Asked(title, choices, Picked("fire-all"), rule, unit.id)
    picked = yield from ask(game.state.seat_of(unit.id), asked)
    if picked.choice == "fire-all":
        return shot
    value = picked.values[0]
    assert isinstance(value, FiguresPicked), "checked against the choice"
    # fad5/shoot.range-bands: who holds fire brings the enemy no nearer
    out = {key for key in unit.living if key not in shot.firing}
    left = without(game.rules, game.state, shot, frozenset(out | set(value.figures)))
    return left if isinstance(left, Shot) else shot


def _marks(faces: tuple[int, ...], count: int, kept: int) -> tuple[str, ...]:
    best = sorted(range(count), key=lambda i: -faces[i])[:kept]
    return tuple("kept" if i in best else ("" if i < count else "added") for i in range(len(faces)))


def mark(game: FadGame, target: str, effect: Explained, rule: str = "underfire.marker") -> Steps[None]:
    """Mark a unit that was shot at: with what a module leaves behind, else Under Fire, by `rule`. It has one such marker at
    most.
    """
    # fad4/underfire.duration, fad5/under-fire.no-stacking: no stacking
    if game.unit(target).left or game.rules.replaced(game.unit(target), UNDER_FIRE):
        return
    for aftermath in [] if is_vehicle(game.unit(target)) else game.rules.aftermaths(game.state):
        if (yield from aftermath.leave(game, target, effect)):
            return
    if UNDER_FIRE not in game.unit(target).conditions:
        # fad4/underfire.marker: any unit shot at, hit or not
        yield ConditionGained(target, UNDER_FIRE, rule)
