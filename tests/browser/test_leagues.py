"""Leagues: made by an organiser, joined by an invite link, played, and settled."""

from __future__ import annotations

import re

import pytest
from playwright.async_api import Locator, Page, expect

from tests.browser.axe import clean
from tests.browser.conftest import PHONE, People
from tests.browser.player import Player
from tests.support.servers import ServerProcess, until

NAME = "Ridge League"
MATCH = re.compile(r"#/m/\w+$")


async def make_league(player: Player, name: str = NAME, *, template: str = "Round robin", listed: bool = True) -> str:
    """Make a league as a player who has no key yet, and return its invite link."""
    page = player.page
    await page.goto(f"{player.address}/#/leagues/new")
    await say_name(page, "Olga")
    await page.get_by_role("radio", name=re.compile(template)).check()
    await page.get_by_label("Name of the league").fill(name)
    if not listed:
        await page.get_by_label("List it").uncheck()
    await page.get_by_role("button", name="Make the league").click()
    await expect(page.get_by_role("heading", level=1)).to_have_text(name)
    return await player.link("Invite link")


async def say_name(page: Page, name: str) -> None:
    """Become known to the server under a name."""
    await page.get_by_label("Your name").fill(name)
    await page.get_by_role("button", name="Make a key").click()


async def join(player: Player, link: str, name: str) -> None:
    """Join a league by its invite link, with the first ready force."""
    page = player.page
    await page.goto(link)
    await say_name(page, name)
    await choose_force(page)
    await page.get_by_role("button", name="Join the league").click()
    await expect(part(page, "Your place")).to_contain_text("You play with")


async def choose_force(page: Page, *, place: int = 0) -> None:
    """Choose a ready force."""
    ready = page.locator("optgroup[label=Ready] option")
    await expect(ready.first).to_be_attached()
    await page.get_by_label("Your force").select_option(await ready.nth(place).get_attribute("value"))


def part(page: Page, name: str) -> Locator:
    """A part of the page of a league."""
    return page.get_by_role("region", name=name, exact=True)


def standing(page: Page, name: str) -> Locator:
    """A player's row in the standings."""
    return part(page, "Standings").get_by_role("row", name=re.compile(name))


async def test_a_round_robin_is_made_joined_played_and_settled(server: ServerProcess, people: People) -> None:
    olga, ann, ben = await people.come(server), await people.come(server), await people.come(server, **PHONE)
    link = await make_league(olga, listed=False)
    await expect(olga.page.get_by_role("button", name="Begin round 1")).to_be_disabled()
    await join(ann, link, "Ann")
    # The invite does not stay in the address.
    assert ann.page.url.endswith(re.sub(r"^.*#|/\w+$", "", link))
    await expect(part(ann.page, "What is next")).to_contain_text("The organiser begins the first round.")
    await join(ben, link, "Ben")
    await olga.page.reload()
    await clean(olga.page, "a league that gathers players")

    await olga.page.get_by_role("button", name="Begin round 1").click()
    await expect(part(olga.page, "Matches")).to_contain_text("Round 1")
    await ann.page.reload()
    await clean(ann.page, "what is next")
    await part(ann.page, "What is next").get_by_role("button", name=re.compile("^Play")).click()
    await expect(ann.page).to_have_url(MATCH)
    await ben.page.reload()
    await part(ben.page, "What is next").get_by_role("button", name=re.compile("^Play")).tap()
    await expect(ben.page).to_have_url(ann.page.url)
    await expect(ben.table).to_be_visible()
    await expect(ann.table).to_be_visible()
    # Both seats are tied to the keys of their players.
    await until(lambda: _names_with_keys(ann) == {"Ann", "Ben"})

    page = olga.page
    await page.reload()
    await part(page, "Matches").get_by_role("button", name=re.compile("^Settle")).click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Ben has won").check()
    await dialog.get_by_label("Why").fill("Ann could not come.")
    await clean(page, "settling")
    await dialog.get_by_role("button", name="Settle it").click()
    await expect(part(page, "Matches")).to_contain_text("Ben won. Ann could not come.")
    await expect(part(page, "Matches")).to_contain_text("settled by the organiser")
    acts = part(page, "Undo")
    await acts.get_by_text("What organisers did lately").click()
    await expect(acts.get_by_role("listitem").nth(1)).to_contain_text("A fixture of this round is over.")
    await clean(page, "what can be undone")
    await expect(standing(page, "Ben").get_by_role("cell").nth(0)).to_have_text("1")
    await expect(standing(page, "Ben")).to_contain_text("won")
    await expect(standing(page, "Ann").get_by_role("cell").nth(0)).to_have_text("2")
    await clean(page, "a league with a result")
    await ben.page.goto(link)
    await expect(standing(ben.page, "Ben")).to_contain_text("you")
    await clean(ben.page, "a league on a phone")

    # That was the only round of two players.
    coming = part(ben.page, "What is next")
    await expect(coming).to_contain_text("All rounds are played. The organiser ends the league.")
    await expect(part(page, "Organise")).to_contain_text("All rounds are played. You can end the league now.")
    await page.get_by_role("button", name="End the league").click()
    await page.get_by_role("dialog").get_by_role("button", name="End it").click()
    await expect(page.get_by_text("The league is over. Ben is its champion.")).to_be_visible()
    await ben.page.reload()
    await expect(coming).to_contain_text("The league is over. You are its champion.")


