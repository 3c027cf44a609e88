"""The procedures that editions of the family replace. Chapters reach them through the rules object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING

from msgspec import Struct

from client_protocol.choices import Choice, PathParameter, PathsDeclared, Picked, Why
from client_protocol.from_server import Chance
from client_protocol.view import CardLine
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
        in_place: who falls in the place of which of the figures of a unit that would fall, so that it keeps a rifleman; empty
            where a gunner takes up a rifle instead.
        placed: which of the figures that could fire at an enemy have a place from which they do, at this distance (mil) and with
            the weapon on a mount if one is named, or why none has.
        rivals: the figures that want a place for a shot, if not all of them get one: their owner may choose among them.
        spared: the gunners whose support weapons an owner may want to leave out of a shot, since without them its hits do more.
    """

    alone: Callable[[Unit], bool]
    riflemen: Callable[[FadRules, State, Shot], int]
    bunched_up: Callable[[FadRules, Unit], bool]
    priority: Callable[[FadRules, Unit], int]
    in_place: Callable[[FadRules, Unit, tuple[str, ...]], Mapping[str, str]]
    placed: Callable[[FadRules, State, Unit, Unit, tuple[str, ...], int, str], tuple[str, ...] | Why]
    rivals: Callable[[FadRules, State, Shot], tuple[str, ...]] = lambda *_: ()
    spared: Callable[[FadRules, State, Shot], tuple[str, ...]] = lambda *_: ()


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
        fall_short: what a unit does that cannot reach its target any more, by a manner of charging.
        withdraw: lets a squad fall back from a unit that it fought, so many mil, by a rule.
        keeps_together: whether a squad that charges keeps its coherency; else its figures close in after the charge.
        note: what a preview adds to its numbers, which are calculated before the charge.
    """

    gather: Callable[[FadGame, str, str], Steps[None]]
    fighters: Callable[[FadRules, State, str, str], tuple[str, ...]]
    losses: Callable[[FadRules, State, str, str, int], Losses]
    fall_short: Callable[[FadGame, str, str, str], Steps[None]]
    withdraw: Callable[[FadGame, str, str, int, str], Steps[None]]
    keeps_together: bool = False
    note: str = ""


class Morale(Struct, frozen=True, kw_only=True):
    """Resolve checks, and where units go that fall back.

    Attributes:
        check_resolve: checks the Resolve of a unit that activates and returns the result.
        leaves_table: whether figures that fall back may leave over the table's edge, in a match that has no option for it.
        retreats: what the edition asks of the path of a unit that falls back: its path parameters, the strictest first. That
            counts with which the server finds a way, else the last one. None if it asks no more than any edition.
        broken_persists: whether a unit stays Broken that its losses do not break any more.
        sheltered: whether a unit stands in cover, so that it need not fall back while no enemy is near.
        stays_first: whether a unit whose owner does not choose stays where it need not fall back.
        flees_unseen: whether a unit falls back from the nearest enemy, seen or not; else from the nearest that it sees.
    """

    check_resolve: Callable[[FadGame, str], Steps[str]]
    leaves_table: bool
    broken_persists: bool
    sheltered: Callable[[FadRules, State, Unit], bool]
    stays_first: bool = False
    flees_unseen: bool = False
    retreats: Callable[[FadRules, State, Unit, PathParameter], tuple[PathParameter, ...]] | None = None


class AtVehicles(Struct, frozen=True, kw_only=True):
    """Close assaults on vehicles, and by vehicles on infantry.

    Attributes:
        nerve: how many dice a squad rolls for its nerve before it assaults a vehicle, and how many must pass; 0 for no test.
        strike: what a squad does that has come into contact with a vehicle.
        foretell: the odds of a squad's assault on a vehicle.
        charges: the choices of a vehicle that acts to drive into infantry.
        charge: carries such a choice out.
        foretell_charge: the odds of one, given the vehicle, the squad and the choice.
        free_shot: lets a vehicle shoot at a squad that comes to assault it; None where it never does.
    """

    nerve: Callable[[FadRules, Unit], tuple[int, int]]
    strike: Callable[[FadGame, str, str], Steps[None]]
    foretell: Callable[[FadRules, State, str, str], Preview]
    charges: Callable[[FadRules, State, str], Iterator[Choice]]
    charge: Callable[[FadGame, str, Picked], Steps[None]]
    foretell_charge: Callable[[FadRules, State, str, str, str], Preview]
    free_shot: Callable[[FadGame, str, str], Steps[None]] | None = None


class Vehicles(Struct, frozen=True, kw_only=True):
    """What damage does to vehicles, and what their crews stand.

    Attributes:
        register: registers the advisers of these procedures.
        check: tests vehicle and crew when it activates, and returns what it may do, a word of
            `server.rulesets.fad.vehicles.standing`.
        strike: rolls damage for the hits of a shot at a vehicle.
        immobilise: does what it means for a vehicle that a weapon stops it, by a rule.
        penetrate: does what it means that a weapon penetrates its armour without a roll, by a rule.
        assaulted: marks a vehicle for the hits that penetrate in a close assault.
        crippled: why a vehicle may neither fire, drive at standard speed nor assault; None if it may.
        stuck: why a vehicle may neither drive nor turn; None if it may.
        immobile: whether a vehicle is immobilised by damage.
        rating: the armour rating of one facing, as the edition reckons it.
        state: the damage of a vehicle in a few words, for the list of units; "" if it has none.
        card: the lines of its card on its damage, which come first.
        odds: what hits that penetrate in a close assault do, given how likely each number of them is.
        tank: whether a vehicle bolsters infantry near by.
        test: the test that an activating vehicle must take: what the preview says of it; None if it takes none.
        foretell: what a preview says of a shot at a vehicle, given how likely each number of hits is.
        conditions: the markers of damage.
        notes: what play notes in the profile of a vehicle, each with the highest number that it may be.
        fields: the characteristics of a vehicle, each with the table of the book that lists its values. Besides, every vehicle
            has an armour rating for each facing.
        defaults: the characteristics that need not be given.
        marked: the characteristics that are lists of its mounts, and need not be given.
        leaving: the reasons for which vehicles alone leave the game.
        admit: refuses markers and notes of damage that do not go together. Raises `RulesetError`.
        wreck_rule: the rule by which wrecks stay; "" for that of the loss.
        close: close assaults on vehicles and by them; None where there are none.
        flee: lets a vehicle fall back whose crew failed its Morale Test.
        foretell_flight: what a preview says of a way on which it does; "" for nothing.
    """

    register: Callable[[FadRules], None]
    check: Callable[[FadGame, str], Steps[str]]
    strike: Callable[[FadGame, Shot, int], Steps[None]]
    immobilise: Callable[[FadGame, str, str], Steps[None]]
    penetrate: Callable[[FadGame, str, str], Steps[None]]
    assaulted: Callable[[FadGame, str, int], Steps[None]]
    crippled: Callable[[Unit], Why | None]
    stuck: Callable[[Unit], Why | None]
    immobile: Callable[[Unit], bool]
    rating: Callable[[FadRules, State, Unit, str], int]
    state: Callable[[FadRules, Unit], str]
    card: Callable[[FadRules, State, Unit], Iterator[CardLine]]
    odds: Callable[[FadRules, Unit, Mapping[int, Fraction]], tuple[Chance, ...]]
    tank: Callable[[FadRules, Unit], bool]
    test: Callable[[FadRules, State, Unit], Preview | None]
    foretell: Callable[[FadRules, State, Shot, Mapping[int, Fraction]], Foretold]
    conditions: tuple[str, ...]
    notes: Mapping[str, int]
    fields: Mapping[str, str]
    leaving: tuple[str, ...]
    admit: Callable[[FadRules, Unit], None]
    flee: Callable[[FadGame, str], Steps[None]]
    foretell_flight: Callable[[FadRules, State, Unit, PathsDeclared], str] = lambda *_: ""
    wreck_rule: str = ""
    close: AtVehicles | None = None
    defaults: Mapping[str, str] = {}
    marked: tuple[str, ...] = ()


class Chapters(Struct, frozen=True, kw_only=True):
    """The procedures of one edition, by the chapter of the book that they replace. `vehicles` is None where none are played."""

    fire: Fire
    fight: Fight
    morale: Morale
    vehicles: Vehicles | None = None
