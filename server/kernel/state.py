"""The state of a match: frozen structs with structural sharing, folded from facts.

Dictionaries inside are never changed in place: code that changes an entry copies the dictionary first (`changed`), so that an
unchanged unit stays the same object from state to state and views can be diffed by identity.
"""

from __future__ import annotations

from typing import TypeVar

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms, OfferKind
from client_protocol.forces import Force
from client_protocol.view import Ending, NextMatch
from server.kernel.clocks import Clock
from server.kernel.memory import Memory
from server.kernel.notes import Note
from server.kernel.programs import UNCONTROLLED
from server.kernel.space.geometry import Point
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Hull
from server.kernel.traits import Traits

OVER = "over"
"""The phase of a match that has ended: the only one that the kernel knows by name."""

V = TypeVar("V")


def changed(entries: dict[str, V], key: str, value: V) -> dict[str, V]:
    """Return a copy of `entries` with `key` set to `value`."""
    copy = dict(entries)
    copy[key] = value
    return copy


class Figure(Struct, frozen=True, gc=False):
    """One model. `at` is its base's centre (None: not on the table), `radius` the base's, in mil. `role` names what it
    carries or is ("" for an ordinary figure), by an id of the rule set. A fallen figure keeps its last place.

    `profile` holds what is its own and not its unit's, `conditions` the markers on it alone, `traits` what it has that other
    figures have not (`server.kernel.traits`), all under the rule set's names.
    A figure with a `hull` is a vehicle: `at` is the hull's centre, `radius` half its width, `facing` where its front points, in
    hundredths of a degree. `of` is the attached unit to which a figure belongs; it is unset for a unit's own.
    """

    at: Point | None
    radius: int
    role: str = ""
    fallen: bool = False
    conditions: tuple[str, ...] = ()
    profile: dict[str, Note] = {}
    hull: Hull | None = None
    facing: int = 0
    traits: Traits | UnsetType = UNSET
    of: str | UnsetType = UNSET


_LIVING = Memory[dict[str, Figure]](400)
"""Those who have not fallen, of units of which some have."""


def _living(figures: dict[str, Figure]) -> dict[str, Figure]:
    return {key: figure for key, figure in figures.items() if not figure.fallen}


class Mount(Struct, frozen=True, gc=False):
    """A weapon on a vehicle: which one, and the arc it bears on: `spread` hundredths of a degree to either side of `middle`,
    which is counted from the hull's facing (18000: all round). A lost one fires no more.
    """

    weapon: str
    middle: int = 0
    spread: int = 18000
    lost: bool = False


class Unit(Struct, frozen=True, gc=False):
    """A unit of a side. `profile` holds its characteristics under the rule set's own names, `traits` what it has that other
    units have not (`server.kernel.traits`), `conditions` the markers on it in alphabetical order. `activated` is the turn in
    which it last activated. `left` says why it left the game ("" while it is in). Figure ids are unique within the unit and in
    roster order.

    A vehicle is a unit of one figure with a hull; `mounts` are its weapons, `seats` how many figures it carries. A unit
    `aboard` a vehicle (by its unit id) has its figures off the table. One that is `attached` to another (by its unit id) has
    its figures among that unit's (`server.kernel.attaching`).
    """

    id: str
    side: str
    name: str
    number: int
    profile: dict[str, Note]
    figures: dict[str, Figure]
    conditions: tuple[str, ...] = ()
    activated: int = 0
    left: str = ""
    mounts: dict[str, Mount] = {}
    seats: int = 0
    aboard: str = ""
    traits: Traits | UnsetType = UNSET
    attached: str | UnsetType = UNSET

    @property
    def living(self) -> dict[str, Figure]:
        """The figures that have not fallen, in roster order."""
        # Of most units none has fallen. This is asked more often than anything else of a unit.
        for figure in self.figures.values():
            if figure.fallen:
                return _LIVING.get(self.figures) or _LIVING.keep(self.figures, _living(self.figures))
        return self.figures

    @property
    def strength(self) -> int:
        """How many figures have not fallen."""
        return len(self.living)

    @property
    def on_table(self) -> bool:
        """Whether the unit is in play and stands on the table."""
        if self.left:
            return False
        # A loop: this is asked thousands of times for a decision, and a generator costs more than what it finds.
        for figure in self.figures.values():  # noqa: SIM110
            if figure.at is not None and not figure.fallen:
                return True
        return False

    def places(self) -> list[tuple[Point, int]]:
        """Return the (centre, radius) of each living figure on the table, in roster order."""
        return [(f.at, f.radius) for f in self.figures.values() if f.at is not None and not f.fallen]


class Asset(Struct, frozen=True, gc=False):
    """What a side has off the table. `profile` holds its characteristics and what the rule set notes about it, under the rule
    set's own names. Of a `hidden` one only the side's own seat knows.
    """

    id: str
    name: str
    profile: dict[str, Note]
    hidden: bool = False


class Side(Struct, frozen=True, gc=False):
    """A force: its name, the letter and base shape it is drawn with, the seat that plays it, its deployment zone (a polygon)
    and its own edge of the table ("south", "north", "west", "east"). `assets` are what it has off the table, by id.
    """

    id: str
    name: str
    letter: str
    shape: str
    seat: str
    zone: tuple[Point, ...] = ()
    edge: str = ""
    assets: dict[str, Asset] | UnsetType = UNSET

    @property
    def off_table(self) -> dict[str, Asset]:
        """What the side has off the table, by id."""
        return {} if self.assets is UNSET else self.assets


class Objective(Struct, frozen=True, gc=False):
    """A marker that sides contest: where it is, the radius (mil) in which it is held, the side that holds it ("" for none)."""

    id: str
    name: str
    at: Point
    radius: int
    held_by: str = ""


