"""What a module of the family may add besides what modules of any family add. Chapters reach it through the rules object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct

from client_protocol.explained import Explained
from client_protocol.from_server import Chance
from server.kernel.procedure import Steps
from server.kernel.state import State
from server.rulesets.shared.modules import Marker, Module

if TYPE_CHECKING:  # the rules object holds the modules
    from server.rulesets.fad.game import FadGame, FadRules


class Act(StrEnum):
    """What a module may forbid a unit. Falling back is an act of its own (`Held`)."""

    SHOOT = "shoot"
    MOVE = "move"
    ASSAULT = "assault"


class Held(Struct, frozen=True):
    """What a marker makes of a unit that should fall back: it takes no action.

    Attributes:
        declared: what the unit declares instead (`server.kernel.facts.Declared`), for which its module has the words.
        rule: the rule that says so.
        foretold: what its Morale Test comes to, as the log tells it.
    """

    declared: str
    rule: str
    foretold: str


class Foretold(Struct, frozen=True):
    """What a preview of a shot adds to its numbers and chances."""

    numbers: tuple[tuple[str, Explained], ...] = ()
    chances: tuple[Chance, ...] = ()


class Aftermath(Struct, frozen=True):
    """What a shot leaves behind on its target, unless it is a free shot.

    Attributes:
        leave: given the target and the Fire Effect, places a marker instead of Under Fire; returns whether it did.
        foretell: what a preview says of that, given the target and how likely each Fire Effect is.
    """

    leave: Callable[[FadGame, str, Explained], Steps[bool]]
    foretell: Callable[[FadRules, State, str, Mapping[int, Fraction]], Foretold]


class FadMarker(Marker["FadRules"], frozen=True, kw_only=True):
    """A marker of the family. `held` says that a unit with it does not fall back when a Morale Test would have it so."""

    held: Held | None = None


class FadModule(Module["FadRules"], frozen=True, kw_only=True):
    """A module of the family. `aftermath` is what its shots leave behind."""

    markers: tuple[FadMarker, ...] = ()
    aftermath: Aftermath | None = None
