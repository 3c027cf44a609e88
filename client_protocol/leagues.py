"""Leagues: players who meet each other in a series of matches, what they have agreed on, and how they stand."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from client_protocol.campaigns import CampaignAnswer, NameFigures
from client_protocol.clocks import ClockTerms
from client_protocol.forces import Force
from client_protocol.maps import CampaignMap, MapView, MoveForce, RevealOrders
from client_protocol.shapes import Hex32, Id, Key, Name, OptionValue, Secret

Format = Literal["free", "round_robin", "swiss", "elimination", "ladder", "map"]
"""Who meets whom: those who have challenged each other; each one each other; those who stand alike; those who have not lost yet;
a challenger and a player who stands higher; those whose forces meet on a map.
"""

SideNumber = Annotated[int, Meta(ge=0, le=8)]
"""A side of a league by its place among the sides of the terms, counted from 1; 0: none, or, for those who join, the one with
the fewest players.
"""

TieBreak = Literal["head_to_head", "buchholz", "sonneborn_berger", "wins", "losses_inflicted"]
"""What decides between players with equal points: the points among themselves; those of all opponents; those of the opponents
that were beaten, and half of those with whom it was a draw; the number of wins; the figures that the opponents lost.
"""

Unplayed = Literal["wait", "draw", "void"]
"""What a fixture counts as that was not played by its deadline: it waits for the organiser, is a draw, or counts for none."""

Outcome = Literal["won", "draw", "void"]
"""How a fixture ended: a player has won, none has, or it counts for no player."""

About = Annotated[str, Meta(max_length=1000)]
"""What the organiser says of a league; shown as text, never as markup."""

Reason = Annotated[str, Meta(min_length=1, max_length=300)]
"""Why the organiser has decided something."""

Points = Annotated[int, Meta(ge=0, le=100)]
"""Points for a result."""


class LeagueTerms(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a league is played by.

    Its matches are of the `edition`, of the `scenarios` in turns, with these `options` and this `clock`. `rounds` is how many
    rounds a Swiss league has (0: as many as single out a winner among those of its first round), or turns a campaign on a `map`
    (0: until the organiser ends it); other formats have as many as they need. The format of that name, and no other, needs a
    map; the scenarios of its areas are among the league's. A round is to be played within `days` days (0: it takes as long as
    it takes), and what was not counts as `unplayed` says. On a map orders are given within `days` days, and then battles are
    fought within as many. `win`, `draw` and `loss` are the points for a result, `tie_breaks` decide between equal points, the
    first one first. Where it is not `open`, the organiser admits players. A league that is not `listed` is shown only to its
    players and to those who have its invite. `total` is the most that a force may count for when it joins, in the edition's
    measure (0: any). With a `campaign` forces live on: they carry losses, levels and points from battle to battle by the
    edition's rules, under these settings (see `EditionInfo.campaign`); steps after a battle that a player does not take within
    `step_hours` hours are taken by their defaults (0: they wait).
    With `sides`, two at least, each player plays for one of them: those of one side do not meet each other, know each other's
    forces, and their points are their side's. In an elimination and on a ladder there are none.
    """

    name: Name
    edition: Id
    scenarios: Annotated[tuple[Id, ...], Meta(min_length=1, max_length=20)]
    format: Format = "round_robin"
    rounds: Annotated[int, Meta(ge=0, le=40)] = 0
    about: About = ""
    options: Annotated[dict[Id, OptionValue], Meta(max_length=60)] = {}
    clock: ClockTerms | None = None
    days: Annotated[int, Meta(ge=0, le=90)] = 0
    unplayed: Unplayed = "wait"
    win: Points = 3
    draw: Points = 1
    loss: Points = 0
    tie_breaks: Annotated[tuple[TieBreak, ...], Meta(max_length=5)] = ("head_to_head", "sonneborn_berger", "wins")
    open: bool = True
    listed: bool = True
    campaign: Annotated[dict[Id, OptionValue], Meta(max_length=60)] | None = None
    step_hours: Annotated[int, Meta(ge=0, le=2160)] = 72
    map: CampaignMap | None = None
    sides: Annotated[tuple[Name, ...], Meta(max_length=8)] = ()
    total: Annotated[int, Meta(ge=0, le=1_000_000)] = 0


# --- what players and organisers do ----------------------------------------------------------------------------------


class Join(Struct, frozen=True, forbid_unknown_fields=True, tag="join"):
    """Join a league with a force, with the `invite` of one that is not listed."""

    force: Force
    invite: Secret = ""
    side: SideNumber = 0


