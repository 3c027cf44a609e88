"""A squad that warps: its figures are put down at a receiver on the other side of the table, and it is Pinned or not."""

from __future__ import annotations

import re

import msgspec
from playwright.async_api import expect

from tests.browser.conftest import People
from tests.browser.seating import made_from, sit
from tests.support.battlefield import piece, unit
from tests.support.servers import ServerProcess
from tests.support.tabletop import setup

CAME_OUT = re.compile(r"Blue 1 comes out (calm|shaken, and is Pinned)\.")


def _position() -> bytes:
    units = (
        unit("blue", (8, 6), figures=4, traits={"short_range_warp": True}),
        unit("red", (8, 44), figures=3),
    )
    terrain = [
        piece("receiver", (29.7, 19.7), (30.3, 20.3), id="receiver-1", flags=["receiver:blue"]),
        piece("nanowire", (18, 18), (22, 22), id="nanowire-1"),
        piece("woods", (20, 28), (34, 36), id="wood"),
    ]
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    return msgspec.json.encode(setup("fad4", units, (48, 48), 12, turn=turn, terrain=terrain))


async def test_a_squad_warps_to_a_receiver(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await sit(server, ann, await made_from(server, _position()))
    await ann.activate("Blue 1")
    prompt = ann.asks.id
    await ann.take("^.?Command")
    await ann.answered(prompt)
    # The figures stand round the receiver as the server suggests; what may come of it is told.
    await ann.take("^.?Warp to")
    await expect(ann.page.locator("g.placement")).to_be_visible()
    await expect(ann.orders).to_contain_text("Pinned")
    await expect(ann.confirm).to_be_enabled()
    prompt = ann.asks.id
    await ann.confirm.click()
    await ann.answered(prompt)
    await ann.open("Log")
    await expect(ann.log).to_contain_text(CAME_OUT)
