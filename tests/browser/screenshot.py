"""Takes the picture of the README: a battle in its third turn, played by two browsers until there is something to see.

python -m tests.browser.screenshot [docs/screenshot.png] [--scenario "Hold the Relay"] [--dark]

Without a scenario it is the first one of the first edition.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from pathlib import Path
from typing import Literal

from playwright.async_api import expect

from server.rulesets.library import editions
from tests.browser.battles import ANY, Battle
from tests.browser.conftest import LAPTOP, launched
from tests.browser.player import Player, asked, deploy
from tests.browser.wire import attacks, is_action, ways
from tests.support.servers import serving

TURN = 3


async def _move(player: Player) -> None:
    """Move towards the middle of the table."""
    prompt = player.asks.id
    await player.take(ways(player.asks)[0])
    x, y = await player.handle_at()
    middle_x, middle_y = player.middle_of_the_table
    await player.drag((x, y), (x + (middle_x - x) * 0.4, y + (middle_y - y) * 0.6))
    if not await player.confirm.is_enabled():
        await player.orders.get_by_role("button", name="Back", exact=True).click()
        await player.go_on()
        return
    await player.confirm.click()
    await player.answered(prompt)


async def _act(player: Player) -> bool:
    """One answer. Whether odds are on the page that wait to be confirmed in the wanted turn."""
    if not is_action(player.asks):
        await player.go_on()
        return False
    turn = int(player.wire.view["turn"])
    if turn > 1 and attacks(player.asks):
        prompt = player.asks.id
        await player.take(attacks(player.asks)[-1])
        await player.fill()
        await expect(player.orders.get_by_role("region", name="Preview")).to_be_visible()
        if turn >= TURN and await player.log.get_by_text("fall").count():
            return True
        await player.confirm.click()
        await player.answered(prompt)
    elif ways(player.asks):
        await _move(player)
    else:
        await player.go_on()
    return False


async def _play(battle: Battle, ann: Player, *others: Player) -> Player | None:
    """Play until there is something to see; return the player who sees it, or None if the match ends before."""
    await ann.make(battle, next(iter(battle.sides)), "Ann")
    for player, name in zip(others, list(battle.sides.values())[1:], strict=True):
        await player.join(await ann.link(f"Invite: play {name}"), "Bob")
    await deploy(ann, *others)
    while ann.wire.view["result"] is None:
        player = await asked(ann, *others)
        if await _act(player):
            return player
    return None


async def take(picture: Path, battle: Battle, scheme: Literal["light", "dark"]) -> None:
    """Play, and save the picture."""
    with tempfile.TemporaryDirectory() as data:
        async with serving(Path(data)) as server, launched() as browser:
            player = None
            while player is None:
                pages = [await browser.new_page(viewport=LAPTOP, color_scheme=scheme) for _ in battle.sides]
                player = await _play(battle, *(Player(page, server.address) for page in pages))
            await player.page.wait_for_timeout(1000)  # for the dice to lie still
            await player.page.screenshot(path=picture)


def _battle(name: str) -> Battle:
    """The battle with the scenario of this name."""
    found = [
        Battle(rules.info, scenario)
        for rules in editions().values()
        for scenario in rules.info.scenarios
        if scenario.name == name
    ]
    return found[0] if found else ANY


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.browser.screenshot", description=__doc__)
    parser.add_argument("picture", nargs="?", type=Path, default=Path("docs/screenshot.png"))
    parser.add_argument("--scenario", default="", help="the name of a scenario of any edition")
    parser.add_argument("--dark", action="store_true")
    flags = parser.parse_args()
    asyncio.run(take(flags.picture, _battle(flags.scenario), "dark" if flags.dark else "light"))
