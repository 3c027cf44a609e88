"""Losing the connection, and coming back to the same table."""

from __future__ import annotations

import re
from typing import Any

from playwright.async_api import Locator, Page, WebSocketRoute, expect

from tests.browser.battles import ANY
from tests.browser.conftest import People
from tests.browser.player import Player, asked
from tests.gateway.test_deflate import AGREED
from tests.support.servers import ServerProcess, valkey_away

# "Within seconds": the longest wait between two tries is 10 s, but the first ones come sooner.
SOON = 12_000


async def test_a_page_that_was_offline_comes_back_by_itself(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(ANY)
    await asked(ann)
    prompt = await ann.orders.inner_text()
    await ann.page.context.set_offline(True)
    await expect(ann.state).to_have_text(re.compile(r"Offline, \d+ s"))
    await expect(ann.page.get_by_role("alert")).to_contain_text("This device has been offline")
    await ann.page.context.set_offline(False)
    await expect(ann.state).to_have_text("Live", timeout=SOON)
    await expect(ann.page.get_by_role("alert")).to_have_count(0)
    assert await ann.orders.inner_text() == prompt


async def test_a_page_takes_compressed_messages(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    network = await ann.page.context.new_cdp_session(ann.page)
    await network.send("Network.enable")
    agreed: list[str] = []

    def note(event: dict[str, Any]) -> None:
        headers = {name.lower(): value for name, value in event["response"]["headers"].items()}
        agreed.append(headers.get("sec-websocket-extensions", ""))

    network.on("Network.webSocketHandshakeResponseReceived", note)
    await ann.make(ANY)
    await asked(ann)
    await ann.page.reload()
    await asked(ann)
    assert len(agreed) > 1
    assert set(agreed) == {AGREED}


async def test_a_killed_server_loses_no_answer(own_server: ServerProcess, people: People) -> None:
    ann, eve = await people.come(own_server), await people.come(own_server)
    await ann.make(ANY)
    await eve.page.goto(ann.page.url)
    await expect(eve.state).to_have_text("Live")
    await asked(ann)
    prompt = await ann.orders.inner_text()
    own_server.kill()
    for player in (ann, eve):
        await expect(player.state).to_have_text(re.compile(r"Reconnecting, \d+ s"))
        await expect(player.page.get_by_role("alert")).to_contain_text(re.compile(r"No connection for \d+ s"))
    own_server.start()
    for player in (ann, eve):
        await expect(player.state).to_have_text("Live", timeout=SOON)
        await expect(player.page.get_by_role("alert")).to_have_count(0)
    assert await ann.orders.inner_text() == prompt

    # An answer that is given while the server is down is sent when it is back, and counts once.
    own_server.kill()
    await expect(ann.state).to_have_text(re.compile("Reconnecting"))
    await ann.choice("Deploy").first.click()
    await ann.confirm.click()
    await expect(ann.confirm).to_have_text("Sending ...")
    own_server.start()
    for player in (ann, eve):
        await expect(player.state).to_have_text("Live", timeout=SOON)
        await expect(_deployed(player)).to_have_count(1)
    await asked(ann, about="Deploy")
    await ann.deploy({})
    await ann.page.reload()
    await expect(_deployed(ann)).to_have_count(2)
    await expect(_deployed(eve)).to_have_count(2)


async def test_a_server_without_its_database_says_so(own_server: ServerProcess, people: People) -> None:
    ann = await people.come(own_server)
    await ann.make(ANY)
    await asked(ann)
    await ann.choice("Deploy").first.click()
    with valkey_away(own_server):
        await expect(ann.state).to_have_text(re.compile(r"Read only, \d+ s"))
        await expect(ann.page.get_by_role("alert")).to_be_visible()
        # The table can be looked at, but nothing is promised that cannot be kept.
        await expect(ann.handle()).to_be_visible()
        await expect(ann.confirm).to_be_disabled()
        await expect(ann.orders).to_contain_text("accepts no answers")
    await expect(ann.state).to_have_text("Live", timeout=SOON)
    await ann.confirm.click()
    await expect(_deployed(ann)).to_have_count(1)


async def test_an_answer_whose_acknowledgement_is_lost_counts_once(server: ServerProcess, people: People) -> None:
    """The link breaks after the server has taken an answer and before the page hears of it."""
    ann = await people.come(server)
    lost = await _lossy(ann.page)
    await ann.make(ANY)
    await asked(ann)
    first = ann.choice("Deploy")
    await first.first.click()
    lost.cut_after_next = True
    await ann.confirm.click()
    await expect(ann.state).to_have_text("Live", timeout=SOON)
    await expect(_deployed(ann)).to_have_count(1)
    assert lost.cuts > 0
    await asked(ann)
    await ann.deploy({})
    await expect(_deployed(ann)).to_have_count(2)


def _deployed(player: Player) -> Locator:
    return player.log.get_by_role("listitem").filter(has_text=" deploys.")


class _Lossy:
    """What is between a page and the server: told to, it swallows what comes back, and then breaks."""

    def __init__(self) -> None:
        self.cut_after_next = False
        self.cuts = 0

    def carry(self, socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        deaf = False

        def to_server(message: str | bytes) -> None:
            nonlocal deaf
            # Pings and the dice's messages are short: what is long is an order.
            if self.cut_after_next and len(message) > 100:
                deaf = True
                self.cut_after_next = False
            server.send(message)

        async def to_page(message: str | bytes) -> None:
            if not deaf:
                socket.send(message)
                return
            self.cuts += 1
            await socket.close()

        socket.on_message(to_server)
        server.on_message(to_page)


async def _lossy(page: Page) -> _Lossy:
    lossy = _Lossy()
    await page.route_web_socket(re.compile("/ws$"), lossy.carry)
    return lossy
