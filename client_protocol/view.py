"""What an audience sees: the table, the sides, the units, the story so far. Rendered from a believed state by the server.

A view travels whole in a snapshot and afterwards as merge patches (RFC 7396): maps are merged key by key, everything else
is replaced, null removes.
"""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from client_protocol.clocks import ClockView, OfferView
from client_protocol.explained import Explained
from client_protocol.shapes import Angle, Id, Mil, Point


class TerrainView(Struct, frozen=True, gc=False):
    """A piece of terrain. `outline` is a closed polygon, or an open line where `linear`. `sight` is clear, depth, depth_in_all,
    depth_from_edge, occupied or solid (see PROTOCOL.md); `sight_depth` goes with those that name a depth. `notes` say in words
    what it does.
    """

    id: Id
    name: str
    kind: str
    outline: tuple[Point, ...]
    linear: bool
    cover: str
    flags: tuple[str, ...]
    sight: str
    sight_depth: Mil
    notes: tuple[str, ...] = ()


class TableView(Struct, frozen=True, gc=False):
    """The table: width and height, its terrain as the match began (it never moves; what comes later is in the view)."""

    width: Mil
    height: Mil
    terrain: tuple[TerrainView, ...]


class FigureView(Struct, frozen=True, gc=False):
    """A figure: where its base's centre is (null: not on the table), its radius, what it is or carries in words (`role`), the
    sign drawn for that in the place of its side's letter ("star" for one who leads, "gun" for one that differs otherwise, mostly
    by a heavier weapon, "unknown" for a marker that may be anything, "" for an ordinary one), whether it has fallen. The sign of
    a vehicle says what it moves on: "" for tracks, "wheels", "legs", "hover", "flyer" for one in the air, "grounded" for a flyer
    on the ground.

    `conditions` are the markers on it alone (keys of the snapshot's `words`). A vehicle has a `hull`, (length along its facing,
    width), and a `facing`; `at` is then the hull's centre.
    """

    at: Point | None
    radius: Mil
    role: str = ""
    sign: str = ""
    fallen: bool = False
    conditions: tuple[str, ...] = ()
    hull: tuple[Mil, Mil] | None = None
    facing: Angle = 0


class CardLine(Struct, frozen=True, gc=False):
    """A characteristic on a unit's card: what it is called (`Move`), how it stands (`6"`), the rule that says what it means, and
    its place on the card, counted from 0: maps have no order.
    """

    label: str
    value: str
    rule: Id = ""
    place: int = 0


class MountView(Struct, frozen=True, gc=False):
    """A vehicle's weapon: its name, the arc it bears on (`spread` to either side of `middle`, counted from the facing; 18000: all
    round), its range, whether it is lost.
    """

    name: str
    middle: Angle
    spread: Angle
    reach: Mil
    lost: bool = False


class UnitView(Struct, frozen=True, gc=False):
    """A unit. `card` holds the lines of its card by their labels, `conditions` are keys of the snapshot's `words`; `left` says
    why it is out of the game ("" while it is in). `mounts` are a vehicle's weapons; `aboard` is the vehicle that carries it,
    `attached` the unit among whose figures its own stand; it has none then.
    `order` is its standing order, shown to its own seat alone (a key of the snapshot's `orders`).
    """

    side: Id
    name: str
    number: int
    figures: dict[Id, FigureView]
    card: dict[str, CardLine]
    conditions: tuple[str, ...] = ()
    activated: bool = False
    left: str = ""
    mounts: dict[Id, MountView] = {}
    aboard: Id = ""
    order: Id = ""
    attached: Id = ""


class AssetView(Struct, frozen=True, gc=False):
    """What a side has off the table: its name, and the lines of its card by their labels."""

    name: str
    card: dict[str, CardLine]


class SideView(Struct, frozen=True, gc=False):
    """A side: its name, letter and base shape ("circle", "square", "diamond", "hexagon"), its seat, its deployment zone, and
    what it has off the table (`assets`), as far as that may be known.
    """

    name: str
    letter: str
    shape: str
    seat: Id
    zone: tuple[Point, ...]
    assets: dict[Id, AssetView] = {}


class SeatView(Struct, frozen=True, gc=False):
    """A seat: who sits there ("" while it is free), whether its randomness is in, whether it is being asked, and whether its
    sealed answer is in. `force` names the force that it brought instead of the scenario's ("" for the scenario's), `brings`
    lists that force's units, where they may be known. `take_back` says whether its last decision can be taken back: freely,
    with the others' consent, or ("") not at all. `conceded`: it has given up; its decisions are made by their defaults. `program`
    is the program that holds it ("" for a player); `lent` names the player who has handed it over to that program, and can have
    it back ("": it was the program's from the beginning). `key` is the player's key that the seat is tied to ("": to none).
    """

    side: Id
    name: str = ""
    ready: bool = False
    asked: bool = False
    sealed: bool = False
    force: str = ""
    brings: tuple[str, ...] = ()
    take_back: Literal["", "free", "consent"] = ""
    conceded: bool = False
    program: Id = ""
    lent: str = ""
    key: str = ""


class ObjectiveView(Struct, frozen=True, gc=False):
    """An objective marker, the radius in which it is held, and the side that holds it now ("" for none)."""

    name: str
    at: Point
    radius: Mil
    held_by: Id = ""


Ending = Literal["rules", "concession", "agreement", "time", "abandonment", "operator"]
"""What ended a match: the rules (by the scenario's victory conditions, or nothing left), its players and their clocks, or the
operator of its server.
"""


