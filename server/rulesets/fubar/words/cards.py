"""A unit's card, and the names of its figures, weapons and conditions."""

from __future__ import annotations

from collections import Counter

from client_protocol.view import CardLine, MountView, Word
from server.kernel.bodies import free_seats, is_vehicle
from server.kernel.notes import number, word
from server.kernel.ruleset import Gear
from server.kernel.space.geometry import inches, inches_text
from server.kernel.state import OVER, Figure, Mount, State, Unit
from server.kernel.traits import has
from server.rulesets.fubar.game import (
    ARM,
    CREW,
    DUCKING,
    FIGHTING,
    FIGHTS_GO_ON,
    GONE_TO_GROUND,
    GRENADES,
    IMMOBILISED,
    LAUNCHER,
    LEADER,
    LYING,
    ON_GUARD,
    REACTED,
    STUNNED,
    SUPPRESSED,
    FubarRules,
    leader,
    suppressed,
)
from server.rulesets.fubar.setup.book import Weapon
from server.rulesets.shared.turns import ACTIVATIONS, DEPLOYMENT, NEXT_TURN

WORDS = {
    SUPPRESSED: Word(
        "Suppressed",
        "Lies on its side: cannot fire, and takes 1 off its unit's next activation roll. It stands up after that roll.",
        "suppress.penalty",
    ),
    ON_GUARD: Word("On Guard", "May fire once this turn at an enemy that moves in its sight.", "action.on-guard"),
    REACTED: Word("Reacted", "Has fired On Guard this turn and cannot do so again before the next.", "action.on-guard"),
    DUCKING: Word(
        "Ducking and weaving", "Counts as in soft cover until its next activation try.", "action.duck-and-weave"
    ),
    GONE_TO_GROUND: Word(
        "Gone to Ground",
        "Until its next activation try its cover counts for one level more; figures with none near lie in soft cover.",
        "action.gone-to-ground",
    ),
    LYING: Word("Lying down", "Lies in soft cover until its next activation try.", "action.gone-to-ground"),
    FIGHTING: Word(
        "In close combat",
        "Fights on at the beginning of the next turn, and does nothing else till then.",
        "close.continues",
    ),
    STUNNED: Word("Crew stunned", "Takes 2 off its next activation roll, for each such hit.", "vdamage.crew-stunned"),
    IMMOBILISED: Word("Immobilised", "Cannot move for the rest of the game; can still fire.", "vdamage.immobilised"),
    DEPLOYMENT: Word("Deployment", "The sides place their units.", "setup.victory"),
    NEXT_TURN: Word("End of the turn", "The next turn is about to begin.", "turn.structure"),
    FIGHTS_GO_ON: Word("Close combat", "Fights of the last turn go on before initiative.", "close.continues"),
    ACTIVATIONS: Word(
        "Activations", "The side with the initiative activates units until one fails.", "turn.keep-until-fail"
    ),
    OVER: Word("Over", "The match has ended.", "setup.victory"),
    "destroyed": Word("Destroyed", "Nothing of it is left.", "fire.unsaved"),
    "left_table": Word("Left the table", "It withdrew off the table.", "activation.failed-withdraw"),
    "no_room": Word("Not deployed", "Its deployment zone had no free space for it.", "setup.victory"),
}


def card(rules: FubarRules, state: State, unit: Unit) -> tuple[CardLine, ...]:
    """Return the lines of `unit`'s card, as it stands."""
    if is_vehicle(unit):
        return _vehicle_card(rules, state, unit)
    level = rules.level(unit)
    lines = [
        CardLine("Figures", f"{unit.strength} of {len(unit.figures)}", "unit.forces"),
        *_level_lines(rules, unit),
        CardLine("Suppressed", f"{len(suppressed(unit))}, at most {level.max_suppressed}", "suppress.maximum"),
    ]
    for name, rule, count in _weapons(rules, unit):
        lines.append(CardLine("Weapon", f"{count} × {name}" if count > 1 else name, rule))
    if has(unit, GRENADES):
        lines.append(CardLine("Grenades", _weapon(rules.weapon("grenades")), "weapon.support"))
    armours: dict[str, int] = {}
    for figure in unit.living.values():
        armour = rules.armour(figure)
        text = f"{armour.name} ({armour.save}+)" if armour.save else armour.name
        armours[text] = armours.get(text, 0) + 1
    several = len(armours) > 1
    lines += [
        CardLine("Armour", f"{count} × {name}" if several else name, "armour.table") for name, count in armours.items()
    ]
    return (*lines, *rules.trait_card(unit, told={GRENADES}))


