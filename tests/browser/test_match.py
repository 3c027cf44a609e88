"""Two players and a watcher, a browser each: from the start page to the end of a turn."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser.conftest import People
from tests.browser.player import Player, asked, deploy
from tests.support.servers import ServerProcess

# The first squads face each other along the road, the second ones are out of sight behind the houses.
ON_THE_ROAD = {
    "1st Rifle Squad": (24.0, 11.5),
    "1st Scout Squad": (24.0, 40.0),
    "2nd Rifle Squad": (15.0, 11.5),
    "2nd Scout Squad": (33.0, 40.0),
}
FIRST, SECOND = "1st (Rifle|Scout) Squad", "2nd (Rifle|Scout) Squad"


async def _finish_turn(*players: Player) -> None:
    """Everybody who is left does as little as may be, until the next turn begins or one side has won."""
    over = players[0].page.get_by_role("banner").get_by_text(re.compile(r"Turn 2|Over"))
    while await over.count() == 0:
        player = await asked(*players)
        title = await player.prompt()
        await player.do_little()
        await expect(player.title).not_to_have_text(title)


async def test_two_players_and_a_watcher_play_a_turn(server: ServerProcess, people: People) -> None:
    ann, bob, eve = await people.come(server), await people.come(server), await people.come(server)
    await ann.make("Crossroads Patrol", "Blue patrol", "Ann")
    invite, watch = await ann.link("Invite: play Red patrol"), await ann.link("Watch link")
    await eve.page.goto(watch)
    await expect(eve.orders).to_contain_text("Waiting for players")
    await bob.join(invite, "Bob")
    # The invite is used up and gone from the address.
    assert "join" not in bob.page.url
    await expect(eve.orders).to_contain_text("You are watching")

    active = await deploy(ann, bob, places=ON_THE_ROAD)
    other = bob if active is ann else ann
    for player in (ann, bob, eve):
        x, y = await player.middle("blue-1")
        assert 23 < x < 25
        assert 9 < y < 11

    # Somebody shoots, and knows before what is likely to come of it.
    await active.activate(FIRST)
    await active.take("Open Fire")
    target, hidden = await active.orders.get_by_role("group", name="Target").get_by_role("listitem").all()
    await expect(target).to_contain_text("medium range")
    await expect(hidden).to_contain_text("does not see")
    await expect(hidden.get_by_role("button")).to_be_disabled()
    await target.get_by_role("button").click()
    preview = active.orders.get_by_role("region", name="What would come of it")
    await expect(preview).to_contain_text("2D6")
    await expect(preview).to_contain_text(re.compile(r"medium range\s*−2.*Open Fire\s*\+2.*Regular\s*\+1"))
    await expect(preview).to_contain_text(re.compile(r"Expected hits\s*\d+\.\d"))
    await expect(preview).to_contain_text(re.compile(r"At least one loss\s*\d+ %"))
    await active.confirm.click()

    # Everybody reads the same explained roll, and each of its lines leads to its rule.
    fired = re.compile(r"Fire Effect −?\d+ against.*Open Fire\s*\+2.*= −?\d")
    for player in (active, other, eve):
        line = player.log.get_by_role("listitem").filter(has_text=fired).first
        await expect(line).to_be_visible()
        await expect(line.get_by_role("img", name=re.compile(r"D6: \d")).first).to_be_visible()
    line = eve.log.get_by_role("listitem").filter(has_text=fired).first
    await line.get_by_role("link", name="Open Fire").click()
    rule = eve.page.get_by_role("dialog")
    await expect(rule).to_contain_text("+2")
    await eve.page.keyboard.press("Escape")

    player = await asked(ann, bob)
    while await player.orders.get_by_role("checkbox").count():
        await player.pick_losses()
        player = await asked(ann, bob)

    # The others' second squad rushes: dragged to where it goes, each figure as far as the squad.
    mover = player
    await mover.activate(SECOND)
    unit = "blue-2" if mover is ann else "red-2"
    north = 1 if mover is ann else -1
    await mover.take("Move Out")
    before = await mover.figures(unit)
    await mover.drag(before[0], (before[0][0], before[0][1] + 4 * north))
    # On the way lies broken ground, which costs more than its length.
    await expect(mover.table.get_by_role("status")).to_contain_text(re.compile(r"[4-8](\.\d)?″ of 12″"))
    await mover.confirm.click()
    for player in (ann, bob, eve):
        await expect(player.log).to_contain_text(re.compile("2nd (Rifle|Scout) Squad (moves|rushes)"))
        after = await player.figures(unit)
        assert [(x, round(y + 4 * north, 3)) for x, y in before] == after

    # What people say is text, whatever they type.
    await ann.page.get_by_role("tab", name="Chat").click()
    await ann.page.get_by_label("Say something").fill("<img src=x onerror=alert(1)> & <b>you</b>")
    await ann.page.keyboard.press("Enter")
    for player in (bob, eve):
        await player.page.get_by_role("tab", name="Chat").click()
        chat = player.page.get_by_role("log", name="Chat")
        await expect(chat).to_contain_text("Ann: <img src=x onerror=alert(1)> & <b>you</b>")
        assert await chat.locator("img, b").count() == 0
        await player.page.get_by_role("tab", name="Log").click()
    await ann.page.get_by_role("tab", name="Log").click()

    await _finish_turn(ann, bob)
    await expect(eve.page.get_by_role("banner")).to_contain_text(re.compile(r"Turn 2\s+of 6|Over"))
