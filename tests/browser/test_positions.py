"""A position set up in the browser: changed by mouse, finger, keys and numbers, judged, kept, handed on, played."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.async_api import Locator, Page, expect

from server.rulesets.library import editions
from tests.browser.axe import clean
from tests.browser.battles import ANY, BATTLES, Battle, every_battle
from tests.browser.conftest import LAPTOP, PHONE, How, People
from tests.browser.player import Place, Player
from tests.support.servers import ServerProcess

FINE = "The rules find nothing wrong with it"
SIZES: dict[str, How] = {"laptop": {"viewport": LAPTOP}, "phone": PHONE}
TABS = ("Terrain", "Sides", "Units", "Objectives", "Game")


def verdict(page: Page) -> Locator:
    """What the rules say of the position."""
    return page.get_by_role("status", name="What the rules say")


async def start(player: Player, battle: Battle = ANY) -> None:
    """Set up another position out of a scenario."""
    await player.page.goto(f"{player.address}/#/positions")
    await player.page.get_by_role("button", name=f"Start from {battle.scenario.name}", exact=True).click()
    await expect(verdict(player.page)).to_contain_text(FINE)


async def begin(player: Player, battle: Battle = ANY) -> None:
    """Set up a position out of nothing."""
    page = player.page
    await page.goto(f"{player.address}/#/positions")
    rules = page.get_by_label("Rules of the new position")
    if await rules.count():
        await rules.select_option(label=battle.edition.name)
    await page.get_by_role("button", name="New position").click()
    await expect(verdict(page)).to_contain_text(FINE)


async def kept(page: Page) -> dict[str, Any]:
    """The position as the browser keeps it."""
    id_ = page.url.rpartition("/")[2]
    text = await page.evaluate("(id) => localStorage.getItem('underfire/position/' + id)", id_)
    setup: dict[str, Any] = json.loads(text)["setup"]
    return setup


async def open_tab(page: Page, tab: str) -> None:
    await page.get_by_role("tab", name=tab).click()


def listed(page: Page, label: str) -> Locator:
    """The things in a list of the editor."""
    return page.get_by_role("list", name=label, exact=True).get_by_role("button")


def chosen(page: Page, label: str) -> Locator:
    """A list to choose from, by its label."""
    return page.get_by_role("combobox", name=label, exact=True)


def middle(places: list[Place]) -> Place:
    """The middle of some places."""
    return sum(x for x, _ in places) / len(places), sum(y for _, y in places) / len(places)


def standing(setup: dict[str, Any], unit: int) -> list[Place]:
    """Where a unit's figures stand."""
    return [tuple(figure["at"]) for figure in setup["unit"][unit]["figures"]]


async def add_unit(page: Page, side: str) -> None:
    """Add a unit to a side, like the first ready one of the edition that has several figures."""
    parts = editions()[(await kept(page))["edition"]].position_parts
    template = next(number for number, unit in enumerate(parts.units) if len(unit.row["figures"]) > 2)
    await open_tab(page, "Units")
    await chosen(page, "New unit of").select_option(label=side)
    await chosen(page, "like").select_option(str(template))
    await page.get_by_role("button", name="+ Unit").click()


