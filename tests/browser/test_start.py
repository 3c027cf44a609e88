"""The start page: what can be played, joined, watched and looked at again, as it is now; and matches from files."""

from __future__ import annotations

import asyncio
import json
import re
import time
from pathlib import Path

from playwright.async_api import Locator, Page, WebSocketRoute, expect

from client_protocol.clocks import ClockTerms
from client_protocol.codec import decode_server, encode
from client_protocol.from_server import Matches, MatchesChanged, MatchSummary, Score
from client_protocol.view import ResultView
from tests.browser.axe import clean
from tests.browser.battles import ANY, BATTLES
from tests.browser.conftest import LAPTOP, PHONE, How, People
from tests.browser.finished import begun, concede, finished
from tests.browser.player import asked
from tests.support.servers import UNDERFIRE, ServerProcess, serving

HOUR = 3_600_000


def _group(page: Page, title: str) -> Locator:
    """The matches of a kind."""
    return page.get_by_role("region", name=title, exact=True)


async def _count(page: Page, tab: str, number: int) -> None:
    """A tab says how many matches it would show."""
    await expect(page.get_by_role("radio", name=f"{tab} {number}", exact=True)).to_be_visible()


async def test_the_list_of_matches_is_live(own_server: ServerProcess, people: People) -> None:
    eve, ann = await people.come(own_server), await people.come(own_server)
    page = eve.page
    await page.goto(own_server.address)
    await expect(page.get_by_role("heading", name="No match yet")).to_be_visible()

    blue, red = ANY.sides
    await ann.make(ANY, blue)
    waits = _group(page, "Waiting for a player")
    await expect(waits).to_contain_text(ANY.scenario.name)
    await expect(waits).to_contain_text(f"{ANY.sides[blue]}: Ann")
    await expect(waits.get_by_role("link", name=f"Play {ANY.sides[red]}")).to_be_visible()
    await expect(_group(page, "Your matches")).to_contain_text("You have no matches")

    bob = await people.come(own_server)
    await bob.join(await ann.link("Invite"), "Bob")
    played = _group(page, "Being played")
    first = "Ann" if await asked(ann, bob) is ann else "Bob"
    await expect(played).to_contain_text(f"{first} decides, for")
    # Its table is shown, to everyone who comes.
    shown = page.get_by_role("region", name="Exhibition")
    await expect(shown.get_by_role("heading", name="At play now")).to_be_visible()
    await expect(shown.locator(".tabletop svg").first).to_be_visible()
    await page.reload()
    await expect(shown.locator(".tabletop svg").first).to_be_visible()
    await expect(waits).to_contain_text("No seat is free")
    assert await page.title() == "Underfire"

    # Of the same match its players' own pages say whose decision it is.
    decides, waiting = (ann, bob) if first == "Ann" else (bob, ann)
    own = await decides.page.context.new_page()
    await own.goto(own_server.address)
    await expect(_group(own, "Your matches")).to_contain_text("You decide, for")
    await expect(own).to_have_title("(1) Underfire")
    other = await waiting.page.context.new_page()
    await other.goto(own_server.address)
    await expect(_group(other, "Your matches")).to_contain_text(f"{first} decides, for")

    held = await ann.page.evaluate("localStorage.getItem('underfire/match/' + location.hash.split('/')[2])")
    await concede(own_server, ann.page.url.rpartition("/")[2], json.loads(held)["tokens"][blue])
    over = _group(page, "Over")
    await expect(over).to_contain_text(f"{ANY.sides[red]} won (Bob)")
    await expect(over.get_by_role("link", name="Result")).to_have_attribute("href", re.compile("/end$"))
    await over.get_by_role("link", name="Replay").click()
    await expect(page).to_have_url(re.compile("/replay"))


