"""The characteristics of a unit in a setup, checked when they are read: of a squad, or of a vehicle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from server.kernel.errors import RulesetError
from server.kernel.notes import Note
from server.rulesets.fad import mixed_arms
from server.rulesets.fad.arms import ROUNDS
from server.rulesets.fad.commanders import COMMANDER, PLATOON
from server.rulesets.fad.game import ABANDONED, CHARACTER, LEADER, MARKER, MOBILITY, POWERED, POWERED_ONLY, FadRules
from server.rulesets.fad.setup.book import Book
from server.rulesets.fad.vehicles.characteristics import FACINGS, armour_key
from server.rulesets.fad.vehicles.squads import SQUAD
from server.rulesets.shared.setup.admission import number

INFANTRY = {"quality": "qualities", "resolve": "resolves", "small_arm": "small_arms", "armour": "armours"}
"""The characteristics of a squad, each with the table of the book that lists its values."""
CHARACTER_FIELDS = {"leadership": "leaderships", "leader_branch": "branches"}
"""What a character has besides."""
LONGEST = 24
"""The most letters of a platoon's name."""
THICKEST = 20
"""The highest armour rating of a facing."""


def profile(rules: FadRules, name: str, other: Mapping[str, object], roles: tuple[str, ...]) -> dict[str, Note]:
    """Return the profile of a unit with these fields. Raises `RulesetError`."""
    told = _platoon(rules, name, other)
    if told:
        rest = {key: value for key, value in other.items() if key != PLATOON}
        return {**profile(rules, name, rest, roles), **told}
    if isinstance(other.get(MARKER), str):
        rest = {key: value for key, value in other.items() if key != MARKER}
        return {**profile(rules, name, rest, roles), MARKER: str(other[MARKER])}
    if rules.chapters.vehicles is not None and MOBILITY in other:
        return _vehicle(rules, name, other)
    fields = INFANTRY | CHARACTER_FIELDS if CHARACTER in roles else INFANTRY
    # fad5/unit.every-unit-rated, fad5/unit.quality, fad5/unit.resolve: units on foot have both, said or not
    own = rules.book.tables.units
    unsaid = {key: level for key, level in (("quality", own.quality), ("resolve", own.resolve)) if level}
    found = _listed(rules, name, {**unsaid, **other}, fields)
    _refuse_unknown(name, other, (*fields, ROUNDS, ABANDONED))
    if ABANDONED in other:
        if other[ABANDONED] not in rules.book.heavy_weapons:
            raise RulesetError(f"{name}: {ABANDONED} names the heavy weapon that was left, not {other[ABANDONED]!r}")
        found[ABANDONED] = str(other[ABANDONED])
    _refuse_loaded(name, other)
    powered = POWERED in rules.book.armours[str(found["armour"])].traits
    _refuse_roles(rules, name, roles, powered=powered)
    return found


def _refuse_roles(rules: FadRules, name: str, roles: tuple[str, ...], *, powered: bool) -> None:
    """Refuse what a figure of a squad cannot carry."""
    for role in roles:
        weapon = rules.book.support_weapons.get(role)
        if role in rules.book.small_arms:
            # fad5/shoot.mixed-weapons-range
            if mixes(rules.book):
                continue
            raise RulesetError(one_small_arm(rules.book, name, role))
        if weapon is None and role not in {LEADER, CHARACTER} and rules.heavy(role) is None:
            others = ", ".join((*rules.book.support_weapons, *rules.book.heavy_weapons))
            raise RulesetError(f"{name}: a figure cannot be {role!r}; it may be {others}")
        if weapon is not None and POWERED_ONLY in weapon.traits and not powered:
            raise RulesetError(f"{name}: {weapon.name} needs powered armour")
    if sum(rules.heavy(role) is not None for role in roles) > 1:
        raise RulesetError(f"{name}: a unit has one heavy weapon")


def mixes(book: Book) -> bool:
    """Return whether matches of an edition may let figures of a squad carry different small arms."""
    return any(option.id == mixed_arms.OPTION for option in book.edition.option)


def one_small_arm(book: Book, name: str, role: str) -> str:
    """Return the sentence that refuses a figure with a small arm of its own."""
    arm = book.small_arms[role].name.lower()
    return f"{name}: all figures of a squad carry its one small arm, and none has {arm} besides"


def _platoon(rules: FadRules, name: str, other: Mapping[str, object]) -> dict[str, Note]:
    """Return the platoon of a unit, in editions that have some (fad5/unit.platoon-company)."""
    if PLATOON not in other or COMMANDER not in rules.book.traits:
        return {}
    value = other[PLATOON]
    if not isinstance(value, str) or not value.strip() or len(value) > LONGEST:
        raise RulesetError(f"{name}: {PLATOON} is the name of its platoon, up to {LONGEST} letters, not {value!r}")
    return {PLATOON: value.strip()}


def _vehicle(rules: FadRules, name: str, other: Mapping[str, object]) -> dict[str, Note]:
    fields = rules.vehicles.fields
    found = _listed(rules, name, {**rules.vehicles.defaults, **other}, fields)
    for key in rules.vehicles.marked:
        if key in other:
            found[key] = _words(name, key, other[key])
    ratings = [armour_key(facing) for facing in FACINGS]
    for key in ratings:
        if key not in other:
            raise RulesetError(f"{name} has no {key}: the armour rating of that facing, 0 for a soft skin")
        found[key] = number(f"{name}: {key}", other[key], 0, THICKEST)
    notes = rules.vehicles.notes
    for key, most in notes.items():
        if key in other:
            found[key] = number(f"{name}: {key}", other[key], 0, most)
    if SQUAD in other:
        if not isinstance(other[SQUAD], str):
            raise RulesetError(f"{name}: {SQUAD} is the name of its squad, not {other[SQUAD]!r}")
        found[SQUAD] = str(other[SQUAD])
    _refuse_unknown(name, other, (*fields, *rules.vehicles.marked, *ratings, *notes, SQUAD, ROUNDS))
    _refuse_loaded(name, other)
    return found


def _listed(rules: FadRules, name: str, other: Mapping[str, object], fields: Mapping[str, str]) -> dict[str, Note]:
    found: dict[str, Note] = {}
    for field, table in fields.items():
        known = getattr(rules.book, table)
        value = other.get(field)
        if not isinstance(value, str) or value not in known:
            raise RulesetError(f"{name}: {field} {value!r} is not one of {', '.join(known)}")
        found[field] = value
    return found


def _words(name: str, key: str, value: object) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(one, str) for one in value):
        raise RulesetError(f"{name}: {key} is a list of its mounts, not {value!r}")
    return tuple(value)


def _refuse_loaded(name: str, other: Mapping[str, object]) -> None:
    """Refuse special rounds in a weapon: they are loaded in an activation, and no position begins within one."""
    if other.get(ROUNDS):
        raise RulesetError(f"{name}: {ROUNDS} are loaded when it activates. Leave them out")


def _refuse_unknown(name: str, other: Mapping[str, object], known: Iterable[str]) -> None:
    unknown = set(other) - set(known)
    if unknown:
        raise RulesetError(f"{name} has unknown fields: {', '.join(sorted(unknown))}")
