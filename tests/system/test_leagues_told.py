"""A league on two real servers of one database: its channel is told once of each thing, and players subscribe to calendars."""

from __future__ import annotations

import json
from pathlib import Path

from client_protocol.client import StartPage
from client_protocol.from_server import Introduced, LeagueShown, NoticesSet, Refused
from client_protocol.leagues import Close, Join, LeagueAct, LeagueTerms, LeagueView, PairRound, Settle
from client_protocol.players import Webhook
from tests.support.endpoint import Endpoint, endpoint
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.servers import ServerProcess, serving, until
from tests.system.test_season import ready_force

TERMS = LeagueTerms("Autumn", "fubar4", ("crossed-hedges",), days=7, listed=False)


async def introduced(page: StartPage, key: PlayerKey) -> None:
    assert isinstance(await page.introduce(key.key, "Ada" if key is ADA else "Bo", key.sign), Introduced)


async def act(server: ServerProcess, key: PlayerKey, league: LeagueView, what: LeagueAct) -> LeagueView:
    """Let a player do something on one of the servers."""
    async with StartPage.open(server.address) as page:
        await introduced(page, key)
        shown = await page.act_in_league(league.id, what, league.invite)
        assert isinstance(shown, LeagueShown), shown
        return shown.league


def kinds(there: Endpoint) -> list[str]:
    posts = [json.loads(one.body) for one in there.posts if one.path == "/channel"]
    return [one["kind"] for post in posts for one in post["happened"]]


async def test_a_channel_is_told_once_by_two_servers_and_no_address_is_logged(tmp_path: Path) -> None:
    async with endpoint(tmp_path) as there:
        settings = {
            "UNDERFIRE_ORIGINS": "https://play.example.org",
            "UNDERFIRE_NOTICE_NETWORKS": "127.0.0.0/8, ::1/128",
            "UNDERFIRE_NOTICE_CA_FILE": str(there.certificate),
        }
        folder = tmp_path / "servers"
        async with serving(folder, settings=settings) as first, serving(folder, settings=settings) as second:
            async with StartPage.open(first.address) as page:
                await introduced(page, ADA)
                made = await page.make_league(TERMS)
                assert isinstance(made, LeagueShown)
                league = made.league
                tried = await page.set_league_webhook(league.id, Webhook(there.url("channel")))
                assert isinstance(tried, NoticesSet)
                assert tried.faults == ()
            for key in (ADA, BO):
                await act(second, key, league, Join(ready_force(first, "fubar4")))
            async with StartPage.open(second.address) as page:
                await introduced(page, BO)
                refused = await page.set_league_webhook(league.id, test=True)
                assert isinstance(refused, Refused)
                assert refused.code == "no_organiser"
            await act(second, ADA, league, PairRound(0))
            await until(lambda: kinds(there) == ["round"])
            bo = await _shown(first, BO, league)
            calendar = first.get(bo.calendar)
            assert calendar.status == 200
            assert b"SUMMARY:Play against Ada (Autumn)" in calendar.body
            assert f"URL:https://play.example.org/#/league/{league.id}".encode() in calendar.body
            await act(first, ADA, league, Settle(1, "draw"))
            await act(second, ADA, league, Close())
            await until(lambda: "over" in kinds(there))
            assert kinds(there) == ["round", "result", "over"]
            assert b"VEVENT" not in second.get(bo.calendar).body
            token = bo.calendar.rpartition("/")[2].removesuffix(".ics")
            for server in (first, second):
                assert there.url("channel") not in server.log
                assert token not in server.log


async def _shown(server: ServerProcess, key: PlayerKey, league: LeagueView) -> LeagueView:
    async with StartPage.open(server.address) as page:
        await introduced(page, key)
        shown = await page.ask_league(league.id)
        assert isinstance(shown, LeagueShown)
        return shown.league


async def test_an_operator_who_wants_no_notices_has_no_channel_told(tmp_path: Path) -> None:
    async with (
        serving(tmp_path, settings={"UNDERFIRE_NOTICES": "off"}) as server,
        StartPage.open(server.address) as page,
    ):
        await introduced(page, ADA)
        made = await page.make_league(TERMS)
        assert isinstance(made, LeagueShown)
        refused = await page.set_league_webhook(made.league.id, Webhook("https://example.org/hook"))
        assert isinstance(refused, Refused)
        assert refused.code == "no_notices"
