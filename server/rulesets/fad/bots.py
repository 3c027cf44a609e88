"""Bots among the figures of a unit: who they are, and who is left without them (fad4/tech.weapon-tables)."""

from __future__ import annotations

from server.kernel.state import Figure, Unit
from server.kernel.traits import has

GUN_BOT, SPOT_BOT = "gun_bot", "spot_bot"
BOT_KINDS = ("med_bot", "supply_bot", "shield_bot", SPOT_BOT, GUN_BOT)
"""The traits of figures that are bots: one of them says what a bot does."""
BOT_ARMOUR = "improved"
"""The armour of bots, whatever their unit wears."""


def is_bot(figure: Figure) -> bool:
    """Return whether a figure is a bot."""
    return bool(figure.traits) and any(has(figure, kind) for kind in BOT_KINDS)


# Most figures have no traits. These three ask that first, since they are asked of every figure that fires or is fired at.


def bots(unit: Unit, kind: str = "") -> tuple[str, ...]:
    """Return the bots of a unit that stand, of one kind or of all."""
    return tuple(
        [key for key, one in unit.living.items() if one.traits and is_bot(one) and (not kind or has(one, kind))]
    )


def fighting(unit: Unit) -> tuple[str, ...]:
    """Return the standing figures of a unit that fight: all but its bots."""
    return tuple([key for key, one in unit.living.items() if not (one.traits and is_bot(one))])


def unarmed(unit: Unit) -> frozenset[str]:
    """Return the standing bots of a unit that carry no weapon."""
    return frozenset([key for key, one in unit.living.items() if one.traits and is_bot(one) and not has(one, GUN_BOT)])