class Admit(Struct, frozen=True, forbid_unknown_fields=True, tag="admit"):
    """The organiser admits a player who asks to join, or does not."""

    player: Hex32
    yes: bool


class Withdraw(Struct, frozen=True, forbid_unknown_fields=True, tag="withdraw"):
    """A player leaves the league; or the organiser has `player` leave it, for a `reason`. What was played stands."""

    player: Key = ""
    reason: Annotated[str, Meta(max_length=300)] = ""


class ChangeForce(Struct, frozen=True, forbid_unknown_fields=True, tag="change_force"):
    """A player brings another force from now on; not while a match of theirs is running."""

    force: Force


class ChangeSide(Struct, frozen=True, forbid_unknown_fields=True, tag="change_side"):
    """A player plays for another side from now on, or an organiser has `player` do so; only before they have met an opponent."""

    side: SideNumber
    player: Key = ""


class PairRound(Struct, frozen=True, forbid_unknown_fields=True, tag="pair_round"):
    """The organiser begins the next round. `after` is the number of the round before it, 0 for the first one: of two organisers
    who do so at once, one is told that it was done.
    """

    after: Annotated[int, Meta(ge=0, le=1000)]


class Meet(Struct, frozen=True, forbid_unknown_fields=True, tag="meet"):
    """A player challenges another one, in a free league or on a ladder."""

    player: Hex32


class AnswerChallenge(Struct, frozen=True, forbid_unknown_fields=True, tag="answer_challenge"):
    """A player accepts the challenge of a fixture, or declines it; the challenger may take it back in this way."""

    fixture: Annotated[int, Meta(ge=1, le=100_000)]
    yes: bool


class Settle(Struct, frozen=True, forbid_unknown_fields=True, tag="settle"):
    """The organiser decides how a fixture counts, for a reason that all can read. What was decided or played before stays in the
    league's log.
    """

    fixture: Annotated[int, Meta(ge=1, le=100_000)]
    outcome: Outcome
    winner: Key = ""
    reason: Reason = "The organiser has decided it."


class Appoint(Struct, frozen=True, forbid_unknown_fields=True, tag="appoint"):
    """The player who made the league appoints a co-organiser, or dismisses one (not `yes`). A co-organiser may do all that an
    organiser may, but not this.
    """

    player: Hex32
    yes: bool


class Close(Struct, frozen=True, forbid_unknown_fields=True, tag="close"):
    """The organiser ends the league: nothing more is played."""


class Undo(Struct, frozen=True, forbid_unknown_fields=True, tag="undo"):
    """The organiser undoes what an organiser did by mistake, for a reason that all can read: the act that stands in the league's
    log as this entry (see `LeagueView.undo`). Both stay in the log.
    """

    entry: Annotated[int, Meta(ge=1, le=1_000_000)]
    reason: Reason


class StandIn(Struct, frozen=True, forbid_unknown_fields=True, tag="stand_in"):
    """A player names another player of the league who plays a fixture in their place, with their force (`by` "": takes that
    back); an organiser may do so for `player`. Only before the match is made.
    """

    fixture: Annotated[int, Meta(ge=1, le=100_000)]
    by: Key = ""
    player: Key = ""


class TakeStep(Struct, frozen=True, forbid_unknown_fields=True, tag="take_step"):
    """A player takes the step after a battle that is due for their force: its number (`RosterView.step`), and the answer."""

    step: Annotated[int, Meta(ge=1, le=100_000)]
    answer: CampaignAnswer


LeagueAct = (
    Join
    | Admit
    | Withdraw
    | ChangeForce
    | ChangeSide
    | PairRound
    | Meet
    | AnswerChallenge
    | StandIn
    | Settle
    | TakeStep
    | NameFigures
    | Appoint
    | MoveForce
    | RevealOrders
    | Close
    | Undo
)


# --- what can be seen ------------------------------------------------------------------------------------------------


class LeaguePlayer(Struct, frozen=True, omit_defaults=True):
    """A player of a league: the key, the name, the force (None: it is hidden, as the league's options say, until the league is
    over). `state`: they ask to join, play, or have left. `total` is what the force counts for, in the edition's measure. Where
    forces live on, `battles` is how many theirs has fought, and `steps` the fixture after which they have steps to take (0: no
    steps). `side` is the side for which they play (0: there are none).
    """

    key: Hex32
    name: Name
    force: Force | None
    total: int
    state: Literal["asks", "plays", "left"] = "plays"
    battles: int = 0
    steps: int = 0
    side: int = 0


