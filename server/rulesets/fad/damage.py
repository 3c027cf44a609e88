"""Damage: a die for each hit, or one for the squad, against the armour; and the effect of losses on a unit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from client_protocol.explained import Explained, Line
from server.kernel.attaching import own_figures
from server.kernel.bodies import is_vehicle
from server.kernel.facts import FigureRearmed, FiguresFell, FiguresGained, Rolled, UnitLeft
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question, total
from server.kernel.state import State, Unit
from server.rulesets.fad import machines, mixed_arms
from server.rulesets.fad.allocation import allocate
from server.rulesets.fad.armour import DAMAGE_MODE, SQUAD, armour_of, modifier, unsaved
from server.rulesets.fad.attached import fallen_guests
from server.rulesets.fad.bots import BOT_ARMOUR, is_bot
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import Wounding
from server.rulesets.fad.shot import Shot
from server.rulesets.shared.setup.book import ON

LAST_RIFLEMAN = "hits.last-rifleman"
CLINGS = "clings"
"""The trait of weapons that hit whom they hit a second time."""


class ArmourRating(Question, frozen=True):
    """The number that a damage roll against a figure of `unit` must reach, without a defender's die. `piercing` is the
    weapon's AP, and `weapon` its name. A `bot` has armour of its own.
    """

    unit: str
    piercing: int = 0
    weapon: str = ""
    bot: bool = False


class DamageBonus(Question, frozen=True):
    """The number added to each damage die of `unit`'s fire, or of its heavy `weapon`. `figures` fire the small arms (empty: all
    do).
    """

    unit: str
    weapon: str = ""
    figures: tuple[str, ...] = ()


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(ArmourRating, lambda state, q: _armour_lines(rules, state, q))
    rules.advisers.add(DamageBonus, lambda state, q: _bonus_lines(rules, state, q))


def _armour_lines(rules: FadRules, state: State, question: ArmourRating) -> Iterator[Line]:
    unit = state.units[question.unit]
    model = armour_of(rules, state)
    printed = model.rating(rules, state, unit)
    if question.bot:
        # fad4/tech.weapon-tables
        printed += rules.book.armours[BOT_ARMOUR].modifier - modifier(rules, unit)
    # fad4/tech.personal-armour
    yield Line("SET", printed, "bot" if question.bot else rules.armour(unit).name, "tech.personal-armour")
    lowered = model.lowered(rules, printed, question.piercing) if question.piercing else printed
    if lowered != printed:
        yield Line("ADD", lowered - printed, f"{question.weapon} AP {question.piercing}", "damage.armour-piercing")
    # fad5/damage.passive
    if model.passive(rules):
        yield Line("ADD", model.passive(rules), "the defender counts as rolling this", "damage.passive")


def _bonus_lines(rules: FadRules, state: State, question: DamageBonus) -> Iterator[Line]:
    if question.weapon:
        # fad4/damage.roll: the weapon that is fired
        weapon = rules.book.heavy_weapons[question.weapon]
        yield Line("SET", weapon.damage, weapon.name, "tech.weapon-tables")
        return
    arm = rules.small_arm(state.units[question.unit], question.figures)
    # fad4/damage.roll: the squad's basic weapon, also when support weapons added to the Fire Effect
    # fad5/shoot.mixed-weapons-range
    yield Line("SET", arm.damage, arm.name, mixed_arms.RULE if mixed_arms.is_mixed(arm) else "tech.weapon-tables")


def piercing(rules: FadRules, unit: Unit, shot: Shot, hits: int) -> list[tuple[int, str]]:
    """Return the AP of each hit and the weapon it comes from (fad4/damage.armour-piercing).

    A support weapon's AP counts for one hit, the strongest first; all other hits have the AP of the basic weapon, and those of
    a vehicle the AP of the weapon that fires.
    """
    if shot.weapon:
        own = rules.book.heavy_weapons[shot.weapon]
        # fad4/blast.declare-role: what the weapon pierces does not count in a blast
        # fad5/adv.mines.vs-infantry: nor does it in the blast of a mine, but against a vehicle
        aimed = is_vehicle(unit) if shot.laid else shot.mount or not own.blasts
        return [(own.armour_piercing if aimed else 0, own.name)] * hits
    if shot.joined:
        # fad5/adv.weapon-teams.combined-fire: odd-numbered hits are of the small arms, even-numbered ones of the weapon
        heavy = rules.mounted(unit, shot.joined)
        squad = piercing(rules, unit, replace(shot, joined=""), (hits + 1) // 2)
        return [(heavy.armour_piercing, heavy.name) if i % 2 else squad[i // 2] for i in range(hits)]
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


def damage_bonus(shot: Shot) -> DamageBonus:
    """Return the question for what a shot adds to its dice of damage."""
    return DamageBonus(shot.shooter, shot.weapon, () if shot.weapon else shot.firing)


def bonuses(rules: FadRules, state: State, shot: Shot, hits: int) -> list[Explained]:
    """Return what is added to the damage die of each hit."""
    own = rules.advisers.answer(state, damage_bonus(shot))
    if not shot.joined:
        return [own] * hits
    # fad5/adv.weapon-teams.combined-fire
    weapon = rules.mounted(state.units[shot.shooter], shot.joined).id
    other = rules.advisers.answer(state, DamageBonus(shot.shooter, weapon))
    return [other if i % 2 else own for i in range(hits)]


def damage_numbers(shot: Shot, added: Sequence[Explained], ratings: Sequence[Explained]) -> tuple[Explained, ...]:
    """Return the numbers of a roll for damage: what is added and what is to be reached, each once. If a heavy weapon joins in:
    what is added to odd and to even hits, and then what each of them has to reach, or what all have to.
    """
    if not shot.joined:
        return (added[0], *dict.fromkeys(ratings))
    return (added[0], added[min(1, len(added) - 1)], *(ratings if len(set(ratings)) > 1 else ratings[:1]))


def for_squad(state: State) -> bool:
    """Return whether one damage die counts for all hits of a shot in this match (fad4/damage.squad-based,
    fad5/damage.squad-based).
    """
    return state.options.get("squad_damage") == ON or state.options.get(DAMAGE_MODE) == SQUAD


def strike(game: FadGame, shot: Shot, hits: int) -> Steps[None]:
    """Roll damage for the hits of `shot` and take out the figures that it kills, or do what its weapon does instead."""
    for shield in () if shot.laid else game.rules.shields(game.state):
        hits = yield from shield.save(game, shot, hits)
    if not hits:
        return
    effects = game.rules.fired(game.state, shot)
    before = game.unit(shot.target)
    replaced = [effect.strike for effect in effects if effect.strike is not None]
    for instead in replaced:
        yield from instead(game, shot, hits)
    if not replaced:
        yield from _strike(game, shot, hits)
    for effect in effects:
        if effect.hit is not None and not game.unit(shot.target).left:
            yield from effect.hit(game, shot, before)


def _strike(game: FadGame, shot: Shot, hits: int) -> Steps[None]:
    if is_vehicle(game.unit(shot.target)):
        yield from game.rules.vehicles.strike(game, shot, hits)
        return
    if for_squad(game.state):
        yield from _strike_squad(game, shot, hits)
    elif shot.joined:
        yield from _strike_each(game, shot, hits, "joined_damage", "adv.weapon-teams.combined-fire")
    else:
        yield from _strike_each(game, shot, hits, "damage", "damage.roll")


def _strike_each(game: FadGame, shot: Shot, hits: int, purpose: str, rule: str) -> Steps[None]:
    """Roll a die of damage for each hit."""
    rules, state = game.rules, game.state
    shooter = state.units[shot.shooter]
    # All hits are placed before damage is rolled, so a second hit on a dead figure is lost.
    struck = yield from allocate(game, shot, hits)
    added = bonuses(rules, state, shot, hits)
    machine = [is_bot(state.units[shot.target].figures[key]) for key in struck]
    ratings = [
        rules.advisers.answer(state, ArmourRating(shot.target, ap, weapon, bot))
        for (ap, weapon), bot in zip(piercing(rules, shooter, shot, hits), machine, strict=True)
    ]
    saves = yield from armour_of(rules, state).saves(game, shot.target, hits)
    faces = yield from roll(hits, purpose=purpose)
    # fad4/damage.roll, fad4/damage.infantry: die + damage, out if it reaches the armour
    over = [
        face + bonus.value - save - armour.value
        for face, bonus, save, armour in zip(faces, added, saves, ratings, strict=True)
    ]
    out = [margin >= 0 for margin in over]
    margins: dict[str, list[int]] = {}
    for figure, margin in zip(struck, over, strict=True):
        if margin >= 0:
            margins.setdefault(figure, []).append(margin)
    fallen = tuple(margins)
    kept = machines.endured(rules, state, state.units[shot.target], fallen, margins)
    yield Rolled(
        purpose=purpose,
        rule=rule,
        faces=faces,
        marks=tuple("kill" if killed else "fail" for killed in out),
        # Where bots are struck, each die has a number of its own.
        numbers=(added[0], *ratings) if any(machine) and not shot.joined else damage_numbers(shot, added, ratings),
        outcome=str(len(fallen) - len(kept)),
        side=shot.by(state)[0],
        unit=shot.by(state)[1],
        target=shot.target,
    )
    if fallen:
        yield from _take_out(game, shot, fallen, "damage.infantry", margins)
    yield from _cling(game, shot, struck)


def _take_out(
    game: FadGame, shot: Shot, fallen: tuple[str, ...], rule: str, margins: Mapping[str, Sequence[int]] | None = None
) -> Steps[None]:
    """Take out the figures that a shot kills, wounds or stuns, given by how much each hit on each of them reached its armour;
    None if one die counted for all.
    """
    rules, state = game.rules, game.state
    # fad4/tech.weapon-tables: machines tell wounds from kills in every match
    kept = machines.endured(rules, state, state.units[shot.target], fallen, margins)
    yield from machines.spare(game, shot.target, kept)
    fallen = tuple(key for key in fallen if key not in kept)
    margins = None if margins is None else {key: margins[key] for key in fallen}
    if not fallen:
        return

    def lightly(wounding: Wounding | None) -> tuple[str, ...]:
        if wounding is None:
            return ()
        return wounding.at_once(rules, fallen) if margins is None else wounding.wounded(rules, margins)

    wounding = rules.wounding(state)
    own = next((effect.wounding for effect in rules.fired(state, shot) if effect.wounding is not None), None)
    spared = lightly(own)
    # fad5/damage.wound-without-module: without such a module all of them are lost
    # What kills with others only wounds with a weapon that stuns.
    wounded = lightly(wounding) if own is None else tuple(key for key in fallen if key not in spared)
    yield from lose(game, shot.target, fallen, "fire", rule, wounded if wounding is not None else ())
    if own is not None and spared and not game.unit(shot.target).left:
        yield FiguresGained(shot.target, spared, own.marker, own.rule)


def _cling(game: FadGame, shot: Shot, struck: Sequence[str]) -> Steps[None]:
    """Roll for the second hit on each figure that was hit with cling-fire and stands, with a damage of its own."""
    rules, state = game.rules, game.state
    if not shot.weapon or CLINGS not in rules.book.heavy_weapons[shot.weapon].traits:
        return
    burning = tuple(key for key in struck if key in state.units[shot.target].living)
    if not burning or state.units[shot.target].left:
        return
    bonus = total([Line("SET", rules.book.tables.technology.clings, "cling-fire", "tech.munitions")])
    machine = [is_bot(state.units[shot.target].figures[key]) for key in burning]
    ratings = [rules.advisers.answer(state, ArmourRating(shot.target, bot=bot)) for bot in machine]
    saves = yield from armour_of(rules, state).saves(game, shot.target, len(burning))
    faces = yield from roll(len(burning), purpose="cling")
    margins: dict[str, list[int]] = {}
    marks = []
    for figure, face, save, armour in zip(burning, faces, saves, ratings, strict=True):
        over = face + bonus.value - save - armour.value
        marks.append("kill" if over >= 0 else "fail")
        if over >= 0:
            margins.setdefault(figure, []).append(over)
    yield Rolled(
        purpose="cling",
        rule="tech.munitions",
        faces=faces,
        marks=tuple(marks),
        # Where bots are struck, each die has a number of its own.
        numbers=(bonus, *ratings) if any(machine) else (bonus, ratings[0]),
        outcome=str(
            len(margins) - len(machines.endured(rules, state, state.units[shot.target], tuple(margins), margins))
        ),
        side=state.units[shot.shooter].side,
        unit=shot.shooter,
        target=shot.target,
    )
    if margins:
        yield from _take_out(game, shot, tuple(margins), "tech.munitions", margins)


def _strike_squad(game: FadGame, shot: Shot, hits: int) -> Steps[None]:
    """Roll one die of damage for all hits: the armour, with a die of its own where there is one, saves one hit for each point by
    which it is above the roll (fad4/damage.squad-based, fad5/damage.squad-based).
    """
    rules, state = game.rules, game.state
    bonus = rules.advisers.answer(state, damage_bonus(shot))
    armour = rules.advisers.answer(state, squad_armour(rules, state, shot))
    # fad5/damage.squad-based: the first hits are those that are saved, so all are dealt before
    first = rules.book.tables.hits.saved_first
    struck = (yield from allocate(game, shot, hits)) if first else ()
    (save,) = yield from armour_of(rules, state).saves(game, shot.target, 1)
    faces = yield from roll(1, purpose="squad_damage")
    kills = unsaved(hits, faces[0] + bonus.value, armour.value + save)
    yield Rolled(
        purpose="squad_damage",
        rule="damage.squad-based",
        faces=faces,
        marks=("kill" if kills else "fail",),
        numbers=(bonus, armour),
        outcome=f"{hits} {kills}",
        side=shot.by(state)[0],
        unit=shot.by(state)[1],
        target=shot.target,
    )
    if not first:
        struck = yield from allocate(game, shot, kills)
    fallen = tuple(dict.fromkeys(struck[len(struck) - kills :]))
    if fallen:
        yield from _take_out(game, shot, fallen, "damage.squad-based")
    # The hits that were saved struck those who stand nearest.
    if not game.unit(shot.target).left:
        seen = [key for key in shot.seen if key in game.unit(shot.target).living]
        yield from _cling(game, shot, seen[: hits - kills])


def squad_armour(rules: FadRules, state: State, shot: Shot) -> ArmourRating:
    """Return the question for a squad's armour: only the basic weapon, or the heavy weapon that fires, pierces it
    (fad4/damage.squad-based).
    """
    unit = state.units[shot.shooter]
    if shot.weapon:
        ((armour_piercing, name),) = piercing(rules, unit, shot, 1)
        return ArmourRating(shot.target, armour_piercing, name)
    arm = rules.small_arm(unit)
    return ArmourRating(shot.target, arm.armour_piercing, arm.name)


def lose(
    game: FadGame,
    unit_id: str,
    fallen: tuple[str, ...],
    cause: str,
    rule: str,
    wounded: tuple[str, ...] = (),
    *,
    cornered: bool = False,
) -> Steps[None]:
    """Take the figures `fallen` out of `unit_id`, of which some are only `wounded`. A unit without figures leaves the game.

    So that a squad always has a rifleman, a gunner falls in the place of the last one (fad5/damage.last-figure-standard), or, if
    only gunners are left, the first one takes over a rifle (fad4/hits.allocate-closest). So he does where the fallen are
    `cornered`: no other figure stands where they do.
    """
    kept = machines.endured(game.rules, game.state, game.unit(unit_id), wounded, dict.fromkeys(wounded, (0,)))
    if kept:
        yield from machines.spare(game, unit_id, kept)
        fallen = tuple(key for key in fallen if key not in kept)
        wounded = tuple(key for key in wounded if key not in kept)
        if not fallen:
            return
    instead = {} if cornered else game.rules.chapters.fire.in_place(game.rules, game.unit(unit_id), fallen)
    as_dealt = tuple(key for key in fallen if key not in instead)
    if as_dealt or not instead:
        yield FiguresFell(unit_id, as_dealt, cause, rule)
    if instead:
        yield FiguresFell(unit_id, tuple(instead.values()), cause, LAST_RIFLEMAN)
        wounded = tuple(instead.get(key, key) for key in wounded)
    unit = game.unit(unit_id)
    wounded = tuple(key for key in wounded if not is_bot(unit.figures[key]))
    wounding = game.rules.wounding(game.state)
    if unit.strength and wounded and wounding is not None:
        yield FiguresGained(unit_id, wounded, wounding.marker, wounding.rule)
    if unit.strength:
        for hook in game.rules.losing(game.state):
            yield from hook(game, unit_id)
        yield from fallen_guests(game, unit_id)
        unit = game.unit(unit_id)
    if unit.strength == 0:
        yield UnitLeft(unit_id, "destroyed", rule)
        return
    own = {key: figure for key, figure in own_figures(unit).items() if not is_bot(figure)}
    gunners = {key for key, figure in own.items() if game.rules.support(figure.role) is not None}
    standing = [key for key in unit.living if key in own]
    if not instead and standing and set(standing) <= gunners and not set(fallen) & set(own) <= gunners:
        # fad4/hits.allocate-closest: the last rifleman fell: the first gunner takes his rifle, and loses his own weapon
        yield FigureRearmed(unit_id, standing[0], "", LAST_RIFLEMAN)
