"""The schema of a setup file (docs/setups.md): its tables and fields, and how long its texts and lists may be.

A file may become a match that others see: an id goes into keys and addresses, a name onto all players' pages.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from server.kernel.space.terrain import Sight

FORMAT = "underfire setup 1"

Place = tuple[float, float]
Places = Annotated[tuple[Place, ...], Meta(max_length=200)]
Key = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,59}\Z")]
"""An id, or a word of the edition's."""
UnitKey = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_.-]{0,35}\Z")]
"""A unit's id: the keys of choices name two of them."""
SideKey = Annotated[str, Meta(pattern=r"^[A-Za-z0-9][A-Za-z0-9_-]{0,35}\Z")]
"""A side's id, which is its seat's."""
Words = Annotated[tuple[Key, ...], Meta(max_length=20)]
Flags = Annotated[tuple[Annotated[str, Meta(max_length=60)], ...], Meta(max_length=20)]
Name = Annotated[str, Meta(min_length=1, max_length=80)]
Text = Annotated[str, Meta(max_length=2_000)]
Turns = Annotated[int, Meta(ge=0, le=1_000)]
Amount = Annotated[int, Meta(ge=-1_000_000, le=1_000_000)]
Value = Annotated[str, Meta(max_length=200)] | Amount | bool
Item = Annotated[str, Meta(max_length=200)] | Amount
SetupNote = Value | Annotated[list[Item | Annotated[list[Item], Meta(max_length=200)]], Meta(max_length=200)]
"""A rule set's own notes: `notes.Note`, in bounds."""


class _Part(Struct, frozen=True, forbid_unknown_fields=True):
    """A table of a setup; lengths are inches."""


class SetupOpening(_Part, frozen=True):
    """A door or window of a building: a kind of terrain, where its middle is on the outline, and how wide it is."""

    kind: Key
    at: Place
    width: float
    name: Annotated[str, Meta(max_length=80)] = ""


class SetupTerrain(_Part, frozen=True):
    """A piece of terrain: what is left out comes from the palette's entry for its kind. With `openings` it is a building, and its
    walls follow from its outline.
    """

    id: Key
    kind: Key
    outline: Places
    name: Annotated[str, Meta(max_length=80)] = ""
    cover: Key | None = None
    flags: Flags | None = None
    sight: Sight | None = None
    sight_depth: float | None = None
    linear: bool | None = None
    openings: Annotated[tuple[SetupOpening, ...], Meta(max_length=40)] = ()


class SetupAsset(Struct, frozen=True):
    """What a side has off the table. Every other field is a characteristic of the rule set."""

    id: UnitKey
    name: Name


class SetupSide(_Part, frozen=True):
    """A side. Its seat has its id. `force` names a ready force of the edition that it plays, in addition to any units listed
    for it; `assets` are what it has off the table, each a `SetupAsset`.
    """

    id: SideKey
    name: Name
    letter: Annotated[str, Meta(min_length=1, max_length=2)]
    shape: Literal["circle", "square", "diamond", "hexagon"]
    edge: Literal["", "south", "north", "west", "east"] = ""
    zone: Places = ()
    force: Annotated[str, Meta(max_length=60)] = ""
    assets: Annotated[tuple[dict[str, Any], ...], Meta(max_length=8)] = ()


class SetupFigure(Struct, frozen=True):
    """A figure, where a unit lists them one by one. Every other field is a characteristic of the rule set. A vehicle's figure has
    a `hull` (length, width) and a `facing` in degrees.
    """

    id: UnitKey
    at: Place | None = None
    role: Annotated[str, Meta(max_length=60)] = ""
    fallen: bool = False
    conditions: Words = ()
    hull: Place | None = None
    facing: float = 0


class SetupCount(Struct, frozen=True):
    """A unit whose figures are a number, with the places `at` which they stand (none: not on the table). What figures they are
    the rule set reads from its other fields.
    """

    name: Name
    figures: int
    at: Places = ()


class SetupMount(_Part, frozen=True):
    """A vehicle's weapon; angles in degrees."""

    weapon: Key
    middle: float = 0
    spread: float = 180
    lost: bool = False


class SetupUnit(Struct, frozen=True):
    """A unit with its figures listed. Every other field is a characteristic of the rule set."""

    id: UnitKey
    side: str
    name: Name
    figures: tuple[dict[str, Any], ...]
    base: float = 1.0
    conditions: Words = ()
    activated: Turns = 0
    left: Annotated[str, Meta(max_length=60)] = ""
    mounts: Annotated[dict[UnitKey, SetupMount], Meta(max_length=12)] = {}
    seats: Annotated[int, Meta(ge=0, le=60)] = 0
    aboard: str = ""
    attached: str = ""


class SetupObjective(_Part, frozen=True):
    """An objective marker."""

    id: Key
    name: Name
    at: Place
    radius: float
    held_by: str = ""


class SetupTurn(_Part, frozen=True):
    """Where in the game the position is; without a phase the rule set says where it begins."""

    number: Turns = 0
    phase: Annotated[str, Meta(max_length=60)] = ""
    first: str = ""
    active: str = ""


class SetupResult(_Part, frozen=True):
    """How a match that is over ended."""

    winner: str
    reason: Text
    rule: Annotated[str, Meta(max_length=80)] = ""


class SetupTable(_Part, frozen=True):
    """The table's size; the last `added` pieces of terrain came about in play."""

    width: float = 48
    height: float = 48
    added: int = 0


class Setup(_Part, frozen=True):
    """The whole file."""

    format: str
    edition: str
    id: Key
    name: Name
    side: Annotated[tuple[SetupSide, ...], Meta(max_length=8)]
    unit: tuple[dict[str, Any], ...] = ()
    summary: Text = ""
    minutes: Amount = 0
    table: SetupTable = SetupTable()
    terrain: tuple[SetupTerrain, ...] = ()
    objective: Annotated[tuple[SetupObjective, ...], Meta(max_length=50)] = ()
    victory: Annotated[dict[str, Annotated[str, Meta(max_length=200)] | Amount], Meta(max_length=50)] = {}
    deployment: Annotated[dict[str, Annotated[str, Meta(max_length=200)]], Meta(max_length=50)] = {}
    options: Annotated[dict[str, Value], Meta(max_length=60)] = {}
    turn: SetupTurn | None = None
    result: SetupResult | None = None
    book: Annotated[dict[str, SetupNote], Meta(max_length=50)] = {}
