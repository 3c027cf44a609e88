"""Tasks of the action Command that leave something on the table: charges at their target, and a scout away from his squad."""

from __future__ import annotations

import re

import msgspec
from playwright.async_api import expect

from tests.browser.conftest import People
from tests.browser.player import Player, asked
from tests.browser.seating import made_from, sit
from tests.support.battlefield import piece, unit
from tests.support.servers import ServerProcess
from tests.support.tabletop import Row, setup


def _position() -> bytes:
    """Sappers under fire at a gate, whose engineer needs no die, and a squad that can send a scout."""
    row = unit("blue", [(20 + 1.5 * i, 17) for i in range(5)], id="sappers", conditions=["under_fire"])
    rows: list[Row] = [
        {**figure, **({"engineer": True} if figure["id"] == "3" else {})}
        for figure in row["figures"]  # type: ignore[attr-defined]  # the rows of figures
    ]
    sappers = {**row, "demolition_charges": 1, "figures": rows}
    units = (sappers, unit("blue", (6, 6), id="watch"), unit("red", (30, 40), figures=3))
    gate = piece("cliff", (16, 18), (34, 20), id="gate", name="Flood gate", flags=["impassable", "demolishable"])
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    options = {"scout": "on", "demolitions": "on"}
    return msgspec.json.encode(setup("fad4", units, (48, 48), 12, turn=turn, options=options, terrain=[gate]))


async def _sit(server: ServerProcess, player: Player) -> None:
    """Take all seats in this browser."""
    await sit(server, player, await made_from(server, _position()))


async def _command(player: Player, name: str) -> None:
    """Activate a unit, and let it take the action Command."""
    await player.activate(name)
    await player.take("Command")
    await asked(player, about="first task")


async def _confirm(player: Player) -> None:
    prompt = player.asks.id
    await player.confirm.click()
    await player.answered(prompt)


async def test_charges_and_scouts_are_drawn_where_they_are(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await _sit(server, ann)
    await _command(ann, "Sappers")
    await ann.take("Rig charges")
    await ann.orders.get_by_role("checkbox", name=re.compile("Engineer")).check()
    await expect(ann.orders.get_by_role("region", name="Preview")).to_contain_text("Rigged if it stays in place")
    await _confirm(ann)
    await expect(ann.page.locator(".area.charges")).to_have_count(1)
    await expect(ann.page.locator(".ground", has_text="Charges of Sappers, being rigged")).to_have_count(1)

    await asked(ann, about="second task")
    await ann.go_on()
    # The red squad does nothing.
    await asked(ann, about="Activate")
    await ann.go_on()
    await asked(ann, about="choose its action")
    await ann.go_on()
    await _command(ann, "Watch")
    await ann.take("Scout")
    await ann.orders.get_by_role("checkbox").last.check()
    await _confirm(ann)
    await asked(ann, about="scout")
    # Over the gate is too far; this side of it is near enough, whatever stands between.
    await ann.drag((18.5, 6.0), (30.0, 22.0))
    await expect(ann.orders.locator(".refusal").first).to_contain_text("within 12")
    await expect(ann.confirm).to_be_disabled()
    await ann.drag((30.0, 22.0), (24.0, 14.0))
    await _confirm(ann)
    tether = ann.unit("watch").locator(".tether")
    await expect(tether).to_have_count(1)
    await expect(ann.unit("watch")).to_have_attribute("aria-label", re.compile("1 out scouting"))
    await expect(ann.unit("watch").locator(".lying")).to_have_count(0)
