"""A weapon that is fired at a point: aimed with mouse, finger and keys, and seen by all where it struck."""

from __future__ import annotations

import re

import msgspec
import pytest
from playwright.async_api import expect

from client_protocol.from_server import MatchMade
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player
from tests.browser.seating import made_from, sit
from tests.support.battlefield import piece, unit
from tests.support.servers import ServerProcess
from tests.support.tabletop import setup

AIM = "^.?Fire the light mortar at a point"
STRUCK = re.compile("ranges in|ranging")
SCATTER = {"fad4": "on", "fad5": "on_failure"}
"""The option, by edition, with which a shell that is not ranged in lands somewhere all the same: so no test depends on a die."""
NEAR = {"fad4": -2.0, "fad5": 2.0}
"""By how much a point between the enemy and a squad of one's own is north of the enemy, in inches. Where one's own squads stop
fire, the squad stands behind the enemy.
"""

every_edition = pytest.mark.parametrize("edition", SCATTER)


def _position(edition: str) -> bytes:
    """A mortar in the south, a squad of its own near the enemy, and a building that hides a part of that enemy."""
    units = (
        unit("blue", (8, 6), figures=3, support=["light-mortar"]),
        unit("blue", (8, 30 + 2 * NEAR[edition]), figures=3),
        unit("red", (8, 30), figures=5),
    )
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    house = piece("building", (13.5, 26), (22, 28.5))
    options = {"scatter": SCATTER[edition]}
    return msgspec.json.encode(setup(edition, units, (48, 48), 12, turn=turn, options=options, terrain=[house]))


async def _sit(server: ServerProcess, player: Player, made: MatchMade) -> None:
    """Take all seats in this browser, and let the mortar act."""
    await sit(server, player, made)
    await player.activate("Blue 1")


@every_edition
async def test_a_blast_is_aimed_foretold_and_seen_by_all(server: ServerProcess, people: People, edition: str) -> None:
    made = await made_from(server, _position(edition))
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
    await ann.tap((8.0, 30.0 + NEAR[edition]))
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


@every_edition
async def test_a_blast_by_tapping(server: ServerProcess, people: People, edition: str) -> None:
    made = await made_from(server, _position(edition))
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
