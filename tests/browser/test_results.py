"""What an action led to: the strip above the decision, the marks on the table, and that the log is there to read."""

from __future__ import annotations

import re

import msgspec
from playwright.async_api import Locator, expect

from tests.browser.axe import clean
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player, asked
from tests.browser.seating import made_from, sit
from tests.browser.wire import attacks, ways
from tests.support.battlefield import unit
from tests.support.servers import ServerProcess
from tests.support.tabletop import setup
from tests.system.play import token

SHOT = "Blue 1 shoots at Red 1."


def _position() -> bytes:
    """Two squads face each other in the open, and a third one waits."""
    units = (
        unit("blue", (12, 20), figures=8),
        unit("blue", (40, 6), figures=3),
        unit("red", (12, 27), figures=8),
    )
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    return msgspec.json.encode(setup("fad4", units, (48, 48), 12, turn=turn))


async def _shoot(player: Player) -> None:
    """Let the first squad shoot, up to the next decision."""
    await player.activate("Blue 1")
    prompt = player.asks.id
    await player.take(attacks(player.asks)[0])
    await player.fill()
    await player.confirm.click()
    await player.answered(prompt)


def _strip(player: Player) -> Locator:
    return player.page.get_by_role("region", name="What happened last")


def _fallen(player: Player) -> int:
    return sum(figure["fallen"] for figure in player.wire.view["units"]["red-1"]["figures"].values())


async def test_a_shot_is_told_above_the_decision_and_drawn_on_the_table_for_all(
    server: ServerProcess, people: People
) -> None:
    made = await made_from(server, _position())
    ann, eve = await people.come(server), await people.come(server, **PHONE)
    await eve.page.goto(f"{server.address}/#/m/{made.match}")
    await expect(eve.table).to_be_visible()
    await sit(server, ann, made)
    await asked(ann, about="Activate")
    await expect(_strip(ann)).to_have_count(0)
    await _shoot(ann)
    for player in (ann, eve):
        await expect(_strip(player)).to_contain_text(SHOT)
        await expect(_strip(player)).to_contain_text(re.compile(r"\d hits?\."))
        await expect(_strip(player).get_by_role("img")).not_to_have_count(0)
        # From the squad that shot to its target, and as many losses as there were.
        await expect(player.page.locator(".strikes line.fire")).to_have_count(1)
        losses = player.page.locator(".strikes .loss")
        await expect(losses).to_have_text([f"−{_fallen(player)}"] if _fallen(player) else [])
        await clean(player.page, "what happened last")

    # On a phone the log's tab says that there is news; a press on the strip opens the log at the shot.
    tab = eve.page.get_by_role("tab", name="Log")
    await expect(tab).to_contain_text("(new)")
    await _strip(eve).get_by_title("Show it in the log").click()
    await expect(tab).to_have_attribute("aria-selected", "true")
    await expect(eve.log.get_by_role("listitem").filter(has_text=SHOT)).to_be_in_viewport()
    await expect(tab).not_to_contain_text("(new)")

    # A page that is opened later tells the same.
    await ann.page.reload()
    await expect(_strip(ann)).to_contain_text(SHOT)
    await expect(ann.page.locator(".strikes line.fire")).to_have_count(1)


async def test_a_move_is_drawn_from_where_it_began_and_earlier_actions_can_be_looked_at(
    server: ServerProcess, people: People
) -> None:
    made = await made_from(server, _position())
    ann = await people.come(server)
    await sit(server, ann, made)
    await asked(ann, about="Activate")
    await _shoot(ann)
    while "Red 1" not in (title := await ann.prompt()) or "Activate" in title:
        await asked(ann)
        await ann.go_on()
    prompt = ann.asks.id
    await ann.take(ways(ann.asks)[-1])
    await ann.go_towards((30.0, 40.0))
    before = await ann.figures("red-1")
    await ann.confirm.click()
    await ann.answered(prompt)
    drawn = ann.page.locator(".ways line")
    await expect(drawn).to_have_count(len(before))
    await expect(_strip(ann)).to_contain_text("Red 1")
    await expect(ann.page.locator(".strikes line")).to_have_count(0)
    while SHOT not in await _strip(ann).inner_text():
        await _strip(ann).get_by_role("button", name="The action before").click()
    await expect(ann.page.locator(".strikes line.fire")).to_have_count(1)
    await expect(drawn).to_have_count(0)


async def test_a_log_that_was_scrolled_up_says_how_much_is_new(server: ServerProcess, people: People) -> None:
    made = await made_from(server, _position())
    ann = await people.come(server)
    await sit(server, ann, made)
    await asked(ann, about="Activate")
    await _shoot(ann)
    lines = ann.log
    await expect(lines).to_contain_text("shoots")
    await lines.hover()
    await ann.page.mouse.wheel(0, -400)
    while "Red 1" not in await ann.prompt():
        await asked(ann)
        await ann.go_on()
    new = ann.page.get_by_role("button", name=re.compile(r"\d+ new lines?"))
    await expect(new).to_be_visible()
    await new.click()
    await expect(new).to_have_count(0)
    await expect(lines.get_by_role("listitem").last).to_be_in_viewport()


async def test_a_player_who_comes_back_steps_through_what_was_missed(server: ServerProcess, people: People) -> None:
    made = await made_from(server, _position())
    ann, bob = await people.come(server), await people.come(server, **PHONE)
    await sit(server, ann, made)
    await asked(ann, about="Activate")
    await bob.page.goto(f"{server.address}/#/m/{made.match}/seat/red/{token(made, 'red')}")
    await expect(bob.table).to_be_visible()
    missed = bob.page.get_by_role("region", name="While you were away")
    await expect(missed).to_have_count(0)
    # What has happened so far comes after the table.
    await bob.page.wait_for_function("Object.keys(localStorage).some((key) => key.includes('seen/'))")
    # Bob closes the page; two squads act meanwhile.
    await bob.page.goto("about:blank")
    await _shoot(ann)
    while "Red 1" not in (title := await ann.prompt()) or "Activate" in title:
        await asked(ann)
        await ann.go_on()
    prompt = ann.asks.id
    await ann.take(attacks(ann.asks)[0])
    await ann.fill()
    await ann.confirm.click()
    await ann.answered(prompt)
    await bob.page.goto(f"{server.address}/#/m/{made.match}")
    await expect(missed).to_contain_text("While you were away: 2 actions.")
    await clean(bob.page, "while you were away")
    await missed.get_by_role("link", name="Step through them").click()
    await expect(bob.page).to_have_url(re.compile("/replay/red/"))
    await expect(bob.table).to_be_visible()
    await bob.page.get_by_role("link", name="To the match").click()
    await expect(_strip(bob)).to_be_visible()
    await expect(missed).to_have_count(0)
