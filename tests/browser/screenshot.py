"""Takes the picture of the README: a battle in its third turn, played by two browsers until there is something to see.

python -m tests.browser.screenshot [docs/screenshot.png] [--dark]
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from pathlib import Path
from typing import Literal

from playwright.async_api import async_playwright, expect

from tests.browser.conftest import LAPTOP, launch
from tests.browser.player import Player, asked
from tests.support.servers import serving

SCENARIO, FIRST_SIDE = "Hold the Relay", "Signals company"
TURN = 3
FORWARD = {"blue": 1, "red": -1}


async def _move(player: Player, side: str) -> None:
    """Rush ahead, towards the middle of the table."""
    await player.take("Move Out")
    x, y = await player.handle_at()
    await player.drag((x, y + 0.7), (x + (24 - x) * 0.25, y + 11 * FORWARD[side]))
    if not await player.confirm.is_enabled():
        await player.orders.get_by_role("button", name="Back", exact=True).click()
        await player.take("Hold")
        return
    await player.confirm.click()


async def _act(player: Player, side: str) -> bool:
    """One answer. Whether it ended with odds on the page that wait to be confirmed in the wanted turn."""
    title = await player.prompt()
    if "Deploy" in title:
        await player.deploy({})
        return False
    if "choose its action" not in title:
        await player.do_little()
        await expect(player.title).not_to_have_text(title)
        return False
    turn = int((re.search(r"Turn (\d+)", await player.page.get_by_role("banner").inner_text()) or ["", "0"])[1])
    if turn > 1 and await player.choice("Open Fire").is_enabled():
        await player.take("Open Fire")
        target = player.orders.get_by_role("group", name="Target").get_by_role("button", disabled=False).first
        await target.click()
        odds = player.orders.get_by_role("region", name="What would come of it")
        await expect(odds).to_be_visible()
        if turn >= TURN and await player.log.get_by_text("fall").count():
            return True
        await player.confirm.click()
    elif await player.choice("Move Out").is_enabled():
        await _move(player, side)
    else:
        await player.take("Hold")
    await expect(player.title).not_to_have_text(title)
    return False


async def take(picture: Path, scheme: Literal["light", "dark"]) -> None:
    """Play, and save the picture."""
    with tempfile.TemporaryDirectory() as data:
        async with serving(Path(data)) as server, async_playwright() as playwright:
            browser = await launch(playwright)
            pages = [await browser.new_page(viewport=LAPTOP, color_scheme=scheme) for _ in FORWARD]
            ann, bob = (Player(page, server.address) for page in pages)
            await ann.make(SCENARIO, FIRST_SIDE, "Ann")
            await bob.join(await ann.link("Invite"), "Bob")
            while True:
                player = await asked(ann, bob)
                if await _act(player, "blue" if player is ann else "red"):
                    break
            await player.page.wait_for_timeout(1000)  # for the dice to lie still
            await player.page.screenshot(path=picture)
            await browser.close()


if __name__ == "__main__":
    arguments = [argument for argument in sys.argv[1:] if not argument.startswith("--")]
    asyncio.run(
        take(Path(arguments[0] if arguments else "docs/screenshot.png"), "dark" if "--dark" in sys.argv else "light")
    )