class ResultView(Struct, frozen=True, gc=False):
    """How the match ended: the winning side ("" for a draw), the reason in a sentence, the rule behind it ("" where `how` says
    it), and what ended it.
    """

    winner: Id
    reason: str
    rule: Id
    how: Ending = "rules"


class DeckView(Struct, frozen=True, gc=False):
    """A deck of cards that says which unit activates next: how many cards of each side are left in it, and the units whose
    cards have been drawn this turn, in their order. `rule` is the rule behind it. `others` are the cards left that are no unit's;
    `drawn` names such cards, too. The edition's words say what they are, or `SpecialCards` of those that name a unit or a side.
    """

    left: dict[Id, int]
    drawn: tuple[Id, ...]
    rule: str = ""
    others: tuple[Id, ...] = ()


class SpecialCard(Struct, frozen=True, gc=False):
    """A card that names a unit or a side: `word` says what it is, in the edition's words; `unit` or `side` is what it names."""

    word: Id
    unit: Id = ""
    side: Id = ""


class SpecialCards(Struct, frozen=True, gc=False):
    """Of a deck, the cards that name a unit or a side, by their ids, and the drawn cards that lie `aside` until they are used."""

    named: dict[Id, SpecialCard]
    aside: tuple[Id, ...]


class Aim(Struct, frozen=True, gc=False):
    """How a match is won, in sentences, and how it stands; "" before the battle and after its end. `rule` says so."""

    how: str
    stands: str = ""
    rule: Id = ""


class ImpactView(Struct, frozen=True, gc=False):
    """Where something struck the table, until the next activation: the unit that fired or called fire, the point that it aimed
    at, the point that it struck (the same one, unless it went astray), and the radius of what it affected there. `rule` is the
    rule behind it. Of what is `called` and has not struck the point is the one that was called.
    """

    unit: Id
    aimed: Point
    struck: Point
    radius: Mil
    rule: Id = ""
    called: bool = False


class NextMatch(Struct, frozen=True, gc=False):
    """The next match of the same players: its id, and the seat in it of each player's seat in this one. A player sits down there
    with the invite that `client_protocol.next_match` works out: the hexadecimal SHA-256 of `next match`, the hexadecimal SHA-256
    of the seat's token in this match, and the id, with a zero byte between them.
    """

    match: Id
    seats: dict[Id, Id]


class View(Struct, frozen=True, gc=False):
    """Everything an audience sees of a match, apart from the table, the words and its prompt (see `Snapshot`). `terrain` are
    the pieces that came about in play, `gone` those that were taken away, `offers` what players offer each other, `deck` the
    cards by which units activate in a match that is played with cards, `special_cards` what those say that are no unit's,
    `impact` where something struck last, `aim` how the match is won. `advice`: players may ask the computer what it would do
    (`AskAdvice`). `next` is the next match of the same players. `concludes` is when the server concludes the match unless it is
    played before, in milliseconds since 1970 (0: no date was told). `league` is the league for which it was made ("": for none).
    """

    title: str
    turn: int
    turn_limit: int
    phase: str
    active_side: Id
    active_unit: Id
    sides: dict[Id, SideView]
    seats: dict[Id, SeatView]
    units: dict[Id, UnitView]
    objectives: dict[Id, ObjectiveView]
    result: ResultView | None = None
    terrain: dict[Id, TerrainView] = {}
    gone: tuple[Id, ...] = ()
    clock: ClockView | None = None
    offers: dict[Id, OfferView] = {}
    deck: DeckView | None = None
    impact: ImpactView | None = None
    special_cards: SpecialCards | None = None
    advice: bool = False
    aim: Aim | None = None
    next: NextMatch | None = None
    concludes: int = 0
    league: str = ""


class Word(Struct, frozen=True, gc=False):
    """A condition or phase key in words: label, what it does, the rule. Figures with a condition that is `apart` stand away from
    their unit.
    """

    label: str
    text: str
    rule: Id = ""
    apart: bool = False


class Die(Struct, frozen=True, gc=False, array_like=True):
    """A die as it fell: sides, face, and what it came to ("pass", "fail", "kept", "hit", "kill", "" for nothing special)."""

    sides: int
    face: int
    mark: str = ""


Channel = Literal["table", "side", "spectators"]
"""Who hears a line of chat: all audiences; the speaker's own side; the spectators (all audiences once the match is over)."""


class Trail(Struct, frozen=True, gc=False, omit_defaults=True):
    """The ways of figures of a unit, by figure id, their starts included: those that they went, or only `declared`."""

    unit: Id
    ways: dict[Id, tuple[Point, ...]]
    declared: bool = False


class Story(Struct, frozen=True, gc=False, omit_defaults=True):
    """One line of the log, in this audience's form. `kind` is for an icon ("roll", "move", "fire", "assault", "morale",
    "loss", "turn", "chat", "deploy", "end", "seat", "back", "clock", "offer"); `numbers` explain the number the dice were held
    against or made. Of chat, `text` is what was said, `channel` who hears it and `speaker` who said it: a seat's id, or "" and
    the `name` of a spectator. `at` is the moment in milliseconds since 1970 (0: not told). `trail` is what the table shows of
    a move that may come less far than it was declared.
    """

    kind: str
    text: str
    rule: Id = ""
    side: Id = ""
    units: tuple[Id, ...] = ()
    dice: tuple[Die, ...] = ()
    numbers: tuple[Explained, ...] = ()
    die_index: int = -1
    channel: Channel | None = None
    speaker: Id = ""
    name: str = ""
    at: int = 0
    trail: Trail | None = None
