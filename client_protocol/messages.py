"""Every message of the wire, a tagged struct each. The first message authenticates; ids are strings; see PROTOCOL.md."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from client_protocol.choices import Prompt, Values
from client_protocol.clocks import ClockTerms
from client_protocol.explained import Explained
from client_protocol.forces import Force, ForceReport
from client_protocol.luck import LuckRow
from client_protocol.shapes import Angle, ChatText, Hex32, Id, Name, Point, Secret, Sequence
from client_protocol.view import Channel, ResultView, Story, TableView, View, Word

OptionValue = Id | Annotated[int, Meta(ge=-1_000_000, le=1_000_000)] | bool
"""What an option of an edition is set to: the key of a choice, a number, or yes or no."""

# --- from a client --------------------------------------------------------------------------------------------------


class _FromClient(Struct, frozen=True, forbid_unknown_fields=True):
    """What all of a client's messages share: unknown fields are refused."""


class EnterLobby(_FromClient, frozen=True, tag="enter_lobby"):
    """First message of a start page: answered by `Welcome`, then `Matches` now and whenever they change. `matches` are one's own,
    which are told of even where they are not listed.
    """

    protocol: int
    matches: Annotated[tuple[Id, ...], Meta(max_length=100)] = ()


class EnterMatch(_FromClient, frozen=True, tag="enter_match"):
    """First message of a table: sit down with a seat's `token`, or watch (no token; `name` is what a watcher wants to be
    called). Answered by `Welcome`, then by the `Update`s missed since `since` or by a `Snapshot`.
    """

    protocol: int
    match: Id
    token: Secret = ""
    since: Sequence = -1
    name: Annotated[str, Meta(max_length=40)] = ""


class ForkPoint(Struct, frozen=True, forbid_unknown_fields=True):
    """A moment of a match: after the frame `frame` of the audience `view` (a seat, "" for watchers, "*" for everything).
    `token` is the seat's, for a seat's view of a match that is not over.
    """

    match: Id
    view: Id
    frame: Sequence
    token: Secret = ""


class MakeMatch(_FromClient, frozen=True, tag="make_match"):
    """Make a match. `mine` are the seats the maker takes at once (all of them: hot-seat), `forces` what they bring instead of the
    scenario's forces, by seat. It begins as `scenario` says; or, where `fork` is given, from that moment of another match; or,
    where `setup` names an upload, from that setup file. Edition, scenario and options are then those of the position, and are
    not looked at. Answered by `MatchMade`.
    """

    id: Id
    edition: Id
    scenario: Id
    name: Name
    mine: Annotated[tuple[Id, ...], Meta(max_length=8)]
    options: Annotated[dict[Id, OptionValue], Meta(max_length=60)] = {}
    listed: bool = True
    forces: Annotated[dict[Id, Force], Meta(max_length=8)] = {}
    clock: ClockTerms | None = None
    fork: ForkPoint | None = None
    setup: Id = ""


class Upload(_FromClient, frozen=True, tag="upload"):
    """A part of something too large for one message: part `part` of `of` (counted from 0) of the upload that the client calls
    `upload`, in order. Parts are kept as long as the connection is. Answered by `Accepted`.
    """

    id: Id
    upload: Id
    part: Annotated[int, Meta(ge=0, le=4096)]
    of: Annotated[int, Meta(ge=1, le=4096)]
    data: Annotated[bytes, Meta(max_length=12_000)]


class CheckSetup(_FromClient, frozen=True, tag="check_setup"):
    """What position does the uploaded setup file describe? Answered by `SetupChecked`."""

    id: Id
    upload: Id


class ImportMatch(_FromClient, frozen=True, tag="import_match"):
    """Take in the uploaded match file. Answered by `MatchMade`, with an invite for each seat of a match that is not over."""

    id: Id
    upload: Id


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


class GhostPlaces(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a unit is imagined to be: places of its figures, and facings of those that have one."""

    places: Annotated[dict[Id, Point], Meta(max_length=60)]
    facings: Annotated[dict[Id, Angle], Meta(max_length=60)] = {}


class Imagine(_FromClient, frozen=True, tag="imagine"):
    """What would `unit` see, and what could it do, if units of one's own stood at `ghosts`? Computed from what the seat may know,
    never logged, told to nobody. Answered by `Imagined`.
    """

    id: Id
    unit: Id
    ghosts: Annotated[dict[Id, GhostPlaces], Meta(max_length=40)]


class TakeBack(_FromClient, frozen=True, tag="take_back"):
    """Take back one's last decision, or all since the frame `frame`: at once where that is free, else when all others consent.
    Answered by `Accepted`.
    """

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    frame: Sequence = -1


class MakeOffer(_FromClient, frozen=True, tag="offer"):
    """Offer the others a draw, a pause of the clocks, their going on, or another clock (None: none). Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    kind: Literal["draw", "pause", "resume", "clock"]
    clock: ClockTerms | None = None


class Respond(_FromClient, frozen=True, tag="respond"):
    """Accept an open offer, or turn it down (one's own: withdraw it). Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    offer: Id
    accept: bool


class Concede(_FromClient, frozen=True, tag="concede"):
    """Give up. Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]


