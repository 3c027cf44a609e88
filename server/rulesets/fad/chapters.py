"""The procedures that editions of the family replace. Chapters reach them through the rules object."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct

from client_protocol.choices import Why
from server.kernel.procedure import Steps
from server.kernel.ruleset import Preview
from server.kernel.state import State, Unit
from server.rulesets.fad.module import Foretold

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
        broken_persists: whether a unit stays Broken that its losses do not break any more.
    """

    check_resolve: Callable[[FadGame, str], Steps[str]]
    leaves_table: bool
    broken_persists: bool


class Vehicles(Struct, frozen=True, kw_only=True):
    """What damage does to vehicles, and what their crews stand.

    Attributes:
        register: registers the advisers of these procedures.
        check: tests vehicle and crew when it activates, and returns what it may do, a word of
            `server.rulesets.fad.vehicles.standing`.
        strike: rolls damage for the hits of a shot at a vehicle.
        suffer: marks a vehicle for so many hits that penetrate, by a rule.
        assaulted: marks a vehicle for the hits that penetrate in a close assault.
        crippled: why a vehicle may do nothing but drive cautiously; None if it may do everything.
        rating: the armour rating of one facing, as the edition reckons it.
        damage: how often a vehicle has been damaged, and how often removes it.
        test: the test that an activating vehicle must take: what the preview says of it; None if it takes none.
        foretell: what a preview says of a shot at a vehicle, given how likely each number of hits is.
        conditions: the markers of damage.
        notes: what play notes in the profile of a vehicle, each with the highest number that it may be.
        admit: refuses markers and notes of damage that do not go together. Raises `RulesetError`.
        penetrate: marks a vehicle whose armour a weapon penetrates without a roll, by a rule; None if no weapon does.
    """

    register: Callable[[FadRules], None]
    check: Callable[[FadGame, str], Steps[str]]
    strike: Callable[[FadGame, Shot, int], Steps[None]]
    suffer: Callable[[FadGame, str, int, str], Steps[None]]
    assaulted: Callable[[FadGame, str, int], Steps[None]]
    crippled: Callable[[Unit], Why | None]
    rating: Callable[[FadRules, State, Unit, str], int]
    damage: Callable[[FadRules, Unit], tuple[int, int]]
    test: Callable[[FadRules, State, Unit], Preview | None]
    foretell: Callable[[FadRules, State, Shot, Mapping[int, Fraction]], Foretold]
    conditions: tuple[str, ...]
    notes: Mapping[str, int]
    admit: Callable[[FadRules, Unit], None]
    penetrate: Callable[[FadGame, str, str], Steps[None]] | None = None


class Chapters(Struct, frozen=True, kw_only=True):
    """The procedures of one edition, by the chapter of the book that they replace. `vehicles` is None where none are played."""

    fire: Fire
    fight: Fight
    morale: Morale
    vehicles: Vehicles | None = None
