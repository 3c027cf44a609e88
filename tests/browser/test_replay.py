"""The replay of a match, from its first step to its last, or while it goes on."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Page, expect

from client_protocol.view import View
from server.cli import main
from tests.browser.axe import clean
from tests.browser.battles import ANY, Battle, every_family
from tests.browser.conftest import PHONE, How, People
from tests.browser.finished import begun, finished
from tests.browser.long_match import A_TURN, MATCH, LongMatch
from tests.browser.player import Player
from tests.support.servers import ServerProcess
from tests.system.play import token

STEPS = 1_000
LONGEST_JUMP = 1_000
"""Milliseconds that no jump may take, however busy the machine is; by itself it is far below 100."""

_JUMP = """async (places) => {
  const slider = document.querySelector('input[type=range]');
  const took = [];
  for (const place of places) {
    const begun = performance.now();
    slider.value = place;
    slider.dispatchEvent(new Event('input', { bubbles: true }));
    await new Promise((done) => requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = done;
      port2.postMessage(null);
    }));
    took.push(Math.round(performance.now() - begun));
  }
  return took;
}"""


def _count(page: Page, place: int, of: int) -> re.Pattern[str]:
    return re.compile(rf"^Step {place} of {of}$")


async def _at(page: Page, place: int, of: int = STEPS) -> None:
    await expect(page.get_by_text(_count(page, place, of))).to_be_visible()


async def _shows(player: Player, view: View) -> None:
    """Assert that the table shows this view: every standing figure at its place."""
    for key, unit in view.units.items():
        there = [f.at for f in unit.figures.values() if f.at and not f.fallen]
        assert [(round(x * 1000), round(y * 1000)) for x, y in await player.figures(key)] == there, key


async def _open(player: Player, address: str) -> Page:
    await player.page.goto(f"{player.address}/{address}")
    await expect(player.table).to_be_visible()
    return player.page


async def _long(server: ServerProcess, people: People, shown: int = -1, **how: object) -> tuple[LongMatch, Player]:
    long, ann = LongMatch(STEPS, shown), await people.come(server, **how)  # type: ignore[arg-type]
    await long.take_over(ann.page)
    return long, ann


async def test_a_jump_within_a_thousand_steps_is_immediate(server: ServerProcess, people: People) -> None:
    long, ann = await _long(server, people)
    page = await _open(ann, f"#/m/{MATCH}/replay/all/0")
    await expect(page.get_by_text("Fetching step")).to_have_count(0)
    await _at(page, 0)
    took = await page.evaluate(_JUMP, [900, 3, 517, 999, 40, 700, 1000, 350, 820, 100])
    print(f"jumps in a match of {STEPS} steps, in milliseconds: {took}")
    assert max(took) < LONGEST_JUMP
    for place in (517, 64, STEPS, 1, 0):
        await page.evaluate(_JUMP, [place])
        await _at(page, place)
        await _shows(ann, long.view_at(place))
    # The address leads to where one is.
    await page.evaluate(_JUMP, [640])
    await expect(page).to_have_url(re.compile(r"/replay/all/640$"))
    await page.reload()
    await _at(page, 640)
    assert [asked.after for asked in long.asked[:3]] == [-1, 200, 400]


async def test_keys_go_by_step_and_by_turn(server: ServerProcess, people: People) -> None:
    _, ann = await _long(server, people)
    page = await _open(ann, f"#/m/{MATCH}/replay/all/10")
    for key, place in (
        ("ArrowRight", 11),
        ("ArrowLeft", 10),
        ("Shift+ArrowRight", A_TURN + 1),
        ("Shift+ArrowRight", 2 * A_TURN + 1),
        ("ArrowRight", 2 * A_TURN + 2),
        ("Shift+ArrowLeft", 2 * A_TURN + 1),
        ("Shift+ArrowLeft", A_TURN + 1),
        ("End", STEPS),
        ("Home", 0),
    ):
        await page.keyboard.press(key)
        await _at(page, place)
    # The slider has the same keys, and a click on the table takes none of them away.
    await page.get_by_role("slider", name="Step").focus()
    await page.keyboard.press("Shift+ArrowRight")
    await _at(page, 1)
    await ann.tap((24, 24))
    await page.keyboard.press("ArrowRight")
    await _at(page, 2)
    await page.get_by_role("combobox", name="Speed").select_option("8×")
    await page.keyboard.press("Home")
    await page.locator("body").press("Space")
    await expect(page.get_by_role("button", name="Pause")).to_be_visible()
    await expect(page.get_by_role("list").locator("li[aria-current=step]").first).to_be_visible()
    await expect(page.get_by_text(re.compile(rf"^Step ([4-9]|[1-9][0-9]+) of {STEPS}$"))).to_be_visible()
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_role("button", name="Play", exact=True)).to_be_visible()


async def test_the_log_keeps_step_and_leads_anywhere(server: ServerProcess, people: People) -> None:
    _, ann = await _long(server, people)
    page = await _open(ann, f"#/m/{MATCH}/replay/all/58")
    log = page.get_by_role("region", name="What has happened")
    current = log.locator("li[aria-current=step]")
    await expect(current).to_contain_text("Taken back later")
    await expect(ann.table.locator("xpath=..").get_by_text("Taken back later")).to_be_visible()
    await log.get_by_role("link", name="Step 47", exact=True).click()
    await _at(page, 47)
    await expect(current).to_contain_text("Ann")
    await expect(current).to_contain_text("Well, that was step 47.")
    assert not await log.get_by_role("link", name="Step 48", exact=True).count(), "nothing is told before it happens"
    await page.get_by_role("button", name="Dice", exact=True).click()
    await expect(log.get_by_role("listitem").filter(has_text="moves")).to_have_count(0)
    await page.get_by_role("button", name="Chat", exact=True).click()
    await expect(log).to_contain_text("Well, that was step 7.")
    await page.get_by_role("combobox", name="Turn").select_option("5")
    await _at(page, 4 * A_TURN + 1)


async def test_a_late_spectator_watches_from_the_start_and_catches_up(server: ServerProcess, people: People) -> None:
    long, ann = await _long(server, people, 30)
    page = await _open(ann, f"#/m/{MATCH}/replay")
    await _at(page, 0, 30)
    eyes = page.get_by_label("Seen by")
    assert await eyes.locator("option:disabled").all_inner_texts() == [
        "Blue (Ann) (after the end)",
        "Red (Bob) (after the end)",
        "Everything (after the end)",
    ]
    await clean(page, "a replay of a match that goes on")
    long.play(1)
    await _at(page, 0, 31)
    live = page.get_by_role("button", name="Live")
    await live.click()
    await expect(live).to_have_attribute("aria-pressed", "true")
    await _at(page, 31, 31)
    long.play(3)
    await _at(page, 34, 34)
    await _shows(ann, long.view_at(34))
    await page.keyboard.press("ArrowLeft")
    long.play(1)
    await _at(page, 33, 35)
    await expect(live).to_have_attribute("aria-pressed", "false")


@every_family
async def test_a_finished_match_is_replayed_for_every_audience(
    server: ServerProcess, people: People, battle: Battle
) -> None:
    made = await finished(server, 12, battle)
    ann = await people.come(server)
    page = await _open(ann, f"#/m/{made.match}/replay")
    await expect(page).to_have_url(re.compile("/replay/all/"))
    await page.keyboard.press("End")
    await expect(page.get_by_role("region", name="What has happened")).to_contain_text(
        re.compile("conce|give", re.IGNORECASE)
    )
    at_the_end = {unit: await ann.figures(unit) for unit in ann.wire.view["units"]}
    assert sum(map(len, at_the_end.values())) > 5
    await page.keyboard.press("Home")
    assert await page.locator("g.unit .figure").count() == 0
    for key in (*battle.sides, "spectators"):
        await page.get_by_label("Seen by").select_option(value="" if key == "spectators" else key)
        await expect(page).to_have_url(re.compile(f"/replay/{key}"))
        await expect(ann.table).to_be_visible()
        await page.keyboard.press("End")
        await expect(page.locator("g.unit .figure").first).to_be_visible()


@pytest.mark.parametrize("how", [{}, {**PHONE, "color_scheme": "dark"}], ids=["laptop", "phone"])
async def test_a_replay_meets_wcag(server: ServerProcess, people: People, how: How) -> None:
    made = await finished(server)
    ann = await people.come(server, **how)
    page = await _open(ann, f"#/m/{made.match}/replay")
    await page.keyboard.press("End")
    await clean(page, "a replay")
    await page.get_by_role("tab", name="Units").click()
    await clean(page, "units in a replay")
    tab = page.get_by_role("tab", name="Share, save")
    if await tab.count():
        await tab.click()
    await page.get_by_text("Save, keys").click()
    await clean(page, "what one can take along from a replay")
    width = page.viewport_size["width"] if page.viewport_size else 0
    assert await page.evaluate("document.documentElement.scrollWidth") <= width


@every_family
async def test_any_step_can_be_saved_as_a_case(server: ServerProcess, people: People, battle: Battle) -> None:
    made = await finished(server, battle=battle)
    ann = await people.come(server, accept_downloads=True)
    page = await _open(ann, f"#/m/{made.match}/replay/all/0")
    await page.keyboard.press("End")
    tab = page.get_by_role("tab", name="Share, save")
    if await tab.count():
        await tab.click()
    await page.get_by_text("Save, keys").click()
    async with page.expect_download() as saving:
        await page.get_by_role("button", name="This step as a case").click()
    file = await (await saving.value).path()
    assert main(["resolve", str(file)]) == 0
    await page.keyboard.press("Home")
    await page.get_by_role("button", name="This step as a case").click()
    await expect(page.get_by_role("alert")).to_have_text(
        "There is no step of the rules up to that moment: choose a later one."
    )


async def test_a_player_replays_only_their_own_view_until_the_end(server: ServerProcess, people: People) -> None:
    made = await begun(server, 4)
    first, second = list(ANY.sides)[:2]
    ann = await people.come(server)
    await ann.page.goto(f"{server.address}/#/m/{made.match}/seat/{first}/{token(made, first)}")
    await expect(ann.table).to_be_visible()
    page = await _open(ann, f"#/m/{made.match}/replay")
    await expect(page.get_by_label("Seen by")).to_have_value(first)
    await expect(page.get_by_label("Seen by").locator("option:disabled")).to_have_count(3)
    await page.goto(f"{server.address}/#/m/{made.match}/replay/{second}")
    await expect(page.get_by_role("alert")).to_contain_text("Until the match is over")
    await page.get_by_role("link", name="My own view").click()
    await expect(ann.table).to_be_visible()
