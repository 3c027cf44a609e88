"""axe-core finds nothing against WCAG 2.2 A and AA: on no page, in no state of the table, light or dark, large or small."""

from __future__ import annotations

from typing import Literal

import pytest
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import expect

from tests.browser.conftest import LAPTOP, PHONE, How, People
from tests.browser.player import Player, asked, deploy
from tests.support.servers import ServerProcess

RULES = {
    "runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"],
    "resultTypes": ["violations"],
}
SIZES: dict[str, How] = {"laptop": {"viewport": LAPTOP}, "phone": PHONE}


async def _clean(player: Player, where: str) -> None:
    """Nothing is wrong with the page as it stands, once nothing moves any more."""
    await player.page.evaluate("Promise.allSettled(document.getAnimations().map((animation) => animation.finished))")
    results = await Axe().run(player.page, options=RULES)
    found = [
        f"{where}: {violation['id']}: {node['html'][:160]} {node.get('failureSummary', '')}"
        for violation in results.response["violations"]
        for node in violation["nodes"]
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["laptop", "phone"])
async def test_no_page_shuts_anybody_out(
    server: ServerProcess, people: People, size: str, scheme: Literal["light", "dark"]
) -> None:
    how: How = {**SIZES[size], "color_scheme": scheme}
    ann = await people.come(server, **how)
    page = ann.page
    await page.goto(server.address)
    await page.get_by_text("Options", exact=True).click()
    await _clean(ann, "start page")
    await page.goto(f"{server.address}/#/rules/fad4")
    await expect(page.get_by_role("heading", name="Rule reference")).to_be_visible()
    await _clean(ann, "rules")

    await ann.make("Crossroads Patrol", "Blue patrol")
    invite = await ann.link("Invite")
    await _clean(ann, "waiting for a player")
    bob = await people.come(server, **how)
    await bob.page.goto(invite)
    await expect(bob.page.get_by_label("Your name")).to_be_visible()
    await _clean(bob, "taking a seat")
    await bob.join(invite, "Bob")
    first = await asked(ann, bob)
    await first.choice("Deploy").first.click()
    await _clean(first, "places to deploy at")
    active = await deploy(ann, bob, places={"1st Rifle Squad": (24, 11), "1st Scout Squad": (24, 40)})
    watcher = bob if active is ann else ann
    await _clean(watcher, "not deciding")

    await _clean(active, "units to activate")
    await active.activate("1st (Rifle|Scout) Squad")
    await _clean(active, "actions")
    await active.take("Move Out")
    await _clean(active, "a path to draw")
    for way in ("Move up the table", "Move left"):
        await active.orders.get_by_role("button", name=way).click()
    await _clean(active, "a path")
    await active.orders.get_by_role("button", name="Back", exact=True).click()
    await active.take("Open Fire")
    await active.orders.get_by_role("group", name="Target").get_by_role("button", disabled=False).first.click()
    await expect(active.orders.get_by_role("region", name="What would come of it")).to_be_visible()
    await _clean(active, "a preview")
    await active.confirm.click()
    await active.open("Log")
    await expect(active.log).to_contain_text("Fire Effect")
    await _clean(active, "dice")
    await active.log.get_by_role("link", name="Regular").last.click()
    await expect(active.page.get_by_role("dialog")).to_be_visible()
    await _clean(active, "a rule")
    await active.page.keyboard.press("Escape")
    await active.open("Units")
    await active.card("red-1").get_by_role("button").first.click()
    await _clean(active, "a card")
    await active.open("Chat")
    await _clean(active, "chat")
    for button in ("Ruler", "Range rings", "What the ground does", "Menu"):
        await active.page.get_by_role("button", name=button).first.click()
    await _clean(active, "every tool and the menu")
