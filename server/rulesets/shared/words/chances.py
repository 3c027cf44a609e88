"""Lines with odds, for previews."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from client_protocol.from_server import Chance
from server.rulesets.shared.previews import odds


def per_myriad(chance: Fraction) -> int:
    """Return a probability in ten-thousandths."""
    return round(chance * 10_000)


def chance_line(label: str, chance: Fraction) -> Chance:
    """Return a line with a probability, in whole percent."""
    return Chance(label, f"{float(chance) * 100:.0f}%", per_myriad(chance))


def expected_line(label: str, value: Fraction) -> Chance:
    """Return a line with an expected value, to one decimal."""
    return Chance(label, f"{float(value):.1f}")


def or_more(spread: Mapping[int, Fraction], least: int) -> Fraction:
    """Return the chance of `least` or more."""
    return odds.chance(spread, lambda number: number >= least)
