"""The table's tools: what is wrong with a path, the ruler, rings, lines of sight, the position as a file, calm."""

from __future__ import annotations

import re

import msgspec
from playwright.async_api import expect

from client_protocol.choices import PathParameter
from server.kernel.files import setups
from server.kernel.space.geometry import distance
from server.rulesets.library import edition
from tests.browser.battles import ANY, Battle, every_family
from tests.browser.conftest import People
from tests.browser.player import Player, acting, asked, deploy
from tests.browser.wire import ways
from tests.support.servers import ServerProcess


async def _begin(server: ServerProcess, people: People, battle: Battle) -> tuple[Player, str]:
    """A match played by one person at the moment when a unit is asked what it does, and which one."""
    ann = await people.come(server)
    await ann.make(battle)
    await deploy(ann)
    await acting(ann)
    return ann, ann.asks.unit


@every_family
async def test_an_illegal_path_is_marked_before_it_can_be_sent(
    server: ServerProcess, people: People, battle: Battle
) -> None:
    ann, unit = await _begin(server, people, battle)
    way = ways(ann.asks)[0]
    (parameter,) = way.parameters
    assert isinstance(parameter, PathParameter)
    of = f"of {parameter.allowance / 1000:g}″"
    await ann.take(way)
    first = min(await ann.figures(unit))
    ahead = 1 if first[1] < ann.middle_of_the_table[1] else -1
    status = ann.table.get_by_role("status")
    if parameter.gap:
        # One figure runs off alone, the one with all others to its right.
        wide = ann.page.locator(".tabletop line.link.bad")
        await ann.page.get_by_role("button", name="One figure").click()
        await ann.drag(first, (first[0] - 8, first[1]))
        await expect(status).to_contain_text("apart; they may be at most")
        await expect(wide).to_have_count(1)
        await expect(ann.confirm).to_be_disabled()
        await expect(ann.orders.locator(".refusal").get_by_role("link")).to_be_visible()
        await ann.orders.get_by_role("button", name="Reset").click()
        await expect(wide).to_have_count(0)

    # Farther than the unit may go, and over the edge: it stops where it must, and the page says so.
    await ann.page.get_by_role("button", name="Whole unit").click()
    await ann.drag(first, (first[0], first[1] + 16 * ahead))
    await expect(status).to_contain_text(re.compile(rf"\d+(\.\d)?″ {of}\s*as far as it goes"))
    await ann.drag(await ann.handle_at(), (first[0], -2.0 if ahead > 0 else 2 * ann.middle_of_the_table[1] + 2))
    await expect(ann.confirm).to_be_enabled()

    # A short way straight ahead it goes.
    await ann.orders.get_by_role("button", name="Reset").click()
    await ann.drag(first, (first[0], first[1] + 2 * ahead))
    await expect(status).to_contain_text(re.compile(rf"[2-4](\.\d)?″ {of}"))
    await expect(ann.confirm).to_be_enabled()


async def test_looking_closely(server: ServerProcess, people: People) -> None:
    ann, ours = await _begin(server, people, ANY)
    units = ann.wire.view["units"]
    foes = [key for key, row in units.items() if row["side"] != units[ours]["side"]]
    status = ann.table.get_by_role("status")

    # The ruler joins two figures from edge to edge, and any two points.
    await ann.page.get_by_role("button", name="Ruler").click()
    a, b = (await ann.figures(ours))[:2]
    middles = distance((a[0] * 1000, a[1] * 1000), (b[0] * 1000, b[1] * 1000)) / 1000
    one, other = (figure["radius"] / 1000 for figure in list(units[ours]["figures"].values())[:2])
    await ann.tap(a)
    await ann.hover(b)
    edges = rf"{middles - one - other:.1f}″ from edge to edge \({middles:.1f}″ between middles\)"
    await expect(status).to_contain_text(re.compile(edges.replace(".0″", r"(\.0)?″")))
    await ann.page.keyboard.press("Escape")
    await ann.tap((2.0, 24.0))
    await ann.tap((12.0, 24.0))
    await expect(status).to_contain_text(re.compile(r"(9\.9\d?|10(\.0\d?)?)″"))
    await ann.page.keyboard.press("m")

    # Pointing at an enemy shows what one sees of it; so does the keyboard's focus.
    seen = re.compile(r"\d+ of \d+ figures see \d+ of \d+")
    await ann.tap(a)
    for foe in foes:
        await ann.hover((await ann.figures(foe))[0])
        await expect(status).to_contain_text(seen)
        if await ann.page.locator(".tabletop .sight line").count():
            break
    await expect(ann.page.locator(".tabletop .sight line")).not_to_have_count(0)
    await ann.hover((1.0, ann.middle_of_the_table[1]))
    await expect(ann.page.locator(".tabletop .sight line")).to_have_count(0)
    await ann.unit(foes[0]).focus()
    await expect(status).to_contain_text(seen)

    # Rings at the distances that one asks for.
    await ann.page.get_by_role("button", name="Range rings").click()
    await ann.page.get_by_label("Third").fill("40")
    await expect(ann.page.locator(".tabletop .rings text, .tabletop .ring text").last).to_contain_text("40")


@every_family
async def test_the_position_is_a_file(server: ServerProcess, people: People, battle: Battle) -> None:
    ann, unit = await _begin(server, people, battle)
    places = await ann.figures(unit)
    await ann.page.get_by_role("button", name="Menu").click()
    async with ann.page.expect_download() as saving:
        await ann.page.get_by_role("button", name="Save the position").click()
    file = await (await saving.value).path()
    setup = setups.convert(setups.parse(file.read_text(encoding="utf-8")))
    start = edition(battle.edition.id).open(battle.scenario.id, {})
    assert setup.edition == battle.edition.id
    assert (len(setup.terrain), len(setup.unit)) == (len(start.table.terrain), len(start.units))
    row = next(msgspec.convert(row, setups.SetupUnit) for row in setup.unit if row["id"] == unit)
    assert [tuple(figure["at"]) for figure in row.figures] == places


async def test_nothing_moves_with_reduced_motion(server: ServerProcess, people: People) -> None:
    begun = {}
    for wish in ("no-preference", "reduce"):
        ann = await people.come(server, reduced_motion=wish)
        await ann.page.add_init_script(
            "window.begun = 0;"
            "for (const kind of ['animationstart', 'transitionrun'])"
            "  addEventListener(kind, () => { window.begun += 1; }, true);"
        )
        await ann.make(ANY)
        await deploy(ann)
        await acting(ann)
        prompt = ann.asks.id
        await ann.take(ways(ann.asks)[0])
        await ann.orders.get_by_role("button", name="Move left").click()
        await ann.confirm.click()
        await ann.answered(prompt)
        await asked(ann)
        begun[wish] = await ann.page.evaluate("window.begun")
    assert begun["no-preference"] > 0
    assert begun["reduce"] == 0
