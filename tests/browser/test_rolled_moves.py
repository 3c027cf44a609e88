"""A match with rolled moves: the odds of arriving before the dice fall, and the trail of the move afterwards."""

from __future__ import annotations

from playwright.async_api import expect

from tests.browser.battles import BATTLES
from tests.browser.conftest import People
from tests.browser.player import deploy
from tests.browser.wire import is_action, ways
from tests.support.servers import ServerProcess

ROLLED = next((battle, option) for battle in BATTLES if (option := battle.option("Rolled")))


async def test_a_rolled_move_shows_its_odds_before_and_its_trail_afterwards(
    server: ServerProcess, people: People
) -> None:
    battle, option = ROLLED
    ann = await people.come(server)
    await ann.make(battle, options=option)
    await deploy(ann)
    while not (is_action(ann.asks) and ways(ann.asks)):
        await ann.go_on()
    table = ann.page.locator(".tabletop")
    await expect(table.locator(".trails polyline")).to_have_count(0)
    prompt = ann.asks.id
    await ann.take(ways(ann.asks)[0])
    x, y = await ann.handle_at()
    middle_x, middle_y = ann.middle_of_the_table
    await ann.drag((x, y), (x + (middle_x - x) * 0.2, y + (middle_y - y) * 0.2))
    preview = ann.orders.get_by_role("region", name="Preview")
    await expect(preview.get_by_role("row", name="All figures arrive")).to_contain_text("%")
    await ann.confirm.click()
    await ann.answered(prompt)
    await expect(ann.log).to_contain_text("says where it is heading")
    figures = len(next(unit for unit in ann.wire.view["units"].values() if unit["activated"])["figures"])
    await expect(table.locator(".trails polyline.declared")).to_have_count(figures)
    await expect(table.locator(".trails polyline:not(.declared)")).to_have_count(figures)
