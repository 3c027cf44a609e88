"""A force in the browser: made, broken, mended, kept, shared, and brought to a match, of any edition with forces."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Literal

import pytest
from playwright.async_api import Locator, Page, WebSocketRoute, expect

from client_protocol.codec import decode_client, encode
from client_protocol.forces import Force
from client_protocol.from_client import TakeSeat
from client_protocol.from_server import Refused
from server.kernel.files.forces import counted, examine, read
from server.rulesets.library import editions
from tests.browser.axe import clean
from tests.browser.battles import Battle
from tests.browser.conftest import LAPTOP, PHONE, How, People
from tests.browser.player import asked
from tests.support.servers import ServerProcess

RULES = next(rules for rules in editions().values() if rules.force_form is not None)
FINE = "The rules find nothing wrong with it"
NAME = "The Odd Lot"
TOO_LATE = "It is too late for a force."
SIZES: dict[str, How] = {"laptop": {"viewport": LAPTOP}, "phone": PHONE}


def _ready() -> Force:
    return RULES.ready_forces[0]


def verdict(page: Page) -> Locator:
    """What the rules say of the force."""
    return page.get_by_role("status", name="What the rules say")


async def start(page: Page, address: str, name: str = NAME) -> None:
    """Make a force of one's own out of the first ready one, and see that it can be played."""
    await page.goto(f"{address}/#/forces")
    await page.get_by_role("button", name=f"Start from {_ready().name}", exact=True).click()
    await expect(verdict(page)).to_contain_text(FINE)
    await page.get_by_label("Name of the force").fill(name)


async def unfold(page: Page, place: int = 0) -> Locator:
    """Open a unit; what is in it."""
    unit = page.get_by_role("region", name="Units").locator("ol > li").nth(place)
    await unit.locator("button.head").click()
    return unit


async def test_a_force_is_made_broken_mended_and_kept(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    page = ann.page
    await start(page, server.address)
    unit = await unfold(page)
    await unit.get_by_label("Name", exact=True).fill("Ann's Own")
    number = unit.get_by_role("spinbutton").first
    before = await number.input_value()
    most = int(await number.get_attribute("max") or 0)
    await number.fill(str(most + 1))

    # The problem stands next to the number, on the unit, and on top; from there a link leads back to it.
    await expect(unit.get_by_text(f"cannot be {most + 1}").first).to_be_visible()
    await expect(number).to_have_attribute("aria-invalid", "true")
    await expect(unit.get_by_text("1 problem")).to_be_visible()
    await unit.locator("button.head").click()
    await verdict(page).get_by_role("button", name=re.compile("Ann's Own.*cannot be")).click()
    await expect(number).to_be_focused()

    await page.get_by_role("button", name="Undo").first.click()
    await expect(verdict(page)).to_contain_text(FINE)
    await expect(number).to_have_value(before)

    # With the keyboard, the focus is in the new row, and after a removal where the row was.
    rows = unit.locator(".row")
    there = await rows.count()
    await unit.get_by_role("button", name=re.compile("^Add an? ")).first.press("Enter")
    await expect(rows).to_have_count(there + 1)
    await expect(rows.nth(there).locator("input, select").first).to_be_focused()
    await rows.nth(there).get_by_role("button", name="Remove").press("Enter")
    await expect(rows).to_have_count(there)
    await expect(rows.nth(there - 1).locator(":focus")).to_have_count(1)

    # A unit that was removed by mistake comes back.
    names = page.get_by_role("region", name="Units").locator("ol > li .title")
    count = await names.count()
    await page.get_by_role("button", name="Remove Ann's Own", exact=True).click()
    await expect(names).to_have_count(count - 1)
    await page.get_by_text("Removed Ann's Own.").get_by_role("button", name="Undo").click()
    await expect(names).to_have_count(count)
    if count > 1:
        await page.get_by_role("button", name="Move Ann's Own down", exact=True).click()
        await expect(names.nth(1)).to_have_text("Ann's Own")

    # Everything is there without an explicit save.
    await page.reload()
    await expect(page.get_by_label("Name of the force")).to_have_value(NAME)
    await expect(names.nth(1 if count > 1 else 0)).to_have_text("Ann's Own")
    await page.get_by_role("link", name="Forces").click()
    await page.get_by_role("button", name=f"Delete {NAME}", exact=True).click()
    await expect(page.get_by_role("link", name=f"Change {NAME}")).to_have_count(0)
    await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("link", name=f"Change {NAME}")).to_be_visible()


