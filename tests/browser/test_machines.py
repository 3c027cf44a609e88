"""The computer at the table: the quickest way to play it, leaving a side to it, watching two of it, and friends against one."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import expect

from server.rulesets.library import editions
from tests.browser.axe import clean
from tests.browser.battles import ANY, Battle
from tests.browser.conftest import PHONE, How, People
from tests.browser.player import Player, asked
from tests.support.servers import ServerProcess, serving
from tests.system.play import make_match

ALL = [Battle(rules.info, scenario) for rules in editions().values() for scenario in rules.info.scenarios]


@pytest_asyncio.fixture(loop_scope="session")
async def exhibiting(tmp_path: Path) -> AsyncIterator[ServerProcess]:
    """A server whose start page shows an exhibition."""
    async with serving(tmp_path, settings={"UNDERFIRE_EXHIBITION": "on"}) as server:
        yield server


async def test_the_first_button_leads_to_a_table_and_the_computer_answers(
    server: ServerProcess, people: People
) -> None:
    ann = await people.come(server)
    await ann.page.goto(server.address)
    await ann.page.get_by_role("button", name="Play now").click()
    await expect(ann.page).to_have_url(re.compile("#/m/"))
    await asked(ann)
    assert ann.wire.view["seats"]["red"]["name"] == "Recruit (computer)"
    sides = {key: seat["side"] for key, seat in ann.wire.view["seats"].items()}
    while not (standing := _standing(ann, sides["blue"])) or not _standing(ann, sides["red"]):
        # The first decisions are where to deploy: ours are given, the computer gives its own.
        await asked(ann)
        await ann.go_on()
        await asked(ann)
    assert standing


def _standing(player: Player, side: str) -> list[str]:
    """The units of a side that are on the table."""
    units = player.wire.view["units"].items()
    return [key for key, unit in units if unit["side"] == side and any(one["at"] for one in unit["figures"].values())]


async def test_a_player_leaves_a_side_to_the_computer_and_takes_it_back(server: ServerProcess, people: People) -> None:
    ann = await people.come(server, **PHONE)
    page = ann.page
    await page.goto(server.address)
    await page.get_by_role("button", name="Play now").click()
    await asked(ann)
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_text("Let the computer play on").click()
    await page.get_by_label("Which computer").select_option(label="Veteran")
    await page.get_by_role("button", name=re.compile("^Leave Blue patrol to the computer")).click()
    await expect(page.get_by_role("heading", name="The computer plays Blue patrol for you")).to_be_visible()
    await expect(page.locator("section.waiting")).to_contain_text("(Veteran, computer)")
    # It plays: what was asked of Ann is answered.
    await page.get_by_role("button", name="Play Blue patrol again").click()
    await asked(ann)
    await ann.open("Log")
    await expect(ann.log).to_contain_text("Veteran (computer) plays Blue patrol from here on, in the place of Player.")
    await expect(ann.log).to_contain_text("Player plays Blue patrol again, in the place of Veteran (computer).")


async def test_two_computers_play_and_one_watches(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    page = ann.page
    await page.goto(server.address)
    await page.get_by_label("Your name").fill("Ann")
    await page.get_by_role("group", name="I play").get_by_role("radio", name=re.compile("^None")).check()
    await page.get_by_label("Who plays Red").select_option(label="The computer: Recruit")
    await page.get_by_role("button", name="Make the match").click()
    await expect(page).to_have_url(re.compile("#/m/"))
    await expect(page.get_by_role("heading", name="You are watching")).to_be_visible()
    units = page.locator("g.unit")
    await expect(units).not_to_have_count(0)


async def test_friends_together_play_a_side_against_one_that_the_rules_play(
    server: ServerProcess, people: People
) -> None:
    ann, bob = await people.come(server), await people.come(server)
    page, (blue, red) = ann.page, ANY.sides.values()
    await page.goto(server.address)
    await page.get_by_label("Your name").fill("Ann")
    await ann.choose(ANY)
    await page.get_by_label(f"Who plays {red}").select_option(label="Uncontrolled, by the rules")
    await page.get_by_role("button", name="Make the match").click()
    await asked(ann)
    # The link of the seat lets a friend in, who decides for the same side.
    await page.get_by_role("button", name="Menu").click()
    await page.get_by_text(f"{blue} on another device, or with a friend").click()
    await bob.page.goto(await ann.link("The link of your seat"))
    await page.keyboard.press("Escape")
    await asked(bob)
    for player in (bob, ann, bob):
        await asked(player)
        await player.go_on()
    await asked(ann)
    await asked(bob)
    await expect(ann.log).to_contain_text(red)


async def test_two_friends_and_the_computer_at_one_table(server: ServerProcess, people: People) -> None:
    battle = next(battle for battle in ALL if len(battle.sides) > 2)
    third = list(battle.sides.values())[2]
    ann, bob = await people.come(server), await people.come(server)
    page = ann.page
    await page.goto(server.address)
    await page.get_by_label("Your name").fill("Ann")
    await ann.choose(battle)
    await page.get_by_label(f"Who plays {third}").select_option(label="The computer: Recruit")
    await page.get_by_role("button", name="Make the match").click()
    await bob.join(await ann.link("Invite"), "Bob")
    for _ in range(4):
        await (await asked(ann, bob)).go_on()
    await asked(ann, bob)
    names = {seat["name"] for seat in ann.wire.view["seats"].values()}
    assert names == {"Ann", "Bob", "Recruit (computer)"}


async def test_the_computer_says_what_it_would_do_and_why_and_drafts_it(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    page = ann.page
    await page.goto(server.address)
    await page.get_by_role("button", name="Play now").click()
    for _ in range(6):
        await asked(ann)
        await page.keyboard.press("a")
        await expect(ann.orders.get_by_text("I would:")).to_be_visible()
        prompt = ann.asks.id
        # It is drafted, and the player confirms it.
        await ann.orders.get_by_role("button", name="Draft that").click()
        if ann.wire.prompt is not None and ann.asks.id == prompt:
            await expect(ann.confirm).to_be_enabled()
            await ann.confirm.click()
        await ann.answered(prompt)


async def test_between_players_the_computer_is_asked_where_the_match_was_made_so(
    server: ServerProcess, people: People
) -> None:
    ann, bob = await people.come(server), await people.come(server)
    for advised in (False, True):
        await ann.page.goto(server.address)
        await ann.page.get_by_label("Your name").fill("Ann")
        await ann.choose(ANY)
        if advised:
            await ann.page.get_by_role("checkbox", name=re.compile("^The computer may be asked")).check()
        await ann.page.get_by_role("button", name="Make the match").click()
        await bob.join(await ann.link("Invite"), "Bob")
        player = await asked(ann, bob)
        button = player.orders.get_by_role("button", name="What would you do, and why?")
        await expect(button).to_be_visible(visible=advised)


@pytest.mark.parametrize("name", [rules.info.name for rules in editions().values() if rules.info.guide is not None])
async def test_a_guided_battle_explains_five_decisions_from_the_start_page_on(
    server: ServerProcess, people: People, name: str
) -> None:
    ann = await people.come(server, **PHONE)
    page, guide = ann.page, ann.page.get_by_role("region", name="Guided battle")
    await page.goto(server.address)
    await page.get_by_role("group", name="Learn to play").get_by_role("button", name=name).click()
    told: dict[str, str] = {}
    over = page.get_by_role("heading", name=re.compile("wins$|^A draw"))
    for _ in range(60):
        await expect(over.or_(page.locator("section.prompt")).first).to_be_visible()
        if await over.count():
            break
        await asked(ann)
        said = await guide.inner_text()
        if "You know how it goes" in said:
            break
        if found := re.match(r"(\d) of 5: ", said):
            told.setdefault(found[1], said)
            # It is said in the words of the prompt.
            words = [re.escape(choice.label.split()[0]) for choice in ann.asks.choices]
            assert re.search("|".join(words), said), said
        await ann.go_on()
    assert list(told) == ["1", "2", "3", "4", "5"][: len(told)]
    assert len(told) >= 4
    await guide.get_by_role("button", name=re.compile("(Leave|Close) the guide")).click()
    await expect(guide).to_have_count(0)
    await page.reload()
    await expect(page.locator(".tabletop")).to_be_visible()
    await expect(guide).to_have_count(0)


async def test_while_no_match_is_played_the_start_page_shows_two_computers(
    exhibiting: ServerProcess, people: People
) -> None:
    ann = await people.come(exhibiting)
    await ann.page.goto(exhibiting.address)
    shown = ann.page.get_by_role("region", name="Exhibition")
    await expect(shown.locator("g.unit").first).to_be_attached()
    await expect(shown).to_contain_text("(Veteran, computer)")
    # All see the same one.
    small: How = {**PHONE, "color_scheme": "dark"}
    bob = await people.come(exhibiting, **small)
    await bob.page.goto(exhibiting.address)
    link = bob.page.get_by_role("region", name="Exhibition").get_by_role("link", name="Watch it closely")
    href = await shown.get_by_role("link", name="Watch it closely").get_attribute("href")
    await expect(link).to_have_attribute("href", href or "-")
    await clean(ann.page, "an exhibition")
    await clean(bob.page, "an exhibition on a phone")
    # When people play in sight of all, that is what there is to see.
    made = await make_match(exhibiting)
    await expect(shown.get_by_role("heading", name="At play now")).to_be_visible()
    closely = shown.get_by_role("link", name="Watch it closely")
    await expect(closely).to_have_attribute("href", f"#/m/{made.match}")


async def test_moments_of_recorded_battles_are_stepped_through(tmp_path: Path, people: People) -> None:
    async with serving(tmp_path, settings={"UNDERFIRE_MOMENTS": "on"}) as server:
        ann = await people.come(server, **PHONE)
        await ann.page.goto(server.address)
        # The server takes in the matches after it has started.
        shown = ann.page.get_by_role("region", name="Moments of recorded battles")
        await expect(shown).to_be_visible(timeout=60_000)
        await clean(ann.page, "moments")
        await shown.get_by_role("button", name="Step through").first.click()
        await expect(shown.locator("g.unit").first).to_be_attached()
        steps = shown.get_by_role("group", name="Steps")
        forward = steps.get_by_role("button", name=re.compile("Next|Forward"))
        while await forward.is_enabled():
            await forward.click()
        await clean(ann.page, "the last step of a moment")
        await shown.get_by_role("link", name="Watch the whole game").click()
        await expect(ann.page).to_have_url(re.compile("/replay"))
        await expect(ann.table).to_be_visible()


async def test_a_free_seat_in_the_list_is_taken_with_one_click(own_server: ServerProcess, people: People) -> None:
    ann, bob = await people.come(own_server), await people.come(own_server)
    await bob.make(ANY, next(iter(ANY.sides)), "Bob")
    await ann.page.goto(own_server.address)
    # The browser knows the name from a match before.
    await ann.page.evaluate("localStorage.setItem('underfire/name', JSON.stringify('Ann'))")
    await ann.page.reload()
    await ann.page.get_by_role("link", name=re.compile("^Play .* in ")).click()
    await asked(ann, bob)
    assert {seat["name"] for seat in bob.wire.view["seats"].values()} == {"Ann", "Bob"}
