"""Every message of the wire, a tagged struct each. The first message authenticates; ids are strings; see PROTOCOL.md."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from client_protocol.choices import Prompt, Values
from client_protocol.explained import Explained
from client_protocol.forces import Force, ForceReport
from client_protocol.shapes import ChatText, Hex32, Id, Name, Point, Secret, Sequence
from client_protocol.view import ResultView, Story, TableView, View, Word

OptionValue = str | int | bool

# --- from a client --------------------------------------------------------------------------------------------------


class _FromClient(Struct, frozen=True, forbid_unknown_fields=True):
    """What all of a client's messages share: unknown fields are refused."""


class EnterLobby(_FromClient, frozen=True, tag="enter_lobby"):
    """First message of a start page: answered by `Welcome`, then `Matches` now and whenever they change."""

    protocol: int


class EnterMatch(_FromClient, frozen=True, tag="enter_match"):
    """First message of a table: sit down with a seat's `token`, or watch (no token). Answered by `Welcome`, then by the
    `Update`s missed since `since` or by a `Snapshot`.
    """

    protocol: int
    match: Id
    token: Secret = ""
    since: Sequence = -1


class MakeMatch(_FromClient, frozen=True, tag="make_match"):
    """Make a match. `mine` are the seats the maker takes at once (all of them: hot-seat), `forces` what they bring instead of the
    scenario's forces, by seat. Answered by `MatchMade`.
    """

    id: Id
    edition: Id
    scenario: Id
    name: Name
    mine: Annotated[tuple[Id, ...], Meta(max_length=8)]
    options: Annotated[dict[Id, OptionValue], Meta(max_length=60)] = {}
    listed: bool = True
    forces: Annotated[dict[Id, Force], Meta(max_length=8)] = {}


class TakeSeat(_FromClient, frozen=True, tag="take_seat"):
    """Take a free seat with its invite (or without one when the match is listed as open), and bring a `force` (none: the
    scenario's). Answered by `SeatTaken`.
    """

    id: Id
    match: Id
    seat: Id
    name: Name
    invite: Secret = ""
    force: Force | None = None


class CheckForce(_FromClient, frozen=True, tag="check_force"):
    """What do the rules say of this force, under these options? Answered by `ForceChecked` or `Refused`."""

    id: Id
    force: Force
    options: Annotated[dict[Id, OptionValue], Meta(max_length=60)] = {}


class CommitRandomness(_FromClient, frozen=True, tag="commit"):
    """A seat's commitment to its share of the dice: the SHA-256 of its 32 random bytes."""

    id: Id
    digest: Hex32


class RevealRandomness(_FromClient, frozen=True, tag="reveal"):
    """A seat's 32 random bytes, once every seat has committed."""

    id: Id
    randomness: Hex32


class Answer(_FromClient, frozen=True, tag="answer"):
    """The answer to an open prompt. `id` is the client's own: sent again after a lost connection it gets its first result."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    prompt: Id
    choice: Id
    values: Values = ()


class Inquire(_FromClient, frozen=True, tag="inquire"):
    """What would come of a choice, from what the seat may know; never logged. Answered by `Preview` or `Refused`."""

    id: Id
    prompt: Id
    choice: Id
    values: Values = ()


class Order(_FromClient, frozen=True, tag="order"):
    """Give a unit of one's own a standing order, a key of the snapshot's `orders`, unseen by others. Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    unit: Id
    order: Id


class Look(_FromClient, frozen=True, tag="look"):
    """Lines of sight from a unit to another one, as things stand. Answered by `Sight`."""

    id: Id
    unit: Id
    target: Id


