"""The next match of the same players: one of them makes it after the end, and the other sits down there from the old link."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser.battles import ANY
from tests.browser.conftest import PHONE, People
from tests.browser.finished import concede
from tests.browser.player import Player, asked
from tests.support.servers import ServerProcess, until

_TOKENS = "(match) => JSON.parse(localStorage[`underfire/match/${match}`]).tokens"


def _match(player: Player) -> str:
    """The match on a player's page."""
    found = re.search(r"#/m/([^/]+)", player.page.url)
    assert found
    return found[1]


def _seated(player: Player) -> dict[str, str]:
    """Who sits where, by the last match that was sent to a player's page; no seats until one is sent."""
    return {key: seat["name"] for key, seat in player.wire.view.get("seats", {}).items()}


async def test_a_rematch_with_the_sides_swapped(server: ServerProcess, people: People) -> None:
    ann, ben = await people.come(server), await people.come(server, **PHONE)
    first, second = ANY.sides
    await ann.make(ANY, first)
    await ben.join(await ann.link(f"Invite: play {ANY.sides[second]}"), "Ben")
    before = _match(ann)
    token = (await ann.page.evaluate(_TOKENS, before))[first]
    await asked(ann, ben)
    await concede(server, before, token)

    await ben.page.get_by_role("button", name="Rematch", exact=True).wait_for()
    await ann.page.get_by_role("button", name="Rematch, sides swapped").click()
    await expect(ann.page).not_to_have_url(re.compile(before))
    assert _match(ann) != before
    # Ben's own link leads there; he has said his name before, and is not asked again.
    await ben.page.get_by_role("link", name="Sit down in the next match").tap()
    await expect(ben.table).to_be_visible()
    assert _match(ben) == _match(ann)
    # The table that he saw may still be that of the old match.
    await until(lambda: _seated(ben) == {second: "Ann", first: "Ben"})
    # A spectator of the old match finds it, and gets no seat.
    cyd = await people.come(server)
    await cyd.page.goto(f"{server.address}/#/m/{before}")
    await cyd.page.get_by_role("link", name="Watch the next match").click()
    await expect(cyd.table).to_be_visible()
    assert _match(cyd) == _match(ann)


async def test_a_rematch_against_the_computer_begins_at_once(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.page.goto(server.address)
    await ann.page.get_by_role("button", name=re.compile("^Play now")).first.click()
    # The start page may show a table of its own.
    await expect(ann.page).to_have_url(re.compile("#/m/"))
    await expect(ann.table).to_be_visible()
    before = _match(ann)
    (token,) = (await ann.page.evaluate(_TOKENS, before)).values()
    await asked(ann)
    await concede(server, before, token)
    await ann.page.get_by_role("button", name="Rematch", exact=True).click()
    await expect(ann.page).not_to_have_url(re.compile(before))
    await expect(ann.orders).to_be_visible()
    # Back at the old one, the way leads on.
    await ann.page.goto(f"{server.address}/#/m/{before}")
    await expect(ann.page.get_by_role("link", name="Go to the next match")).to_be_visible()
