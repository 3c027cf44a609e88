"""A weapon that is fired at a point: aimed with mouse, finger and keys, and seen by all where it struck."""

from __future__ import annotations

import re

import msgspec
from playwright.async_api import expect

from client_protocol.client.start import StartPage
from client_protocol.from_server import MatchMade
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player, asked
from tests.support.battlefield import piece, unit
from tests.support.servers import ServerProcess
from tests.support.tabletop import setup
from tests.system.play import token

SEATS = ("blue", "red")
AIM = "^.?Fire the light mortar at a point"
STRUCK = re.compile("ranges in")


def _position() -> bytes:
    """A mortar in the south, a squad of its own near the enemy, and a building that hides a part of that enemy."""
    units = (
        unit("blue", (8, 6), figures=3, support=["light-mortar"]),
        unit("blue", (8, 26), figures=3),
        unit("red", (8, 30), figures=5),
    )
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    house = piece("building", (13.5, 26), (22, 28.5))
    # A shell that is not ranged in lands somewhere all the same, so that the test depends on no die.
    options = {"scatter": "on"}
    return msgspec.json.encode(setup("fad4", units, (48, 48), 12, turn=turn, options=options, terrain=[house]))


async def _made(server: ServerProcess) -> MatchMade:
    async with StartPage.open(server.address) as start:
        made = await start.make_match("", "", "Ann", SEATS, setup=_position())
    assert isinstance(made, MatchMade), made
    return made


async def _sit(server: ServerProcess, player: Player, made: MatchMade) -> None:
    """Take all seats in this browser, and let the mortar act."""
    for seat in SEATS:
        await player.page.goto(f"{server.address}/#/m/{made.match}/seat/{seat}/{token(made, seat)}")
        await expect(player.page).to_have_url(re.compile(f"#/m/{made.match}$"))
    await player.page.reload()
    await expect(player.table).to_be_visible()
    await asked(player, about="Activate")
    await player.orders.get_by_role("button", name=re.compile("Blue 1")).click()
    await player.confirm.click()
    await asked(player, about="Blue 1")


async def test_a_blast_is_aimed_foretold_and_seen_by_all(server: ServerProcess, people: People) -> None:
    made = await _made(server)
    ann, eve = await people.come(server), await people.come(server)
    await _sit(server, ann, made)
    await eve.page.goto(f"{server.address}/#/m/{made.match}")
    await ann.take(AIM)
    aim, details = ann.page.locator(".aim .area"), ann.orders.locator(".draft-details")
    await expect(aim).to_have_count(1)
    await expect(details).to_contain_text("Red 1")
    await expect(ann.orders).to_contain_text("Lands where it is aimed")
    await expect(ann.confirm).to_be_enabled()

    # Too near to one's own squad: a warning in words, and nothing is forbidden.
    await ann.tap((8.0, 28.0))
    await expect(details).to_contain_text("Your own troops stand in the circle: Blue 2.")
    await expect(ann.orders).to_contain_text("Expected hits on Blue 2 (your own)")
    await expect(ann.confirm).to_be_enabled()

    # No enemy near the point.
    await ann.tap((24.0, 40.0))
    await expect(ann.orders.locator(".refusal").first).to_contain_text("No figure at which Blue 1 may fire")
    await expect(ann.confirm).to_be_disabled()

    # Behind the building: the server says so, and the page marks the place.
    await ann.tap((18.0, 30.0))
    await expect(ann.orders).to_contain_text("Blue 1 does not see that point.")
    await expect(ann.page.locator(".aim.bad")).to_have_count(1)

    # Dragged back, and a little farther by keys.
    await ann.drag((18.0, 30.0), (9.0, 31.0))
    handle = ann.page.locator(".aim [data-handle]")
    await handle.focus()
    before = await aim.get_attribute("data-aim")
    await ann.page.keyboard.press("ArrowUp")
    assert await aim.get_attribute("data-aim") != before
    await expect(details).to_contain_text("Red 1")
    prompt = ann.asks.id
    await ann.confirm.click()
    await ann.answered(prompt)

    for player in (ann, eve):
        await expect(player.page.locator(".impact .struck")).to_have_count(1)
        await player.open("Log")
        await expect(player.log).to_contain_text(STRUCK)
    # One who comes back sees it too.
    await eve.page.reload()
    await expect(eve.page.locator(".impact .struck")).to_have_count(1)

    # With the next decision it is gone.
    await ann.go_on()
    for player in (ann, eve):
        await expect(player.page.locator(".impact")).to_have_count(0)


async def test_a_blast_by_tapping(server: ServerProcess, people: People) -> None:
    made = await _made(server)
    ann = await people.come(server, **PHONE)
    await _sit(server, ann, made)
    await ann.choice(AIM).first.tap()
    aim = ann.page.locator(".aim .area")
    await expect(aim).to_have_count(1)
    await ann.tap((9.0, 31.0), "touch")
    await expect(aim).to_have_attribute("data-aim", re.compile(r"^(8[5-9]|9[0-5])\d\d,3[01]\d\d\d$"))
    prompt = ann.asks.id
    await ann.confirm.tap()
    await ann.answered(prompt)
    await expect(ann.page.locator(".impact .struck")).to_have_count(1)