async def test_every_unit_tells_what_it_counts_for(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await start(ann.page, server.address)
    form = RULES.force_form
    assert form is not None
    report = examine(RULES, _ready(), {})
    await expect(verdict(ann.page)).to_contain_text(f"{form.measure} {counted(form, report.total)}")
    unit = await unfold(ann.page)
    card = unit.locator(".card")
    for line in report.units[0].card:
        await expect(card.get_by_text(line.label, exact=True).first).to_be_visible()
    total = report.units[0].total
    await expect(card).to_contain_text(f"{form.measure} {counted(form, total.value)}")
    ruled = next(line for line in total.lines if line.rule)
    await card.get_by_role("link", name=ruled.reason, exact=True).first.click()
    await expect(ann.page.get_by_role("dialog")).to_be_visible()


async def test_a_force_is_shared_as_a_file(server: ServerProcess, people: People, tmp_path: Path) -> None:
    ann = await people.come(server, accept_downloads=True)
    await start(ann.page, server.address)
    async with ann.page.expect_download() as waiting:
        await ann.page.get_by_role("button", name="Save as a file").click()
    download = await waiting.value
    assert download.suggested_filename == "the-odd-lot.force.json"
    path = tmp_path / download.suggested_filename
    await download.save_as(path)
    text = path.read_text("utf-8")
    assert read(text).name == NAME

    # What another program has spoilt is told in a sentence, and the rest is read.
    spoilt = tmp_path / "spoilt.json"
    spoilt.write_text(json.dumps({**json.loads(text), "units": "many"}), "utf-8")
    toml = tmp_path / "small.toml"
    unit = _ready().units[0]
    toml.write_text(
        f'format = "underfire force 1"\nedition = "{RULES.info.id}"\nname = "Small"\n'
        f'[[units]]\nkind = "{unit.kind}"\nname = "Alone"\n',
        "utf-8",
    )
    bob = await people.come(server)
    await bob.page.goto(f"{server.address}/#/forces")
    await bob.page.get_by_label("A file, JSON or TOML").set_input_files([spoilt, path, toml])
    await expect(bob.page.get_by_text("spoilt.json: The units should be a list of units.")).to_be_visible()
    for name in (NAME, "Small"):
        await expect(bob.page.get_by_role("link", name=f"Change {name}")).to_be_visible()


async def test_a_link_is_read_kept_and_played_with(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await start(ann.page, server.address)
    unit = await unfold(ann.page)
    await unit.get_by_label("Name", exact=True).fill("Ann's Own")
    before = len(_ready().units)
    link = ann.page.get_by_label("Link to this force")
    await expect(link).to_have_value(re.compile(r"#/force\?f="))

    # Nothing of the force is asked of the server.
    asked: list[str] = []
    bob = await people.come(server)
    bob.page.on("request", lambda request: asked.append(request.url))
    await bob.page.goto(await link.input_value())
    await expect(bob.page.get_by_role("heading", name=NAME)).to_be_visible()
    await expect(bob.page.get_by_role("list", name="Units").locator("h2")).to_have_count(before)
    await expect(verdict(bob.page)).to_contain_text(FINE)
    assert asked
    assert not any("f=" in url.partition("#")[0] for url in asked)
    await expect(bob.page.get_by_role("textbox", name="Name")).to_have_count(0)
    await bob.page.get_by_role("button", name="Keep a copy").click()
    await expect(bob.page.get_by_label("Name of the force")).to_have_value(NAME)

    await bob.page.get_by_role("link", name="Play with it").click()
    await bob.page.get_by_label("Your name").fill("Bob")
    await expect(bob.page.get_by_label("I bring")).to_have_value(re.compile("^mine:"))
    await expect(verdict(bob.page)).to_contain_text(FINE)
    await bob.page.get_by_role("button", name="Make the match").click()
    await expect(bob.page).to_have_url(re.compile("#/m/"))

    # The joining player sees what is brought, and brings a ready one.
    await ann.page.goto(await bob.link("Invite"))
    await expect(ann.page.get_by_text(re.compile(f"brings {NAME}: .*Ann's Own"))).to_be_visible()
    await ann.page.get_by_label("You bring").select_option(label=_ready().name)
    await expect(verdict(ann.page)).to_contain_text(FINE)
    await ann.page.get_by_label("Your name").fill("Ann")
    await ann.page.get_by_role("button", name="Sit down").click()
    await expect(ann.table).to_be_visible()
    await bob.open("Units")
    await expect(bob.page.locator("li[data-unit]", has_text="Ann's Own")).to_have_count(1)


async def test_a_player_who_can_no_longer_bring_a_force_takes_the_seat_without_it(
    server: ServerProcess, people: People
) -> None:
    ann, bob = await people.come(server), await people.come(server)
    battle = Battle(RULES.info, RULES.info.scenarios[0])
    await ann.make(battle, next(iter(battle.sides)), "Ann")
    page = bob.page
    await _too_late(page)
    await page.goto(await ann.link("Invite"))
    await page.get_by_label("You bring").select_option(label=_ready().name)
    await expect(verdict(page)).to_contain_text(FINE)
    await page.get_by_label("Your name").fill("Bob")
    await page.get_by_role("button", name="Sit down", exact=True).click()
    await expect(page.get_by_role("alert")).to_have_text(TOO_LATE)
    await clean(page, "a force that comes too late")
    await page.get_by_role("button", name="Sit down without the force").click()
    await expect(bob.table).to_be_visible()
    await asked(ann, bob)


async def _too_late(page: Page) -> None:
    """The server takes no force of this page any more, as when a match has begun since one looked at it."""

    def carry(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()

        def to_server(frame: str | bytes) -> None:
            told = None if isinstance(frame, str) else decode_client(frame)
            if isinstance(told, TakeSeat) and told.force is not None:
                socket.send(encode(Refused(told.id, "force", TOO_LATE)))
            else:
                server.send(frame)

        socket.on_message(to_server)

    await page.route_web_socket(re.compile("/ws$"), carry)


async def test_an_incomplete_link_says_so(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.page.goto(f"{server.address}/#/force?f=half")
    await expect(ann.page.get_by_role("alert")).to_contain_text("The link is incomplete")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", ["laptop", "phone"])
async def test_the_pages_of_forces_meet_wcag(
    server: ServerProcess, people: People, size: str, scheme: Literal["light", "dark"]
) -> None:
    how: How = {**SIZES[size], "color_scheme": scheme}
    ann = await people.come(server, **how)
    page = ann.page

    async def fits(where: str) -> None:
        await clean(page, where)
        wide = await page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
        assert not wide, f"{where}: it is wider than the screen"

    await start(page, server.address)
    unit = await unfold(page)
    await fits("a force that is right")
    number = unit.get_by_role("spinbutton").first
    await number.fill(str(int(await number.get_attribute("max") or 0) + 1))
    await expect(unit.get_by_text("1 problem")).to_be_visible()
    await fits("a force with a problem")
    shared = await page.get_by_label("Link to this force").input_value()
    await page.get_by_role("link", name="Forces").click()
    await fits("all forces")
    await page.get_by_role("link", name=f"Play with {NAME}").click()
    await expect(verdict(page)).to_contain_text("A problem")
    await expect(page.get_by_role("button", name="Make the match")).to_be_disabled()
    await fits("a new match")
    await page.goto(shared)
    await expect(verdict(page)).to_contain_text("A problem")
    await fits("a force from a link")
