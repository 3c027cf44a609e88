"""Blind deployment: what the other side has placed is nowhere in the page, and nowhere in what was sent to it."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import msgspec
import pytest
from playwright.async_api import Page, WebSocket, expect

from tests.browser.battles import BATTLES, Battle
from tests.browser.conftest import People
from tests.browser.player import Player, asked
from tests.support.servers import ServerProcess, until

BLIND = "Blind"
every_blind_battle = pytest.mark.parametrize(
    "battle", [battle for battle in BATTLES if battle.option(BLIND)], ids=lambda battle: battle.edition.id
)


class Frames:
    """What a page was sent, by the websocket through which it came."""

    def __init__(self, page: Page) -> None:
        self._page = page
        self._raw: dict[WebSocket, list[bytes]] = {}
        page.on("websocket", self._listen)

    def _listen(self, socket: WebSocket) -> None:
        raw = self._raw[socket] = []
        socket.on("framereceived", lambda data: raw.append(data if isinstance(data, bytes) else data.encode()))

    def placed(self) -> set[str]:
        """The figures that some frame has put on the table. A start page shows the tables of other matches, too."""
        sent = [[msgspec.msgpack.decode(frame) for frame in raw] for raw in self._raw.values()]
        match = self._page.url.rpartition("/")[2]
        ours = [frames for frames in sent if all(frame.get("match") in {None, "", match} for frame in frames)]
        found = {name for frames in ours for frame in frames for name in _placed(frame)}
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


def _figures(player: Player, side: str = "") -> int:
    """How many figures there are, or a side has."""
    return sum(len(unit["figures"]) for unit in player.wire.view["units"].values() if side in {"", unit["side"]})


def _sent_all(frames: Frames, player: Player, side: str) -> bool:
    """Whether frames have shown all figures of a side. What the page draws may be seen before we hear of the frame."""
    return len(_side(frames.placed(), side)) == _figures(player, side)


async def _shown(player: Player, side: str) -> int:
    return await player.page.locator(f'g.unit[data-unit^="{side}"] .figure').count()


@every_blind_battle
async def test_no_page_is_sent_the_other_sides_places(server: ServerProcess, people: People, battle: Battle) -> None:
    ours, theirs = battle.sides
    ann, bob, eve = await people.come(server), await people.come(server), await people.come(server)
    frames = {player: Frames(player.page) for player in (ann, bob, eve)}
    await ann.make(battle, ours, "Ann", options=battle.option(BLIND))
    invite = await ann.link("Invite")
    await eve.page.goto(await ann.link("Watch link"))
    await bob.join(invite, "Bob")
    await asked(ann)
    await asked(bob)

    unit = ann.handle().first
    x, y = await ann.handle_at(unit)
    await ann.drag((x, y), (x - 4, y))
    await ann.confirm.click()
    await expect(ann.orders).to_contain_text("Your answer is in")
    await expect(eve.orders).to_contain_text("Bob")
    # A page that comes now is sent the whole view: it must not hold them either.
    await bob.page.reload()
    await eve.page.reload()
    await asked(bob)
    await expect(eve.orders).to_contain_text("Bob")
    for player in (bob, eve):
        assert await _shown(player, ours) == 0
        assert _side(frames[player].placed(), ours) == set()
    # It can still be changed, and is where it was left.
    await ann.orders.get_by_role("button", name="Change my answer").click()
    assert abs((await ann.handle_at(unit))[0] - x + 4) < 0.2
    await ann.drag(await ann.handle_at(unit), (x - 2, y))
    placed = await ann.handle_at(unit)
    assert abs(placed[0] - x + 2) < 0.2
    await ann.confirm.click()
    await expect(ann.orders).to_contain_text("Your answer is in")

    await bob.confirm.click()
    for player in (ann, bob, eve):
        await expect(player.page.locator("g.unit .figure")).to_have_count(_figures(player))
        # Once revealed, the same frames show it: the search above could have found it.
        for side in (ours, theirs):
            await until(partial(_sent_all, frames[player], player, side))
        assert abs((await player.middle(next(iter(player.wire.view["units"]))))[0] - placed[0]) < 2


@every_blind_battle
async def test_a_passed_device_hides_the_table(server: ServerProcess, people: People, battle: Battle) -> None:
    ann = await people.come(server)
    await ann.make(battle, options=battle.option(BLIND))
    (ours, our_name), (theirs, their_name) = battle.sides.items()
    for name, other in ((our_name, theirs), (their_name, ours)):
        await expect(ann.page.get_by_role("heading", name="Pass the device")).to_be_visible()
        await expect(ann.page.get_by_text(f"{name} decides now")).to_be_visible()
        assert await ann.page.locator(".tabletop, .units, [data-handle]").count() == 0
        await ann.page.get_by_role("button", name=f"I play {name}").click()
        await asked(ann)
        assert await _shown(ann, other) == 0
        await ann.confirm.click()
    await expect(ann.page.locator("g.unit .figure")).to_have_count(_figures(ann))
