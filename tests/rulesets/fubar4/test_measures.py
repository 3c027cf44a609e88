"""Inches are played; centimetres are shown."""

from __future__ import annotations

import math

import pytest

from tests.rulesets.fubar4.battlefield import fubar4

PRINTED = {2: 5, 3: 8, 6: 15, 8: 20, 12: 30, 16: 40, 24: 60, 32: 80, 40: 100, 48: 120}
"""Inches and centimetres as the page prints them beside moves, reaches and ranges."""


def shown(inches: float) -> int:
    """Whole centimetres for whole inches, as the browser shows them: two and a half to the inch, halves upward."""
    return math.floor(inches * 2.5 + 0.5)


@pytest.mark.rule("fubar4/measure.units")
def test_two_and_a_half_centimetres_to_the_inch_give_every_length_as_it_is_printed() -> None:
    for inches, centimetres in PRINTED.items():
        assert shown(inches) == centimetres


@pytest.mark.rule("fubar4/measure.units")
def test_moves_and_ranges_are_among_the_lengths_that_are_printed() -> None:
    assert {move.length for move in fubar4().book.moves.values()} <= PRINTED.keys()
    assert {weapon.range for weapon in fubar4().book.weapons.values()} <= PRINTED.keys()