def _names_with_keys(player: Player) -> set[str]:
    return {seat["name"] for seat in player.wire.view["seats"].values() if seat["key"]}


async def test_a_league_that_is_not_listed_is_shown_to_those_who_have_its_link(
    server: ServerProcess, people: People
) -> None:
    olga, ann = await people.come(server), await people.come(server)
    link = await make_league(olga, "Hidden League", listed=False)
    page = ann.page
    await page.goto(f"{server.address}/#/leagues")
    await expect(page.get_by_role("link", name="Make a league")).to_be_visible()
    await expect(page.get_by_role("link", name="Hidden League")).to_have_count(0)
    await page.goto(link.rpartition("/")[0])
    await expect(page.get_by_role("heading", level=1)).to_have_text("This league is not shown")
    await page.goto(link)
    await expect(page.get_by_role("heading", level=1)).to_have_text("Hidden League")


async def test_players_of_a_ladder_challenge_each_other(server: ServerProcess, people: People) -> None:
    olga, ann, ben = await people.come(server), await people.come(server), await people.come(server)
    link = await make_league(olga, "Hill Ladder", template="Ladder")
    await join(ann, link, "Ann")
    await join(ben, link, "Ben")
    coming = part(ben.page, "What is next")
    await coming.get_by_label("Challenge a player").select_option("Ann")
    await coming.get_by_role("button", name="Challenge", exact=True).click()
    await expect(coming.get_by_role("button", name=re.compile("^Take the challenge back"))).to_be_visible()
    await ann.page.reload()
    await ann.page.get_by_role("button", name=re.compile("^Accept the challenge")).click()
    await expect(part(ann.page, "What is next").get_by_role("button", name=re.compile("^Play"))).to_be_visible()
    await part(ann.page, "Your place").get_by_role("button", name="Leave the league").click()
    await ann.page.get_by_role("dialog").get_by_role("button", name="Leave", exact=True).click()
    await expect(part(ann.page, "Join")).to_be_visible()


