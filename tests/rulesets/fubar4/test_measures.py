"""The game is played in inches and may be shown in centimetres."""

from __future__ import annotations

import math

import pytest

from tests.rulesets.fubar4.battlefield import fubar4

PRINTED = {2: 5, 3: 8, 6: 15, 8: 20, 12: 30, 16: 40, 24: 60, 32: 80, 40: 100, 48: 120}
"""Inches and centimetres as the rules page prints them for moves, reaches and ranges."""


def shown(inches: float) -> int:
    """Return whole centimetres for whole inches as the browser shows them: two and a half to the inch, halves rounded up."""
    return math.floor(inches * 2.5 + 0.5)


@pytest.mark.rule("fubar4/measure.units")
def test_lengths_shown_in_centimetres_match_the_printed_ones() -> None:
    for inches, centimetres in PRINTED.items():
        assert shown(inches) == centimetres


@pytest.mark.rule("fubar4/measure.units")
def test_all_moves_and_ranges_are_among_the_printed_lengths() -> None:
    assert {move.length for move in fubar4().book.moves.values()} <= PRINTED.keys()
    assert {weapon.range for weapon in fubar4().book.weapons.values()} <= PRINTED.keys()