async def test_an_unlisted_match_is_among_ones_own(own_server: ServerProcess, people: People) -> None:
    ann, eve = await people.come(own_server), await people.come(own_server)
    looking = await ann.page.context.new_page()
    await looking.goto(own_server.address)
    await expect(looking.get_by_role("heading", name="No match yet")).to_be_visible()
    await ann.page.goto(own_server.address)
    await ann.page.get_by_label("Your name").fill("Ann")
    await ann.page.get_by_role("checkbox", name="List it").uncheck()
    await ann.page.get_by_role("button", name="Make the match").click()
    await expect(ann.page).to_have_url(re.compile("#/m/"))
    # The other tab of the same browser shows it too.
    own = _group(looking, "Your matches")
    await expect(own).to_contain_text("A seat is free")
    await expect(own.get_by_role("link", name="Continue")).to_be_visible()
    await eve.page.goto(own_server.address)
    await expect(eve.page.get_by_role("heading", name="No match yet")).to_be_visible()


async def test_the_clock_is_chosen_and_shown_to_the_joining_player(server: ServerProcess, people: People) -> None:
    ann, bob = await people.come(server), await people.come(server)
    page = ann.page
    await page.goto(server.address)
    await page.get_by_label("Your name").fill("Ann")
    clock = page.get_by_role("group", name="Clock", exact=True)
    await clock.get_by_role("radio", name=re.compile("[Cc]orrespondence")).check()
    await clock.get_by_label("Ready-made").select_option(label="3 days a decision")
    await clock.get_by_role("radio", name=re.compile("may claim")).check()
    await clean(page, "a new match with a clock")
    await page.get_by_role("button", name="Make the match").click()
    await expect(page).to_have_url(re.compile("#/m/"))
    match = page.url.rpartition("/")[2]

    await bob.page.goto(server.address)
    row = bob.page.locator(f'[data-match="{match}"]')
    await expect(row).to_contain_text("clock: 3 days for each decision")
    await row.get_by_role("link", name=re.compile("^Play")).click()
    await expect(bob.page.get_by_role("main")).to_contain_text("3 days for each decision. At zero the others may claim")

    # The chosen clock is the default of the next match.
    await page.goto(server.address)
    await expect(clock.get_by_role("radio", name=re.compile("[Cc]orrespondence"))).to_be_checked()


async def test_three_doors_lead_to_a_battle_a_friend_and_a_table_to_watch(
    server: ServerProcess, people: People
) -> None:
    page = (await people.come(server)).page
    await page.goto(server.address)
    await expect(page.get_by_role("button", name="Play now")).to_be_enabled()
    await page.get_by_role("button", name="Invite a friend").click()
    await expect(page.get_by_role("heading", name="New match")).to_be_in_viewport()
    # All that a new match asks for is in one screen, with the button that makes it.
    await expect(page.get_by_role("button", name="Make the match")).to_be_in_viewport()
    await page.get_by_role("button", name="Watch").click()
    await expect(page.get_by_role("region", name="Positions")).to_be_in_viewport()


