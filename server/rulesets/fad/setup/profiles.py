"""The characteristics of a unit in a setup, checked when they are read: of a squad, or of a vehicle."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from server.kernel.errors import RulesetError
from server.kernel.notes import Note
from server.rulesets.fad.game import CHARACTER, LEADER, MOBILITY, POWERED, POWERED_ONLY, FadRules
from server.rulesets.fad.vehicles.characteristics import FACINGS, armour_key
from server.rulesets.fad.vehicles.squads import SQUAD
from server.rulesets.shared.setup.admission import number

INFANTRY = {"quality": "qualities", "resolve": "resolves", "small_arm": "small_arms", "armour": "armours"}
"""The characteristics of a squad, each with the table of the book that lists its values."""
CHARACTER_FIELDS = {"leadership": "leaderships", "leader_branch": "branches"}
"""What a character has besides."""
VEHICLE = {"quality": "qualities", "resolve": "resolves", MOBILITY: "mobilities"}
"""Those of a vehicle, which also has an armour rating for each facing."""
THICKEST = 20
"""The highest armour rating of a facing."""


def profile(rules: FadRules, name: str, other: Mapping[str, object], roles: tuple[str, ...]) -> dict[str, Note]:
    """Return the profile of a unit with these fields. Raises `RulesetError`."""
    if rules.chapters.vehicles is not None and MOBILITY in other:
        return _vehicle(rules, name, other)
    fields = INFANTRY | CHARACTER_FIELDS if CHARACTER in roles else INFANTRY
    found = _listed(rules, name, other, fields)
    _refuse_unknown(name, other, fields)
    for role in roles:
        weapon = rules.book.support_weapons.get(role)
        if weapon is None and role not in {LEADER, CHARACTER} and rules.heavy(role) is None:
            others = ", ".join((*rules.book.support_weapons, *rules.book.heavy_weapons))
            raise RulesetError(f"{name}: a figure cannot be {role!r}; it may be {others}")
        powered = POWERED in rules.book.armours[str(found["armour"])].traits
        if weapon is not None and POWERED_ONLY in weapon.traits and not powered:
            raise RulesetError(f"{name}: {weapon.name} needs powered armour")
    if sum(rules.heavy(role) is not None for role in roles) > 1:
        raise RulesetError(f"{name}: a unit has one heavy weapon")
    return found


def _vehicle(rules: FadRules, name: str, other: Mapping[str, object]) -> dict[str, Note]:
    found = _listed(rules, name, other, VEHICLE)
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
    _refuse_unknown(name, other, (*VEHICLE, *ratings, *notes, SQUAD))
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


def _refuse_unknown(name: str, other: Mapping[str, object], known: Iterable[str]) -> None:
    unknown = set(other) - set(known)
    if unknown:
        raise RulesetError(f"{name} has unknown fields: {', '.join(sorted(unknown))}")
