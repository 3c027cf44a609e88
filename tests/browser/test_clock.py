"""Clocks at the table: they tick, say that time is low, stop by consent, and end games."""

from __future__ import annotations

import re

from playwright.async_api import Locator, expect

from client_protocol.client.link import new_id, open_link
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import EnterLobby, MakeMatch
from client_protocol.from_server import MatchMade, Refused
from client_protocol.shapes import PROTOCOL
from tests.browser.axe import clean
from tests.browser.battles import ANY
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player, asked
from tests.browser.seating import sit
from tests.support.servers import ServerProcess

FIRST, SECOND = list(ANY.sides)[:2]


async def _made(server: ServerProcess, clock: ClockTerms) -> MatchMade:
    """A match with this clock, of which all seats are ours."""
    asked_for = new_id()
    async with open_link(server.address) as link:
        await link.send(EnterLobby(PROTOCOL))
        message = MakeMatch(asked_for, ANY.edition.id, ANY.scenario.id, "Ann", tuple(ANY.sides), clock=clock)
        await link.send(message)
        while True:
            reply = await link.receive()
            assert not isinstance(reply, Refused), reply
            if isinstance(reply, MatchMade):
                return reply


async def _both(server: ServerProcess, people: People, clock: ClockTerms) -> tuple[Player, Player]:
    """Two players at a match with this clock: who is asked first, and the other."""
    made = await _made(server, clock)
    ann, bob = await people.come(server), await people.come(server)
    await sit(server, ann, made, [FIRST])
    await sit(server, bob, made, [SECOND])
    first = await asked(ann, bob)
    return (ann, bob) if first is ann else (bob, ann)


def _clocks(player: Player) -> Locator:
    return player.page.get_by_role("group", name="Clocks")


def _running(player: Player) -> Locator:
    return _clocks(player).get_by_role("listitem").filter(has_text=re.compile("runs|by "))


def _seconds(face: str) -> int:
    minutes, seconds = face.split(":")
    return int(minutes) * 60 + int(seconds)


async def test_the_clock_of_the_deciding_player_ticks_on_every_page(server: ServerProcess, people: People) -> None:
    decides, waits = await _both(server, people, ClockTerms("live", 31, increment=20))
    for player in (decides, waits):
        await expect(_clocks(player).get_by_role("listitem")).to_have_count(2)
        await expect(_running(player)).to_have_count(1)
    # It is low within two seconds, which is said, and not by a colour.
    await expect(_running(waits)).to_contain_text("low")
    await expect(waits.page.locator("[aria-live]", has_text=re.compile(r": \d+ s left\."))).to_have_count(1)
    await clean(waits.page, "a clock that is low")
    before = _seconds(await _running(waits).get_by_role("timer").inner_text())
    assert before <= 31
    await decides.deploy({})
    # The increment is there, and nothing is low any more; the other one's runs.
    later = _clocks(waits).get_by_role("listitem").filter(has_not_text="runs").get_by_role("timer")
    await expect(later).to_have_text(re.compile(r"0:(3[1-9]|4\d|50)"))
    await expect(_running(decides)).to_have_count(1)


async def test_a_page_without_a_connection_shows_clocks_as_of_the_last_word(
    server: ServerProcess, people: People
) -> None:
    decides, _ = await _both(server, people, ClockTerms("live", 600))
    await expect(_running(decides)).to_have_count(1)
    await decides.page.context.set_offline(True)
    await expect(_clocks(decides)).to_contain_text(re.compile(r"as of \d+ s ago"))
    await expect(_running(decides)).to_have_count(0)
    await decides.page.context.set_offline(False)
    await expect(_running(decides)).to_have_count(1)
    await expect(_clocks(decides)).not_to_contain_text("as of")


async def test_a_game_can_be_claimed_from_a_player_without_time(server: ServerProcess, people: People) -> None:
    late, other = await _both(server, people, ClockTerms("live", 10, at_zero="claim"))
    claim = other.page.get_by_role("button", name="Claim the game")
    await expect(_clocks(other)).to_contain_text("time is up")
    await claim.click()
    dialog = other.page.get_by_role("dialog")
    await expect(dialog).to_contain_text("is up")
    await clean(other.page, "claiming the game")
    await dialog.get_by_role("button", name="Claim it").click()
    for player in (late, other):
        result = player.page.get_by_role("region", name="Result")
        await expect(result).to_contain_text(re.compile("has no time left, and .* claims the game"))


async def test_clocks_stop_go_on_and_change_by_consent(server: ServerProcess, people: People) -> None:
    decides, waits = await _both(server, people, ClockTerms("live", 600))
    page = decides.page

    async def offer(name: str) -> None:
        await page.get_by_role("button", name="Menu").click()
        await page.get_by_role("dialog").get_by_role("button", name=name).click()

    offers = waits.page.get_by_role("region", name="Offer")
    await offer("Ask to stop the clocks")
    await expect(offers).to_contain_text("wants to stop the clocks")
    await expect(page.get_by_role("region", name="Offer")).to_contain_text("Waiting for")
    await offers.get_by_role("button", name="Stop the clocks").click()
    for player in (decides, waits):
        await expect(_clocks(player)).to_contain_text("paused")
        await expect(player.page.get_by_role("region", name="Offer")).to_have_count(0)

    await offer("Ask to start the clocks")
    await offers.get_by_role("button", name="Let the clocks go on").click()
    await expect(_running(decides)).to_have_count(1)

    # From a live clock to days for each decision.
    await page.get_by_role("button", name="Menu").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_text("Offer another clock").click()
    await dialog.get_by_role("radio", name=re.compile("correspondence")).check()
    await dialog.get_by_label("Ready-made").select_option(label="3 days a decision")
    await clean(page, "offering another clock")
    await dialog.get_by_role("button", name="Offer this clock").click()
    await expect(offers).to_contain_text("3 days for each decision")
    await clean(waits.page, "an offer")
    await offers.get_by_role("button", name="Take this clock").click()
    for player in (decides, waits):
        await expect(_clocks(player)).to_contain_text(re.compile(r"[23] d.* by .*\d\d:\d\d"))
        await expect(_clocks(player)).to_contain_text("not asked")


async def test_clocks_fit_on_a_phone(server: ServerProcess, people: People) -> None:
    made = await _made(server, ClockTerms("live", 31))
    ann = await people.come(server, **PHONE)
    await sit(server, ann, made, list(ANY.sides))
    await asked(ann)
    await expect(_running(ann)).to_contain_text("low")
    for clock in await _clocks(ann).get_by_role("listitem").all():
        box = await clock.bounding_box()
        assert box is not None
        assert box["height"] < 44, "a clock takes more than one row"
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= 390
    assert await ann.page.evaluate("document.documentElement.scrollWidth") <= 390
    await clean(ann.page, "clocks on a phone")
