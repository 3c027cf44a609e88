"""Matches from a position of one's own, and sitting down at them with the links of one's seats."""

from __future__ import annotations

import re
from collections.abc import Iterable

from playwright.async_api import expect

from client_protocol.client.start import StartPage
from client_protocol.from_server import MatchMade
from tests.browser.player import Player
from tests.support.servers import ServerProcess
from tests.system.play import token

SEATS = ("blue", "red")


async def made_from(server: ServerProcess, position: bytes) -> MatchMade:
    """Make a match from a setup file, all seats of which are ours."""
    async with StartPage.open(server.address) as start:
        made = await start.make_match("", "", "Ann", SEATS, setup=position)
    assert isinstance(made, MatchMade), made
    return made


async def sit(server: ServerProcess, player: Player, made: MatchMade, seats: Iterable[str] = SEATS) -> None:
    """Sit down with these seats, each by the link that moves it, and come to the table."""
    for seat in seats:
        await player.page.goto(f"{server.address}/#/m/{made.match}/seat/{seat}/{token(made, seat)}")
        await expect(player.page).to_have_url(re.compile(f"#/m/{made.match}$"))
    await player.page.reload()
    await expect(player.table).to_be_visible()
