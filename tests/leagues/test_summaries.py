"""Leagues as lists show them: champions, matches, older leagues."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.leagues import Close, PairRound, Settle
from server.leagues import leagues as module
from server.leagues.summaries import Summaries
from tests.leagues.conftest import CY, TERMS, Server
from tests.support.player_keys import ADA, BO

LISTED = replace(TERMS, listed=True)


async def test_a_league_that_is_over_has_a_champion_and_its_matches(server: Server) -> None:
    league = await server.gathered(ADA, BO, CY, terms=LISTED)
    for number in range(3):
        shown = await server.act(league.id, ADA, PairRound(number))
        for one in shown.fixtures:
            if one.state != "over":
                winner = BO.key if BO.key in one.players else ADA.key
                await server.act(league.id, ADA, Settle(one.number, "won", winner, "Club night."))
    (running,), own, more = await server.leagues.all("")
    assert (running.champion, running.matches, own, more) == ("", 3, [], 0)
    await server.act(league.id, ADA, Close())
    (over,), _, _ = await server.leagues.all("")
    assert (over.champion, over.matches, over.state) == ("Bo", 3, "over")


async def test_where_several_share_the_first_place_there_is_no_champion(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=LISTED)
    await server.act(league.id, ADA, PairRound(0))
    await server.act(league.id, ADA, Settle(1, "draw", "", "The line was down."))
    await server.act(league.id, ADA, Close())
    assert (await server.leagues.all(""))[0][0].champion == ""


async def test_a_league_in_which_nothing_was_played_has_no_champion(server: Server) -> None:
    league = await server.gathered(ADA, terms=LISTED)
    await server.act(league.id, ADA, Close())
    (over,), _, _ = await server.leagues.all("")
    assert (over.champion, over.matches) == ("", 0)


async def test_older_leagues_are_asked_for_page_by_page(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LISTED", 2)
    made = []
    for _ in range(5):
        made.append((await server.make(LISTED)).id)
        server.hands.move(1)
    found, after = [], 0
    sizes = []
    while True:
        shown, own, after = await server.leagues.all(ADA.key, after)
        assert own == [one.id for one in shown]
        sizes.append(len(shown))
        found += own
        if not after:
            break
    assert (sizes, found) == ([2, 2, 1], made[::-1])
    monkeypatch.setattr(module, "LISTED", 5)
    assert (await server.leagues.all(ADA.key))[2] == 0


async def test_a_summary_is_made_anew_after_an_entry_only(server: Server) -> None:
    league = await server.gathered(ADA, terms=LISTED)
    summaries, fold = Summaries(), await server.leagues.fold(league.id)
    first = summaries.of(fold)
    assert summaries.of(fold) is first
    await server.act(league.id, ADA, Close())
    assert summaries.of(await server.leagues.fold(league.id)).state == "over"


async def test_more_leagues_can_be_listed_than_are_remembered(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 3)
    for _ in range(4):
        await server.make(LISTED)
        server.hands.move(1)
    for _ in range(3):
        shown, _, _ = await server.leagues.all("")
        assert len(shown) == 4
    assert len(server.leagues._folds) == 3
