"""The table's tools: what is wrong with a path, the ruler, rings, lines of sight, the position as a file, calm."""

from __future__ import annotations

import re

import msgspec
from playwright.async_api import expect

from server.kernel import setups
from tests.browser.conftest import People
from tests.browser.player import Player, asked, deploy
from tests.support.servers import ServerProcess

PLACES = {"1st Rifle Squad": (24.0, 11.5), "1st Scout Squad": (24.0, 40.0)}


async def _begin(server: ServerProcess, people: People) -> tuple[Player, str]:
    """A match played by one person at the moment when a unit is to be activated, and who is."""
    ann = await people.come(server)
    await ann.make("Crossroads Patrol", "Both")
    await deploy(ann, places=PLACES)
    return ann, "red" if "Scout" in await ann.orders.inner_text() else "blue"


async def test_an_illegal_path_is_marked_before_it_can_be_sent(server: ServerProcess, people: People) -> None:
    ann, ours = await _begin(server, people)
    ahead = -1 if ours == "red" else 1
    await ann.activate("1st (Rifle|Scout) Squad")
    await ann.take("Move Out")
    first = (await ann.figures(f"{ours}-1"))[0]
    status = ann.table.get_by_role("status")
    wide = ann.page.locator(".tabletop line.link.bad")

    # One figure runs off alone.
    await ann.page.get_by_role("button", name="One figure").click()
    await ann.drag(first, (first[0] - 8, first[1]))
    await expect(status).to_contain_text("apart; they may be at most")
    await expect(wide).to_have_count(1)
    await expect(ann.confirm).to_be_disabled()
    await expect(ann.orders.locator(".refusal").get_by_role("link")).to_be_visible()

    # Farther than anybody may go, and over the edge: the squad stops where it must, and says that it does.
    await ann.orders.get_by_role("button", name="Reset").click()
    await expect(wide).to_have_count(0)
    await ann.page.get_by_role("button", name="Whole unit").click()
    await ann.drag(first, (first[0], first[1] + 16 * ahead))
    await expect(status).to_contain_text(re.compile(r"1[12](\.\d)?″ of 12″\s*as far as it goes"))
    await ann.drag(await ann.handle_at(), (24.0, -2.0 if ours == "blue" else 50.0))
    await expect(ann.confirm).to_be_enabled()

    # Straight ahead it goes.
    await ann.orders.get_by_role("button", name="Reset").click()
    await ann.drag(first, (first[0], first[1] + 3 * ahead))
    await expect(status).to_contain_text(re.compile(r"3(\.\d)?″ of 12″"))
    await expect(ann.confirm).to_be_enabled()


async def test_looking_closely(server: ServerProcess, people: People) -> None:
    ann, ours = await _begin(server, people)
    theirs = "blue" if ours == "red" else "red"
    status = ann.table.get_by_role("status")

    # The ruler joins two figures from edge to edge, and any two points.
    await ann.page.get_by_role("button", name="Ruler").click()
    a, b = (await ann.figures(f"{ours}-1"))[0], (await ann.figures(f"{ours}-1"))[1]
    await ann.tap(a)
    await ann.hover(b)
    await expect(status).to_contain_text(re.compile(r"1\.2″ from edge to edge \(2\.2″ between middles\)"))
    await ann.page.keyboard.press("Escape")
    await ann.tap((2.0, 24.0))
    await ann.tap((12.0, 24.0))
    await expect(status).to_contain_text(re.compile(r"(9\.9\d?|10(\.0\d?)?)″"))
    await ann.page.keyboard.press("m")

    # Pointing at an enemy shows what one sees of it; so does the keyboard's focus.
    await ann.tap(a)
    await ann.hover((await ann.figures(f"{theirs}-1"))[0])
    await expect(status).to_contain_text(re.compile(r"\d of 6 figures see \d of 6"))
    await expect(ann.page.locator(".tabletop .sight line")).not_to_have_count(0)
    await ann.hover((40.0, 24.0))
    await expect(ann.page.locator(".tabletop .sight line")).to_have_count(0)
    await ann.unit(f"{theirs}-1").focus()
    await expect(status).to_contain_text(re.compile(r"\d of 6 figures see \d of 6"))

    # Rings at the distances that one asks for.
    await ann.page.get_by_role("button", name="Range rings").click()
    await ann.page.get_by_label("Third").fill("40")
    await expect(ann.page.locator(".tabletop .rings text, .tabletop .ring text").last).to_contain_text("40")


async def test_the_position_is_a_file(server: ServerProcess, people: People) -> None:
    ann, _ = await _begin(server, people)
    places = await ann.figures("blue-1")
    await ann.page.get_by_role("button", name="Menu").click()
    async with ann.page.expect_download() as saving:
        await ann.page.get_by_role("button", name="Save the position").click()
    file = await (await saving.value).path()
    setup = setups.convert(setups.parse(file.read_text(encoding="utf-8")))
    assert (setup.edition, len(setup.terrain), len(setup.unit)) == ("fad4", 16, 4)
    unit = next(msgspec.convert(row, setups.SetupUnit) for row in setup.unit if row["id"] == "blue-1")
    assert isinstance(unit.figures, tuple)
    assert [figure.at for figure in unit.figures] == places


async def test_nothing_moves_for_those_who_want_calm(server: ServerProcess, people: People) -> None:
    begun = {}
    for wish in ("no-preference", "reduce"):
        ann = await people.come(server, reduced_motion=wish)
        await ann.page.add_init_script(
            "window.begun = 0;"
            "for (const kind of ['animationstart', 'transitionrun'])"
            "  addEventListener(kind, () => { window.begun += 1; }, true);"
        )
        await ann.make("Crossroads Patrol", "Both")
        await deploy(ann)
        await ann.activate("1st (Rifle|Scout) Squad")
        await ann.take("Move Out")
        await ann.orders.get_by_role("button", name="Move left").click()
        await ann.confirm.click()
        await asked(ann, about="Activate")
        begun[wish] = await ann.page.evaluate("window.begun")
    assert begun["no-preference"] > 0
    assert begun["reduce"] == 0
