"""Luck: what a roll could be expected to give, and what it gave."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta, Struct

from client_protocol.shapes import Id, Sequence
from client_protocol.view import Die

Myriad = Annotated[int, Meta(description="ten-thousandths")]
"""Ten-thousandths."""


class Luck(Struct, frozen=True, gc=False):
    """How lucky a roll was for the `side` that wished it well.

    `wanted` says what was counted ("hits", "saves", "the highest die"); `expected` is its mean and `fell` what came, both in
    ten-thousandths; `deviation` the standard deviation, so that rolls of different kinds can be added up as
    (fell - expected) / deviation. It is 0 where nothing else could fall: such a roll is no luck at all. `better` and `as_good`
    are the chances, in ten-thousandths, of more than that, and of just that.
    """

    side: Id
    unit: Id
    wanted: str
    expected: Myriad
    fell: Myriad
    deviation: Myriad
    better: Myriad
    as_good: Myriad


class LuckRow(Struct, frozen=True, gc=False):
    """A roll of a luck report: the frame of the all-seeing replay in which it fell, its turn, how it is told, its dice, its
    luck, and the figures that were lost in the same step, by side.
    """

    frame: Sequence
    turn: int
    text: str
    luck: Luck
    dice: tuple[Die, ...] = ()
    rule: Id = ""
    target: Id = ""
    fallen: dict[Id, int] = {}
