"""Damage: one die for each hit against the armour, and the effect of losses on a unit."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.explained import Line
from server.kernel.facts import FigureRearmed, FiguresFell, Rolled, UnitLeft
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question
from server.kernel.state import State, Unit
from server.rulesets.fad.armour import armour_of
from server.rulesets.fad.game import LEADER, FadGame, FadRules
from server.rulesets.fad.shot import Shot


class ArmourRating(Question, frozen=True):
    """The number that a damage roll against a figure of `unit` must reach, without a defender's die. `piercing` is the
    weapon's AP, and `weapon` its name.
    """

    unit: str
    piercing: int = 0
    weapon: str = ""


class DamageBonus(Question, frozen=True):
    """The number added to each damage die of `unit`'s fire."""

    unit: str


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(ArmourRating, lambda state, q: _armour_lines(rules, state, q))
    rules.advisers.add(DamageBonus, lambda state, q: _bonus_lines(rules, state, q))


def _armour_lines(rules: FadRules, state: State, question: ArmourRating) -> Iterator[Line]:
    unit = state.units[question.unit]
    printed = armour_of(rules).rating(rules, state, unit)
    # fad4/tech.personal-armour
    yield Line("SET", printed, rules.armour(unit).name, "tech.personal-armour")
    lowered = armour_of(rules).lowered(rules, printed, question.piercing) if question.piercing else printed
    if lowered != printed:
        yield Line("ADD", lowered - printed, f"{question.weapon} AP {question.piercing}", "damage.armour-piercing")


def _bonus_lines(rules: FadRules, state: State, question: DamageBonus) -> Iterator[Line]:
    arm = rules.small_arm(state.units[question.unit])
    # fad4/damage.roll: the squad's basic weapon, also when support weapons added to the Fire Effect
    yield Line("SET", arm.damage, arm.name, "tech.weapon-tables")


def allocate(shot: Shot, hits: int) -> list[str]:
    """Return the figure that takes each hit (fad4/hits.allocate-closest): each visible one once, nearest first, then again."""
    return [shot.seen[i % len(shot.seen)] for i in range(hits)]


def piercing(rules: FadRules, unit: Unit, shot: Shot, hits: int) -> list[tuple[int, str]]:
    """Return the AP of each hit and the weapon it comes from (fad4/damage.armour-piercing).

    A support weapon's AP counts for one hit, the strongest first; all other hits have the AP of the basic weapon.
    """
    arm = rules.small_arm(unit)
    support = sorted(
        (
            (weapon.armour_piercing, weapon.name)
            for _, weapon_id in shot.supporting
            if (weapon := rules.book.support_weapons[weapon_id]).armour_piercing > arm.armour_piercing
        ),
        key=lambda row: -row[0],
    )
    return [support[i] if i < len(support) else (arm.armour_piercing, arm.name) for i in range(hits)]


def strike(game: FadGame, shot: Shot, hits: int) -> Steps[None]:
    """Roll damage for each hit of `shot` and take out the figures that it kills."""
    rules, state = game.rules, game.state
    shooter = state.units[shot.shooter]
    # All hits are placed before damage is rolled, so a second hit on a dead figure is lost.
    struck = allocate(shot, hits)
    bonus = rules.advisers.answer(state, DamageBonus(shot.shooter))
    ratings = [
        rules.advisers.answer(state, ArmourRating(shot.target, ap, weapon))
        for ap, weapon in piercing(rules, shooter, shot, hits)
    ]
    saves = yield from armour_of(rules).saves(game, shot.target, hits)
    faces = yield from roll(hits, purpose="damage")
    # fad4/damage.roll, fad4/damage.infantry: die + damage, out if it reaches the armour
    out = [face + bonus.value >= save + armour.value for face, save, armour in zip(faces, saves, ratings, strict=True)]
    fallen = tuple(dict.fromkeys(figure for figure, killed in zip(struck, out, strict=True) if killed))
    yield Rolled(
        purpose="damage",
        rule="damage.roll",
        faces=faces,
        marks=tuple("kill" if killed else "fail" for killed in out),
        numbers=(bonus, *dict.fromkeys(ratings)),
        outcome=str(len(fallen)),
        side=shooter.side,
        unit=shot.shooter,
        target=shot.target,
    )
    if fallen:
        yield from lose(game, shot.target, fallen, "fire", "damage.infantry")


def lose(game: FadGame, unit_id: str, fallen: tuple[str, ...], cause: str, rule: str) -> Steps[None]:
    """Take the figures `fallen` out of `unit_id`. A unit without figures leaves the game.

    If only gunners are left, the first one takes over a rifle, so that a squad always has a rifleman
    (fad4/hits.allocate-closest).
    """
    yield FiguresFell(unit_id, fallen, cause, rule)
    unit = game.unit(unit_id)
    if unit.strength == 0:
        yield UnitLeft(unit_id, "destroyed", rule)
        return
    gunners = {key for key, figure in unit.figures.items() if game.rules.support(figure.role) is not None}
    if set(unit.living) <= gunners and not set(fallen) <= gunners:
        # fad4/hits.allocate-closest: the last rifleman fell: the first gunner takes his rifle, and loses his own weapon
        yield FigureRearmed(unit_id, next(iter(unit.living)), "", "hits.last-rifleman")


def losses_by_default(game: FadGame, unit: str, count: int, among: tuple[str, ...]) -> tuple[str, ...]:
    """Return the figures of `among` that fall if the owner does not choose: riflemen first, then support gunners, the leader
    last.
    """
    living = game.unit(unit).living

    def worth(key: str) -> int:
        role = living[key].role
        return 2 if role == LEADER else int(game.rules.support(role) is not None)

    return tuple(sorted(among, key=worth)[:count])
