"""A strike that is called: what the side has off the table, the point, the odds, and what all see of it."""

from __future__ import annotations

import re

import msgspec
from playwright.async_api import expect

from tests.browser.conftest import PHONE, People
from tests.browser.player import Player
from tests.browser.seating import made_from, sit
from tests.support.battlefield import unit, vehicle
from tests.support.servers import ServerProcess
from tests.support.tabletop import setup

GUNS = [
    {"id": "guns", "name": "Hill guns", "weapon": "medium-cannon", "strikes": 3},
    {"id": "rail", "name": "Orbital rail gun", "weapon": "light-rail-gun"},
]
CALL = "^.?Call Hill guns"
RAIL = "^.?Call Orbital rail gun"
CALLED = re.compile("Blue 1 calls Hill guns: . pass")


def _position(*, hidden: bool = False) -> bytes:
    """A squad with a leader, an enemy squad that it sees, and an enemy vehicle."""
    units = (
        unit("blue", (8, 6), leader=True),
        unit("red", (8, 30), figures=5),
        vehicle("red", (30, 30)),
        unit("red", (40, 40), figures=2),
    )
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    options = {"indirect_fire": "on", "hidden_forces": hidden}
    position = setup("fad4", units, (48, 48), 12, turn=turn, options=options)
    position["side"][0]["assets"] = GUNS  # type: ignore[index]  # the row of a side
    return msgspec.json.encode(position)


async def _commands(player: Player) -> None:
    await player.activate("Blue 1")
    prompt = player.asks.id
    await player.take("^.?Command")
    await player.answered(prompt)


async def test_a_strike_is_called_foretold_and_seen_by_all(server: ServerProcess, people: People) -> None:
    made = await made_from(server, _position())
    ann, eve = await people.come(server), await people.come(server)
    await sit(server, ann, made)
    await eve.page.goto(f"{server.address}/#/m/{made.match}")
    await _commands(ann)

    # What the side has off the table stands below its units.
    guns = ann.page.locator("[data-asset=guns]")
    await ann.open("Units")
    await expect(guns).to_contain_text("Medium cannon, blast 3")
    await expect(guns).to_contain_text("ready")

    # A weapon without a blast says which one unit it strikes, a vehicle too.
    await ann.take(RAIL)
    await ann.tap((30.0, 30.0))
    details = ann.orders.locator(".draft-details")
    await expect(details).to_contain_text("The nearest unit within")
    await expect(details).to_contain_text("Red 2")
    await expect(ann.orders).to_contain_text("Expected hits on Red 2")
    await ann.orders.get_by_role("button", name="Back", exact=True).click()

    # Far from every unit nothing is forbidden.
    await ann.take(CALL)
    await ann.tap((24.0, 44.0))
    await expect(details).to_contain_text("No unit.")
    await expect(ann.confirm).to_be_enabled()
    await ann.tap((12.0, 30.0))
    await expect(details).to_contain_text("Red 1")
    await expect(ann.orders).to_contain_text("Contact is lost for good")
    prompt = ann.asks.id
    await ann.confirm.click()
    await ann.answered(prompt)

    for player in (ann, eve):
        # Whether it came or not, the point is drawn.
        await expect(player.page.locator(".impact")).to_have_count(1)
        await player.open("Log")
        await expect(player.log).to_contain_text(CALLED)
        await player.open("Units")
        await expect(player.page.locator("[data-asset=guns]")).to_contain_text(
            re.compile("called this turn|contact lost")
        )


async def test_the_other_side_does_not_see_what_is_hidden_until_it_is_called(
    server: ServerProcess, people: People
) -> None:
    made = await made_from(server, _position(hidden=True))
    ann, bob = await people.come(server), await people.come(server)
    await sit(server, ann, made, ["blue"])
    await sit(server, bob, made, ["red"])
    await _commands(ann)
    await bob.open("Units")
    await expect(bob.page.locator("[data-unit]").first).to_be_visible()
    await expect(bob.page.locator("[data-asset]")).to_have_count(0)
    await ann.open("Units")
    await expect(ann.page.locator("[data-asset]")).to_have_count(2)
    prompt = ann.asks.id
    await ann.take(CALL)
    await ann.confirm.click()
    await ann.answered(prompt)
    await expect(bob.page.locator("[data-asset]")).to_have_count(1)


async def test_a_strike_by_tapping(server: ServerProcess, people: People) -> None:
    made = await made_from(server, _position())
    ann = await people.come(server, **PHONE)
    await sit(server, ann, made)
    await _commands(ann)
    await ann.choice(CALL).first.tap()
    await ann.tap((9.0, 31.0), "touch")
    await expect(ann.page.locator(".aim .area")).to_have_attribute("data-aim", re.compile(r"^(8[5-9]|9[0-5])\d\d,"))
    prompt = ann.asks.id
    await ann.confirm.tap()
    await ann.answered(prompt)
    await expect(ann.page.locator(".impact")).to_have_count(1)
