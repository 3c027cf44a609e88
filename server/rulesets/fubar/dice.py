"""A single die: it succeeds on a number or more; a natural 6 always succeeds, and a natural 1 never."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

SIDES = 6
HIT = "hit"
SAVED = "pass"
FAILED = "fail"


def succeeds(face: int, need: int, bonus: int = 0) -> bool:
    """Return whether a die that shows `face` succeeds on `need` or more after `bonus` is added."""
    # fubar4/dice.six-succeeds, fubar4/dice.one-fails: before any modifier
    if face in {1, SIDES}:
        return face == SIDES
    return face + bonus >= need


def marks(faces: Iterable[int], need: int, bonus: int = 0, success: str = HIT) -> tuple[str, ...]:
    """Return the result of each die: `success` or "fail"."""
    return tuple(success if succeeds(face, need, bonus) else FAILED for face in faces)


def chance(need: int, bonus: int = 0) -> Fraction:
    """Return the probability that one die succeeds."""
    return Fraction(sum(succeeds(face, need, bonus) for face in range(1, SIDES + 1)), SIDES)