async def test_terrain_is_dragged_bent_turned_and_every_change_undone(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    page = ann.page
    await start(ann)
    before = await kept(page)
    place, piece = next((i, p) for i, p in enumerate(before["terrain"]) if not p["linear"] and len(p["outline"]) == 4)
    await listed(page, "Terrain").nth(place).click()
    x, y = middle(piece["outline"])

    await ann.drag((x, y), (x + 2, y + 1))
    moved = (await kept(page))["terrain"][place]["outline"]
    assert moved[0] == pytest.approx([piece["outline"][0][0] + 2, piece["outline"][0][1] + 1], abs=0.3)
    steps = {round(now[0] - then[0], 3) for now, then in zip(moved, piece["outline"], strict=True)}
    assert len(steps) == 1

    corner = page.locator("[data-corner='0']")
    at = await ann.handle_at(corner)
    await ann.drag(at, (at[0] - 1, at[1] - 1))
    bent = (await kept(page))["terrain"][place]["outline"]
    assert bent[1:] == moved[1:]
    assert bent[0] == pytest.approx([moved[0][0] - 1, moved[0][1] - 1], abs=0.3)

    edge = await ann.handle_at(page.locator("[data-edge='0']"))
    await ann.drag(edge, (edge[0], edge[1] - 1))
    assert len((await kept(page))["terrain"][place]["outline"]) == 5

    await page.get_by_role("button", name="Turn left by 15 degrees").click()
    await chosen(page, "Kind").select_option(index=0)
    await page.get_by_role("button", name="Delete", exact=True).click()
    assert len((await kept(page))["terrain"]) == len(before["terrain"]) - 1
    await expect(page.get_by_role("region", name="The piece that is chosen")).to_have_count(0)

    for _ in range(6):
        await page.get_by_role("button", name="Undo").click()
    await expect(page.get_by_role("button", name="Undo")).to_be_disabled()
    assert await kept(page) == before
    await page.get_by_role("button", name="Redo").click()
    assert (await kept(page))["terrain"][place]["outline"] == moved


@every_battle
async def test_overlapping_figures_are_reported_before_the_position_is_played(
    server: ServerProcess, people: People, battle: Battle
) -> None:
    ann = await people.come(server, accept_downloads=True)
    page = ann.page
    await begin(ann, battle)
    for side in ("Blue", "Red"):
        await add_unit(page, side)
    await expect(verdict(page)).to_contain_text(FINE)
    setup = await kept(page)
    blue, red = standing(setup, 0), standing(setup, 1)

    # One figure alone is dragged onto a base of the other side, and the picture shows it there.
    await page.keyboard.down("Shift")
    await ann.drag(blue[0], red[0])
    await page.keyboard.up("Shift")
    assert standing(await kept(page), 0)[1:] == blue[1:]
    await expect(verdict(page)).to_contain_text("stands on another base")
    await expect(page.get_by_role("button", name="Play it")).to_be_disabled()
    id_ = setup["unit"][0]["id"]
    assert (await ann.figures(id_))[0] == pytest.approx(red[0], abs=0.3)
    await page.get_by_role("button", name=f"Show {setup['unit'][1]['name']}").first.click()

    await page.get_by_role("button", name="Undo").click()
    await expect(verdict(page)).to_contain_text(FINE)
    await page.get_by_role("button", name="Play it").click()
    await page.get_by_label("Your name").fill("Ann")
    await page.get_by_role("group", name="I play").get_by_role("radio", name=re.compile("^Both")).check()
    await page.get_by_role("button", name="Make the match").click()
    await expect(page).to_have_url(re.compile("#/m/"))
    await expect(ann.table).to_be_visible()
    assert await ann.figures(id_) == [pytest.approx(at, abs=0.01) for at in blue]
    await ann.open("Decision")
    await expect(ann.title).to_be_visible()

    # And what the match gives of its position is set up again.
    await page.get_by_role("button", name="Menu").click()
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Save the position").click()
    path = await (await waiting.value).path()
    await page.goto(f"{server.address}/#/positions")
    await page.get_by_label("Its text").fill(path.read_text("utf-8"))
    await page.get_by_role("button", name="Open").click()
    await expect(verdict(page)).to_contain_text(FINE)
    assert standing(await kept(page), 0) == blue


async def test_an_empty_table_cannot_be_played(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    page = ann.page
    await begin(ann)
    await add_unit(page, "Blue")
    await expect(verdict(page)).to_contain_text(FINE)
    await page.get_by_role("button", name="Play it").click()
    await page.get_by_label("Your name").fill("Ann")
    await page.get_by_role("button", name="Make the match").click()
    await expect(page.get_by_role("alert")).to_contain_text("there are none of Red")


async def test_a_units_state_is_set_by_numbers_and_words(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    page = ann.page
    rules = next(rules for rules in editions().values() if rules.info.id == ANY.edition.id)
    marker = next(marker for marker in rules.position_parts.conditions if marker.on == "unit")
    trait = next(trait for trait in rules.position_parts.traits if (trait.on, trait.value) == ("unit", "flag"))
    await begin(ann)
    await add_unit(page, "Blue")
    await add_unit(page, "Red")
    sheet = page.get_by_role("region", name="The unit that is chosen")
    await sheet.get_by_label("Name").fill("The Last")
    await sheet.get_by_label("Middle, from the left, inches").fill("30")
    await sheet.get_by_label("Middle, from below, inches").fill("20.5")
    await sheet.get_by_role("checkbox", name=marker.label).check()
    await sheet.get_by_role("checkbox", name=f"{trait.label} (The Last)").check()
    fields = sheet.locator("details", has_text="What it is").first
    await fields.locator("summary").click()
    field = fields.get_by_role("combobox").first
    await field.select_option(index=1)
    said = await field.input_value()
    await sheet.get_by_text("figures, one by one").click()
    await sheet.get_by_role("checkbox", name="has fallen (Figure 2)").check()
    await open_tab(page, "Game")
    await chosen(page, "What comes next").select_option(index=2)
    await page.get_by_label("Turn", exact=True).fill("3")
    await open_tab(page, "Units")
    await listed(page, "Units of Red").first.click()
    await sheet.get_by_role("checkbox", name="Has activated in turn 3").check()
    unit = (await kept(page))["unit"][1]
    assert unit["name"] == "The Last"
    assert said in unit.values()
    assert unit["conditions"] == [marker.key]
    assert unit["traits"] == {trait.key: True}
    assert unit["activated"] == 3
    assert [figure.get("fallen", False) for figure in unit["figures"]][:3] == [False, True, False]
    assert middle(standing(await kept(page), 1)) == pytest.approx((30, 20.5), abs=0.01)
    await expect(verdict(page)).to_contain_text(FINE)

    # In centimetres it stands at the same place.
    await sheet.get_by_role("button", name="Off the table").click()
    assert all("at" not in figure for figure in (await kept(page))["unit"][1]["figures"])
    await sheet.get_by_role("button", name="Put it on the table").click()
    await expect(verdict(page)).to_contain_text(FINE)
    assert len(standing(await kept(page), 1)) == len(unit["figures"])


async def test_a_unit_is_attached_to_another_and_goes_with_it(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    page = ann.page
    parts = next(rules for rules in editions().values() if rules.info.id == ANY.edition.id).position_parts
    joins = set(parts.attaching)
    template = next(number for number, unit in enumerate(parts.units) if joins & set(unit.row.get("traits", {})))
    await begin(ann)
    await add_unit(page, "Blue")
    await expect(chosen(page, "Attached to")).to_have_count(0)  # a squad joins none
    await chosen(page, "like").select_option(str(template))
    await page.get_by_role("button", name="+ Unit").click()
    squad = (await kept(page))["unit"][0]
    await chosen(page, "Attached to").select_option(label=squad["name"])
    before = await kept(page)
    assert before["unit"][1]["attached"] == squad["id"]

    await listed(page, "Units of Blue").first.click()
    sheet = page.get_by_role("region", name="The unit that is chosen")
    await expect(sheet).to_contain_text(f"With it: {before['unit'][1]['name']}.")
    x, _ = middle(standing(before, 0))
    await sheet.get_by_label("Middle, from the left, inches").fill(f"{x + 4:.2f}")
    after = await kept(page)
    for unit in (0, 1):
        ((was, _), (now, _)) = (middle(standing(setup, unit)) for setup in (before, after))
        assert now - was == pytest.approx(4, abs=0.3)

    await listed(page, "Units of Blue").nth(1).click()
    await chosen(page, "Attached to").select_option(index=0)
    assert "attached" not in (await kept(page))["unit"][1]


async def test_the_editor_works_without_a_mouse(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    page = ann.page
    await begin(ann)
    await page.get_by_role("button", name="+ Rectangle").press("Enter")
    await expect(page.get_by_label("Name", exact=True)).to_be_focused()
    first = (await kept(page))["terrain"][0]["outline"]
    table = page.get_by_role("group", name=re.compile("^The table"))
    await table.focus()
    for key in ("ArrowRight", "ArrowRight", "Shift+ArrowUp"):
        await table.press(key)
    assert (await kept(page))["terrain"][0]["outline"] == [[x + 1, y + 0.1] for x, y in first]
    corner = page.get_by_role("button", name=re.compile("^Corner 3 of 4"))
    await corner.focus()
    await page.keyboard.press("ArrowUp")
    await page.keyboard.press("+")
    await page.keyboard.press("Delete")
    bent = (await kept(page))["terrain"][0]["outline"]
    assert len(bent) == 4
    await table.focus()
    await table.press("Delete")
    assert (await kept(page))["terrain"] == []
    await page.keyboard.press("Control+z")
    assert (await kept(page))["terrain"][0]["outline"] == bent

    await add_unit(page, "Blue")
    await page.get_by_role("checkbox", name="Move figures one by one").check()
    before = standing(await kept(page), 0)
    await page.get_by_role("button", name=re.compile("^Figure 2 of")).focus()
    await page.keyboard.press("ArrowRight")
    after = standing(await kept(page), 0)
    assert after[1] == (before[1][0] + 0.5, before[1][1])
    assert after[:1] + after[2:] == before[:1] + before[2:]


async def test_a_finger_places_what_was_chosen_in_a_list(server: ServerProcess, people: People) -> None:
    ann = await people.come(server, **PHONE)
    page = ann.page
    await begin(ann)
    await add_unit(page, "Blue")
    await page.get_by_role("button", name="Move by a tap").tap()
    await expect(page.get_by_text("Tap where it is to be.")).to_be_visible()
    await ann.tap((20, 30), "touch")
    assert middle(standing(await kept(page), 0)) == pytest.approx((20, 30), abs=0.5)
    await open_tab(page, "Objectives")
    await page.get_by_role("button", name="+ Objective").tap()
    await page.get_by_role("button", name="Move by a tap").tap()
    await ann.tap((10, 12), "touch")
    assert (await kept(page))["objective"][0]["at"] == pytest.approx([10, 12], abs=0.5)


async def test_a_position_is_kept_and_shared_as_a_file(server: ServerProcess, people: People, tmp_path: Path) -> None:
    ann = await people.come(server, accept_downloads=True)
    page = ann.page
    await start(ann)
    await page.get_by_label("Name of the position").fill("The Odd Place")
    await page.reload()
    await expect(page.get_by_label("Name of the position")).to_have_value("The Odd Place")
    await open_tab(page, "Game")
    async with page.expect_download() as waiting:
        await page.get_by_role("button", name="Save as a file").click()
    download = await waiting.value
    assert download.suggested_filename == "the-odd-place.setup.json"
    path = tmp_path / download.suggested_filename
    await download.save_as(path)
    assert json.loads(path.read_text("utf-8")) == await kept(page)

    spoilt = tmp_path / "spoilt.json"
    spoilt.write_text('{"format": "something else"}', "utf-8")
    toml = tmp_path / "bare.toml"
    toml.write_text(
        f'format = "underfire setup 1"\nedition = "{ANY.edition.id}"\nid = "bare"\nname = "Bare"\n'
        + "".join(f'[[side]]\nid = "{s}"\nname = "{s}"\nletter = "{s}"\nshape = "circle"\n' for s in "AB"),
        "utf-8",
    )
    bob = await people.come(server)
    await bob.page.goto(f"{server.address}/#/positions")
    await bob.page.get_by_label("A setup file, JSON or TOML").set_input_files([spoilt, path, toml])
    await expect(bob.page.get_by_text("spoilt.json: This is not a setup file")).to_be_visible()
    for name in ("The Odd Place", "Bare"):
        await expect(bob.page.get_by_role("link", name=f"Set up {name}")).to_be_visible()
    await bob.page.get_by_role("button", name="Delete Bare").click()
    await bob.page.get_by_role("button", name="Undo").click()
    await bob.page.get_by_role("link", name="Set up Bare").click()
    await expect(verdict(bob.page)).to_contain_text(FINE)


@pytest.mark.parametrize(("size", "scheme"), [("laptop", "light"), ("phone", "dark"), ("laptop", "dark")])
async def test_the_pages_of_positions_meet_wcag(
    server: ServerProcess, people: People, size: str, scheme: Literal["light", "dark"]
) -> None:
    how: How = {**SIZES[size], "color_scheme": scheme}
    ann = await people.come(server, **how)
    page = ann.page

    await page.goto(f"{server.address}/#/positions")
    await expect(page.get_by_role("button", name="Start from").first).to_be_visible()
    await clean(page, "positions")
    await start(ann, BATTLES[-1])
    for tab in TABS:
        await open_tab(page, tab)
        things = page.get_by_role("tabpanel").get_by_role("list").first.get_by_role("button")
        if tab in ("Terrain", "Sides", "Units"):
            await things.first.click()
        if tab == "Objectives":
            await page.get_by_role("button", name="+ Objective").click()
        if tab == "Units":
            await page.get_by_role("button", name="Put it on the table").click()
            await page.get_by_role("checkbox", name="Move figures one by one").check()
        for summary in await page.get_by_role("tabpanel").locator("summary").all():
            await summary.click()
        await clean(page, tab)
    await page.get_by_role("button", name="Play it").click()
    await expect(page.get_by_role("dialog")).to_be_visible()
    await clean(page, "play it")
