"""The result page: the result, the losses, the luck report, and the check of the dice in the browser."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, Route, expect

from client_protocol.from_server import MatchMade, Refused
from tests.browser.axe import clean
from tests.browser.battles import SHORTEST
from tests.browser.conftest import PHONE, How, People
from tests.browser.finished import begun, finished
from tests.browser.long_match import MATCH, LongMatch
from tests.browser.player import Player
from tests.support.servers import ServerProcess
from tests.system.play import Battle, Randomly, make_match

TRIES = 3


async def _played(server: ServerProcess, scenario: str) -> MatchMade:
    """A match that was played to its end by seats that guess."""
    made = await make_match(server, scenario)
    guess = Randomly(seed=4)
    async with Battle.at(server, made) as battle:
        while (table := await battle.next()) is not None:
            assert table.prompt is not None
            for _ in range(TRIES):
                picked = guess(table.view, table.prompt)
                reply = await table.answer(picked.choice, picked.values, table.prompt.id)
                if not isinstance(reply, Refused):
                    await battle.level(table, reply.seq)
                    break
            else:
                await battle.give(table, table.prompt.default)
    return made


async def _open(player: Player, match: str) -> Page:
    await player.page.goto(f"{player.address}/#/m/{match}/end")
    return player.page


@pytest.mark.parametrize("scenario", [battle.scenario.id for battle in SHORTEST])
async def test_a_match_ends_with_its_reason_its_luck_and_its_dice(
    server: ServerProcess, people: People, scenario: str
) -> None:
    made = await _played(server, scenario)
    page = await _open(await people.come(server), made.match)
    await expect(page.get_by_role("heading", name=re.compile("wins$|^A draw$"))).to_be_visible()
    await expect(page.get_by_text("Decided on the table, by the rules.")).to_be_visible()
    await page.get_by_role("link", name="The rule that says so").click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("table").filter(has_text=re.compile(r"\d+ of \d+ fell")).first).to_be_visible()

    dice = page.get_by_role("region", name="The dice, checked here")
    await expect(dice).to_contain_text(re.compile(r"\d+ dice are correct: all of them\."))
    await expect(dice).to_contain_text("The commitment is the one that this server showed during the whole match.")
    await expect(dice).not_to_contain_text("wrong")
    await dice.get_by_text("look at any roll").click()
    await dice.get_by_role("combobox", name="Roll").select_option(index=2)
    await expect(dice.get_by_text(re.compile(r"Byte \d+ is \d+; \d+ mod \d+ \+ 1 = \d+")).first).to_be_visible()
    await clean(page, "the end of a match")

    # The rolls that swung the game lead to where they fell.
    await page.get_by_text(re.compile(r"^Every roll \(\d+\)$")).click()
    row = page.get_by_role("region", name="The rolls that swung the game most").get_by_role("row").nth(1)
    told = (await row.get_by_role("rowheader").inner_text()).split(".")[0].splitlines()[-1].strip()
    await row.get_by_role("link", name=re.compile("Turn|Before")).click()
    await expect(page).to_have_url(re.compile("/replay/all/"))
    await expect(page.locator("li[aria-current=step]").first).to_contain_text(told)


@pytest.mark.parametrize("how", [{}, {**PHONE, "color_scheme": "dark"}], ids=["laptop", "phone"])
async def test_the_result_page_meets_wcag(server: ServerProcess, people: People, how: How) -> None:
    long, ann = LongMatch(400), await people.come(server, **how)
    await long.take_over(ann.page)
    page = await _open(ann, MATCH)
    await expect(page.get_by_role("heading", name="Blue wins")).to_be_visible()
    picture = page.get_by_role("group", name=re.compile("The luck of each side over"))
    await expect(picture).to_be_visible()
    assert await picture.get_by_role("link").count() >= 3
    for closed in ("By unit", "Every roll"):
        await page.get_by_text(re.compile(rf"^{closed} \(\d+\)$")).click()
    await expect(page.get_by_role("region", name="Every roll").get_by_role("row").nth(100)).to_be_visible()
    # There is no such file on the server.
    await expect(page.get_by_role("alert")).to_contain_text("There is no such match here.")
    await clean(page, "the luck of a long match")
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert await page.evaluate("document.documentElement.scrollWidth") <= width


async def test_a_changed_match_file_is_reported(server: ServerProcess, people: People) -> None:
    made = await finished(server)
    ann = await people.come(server)

    async def changed(route: Route) -> None:
        answer = await route.fetch()
        body = bytearray(await answer.body())
        body[len(body) // 2] ^= 1
        await route.fulfill(response=answer, body=bytes(body))

    await ann.page.route("**/*.underfire", changed)
    page = await _open(ann, made.match)
    dice = page.get_by_role("region", name="The dice, checked here")
    await expect(dice).to_contain_text(re.compile(r"Something is wrong\. (Entry \d+|The file)"))
    await expect(dice).not_to_contain_text("correct")
    await ann.page.unroute("**/*.underfire", changed)
    await dice.get_by_role("button", name="Check again").click()
    await expect(dice).to_contain_text("The log is complete")
    await expect(page.get_by_text("A player has given up.")).to_be_visible()
    await expect(dice).not_to_contain_text("Your own share")


async def test_a_player_is_told_whether_their_own_share_was_used(server: ServerProcess, people: People) -> None:
    made = await finished(server)
    ann = await people.come(server)
    page = await _open(ann, made.match)
    dice = page.get_by_role("region", name="The dice, checked here")
    await expect(dice).to_contain_text("The log is complete")
    await dice.get_by_text("The numbers", exact=True).click()
    seat = made.passes[0].seat
    used = await dice.locator(f"dt:text('Share of {seat}') + dd").inner_text()
    for kept, verdict in ((used, "Your own share is the one"), ("00" * 32, "another share than the one")):
        key = f"underfire/dice/{made.match}/{seat}"
        await page.evaluate("([key, share]) => localStorage.setItem(key, JSON.stringify(share))", [key, kept])
        await page.reload()
        await expect(dice).to_contain_text(verdict)


async def test_a_running_match_has_no_result_page_yet(server: ServerProcess, people: People) -> None:
    made = await begun(server, 2)
    page = await _open(await people.come(server), made.match)
    await expect(page.get_by_text("The match is not over yet.")).to_be_visible()
    await clean(page, "no end yet")
