"""What happens in a league, a struct each, and how it changes the league. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.forces import Force
from client_protocol.leagues import FixtureView, LeagueTerms, Outcome
from server.kernel.state import changed
from server.leagues.log.league import League, Member
from server.leagues.log.organisers import Organising


class _Fact(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What all facts share."""


class LeagueMade(_Fact, frozen=True, tag="made"):
    """A league begins: the first fact of each. `key` and `name` are the organiser's."""

    league: str
    terms: LeagueTerms
    key: str
    name: str


class PlayerJoined(_Fact, frozen=True, tag="joined"):
    """A player joins with a force that counts for `total`, or asks to be `admitted`; or comes back."""

    player: str
    name: str
    force: Force
    total: int
    admitted: bool = True

    def fold(self, league: League) -> League:
        state: Literal["plays", "asks"] = "plays" if self.admitted else "asks"
        member = Member(self.name, self.force, self.total, state)
        return replace(league, players=changed(league.players, self.player, member))


class PlayerAdmitted(_Fact, frozen=True, tag="admitted"):
    """The organiser admits a player who asked to join, or (not `yes`) does not."""

    player: str
    yes: bool

    def fold(self, league: League) -> League:
        if self.yes:
            member = replace(league.players[self.player], state="plays")
            return replace(league, players=changed(league.players, self.player, member))
        return replace(league, players={key: one for key, one in league.players.items() if key != self.player})


class PlayerLeft(_Fact, frozen=True, tag="left"):
    """A player leaves; challenges of theirs end, and what else they were to play counts for no player, or, in an elimination, as
    won by the opponent. `reason` is the organiser's, if it is the organiser who has them leave.
    """

    player: str
    reason: str = ""

    def fold(self, league: League) -> League:
        member = replace(league.players[self.player], state="left")
        fixtures = {
            number: _without(league, one, self.player) if self.player in one.players else one
            for number, one in league.fixtures.items()
            if not (one.state == "challenge" and self.player in one.players)
        }
        return replace(league, players=changed(league.players, self.player, member), fixtures=fixtures)


def _without(league: League, fixture: FixtureView, player: str) -> FixtureView:
    if fixture.state == "over":
        return fixture
    ended = replace(
        fixture,
        state="over",
        outcome="void",
        reason=f"{league.name(player)} has left the league.",
        settled=True,
        ended=league.next_ended,
    )
    if league.terms.format != "elimination":
        return ended
    return replace(ended, outcome="won", winner=next(one for one in fixture.players if one != player))


class ForceChanged(_Fact, frozen=True, tag="force"):
    """A player brings another force from now on."""

    player: str
    force: Force
    total: int

    def fold(self, league: League) -> League:
        member = replace(league.players[self.player], force=self.force, total=self.total)
        return replace(league, players=changed(league.players, self.player, member))


class Drawn(Struct, frozen=True, array_like=True):
    """A fixture of a round: its number, its players (one alone has a bye), its scenario."""

    number: int
    players: tuple[str, ...]
    scenario: str


class RoundOpened(_Fact, frozen=True, tag="round"):
    """A round begins, with its fixtures, to be played until a deadline (ms since 1970; 0: none)."""

    number: int
    fixtures: tuple[Drawn, ...]
    until: int = 0

    def fold(self, league: League) -> League:
        fixtures = dict(league.fixtures)
        for one in self.fixtures:
            fixture = FixtureView(one.number, self.number, one.players, one.scenario, until=self.until)
            if len(one.players) == 1:
                (player,) = one.players
                ended = replace(league, fixtures=fixtures).next_ended
                fixture = replace(
                    fixture, state="over", outcome="won", winner=player, reason="A bye.", until=0, ended=ended
                )
            fixtures[one.number] = fixture
        return replace(league, fixtures=fixtures, round=self.number)


