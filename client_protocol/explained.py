"""A number of the rules together with everything that made it (every number explains itself)."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from client_protocol.shapes import Id

Stage = Literal["SET", "ADD", "SCALE", "CAP"]


class Line(Struct, frozen=True, gc=False, array_like=True):
    """One contribution to a number.

    `stage` says how it counts: SET gives the starting value, ADD is added, SCALE multiplies (in percent), CAP is an upper
    bound (a lower one where `amount` is given with `floor`). `reason` is a few words for people, `rule` the rule's id.
    """

    stage: Stage
    amount: int
    reason: str
    rule: Id
    floor: bool = False


class Explained(Struct, frozen=True, gc=False, array_like=True):
    """A number and its lines, in the order in which they count.

    Lengths are in thousandths of an inch (`unit` = "mil"); numbers with decimals are in thousandths too (`unit` = "milli").
    """

    value: int
    lines: tuple[Line, ...] = ()
    unit: str = ""
