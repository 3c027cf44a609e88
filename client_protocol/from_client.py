"""What a client sends: every message, a tagged struct each. The first one authenticates; see PROTOCOL.md."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from client_protocol.choices import Values
from client_protocol.clocks import ClockTerms
from client_protocol.forces import Force
from client_protocol.leagues import LeagueAct, LeagueTerms
from client_protocol.players import NoticeSettings, Webhook
from client_protocol.shapes import (
    Angle,
    ChatText,
    Hex32,
    Hex64,
    Id,
    Name,
    OptionValue,
    Point,
    Secret,
    Sequence,
    ToldHead,
)
from client_protocol.view import Channel


class _FromClient(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """What all of a client's messages share: unknown fields are refused."""


class EnterLobby(_FromClient, frozen=True, tag="enter_lobby"):
    """First message of a start page: answered by `Welcome`, then `Matches` now and whenever they change. `matches` are the
    sender's own, whose summaries are sent even if they are not listed.
    """

    protocol: int
    matches: Annotated[tuple[Id, ...], Meta(max_length=100)] = ()


class MoreMatches(_FromClient, frozen=True, tag="more_matches"):
    """The start page wants the listed matches that come after one, of which it gives what it was told: its `state`, when it was
    made, its id. Answered by `MatchPage`.
    """

    id: Id
    state: Literal["open", "running", "over"]
    made_at: Annotated[int, Meta(ge=0, le=1 << 50)]
    match: Id


class AskExhibition(_FromClient, frozen=True, tag="ask_exhibition"):
    """Which match between two programs is played for those who look at the start page? One is made if the last one is over.
    Answered by `Exhibition`, or by `Refused` where there is none.
    """

    id: Id


class AskMoments(_FromClient, frozen=True, tag="ask_moments"):
    """Which moments of recorded matches come with this server? Answered by `Moments`."""

    id: Id


class EnterMatch(_FromClient, frozen=True, tag="enter_match"):
    """First message of a table: sit down with a seat's `token`, or watch (no token; `name` is what a spectator wants to be
    called). Answered by `Welcome`, then by the `Update`s missed since `since` or by a `Snapshot`.
    """

    protocol: int
    match: Id
    token: Secret = ""
    since: Sequence = -1
    name: Annotated[str, Meta(max_length=40)] = ""


class ForkPoint(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A moment of a match: after the frame `frame` of the audience `view` (a seat, "" for spectators, "*" for everything).
    `token` is the seat's, for a seat's view of a match that is not over.
    """

    match: Id
    view: Id
    frame: Sequence
    token: Secret = ""


class MatchBefore(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """A match that is over, of whose players another one is made: `tokens` are those of the maker's seats in it. With `swap` each
    player has the next side.
    """

    match: Id
    tokens: Annotated[tuple[Secret, ...], Meta(min_length=1, max_length=8)]
    swap: bool = False


class MakeMatch(_FromClient, frozen=True, tag="make_match"):
    """Make a match. `mine` are the seats the maker takes at once (all of them: hot-seat), `forces` what they bring instead of the
    scenario's forces, by seat. It begins as `scenario` says; or, where `fork` is given, from that moment of another match; or,
    where `setup` names an upload, from that setup file. Edition, scenario and options are then those of the position, and are
    not looked at. Where `after` is given, it is the next match of the players of that one, with all of its terms; nothing but
    `name` is then looked at, and the other players learn of it there (`View.next`). `programs` are seats that a program holds,
    each with its name: one of `Welcome.programs`, or "uncontrolled" where the edition lists it (`EditionInfo.programs`). Such a
    seat has no invite. `advice`: all players may ask the computer for advice; a player without another one always may. Answered
    by `MatchMade`.
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
    programs: Annotated[dict[Id, Id], Meta(max_length=8)] = {}
    advice: bool = False
    after: MatchBefore | None = None


class Upload(_FromClient, frozen=True, tag="upload"):
    """A part of something too large for one message: part `part` of `of` (counted from 0) of the upload that the client calls
    `upload`, in order. They are kept until a message names the upload, the connection ends, or 60 seconds after its last part.
    Answered by `Accepted`.
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


class ConvertForce(_FromClient, frozen=True, tag="convert_force"):
    """Make this force into one for another edition, one that takes over forces of its edition (`converts` at
    `/forces/<id>.json`). Answered by `ForceConverted` or `Refused`.
    """

    id: Id
    force: Force
    edition: Id


class TieSeat(_FromClient, frozen=True, tag="tie_seat"):
    """Tie the sender's seat to a player's key, for all to see and for good: `signature` is the key's on the seat (see
    PROTOCOL.md). Answered by `Accepted`.
    """

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    key: Hex32
    signature: Hex64


class AskChallenge(_FromClient, frozen=True, tag="ask_challenge"):
    """The sender wants to show that it holds a player's key. Answered by `Challenge`."""

    id: Id


