"""The season of a league in pictures, its options, its co-organisers, and the list of past seasons."""

from __future__ import annotations

import re

from playwright.async_api import Page, expect

from tests.browser.axe import clean
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player
from tests.browser.test_leagues import join, make_league, part, say_name
from tests.support.servers import ServerProcess


async def settled_cup(server: ServerProcess, people: People, name: str) -> tuple[Player, Player, Player, str]:
    """A knock-out of two whose final Ben has won: its organiser, its players, its invite link."""
    olga, ann, ben = await people.come(server), await people.come(server), await people.come(server, **PHONE)
    link = await make_league(olga, name, template="Knock-out")
    await join(ann, link, "Ann")
    await join(ben, link, "Ben")
    page = olga.page
    await page.reload()
    await page.get_by_role("button", name="Begin round 1").click()
    await part(page, "Matches").get_by_role("button", name=re.compile("^Settle")).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Ben has won").check()
    await dialog.get_by_label("Why").fill("Ann could not come.")
    await dialog.get_by_role("button", name="Settle it").click()
    await expect(part(page, "Matches")).to_contain_text("Ben won. Ann could not come.")
    return olga, ann, ben, link


async def test_a_league_shows_its_season_its_bracket_and_all_pairs(server: ServerProcess, people: People) -> None:
    olga, _, ben, _ = await settled_cup(server, people, "Picture Cup")
    page = olga.page
    bracket = part(page, "Bracket")
    await expect(bracket.get_by_role("heading", name="Final")).to_be_visible()
    await expect(bracket).to_contain_text("Ben has won the bracket.")
    season = part(page, "The season")
    await expect(season.get_by_role("img", name=re.compile("The places of 2 players after each round"))).to_be_visible()
    await season.get_by_role("button", name="Points").click()
    await expect(season.get_by_role("img", name=re.compile("The points of 2 players.*Ben: 3"))).to_be_visible()
    ann = season.get_by_role("button", name="Ann")
    await ann.click()
    await expect(ann).to_have_attribute("aria-pressed", "true")
    await season.get_by_text("The same as a table").click()
    await expect(season.get_by_role("row", name="Ben 3")).to_be_visible()
    pairs = part(page, "Head to head")
    await pairs.get_by_role("button", name="Ann against Ben: 1 loss").click()
    await expect(pairs).to_contain_text("Ann against Ben: 1 loss.")
    await expect(pairs).to_contain_text("Ann could not come.")
    await clean(page, "a season")
    await ben.page.reload()
    await expect(part(ben.page, "Bracket")).to_contain_text("Ben has won the bracket.")
    await clean(ben.page, "a season on a phone")
    assert await _fits(ben.page)


async def _fits(page: Page) -> bool:
    """Whether the page does not scroll sideways; what is wider scrolls within itself."""
    return bool(await page.evaluate("document.documentElement.scrollWidth <= innerWidth"))


async def test_the_maker_of_a_league_appoints_a_co_organiser_and_dismisses_them(
    server: ServerProcess, people: People
) -> None:
    olga, ann = await people.come(server), await people.come(server)
    link = await make_league(olga, "Shared League")
    await join(ann, link, "Ann")
    page = olga.page
    await page.reload()
    await page.get_by_text("Co-organisers", exact=True).click()
    await page.get_by_label("Appoint a co-organiser").select_option("Ann")
    await clean(page, "appointing")
    await page.get_by_role("button", name="Appoint", exact=True).click()
    await expect(page.get_by_role("button", name="Dismiss Ann")).to_be_visible()
    await expect(part(page, "What happened")).to_contain_text("Olga has made Ann an organiser.")
    await ann.page.reload()
    await expect(part(ann.page, "Organise")).to_be_visible()
    await expect(ann.page.get_by_label("Appoint a co-organiser")).to_have_count(0)
    await page.get_by_role("button", name="Dismiss Ann").click()
    await expect(part(page, "What happened")).to_contain_text("Ann is no longer an organiser.")
    await ann.page.reload()
    await expect(part(ann.page, "Your place")).to_be_visible()
    await expect(part(ann.page, "Organise")).to_have_count(0)


async def test_a_league_has_options_and_as_many_rounds_as_it_takes(server: ServerProcess, people: People) -> None:
    olga = await people.come(server)
    page = olga.page
    await page.goto(f"{server.address}/#/leagues/new")
    await say_name(page, "Olga")
    await page.get_by_role("radio", name=re.compile("Swiss")).check()
    await page.get_by_label("Rounds (0: as many as it takes to find a winner)").fill("0")
    await page.get_by_label("Name of the league").fill("Night League")
    await expect(page.get_by_text("3 rounds for 8")).to_be_visible()
    await page.get_by_text("Options of the matches").click()
    group = page.locator("details.group").first
    await group.locator("summary").click()
    option = group.locator("select").first
    title = await group.locator("label").first.inner_text()
    now = await option.input_value()
    await option.select_option(index=0 if now != "0" else 1)
    await expect(page.get_by_text("1 changed").first).to_be_visible()
    await clean(page, "the options of a league")
    await page.get_by_role("button", name="Make the league").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text("Night League")
    await expect(page.get_by_text("There are as many rounds as it takes to find a winner.")).to_be_visible()
    await page.get_by_text("More about it").click()
    await expect(page.get_by_text(f"Options: {title}: ")).to_be_visible()


async def test_past_seasons_stand_apart_with_their_champions(server: ServerProcess, people: People) -> None:
    olga, _, ben, _ = await settled_cup(server, people, "Last Winter")
    await olga.page.get_by_role("button", name="End the league").click()
    await olga.page.get_by_role("dialog").get_by_role("button", name="End it").click()
    await expect(olga.page.get_by_role("button", name="End the league")).to_have_count(0)
    page = ben.page
    await page.goto(f"{server.address}/#/leagues")
    past = part(page, "Past seasons").get_by_role("listitem").filter(has_text="Last Winter")
    await expect(past).to_contain_text("Champion: Ben")
    await expect(past).to_contain_text("1 match played")
    await clean(page, "past seasons")
