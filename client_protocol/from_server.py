"""What the server sends: every message, a tagged struct each, and what they carry; see PROTOCOL.md."""

from __future__ import annotations

from typing import Any, Literal

from msgspec import Struct

from client_protocol.campaigns import RosterView
from client_protocol.choices import Prompt, Values
from client_protocol.clocks import ClockTerms
from client_protocol.explained import Explained
from client_protocol.forces import Conversion, ForceReport
from client_protocol.leagues import LeagueSummary, LeagueView
from client_protocol.luck import LuckRow
from client_protocol.players import NoticeSettings, PlayersSeat, PublicPlayer
from client_protocol.shapes import Head, Hex32, Id, OptionValue, Point, Secret, Sequence
from client_protocol.view import ResultView, Story, TableView, View, Word


class OptionChoice(Struct, frozen=True, gc=False):
    """A value an option may have, and what it means in a sentence."""

    value: OptionValue
    label: str


class OptionInfo(Struct, frozen=True, gc=False):
    """An option of an edition: id, title, what it may be, what it is when nothing is said, the rule behind it, and the
    heading of the group in which a page shows it, where options are many. Options of a group follow each other.
    """

    id: Id
    title: str
    choices: tuple[OptionChoice, ...]
    default: OptionValue
    rule: Id = ""
    group: str = ""


class Balance(Struct, frozen=True, gc=False):
    """How evenly a scenario is won: of so many `games` between equals (the program `program` on all sides) how many each seat
    `won`; the others were drawn.
    """

    games: int
    won: dict[Id, int]
    program: Id


class Lesson(Struct, frozen=True, gc=False):
    """An explanation of a prompt that offers all of `choices` (keys, up to a colon). In its text `{key}` stands for that choice
    as the prompt calls it, and `{prompt}` for the prompt's title.
    """

    choices: tuple[Id, ...]
    title: str
    text: str


class ScenarioInfo(Struct, frozen=True, gc=False):
    """A scenario: its name, a summary, about how many minutes it takes, its seats as (seat, side's name), and how evenly it is
    won, if that was measured.
    """

    id: Id
    name: str
    summary: str
    minutes: int
    seats: tuple[tuple[Id, str], ...]
    defaults: dict[Id, OptionValue] = {}
    balance: Balance | None = None


class Guide(Struct, frozen=True, gc=False):
    """A guided battle: a match of a scenario of its own against a program, whose prompts are explained."""

    scenario: ScenarioInfo
    lessons: tuple[Lesson, ...]


class EditionInfo(Struct, frozen=True, gc=False):
    """An edition that can be played here: its options and scenarios. Its rule reference is at `/rules/<id>.json`. If
    `forces`, players may bring forces; the form for them and ready ones are at `/forces/<id>.json`. `programs` are those that
    can hold a seat of its matches: "uncontrolled" plays a side by the rules' own method. `guide` is its guided battle, if it
    has one, and `about` says in a sentence what its battles are like. `campaign` is what a league may settle of what happens to
    forces between battles; None if the edition has no rules for that.
    """

    id: Id
    name: str
    options: tuple[OptionInfo, ...]
    scenarios: tuple[ScenarioInfo, ...]
    forces: bool = False
    programs: tuple[Id, ...] = ()
    guide: Guide | None = None
    about: str = ""
    campaign: tuple[OptionInfo, ...] | None = None


class Score(Struct, frozen=True, gc=False, array_like=True):
    """How a seat stands: figures left, figures it began with, objectives held."""

    seat: Id
    left: int
    of: int
    objectives: int = 0


