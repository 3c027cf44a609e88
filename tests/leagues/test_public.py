"""A league as files that anyone may have."""

from __future__ import annotations

import csv
import io
import json

from msgspec.structs import replace

from client_protocol.leagues import Join, PairRound, Settle
from server.gateway.league_files import league_file
from server.leagues.acts import Actor
from server.leagues.data_files import as_csv, as_json
from server.leagues.log.facts import ResultTaken
from server.leagues.public import as_page
from tests.leagues.conftest import TERMS, Server
from tests.support.player_keys import ADA, BO
from tests.support.toy_rules import force

LISTED = replace(TERMS, listed=True, about="<b>Bold</b> & brave")


async def test_a_stranger_gets_page_table_and_all_of_a_listed_league(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=LISTED)
    await server.act(league.id, ADA, PairRound(0))
    await server.act(league.id, ADA, Settle(1, "won", BO.key, "Ada was <ill>."))
    page = await league_file(server.leagues, f"/leagues/{league.id}")
    assert page is not None
    text = bytes(page.body).decode()
    assert "&lt;b&gt;Bold&lt;/b&gt; &amp; brave" in text
    assert "Bo has won. Ada was &lt;ill&gt;." in text
    assert "<script" not in text
    assert league.invite not in text
    rows = list(csv.reader(io.StringIO(as_csv(await server.leagues.show(league.id, "")).decode())))
    assert rows[0][:4] == ["rank", "player", "key", "played"]
    assert rows[1][:8] == ["1", "Bo", BO.key, "1", "1", "0", "0", "3"]
    whole = json.loads(as_json(await server.leagues.show(league.id, "")))
    assert whole["fixtures"][0]["winner"] == BO.key
    assert "invite" not in whole


async def test_what_is_not_listed_is_not_there_for_strangers(server: Server) -> None:
    league = await server.gathered(ADA)
    for path in (f"/leagues/{league.id}", f"/leagues/{league.id}.json", "/leagues/nosuch.csv"):
        answer = await league_file(server.leagues, path)
        assert answer is not None
        assert (answer.status_code, b"no such league" in bytes(answer.body)) == (404, True)
    assert await league_file(server.leagues, "/leagues/a/b") is None
    assert await league_file(None, f"/leagues/{league.id}") is None


async def test_a_name_is_no_formula_in_a_table(server: Server) -> None:
    league = await server.make(LISTED)
    await server.leagues.act(league.id, _actor("=1+1"), "join-league", "", Join(force("A", "rifle")))
    shown = await server.leagues.show(league.id, "")
    assert b"'=1+1" in as_csv(shown)
    assert b"=1+1" in as_page(shown)


def _actor(name: str) -> Actor:
    return Actor(BO.key, name)


async def test_figures_and_luck_are_in_page_and_table(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=LISTED)
    await server.act(league.id, ADA, PairRound(0))
    (fixture,) = (await server.leagues.show(league.id, "")).fixtures
    taken = ResultTaken(1, "won", fixture.players[0], "", (2, 5), luck=(-130, 45))
    await server.leagues.append(league.id, "~result:m", "", lambda _, _at: (taken,))
    shown = await server.leagues.show(league.id, "")
    rows = list(csv.DictReader(io.StringIO(as_csv(shown).decode())))
    assert [list(row.values())[-4:] for row in rows] == [["5", "2", "-1.3", "1"], ["2", "5", "0.45", "1"]]
    assert "Luck over the season" in as_page(shown).decode()
    name = {one.key: one.name for one in shown.players}[fixture.players[0]]
    assert f"<td>{name}</td><td>1</td><td>-1.3</td><td>-1.3</td>" in as_page(shown).decode()
