"""A whole league of three rounds on two servers, played by eight programs; one of the servers is killed in the middle."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from client_protocol.client import StartPage, Table
from client_protocol.client.link import EndedError
from client_protocol.forces import Force
from client_protocol.from_server import Accepted, FixtureSeat, Introduced, LeagueShown, Refused, SeatTaken
from client_protocol.leagues import FixtureView, Join, LeagueAct, LeagueTerms, LeagueView, PairRound
from server.load.bots import decided
from server.matches.log.fold import Fold
from server.matches.log.match_file import read
from server.matches.projections.luck import luck_by_side
from server.matches.verify.match_file import verify
from server.rulesets import library
from tests.support.player_keys import PlayerKey
from tests.support.servers import ServerProcess, serving

KEYS = [PlayerKey(number) for number in range(1, 9)]
NAMES = ("Ada", "Bo", "Cy", "Dee", "Eve", "Fay", "Gus", "Hal")
FASTEST = {"fad4": "crossroads-patrol", "fad5": "two-orchards", "fubar4": "crossed-hedges"}
LONGEST = 240.0


@dataclass
class Season:
    """A league that programs play, each on the server where it can."""

    servers: list[ServerProcess]
    league: str = ""
    invite: str = ""
    chance: random.Random = field(default_factory=lambda: random.Random(8))
    tables: dict[Table, int] = field(default_factory=dict)
    """The places at which matches are played, and whose they are."""

    def address(self, number: int) -> str:
        """The server of a player: one of those that run."""
        up = [server for server in self.servers if server.running]
        return up[number % len(up)].address

    def kill(self, server: ServerProcess) -> None:
        """Kill a server; clients connect to another one, as they would behind one address, also those who only wait."""
        server.kill()
        for table, number in self.tables.items():
            table.address = self.address(number)

    async def act(self, number: int, act: LeagueAct) -> LeagueView:
        """Let a player do something, on a page of their own."""
        async with StartPage.open(self.address(number)) as page:
            await introduce(page, number)
            shown = await page.act_in_league(self.league, act, self.invite)
            assert isinstance(shown, LeagueShown), shown
            return shown.league

    async def view(self, number: int = 0) -> LeagueView:
        async with StartPage.open(self.address(number)) as page:
            shown = await page.ask_league(self.league, self.invite)
            assert isinstance(shown, LeagueShown), shown
            return shown.league

    async def play(self, fixture: FixtureView) -> None:
        """Let both players of a fixture play it to its end."""
        await asyncio.gather(*(self._sit(KEYS.index(key), fixture.number) for key in map(_key, fixture.players)))

    async def _sit(self, number: int, fixture: int) -> None:
        key, name, taken = KEYS[number], NAMES[number], f"take-{fixture}-{number}-of-this-season"
        while True:
            try:
                async with StartPage.open(self.address(number)) as page:
                    await introduce(page, number)
                    given = await page.play_fixture(self.league, fixture)
                    assert isinstance(given, FixtureSeat), given
                    token = given.token
                    if not token:
                        seat = await page.take_seat(given.match, given.seat, name, given.invite, id_=taken)
                        assert isinstance(seat, SeatTaken), seat
                        token = seat.token
                table = Table(self.address(number), given.match, token)
                self.tables[table] = number
                async with table.running():
                    tied = await table.tie_seat(key.key, key.sign)
                    assert isinstance(tied, Accepted), tied
                    await self._decide(table)
                    return
            except (OSError, EndedError):
                await asyncio.sleep(0.1)  # the server is gone: the player comes to the other one

    async def _decide(self, table: Table) -> None:
        async for prompt in table.prompts():
            picked = decided(prompt, self.chance)
            reply = await table.answer(picked.choice, picked.values, prompt.id)
            if isinstance(reply, Refused) and table.prompt is not None and table.prompt.id == prompt.id:
                await table.answer(prompt.default.choice, prompt.default.values, prompt.id)


def _key(key: str) -> PlayerKey:
    return next(one for one in KEYS if one.key == key)


async def introduce(page: StartPage, number: int) -> None:
    known = await page.introduce(KEYS[number].key, NAMES[number], KEYS[number].sign)
    assert isinstance(known, Introduced), known


def ready_force(server: ServerProcess, edition: str) -> Force:
    parts = json.loads(server.get(f"/forces/{edition}.json").body)
    return msgspec.convert(parts["ready"][0], Force)


async def over(season: Season, round_: int) -> LeagueView:
    """The league, once all results of a round are taken in."""
    async with asyncio.timeout(30):
        while True:
            league = await season.view()
            if all(one.state == "over" for one in league.fixtures if one.round == round_):
                return league
            await asyncio.sleep(0.2)


@pytest.mark.parametrize("edition", sorted(FASTEST))
async def test_a_season_survives_a_killed_server_with_no_result_missing_or_double(tmp_path: Path, edition: str) -> None:
    settings = {"UNDERFIRE_PER_ADDRESS": "1000"}
    async with (
        asyncio.timeout(LONGEST),
        serving(tmp_path, settings=settings) as first,
        serving(tmp_path, settings=settings) as second,
    ):
        season = Season([first, second])
        terms = LeagueTerms("Season", edition, (FASTEST[edition],), "swiss", rounds=3, listed=False)
        async with StartPage.open(first.address) as page:
            await introduce(page, 0)
            made = await page.make_league(terms)
            assert isinstance(made, LeagueShown), made
            season.league, season.invite = made.league.id, made.league.invite
        force = ready_force(first, edition)
        for number in range(len(KEYS)):
            await season.act(number, Join(force))
        for round_ in (1, 2, 3):
            begun = await season.act(0, PairRound(round_ - 1))
            fixtures = [one for one in begun.fixtures if one.round == round_]
            assert sorted(key for one in fixtures for key in one.players) == sorted(key.key for key in KEYS)
            playing = asyncio.gather(*(season.play(one) for one in fixtures))
            if round_ == 2:
                await asyncio.sleep(1)
                season.kill(second)
            await playing
            await over(season, round_)
            if not second.running:
                await asyncio.to_thread(second.start)
        league = await season.view()
        assert len(league.fixtures) == 12
        meetings = [frozenset(one.players) for one in league.fixtures]
        assert len(set(meetings)) == len(meetings), "no two have met twice"
        for fixture in league.fixtures:
            await agrees(first, fixture)
        assert sum(one.played for one in league.standings) == 2 * len(league.fixtures)


async def agrees(server: ServerProcess, fixture: FixtureView) -> None:
    """See that a fixture says what the log of its match says, every roll of which is verified."""
    file = await server.match_file(fixture.match)
    report = verify(file, library.find)
    assert report.differences == ()
    first, *rest = read(file).entries
    fold = Fold(first)
    for payload in rest:
        fold.add(payload)
    state, result = fold.state, fold.state.result
    assert result is not None
    assert fixture.reason == result.reason
    seats = [side.seat for side in state.sides.values()]
    winner = "" if not result.winner else fixture.players[seats.index(state.sides[result.winner].seat)]
    assert (fixture.outcome, fixture.winner) == ("won" if winner else "draw", winner)
    sums = luck_by_side(library.edition(fold.opened.edition), [first, *rest])
    assert fixture.luck == (tuple(sums.get(side.id, 0) for side in state.sides.values()) if sums else ())
    assert tuple(state.desk.keys[seat] for seat in seats) == fixture.players
