"""Links to a seat: one that the server knows moves the seat here, and any other one changes nothing."""

from __future__ import annotations

import json
import re

from playwright.async_api import Page, expect

from tests.browser.battles import ANY
from tests.browser.conftest import People
from tests.browser.finished import finished
from tests.browser.player import PAUSE, WAITS, Player, asked
from tests.support.servers import ServerProcess

BLUE, RED = ANY.sides


async def _kept(page: Page) -> dict[str, str]:
    """What the browser keeps of matches: tokens, invites, shares of the dice."""
    kept = json.loads(await page.evaluate("JSON.stringify({...localStorage})"))
    return {key: value for key, value in kept.items() if re.match("underfire/(match|dice)", key)}


async def _waiting(server: ServerProcess, people: People) -> tuple[Player, str]:
    """A player who has made a match and committed to a share of the dice, and the match."""
    ann = await people.come(server)
    await ann.make(ANY, BLUE)
    match = ann.page.url.rpartition("/")[2]
    for _ in range(WAITS):
        if f"underfire/dice/{match}/{BLUE}" in await _kept(ann.page):
            return ann, match
        await ann.page.wait_for_timeout(PAUSE)
    raise AssertionError("the page never drew a share of the dice")


async def test_a_link_with_a_wrong_token_changes_nothing(server: ServerProcess, people: People) -> None:
    ann, match = await _waiting(server, people)
    invite = await ann.link(f"Invite: play {ANY.sides[RED]}")
    before = await _kept(ann.page)
    assert any("dice" in key for key in before)
    for seat in (BLUE, RED):
        await ann.page.goto(f"{server.address}/#/m/{match}/seat/{seat}/{'x' * 32}/{'ab' * 32}")
        told = ann.page.get_by_role("alert").filter(has_text="does not give a seat")
        await expect(told).to_contain_text("The seats that this browser holds are unchanged.")
        await expect(ann.page).to_have_url(re.compile(f"#/m/{match}$"))
        assert await _kept(ann.page) == before
        await told.get_by_role("button", name="Close").click()
        await expect(told).to_have_count(0)
    # She sits there still, also when the page is opened anew, and her share of the dice is the one that she committed to.
    await ann.page.reload()
    bob = await people.come(server)
    await bob.join(invite, "Bob")
    await (await asked(ann, bob)).go_on()


async def test_a_link_with_another_seats_token_changes_nothing(server: ServerProcess, people: People) -> None:
    ann, match = await _waiting(server, people)
    bob = await people.come(server)
    await bob.join(await ann.link(f"Invite: play {ANY.sides[RED]}"), "Bob")
    await asked(ann, bob)
    held = json.loads((await _kept(bob.page))[f"underfire/match/{match}"])
    before = await _kept(ann.page)
    await ann.page.goto(f"{server.address}/#/m/{match}/seat/{BLUE}/{held['tokens'][RED]}/{'ab' * 32}")
    await expect(ann.page.get_by_role("alert").filter(has_text="not for the seat that it names")).to_be_visible()
    assert await _kept(ann.page) == before
    await (await asked(ann, bob)).go_on()


async def test_a_seat_moves_to_another_browser_with_its_share_of_the_dice(
    server: ServerProcess, people: People
) -> None:
    ann, match = await _waiting(server, people)
    invite = await ann.link(f"Invite: play {ANY.sides[RED]}")
    await ann.page.get_by_role("button", name="Menu").click()
    await ann.page.get_by_text("on another device").click()
    link = await ann.link("The link of your seat")
    before = await _kept(ann.page)
    await ann.page.close()
    phone = await people.come(server)
    await phone.page.goto(link)
    await expect(phone.page).to_have_url(re.compile(f"#/m/{match}$"))
    after = await _kept(phone.page)
    assert after[f"underfire/dice/{match}/{BLUE}"] == before[f"underfire/dice/{match}/{BLUE}"]
    bob = await people.come(server)
    await bob.join(invite, "Bob")
    # The dice wait for the share that was committed to in the first browser.
    await (await asked(phone, bob)).go_on()


async def test_the_link_of_a_seat_of_a_match_that_is_over_says_so(server: ServerProcess, people: People) -> None:
    match = (await finished(server)).match
    page = (await people.come(server)).page
    await page.goto(f"{server.address}/#/m/{match}/join/{BLUE}")
    await expect(page.get_by_role("heading", name="This match is over")).to_be_visible()
    await expect(page.get_by_role("button", name="Sit down")).to_have_count(0)
    await page.get_by_role("link", name="Go to the match").click()
    await expect(page).to_have_url(re.compile(f"#/m/{match}$"))
