"""Playing on from a moment of another match."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from tests.browser.axe import clean
from tests.browser.battles import ANY
from tests.browser.conftest import PHONE, How, People
from tests.browser.finished import begun, finished
from tests.browser.player import asked
from tests.support.servers import ServerProcess

ANSWERS = 8


async def test_a_match_that_is_over_is_played_on_from_any_of_its_steps(server: ServerProcess, people: People) -> None:
    made = await finished(server, ANSWERS)
    ann = await people.come(server)
    page = ann.page
    await page.goto(f"{server.address}/#/m/{made.match}/replay")
    await expect(ann.table).to_be_visible()
    # Everything is deployed some steps before the end, and something may have happened since.
    await page.keyboard.press("End")
    for _ in range(2):
        await page.keyboard.press("ArrowLeft")
    await page.get_by_role("link", name="Play on from here").click()
    await expect(page.get_by_role("heading", name="Play on from here")).to_be_visible()
    await expect(ann.table).to_be_visible()
    then = await _standing(ann.page)
    assert then, "no figure is on the table yet"
    await clean(page, "a fork")

    await page.get_by_label("Your name").fill("Ann")
    await page.get_by_role("group", name="I play").get_by_role("radio", name=re.compile("^Both")).check()
    await page.get_by_role("button", name="Play on from here").click()
    await expect(page).to_have_url(re.compile("#/m/"))
    assert made.match not in page.url
    await asked(ann)
    assert await _standing(page) == then
    await expect(ann.log).to_contain_text(f"of the match {made.match}")
    await expect(ann.log.get_by_role("link", name="Its replay")).to_have_attribute("href", f"#/m/{made.match}/replay")
    await ann.go_on()


@pytest.mark.parametrize("how", [{}, PHONE], ids=["laptop", "phone"])
async def test_a_moment_that_cannot_be_forked_says_why(server: ServerProcess, people: People, how: How) -> None:
    made = await begun(server, ANSWERS)
    page = (await people.come(server, **how)).page
    await page.goto(f"{server.address}/#/fork/{made.match}/{next(iter(ANY.sides))}/3")
    await expect(page.get_by_role("alert")).to_be_visible()
    await clean(page, "a fork that is refused")

    over = await finished(server, 2)
    await page.goto(f"{server.address}/#/fork/{over.match}/all/99999")
    await expect(page.get_by_text("The match was over at this step")).to_be_visible()
    await expect(page.get_by_role("button", name="Play on from here")).to_be_disabled()


async def _standing(page: Page) -> dict[str, int]:
    """How many figures of each unit stand on the table."""
    found: dict[str, int] = await page.locator("g.unit").evaluate_all(
        "(units) => Object.fromEntries(units.map((unit) => [unit.dataset.unit, unit.querySelectorAll('.figure').length]))"
    )
    return found
