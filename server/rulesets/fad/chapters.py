"""The procedures that editions of the family replace. Chapters reach them through the rules object."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from msgspec import Struct

from server.kernel.procedure import Steps
from server.kernel.state import State, Unit

if TYPE_CHECKING:  # the rules object holds the chapters
    from server.rulesets.fad.game import FadGame, FadRules
    from server.rulesets.fad.shot import Shot


class Fire(Struct, frozen=True, kw_only=True):
    """Who counts when a unit shoots and is shot at.

    Attributes:
        alone: whether a unit rolls the dice of an individual.
        riflemen: how many figures of a shot fire the basic weapon.
        bunched_up: whether a unit stands too close together.
        priority: how many of the closest enemies a unit may shoot at.
    """

    alone: Callable[[Unit], bool]
    riflemen: Callable[[FadRules, State, Shot], int]
    bunched_up: Callable[[FadRules, Unit], bool]
    priority: Callable[[FadRules, Unit], int]


class Losses(Struct, frozen=True):
    """The figures that an owner loses in a close assault: all of `sure`, and the rest as he picks from `choice`."""

    sure: tuple[str, ...]
    choice: tuple[str, ...]


class Fight(Struct, frozen=True, kw_only=True):
    """Who fights in a close assault, and who falls.

    Attributes:
        gather: brings the two squads together after the charge.
        fighters: the figures of a unit that fight an enemy unit. Only these can fall.
        losses: which of them fall, for a number of losses.
        note: what a preview adds to its numbers, which are calculated before the charge.
    """

    gather: Callable[[FadGame, str, str], Steps[None]]
    fighters: Callable[[FadRules, State, str, str], tuple[str, ...]]
    losses: Callable[[FadRules, State, str, str, int], Losses]
    note: str = ""


class Morale(Struct, frozen=True, kw_only=True):
    """Resolve checks, and where units go that fall back.

    Attributes:
        check_resolve: checks the Resolve of a unit that activates and returns the result.
        leaves_table: whether figures that fall back may leave over the table's edge.
    """

    check_resolve: Callable[[FadGame, str], Steps[str]]
    leaves_table: bool


class Chapters(Struct, frozen=True, kw_only=True):
    """The procedures of one edition, by the chapter of the book that they replace."""

    fire: Fire
    fight: Fight
    morale: Morale
