"""Blind deployment: what the other side has placed is nowhere in the page, and nowhere in what was sent to it."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from playwright.async_api import Page, WebSocket, expect

from tests.browser.conftest import People
from tests.browser.player import Player, asked
from tests.support.servers import ServerProcess

BLIND = {"Deployment": "Blind"}


class Frames:
    """What a page was sent."""

    def __init__(self, page: Page) -> None:
        self.raw: list[bytes] = []
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda data: self.raw.append(data if isinstance(data, bytes) else data.encode()))

    def placed(self) -> set[str]:
        """The figures that some frame has put on the table."""
        found = {name for frame in self.raw for name in _placed(msgspec.msgpack.decode(frame))}
        return {name.partition("/units/")[2] for name in found}


def _placed(node: object, name: str = "") -> Iterator[str]:
    """What has a place below a node, named by the way to it: /view/units/blue-1/figures/3."""
    if isinstance(node, dict):
        if node.get("at"):
            yield name
        for key, value in node.items():
            yield from _placed(value, f"{name}/{key}")
    elif isinstance(node, list):
        for value in node:
            yield from _placed(value, name)


def _side(figures: set[str], side: str) -> set[str]:
    return {figure for figure in figures if figure.startswith(side)}


async def _shown(player: Player, side: str) -> int:
    return await player.page.locator(f'g.unit[data-unit^="{side}"] .figure').count()


async def test_nobody_is_sent_the_other_sides_places(server: ServerProcess, people: People) -> None:
    ann, bob, eve = await people.come(server), await people.come(server), await people.come(server)
    frames = {player: Frames(player.page) for player in (ann, bob, eve)}
    await ann.make("Crossroads Patrol", "Blue patrol", "Ann", options=BLIND)
    invite = await ann.link("Invite")
    await eve.page.goto(await ann.link("Watch link"))
    await bob.join(invite, "Bob")
    await asked(ann)
    await asked(bob)

    await ann.drag(await ann.handle_at("1st Rifle Squad"), (24.0, 11.0))
    await ann.confirm.click()
    await expect(ann.orders).to_contain_text("Your answer is in")
    await expect(eve.orders).to_contain_text("Bob")
    # A page that comes now is sent the whole view: it must not hold them either.
    await bob.page.reload()
    await eve.page.reload()
    await asked(bob)
    await expect(eve.orders).to_contain_text("Bob")
    for player in (bob, eve):
        assert await _shown(player, "blue") == 0
        assert _side(frames[player].placed(), "blue") == set()
    # It can still be changed, and is where it was left.
    await ann.orders.get_by_role("button", name="Change my answer").click()
    assert 10 < (await ann.handle_at("1st Rifle Squad"))[1] < 12
    await ann.drag(await ann.handle_at("1st Rifle Squad"), (30.0, 10.0))
    await ann.confirm.click()
    await expect(ann.orders).to_contain_text("Your answer is in")

    await bob.confirm.click()
    for player in (ann, bob, eve):
        await expect(player.page.locator("g.unit .figure")).to_have_count(22)
        assert 29 < (await player.middle("blue-1"))[0] < 31
        # The proof that these frames would have shown it.
        assert [len(_side(frames[player].placed(), side)) for side in ("blue", "red")] == [11, 11]


async def test_a_passed_device_hides_the_table(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make("Crossroads Patrol", "Both", options=BLIND)
    for side, other in (("Blue", "red"), ("Red", "blue")):
        await expect(ann.page.get_by_role("heading", name="Pass the device")).to_be_visible()
        await expect(ann.page.get_by_text(f"{side} patrol decides now")).to_be_visible()
        assert await ann.page.locator(".tabletop, .units, [data-handle]").count() == 0
        await ann.page.get_by_role("button", name=f"I play {side} patrol").click()
        await asked(ann)
        assert await _shown(ann, other) == 0
        await ann.confirm.click()
    await expect(ann.page.locator("g.unit .figure")).to_have_count(22)
