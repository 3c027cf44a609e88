"""A league whose players play for sides: made, joined, changed, and how the sides stand."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser.axe import clean
from tests.browser.conftest import PHONE, People
from tests.browser.test_leagues import choose_force, join, part, say_name
from tests.support.servers import ServerProcess


async def test_players_choose_sides_and_challenge_those_of_others(server: ServerProcess, people: People) -> None:
    olga, ann = await people.come(server), await people.come(server)
    ben, cat = await people.come(server, **PHONE), await people.come(server)
    page = olga.page
    await page.goto(f"{olga.address}/#/leagues/new")
    await say_name(page, "Olga")
    await page.get_by_role("radio", name=re.compile("Free challenges|Challenges")).check()
    await page.get_by_label("Name of the league").fill("Border War")
    await page.get_by_label("Players play for sides").check()
    await page.get_by_role("textbox", name="Side 2").fill("blue")
    make = page.get_by_role("button", name="Make the league")
    await expect(page.get_by_text("Two sides have the same name.")).to_be_visible()
    await expect(make).to_be_disabled()
    await page.get_by_role("textbox", name="Side 2").fill("Green")
    await clean(page, "the sides of a new league")
    await make.click()
    link = await olga.link("Invite link")

    await join(ann, link, "Ann")
    await expect(part(ann.page, "Your place").get_by_label("The side for which you play")).to_have_value("1")
    page = ben.page
    await page.goto(link)
    await say_name(page, "Ben")
    await page.get_by_label("For which side you play").select_option(label="Blue, 1 player")
    await choose_force(page)
    await page.get_by_role("button", name="Join the league").click()
    own = part(page, "Your place")
    await own.get_by_label("The side for which you play").select_option(label="Green, 0 players")
    await expect(part(page, "What happened")).to_contain_text("Ben plays for Green from now on.")
    await join(cat, link, "Cat")

    coming = part(cat.page, "What is next")
    await expect(coming.get_by_role("option")).to_have_text(["Ben"])
    await coming.get_by_role("button", name="Challenge", exact=True).click()
    await page.reload()
    await page.get_by_role("button", name=re.compile("^Accept the challenge")).tap()
    await expect(own).to_contain_text("You play for Green.")
    page = olga.page
    await page.reload()
    await part(page, "Matches").get_by_role("button", name=re.compile("^Settle")).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Ben has won").check()
    await dialog.get_by_label("Why").fill("Cat could not come.")
    await dialog.get_by_role("button", name="Settle it").click()
    table = part(page, "Sides")
    await expect(table.get_by_role("row", name=re.compile("Green"))).to_contain_text("3")
    await expect(table.get_by_role("row").nth(1)).to_contain_text("Green")
    await clean(page, "a league with sides")
    await ben.page.reload()
    await expect(part(ben.page, "Sides")).to_contain_text("Blue")
    await clean(ben.page, "a league with sides on a phone")