class Claim(_FromClient, frozen=True, tag="claim"):
    """Claim the game, because another's time is up or nobody has been there for too long. Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]


class Say(_FromClient, frozen=True, tag="say"):
    """A line of chat. Seats speak at the table or to their own side, whoever watches to those who watch. Answered by
    `Accepted`.
    """

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    text: ChatText
    channel: Channel = "table"


class Report(_FromClient, frozen=True, tag="report"):
    """Report the chat of the frame `frame` to whoever runs this server. Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    frame: Sequence
    reason: ChatText


class Replay(_FromClient, frozen=True, tag="replay"):
    """The match from its beginning as an audience saw it, from after the frame `after` on: `view` is one's own audience, or, of a
    match that is over, any, or "*" for all there is. Answered by `ReplayPart`.
    """

    id: Id
    view: Id
    after: Sequence = -1


class Ledger(_FromClient, frozen=True, tag="ledger"):
    """What luck each roll of a match that is over had. Answered by `LuckLedger`."""

    id: Id


class ExportText(_FromClient, frozen=True, tag="export_text"):
    """The match so far as a text to read, as the audience may know it. Answered by `Exported`."""

    id: Id


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
    | Upload
    | CheckSetup
    | ImportMatch
    | TakeSeat
    | CheckForce
    | CommitRandomness
    | RevealRandomness
    | Answer
    | Inquire
    | Order
    | Look
    | Imagine
    | TakeBack
    | MakeOffer
    | Respond
    | Concede
    | Claim
    | Say
    | Report
    | Recall
    | Replay
    | Ledger
    | ExportSetup
    | ExportText
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


class Score(Struct, frozen=True, array_like=True):
    """How a seat stands: figures left, figures it began with, objectives held."""

    seat: Id
    left: int
    of: int
    objectives: int = 0


class MatchInfo(Struct, frozen=True):
    """A match in the list of the start page. `state` is open (a seat is free), running or over; `seats` are
    (seat, side's name, player or ""). `since` is when whoever decides was asked, or when it ended (ms since 1970).
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
    since: int = 0
    score: tuple[Score, ...] = ()
    clock: ClockTerms | None = None
    watching: int = 0
    turn_limit: int = 0


class Welcome(Struct, frozen=True, tag="welcome"):
    """The first answer: the protocol's number, the software's version, what can be played. `now` is the server's time in
    milliseconds since 1970, `up` the milliseconds in which a server was up, by which clocks run. `abandoned` says what becomes
    of a match without a clock in which nobody decides, in a sentence.
    """

    protocol: int
    version: str
    now: int
    editions: tuple[EditionInfo, ...] = ()
    up: int = 0
    abandoned: str = ""


class Matches(Struct, frozen=True, tag="matches"):
    """The listed matches, newest first, to a start page; `mine` are those of its `EnterLobby.matches` that are not listed."""

    matches: tuple[MatchInfo, ...]
    mine: tuple[MatchInfo, ...] = ()


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


class SetupChecked(Struct, frozen=True, tag="setup_checked"):
    """What position an uploaded setup describes, drawn as a match's would be; or, in `problem`, why it describes none."""

    id: Id
    problem: str = ""
    edition: Id = ""
    view: View | None = None
    table: TableView | None = None
    words: dict[str, Word] = {}


class Snapshot(Struct, frozen=True, tag="snapshot"):
    """The whole of what an audience sees, at the frame `seq` of its own sequence. `seat` is "" for spectators.

    `commitment` is the SHA-256 of the server's dice secret; `committed` and `revealed` name the seats whose digest or
    randomness is in; `prompt` is this seat's open prompt. `orders` are the standing orders that units can be given, by key;
    `origin` says in a sentence where a match comes from that was not begun from a scenario ("" for one that was).
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
    origin: str = ""


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


class ReplayFrame(Struct, frozen=True, omit_defaults=True):
    """A frame of a replay: what was seen and told then. `at` is the moment in milliseconds since 1970, `turn` the turn it belongs
    to. Where something was taken back, `back` is the frame to which the match returned.
    """

    seq: Sequence
    at: int
    turn: int
    patch: dict[str, Any] = {}
    story: tuple[Story, ...] = ()
    back: Sequence = -1


class ReplayPart(Struct, frozen=True, tag="replay_part"):
    """Frames of a replay, in order; `start` is how the match began, before the first frame (first part only). `more` says
    that there are further ones by now, `last` is the last one's number.
    """

    id: Id
    frames: tuple[ReplayFrame, ...]
    last: Sequence
    more: bool
    start: Snapshot | None = None


class LuckLedger(Struct, frozen=True, tag="luck"):
    """What luck each roll had, in order."""

    id: Id
    rolls: tuple[LuckRow, ...]


class Imagining(Struct, frozen=True):
    """What a unit would see of another one, and the odds of what it could do to it, from where it is imagined to be."""

    target: Id
    sight: Sight
    previews: tuple[Preview, ...] = ()


class Imagined(Struct, frozen=True, tag="imagined"):
    """The answer to `Imagine`: one entry for each other unit on the table. `problems` say where nobody could stand."""

    id: Id
    unit: Id
    targets: tuple[Imagining, ...]
    problems: tuple[str, ...] = ()


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
    """The link is alive; `now` is the server's time in milliseconds since 1970, `up` its up-time (see `Welcome`)."""

    id: Id
    now: int
    up: int = 0


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
    | SetupChecked
    | Snapshot
    | Update
    | Accepted
    | Refused
    | Preview
    | Sight
    | Imagined
    | History
    | ReplayPart
    | LuckLedger
    | Exported
    | Status
    | Pong
    | Goodbye
)
