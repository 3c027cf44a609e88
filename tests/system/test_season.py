"""A whole league of three rounds on two servers, played by eight programs; one of the servers is killed in the middle."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
import pytest

from client_protocol.campaigns import CampaignDice, Roll
from client_protocol.client import StartPage, Table
from client_protocol.client.link import EndedError, RefusedError
from client_protocol.forces import Force
from client_protocol.from_server import Accepted, FixtureSeat, Introduced, LeagueShown, Refused, RosterShown, SeatTaken
from client_protocol.leagues import FixtureView, Join, LeagueAct, LeagueTerms, LeagueView, PairRound, TakeStep
from server.leagues.verify.league_file import verify as verify_league
from server.load.bots import decided
from server.matches.log.finding import Wrong
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
PROGRAM = "recruit"
"""Plays one side of each match: it shoots."""
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

    async def view(self, *, own: bool = False) -> LeagueView:
        """The league as a stranger with the invite sees it, or as its first player does."""
        async with StartPage.open(self.address(0)) as page:
            if own:
                await introduce(page, 0)
            shown = await page.ask_league(self.league, self.invite)
            assert isinstance(shown, LeagueShown), shown
            return shown.league

    async def play(self, fixture: FixtureView) -> None:
        """Let both players of a fixture play it to its end."""
        first, second = (KEYS.index(_key(key)) for key in fixture.players)
        await asyncio.gather(
            self._sit(first, fixture.number, program=PROGRAM), self._sit(second, fixture.number, program="")
        )

    async def _sit(self, number: int, fixture: int, program: str) -> None:
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
                    await self._decide(table, program)
                    return
            except (OSError, EndedError):
                await asyncio.sleep(0.1)  # the server is gone: the player comes to the other one

    async def _decide(self, table: Table, program: str) -> None:
        """Play a match to its end; `program` plays on for the player once the opponent agrees."""
        try:
            await self._answer(table, program)
        except RefusedError as error:
            if error.refused.code != "handed_over":
                raise
            await ended(table)

    async def _answer(self, table: Table, program: str) -> None:
        async for prompt in table.prompts():
            if program:
                await table.hand_over(program)
                program = ""
            for offer in table.view.offers:
                await table.respond(offer, accept=True)
            picked = decided(prompt, self.chance)
            reply = await table.answer(picked.choice, picked.values, prompt.id)
            if isinstance(reply, Refused) and table.prompt is not None and table.prompt.id == prompt.id:
                await table.answer(prompt.default.choice, prompt.default.values, prompt.id)

    async def steps(self, number: int) -> None:
        """Let a player take all steps after their battle."""
        key = KEYS[number].key
        async with StartPage.open(self.address(number)) as page:
            await introduce(page, number)
            while True:
                await asyncio.sleep(0.1)  # a server takes so many messages a second
                shown = await page.ask_roster(self.league, key, self.invite)
                assert isinstance(shown, RosterShown), shown
                due = shown.roster.due
                if due is None:
                    return
                answer = Roll(on=True) if isinstance(due, CampaignDice) else self.chance.choice(due.offers).answer
                taken = await page.act_in_league(self.league, TakeStep(shown.roster.step, answer), self.invite)
                assert isinstance(taken, LeagueShown), taken


async def ended(table: Table) -> None:
    """Wait for the end of a match."""
    async for _ in table:
        if table.over:
            return


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
        terms = LeagueTerms("Season", edition, (FASTEST[edition],), "swiss", rounds=3, listed=False, campaign={})
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
            await asyncio.gather(*(season.steps(number) for number in range(len(KEYS))))
        league = await season.view(own=True)
        assert len(league.fixtures) == 12
        meetings = [frozenset(one.players) for one in league.fixtures]
        assert len(set(meetings)) == len(meetings), "no two have met twice"
        assert any(sum(one.losses) for one in league.fixtures), "battles were fought"
        files = {fixture.match: await agrees(first, fixture) for fixture in league.fixtures}
        # Every roster is what the matches' logs and the dice make of it.
        file = first.get(league.calendar.replace(".ics", ".underfire"))
        report = verify_league(file.body, library.find, files)
        assert report.missing == ()
        assert len(report.matches) == len(league.fixtures)
        assert (report.rounds, report.sealed) == (3, 0)
        assert report.dice >= len(league.fixtures)
        chance = random.Random(200)
        for _ in range(200):
            changed = bytearray(file.body)
            changed[chance.randrange(len(changed))] ^= chance.randrange(1, 256)
            with pytest.raises(Wrong):
                verify_league(bytes(changed), library.find)
        assert sum(one.played for one in league.standings) == 2 * len(league.fixtures)


async def agrees(server: ServerProcess, fixture: FixtureView) -> bytes:
    """See that a fixture says what the log of its match says, every roll of which is verified; return the file of the match."""
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
    return file