class FixtureView(Struct, frozen=True, omit_defaults=True):
    """A match that is to be played: its number in the league, its round, its players (one alone has a bye), its scenario. `match`
    is the match once there is one. `state`: it is a challenge that was not accepted yet, waits, is played, or is over: then
    `outcome` says how, `winner` who has won, `reason` why, and `settled` whether the organiser decided so. `losses` are the
    figures that each of the players lost, `luck` is the luck of each by the match's luck report, in hundredths of a standard
    deviation (empty: it is not known). `until` is the deadline (ms since 1970; 0: none). `ended` is its place among those
    that are over, in the order in which they first ended (0: it is not over). `stand_ins` are players who play it in the place
    of its own, as (player, who plays). `unfought`: where forces live on, its match ended before its first turn, so that no force
    has fought.
    """

    number: int
    round: int
    players: tuple[Hex32, ...]
    scenario: Id
    state: Literal["challenge", "waits", "played", "over"] = "waits"
    match: Id = ""
    outcome: Outcome | Literal[""] = ""
    winner: Key = ""
    reason: str = ""
    settled: bool = False
    losses: tuple[int, ...] = ()
    until: int = 0
    ended: int = 0
    luck: tuple[int, ...] = ()
    stand_ins: tuple[tuple[Hex32, Hex32], ...] = ()
    unfought: bool = False


class Standing(Struct, frozen=True):
    """A player's place: `rank` is shared by players whom no tie-break tells apart. `tie_breaks` are the values of the league's
    tie-breaks, in their order, in hundredths. `form` is how the last fixtures went, the latest last: a letter each, of "WDL".
    `inflicted` and `suffered` are the figures that the opponents and the player lost. `luck` is the player's luck in all matches
    of which it is known, `lucky` of them, in hundredths of a standard deviation.
    """

    rank: int
    player: Hex32
    played: int
    won: int
    drawn: int
    lost: int
    points: int
    tie_breaks: tuple[int, ...]
    form: str
    inflicted: int = 0
    suffered: int = 0
    luck: int = 0
    lucky: int = 0


class SideStanding(Struct, frozen=True):
    """A side's place in a league with sides, by the points of its players together: `rank` is shared by sides with as many.
    `players` is how many play for it.
    """

    rank: int
    side: int
    players: int
    played: int
    won: int
    drawn: int
    lost: int
    points: int


class LeagueNews(Struct, frozen=True):
    """What has happened in a league: when (ms since 1970), in a sentence, and in which match ("": in none)."""

    at: int
    text: str
    match: Id = ""


class UndoView(Struct, frozen=True, omit_defaults=True):
    """What an organiser did that can be undone: the number of its entry in the league's log, when that was (ms since 1970), and
    what it was in a sentence. `why_not` says in a sentence why it cannot be undone now ("": it can).
    """

    entry: int
    at: int
    text: str
    why_not: str = ""


class LeagueSummary(Struct, frozen=True):
    """A league as lists show it. `matches` is how many were played or settled, `champion` the name of who has won a league
    that is over ("": it is not over, or several share the first place).
    """

    id: Id
    name: Name
    edition: Id
    format: Format
    state: Literal["gathers", "runs", "over"]
    players: int
    round: int
    made_at: int
    matches: int = 0
    champion: str = ""


class LeagueView(Struct, frozen=True, omit_defaults=True):
    """A league as one may see it. `round` is the number of the present round, `rounds` how many there will be (0: that is
    open). `next_round` says why the next round cannot begin yet, "" if it can, None to those who are no organisers. The first
    of the `organisers` has made it. `undo` is for organisers: what they did lately that can be undone, the latest first.
    `invite` is for those whom the organiser invites; `webhook` is the host of the league's webhook ("": it has none), for
    organisers. `calendar` is where a player's own calendar is on this server, for programs that subscribe to it. `you` is the
    asker's key, "" for a stranger. `head` is the hash of the last entry of the league's log, and `map` how the map of a
    campaign stands.
    """

    id: Id
    terms: LeagueTerms
    state: Literal["gathers", "runs", "over"]
    organisers: tuple[tuple[Hex32, Name], ...]
    made_at: int
    round: int = 0
    rounds: int = 0
    players: tuple[LeaguePlayer, ...] = ()
    fixtures: tuple[FixtureView, ...] = ()
    standings: tuple[Standing, ...] = ()
    sides: tuple[SideStanding, ...] = ()
    news: tuple[LeagueNews, ...] = ()
    next_round: str | None = None
    invite: Secret = ""
    webhook: Annotated[str, Meta(max_length=1000)] = ""
    calendar: Annotated[str, Meta(max_length=200)] = ""
    you: Key = ""
    head: Annotated[str, Meta(max_length=64)] = ""
    map: MapView | None = None
    undo: tuple[UndoView, ...] = ()