async def test_an_organiser_admits_those_who_ask_and_ends_the_league(server: ServerProcess, people: People) -> None:
    olga, ann = await people.come(server), await people.come(server)
    page = olga.page
    await page.goto(f"{server.address}/#/leagues/new")
    await say_name(page, "Olga")
    await page.get_by_label("Name of the league").fill("Club League")
    await page.get_by_label("Anyone may join").uncheck()
    await page.get_by_role("button", name="Make the league").click()
    await expect(page).to_have_url(re.compile(r"#/league/\w+$"))
    await ann.page.goto(page.url)
    await say_name(ann.page, "Ann")
    await choose_force(ann.page)
    await ann.page.get_by_role("button", name="Ask to join").click()
    await expect(part(ann.page, "Your place")).to_contain_text("You have asked to join")
    await page.reload()
    await page.get_by_role("button", name="Admit Ann").click()
    await expect(part(page, "Players")).to_contain_text("Ann")
    await page.get_by_role("button", name="Have Ann leave").click()
    await page.get_by_role("dialog").get_by_label("Why").fill("She is on holiday.")
    await page.get_by_role("button", name="Have them leave").click()
    await expect(part(page, "What happened")).to_contain_text("She is on holiday.")
    await undo(page, "Olga had Ann leave", "It was another Ann.")
    await expect(part(page, "Players")).not_to_contain_text("has left")
    await page.get_by_role("button", name="End the league").click()
    await page.get_by_role("dialog").get_by_role("button", name="End it").click()
    await expect(page.get_by_role("button", name="End the league")).to_have_count(0)
    await undo(page, "The league is over", "There is one more round.")
    await expect(page.get_by_role("button", name="End the league")).to_be_visible()


async def undo(page: Page, what: str, why: str) -> None:
    """Undo what an organiser did, for a reason."""
    acts = part(page, "Undo")
    await acts.get_by_text("What organisers did lately").click()
    await acts.get_by_role("button", name=f"Undo: {what}").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Why").fill(why)
    await clean(page, "undoing")
    await dialog.get_by_role("button", name="Undo it").click()
    await expect(part(page, "What happened")).to_contain_text(f"Olga has undone {UNDONE[what]}: {why}")


UNDONE = {"Olga had Ann leave": "that Ann had to leave", "The league is over": "the end of the league"}


@pytest.mark.parametrize("path", ["#/leagues", "#/leagues/new"])
async def test_pages_of_leagues_are_accessible(server: ServerProcess, people: People, path: str) -> None:
    olga = await people.come(server)
    await make_league(olga)
    await olga.page.goto(f"{server.address}/{path}")
    await expect(olga.page.get_by_role("heading", level=1)).to_be_visible()
    settled = (
        olga.page.get_by_role("link", name=NAME).first
        if path == "#/leagues"
        else olga.page.get_by_text("More", exact=True)
    )
    await expect(settled).to_be_visible()
    await clean(olga.page, path)


async def test_an_organiser_has_a_channel_told_and_a_player_finds_a_calendar(
    server: ServerProcess, people: People
) -> None:
    olga, ann = await people.come(server), await people.come(server)
    link = await make_league(olga, listed=False)
    await join(ann, link, "Ann")
    await olga.page.reload()
    channel = part(olga.page, "Tell a channel")
    await expect(part(ann.page, "Tell a channel")).to_have_count(0)

    await channel.get_by_text("Name a channel of the players").click()
    await channel.get_by_label("Address of the webhook").fill("https://127.0.0.1/secret-path")
    await channel.get_by_role("button", name="Keep it, and try it").click()
    await expect(channel.get_by_role("alert")).to_contain_text("is not an address of the public internet")
    await expect(channel).to_contain_text("A channel at 127.0.0.1 is told what happens in this league.")
    await expect(channel.get_by_label("Address of the webhook")).to_have_value("")
    assert "secret-path" not in await olga.page.content()
    await clean(olga.page, "a league with a webhook")
    await channel.get_by_role("button", name="Send a test").click()
    await expect(channel.get_by_role("alert")).to_contain_text("is not an address of the public internet")
    await channel.get_by_role("button", name="Remove it").click()
    await expect(channel.get_by_role("status")).to_have_text("It is removed: nothing more is sent there.")
    await expect(channel).not_to_contain_text("127.0.0.1")

    address = await ann.link("Calendar of my fixtures")
    found = await ann.page.request.get(address)
    assert found.headers["content-type"] == "text/calendar; charset=utf-8"
    assert (await found.text()).startswith("BEGIN:VCALENDAR\r\n")
    await clean(ann.page, "a player's place in a league")
