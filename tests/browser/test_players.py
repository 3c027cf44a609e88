"""Players with keys: made here, seen by others, taken to another device, and told that it is their turn."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Page, expect

from tests.browser.axe import clean
from tests.browser.battles import ANY
from tests.browser.conftest import PHONE, WHOLE, People, gathered, launched
from tests.browser.player import Player, asked
from tests.support.endpoint import endpoint
from tests.support.servers import ServerProcess, serving, until

FINGERPRINT = re.compile(r"^[0-9a-f]{4}( [0-9a-f]{4}){3}$")
KEY = "() => JSON.parse(localStorage['underfire/player'] ?? 'null')"


ACTIVE = "(await navigator.serviceWorker.getRegistrations()).some((one) => one.active)"
NOTICES = """(await (await navigator.serviceWorker.ready).getNotifications())
  .map(({ title, body, data }) => [title, body, data.path])"""


async def said(page: Page, about: str, seconds: float = 20) -> object:
    """What the page's worker says about itself, once it says something. A script of the page would wait without an end."""
    async with asyncio.timeout(seconds):
        while not (found := await page.evaluate(f"async () => {about}")):  # noqa: ASYNC110 - it sends no notice
            await asyncio.sleep(0.02)
    return found


async def make_key(player: Player, server: ServerProcess, name: str) -> str:
    """Make a key, and return its public half."""
    page = player.page
    await page.goto(f"{server.address}/#/me")
    await page.get_by_label("Your name").fill(name)
    await page.get_by_role("button", name="Make a key").click()
    await expect(page.get_by_text("known here since")).to_be_visible()
    key: str = (await page.evaluate(KEY))["key"]
    return key


async def test_a_player_is_known_again_by_those_who_play_with_them(server: ServerProcess, people: People) -> None:
    ann, ben = await people.come(server), await people.come(server, **PHONE)
    key = await make_key(ann, server, "Ann")
    first, second = ANY.sides
    await ann.make(ANY, first)
    await ben.join(await ann.link(f"Invite: play {ANY.sides[second]}"), "Ben")
    await asked(ann, ben)
    await ben.page.get_by_role("button", name="Menu").click()
    players = ben.page.get_by_role("region", name="Players")
    sign = players.get_by_role("link")
    await expect(sign).to_have_count(1)
    assert FINGERPRINT.match((await sign.inner_text()).strip())
    await sign.click()
    await expect(ben.page.get_by_role("heading", name="Ann")).to_be_visible()
    await expect(ben.page.get_by_text("You have met this key")).to_be_visible()
    await expect(ben.page.get_by_text("one seat is tied to it")).to_be_visible()
    assert ben.page.url.endswith(key)


async def test_a_player_who_does_not_want_it_sits_down_without_the_key(server: ServerProcess, people: People) -> None:
    ann, ben = await people.come(server), await people.come(server)
    first, second = ANY.sides
    await ben.make(ANY, second, "Ben")
    link = await ben.link(f"Invite: play {ANY.sides[first]}")
    await make_key(ann, server, "Ann")
    await ann.page.goto(link)
    await ann.page.get_by_label("Sit down with my key").uncheck()
    await ann.page.get_by_role("button", name="Sit down").click()
    await asked(ann, ben)
    assert {seat["key"] for seat in ann.wire.view["seats"].values()} == {""}
    # She may change her mind, from the menu.
    await ann.page.get_by_role("button", name="Menu").click()
    await ann.page.get_by_role("button", name="Play this match with my key").click()
    await expect(ann.page.get_by_role("region", name="Players").get_by_role("link")).to_have_count(1)


