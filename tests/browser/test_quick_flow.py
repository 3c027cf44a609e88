"""What takes few presses: setting all units down, activating one by a tap, and giving the table the place of the lists."""

from __future__ import annotations

import re

from playwright.async_api import expect

from client_protocol.choices import PlacementParameter
from server.rulesets.library import editions
from tests.browser.battles import ANY, Battle
from tests.browser.conftest import People
from tests.browser.player import PAUSE, WAITS, Player, asked, deploy
from tests.support.servers import ServerProcess

PRESS = "(found) => found.filter((one) => !one.disabled).map((one) => one.click()).length"
MOST_PRESSES = 4
"""The most presses for deploying all units of both sides."""


def _largest() -> Battle:
    """The battle of those that deploy in turns that has most units."""
    found = [
        (rules, each) for rules in editions().values() for each in rules.info.scenarios if rules.info.id == "fubar4"
    ]
    rules, scenario = max(found, key=lambda one: len(one[0].open(one[1].id, {}).units))
    return Battle(rules.info, scenario)


def _deploying(player: Player) -> bool:
    """Whether what is asked last is where units stand."""
    prompt = player.wire.prompt
    return prompt is None or all(isinstance(one.parameters[0], PlacementParameter) for one in prompt.choices)


async def _deployed(player: Player) -> int:
    """Deploy both sides where suggested, and return with how many presses."""
    presses = 0
    suggested = player.orders.get_by_role("button", name="Set all of them down where suggested")
    for _ in range(WAITS):
        if not _deploying(player):
            return presses
        # It goes as soon as the other side is asked: looked for and pressed in one step.
        presses += await suggested.evaluate_all(PRESS)
        await player.page.wait_for_timeout(PAUSE)
    raise AssertionError(f"the deployment does not end: {await player.orders.inner_text()}")


async def test_all_units_are_set_down_with_few_presses(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(_largest())
    await asked(ann, about="Deploy")
    assert await _deployed(ann) <= MOST_PRESSES
    standing = [
        key for key, unit in ann.wire.view["units"].items() if any(one["at"] for one in unit["figures"].values())
    ]
    assert len(standing) == len(ann.wire.view["units"])


async def test_a_unit_that_is_taken_back_is_not_set_down_again(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(_largest())
    await asked(ann, about="Deploy")
    await ann.orders.get_by_role("button", name="Set all of them down where suggested").click()
    await ann.page.get_by_role("button", name=re.compile("^Take back")).click()
    await expect(ann.page.locator("g.unit")).to_have_count(0)
    await asked(ann, about="Deploy")
    await expect(ann.orders.get_by_role("button", name="Set all of them down where suggested")).to_be_enabled()
    assert await ann.page.locator("g.unit").count() == 0


async def test_a_tap_activates_a_unit_and_can_be_taken_back(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(ANY)
    await deploy(ann)
    while "Activate" not in await (await asked(ann)).prompt():
        await ann.go_on()
    prompt = ann.asks.id
    side = ann.wire.view["seats"][ann.asks.seat]["side"]
    unit = next(key for key, row in ann.wire.view["units"].items() if row["side"] == side)
    await ann.tap((await ann.figures(unit))[0])
    await ann.answered(prompt)
    await asked(ann, about=ann.wire.view["units"][unit]["name"])
    await ann.page.get_by_role("button", name=re.compile("^Take back")).click()
    await asked(ann, about="Activate")


async def test_the_list_of_units_folds_and_stays_folded(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(ANY)
    await asked(ann)
    before = await ann.table.bounding_box()
    await ann.page.get_by_role("button", name="Units", exact=True).click()
    after = await ann.table.bounding_box()
    assert before
    assert after
    assert after["width"] > before["width"] + 150
    await ann.page.reload()
    await asked(ann)
    await expect(ann.page.get_by_role("region", name="Blue")).to_have_count(0)
    await ann.page.get_by_title("Show the list of units").click()
    await expect(ann.page.locator("#units-panel li").first).to_be_visible()