class Introduce(_FromClient, frozen=True, tag="introduce"):
    """This connection is the player's who holds `key`, and wants to be called `name`: `signature` is the key's on the last
    challenge and the name (see PROTOCOL.md). Answered by `Introduced`.
    """

    id: Id
    key: Hex32
    name: Name
    signature: Hex64


class SetNotices(_FromClient, frozen=True, tag="set_notices"):
    """Tell the player of this connection in these ways from now on; only after `Introduce`. With `test` each way is tried at
    once, and what goes wrong is told. Answered by `NoticesSet`.
    """

    id: Id
    notices: NoticeSettings
    test: bool = False


class AskTopic(_FromClient, frozen=True, tag="ask_topic"):
    """Give the player of this connection a new password for their own topic at the feed's broker; only after `Introduce`.
    Answered by `TopicGiven`.
    """

    id: Id


class ForgetPlayer(_FromClient, frozen=True, tag="forget_player"):
    """Forget the player of this connection: name, notices, and which seats the key has. What is in the logs of matches stays.
    Answered by `Accepted`.
    """

    id: Id


class AskPlayer(_FromClient, frozen=True, tag="ask_player"):
    """Who is the player with this key? Answered by `PlayerFound` or `Refused`."""

    id: Id
    key: Hex32


class SetMatchWebhook(_FromClient, frozen=True, tag="set_match_webhook"):
    """Send a webhook of the sender's seat whenever a decision of this match waits for a player who is not connected (None: no
    more). Answered by `NoticesSet`.
    """

    id: Id
    webhook: Webhook | None


class AskLeagues(_FromClient, frozen=True, tag="ask_leagues"):
    """Which leagues are there, and which of them are the sender's? Answered by `Leagues`. `after` leaves out as many of the
    newest: it is 0, or the `more` of the last answer.
    """

    id: Id
    after: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


class MakeLeague(_FromClient, frozen=True, tag="make_league"):
    """Make a league, of which the player who sent `Introduce` is the organiser. Answered by `LeagueShown`. The same message sent
    again makes no other league.
    """

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    terms: LeagueTerms


class AskLeague(_FromClient, frozen=True, tag="ask_league"):
    """What is in a league? `invite` is that of a league that is not listed. Answered by `LeagueShown`."""

    id: Id
    league: Id
    invite: Secret = ""


class AskRoster(_FromClient, frozen=True, tag="ask_roster"):
    """How does the force of a player stand in a league in which forces live on? `invite` is that of a league that is not listed.
    Answered by `RosterShown`.
    """

    id: Id
    league: Id
    player: Hex32
    invite: Secret = ""


class ActInLeague(_FromClient, frozen=True, tag="act_in_league"):
    """Do something in a league, as the player who sent `Introduce`. Answered by `LeagueShown`, with the league as it is then. The
    same message sent again does nothing more.
    """

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    league: Id
    act: LeagueAct
    invite: Secret = ""


class SetLeagueWebhook(_FromClient, frozen=True, tag="set_league_webhook"):
    """An organiser, who sent `Introduce`, names the webhook that is told what happens in a league (None: no more), and it is
    tried. With `test` nothing is changed: the one that is there is tried. Answered by `NoticesSet`.
    """

    id: Id
    league: Id
    webhook: Webhook | None = None
    test: bool = False


class PlayFixture(_FromClient, frozen=True, tag="play_fixture"):
    """The player who sent `Introduce` wants to play a fixture of theirs. Answered by `FixtureSeat`."""

    id: Id
    league: Id
    fixture: Annotated[int, Meta(ge=1, le=100_000)]


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


class AskPreview(_FromClient, frozen=True, tag="ask_preview"):
    """What would come of a choice, from what the seat may know; never logged. Answered by `Preview` or `Refused`."""

    id: Id
    prompt: Id
    choice: Id
    values: Values = ()


class AskAdvice(_FromClient, frozen=True, tag="ask_advice"):
    """What would the computer answer to the open prompt, and why? Only where the view's `advice` says so; computed from what the
    seat may know, never logged, and told to no other seat. Answered by `Advice` or `Refused`.
    """

    id: Id
    prompt: Id


class Order(_FromClient, frozen=True, tag="order"):
    """Give a unit of the sender's own a standing order, a key of the snapshot's `orders`, unseen by others. Answered by
    `Accepted`.
    """

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    unit: Id
    order: Id


class Look(_FromClient, frozen=True, tag="look"):
    """Lines of sight from a unit to another one, as things stand. Answered by `Sight`."""

    id: Id
    unit: Id
    target: Id


