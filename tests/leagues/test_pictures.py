"""The season, the bracket and all pairs on the page that needs no JavaScript."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from msgspec.structs import replace

from client_protocol.leagues import LeagueView, PairRound, Settle
from server.leagues.public import as_page
from tests.leagues.conftest import CY, TERMS, Server
from tests.support.player_keys import ADA, BO


async def cup(server: Server) -> LeagueView:
    """An elimination of three: Ada has a bye, Cy beats Bo, and Ada wins the final."""
    terms = replace(TERMS, listed=True, format="elimination")
    league = await server.gathered(ADA, BO, CY, terms=terms)
    await server.act(league.id, ADA, PairRound(0))
    number = next(one.number for one in (await server.leagues.show(league.id, "")).fixtures if len(one.players) == 2)
    await server.act(league.id, ADA, Settle(number, "won", CY.key, "Bo was late."))
    await server.act(league.id, ADA, PairRound(1))
    await server.act(league.id, ADA, Settle(number + 1, "won", ADA.key, "Cy was late."))
    return await server.leagues.show(league.id, "")


def part(page: str, heading: str) -> str:
    found = re.search(rf"<h2>{heading}</h2>(.*?)(?=<h2>|<div><table><caption>Fixtures)", page, re.DOTALL)
    assert found is not None, heading
    return found[1]


async def test_a_page_has_the_bracket_the_season_and_all_pairs(server: Server) -> None:
    page = as_page(await cup(server)).decode()
    bracket = part(page, "Bracket")
    assert "Ada: a bye" in bracket
    assert "<strong>Cy</strong> (won)" in bracket
    assert "<strong>Final</strong>" in bracket
    curve = part(page, "The season")
    assert "<title>Ada: 3, 6</title>" in curve
    assert "<td>Cy</td><td>3</td><td>3</td>" in curve
    pairs = part(page, "Head to head")
    assert "<td>1</td><td>Ada</td><td></td><td>W</td><td></td>" in pairs
    assert "<td>2</td><td>Cy</td><td>L</td><td></td><td>W</td>" in pairs


async def test_players_with_as_many_points_share_a_line_of_names(server: Server) -> None:
    league = await server.gathered(ADA, BO, terms=replace(TERMS, listed=True))
    await server.act(league.id, ADA, PairRound(0))
    await server.act(league.id, ADA, Settle(1, "draw", "", "The line was down."))
    page = as_page(await server.leagues.show(league.id, "")).decode()
    assert re.search(r"<text[^>]*>(Ada, Bo|Bo, Ada)</text>", part(page, "The season"))


async def test_names_in_the_picture_are_text(server: Server) -> None:
    league = await cup(server)
    named = replace(league, players=tuple(replace(one, name="<b>&") for one in league.players))
    page = as_page(named).decode()
    drawing = re.search("<svg.*?</svg>", page, re.DOTALL)
    assert drawing is not None
    titles = [one.text for one in ET.fromstring(drawing[0]).iter("title")]  # noqa: S314 - our own page
    assert titles[0] == "<b>&: 3, 6"
    assert "<b>" not in page


async def test_before_a_result_there_are_no_pictures(server: Server) -> None:
    page = as_page(await server.gathered(ADA, BO)).decode()
    assert "The season" not in page
    assert "Head to head" not in page