async def test_the_recovery_link_brings_key_and_seats_to_another_device(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    key = await make_key(ann, server, "Ann")
    first, second = ANY.sides
    await ann.make(ANY, first)
    ben = await people.come(server)
    await ben.join(await ann.link(f"Invite: play {ANY.sides[second]}"), "Ben")
    await asked(ann, ben)
    match = ann.page.url.rpartition("/m/")[2]
    await ann.page.goto(f"{server.address}/#/me")
    await ann.page.get_by_role("button", name="Show the recovery link").click()
    link = await ann.page.get_by_role("textbox", name="Your recovery link").input_value()
    phone = await people.come(server, **PHONE)
    await phone.page.goto(link)
    await expect(phone.page.get_by_role("heading", name="Use your key on this device?")).to_be_visible()
    # The link does not stay in the address.
    assert phone.page.url == f"{server.address}/#/me"
    await phone.page.get_by_role("button", name="Use it here").tap()
    await phone.page.get_by_label("Your name").fill("Ann")
    await phone.page.get_by_role("button", name="Keep the name").tap()
    await expect(phone.page.get_by_text("One seat of yours is on this device now")).to_be_visible()
    assert (await phone.page.evaluate(KEY))["key"] == key
    await phone.page.goto(f"{server.address}/#/m/{match}")
    await expect(phone.table).to_be_visible()
    assert phone.wire.view["seats"][first]["name"] == "Ann"
    assert await phone.page.evaluate("(match) => localStorage[`underfire/match/${match}`]", match)


async def test_a_damaged_recovery_link_says_so(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.page.goto(f"{server.address}/#/me/0123abcd")
    await expect(ann.page.get_by_role("alert")).to_contain_text("This recovery link is damaged")


async def test_a_player_is_told_by_a_webhook_that_is_tried_at_once(tmp_path: Path, people: People) -> None:
    async with endpoint(tmp_path) as there:
        settings = {
            "UNDERFIRE_NOTICE_NETWORKS": "127.0.0.0/8,::1/128",
            "UNDERFIRE_NOTICE_CA_FILE": str(there.certificate),
        }
        async with serving(tmp_path / "server", settings=settings) as server:
            ann = await people.come(server)
            await make_key(ann, server, "Ann")
            page = ann.page
            there.answers = [404]
            await page.get_by_label("Address of the webhook").fill(there.url("typo"))
            await page.get_by_role("button", name="Keep it, and try it").click()
            await expect(page.get_by_role("alert")).to_have_text("The webhook was not sent: localhost answered 404.")
            await page.get_by_label("Address of the webhook").fill(there.url("ann"))
            await page.get_by_role("button", name="Keep it, and try it").click()
            await expect(page.get_by_text("It works: a message was just sent there.")).to_be_visible()
            assert "content" in json.loads(there.posts[-1].body)
            await page.get_by_label("How often").select_option("day")
            await expect(page.get_by_text("Kept.")).to_be_visible()
            await page.reload()
            await expect(page.get_by_label("How often")).to_have_value("day")
            await expect(page.get_by_label("Address of the webhook")).to_have_value(there.url("ann"))
            await page.get_by_role("button", name="Forget me ...").click()
            await page.get_by_role("button", name="Yes, forget me").click()
            await expect(page.get_by_role("button", name="Make a key")).to_be_visible()
            assert await page.evaluate(KEY) is None


@pytest_asyncio.fixture(loop_scope="session")
async def people_with_push() -> AsyncIterator[People]:
    """People whose browsers know of push services: one without windows does not."""
    async with launched(WHOLE) as browser, gathered(browser) as people:
        yield people


async def test_the_service_worker_shows_what_is_pushed(server: ServerProcess, people_with_push: People) -> None:
    ann = await people_with_push.come(server)
    context, page = ann.page.context, ann.page
    await context.grant_permissions(["notifications"], origin=server.address)
    # No push service can be reached here: the page says so, and its worker is there all the same.
    await make_key(ann, server, "Ann")
    await page.get_by_role("button", name="Tell this browser").click()
    await expect(page.get_by_role("alert")).to_contain_text("push service")
    devtools = await context.new_cdp_session(page)
    registrations: list[str] = []
    devtools.on(
        "ServiceWorker.workerRegistrationUpdated",
        lambda event: registrations.extend(one["registrationId"] for one in event["registrations"]),
    )
    await devtools.send("ServiceWorker.enable")
    await until(lambda: bool(registrations))
    # What is pushed to a worker that is not active yet is lost.
    await said(page, ACTIVE)
    waits = [{"match": "k3v9", "title": "Ridge Farm", "side": "Blue platoon", "turn": 3}]
    pushed = {
        "origin": server.address,
        "registrationId": registrations[0],
        "data": json.dumps({"event": "your_turn", "text": "", "waits": waits}),
    }
    notices: object = None
    async with asyncio.timeout(20):
        while not notices:
            # A browser that has just begun to show notices loses some.
            await devtools.send("ServiceWorker.deliverPushMessage", pushed)
            with suppress(TimeoutError):
                notices = await said(page, NOTICES, 2)
    assert notices == [["It is your turn", "Ridge Farm: Blue platoon, turn 3", "/#/m/k3v9"]]


@pytest.mark.parametrize("path", ["#/me", "#/player/" + "8a" * 32])
async def test_pages_of_players_are_accessible(server: ServerProcess, people: People, path: str) -> None:
    ann = await people.come(server)
    await make_key(ann, server, "Ann")
    await ann.page.goto(f"{server.address}/{path}")
    await expect(ann.page.get_by_role("heading", level=1)).to_be_visible()
    await clean(ann.page, path)
