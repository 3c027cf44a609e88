"""Squads whose figures carry different small arms: the worst numbers count (fad5/shoot.mixed-weapons-range)."""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from server.kernel.notes import word
from server.kernel.state import Unit
from server.rulesets.fad.setup.book import Book, SmallArm

OPTION = "mixed_small_arms"
"""The option that lets figures of a squad carry other small arms than the rest of it. Their role names the weapon."""
RULE = "shoot.mixed-weapons-range"
_AND = "/"
"""What stands between the ids of the small arms that are fired together."""


def arm_of(book: Book, unit: Unit, figure: str) -> SmallArm:
    """Return the small arm of one figure of a unit."""
    role = unit.figures[figure].role
    return book.small_arms[role if role and role in book.small_arms else word(unit.profile, "small_arm")]


def worst(book: Book, unit: Unit, figures: Collection[str] = ()) -> SmallArm:
    """Return the small arm with which these figures of a unit fire and fight, by default all that are alive: their own, or where
    they have several, one with the worst of each number. Who carries a support weapon has none.
    """
    found: dict[str, SmallArm] = {}
    for key in figures or unit.living:
        role = unit.figures[key].role
        if not role or (role not in book.support_weapons and role not in book.heavy_weapons):
            arm = arm_of(book, unit, key)
            found[arm.id] = arm
    if not found:
        return book.small_arms[word(unit.profile, "small_arm")]
    arms = list(found.values())
    first = arms[0]
    if len(arms) == 1:
        return first
    rated = [arm.anti_tank for arm in arms if arm.anti_tank is not None]
    return replace(
        first,
        id=_AND.join(found),
        name=" and ".join([first.name, *(arm.name.lower() for arm in arms[1:])]),
        range_multiplier=min(arm.range_multiplier for arm in arms),
        damage=min(arm.damage for arm in arms),
        anti_tank=min(rated) if rated else None,
        assault_bonus=min(arm.assault_bonus for arm in arms),
        traits={key: value for key, value in first.traits.items() if all(key in arm.traits for arm in arms)},
    )


def is_mixed(arm: SmallArm) -> bool:
    """Return whether this is the worst of several small arms."""
    return _AND in arm.id