class Say(_FromClient, frozen=True, tag="say"):
    """A line of chat. Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    text: ChatText


class Recall(_FromClient, frozen=True, tag="recall"):
    """The story before the frame `before` (at most 200 frames). Answered by `History`."""

    id: Id
    before: Sequence


class ExportSetup(_FromClient, frozen=True, tag="export_setup"):
    """The position as the audience may know it, as a setup file. Answered by `Exported`."""

    id: Id


class Ping(_FromClient, frozen=True, tag="ping"):
    """Is the link alive? Answered by `Pong`."""

    id: Id


ClientMessage = (
    EnterLobby
    | EnterMatch
    | MakeMatch
    | TakeSeat
    | CheckForce
    | CommitRandomness
    | RevealRandomness
    | Answer
    | Inquire
    | Order
    | Look
    | Say
    | Recall
    | ExportSetup
    | Ping
)

# --- from the server ------------------------------------------------------------------------------------------------


class OptionChoice(Struct, frozen=True):
    """A value an option may have, and what it means in a sentence."""

    value: OptionValue
    label: str


class OptionInfo(Struct, frozen=True):
    """An option of an edition: id, title, what it may be, what it is when nothing is said, the rule behind it."""

    id: Id
    title: str
    choices: tuple[OptionChoice, ...]
    default: OptionValue
    rule: Id = ""


class ScenarioInfo(Struct, frozen=True):
    """A scenario: its name, a summary, about how many minutes it takes, its seats as (seat, side's name)."""

    id: Id
    name: str
    summary: str
    minutes: int
    seats: tuple[tuple[Id, str], ...]
    defaults: dict[Id, OptionValue] = {}


class EditionInfo(Struct, frozen=True):
    """An edition that can be played here: its options and scenarios. Its rule reference is at `/rules/<id>.json`; if `forces`,
    one may bring a force, and what it is put together from, and ready ones, are at `/forces/<id>.json`.
    """

    id: Id
    name: str
    options: tuple[OptionInfo, ...]
    scenarios: tuple[ScenarioInfo, ...]
    forces: bool = False


class MatchInfo(Struct, frozen=True):
    """A match in the list of the start page. `state` is open (a seat is free), running or over; `seats` are
    (seat, side's name, player or "").
    """

    match: Id
    title: str
    edition: Id
    state: Literal["open", "running", "over"]
    turn: int
    made_at: int
    seats: tuple[tuple[Id, str, str], ...]
    deciding: tuple[Id, ...] = ()
    result: ResultView | None = None


class Welcome(Struct, frozen=True, tag="welcome"):
    """The first answer: the protocol's number, the software's version, what can be played. `now` is the server's time in
    milliseconds.
    """

    protocol: int
    version: str
    now: int
    editions: tuple[EditionInfo, ...] = ()


class Matches(Struct, frozen=True, tag="matches"):
    """The listed matches, newest first, to a start page."""

    matches: tuple[MatchInfo, ...]


class Pass(Struct, frozen=True):
    """A way into a match: a seat with either its `token` (it is yours) or its `invite` (to give away)."""

    seat: Id
    token: Secret = ""
    invite: Secret = ""


class MatchMade(Struct, frozen=True, tag="match_made"):
    """The match that `MakeMatch` made, with the tokens of the maker's seats and the invites for the others."""

    id: Id
    match: Id
    passes: tuple[Pass, ...]


class SeatTaken(Struct, frozen=True, tag="seat_taken"):
    """The seat is yours: keep the token."""

    id: Id
    match: Id
    seat: Id
    token: Secret


class ForceChecked(Struct, frozen=True, tag="force_checked"):
    """What the rules say of the force of `CheckForce`."""

    id: Id
    report: ForceReport


class Snapshot(Struct, frozen=True, tag="snapshot"):
    """The whole of what an audience sees, at the frame `seq` of its own sequence. `seat` is "" for spectators.

    `commitment` is the SHA-256 of the server's dice secret; `committed` and `revealed` name the seats whose digest or
    randomness is in; `prompt` is this seat's open prompt. `orders` are the standing orders that units can be given, by key.
    """

    seq: Sequence
    match: Id
    seat: Id
    edition: Id
    view: View
    table: TableView
    words: dict[str, Word]
    commitment: Hex32
    prompt: Prompt | None = None
    committed: tuple[Id, ...] = ()
    revealed: tuple[Id, ...] = ()
    orders: dict[Id, Word] = {}


class Update(Struct, frozen=True, tag="update", omit_defaults=True):
    """One frame: `patch` is a merge patch (RFC 7396) on the view, `story` what happened, in order.

    `prompt` is this seat's open prompt, sent when it changes; `closed` says that the one before is closed.
    """

    seq: Sequence
    patch: dict[str, Any] = {}
    story: tuple[Story, ...] = ()
    prompt: Prompt | None = None
    closed: bool = False
    committed: tuple[Id, ...] | None = None
    revealed: tuple[Id, ...] | None = None


class Accepted(Struct, frozen=True, tag="accepted"):
    """The message `id` was taken, and is on the log for good; `seq` is its frame in this audience's sequence."""

    id: Id
    seq: Sequence = -1


class Refused(Struct, frozen=True, tag="refused"):
    """The message `id` was not taken, and nothing has changed: what was ordered, which rule forbids it, what is allowed.

    `where` marks the place on the table for a path that is not legal.
    """

    id: Id
    code: str
    sentence: str
    rule: Id = ""
    where: Point | None = None
    figure: Id = ""


class Chance(Struct, frozen=True):
    """A line of odds: a label, its value in words ("1.7 hits"), and its probability where it has one (in 1/10,000)."""

    label: str
    value: str
    per_myriad: int = -1


class Preview(Struct, frozen=True, tag="preview"):
    """What would come of a choice: the dice, the numbers with their lines, the odds."""

    id: Id
    title: str
    dice: str = ""
    numbers: tuple[tuple[str, Explained], ...] = ()
    chances: tuple[Chance, ...] = ()
    notes: tuple[str, ...] = ()


class SightRay(Struct, frozen=True):
    """A line from a figure to a figure of the target: clear, or blocked by a terrain piece; the target figure's cover."""

    figure: Id
    target: Id
    clear: bool
    start: Point
    end: Point
    blocked_by: Id = ""
    cover: str = ""


class Sight(Struct, frozen=True, tag="sight"):
    """Which figures see which, the nearest gap between the two units, and the words for it."""

    id: Id
    unit: Id
    target: Id
    distance: int
    rays: tuple[SightRay, ...]
    summary: str


class Remembered(Struct, frozen=True):
    """A frame's story, in `History`."""

    seq: Sequence
    story: tuple[Story, ...]


class History(Struct, frozen=True, tag="history"):
    """The story of earlier frames, oldest first; `more` says that there are still earlier ones."""

    id: Id
    frames: tuple[Remembered, ...]
    more: bool = False


class Exported(Struct, frozen=True, tag="exported"):
    """A file's name and text."""

    id: Id
    filename: str
    text: str


class Status(Struct, frozen=True, tag="status"):
    """Whether this server can take answers: `live`, or `read_only` while its database is away, since `since` (ms)."""

    state: Literal["live", "read_only"]
    since: int
    sentence: str = ""


class Pong(Struct, frozen=True, tag="pong"):
    """The link is alive; `now` is the server's time in milliseconds."""

    id: Id
    now: int


class Goodbye(Struct, frozen=True, tag="goodbye"):
    """The server is going to close the connection, and why. `again` says whether connecting anew is of use."""

    code: str
    sentence: str
    again: bool


ServerMessage = (
    Welcome
    | Matches
    | MatchMade
    | SeatTaken
    | ForceChecked
    | Snapshot
    | Update
    | Accepted
    | Refused
    | Preview
    | Sight
    | History
    | Exported
    | Status
    | Pong
    | Goodbye
)
