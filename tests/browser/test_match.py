"""Two players and a spectator, a browser each, in every edition: from the start page to the end of a turn."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser.battles import ANY, Battle, every_battle
from tests.browser.conftest import People
from tests.browser.player import Place, Player, asked, deploy
from tests.browser.wire import attacks, is_action, ways
from tests.support.servers import ServerProcess

DICE = re.compile(r"D\d+: \d")
PROMPTS = 150
"""After so many something should have happened."""


async def _same_places(unit: str, *players: Player) -> list[Place]:
    """Where a unit's figures are, once every page shows them at the same places."""
    places: list[list[Place]] = []
    for _ in range(200):
        places = [await player.figures(unit) for player in players]
        if all(other == places[0] for other in places):
            return places[0]
        await players[0].page.wait_for_timeout(25)
    raise AssertionError(f"{unit} stands at {places}")


async def _deploy(battle: Battle, ann: Player, bob: Player, eve: Player) -> None:
    """All players deploy in turn; the first unit is dragged to its place."""
    first = await asked(ann, bob)
    if await first.choices.count():
        await first.choices.first.click()
    name = await first.handle().get_attribute("aria-label") or ""
    x, y = await first.handle_at()
    await first.drag((x, y), (x - 2, y))
    there = await first.handle_at()
    assert round(there[0] - x, 1) == -2
    await first.confirm.click()
    await expect(eve.page.locator("g.unit")).to_have_count(1)
    unit = await eve.page.locator("g.unit").get_attribute("data-unit") or ""
    assert unit, name
    await _same_places(unit, ann, bob, eve)
    await deploy(ann, bob)
    assert set(battle.sides) == {row["side"] for row in eve.wire.view["units"].values()}


async def _shoot(shooter: Player, *others: Player) -> None:
    """A player shoots after a preview of the odds, and all pages show the same explained dice."""
    rolls = {
        player: player.log.get_by_role("listitem").filter(has=player.page.get_by_role("img", name=DICE))
        for player in (shooter, *others)
    }
    before = await rolls[shooter].count()
    await shooter.take(attacks(shooter.asks)[-1])
    await shooter.fill()
    preview = shooter.orders.get_by_role("region", name="Preview")
    await expect(preview).to_contain_text(re.compile(r"\d ?%|\d\.\d"))
    assert await preview.get_by_role("link").count(), "the odds lead to their rules"
    await shooter.confirm.click()
    for lines in rolls.values():
        await expect(lines.nth(before)).to_be_visible()
    told = [(await lines.nth(before).inner_text()).strip() for lines in rolls.values()]
    assert len(set(told)) == 1

    # Each line of it leads to its rule.
    reader = others[-1]
    link = rolls[reader].nth(before).get_by_role("link").last
    await link.click()
    await expect(reader.page.get_by_role("dialog")).to_be_visible()
    await reader.page.keyboard.press("Escape")


async def _move(mover: Player, *others: Player) -> None:
    """A player drags a unit ahead as far as it may go, each figure as far as the unit."""
    unit = mover.asks.unit
    await mover.take(ways(mover.asks)[0])
    before = await mover.figures(unit)
    # Towards the middle of the table, or of those of the enemy that are seen.
    x, y = await mover.middle(unit)
    middle = mover.middle_of_the_table
    ahead = min(1.0, 8 / max(1.0, abs(middle[0] - x) + abs(middle[1] - y)))
    await mover.drag(before[0], (before[0][0] + (middle[0] - x) * ahead, before[0][1] + (middle[1] - y) * ahead))
    await expect(mover.table.get_by_role("status")).to_contain_text(re.compile(r"\d(\.\d)?″ of \d+″"))
    if not await mover.confirm.is_enabled():
        await mover.orders.get_by_role("button", name="Back", exact=True).click()
        await mover.answer()
        return
    await mover.confirm.click()
    await expect(mover.page.locator("[data-handle]")).to_have_count(0)
    for _ in range(200):
        if await _same_places(unit, mover, *others) != before:
            return
        # FUBAR 4 asks about fire on the way before it.
        if "on its way" in await mover.prompt():
            await mover.go_on()
        await mover.page.wait_for_timeout(25)
    raise AssertionError(f"{unit} has not moved")


@every_battle
async def test_two_players_and_a_spectator_at_a_match(server: ServerProcess, people: People, battle: Battle) -> None:
    ann, bob, eve = await people.come(server), await people.come(server), await people.come(server)
    seats = list(battle.sides)
    await ann.make(battle, seats[0], "Ann")
    invite, watch = await ann.link(f"Invite: play {battle.sides[seats[1]]}"), await ann.link("Watch link")
    await eve.page.goto(watch)
    await expect(eve.orders).to_contain_text("Waiting for players")
    await bob.join(invite, "Bob")
    # The invite is used up and gone from the address.
    assert "join" not in bob.page.url
    await expect(eve.orders).to_contain_text("You are watching")
    await _deploy(battle, ann, bob, eve)

    # They come nearer until one of them can shoot.
    moved = shot = False
    for _ in range(PROMPTS):
        player = await asked(ann, bob)
        other = bob if player is ann else ann
        if not is_action(player.asks):
            await player.go_on()
        elif attacks(player.asks) and not shot:
            await _shoot(player, other, eve)
            shot = True
        elif ways(player.asks):
            await _move(player, other, eve)
            moved = True
        else:
            await player.go_on()
        if moved and shot:
            break
    assert moved
    assert shot

    # What people say is text, whatever they type.
    await ann.page.get_by_role("tab", name="Chat").click()
    await ann.page.get_by_label("Say something").fill("<img src=x onerror=alert(1)> & <b>you</b>")
    await ann.page.keyboard.press("Enter")
    for player in (bob, eve):
        await player.page.get_by_role("tab", name="Chat").click()
        chat = player.page.get_by_role("log", name="Chat")
        await expect(chat).to_contain_text("Ann: <img src=x onerror=alert(1)> & <b>you</b>")
        assert await chat.locator("img, b").count() == 0

    # To the end of the turn all seats give the default.
    turn = int(eve.wire.view["turn"])
    banner = eve.page.get_by_role("banner")
    while int(eve.wire.view["turn"]) == turn and eve.wire.view["result"] is None:
        await (await asked(ann, bob)).go_on()
    await expect(banner).to_contain_text(re.compile(rf"Turn {turn + 1}\s+of \d+|Over"))
    for unit in eve.wire.view["units"]:
        await _same_places(unit, ann, bob, eve)


async def test_a_units_card_is_in_the_order_of_use(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(ANY)
    await asked(ann)
    unit = ann.page.get_by_role("complementary", name="Units").get_by_role("listitem").first
    await unit.get_by_role("button").first.click()
    shown = await unit.locator("dt").all_inner_texts()
    key = next(iter(ann.wire.view["units"]))
    lines = sorted(ann.wire.view["units"][key]["card"].values(), key=lambda line: line["place"])
    assert [line["label"] for line in lines] == shown
    assert shown != sorted(shown)