class Challenged(_Fact, frozen=True, tag="challenge"):
    """A player challenges another one, who comes second among `players`."""

    fixture: int
    players: tuple[str, str]
    scenario: str

    def fold(self, league: League) -> League:
        fixture = FixtureView(self.fixture, 0, self.players, self.scenario, "challenge")
        return replace(league, fixtures={**league.fixtures, self.fixture: fixture})


class ChallengeAnswered(_Fact, frozen=True, tag="answered"):
    """A challenge is accepted, to be played until a deadline (ms since 1970; 0: none); or it ends without a match."""

    fixture: int
    yes: bool
    until: int = 0

    def fold(self, league: League) -> League:
        if self.yes:
            fixture = replace(league.fixtures[self.fixture], state="waits", until=self.until)
            return replace(league, fixtures={**league.fixtures, self.fixture: fixture})
        return replace(league, fixtures={key: one for key, one in league.fixtures.items() if key != self.fixture})


class MatchLinked(_Fact, frozen=True, tag="match"):
    """The match of a fixture is made."""

    fixture: int
    match: str

    def fold(self, league: League) -> League:
        fixture = replace(league.fixtures[self.fixture], state="played", match=self.match)
        return replace(league, fixtures={**league.fixtures, self.fixture: fixture})


class MatchLost(_Fact, frozen=True, tag="lost"):
    """The operator has removed the match of a fixture: it can be played again."""

    fixture: int

    def fold(self, league: League) -> League:
        fixture = replace(league.fixtures[self.fixture], state="waits", match="")
        return replace(league, fixtures={**league.fixtures, self.fixture: fixture})


class ResultTaken(_Fact, frozen=True, tag="result"):
    """A fixture is over: by its match, whose log has `entries` entries, the last of them with the hash `head` (hexadecimal); or,
    without those, because its deadline has passed. `losses` are the figures that each of its players lost, `luck` is the luck of
    each in hundredths of a standard deviation (empty: it is not known).
    """

    fixture: int
    outcome: Outcome
    winner: str = ""
    reason: str = ""
    losses: tuple[int, ...] = ()
    entries: int = 0
    head: str = ""
    luck: tuple[int, ...] = ()

    def fold(self, league: League) -> League:
        lucky = replace(league.fixtures[self.fixture], luck=self.luck)
        league = replace(league, fixtures={**league.fixtures, self.fixture: lucky})
        return _over(league, self.fixture, self.outcome, self.winner, self.reason, self.losses)


class FixtureSettled(_Fact, frozen=True, tag="settled"):
    """The organiser decides how a fixture counts. The losses and the luck of its match stay."""

    fixture: int
    outcome: Outcome
    winner: str = ""
    reason: str = ""

    def fold(self, league: League) -> League:
        losses = league.fixtures[self.fixture].losses
        return _over(league, self.fixture, self.outcome, self.winner, self.reason, losses, settled=True)


def _over(
    league: League,
    number: int,
    outcome: Outcome,
    winner: str,
    reason: str,
    losses: tuple[int, ...],
    *,
    settled: bool = False,
) -> League:
    before = league.fixtures[number]
    fixture = replace(
        before,
        state="over",
        ended=before.ended or league.next_ended,
        outcome=outcome,
        winner=winner,
        reason=reason,
        losses=losses,
        settled=settled,
    )
    return replace(league, fixtures={**league.fixtures, number: fixture})


class LeagueClosed(_Fact, frozen=True, tag="closed"):
    """The league is over."""

    def fold(self, league: League) -> League:
        return replace(league, closed=True)


Happened = (
    PlayerJoined
    | PlayerAdmitted
    | PlayerLeft
    | ForceChanged
    | RoundOpened
    | Challenged
    | ChallengeAnswered
    | MatchLinked
    | MatchLost
    | ResultTaken
    | FixtureSettled
    | LeagueClosed
    | Organising
)
"""What can happen once a league is made."""
LeagueFact = LeagueMade | Happened