class Table(Struct, frozen=True, gc=False):
    """The table's size in mil and its terrain; the last `added` pieces came about in play, and those with the ids `gone` have
    been taken away. `centres` says that lines of sight run between the centres of bases alone.
    """

    width: int
    height: int
    terrain: tuple[Terrain, ...] = ()
    added: int = 0
    gone: tuple[str, ...] = ()
    centres: bool = False


class Turn(Struct, frozen=True, gc=False):
    """Where in the game we are. `phase` is a key of the rule set's wording ("" until it has said where it begins), `first` the
    side that went first this turn, `active` the side that is to act, `unit` the one that is acting.
    """

    number: int = 0
    phase: str = ""
    first: str = ""
    active: str = ""
    unit: str = ""


class Result(Struct, frozen=True, gc=False):
    """How the match ended: winning side ("" for a draw), a sentence, the rule that decided ("" if none did), what ended it."""

    winner: str
    reason: str
    rule: str
    how: Ending = "rules"


class Brought(Struct, frozen=True, gc=False):
    """A force that a seat plays instead of the scenario's; `hidden` from the others until it is on the roster."""

    force: Force
    hidden: bool = False


class Offer(Struct, frozen=True, gc=False):
    """What `seat` offers the others: a `clock` (None: none), to go back to the entry `to`, or that the program `program` plays
    the seat `hand` under the name `name` ("": that its player does again). `accepted` are who agrees.
    """

    seat: str
    kind: OfferKind
    clock: ClockTerms | None = None
    to: int = 0
    accepted: tuple[str, ...] = ()
    hand: str = ""
    program: str = ""
    name: str = ""


class Desk(Struct, frozen=True, gc=False):
    """The desk: who has which seat, the seats' shares in the dice, asides.

    A procedure reads only the two fields that seats fill for it: `forces` (the force a seat plays instead of the scenario's,
    by seat) and `orders` (standing orders, by unit). Both are hidden from the others (see `belief`). `commitment` is the
    SHA-256 of the dice secret where that is not the one with which the match was opened. `programs` are the seats that a program
    holds, each with its name (`server.kernel.programs`); a desk on which persons play all seats has none. `lent` are those of
    them that players have handed over, each with its player's name. `advice` says that all players may ask the computer for
    advice. `next` is the match that its players made after this one. `tied` are the keys of players, by the
    seats that are tied to them. `league` is the id of the league for which the match was made.
    """

    players: dict[str, str] = {}
    digests: dict[str, str] = {}
    randomness: dict[str, str] = {}
    secret: str = ""
    forces: dict[str, Brought] = {}
    orders: dict[str, str] = {}
    clock: Clock | None = None
    offers: dict[str, Offer] = {}
    conceded: tuple[str, ...] = ()
    commitment: str = ""
    programs: dict[str, str] | UnsetType = UNSET
    lent: dict[str, str] | UnsetType = UNSET
    advice: bool | UnsetType = UNSET
    next: NextMatch | UnsetType = UNSET
    tied: dict[str, str] | UnsetType = UNSET
    league: str | UnsetType = UNSET

    @property
    def of_league(self) -> str:
        """The id of the league for which the match was made; "": it was made for none."""
        return "" if self.league is UNSET else self.league

    @property
    def keys(self) -> dict[str, str]:
        """The keys of players, by the seats that are tied to them."""
        return {} if self.tied is UNSET else self.tied

    @property
    def followed_by(self) -> NextMatch | None:
        """The next match of the same players; None if they have made none."""
        return None if self.next is UNSET else self.next

    @property
    def lenders(self) -> dict[str, str]:
        """The players who have handed their seats over to programs, by seat."""
        return {} if self.lent is UNSET else self.lent

    @property
    def machines(self) -> dict[str, str]:
        """The programs that hold seats, by seat."""
        return {} if self.programs is UNSET else self.programs

    @property
    def uncontrolled(self) -> frozenset[str]:
        """The seats that the rules themselves play. They have no share in the dice."""
        return frozenset(seat for seat, program in self.machines.items() if program == UNCONTROLLED)


class State(Struct, frozen=True, gc=False):
    """A whole match at one moment. `book` is the rule set's own notes, `sealed` the answers that wait for the others'."""

    edition: str
    title: str
    options: dict[str, str | int | bool]
    table: Table
    sides: dict[str, Side]
    units: dict[str, Unit]
    objectives: dict[str, Objective]
    victory: dict[str, str | int]
    turn: Turn = Turn()
    book: dict[str, Note] = {}
    sealed: dict[str, Picked] = {}
    result: Result | None = None
    desk: Desk = Desk()

    def with_unit(self, unit: Unit) -> State:
        """Return this state with `unit` in the place of the one of its id."""
        return replace(self, units=changed(self.units, unit.id, unit))

    def with_asset(self, side: str, asset: Asset) -> State:
        """Return this state with `asset` in the place of the one of its id that `side` has."""
        own = self.sides[side]
        own = replace(own, assets=changed(own.off_table, asset.id, asset))
        return replace(self, sides=changed(self.sides, side, own))

    def units_of(self, side: str) -> list[Unit]:
        """Return the units of `side` that are still in the game, in roster order."""
        return [unit for unit in self.units.values() if unit.side == side and not unit.left]

    def enemies_of(self, side: str) -> list[Unit]:
        """Return the units of every other side that are still in the game, in roster order."""
        return [unit for unit in self.units.values() if unit.side != side and not unit.left]

    def seat_of(self, unit: str) -> str:
        """Return the seat that plays `unit`."""
        return self.sides[self.units[unit].side].seat
