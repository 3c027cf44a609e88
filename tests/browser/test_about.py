"""The page with credits and license: reached from the start page's foot, on any screen."""

from __future__ import annotations

import re
from typing import Literal

import pytest
from playwright.async_api import expect

from tests.browser.axe import clean
from tests.browser.conftest import LAPTOP, PHONE, How, People
from tests.support.servers import ServerProcess

LOOKS: list[tuple[How, Literal["light", "dark"]]] = [({"viewport": LAPTOP}, "light"), (PHONE, "dark")]


@pytest.mark.parametrize(("how", "scheme"), LOOKS, ids=["laptop", "phone"])
async def test_the_about_page_names_the_authors(
    server: ServerProcess, people: People, how: How, scheme: Literal["light", "dark"]
) -> None:
    look: How = {**how, "color_scheme": scheme}
    page = (await people.come(server, **look)).page
    await page.goto(server.address)
    await page.get_by_role("link", name="About, credits and license").click()
    await expect(page.get_by_role("heading", name="About Underfire", level=1)).to_be_visible()
    await expect(page.get_by_role("heading", name=re.compile("MIT license"))).to_be_visible()
    await expect(page.get_by_role("main")).to_contain_text("give credit, and take no profit")
    assert await page.title() == "About - Underfire"
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing sticks out"
    await clean(page, "about")
    await page.get_by_role("link", name="The MIT license in full").click()
    await expect(page.get_by_text("Permission is hereby granted")).to_be_visible()


async def test_credits_that_failed_to_load_can_be_fetched_again(server: ServerProcess, people: People) -> None:
    page = (await people.come(server)).page
    await page.route("**/notice.txt", lambda route: route.abort())
    await page.goto(f"{server.address}/#/about")
    await expect(page.get_by_role("alert")).to_contain_text("could not be fetched")
    await page.unroute("**/notice.txt")
    await page.get_by_role("button", name="Try again").click()
    await expect(page.get_by_role("main")).to_contain_text("Ivan Sorensen")
