"""A telephone in one hand: everything by tapping, nothing too small for a finger, nothing outside the screen."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser.battles import Battle, every_battle
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player, acting, asked
from tests.browser.wire import ways
from tests.support.servers import ServerProcess

FINGER = 44
# Targets within the table may be smaller, WCAG's own least size: they lie far apart, and a list names them all.
LEAST_ON_THE_TABLE = 24

# Links within a sentence are as high as their line: they are not counted (WCAG 2.5.8 does not either).
_SMALL = """(least) => [...document.querySelectorAll(
  'button, .button, input, select, summary, [role=tab], a.button'
)].filter((control) => {
  const label = control.closest('label');
  const box = (label && ['checkbox', 'radio'].includes(control.type) ? label : control).getBoundingClientRect();
  const visible = box.width > 0 && control.checkVisibility();
  return visible && (box.height < least - 0.5 || box.width < least - 0.5);
}).map((control) => control.ariaLabel || control.textContent.trim() || control.outerHTML)"""


async def _fits(player: Player) -> None:
    """Nothing is wider than the screen, and no control is too small for a finger."""
    assert await player.page.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
    assert await player.page.evaluate(_SMALL, FINGER) == []


async def _deploy(player: Player, *, elsewhere: bool) -> None:
    """Place the next unit: where it is suggested, or where a tap says."""
    choices = player.choice("^.?Deploy")
    if await choices.count():
        await choices.first.tap()
    await _fits(player)
    if elsewhere:
        x, y = await player.handle_at()
        await player.tap((x - 3, y - 1), "touch")
        assert (await player.handle_at())[0] < x - 2
    deployed = player.page.locator("g.unit")
    before = await deployed.count()
    await player.confirm.tap()
    await expect(deployed).to_have_count(before + 1)


@every_battle
async def test_a_game_by_tapping(server: ServerProcess, people: People, battle: Battle) -> None:
    ann = await people.come(server, **PHONE)
    page = ann.page
    await page.goto(server.address)
    await page.get_by_label("Your name").fill("Ann")
    await ann.choose(battle)
    await page.get_by_role("group", name="I play").get_by_role("radio", name="Both").tap()
    await page.get_by_text("Options", exact=True).tap()
    await _fits(ann)
    await page.get_by_role("button", name="Make the match").tap()
    await asked(ann, about="Deploy")
    for number in range(len(ann.wire.view["units"])):
        await asked(ann, about="Deploy")
        await _deploy(ann, elsewhere=number == 0)

    # In some editions the winner of a roll first says who begins.
    while "Activate" not in await (await asked(ann)).prompt():
        await _fits(ann)
        await ann.go_on()
    await _fits(ann)
    unit = next(iter(key for key, row in ann.wire.view["units"].items() if row["side"] == ann.asks.seat))

    # The list of units leads to a unit on the table, near enough to be touched.
    await page.get_by_role("tab", name="Units").tap()
    await ann.card(unit).get_by_role("button").first.tap()
    await _fits(ann)
    await page.get_by_role("button", name="Show on the table").tap()
    await expect(ann.unit(unit)).to_be_in_viewport()
    figure = await ann.unit(unit).locator(".figure .base").first.bounding_box()
    assert figure
    assert figure["width"] >= LEAST_ON_THE_TABLE

    # Tap the unit, say what it does, tap where it goes.
    await page.get_by_role("tab", name="Decision").tap()
    prompt = ann.asks.id
    await ann.tap((await ann.figures(unit))[0], "touch")
    if await ann.unconfirmed(prompt):
        await ann.confirm.tap()
    await ann.answered(prompt)
    await acting(ann)
    await _fits(ann)
    unit, prompt, way = ann.asks.unit, ann.asks.id, ways(ann.asks)[0]
    await ann.choice(f"^[0-9]*{re.escape(way.label)}").first.tap()
    before = await ann.middle(unit)
    ahead = 3 if before[1] < ann.middle_of_the_table[1] else -3
    await ann.tap((before[0], before[1] + ahead), "touch")
    await expect(ann.table.get_by_role("status")).to_contain_text(re.compile(r"\d″ of \d+″"))
    await _fits(ann)
    await ann.confirm.tap()
    await ann.answered(prompt)
    await asked(ann)
    await ann.let_pass(unit)
    await page.get_by_role("tab", name="Log").tap()
    await expect(ann.log).to_contain_text(ann.wire.view["units"][unit]["name"])
    await _fits(ann)
    after = await ann.middle(unit)
    assert abs(after[1] - before[1] - ahead) < 1

    for button in ("Menu", "Range rings", "What the ground does"):
        await page.get_by_role("button", name=button).tap()
        await _fits(ann)
        await page.keyboard.press("Escape")
