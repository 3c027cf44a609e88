"""axe-core finds nothing against WCAG 2.2 A and AA: on no page, in no state of the table, light or dark, large or small."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.async_api import expect

from tests.browser.axe import clean
from tests.browser.battles import BATTLES, Battle
from tests.browser.conftest import LAPTOP, PHONE, How, People
from tests.browser.player import acting, asked, deploy
from tests.browser.wire import attacks, ways
from tests.support.servers import ServerProcess

DICE = re.compile(r"D\d+: \d")
TRIES = 40
SIZES: dict[str, How] = {"laptop": {"viewport": LAPTOP}, "phone": PHONE}
SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")
LOOKS = [
    (battle, size, SCHEMES[(row + column) % 2])
    for row, battle in enumerate(BATTLES)
    for column, size in enumerate(SIZES)
]
"""Each edition's words large and small, and each size light and dark."""


@pytest.mark.parametrize(
    ("battle", "size", "scheme"), LOOKS, ids=[f"{look[0].edition.id}-{look[1]}-{look[2]}" for look in LOOKS]
)
async def test_every_page_meets_wcag(
    server: ServerProcess, people: People, battle: Battle, size: str, scheme: Literal["light", "dark"]
) -> None:
    how: How = {**SIZES[size], "color_scheme": scheme}
    ann = await people.come(server, **how)
    page = ann.page
    await page.goto(server.address)
    await ann.choose(battle)
    await page.get_by_text("Options", exact=True).click()
    await clean(page, "start page")
    await page.goto(f"{server.address}/#/rules/{battle.edition.id}")
    await expect(page.get_by_role("heading", name="Rule reference")).to_be_visible()
    await clean(page, "rules")

    await ann.make(battle, next(iter(battle.sides)))
    invite = await ann.link("Invite")
    await clean(page, "waiting for a player")
    bob = await people.come(server, **how)
    await bob.page.goto(invite)
    await expect(bob.page.get_by_label("Your name")).to_be_visible()
    await clean(bob.page, "taking a seat")
    await bob.join(invite, "Bob")
    first = await asked(ann, bob)
    await first.choices.first.click()
    await clean(first.page, "places to deploy at")
    active = await deploy(ann, bob)
    await clean((bob if active is ann else ann).page, "not deciding")
    await clean(active.page, "units to activate")

    # All players come nearer until one of them can shoot.
    drawn = False
    for _ in range(TRIES):
        active = await acting(ann, bob)
        if attacks(active.asks):
            break
        prompt = active.asks.id
        await active.take(ways(active.asks)[0])
        if not drawn:
            await clean(active.page, "a path to draw")
        await active.go_towards(active.middle_of_the_table)
        if not drawn:
            await clean(active.page, "a path")
            drawn = True
        await active.confirm.click()
        await active.answered(prompt)
    await clean(active.page, "actions")
    if not drawn:
        await active.take(ways(active.asks)[0])
        await clean(active.page, "a path to draw")
        for way in ("Move up the table", "Move left"):
            await active.orders.get_by_role("button", name=way).click()
        await clean(active.page, "a path")
        await active.orders.get_by_role("button", name="Back", exact=True).click()
    await active.take(attacks(active.asks)[-1])
    await active.fill()
    await expect(active.orders.get_by_role("region", name="Preview")).to_be_visible()
    await clean(active.page, "a preview")
    await active.confirm.click()
    await active.open("Log")
    dice = active.log.get_by_role("listitem").filter(has=active.page.get_by_role("img", name=DICE))
    await expect(dice.last).to_be_visible()
    await clean(active.page, "dice")
    await dice.get_by_role("link").last.click()
    await expect(active.page.get_by_role("dialog")).to_be_visible()
    await clean(active.page, "a rule")
    await active.page.keyboard.press("Escape")
    await active.open("Units")
    await active.card(next(iter(active.wire.view["units"]))).get_by_role("button").first.click()
    await clean(active.page, "a card")
    await active.open("Chat")
    await clean(active.page, "chat")
    for button in ("Ruler", "Range rings", "What the ground does", "Menu"):
        await active.page.get_by_role("button", name=button).first.click()
    await clean(active.page, "every tool and the menu")
