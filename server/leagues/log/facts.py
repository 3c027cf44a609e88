"""What happens in a league, a struct each, and how it changes the league. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.campaigns import CampaignChoice
from client_protocol.forces import Force
from client_protocol.leagues import FixtureView, LeagueTerms, Outcome
from server.kernel.campaigns.facts import AnyFact
from server.kernel.campaigns.facts import fold as happened
from server.kernel.campaigns.roster import Roster
from server.kernel.campaigns.state import PostBattle
from server.kernel.dice import Taken
from server.kernel.state import changed
from server.leagues.log.league import Battle, League, Member
from server.leagues.log.map_facts import MapFact
from server.leagues.log.naming import FiguresNamed
from server.leagues.log.organisers import Organising
from server.leagues.log.standing_in import StandInNamed
from server.leagues.log.undone import Undone


class _Fact(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What all facts share."""


class LeagueMade(_Fact, frozen=True, tag="made"):
    """A league begins: the first fact of each. `key` and `name` are the organiser's. Where forces live on, `commitment` is the
    SHA-256 of the secret of its dice (see `dice`). `version` is that of the rules of its edition.
    """

    league: str
    terms: LeagueTerms
    key: str
    name: str
    commitment: str = ""
    version: str = ""


class RulesChanged(_Fact, frozen=True, tag="rules"):
    """From here on another version of the edition's rules decides."""

    version: str

    def fold(self, league: League) -> League:
        return replace(league, version=self.version)


class PlayerJoined(_Fact, frozen=True, tag="joined"):
    """A player joins with a force that counts for `total`, or asks to be `admitted`; or comes `back`, which older logs do not
    say. Where forces live on, the force has a `roster`; a player who comes back goes on with the one that they had. They play for
    a `side` (0: there are none).
    """

    player: str
    name: str
    force: Force
    total: int
    admitted: bool = True
    roster: Roster | None = None
    side: int = 0
    back: bool = False

    def fold(self, league: League) -> League:
        state: Literal["plays", "asks"] = "plays" if self.admitted else "asks"
        before = league.players.get(self.player)
        if self.roster is None and before is not None and before.campaign is not None:
            member = replace(before, name=self.name, state=state)
        else:
            member = Member(self.name, self.force, self.total, state, _fresh(self.roster))
        member = replace(member, side=self.side, back=self.back)
        return replace(league, players=changed(league.players, self.player, member))


def _fresh(roster: Roster | None) -> PostBattle | None:
    return None if roster is None else PostBattle(roster)


class PlayerAdmitted(_Fact, frozen=True, tag="admitted"):
    """The organiser admits a player who asked to join, or (not `yes`) does not: who has left before is then as before."""

    player: str
    yes: bool

    def fold(self, league: League) -> League:
        member = league.players[self.player]
        if self.yes or member.back:
            member = replace(member, state="plays" if self.yes else "left")
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
        map_ = None if league.map is None else league.map.without(self.player)
        return replace(league, players=changed(league.players, self.player, member), fixtures=fixtures, map=map_)


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


class SideChanged(_Fact, frozen=True, tag="side"):
    """A player plays for another side from now on."""

    player: str
    side: int

    def fold(self, league: League) -> League:
        member = replace(league.players[self.player], side=self.side)
        return replace(league, players=changed(league.players, self.player, member))


class ForceChanged(_Fact, frozen=True, tag="force"):
    """A player brings another force from now on."""

    player: str
    force: Force
    total: int
    roster: Roster | None = None

    def fold(self, league: League) -> League:
        campaign = _fresh(self.roster)
        member = replace(league.players[self.player], force=self.force, total=self.total, campaign=campaign)
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
        seeds = league.playing if self.number == 1 else league.seeds
        return replace(league, fixtures=fixtures, round=self.number, seeds=seeds)


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
    """The match of a fixture is made. `commitments` are those to the secrets of the dice after it, for each of its players."""

    fixture: int
    match: str
    commitments: tuple[str, ...] = ()

    def fold(self, league: League) -> League:
        if self.commitments:
            league = replace(league, commitments={**league.commitments, self.fixture: self.commitments})
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
    each in hundredths of a standard deviation (empty: it is not known), and `randomness` is what each seat revealed in it, where
    dice of the league are made from that. `unfought`: where forces live on, the match ended before its first turn, so that no
    force has fought.
    """

    fixture: int
    outcome: Outcome
    winner: str = ""
    reason: str = ""
    losses: tuple[int, ...] = ()
    entries: int = 0
    head: str = ""
    luck: tuple[int, ...] = ()
    randomness: dict[str, str] = {}
    unfought: bool = False

    def fold(self, league: League) -> League:
        played = replace(league.fixtures[self.fixture], luck=self.luck, unfought=self.unfought)
        league = replace(league, fixtures={**league.fixtures, self.fixture: played})
        if self.randomness:
            league = replace(league, randomness={**league.randomness, self.fixture: self.randomness})
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


class BattleTaken(_Fact, frozen=True, tag="battle"):
    """What the match of a fixture did to the roster of a player; the steps after it begin. The default of the first one is taken
    at `until` (ms since 1970; 0: never).
    """

    player: str
    fixture: int
    facts: tuple[AnyFact, ...]
    until: int = 0

    def fold(self, league: League) -> League:
        member = _happened(league.players[self.player], self.facts, Battle(self.fixture, until=self.until))
        return replace(league, players=changed(league.players, self.player, member))


class StepTaken(_Fact, frozen=True, tag="step"):
    """A step after a battle: dice that fell, or an answer, and what it led to. `number` is that of the step, and the default of
    the next one is taken at `until` (ms since 1970; 0: never). After the last step the `secret` of the dice is revealed
    (hexadecimal).
    """

    player: str
    number: int
    facts: tuple[AnyFact, ...]
    dice: Taken | None = None
    answer: CampaignChoice | None = None
    until: int = 0
    secret: str = ""

    def fold(self, league: League) -> League:
        before = league.players[self.player]
        if before.battle is None or before.battle.step != self.number:
            raise ValueError("this step is not due")
        fallen = before.battle.dice + (len(self.dice.faces) if self.dice is not None else 0)
        member = _happened(before, self.facts, Battle(before.battle.fixture, self.number + 1, fallen, self.until))
        return replace(league, players=changed(league.players, self.player, member))


def _happened(member: Member, facts: tuple[AnyFact, ...], battle: Battle) -> Member:
    """Return a player whose force these facts happened to; steps after the battle stay to be taken until the force is at rest."""
    if member.campaign is None:
        raise ValueError("forces do not live on in this league")
    state = happened(member.campaign, *facts)
    return replace(member, campaign=state, battle=None if state.step == "rest" else battle)


class LeagueClosed(_Fact, frozen=True, tag="closed"):
    """The league is over, also for those who had steps to take. The `secret` of its dice is revealed (hexadecimal)."""

    secret: str = ""

    def fold(self, league: League) -> League:
        players = {key: replace(member, battle=None) for key, member in league.players.items()}
        return replace(league, players=players, closed=True)


Happened = (
    RulesChanged
    | PlayerJoined
    | PlayerAdmitted
    | PlayerLeft
    | ForceChanged
    | SideChanged
    | RoundOpened
    | Challenged
    | ChallengeAnswered
    | MatchLinked
    | MatchLost
    | ResultTaken
    | FixtureSettled
    | BattleTaken
    | StepTaken
    | LeagueClosed
    | Organising
    | FiguresNamed
    | StandInNamed
    | MapFact
    | Undone
)
"""What can happen once a league is made."""
LeagueFact = LeagueMade | Happened
