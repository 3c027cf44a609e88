"""What takes few presses: setting all units down, activating one by a tap, and giving the table the place of the lists."""

from __future__ import annotations

import re

from playwright.async_api import expect

from client_protocol.choices import Choice, PlacementParameter, UnitParameter
from server.rulesets.library import editions
from tests.browser.battles import ANY, Battle
from tests.browser.conftest import People
from tests.browser.player import PAUSE, WAITS, Player, asked, deploy
from tests.browser.wire import is_action
from tests.support.servers import ServerProcess, until

HIDDEN = """(found) => found.map((one) => {
  const box = one.getBoundingClientRect();
  const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
  return one.contains(top) ? '' : one.outerHTML;
}).filter(Boolean)"""
PRESS = "(found) => found.filter((one) => !one.disabled).map((one) => one.click()).length"
RULES = editions()["fad4"]
RIDGE_FARM = Battle(RULES.info, next(one for one in RULES.info.scenarios if one.id == "ridge-farm"))
"""Two lines of infantry that see each other."""
CROSSED_HEDGES = Battle(
    editions()["fubar4"].info, next(one for one in editions()["fubar4"].info.scenarios if one.id == "crossed-hedges")
)
"""Two patrols that are near enough to shoot after a short walk, and activate by dice."""
TRIES = 40
MOST_PRESSES = 4
"""The most presses for deploying all units of both sides."""


def _largest() -> Battle:
    """The battle of those that deploy in turns that has most units."""
    found = [
        (rules, each) for rules in editions().values() for each in rules.info.scenarios if rules.info.id == "fubar4"
    ]
    rules, scenario = max(found, key=lambda one: len(one[0].open(one[1].id, {}).units))
    return Battle(rules.info, scenario)


async def _ridge_farm(server: ServerProcess, people: People) -> Player:
    """A player of both sides of that battle, who has set all units down with one press."""
    ann = await people.come(server)
    await ann.make(RIDGE_FARM)
    await asked(ann, about="Deploy")
    await ann.orders.get_by_role("button", name="Set both sides down where suggested").click()
    await asked(ann, about="Activate")
    return ann


def _first_unit(player: Player) -> str:
    """The first unit of the side that is asked."""
    side = player.wire.view["seats"][player.asks.seat]["side"]
    units: dict[str, dict[str, str]] = player.wire.view["units"]
    return next(key for key, row in units.items() if row["side"] == side)


def _deploying(player: Player) -> bool:
    """Whether what is asked last is where units stand."""
    prompt = player.wire.prompt
    return prompt is None or all(isinstance(one.parameters[0], PlacementParameter) for one in prompt.choices)


def _standing(player: Player) -> list[str]:
    """The units that are on the table. The prompt of one side may come before the places of the other side's units."""
    units = player.wire.view["units"].items()
    return [key for key, unit in units if any(one["at"] for one in unit["figures"].values())]


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
    await until(lambda: len(_standing(ann)) == len(ann.wire.view["units"]))


