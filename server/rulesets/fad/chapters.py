"""The procedures that editions of the family replace; the chapters reach them through the rules object."""

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

    `alone` says whether a unit rolls the dice of an individual, `riflemen` how many figures of a shot fire the basic weapon,
    `bunched_up` whether a unit stands too close together, and `priority` how many of the closest enemies a unit may shoot at.
    """

    alone: Callable[[Unit], bool]
    riflemen: Callable[[FadRules, State, Shot], int]
    bunched_up: Callable[[FadRules, Unit], bool]
    priority: Callable[[FadRules, Unit], int]


class Losses(Struct, frozen=True):
    """Whom an owner loses in a close assault: `sure` certainly, the rest of his choice from among `choice`."""

    sure: tuple[str, ...]
    choice: tuple[str, ...]


class Fight(Struct, frozen=True, kw_only=True):
    """Who fights in a close assault, and who falls.

    `gather` brings the two squads together after the charge. `fighters` are the figures of a unit that take part against an
    enemy unit, and the only ones that it can lose. `losses` says which of them fall when so many do. `note` is what a preview
    says of its numbers, which are made before the charge.
    """

    gather: Callable[[FadGame, str, str], Steps[None]]
    fighters: Callable[[FadRules, State, str, str], tuple[str, ...]]
    losses: Callable[[FadRules, State, str, str, int], Losses]
    note: str = ""


class Morale(Struct, frozen=True, kw_only=True):
    """How a unit's courage is tried, and where the units go that fall back.

    `check_resolve` looks at a unit that activates and returns how it stands. `leaves_table` says whether who falls back may do so
    over the table's edge.
    """

    check_resolve: Callable[[FadGame, str], Steps[str]]
    leaves_table: bool


class Chapters(Struct, frozen=True, kw_only=True):
    """The procedures of each chapter of the book that an edition replaces, and what it has in their place."""

    fire: Fire
    fight: Fight
    morale: Morale