class MatchSummary(Struct, frozen=True, gc=False):
    """A match in the list of the start page. `state` is open (a seat is free), running or over; `seats` are
    (seat, side's name, player or ""). `since` is when the seats to decide were asked, or when the match ended (ms since 1970).
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
    spectators: int = 0
    turn_limit: int = 0


class ProgramInfo(Struct, frozen=True, gc=False):
    """A program that can play a seat: its name for `MakeMatch.programs`, its name and a sentence about it for players."""

    id: Id
    name: str
    summary: str


class Welcome(Struct, frozen=True, gc=False, tag="welcome"):
    """The first answer: the protocol's number, the software's version, what can be played, and against which programs. `now` is
    the server's time in milliseconds since 1970, `up` the milliseconds in which a server was up, by which clocks run. `abandoned`
    is a sentence on the operator's policy for stalled matches without a clock.
    """

    protocol: int
    version: str
    now: int
    editions: tuple[EditionInfo, ...] = ()
    up: int = 0
    abandoned: str = ""
    programs: tuple[ProgramInfo, ...] = ()


class Matches(Struct, frozen=True, gc=False, tag="matches"):
    """The first page of the listed matches, to a start page: open ones first, then those that are running, then those that are
    over, each the newest first. `more` says whether there are more (see `MoreMatches`). `mine` are those of its
    `EnterLobby.matches` that are not on this page.
    """

    matches: tuple[MatchSummary, ...]
    mine: tuple[MatchSummary, ...] = ()
    more: bool = False


class MatchesChanged(Struct, frozen=True, gc=False, tag="matches_changed"):
    """The changes since the `Matches` and `MatchesChanged` before: matches that have come to the first page or changed there
    (`changed`), changes among the receiver's own (`mine`), and matches that are no longer on either (`gone`).
    """

    changed: tuple[MatchSummary, ...] = ()
    gone: tuple[Id, ...] = ()
    mine: tuple[MatchSummary, ...] = ()
    more: bool = False


class Exhibition(Struct, frozen=True, gc=False, tag="exhibition"):
    """The answer to `AskExhibition`: the match, to be watched like any other. It is removed some time after its end."""

    id: Id
    match: Id


class Moment(Struct, frozen=True, gc=False):
    """A moment of a recorded match: the frames `first` to `last` of its all-seeing replay, and what happens there, as a title and
    a sentence.
    """

    match: Id
    edition: Id
    title: str
    sentence: str
    first: Sequence
    last: Sequence


class Moments(Struct, frozen=True, gc=False, tag="moments"):
    """The answer to `AskMoments`. Each match can be replayed and taken home like any other that is over."""

    id: Id
    moments: tuple[Moment, ...]


class MatchPage(Struct, frozen=True, gc=False, tag="match_page"):
    """More of the listed matches, as they stand now; `more` says whether there are still more."""

    id: Id
    matches: tuple[MatchSummary, ...]
    more: bool = False


class Pass(Struct, frozen=True, gc=False):
    """A way into a match: a seat with either its `token` (it is yours) or its `invite` (to give away)."""

    seat: Id
    token: Secret = ""
    invite: Secret = ""


class MatchMade(Struct, frozen=True, gc=False, tag="match_made"):
    """The match that `MakeMatch` made, with the tokens of the maker's seats and the invites for the others."""

    id: Id
    match: Id
    passes: tuple[Pass, ...]


class SeatTaken(Struct, frozen=True, gc=False, tag="seat_taken"):
    """The seat is yours: keep the token."""

    id: Id
    match: Id
    seat: Id
    token: Secret


class Challenge(Struct, frozen=True, gc=False, tag="challenge"):
    """What the key of `Introduce` has to sign: thirty-two random bytes in hexadecimal, good for one try on this connection."""

    id: Id
    challenge: Hex32


class Introduced(Struct, frozen=True, gc=False, tag="introduced"):
    """This server knows the player: how they are told of decisions that wait, the key for push subscriptions here (`push_key`, ""
    where none is sent), whether players have topics at the feed's broker (`topics`), and tokens for the seats that are tied to
    the key.
    """

    id: Id
    player: PublicPlayer
    notices: NoticeSettings
    push_key: str = ""
    topics: bool = False
    seats: tuple[PlayersSeat, ...] = ()


class NoticesSet(Struct, frozen=True, gc=False, tag="notices_set"):
    """The settings stand; `faults` says in a sentence each what went wrong when they were tried."""

    id: Id
    faults: tuple[str, ...] = ()


class TopicGiven(Struct, frozen=True, gc=False, tag="topic_given"):
    """The player's own topic at the feed's broker, the user and password with which it can be read, and the address for browsers
    ("" for none). The password is told once, and the one before is good no more.
    """

    id: Id
    topic: str
    user: Id
    password: Secret
    address: str = ""


class PlayerFound(Struct, frozen=True, gc=False, tag="player_found"):
    """Who the player of `AskPlayer` is."""

    id: Id
    player: PublicPlayer


