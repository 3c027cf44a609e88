"""A campaign on a map: drawn by its organiser, ordered on a laptop and a phone, fought where forces meet."""

from __future__ import annotations

import re

from playwright.async_api import Locator, Page, expect

from tests.browser.axe import clean
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player
from tests.browser.test_campaigns import concede
from tests.browser.test_leagues import MATCH, join, part, say_name, standing
from tests.support.servers import ServerProcess


async def make_campaign(player: Player) -> str:
    """Make a campaign on the ready map for two players, whose ford has another name, and return its invite link."""
    page = player.page
    await page.goto(f"{player.address}/#/leagues/new")
    await say_name(page, "Olga")
    await page.get_by_role("radio", name=re.compile("Map campaign")).check()
    await page.get_by_label("Name of the league").fill("The River War")
    drawing = page.get_by_role("group", name="The map that you draw")
    await drawing.get_by_role("button", name=re.compile("Change Ford")).click()
    await page.get_by_label("Name of the area").fill("Deep Ford")
    await page.get_by_role("spinbutton", name="Worth").fill("5")
    # Areas are moved by the keyboard and by the pointer.
    ford = drawing.get_by_role("button", name=re.compile("Change Deep Ford"))
    await ford.press("ArrowDown")
    await expect(page.get_by_role("spinbutton", name="Down")).to_have_value("520")
    box = await ford.locator(".disc").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    await page.mouse.move(x, y)
    await page.mouse.down()
    await page.mouse.move(x + 60, y, steps=4)
    await page.mouse.up()
    await expect(page.get_by_role("spinbutton", name="Across")).not_to_have_value("500")
    await page.get_by_role("button", name="Add an area").click()
    make = page.get_by_role("button", name="Make the league")
    await expect(make).to_be_disabled()
    await expect(page.get_by_text("No route leads to Area 6")).to_be_visible()
    await page.get_by_role("button", name="Draw a route").click()
    await drawing.get_by_role("button", name="Join with Deep Ford").click()
    await clean(page, "a map that is drawn")
    await make.click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("The River War")
    return await player.link("Invite link")


def the_map(page: Page) -> Locator:
    return part(page, "The map")


async def test_two_forces_meet_on_a_map_and_the_winner_holds_the_area(server: ServerProcess, people: People) -> None:
    olga, ann, ben = await people.come(server), await people.come(server), await people.come(server, **PHONE)
    link = await make_campaign(olga)
    for player, name in ((ann, "Ann"), (ben, "Ben")):
        await join(player, link, name)
    await olga.page.reload()
    await olga.page.get_by_role("button", name="Begin turn 1").click()
    await expect(the_map(olga.page)).to_contain_text("Still to come: Ann, Ben.")

    # Ann orders on the map, Ben from the list; Ben sees that Ann has ordered, and not where to.
    await ann.page.reload()
    await the_map(ann.page).get_by_role("button", name=re.compile("March to Deep Ford")).click()
    await expect(the_map(ann.page)).to_contain_text("Your order: March to Deep Ford.")
    await clean(ann.page, "an order on a map")
    await ben.page.reload()
    await expect(the_map(ben.page)).to_contain_text("Still to come: Ben.")
    await expect(the_map(ben.page).get_by_role("img", name=re.compile(r"^West Farm.*Here: Ann\."))).to_be_visible()
    await clean(ben.page, "a map on a phone")
    await the_map(ben.page).get_by_label("Order for your force").select_option(label="March to Deep Ford")
    await the_map(ben.page).get_by_role("button", name="Give the order").tap()
    await expect(the_map(ben.page)).to_contain_text("One battle is to be fought.")
    await expect(the_map(ben.page).get_by_role("listitem").filter(has_text="Deep Ford")).to_contain_text("not begun")
    await expect(part(ben.page, "What happened")).to_contain_text("meet at Deep Ford: they fight for it.")

    await expect(part(ben.page, "Matches")).to_contain_text("Deep Ford · ")
    for player in (ann, ben):
        await player.page.reload()
        await part(player.page, "What is next").get_by_role("button", name=re.compile("^Play")).click()
        await expect(player.page).to_have_url(MATCH)
    await olga.page.reload()
    await expect(the_map(olga.page).get_by_role("link", name="The battle at Deep Ford")).to_be_visible()
    await clean(olga.page, "a map with a battle")
    await expect(ann.table).to_be_visible()
    await concede(ben.page)

    page = ann.page
    await page.goto(link)
    held = the_map(page).get_by_role("img", name=re.compile(r"^Deep Ford, worth 5\. Held by Ann\. Here: Ann\.$"))
    await expect(held).to_be_visible()
    await expect(the_map(page).get_by_role("img", name=re.compile(r"^East Farm.*Here: Ben\.$"))).to_be_visible()
    await expect(the_map(page)).to_contain_text("Turn 1 is over.")
    await expect(part(page, "What happened")).to_contain_text("Ben goes back from Deep Ford to East Farm.")
    # Three points for the win, six for two areas.
    await expect(standing(page, "Ann")).to_contain_text("9")
    await clean(page, "a map after a battle")
