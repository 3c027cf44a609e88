"""Forces that live on in a league: owners take the steps after a battle, on a phone too, and all see how forces stand."""

from __future__ import annotations

import re

from playwright.async_api import Page, expect

from tests.browser.axe import clean
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player, asked
from tests.browser.test_leagues import MATCH, join, part, say_name, standing
from tests.support.servers import ServerProcess


async def make_campaign(player: Player) -> str:
    """Make a league of FAD 5 in which forces live on, and return its invite link."""
    page = player.page
    await page.goto(f"{player.address}/#/leagues/new")
    await say_name(page, "Olga")
    await page.get_by_label("Name of the league").fill("The Long War")
    await page.get_by_label(re.compile("^Rules")).select_option(label="FAD 5")
    await page.get_by_label("Forces live on").check()
    await page.get_by_label("Units that have fled").select_option(index=1)
    await clean(page, "a new league in which forces live on")
    await page.get_by_role("button", name="Make the league").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("The Long War")
    return await player.link("Invite link")


async def begin(*players: Player) -> None:
    """Go on until the first turn begins. Forces are accepted by joining a league, so that no player is asked about them."""
    while not players[0].wire.view["turn"]:
        await (await asked(*players)).go_on()


async def concede(page: Page) -> None:
    """Give the match up."""
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_role("button", name=re.compile("^Concede")).click()
    await page.get_by_role("dialog", name="Concede the match?").get_by_role("button", name="Concede").click()
    await expect(page.get_by_role("region", name="Result")).to_contain_text("has conceded")


async def at_the_table(olga: Player, link: str, *players: tuple[Player, str]) -> None:
    """Have two players join a league, and sit down at their match."""
    for player, name in players:
        await join(player, link, name)
    await olga.page.reload()
    await olga.page.get_by_role("button", name="Begin round 1").click()
    for player, _ in players:
        await player.page.reload()
        await part(player.page, "What is next").get_by_role("button", name=re.compile("^Play")).click()
        await expect(player.page).to_have_url(MATCH)
        await expect(player.table).to_be_visible()


async def test_a_battle_is_fought_and_the_steps_after_it_are_taken_on_a_phone(
    server: ServerProcess, people: People
) -> None:
    olga, ann, ben = await people.come(server), await people.come(server, **PHONE), await people.come(server)
    link = await make_campaign(olga)
    await at_the_table(olga, link, (ann, "Ann"), (ben, "Ben"))
    await begin(ann, ben)
    await concede(ben.page)

    # The result comes in, and Ann's force has steps to take.
    page = ann.page
    await page.goto(link)
    steps = page.get_by_role("link", name="Take the steps after your battle")
    await expect(steps).to_be_visible()
    await clean(page, "a league in which a step is due, on a phone")
    await steps.tap()
    due = page.get_by_role("region", name="How many reinforcements come?")
    await expect(due).to_contain_text("What can come out of 2D6")
    await expect(due).to_contain_text("the default is taken in 3 days")
    await expect(part(page, "Units")).to_contain_text("1 battle: without a loss.")
    await clean(page, "dice after a battle, on a phone")
    await due.get_by_role("button", name="Roll the dice").tap()
    bought = page.get_by_role("region", name=re.compile("Buy another die"))
    await bought.get_by_role("button", name="Keep the points").tap()
    spend = page.get_by_role("region", name=re.compile("What is bought"))
    await expect(part(page, "The story so far")).to_contain_text("reinforcements come")
    formed = page.get_by_role("region", name=re.compile("form a new squad"))
    await expect(formed.or_(spend)).to_be_visible()
    if await formed.is_visible():  # many have come
        await formed.get_by_role("button", name="Form none").tap()
    await spend.get_by_role("button", name=re.compile("^1st Drop Squad: Resolve")).tap()
    await expect(part(page, "Units")).to_contain_text("(Steady at the start)")
    await clean(page, "buying after a battle, on a phone")
    # Until all steps are taken, Ben sees the force as it came from the battle.
    await ben.page.goto(page.url)
    await expect(ben.page.get_by_text("Ann is taking the steps after the last battle.")).to_be_visible()
    await expect(part(ben.page, "Units")).not_to_contain_text("(Steady at the start)")
    await spend.get_by_role("button", name="Keep the points").tap()
    await expect(page.get_by_text("All steps after the last battle are taken")).to_be_visible()
    await clean(page, "a roster on a phone")
    units = part(page, "Units")
    await units.get_by_role("button", name="Name the figures of 1st Drop Squad").tap()
    await units.get_by_label("Figure 1", exact=True).fill("Sergeant Ilse")
    await units.get_by_label("Figure 3", exact=True).fill("Marek")
    await clean(page, "naming figures on a phone")
    await units.get_by_role("button", name="Keep these names").tap()
    await expect(units).to_contain_text("Sergeant Ilse, Marek.")
    await ben.page.reload()
    await expect(part(ben.page, "Units")).to_contain_text("(Steady at the start)")
    await expect(part(ben.page, "Units")).to_contain_text("Sergeant Ilse, Marek.")
    await expect(part(ben.page, "Units").get_by_role("button", name=re.compile("^Name the figures"))).to_have_count(0)
    await clean(ben.page, "another player's roster")
    await ben.page.goto(link)
    await expect(standing(ben.page, "Ann").get_by_role("cell").nth(0)).to_have_text("1")
    await expect(part(ben.page, "What happened")).to_contain_text("Ann is ready for the next battle.")


async def test_a_match_leads_back_to_its_league_which_says_that_it_was_no_battle(
    server: ServerProcess, people: People
) -> None:
    olga, ann, ben = await people.come(server), await people.come(server), await people.come(server)
    link = await make_campaign(olga)
    await at_the_table(olga, link, (ann, "Ann"), (ben, "Ben"))
    await concede(ben.page)
    page = ann.page
    after = page.get_by_role("navigation", name="After the match")
    back = after.get_by_role("link", name="Back to the league")
    await expect(back).to_be_visible()
    await expect(after.get_by_role("button", name=re.compile("Rematch"))).to_have_count(0)
    await clean(page, "the end of a match of a league")
    await after.get_by_role("link", name="Result and luck").click()
    # The table has two such links, and may still be leaving.
    back = page.get_by_role("link", name="Back to the league")
    await expect(back).to_have_count(1)
    await expect(back).to_be_visible()
    await clean(page, "the result of a match of a league")
    await back.click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("The Long War")
    no_battle = "The match ended before its first turn, so that no force has fought."
    await expect(part(page, "Matches")).to_contain_text(no_battle)
    await expect(part(page, "What happened")).to_contain_text(no_battle)
    await expect(part(page, "What is next")).to_contain_text("All rounds are played. The organiser ends the league.")
    await clean(page, "a league whose only match was no battle")
    await olga.page.reload()
    await expect(part(olga.page, "Organise")).to_contain_text("You can end the league now.")
    await clean(olga.page, "what an organiser does after the last round")
    await page.locator("a[href*='/roster/']").first.click()
    await expect(part(page, "The story so far")).to_contain_text(no_battle)
    await clean(page, "a roster that has fought no battle")