def _level_lines(rules: FubarRules, unit: Unit) -> list[CardLine]:
    level = rules.level(unit)
    lines = [
        CardLine("Level", level.name, "unit.training-table"),
        CardLine("Activation", f"{level.activation}+", "activation.roll"),
        CardLine("Expertise", f"{level.expertise}+", "fire.to-hit"),
    ]
    key = leader(unit)
    if key:
        own = rules.figure_level(unit, key)
        lines.append(CardLine("Leader", f"{own.name}, activates on {own.activation}+", "activation.leader"))
    return lines


def _vehicle_card(rules: FubarRules, state: State, unit: Unit) -> tuple[CardLine, ...]:
    armour = rules.vehicle_armour(unit)
    lines = [
        *_level_lines(rules, unit),
        CardLine("Armour", f"{armour.name} ({armour.save}+)", "vehicle.armour-table"),
        CardLine("Crew", str(number(unit.profile, CREW)), "vehicle.stationary"),
    ]
    if unit.seats:
        taken = unit.seats - free_seats(state, unit.id)
        lines.append(CardLine("Seats", f"{taken} of {unit.seats} taken", "vehicle.transport"))
    for mount in unit.mounts.values():
        lost = ", lost" if mount.lost else ""
        lines.append(CardLine("Weapon", _weapon(rules.weapon(mount.weapon)) + lost, "weapon.support"))
    return (*lines, *rules.trait_card(unit, told={GRENADES}))


def _weapons(rules: FubarRules, unit: Unit) -> list[tuple[str, str, int]]:
    """Return the weapons of the living figures, as (name, rule, count)."""
    carried: Counter[tuple[str, str]] = Counter()
    for figure in unit.living.values():
        if figure.role:
            carried[figure.role, "weapon.support"] += 1
        arm = word(figure.profile, ARM, "")
        if arm:
            carried[arm, "weapon.small-arms"] += 1
        if has(figure, LAUNCHER):
            carried["rifle-launcher", "weapon.assault-rifle-grenades"] += 1
    found: Counter[tuple[str, str]] = Counter()
    for (weapon, rule), count in carried.items():
        found[_weapon(rules.weapon(weapon)), rule] += count
    return [(name, rule, count) for (name, rule), count in found.items()]


def _weapon(weapon: Weapon) -> str:
    points = f"{weapon.fire_points} FP"
    if weapon.close_range:
        points += f', {weapon.close_fire_points} FP up to {weapon.close_range:g}"'
    return f"{weapon.name}, {inches_text(weapon.reach)}, {points}"


def gear(rules: FubarRules, figure: Figure) -> Gear:
    """Return what a figure is or carries."""
    if figure.hull is not None:
        size = (figure.hull.length, figure.hull.width)
        wheels = any(
            row.wheels and size == (inches(row.length), inches(row.width)) for row in rules.book.hulls.values()
        )
        return Gear(sign="wheels" if wheels else "")
    leads = has(figure, LEADER)
    names = ["Leader"] if leads else []
    if figure.role:
        names.append(rules.weapon(figure.role).name)
    elif has(figure, LAUNCHER):
        names.append(rules.weapon("rifle-launcher").name)
    elif figure.profile.get(ARM) in {"light-machine-gun", "sniper-rifle"}:
        names.append(rules.weapon(word(figure.profile, ARM)).name)
    names += [trait.name for trait, _ in rules.borne(figure) if trait.id not in {LEADER, LAUNCHER}]
    return Gear(", ".join(names), "star" if leads else "gun" if names else "")


def mount(rules: FubarRules, mounted: Mount) -> MountView:
    """Return a vehicle's weapon as the table shows it, with its range."""
    weapon = rules.weapon(mounted.weapon)
    return MountView(weapon.name, mounted.middle, mounted.spread, weapon.reach, mounted.lost)