class Leagues(Struct, frozen=True, gc=False, tag="leagues"):
    """The leagues that the asker may see, the newest first, and the ids of their own. Where there are older ones, `more` is the
    `after` that asks for them (0: there are none).
    """

    id: Id
    leagues: tuple[LeagueSummary, ...]
    own: tuple[Id, ...] = ()
    more: int = 0


class LeagueShown(Struct, frozen=True, gc=False, tag="league_shown"):
    """A league, as the asker may see it now."""

    id: Id
    league: LeagueView


class RosterShown(Struct, frozen=True, gc=False, tag="roster_shown"):
    """The roster of a player of a league, as the asker may see it now."""

    id: Id
    league: Id
    roster: RosterView


class FixtureSeat(Struct, frozen=True, gc=False, tag="fixture_seat"):
    """A player's seat in the match of a fixture. It is taken with the `invite`; where it is tied to the player's key already, the
    `token` is for it.
    """

    id: Id
    match: Id
    seat: Id
    invite: Secret
    token: Secret = ""


class ForceChecked(Struct, frozen=True, gc=False, tag="force_checked"):
    """What the rules say of the force of `CheckForce`."""

    id: Id
    report: ForceReport


class ForceConverted(Struct, frozen=True, gc=False, tag="force_converted"):
    """The outcome of `ConvertForce`."""

    id: Id
    conversion: Conversion


class SetupChecked(Struct, frozen=True, gc=False, tag="setup_checked"):
    """What position an uploaded setup describes, drawn as a match's would be; or, in `problem`, why it describes none."""

    id: Id
    problem: str = ""
    edition: Id = ""
    view: View | None = None
    table: TableView | None = None
    words: dict[str, Word] = {}


class Snapshot(Struct, frozen=True, gc=False, tag="snapshot"):
    """The whole of what an audience sees, at the frame `seq` of its own sequence. `seat` is "" for spectators.

    `commitment` is the SHA-256 of the server's dice secret; `committed` and `revealed` name the seats whose digest or
    randomness is in; `prompt` is this seat's open prompt. `orders` are the standing orders that units can be given, by key;
    `origin` says in a sentence where a match comes from that was not begun from a scenario ("" for one that was). `head` is the
    hash of the log's entry that made the frame `seq`: all of the log up to there follows from it (empty in a replay).
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
    head: Head = b""


class Update(Struct, frozen=True, gc=False, tag="update", omit_defaults=True):
    """One frame: `patch` is a merge patch (RFC 7396) on the view, `story` what happened, in order.

    `prompt` is this seat's open prompt, sent when it changes; `closed` says that the one before is closed. `head` is the hash of
    the log's entry that made the frame, as in `Snapshot`; most frames leave it out.
    """

    seq: Sequence
    patch: dict[str, Any] = {}
    story: tuple[Story, ...] = ()
    prompt: Prompt | None = None
    closed: bool = False
    committed: tuple[Id, ...] | None = None
    revealed: tuple[Id, ...] | None = None
    head: Head = b""


class Accepted(Struct, frozen=True, gc=False, tag="accepted"):
    """The message `id` was taken, and is on the log for good; `seq` is its frame in this audience's sequence."""

    id: Id
    seq: Sequence = -1


class Refused(Struct, frozen=True, gc=False, tag="refused"):
    """The message `id` was not taken, and nothing has changed: what was ordered, which rule forbids it, what is allowed.

    `where` marks the place on the table for a path that is not legal. `match` is the one that is there already, where a match
    cannot be imported for that.
    """

    id: Id
    code: str
    sentence: str
    rule: Id = ""
    where: Point | None = None
    figure: Id = ""
    match: Id = ""


class Chance(Struct, frozen=True, gc=False):
    """A line of odds: a label, its value in words ("1.7 hits"), and its probability where it has one (in 1/10,000)."""

    label: str
    value: str
    per_myriad: int = -1


class Preview(Struct, frozen=True, gc=False, tag="preview"):
    """What would come of a choice: the dice, the numbers with their lines, the odds."""

    id: Id
    title: str
    dice: str = ""
    numbers: tuple[tuple[str, Explained], ...] = ()
    chances: tuple[Chance, ...] = ()
    notes: tuple[str, ...] = ()