async def test_colours_are_as_the_player_wants_them_and_stay_so(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    ground = "getComputedStyle(document.body).backgroundColor"
    await ann.page.goto(server.address)
    light = await ann.page.evaluate(ground)
    await ann.page.get_by_label("Colours").select_option(label="dark")
    dark = await ann.page.evaluate(ground)
    assert dark != light
    await ann.make(ANY)
    await expect(ann.table).to_be_visible()
    felt = "getComputedStyle(document.querySelector('.tabletop')).getPropertyValue('--felt')"
    assert await ann.page.evaluate(felt) == "#39422f"
    await ann.page.goto(server.address)
    assert await ann.page.evaluate(ground) == dark
    await ann.page.get_by_label("Colours").select_option(label="as the device")
    assert await ann.page.evaluate(ground) == light


async def test_an_invite_is_shown_as_a_qr_code(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(ANY, next(iter(ANY.sides)))
    await ann.page.get_by_role("button", name=re.compile("^QR code: Invite")).click()
    await expect(ann.page.get_by_role("img", name=re.compile("^Invite.*QR code"))).to_be_visible()


# --- many matches ---------------------------------------------------------------------------------------------------


def _info(number: int, now: int) -> MatchSummary:
    """One of many matches, no two of which are alike."""
    battle = BATTLES[number % len(BATTLES)]
    state = ("open", "running", "over")[number % 3]
    seats = list(battle.sides)
    return MatchSummary(
        match=f"match-{number}",
        title=battle.scenario.name,
        edition=battle.edition.id,
        state=state,  # type: ignore[arg-type]  # one of the three
        turn=number % 6,
        made_at=now - number * HOUR,
        seats=tuple(
            (seat, side, "" if state == "open" and i else f"Player {number}")
            for i, (seat, side) in enumerate(battle.scenario.seats)
        ),
        deciding=(seats[0],) if state == "running" else (),
        result=ResultView(seats[0], "Nobody else is left.", "", "rules") if state == "over" else None,
        since=now - number * 60_000,
        score=tuple(Score(seat, 9, 10, 1) for seat in seats) if state == "running" else (),
        clock=ClockTerms("live", 900, 10) if number % 2 else None,
        spectators=number % 3,
        turn_limit=6,
    )


async def _instead(page: Page, matches: Matches) -> None:
    """The page is told of these matches instead of the server's."""

    def carry(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def to_page(frame: str | bytes) -> None:
            told = None if isinstance(frame, str) else decode_server(frame)
            # A match that ends meanwhile is one of the server's.
            if not isinstance(told, MatchesChanged):
                socket.send(encode(matches) if isinstance(told, Matches) else frame)

        server.on_message(to_page)

    await page.route_web_socket(re.compile("/ws$"), carry)


async def test_one_match_of_sixty_is_found_again(server: ServerProcess, people: People) -> None:
    matches = Matches(tuple(_info(number, int(time.time() * 1000)) for number in range(60)))
    sizes: list[How] = [{"viewport": LAPTOP}, PHONE]
    for how in sizes:
        page = (await people.come(server, **how)).page
        await _instead(page, matches)
        await page.goto(server.address)
        for tab, number in (("All", 60), ("Mine", 0), ("Open", 20), ("Running", 20), ("Over", 20)):
            await _count(page, tab, number)
        played = _group(page, "Being played")
        await expect(played.locator("[data-match]")).to_have_count(4)
        await expect(played.locator("[data-match]").first).to_contain_text("turn 1 of 6")
        await expect(played.locator("[data-match]").first).to_contain_text("9 of 10 figures, 1 objective")
        await expect(played.locator("[data-match]").first).to_contain_text("1 spectator")
        await played.get_by_role("button", name="16 more").click()
        await expect(played.locator("[data-match]")).to_have_count(20)
        await clean(page, "sixty matches")
        width = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert width <= 0, "the page is wider than the screen"

        # The filter is there again when one comes back.
        await page.get_by_role("radio", name="Over 20").check()
        await page.get_by_label("Find a match").fill("player 14")
        await expect(page.locator("[data-match]")).to_have_count(1)
        await expect(_group(page, "Over")).to_contain_text("Nobody else is left.")
        await page.reload()
        await expect(page.locator('[data-match="match-14"]')).to_be_visible()
        await expect(page.locator("[data-match]")).to_have_count(1)
        await _count(page, "All", 1)
        await page.get_by_label("Find a match").fill("nobody of that name")
        await expect(_group(page, "Over")).to_contain_text("No match fits")
        await page.get_by_role("button", name="Show them all").click()
        await expect(page.locator("[data-match]")).to_have_count(20)
        if len(BATTLES) > 1:
            await page.get_by_role("radio", name="All 60").check()
            await page.get_by_label("Filter by rules").select_option(label=BATTLES[1].edition.name)
            await _count(page, "All", 60 // len(BATTLES))


# --- matches from files ---------------------------------------------------------------------------------------------


async def test_a_finished_match_is_imported_and_replayed(
    own_server: ServerProcess, people: People, tmp_path: Path
) -> None:
    match = (await finished(own_server)).match
    file = tmp_path / "brought.underfire"
    # The secret is published right after the end, and the file with it.
    file.write_bytes(await own_server.match_file(match))
    async with serving(tmp_path / "other") as other:
        eve = await people.come(other)
        await eve.page.goto(other.address)
        await eve.page.get_by_label("Import a match file").set_input_files(file)
        await expect(eve.page).to_have_url(re.compile("#/m/.*/replay"))
        await expect(eve.table).to_be_visible()


async def test_a_match_is_played_on_at_another_server(
    own_server: ServerProcess, people: People, tmp_path: Path
) -> None:
    made = await begun(own_server, 8)
    file = tmp_path / "moved.underfire"
    command = (UNDERFIRE, "export", made.match, file, "--data-dir", own_server.data_dir)
    exporting = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.DEVNULL)
    assert await exporting.wait() == 0
    async with serving(tmp_path / "other") as other:
        ann, bob = await people.come(other, **PHONE), await people.come(other)
        page = ann.page
        await page.goto(other.address)
        await page.get_by_label("Import a match file").set_input_files(file)
        imported = page.get_by_role("heading", name="The match is imported")
        await expect(imported).to_be_focused()
        await clean(page, "a match that was brought in")
        blue, red = ANY.sides.values()
        await bob.join(await page.get_by_label(f"Play {red}", exact=True).input_value(), "Bob")
        await page.get_by_role("link", name=f"Take {blue} myself").click()
        # The start page has a field of this name, too.
        await expect(page.get_by_role("button", name="Sit down")).to_be_visible()
        await page.get_by_label("Your name").fill("Ann")
        await page.get_by_role("button", name="Sit down").click()
        decides = await asked(ann, bob)
        await decides.go_on()


async def test_a_file_that_is_not_a_match_is_not_imported(
    server: ServerProcess, people: People, tmp_path: Path
) -> None:
    page = (await people.come(server)).page
    await page.goto(server.address)
    for name, data in (("noise.underfire", b"noise" * 10_000), ("large.underfire", bytes(9 * 1024 * 1024))):
        (tmp_path / name).write_bytes(data)
        await page.get_by_label("Import a match file").set_input_files(tmp_path / name)
        fault = page.get_by_role("region", name="Import a match").get_by_role("alert")
        await expect(fault).to_be_visible()
        await expect(page.get_by_label("Import a match file")).to_be_enabled()


async def test_options_stand_below_headings_that_say_what_is_not_as_usual(
    server: ServerProcess, people: People
) -> None:
    ann = await people.come(server)
    page = ann.page
    await page.goto(server.address)
    await ann.choose(ANY)
    option = ANY.edition.options[0]
    usual = ANY.scenario.defaults.get(option.id, option.default)
    other = next(choice.label.partition(" – ")[0] for choice in option.choices if choice.value != usual)
    await page.get_by_text("Options", exact=True).click()
    setting = page.get_by_label(option.title, exact=True)
    group = page.locator("details.group", has=setting)
    await expect(setting).to_be_hidden()
    await group.locator("summary").click()
    await setting.select_option(label=other)
    await expect(group.locator("summary")).to_have_text(re.compile(rf"{option.group}\s+1 changed"))
    await expect(page.get_by_text("1 changed")).to_have_count(2)
    await group.get_by_role("button", name=f"As usual: {option.group}").click()
    await expect(page.get_by_text("1 changed")).to_have_count(0)

    # What is chosen is the edition's own: it is there again when one comes back to it.
    await setting.select_option(label=other)
    rules = page.get_by_label(re.compile("^Rules"))
    await rules.select_option(label=BATTLES[1].edition.name)
    await expect(page.get_by_text("1 changed")).to_have_count(0)
    await rules.select_option(label=ANY.edition.name)
    await expect(page.get_by_text("1 changed")).to_have_count(2)
    await page.get_by_role("button", name="All options as usual").click()
    await expect(page.get_by_text("1 changed")).to_have_count(0)


async def test_a_match_at_one_screen_is_listed_only_on_demand(own_server: ServerProcess, people: People) -> None:
    eve, ann = await people.come(own_server), await people.come(own_server)
    page = ann.page
    await page.goto(own_server.address)
    await ann.choose(ANY)
    box = page.get_by_role("checkbox", name="List it on the start page")
    await expect(box).to_be_checked()
    await page.get_by_role("group", name="I play").get_by_role("radio", name=re.compile("^Both")).check()
    await expect(box).not_to_be_checked()
    await ann.make(ANY)
    await asked(ann)
    await eve.page.goto(own_server.address)
    await expect(eve.page.get_by_role("heading", name="No match yet")).to_be_visible()
    # What the player says holds, for every way to sit.
    await page.goto(own_server.address)
    await page.get_by_role("group", name="I play").get_by_role("radio", name=re.compile("^Both")).check()
    await box.check()
    await page.get_by_role("group", name="I play").get_by_role("radio", name=ANY.sides[next(iter(ANY.sides))]).check()
    await expect(box).to_be_checked()
