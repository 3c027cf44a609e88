"""What the activation of a vehicle leaves for those aboard to do."""

from __future__ import annotations

from msgspec import Struct, field


class Passage(Struct):
    """What those aboard a vehicle have done and may do in its activation.

    Attributes:
        off: the squads that have got off, in their order.
        shaken: those of them whose morale would let them fall back: they do not assault.
        idle: the squads that wanted to get off and fell back: they stay aboard and do nothing.
        fires: whether those aboard may shoot: the vehicle did not drive at standard speed, and its crew did not flee.
        open_fire: whether the vehicle's action is Open Fire.
    """

    off: list[str] = field(default_factory=list)
    shaken: list[str] = field(default_factory=list)
    idle: list[str] = field(default_factory=list)
    fires: bool = False
    open_fire: bool = False