class GhostPlaces(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """Where a unit is imagined to be: places of its figures, and facings of those that have one."""

    places: Annotated[dict[Id, Point], Meta(max_length=60)]
    facings: Annotated[dict[Id, Angle], Meta(max_length=60)] = {}


class AskWhatIf(_FromClient, frozen=True, tag="ask_what_if"):
    """Ask what `unit` would see and could do if units of the sender's own stood at `ghosts`. Computed from what the seat may
    know, never logged, and told to no other seat. Answered by `WhatIf`.
    """

    id: Id
    unit: Id
    ghosts: Annotated[dict[Id, GhostPlaces], Meta(max_length=40)]


class TakeBack(_FromClient, frozen=True, tag="take_back"):
    """Take back the sender's last decision, or all since the frame `frame`: at once if that is free, else when all others
    consent. Answered by `Accepted`.
    """

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    frame: Sequence = -1


class MakeOffer(_FromClient, frozen=True, tag="offer"):
    """Offer the others a draw, a pause of the clocks, their going on, or another clock (None: none); or that the program
    `program` of `Welcome.programs` plays on in the place of a player (`hand_over`; "": that the sender takes the own seat back).
    `hand` is the seat, by default the sender's own; another one only where the sender could claim the game. Answered
    by `Accepted`.
    """

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    kind: Literal["draw", "pause", "resume", "clock", "hand_over"]
    clock: ClockTerms | None = None
    hand: Annotated[str, Meta(max_length=64)] = ""
    program: Annotated[str, Meta(max_length=64)] = ""


class Respond(_FromClient, frozen=True, tag="respond"):
    """Accept an open offer, or decline it (the sender's own: withdraw it). Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    offer: Id
    accept: bool


class Concede(_FromClient, frozen=True, tag="concede"):
    """Give up. Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]


class Claim(_FromClient, frozen=True, tag="claim"):
    """Claim the game, because another player's time is up or the match has been stalled for too long. Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]


class Say(_FromClient, frozen=True, tag="say"):
    """Say a line of chat. Seats speak at the table or to their own side, spectators to spectators. Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    text: ChatText
    channel: Channel = "table"


class Report(_FromClient, frozen=True, tag="report"):
    """Report the chat of the frame `frame` to the operator of this server. Answered by `Accepted`."""

    id: Annotated[str, Meta(min_length=8, max_length=64)]
    frame: Sequence
    reason: ChatText


class Replay(_FromClient, frozen=True, tag="replay"):
    """Ask for the match from its beginning as an audience saw it, from after the frame `after` on. `view` is the sender's own
    audience, or, if the match is over, any audience, or "*" for everything. Answered by `ReplayPart`.
    """

    id: Id
    view: Id
    after: Sequence = -1


class AskLuckReport(_FromClient, frozen=True, tag="ask_luck_report"):
    """What luck each roll of a match that is over had. Answered by `LuckReport`."""

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


class ExportCase(_FromClient, frozen=True, tag="export_case"):
    """Export the last step up to the frame `frame` of the audience `view` as a case file. `view` is the sender's own
    audience, or, if the match is over, any audience, or "*" for everything. Answered by `Exported`.
    """

    id: Id
    view: Id
    frame: Sequence


class CheckHead(_FromClient, frozen=True, tag="check_head"):
    """Is the log of this match still the one of which one was told this `head`? Answered by `Accepted`, or, if no entry has that
    hash, by `Refused` with the code `other_log`.
    """

    id: Id
    head: ToldHead


class Ping(_FromClient, frozen=True, tag="ping"):
    """Is the link alive? Answered by `Pong`."""

    id: Id


ClientMessage = (
    EnterLobby
    | EnterMatch
    | MoreMatches
    | AskExhibition
    | AskMoments
    | MakeMatch
    | Upload
    | CheckSetup
    | ImportMatch
    | TakeSeat
    | CheckForce
    | ConvertForce
    | TieSeat
    | AskChallenge
    | Introduce
    | SetNotices
    | AskTopic
    | ForgetPlayer
    | AskPlayer
    | SetMatchWebhook
    | AskLeagues
    | MakeLeague
    | AskLeague
    | AskRoster
    | ActInLeague
    | SetLeagueWebhook
    | PlayFixture
    | CommitRandomness
    | RevealRandomness
    | Answer
    | AskPreview
    | AskAdvice
    | Order
    | Look
    | AskWhatIf
    | TakeBack
    | MakeOffer
    | Respond
    | Concede
    | Claim
    | Say
    | Report
    | Recall
    | Replay
    | AskLuckReport
    | ExportCase
    | ExportSetup
    | ExportText
    | CheckHead
    | Ping
)