class Advice(Struct, frozen=True, gc=False, tag="advice"):
    """The answer to `AskAdvice`: the choice and its values as an `Answer` has them, and why, in a sentence."""

    id: Id
    prompt: Id
    choice: Id
    values: Values
    why: str


class SightRay(Struct, frozen=True, gc=False):
    """A line from a figure to a figure of the target: clear, or blocked by a terrain piece; the target figure's cover."""

    figure: Id
    target: Id
    clear: bool
    start: Point
    end: Point
    blocked_by: Id = ""
    cover: str = ""


class Sight(Struct, frozen=True, gc=False, tag="sight"):
    """Which figures see which, the nearest gap between the two units, and the words for it."""

    id: Id
    unit: Id
    target: Id
    distance: int
    rays: tuple[SightRay, ...]
    summary: str


class Remembered(Struct, frozen=True, gc=False):
    """A frame's story, in `History`."""

    seq: Sequence
    story: tuple[Story, ...]


class History(Struct, frozen=True, gc=False, tag="history"):
    """The story of earlier frames, oldest first; `more` says that there are still earlier ones."""

    id: Id
    frames: tuple[Remembered, ...]
    more: bool = False


class ReplayFrame(Struct, frozen=True, gc=False, omit_defaults=True):
    """A frame of a replay: what was seen and told then. `at` is the moment in milliseconds since 1970, `turn` the turn it belongs
    to. Where something was taken back, `back` is the frame to which the match returned.
    """

    seq: Sequence
    at: int
    turn: int
    patch: dict[str, Any] = {}
    story: tuple[Story, ...] = ()
    back: Sequence = -1


class ReplayPart(Struct, frozen=True, gc=False, tag="replay_part"):
    """Frames of a replay, in order; `start` is how the match began, before the first frame (first part only). `more` says
    that there are further ones by now, `last` is the last one's number.
    """

    id: Id
    frames: tuple[ReplayFrame, ...]
    last: Sequence
    more: bool
    start: Snapshot | None = None


class LuckReport(Struct, frozen=True, gc=False, tag="luck_report"):
    """What luck each roll had, in order."""

    id: Id
    rolls: tuple[LuckRow, ...]


class WhatIfTarget(Struct, frozen=True, gc=False):
    """What a unit would see of another one, and the odds of what it could do to it, from where it is imagined to be."""

    target: Id
    sight: Sight
    previews: tuple[Preview, ...] = ()


class WhatIf(Struct, frozen=True, gc=False, tag="what_if"):
    """The answer to `AskWhatIf`: one entry for each other unit on the table. `problems` are places where a unit could not
    stand.
    """

    id: Id
    unit: Id
    targets: tuple[WhatIfTarget, ...]
    problems: tuple[str, ...] = ()


class Exported(Struct, frozen=True, gc=False, tag="exported"):
    """A file's name and text."""

    id: Id
    filename: str
    text: str


class Status(Struct, frozen=True, gc=False, tag="status"):
    """Whether this server can take answers: `live`, or `read_only` while its database is away, since `since` (ms)."""

    state: Literal["live", "read_only"]
    since: int
    sentence: str = ""


class Pong(Struct, frozen=True, gc=False, tag="pong"):
    """The link is alive; `now` is the server's time in milliseconds since 1970, `up` its up-time (see `Welcome`)."""

    id: Id
    now: int
    up: int = 0


class Goodbye(Struct, frozen=True, gc=False, tag="goodbye"):
    """The server is going to close the connection, and why. `again` says whether connecting anew is of use."""

    code: str
    sentence: str
    again: bool


ServerMessage = (
    Welcome
    | Matches
    | MatchesChanged
    | MatchPage
    | Exhibition
    | Moments
    | MatchMade
    | SeatTaken
    | Challenge
    | Introduced
    | NoticesSet
    | TopicGiven
    | PlayerFound
    | Leagues
    | LeagueShown
    | RosterShown
    | FixtureSeat
    | ForceChecked
    | ForceConverted
    | SetupChecked
    | Snapshot
    | Update
    | Accepted
    | Refused
    | Preview
    | Advice
    | Sight
    | WhatIf
    | History
    | ReplayPart
    | LuckReport
    | Exported
    | Status
    | Pong
    | Goodbye
)
