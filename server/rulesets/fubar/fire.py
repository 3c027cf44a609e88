"""Firing: one bout for each target, dice for each weapon, saves, and the effect of the hits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from client_protocol.explained import Explained, Line
from server.kernel.bodies import bodies, is_vehicle
from server.kernel.facts import Declared, Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import to_mil
from server.kernel.space.hulls import apart
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed
from server.rulesets.fubar import hits, saves, vehicle_damage
from server.rulesets.fubar.aim import AIMED, MOMENT_RULES, REACTION, Aim, Gun, aim, guns
from server.rulesets.fubar.cover import HALF, Cover, cover_of
from server.rulesets.fubar.dice import HIT, marks
from server.rulesets.fubar.game import FubarGame, FubarRules, level_of
from server.rulesets.fubar.guns import crews, manned
from server.rulesets.fubar.sights import firing_body

IGNORES_COVER = "ignores-cover"
AREA = "area"
NO_COVER = Cover()


class Bout(Fixed, frozen=True):
    """All dice of one unit against one target at one moment (fubar4/fire.split, fubar4/fire.not-both).

    Attributes:
        shooter: the unit that fires.
        target: the unit that is fired at.
        moment: the moment of the fire, a key of `MOMENT_RULES`.
        aims: the shots.
        firing: the bodies from which they are fired.
        seen: the target's figures that at least one shot may hit, nearest first.
        cover: the target's cover.
    """

    shooter: str
    target: str
    moment: str
    aims: tuple[Aim, ...]
    firing: tuple[Body, ...]
    seen: tuple[str, ...]
    cover: Cover


class Volley(Fixed, frozen=True):
    """The shots of a bout that need the same number: with one weapon, by figures of one level. `distances` holds the distance
    of each shot in mil.
    """

    weapon: str
    level: str
    distances: tuple[int, ...]


class FireDice(Question, frozen=True):
    """How many dice a volley rolls."""

    weapon: str
    distances: tuple[int, ...]


class HitNeed(Question, frozen=True):
    """The number that a die of fire must show, by the firer's level, the weapon and the target's cover."""

    level: str
    weapon: str
    cover: Cover


class FireBonus(Question, frozen=True):
    """The number added to each die of fire with a weapon at a moment."""

    weapon: str
    moment: str


def register(rules: FubarRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(FireDice, lambda _, q: _dice_lines(rules, q))
    rules.advisers.add(HitNeed, lambda _, q: _need_lines(rules, q))
    rules.advisers.add(FireBonus, lambda state, q: _bonus_lines(rules, state, q))


def _dice_lines(rules: FubarRules, question: FireDice) -> Iterator[Line]:
    # fubar4/fire.to-hit: one die for each Fire Point
    weapon = rules.weapon(question.weapon)
    for points, count in Counter(weapon.points(mil) for mil in question.distances).items():
        reason = f"{count} × {weapon.name}, {points} each" if count > 1 else weapon.name
        close = points != weapon.fire_points
        yield Line("ADD", count * points, reason, "weapon.assault-rifle-close" if close else WEAPON_RULES[weapon.kind])


WEAPON_RULES = {
    "small-arm": "weapon.small-arms",
    "launcher": "weapon.assault-rifle-grenades",
    "grenade": "weapon.support",
    "support": "weapon.support",
}
"""The rule of the Fire Points of each kind of weapon."""


def _need_lines(rules: FubarRules, question: HitNeed) -> Iterator[Line]:
    level = rules.book.levels[question.level]
    # fubar4/fire.to-hit, fubar4/unit.training-table
    yield Line("SET", level.expertise, level.name, "fire.to-hit")
    limit = rules.book.tables.cover.worst_need
    covered = question.cover
    weapon = rules.weapon(question.weapon)
    level_of_cover = rules.book.covers[covered.level]
    if not level_of_cover.modifier:
        if covered.rule == HALF and IGNORES_COVER not in weapon.traits:
            # fubar4/cover.half-of-unit
            yield Line("ADD", 0, "fewer than half in cover", HALF)
        return
    if IGNORES_COVER in weapon.traits:
        # fubar4/weapon.ignores-cover: of any kind
        yield Line("ADD", 0, f"{weapon.name} ignores cover", "weapon.ignores-cover")
        return
    # fubar4/cover.table
    yield Line("ADD", level_of_cover.modifier, level_of_cover.name, covered.rule)
    # fubar4/cover.limit
    yield Line("CAP", limit, f"cover never makes it worse than {limit}+", "cover.limit")


def _bonus_lines(rules: FubarRules, state: State, question: FireBonus) -> Iterator[Line]:
    weapon = rules.weapon(question.weapon)
    # fubar4/action.aimed-fire: on the die, after the limit of cover; by option not to mortars and flamethrowers
    if question.moment == AIMED and (AREA not in weapon.traits or state.options.get("aimed_area_fire", True)):
        yield Line("ADD", rules.book.tables.aimed.bonus, "Aimed Fire", "action.aimed-fire")


# --- shots and their targets ----------------------------------------------------------------------------------------


def shots_of(rules: FubarRules, state: State, unit_id: str, moment: str, given: Mapping[str, str]) -> dict[str, Gun]:
    """Return the weapons that an answer to `aim.fire_parameter` fires, by row, in the order of the rows."""
    return {
        gun.row: gun
        for gun in guns(rules, state, unit_id, moment)
        if given.get(gun.row, "").partition("@")[0] == gun.weapon
    }


def bouts(rules: FubarRules, state: State, unit_id: str, moment: str, given: Mapping[str, str]) -> list[Bout]:
    """Return the bouts of an answer to `aim.fire_parameter`, in the order of the rows that open them.

    Shots that cannot be fired are left out.
    """
    unit = state.units[unit_id]
    by_target: dict[str, list[Aim]] = {}
    for row, gun in manned(rules, unit, shots_of(rules, state, unit_id, moment, given)).items():
        target = given[row].partition("@")[2]
        aimed = aim(rules, state, unit_id, gun, target, moment)
        if isinstance(aimed, Aim):
            by_target.setdefault(target, []).append(aimed)
    return [_bout(rules, state, unit, moment, target, aims) for target, aims in by_target.items()]


def _bout(rules: FubarRules, state: State, unit: Unit, moment: str, target_id: str, aims: Sequence[Aim]) -> Bout:
    target = state.units[target_id]
    firing = tuple(dict.fromkeys(firing_body(state, unit, one.gun) for one in aims))
    theirs = bodies(target)
    # fubar4/fire.unsaved: over the figures that at least one firing figure sees
    seen = {figure for one in aims for figure in one.seen}
    nearness = {key: min(to_mil(apart(firer, theirs[key])) for firer in firing) for key in theirs if key in seen}
    return Bout(
        shooter=unit.id,
        target=target_id,
        moment=moment,
        aims=tuple(aims),
        firing=firing,
        seen=tuple(sorted(nearness, key=nearness.__getitem__)),
        cover=cover_of(rules, state, target, firing),
    )


def volleys(state: State, bout: Bout) -> list[Volley]:
    """Return the shots of a bout by weapon and level, in the order of the rows."""
    unit = state.units[bout.shooter]
    found: dict[tuple[str, str], list[int]] = {}
    for one in bout.aims:
        # fubar4/activation.leader: a leader's Expertise stays his own
        level = level_of(unit, one.gun.figure)
        found.setdefault((one.gun.weapon, level), []).append(one.distance)
    return [Volley(weapon, level, tuple(distances)) for (weapon, level), distances in found.items()]


class Numbers(Fixed, frozen=True):
    """The numbers of a volley: how many dice, the number that each must show, and what is added to each."""

    dice: Explained
    need: Explained
    bonus: Explained


def numbers(rules: FubarRules, state: State, bout: Bout, volley: Volley) -> Numbers:
    """Return the numbers of a volley, each with its lines."""
    answer = rules.advisers.answer
    return Numbers(
        answer(state, FireDice(volley.weapon, volley.distances)),
        answer(state, HitNeed(volley.level, volley.weapon, bout.cover)),
        answer(state, FireBonus(volley.weapon, bout.moment)),
    )


# --- firing ---------------------------------------------------------------------------------------------------------


def fire(game: FubarGame, unit_id: str, moment: str, given: Mapping[str, str]) -> Steps[None]:
    """Carry out `given`, a legal answer to `aim.fire_parameter` at this moment, bout by bout."""
    shots = shots_of(game.rules, game.state, unit_id, moment, given)
    crewed = crews(game.rules, game.unit(unit_id), shots)
    # fubar4/fire.split: every target is named before any die is rolled
    planned = bouts(game.rules, game.state, unit_id, moment, given)
    # fubar4/weapon.hmg-crew
    for row in shots:
        if row in crewed.silent:
            yield Declared(unit_id, "unserved", "weapon.hmg-crew")
        elif row not in crewed.fired:
            yield Declared(unit_id, "serves", "weapon.hmg-crew")
    for bout in planned:
        if game.unit(bout.target).on_table:
            rule = "fire.split" if len(planned) > 1 else MOMENT_RULES[moment]
            yield Declared(unit_id, "react" if moment == REACTION else "fire", rule, bout.target)
            yield from _resolve(game, bout)


def _resolve(game: FubarGame, bout: Bout) -> Steps[None]:
    scored = 0
    for volley in volleys(game.state, bout):
        scored += yield from _roll(game, bout, volley)
    unsaved = (yield from saves.save(game, bout.shooter, bout.target, bout.firing, scored)) if scored else 0
    if not unsaved:
        return
    if is_vehicle(game.unit(bout.target)):
        # fubar4/vehicle.never-suppressed: a vehicle is damaged, nothing else
        yield from vehicle_damage.damage(game, bout.target, unsaved, bout.shooter)
    else:
        yield from hits.take(game, bout.shooter, bout.target, bout.seen, unsaved)


def _roll(game: FubarGame, bout: Bout, volley: Volley) -> Steps[int]:
    """Roll the dice of a volley, and return how many hit (fubar4/fire.to-hit)."""
    asked = numbers(game.rules, game.state, bout, volley)
    faces = yield from roll(asked.dice.value, purpose="to-hit")
    told = marks(faces, asked.need.value, asked.bonus.value)
    scored = told.count(HIT)
    yield Rolled(
        purpose="to-hit",
        rule="fire.to-hit",
        faces=faces,
        marks=told,
        numbers=(asked.dice, asked.need, asked.bonus) if asked.bonus.lines else (asked.dice, asked.need),
        outcome=str(scored),
        side=game.unit(bout.shooter).side,
        unit=bout.shooter,
        target=bout.target,
    )
    return scored
