"""What a browser keeps of a match's log: told when the server has another log later, on the table and on the end page."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

import pytest
import redis
from playwright.async_api import Page, expect

from server.commands.verify import unmet_heads
from server.matches.verify.match_file import verify
from server.rulesets.library import find
from server.store.embedded import EmbeddedValkey
from tests.browser.axe import clean
from tests.browser.conftest import LAPTOP, PHONE, How, People
from tests.browser.finished import begun, finished
from tests.support.forging import anew, played_by
from tests.support.servers import ServerProcess

SEEN = "not the one that this browser has seen"


async def rewrite(server: ServerProcess, folder: Path, match: str) -> None:
    """The operator gives a match another log: Ann has never played it."""
    await asyncio.to_thread(server.stop)
    async with EmbeddedValkey(folder) as valkey:
        with redis.Redis.from_url(valkey.url) as client:
            key = f"uf:{{{match}}}:log"
            entries = [held[b"e"] for _, held in client.xrange(key)]
            client.delete(key)
            for number, entry in enumerate(anew(entries, played_by("Mallory")), 1):
                client.xadd(key, {"e": entry}, id=f"{number}-0")
    await asyncio.to_thread(server.start)


async def open_again(page: Page, address: str, match: str, what: str = "") -> None:
    """Come back to a page of the match, with all that the browser has kept."""
    await page.goto("about:blank")
    await page.goto(f"{address}/#/m/{match}{what}")


async def kept_head(page: Page) -> str:
    """The head of the log, as the match's menu gives it to be copied."""
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_text("The hash of this match’s log").click()
    head = await page.get_by_label("The hash of the last entry that you have seen").input_value()
    await page.keyboard.press("Escape")
    return head


@pytest.mark.parametrize("how", [{"viewport": LAPTOP}, {**PHONE, "color_scheme": "dark"}], ids=["laptop", "phone"])
async def test_a_log_that_was_changed_while_the_player_was_away_is_reported(
    own_server: ServerProcess, people: People, tmp_path: Path, how: How
) -> None:
    match = (await begun(own_server, 6)).match
    page = (await people.come(own_server, **how)).page
    await open_again(page, own_server.address, match)
    await expect(page.locator(".tabletop")).to_be_visible()
    head = await kept_head(page)
    assert re.fullmatch("[0-9a-f]{64}", head)
    await open_again(page, own_server.address, match)
    await expect(page.locator(".tabletop")).to_be_visible()
    assert await kept_head(page) == head
    await expect(page.get_by_text(SEEN)).to_have_count(0)

    await rewrite(own_server, tmp_path, match)
    await open_again(page, own_server.address, match)
    told = page.get_by_role("alert").filter(has_text=SEEN)
    await expect(told).to_be_visible()
    await told.get_by_text("What this browser kept").click()
    await expect(told).to_contain_text(head)
    await clean(page, "another log")
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing sticks out"
    # It is told until the player goes on with what the server says.
    await open_again(page, own_server.address, match)
    await told.get_by_role("button", name="Go on with the server’s log").click()
    await expect(told).to_have_count(0)
    assert await kept_head(page) != head
    await open_again(page, own_server.address, match)
    await expect(page.locator(".tabletop")).to_be_visible()
    await expect(told).to_have_count(0)


async def test_the_result_page_compares_the_file_with_the_kept_hashes(
    own_server: ServerProcess, people: People, tmp_path: Path
) -> None:
    match = (await finished(own_server, 6)).match
    page = (await people.come(own_server)).page
    await open_again(page, own_server.address, match)
    head = await kept_head(page)
    await open_again(page, own_server.address, match, "/end")
    dice = page.get_by_role("region", name="The dice, checked here")
    await expect(dice).to_contain_text("The log is the one that this browser saw during the match")
    await dice.get_by_text("The numbers").click()
    await expect(dice).to_contain_text(re.compile(r"Signed, entries 1 to \d+, by"))
    signers = own_server.get("/signers.json").body.decode()
    assert await dice.get_by_text(re.compile("^[0-9a-f]{64}$")).last.inner_text() in signers
    assert fault_of(own_server, match, [head]) == ""

    await rewrite(own_server, tmp_path, match)
    await open_again(page, own_server.address, match, "/end")
    await expect(dice).to_contain_text("This is not the log that this browser saw during the match.")
    # The server signs the log that it has; the player who kept the head is not deceived.
    assert "The player who kept it saw another log of this match" in fault_of(own_server, match, [head])


def fault_of(server: ServerProcess, match: str, heads: Sequence[str]) -> str:
    """What `underfire verify --head` finds wrong with the match's file."""
    report = verify(server.get(f"/matches/{match}.underfire").body, find)
    assert len(report.signatures) == 1
    return " ".join(unmet_heads(report, [bytes.fromhex(head) for head in heads]))


@pytest.mark.parametrize("how", [{"viewport": LAPTOP}, {**PHONE, "color_scheme": "dark"}], ids=["laptop", "phone"])
async def test_the_about_page_shows_the_signing_key(server: ServerProcess, people: People, how: How) -> None:
    page = (await people.come(server, **how)).page
    await page.goto(f"{server.address}/#/about")
    signed = page.get_by_role("region", name="Who signs the matches of this server")
    key = await signed.get_by_text(re.compile("^[0-9a-f]{64}$")).first.inner_text()
    assert key in server.get("/signers.json").body.decode()
    await expect(signed).to_contain_text(f"underfire verify MATCH-FILE --key {key}")
    assert await page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), "nothing sticks out"
    await clean(page, "who signs")
