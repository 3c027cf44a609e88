"""A whole season of a league whose forces live on, and how long a server takes to show it."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Iterator
from dataclasses import dataclass

from client_protocol.client import StartPage
from client_protocol.from_server import LeagueShown, RosterShown
from client_protocol.leagues import LeagueTerms
from server.kernel.campaigns.outcomes import UnitOutcome
from server.kernel.campaigns.roster import Roster
from server.kernel.ruleset import Ruleset
from server.leagues.campaigns import Campaign
from server.leagues.leagues import DICE, SECRET
from server.leagues.log.entries import LeagueFold, opening
from server.leagues.log.facts import (
    BattleTaken,
    Drawn,
    Happened,
    LeagueMade,
    MatchLinked,
    PlayerJoined,
    ResultTaken,
    RoundOpened,
)
from server.store.league_logs import LeagueLogs
from server.store.store import MatchStore
from tests.benchmarks.control import child
from tests.benchmarks.lines import Line, at_most, line, milliseconds, percentile

SALT = bytes(16)
AIM = at_most(0.050)
LEAGUE = "benchseason1"


@dataclass(frozen=True)
class Effort:
    """How many players play how many rounds, how often each of them asks for the league and a roster, and every how many seconds
    (an open page: 10).
    """

    players: int
    rounds: int
    asks: int
    every: float = 10.0


FULL = Effort(40, 10, 10)
QUICK = Effort(40, 10, 3)
TINY = Effort(4, 2, 1, 0.0)


class Season:
    """The log of a league in which every battle is fought, with random losses, and every step is taken by its default."""

    def __init__(self, ruleset: Ruleset, effort: Effort) -> None:
        scenario = ruleset.info.scenarios[0].id
        terms = LeagueTerms("A season", ruleset.info.id, (scenario,), "swiss", rounds=effort.rounds, campaign={})
        rules = ruleset.campaign({})
        assert rules is not None, "asked only of editions with campaigns"
        self._chance = random.Random(1)
        self._campaign = Campaign(rules, bytes(32))
        self.keys = [f"{number:064x}" for number in range(1, effort.players + 1)]
        self.entries = [opening(1, SALT, LeagueMade(LEAGUE, terms, self.keys[0], "Ada", "00"))]
        self._fold = LeagueFold(self.entries[0])
        for key in self.keys:
            force = ruleset.ready_forces[0]
            self._add(PlayerJoined(key, f"Player {int(key, 16)}", force, 1, roster=rules.enlist(force)))
        for number in range(1, effort.rounds + 1):
            self._round(number, scenario)

    def _add(self, *facts: Happened) -> None:
        self.entries.append(self._fold.entry(1, SALT, "", facts))
        self._fold.add(self.entries[-1])

    def _round(self, number: int, scenario: str) -> None:
        keys = self._chance.sample(self.keys, len(self.keys))
        first = len(self._fold.league.fixtures) + 1
        pairs = [(first + at // 2, (keys[at], keys[at + 1])) for at in range(0, len(keys) - 1, 2)]
        self._add(RoundOpened(number, tuple(Drawn(fixture, players, scenario) for fixture, players in pairs)))
        for fixture, players in pairs:
            self._add(MatchLinked(fixture, f"m{fixture}", ("00", "00")))
            result = ResultTaken(fixture, "won", self._chance.choice(players), "All have fallen.", (2, 3), 90, "00")
            self._add(result, *(self._battle(fixture, player) for player in players))
            for player in players:
                while (battle := self._fold.league.players[player].battle) is not None:
                    self._add(self._campaign.step(self._fold.league, player, battle.step, None, 0))

    def _battle(self, fixture: int, player: str) -> BattleTaken:
        state = self._fold.league.players[player].campaign
        assert state is not None, "every player has a roster"
        rules = self._campaign.rules
        return BattleTaken(player, fixture, rules.after_battle(state.roster, list(self._outcomes(state.roster))))

    def _outcomes(self, roster: Roster) -> Iterator[UnitOutcome]:
        for place, number in enumerate(self._campaign.rules.fielded(roster)):
            unit = roster.units[number]
            lost = 0 if unit.vehicle else self._chance.randint(0, unit.strength // 2)
            yield UnitOutcome(place, unit.strength, tuple(range(unit.strength - lost + 1, unit.strength + 1)))


async def put(redis_url: str, season: Season) -> None:
    """Write a season into the store, unless it is there."""
    first, *rest = season.entries
    async with MatchStore(redis_url) as store:
        logs = LeagueLogs(store)
        await logs.create(LEAGUE, 1, {SECRET: bytes(32), DICE: bytes(32)}, first)
        for version, payload in enumerate(rest, 2):
            await logs.append(LEAGUE, version - 1, f"~{version}", payload, due=None)


async def asked(port: int, season: Season, effort: Effort) -> tuple[list[float], list[float]]:
    """Return how long the league and a roster took to be shown, each time, in seconds."""
    leagues: list[float] = []
    rosters: list[float] = []

    async def ask(one: int) -> None:
        async with StartPage.open(f"http://127.0.0.1:{port}") as page:
            await asyncio.sleep(effort.every * one / len(season.keys))
            for number in range(effort.asks):
                began = time.perf_counter()
                assert isinstance(await page.ask_league(LEAGUE), LeagueShown)
                leagues.append(time.perf_counter() - began)
                began = time.perf_counter()
                player = season.keys[(one + number) % len(season.keys)]
                assert isinstance(await page.ask_roster(LEAGUE, player), RosterShown)
                rosters.append(time.perf_counter() - began)
                await asyncio.sleep(effort.every if number + 1 < effort.asks else 0)

    await ask(0)  # the first one reads the league
    leagues.clear()
    rosters.clear()
    await asyncio.gather(*(ask(one) for one in range(len(season.keys))))
    return leagues, rosters


def lines(effort: Effort, redis_url: str, core: int, ruleset: Ruleset) -> Iterator[Line]:
    """How long a server takes to show a season to all its players, whose pages are open."""
    season = Season(ruleset, effort)
    asyncio.run(put(redis_url, season))
    with child("serving", "--core", core, "--redis", redis_url) as server:
        leagues, rosters = asyncio.run(asked(server.port, season, effort))
    matches = effort.rounds * (effort.players // 2)
    of = f"{effort.players} players, {matches} matches"
    yield line(f"a league of {of}, shown, p50", milliseconds, [percentile(leagues, 50)], None, None)
    yield line(f"a league of {of}, shown, p99", milliseconds, [percentile(leagues, 99)], None, AIM)
    yield line(f"a roster of {of}, shown, p99", milliseconds, [percentile(rosters, 99)], None, AIM)