async def test_both_sides_are_set_down_with_one_press(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(_largest())
    await asked(ann, about="Deploy")
    await ann.orders.get_by_role("button", name="Set both sides down where suggested").click()
    await expect(ann.page.locator("g.unit")).to_have_count(len(ann.wire.view["units"]))
    await asked(ann, about="Activate|first")


async def test_units_are_set_down_in_cover(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(RIDGE_FARM)
    await asked(ann, about="Deploy")
    suggested = {one.units[0]: one.suggested[0] for choice in ann.asks.choices for one in _placements(choice)}
    press = ann.orders.get_by_role("button", name="Set all of them down in cover")
    for _ in range(WAITS):
        if not _deploying(ann) and len(_standing(ann)) == len(ann.wire.view["units"]):
            break
        await press.evaluate_all(PRESS)
        await ann.page.wait_for_timeout(PAUSE)
    units = ann.wire.view["units"]
    await expect(ann.page.locator("g.unit")).to_have_count(len(units))
    placed = {unit: {key: tuple(one["at"]) for key, one in units[unit]["figures"].items()} for unit in suggested}
    assert any(placed[unit] != dict(places) for unit, places in suggested.items())


def _placements(choice: Choice) -> list[PlacementParameter]:
    return [one for one in choice.parameters if isinstance(one, PlacementParameter)]


async def test_the_first_shot_falls_with_six_presses(server: ServerProcess, people: People) -> None:
    # Two: who plays, and that the match is made; rules and scenario are chosen beforehand. One sets both sides down.
    ann = await _ridge_farm(server, people)
    unit = _first_unit(ann)
    await ann.tap((await ann.figures(unit))[0])
    await asked(ann, about=": choose its action")
    await ann.take(next(choice for choice in ann.asks.choices if choice.key == "open-fire"))
    await expect(ann.orders.get_by_role("region", name="Preview")).to_be_visible()
    await ann.confirm.click()
    await expect(ann.log.get_by_role("link", name="medium range").first).to_be_visible()


async def test_a_move_and_a_shot_take_four_presses(server: ServerProcess, people: People) -> None:
    ann = await _ridge_farm(server, people)
    unit = _first_unit(ann)
    start = (await ann.figures(unit))[0]
    ahead = 2 if start[1] < ann.middle_of_the_table[1] else -2
    await ann.tap(start)
    await asked(ann, about=": choose its action")
    await ann.drag(start, (start[0], start[1] + ahead))
    await ann.confirm.click()
    await asked(ann, about="may shoot")
    await expect(ann.orders.get_by_role("region", name="Preview")).to_be_visible()
    await expect(ann.orders.get_by_role("button", name="Hold fire")).to_be_enabled()
    await ann.confirm.click()
    await expect(ann.log.get_by_role("link", name="medium range").first).to_be_visible()


async def test_a_tap_on_an_enemy_names_the_target(server: ServerProcess, people: People) -> None:
    ann = await _ridge_farm(server, people)
    await ann.answer()
    await asked(ann, about=": choose its action")
    await ann.take(next(choice for choice in ann.asks.choices if choice.key == "move-fire"))
    await ann.orders.get_by_role("button", name="Stay").click()
    await ann.confirm.click()
    await asked(ann, about="may shoot")
    (parameter,) = ann.asks.choices[0].parameters
    assert isinstance(parameter, UnitParameter)
    target = [one.unit for one in parameter.candidates if one.why is None][-1]
    await ann.tap((await ann.figures(target))[0])
    await expect(ann.confirm).to_contain_text(ann.wire.view["units"][target]["name"])


async def test_each_player_has_their_own_side_below(server: ServerProcess, people: People) -> None:
    ann, ben = await people.come(server), await people.come(server)
    blue, red = RIDGE_FARM.sides
    await ann.make(RIDGE_FARM, blue)
    await ben.join(await ann.link(f"Invite: play {RIDGE_FARM.sides[red]}"), "Ben")
    await deploy(ann, ben)
    for player, own in ((ann, blue), (ben, red)):
        units = {key: row["side"] for key, row in player.wire.view["units"].items()}
        side = player.wire.view["seats"][own]["side"]
        heights = {
            of: [(await player.at(at))[1] for key in units if units[key] == of for at in await player.figures(key)]
            for of in set(units.values())
        }
        (other,) = set(heights) - {side}
        assert min(heights[side]) > max(heights[other])
    # A table that its player turns back stays so.
    await ben.page.keyboard.press("x")
    assert (await ben.at((0, 0)))[1] > (await ben.at((0, 1)))[1]
    await ben.page.reload()
    await expect(ben.page.locator("g.unit").first).to_be_visible()
    assert (await ben.at((0, 0)))[1] > (await ben.at((0, 1)))[1]


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
    unit = _first_unit(ann)
    await ann.tap((await ann.figures(unit))[0])
    await ann.answered(prompt)
    await asked(ann, about=ann.wire.view["units"][unit]["name"])
    await ann.page.get_by_role("button", name=re.compile("^Take back")).click()
    await asked(ann, about="Activate")


async def test_the_panels_over_the_table_fold_and_stay_folded(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(ANY)
    await asked(ann)
    units = ann.page.get_by_role("complementary", name="Units")
    decision = ann.page.get_by_role("complementary", name="Decision and log")
    for panel in (units, decision):
        await expect(panel.get_by_role("button").nth(1)).to_be_visible()
        await panel.get_by_role("button", expanded=True).first.click()
        await expect(panel.get_by_role("button")).to_have_count(1)
    table, left, right = [await one.bounding_box() for one in (ann.table, units, decision)]
    assert table
    assert left
    assert right
    assert table["width"] == ann.page.viewport_size["width"] if ann.page.viewport_size else False
    assert left["height"] < 60
    assert right["height"] < 60
    await expect(decision).to_contain_text("A decision waits for you")
    tools = ann.page.get_by_role("toolbar", name="Table tools").get_by_role("button")
    assert await tools.evaluate_all(HIDDEN) == []
    await ann.page.reload()
    await expect(decision).to_contain_text("A decision waits for you")
    await expect(units.get_by_role("button")).to_have_count(1)
    await ann.page.get_by_title("Show: units").click()
    await expect(units.get_by_role("listitem").first).to_be_visible()
    await ann.page.get_by_title("Show: decision and log").click()
    await asked(ann)
    await expect(ann.title).to_be_visible()


async def test_no_panel_lies_over_a_piece_after_a_reload(server: ServerProcess, people: People) -> None:
    ann = await _ridge_farm(server, people)
    await ann.page.reload()
    await asked(ann, about="Activate")
    for unit in ann.wire.view["units"]:
        for figure in await ann.figures(unit):
            assert await ann.sees(figure), f"{unit} at {figure}"


async def test_a_walk_and_a_shot_take_four_presses_where_activating_is_rolled_for(
    server: ServerProcess, people: People
) -> None:
    ann = await people.come(server)
    await ann.make(CROSSED_HEDGES)
    await asked(ann, about="Deploy")
    await ann.orders.get_by_role("button", name="Set both sides down where suggested").click()
    for _ in range(TRIES):
        # The first unit of the list is named, with its odds.
        await asked(ann, about="Activate")
        await expect(ann.orders.get_by_role("region", name="Preview")).to_be_visible()
        prompt = ann.asks.id
        await ann.confirm.click()
        await ann.answered(prompt)
        await asked(ann)
        if is_action(ann.asks):
            break
    start = (await ann.figures(ann.asks.unit))[0]
    ahead = 2 if start[1] < ann.middle_of_the_table[1] else -2
    await ann.drag(start, (start[0], start[1] + ahead))
    await ann.confirm.click()
    await asked(ann, about="may fire once on its way")
    await expect(ann.orders.get_by_role("region", name="Preview")).to_contain_text("gets through")
    await expect(ann.orders.get_by_role("button", name="Hold fire")).to_be_enabled()
    await expect(ann.orders.get_by_role("button", name="Fire on the way")).to_be_enabled()
    prompt = ann.asks.id
    await ann.confirm.click()
    await ann.answered(prompt)
    # A unit On Guard of the other side may be asked first whether it reacts.
    while "may react" in await (await asked(ann)).prompt():
        await ann.go_on()
    await expect(ann.log).to_contain_text("fires at")
