"""Vehicles in the browser: what they reach is shown, they are driven with mouse, finger and keys, they fire, charge and carry."""

from __future__ import annotations

import msgspec
import pytest
from playwright.async_api import expect

from tests.browser.conftest import PHONE, People
from tests.browser.player import Place, Player, asked
from tests.browser.seating import made_from, sit
from tests.support.battlefield import unit, vehicle
from tests.support.servers import ServerProcess
from tests.support.tabletop import setup

TANK = "blue-1"
DRIVE = "^.?Drive, then fire"


def _position() -> bytes:
    """A tank and riflemen next to it in the south, and an enemy in front of it that is near enough to be charged."""
    units = (
        vehicle("blue", (20, 12), weapons=("light-auto-cannon", "machine-gun"), seats=8, id=TANK),
        unit("blue", (12, 10), figures=3, id="blue-2"),
        unit("red", (18, 22), figures=4, id="red-1"),
        vehicle("red", (40, 40), facing=270, armour=(9, 9, 9), id="red-2"),
    )
    turn = {"number": 1, "phase": "activations", "first": "blue", "active": "blue"}
    return msgspec.json.encode(setup("fad4", units, (48, 48), 12, turn=turn))


async def _sit(server: ServerProcess, player: Player, unit: str = "Blue 1") -> None:
    """Make a match, take all seats in this browser, and let a unit act."""
    await sit(server, player, await made_from(server, _position()))
    await player.activate(unit)


async def _hull(player: Player) -> Place:
    """Where the tank is drawn."""
    return await player.middle(TANK)


@pytest.mark.parametrize("phone", [False, True])
async def test_the_reach_of_both_speeds_is_shown_until_an_action_is_taken(
    server: ServerProcess, people: People, *, phone: bool
) -> None:
    ann = await people.come(server, **(PHONE if phone else {}))
    await _sit(server, ann)
    circles = ann.page.locator(".reaches circle")
    await expect(circles).to_have_count(2)
    assert [await circle.get_attribute("r") for circle in await circles.all()] == ["12000", "18000"]
    await expect(ann.page.locator(".reaches text")).to_contain_text(["Drive, then fire", "Move Out"])
    await ann.take(DRIVE)
    await expect(circles).to_have_count(0)
    await ann.orders.get_by_role("button", name="Back", exact=True).click()
    await expect(circles).to_have_count(2)


async def test_a_vehicle_is_driven_by_mouse_and_fires_each_weapon(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await _sit(server, ann)
    await ann.take(DRIVE)
    handle = await ann.handle_at()
    x, y = await _hull(ann)
    # Dragged farther than it goes, it stops where its move ends.
    await ann.drag(handle, (handle[0] + 16, handle[1]))
    await expect(ann.page.get_by_text("as far as it goes")).to_be_visible()
    await expect(ann.confirm).to_be_enabled()
    prompt = ann.asks.id
    await ann.confirm.click()
    await ann.answered(prompt)
    await asked(ann, about="may fire")
    there = await _hull(ann)
    assert abs(there[0] - x - 12) < 0.1
    assert abs(there[1] - y) < 0.1

    # What one has to say no to is open at once, as it is suggested.
    await expect(ann.orders.get_by_role("button", name="Hold fire")).to_be_enabled()
    await expect(ann.orders.get_by_role("region", name="Preview")).to_contain_text("Expected losses")
    prompt = ann.asks.id
    await ann.confirm.click()
    await ann.answered(prompt)
    await expect(ann.log).to_contain_text("shoots at Red 1")


async def test_a_vehicle_is_driven_by_finger(server: ServerProcess, people: People) -> None:
    ann = await people.come(server, **PHONE)
    await _sit(server, ann)
    await ann.choice(DRIVE).first.tap()
    x, y = await _hull(ann)
    await expect(ann.handle().first).to_be_visible()
    await ann.tap((x - 6, y), "touch")
    await expect(ann.confirm).to_be_enabled()
    prompt = ann.asks.id
    await ann.confirm.tap()
    await ann.answered(prompt)
    there = await _hull(ann)
    assert abs(there[0] - x + 6) < 1


async def test_a_vehicle_is_driven_and_turned_by_keys(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await _sit(server, ann)
    await ann.take(DRIVE)
    x, y = await _hull(ann)
    await ann.handle().first.focus()
    for _ in range(4):
        await ann.page.keyboard.press("ArrowRight")
    await expect(ann.confirm).to_be_enabled()
    prompt = ann.asks.id
    await ann.page.keyboard.press("Enter")
    await ann.answered(prompt)
    there = await _hull(ann)
    assert there[0] > x + 0.5
    assert abs(there[1] - y) < 0.1


async def test_a_vehicle_charges_infantry(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await _sit(server, ann)
    await ann.take("^.?Close Assault")
    await expect(ann.orders.get_by_role("region", name="Preview")).to_contain_text("Overrun them")
    prompt = ann.asks.id
    await ann.confirm.click()
    await ann.answered(prompt)
    await asked(ann, about="may fire at the assaulters")
    await ann.go_on()
    # It need not survive the shot; then there is nothing to drive.
    await asked(ann)
    if "drives into" in await ann.prompt():
        await ann.go_on()
        assert (await _hull(ann))[1] > 18


async def test_a_squad_boards_a_vehicle(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await _sit(server, ann, "Blue 2")
    prompt = ann.asks.id
    await ann.take("Get into Blue 1")
    await ann.answered(prompt)
    await expect(ann.unit("blue-2").locator(".figure")).to_have_count(0)
    await ann.open("Units")
    await expect(ann.card("blue-2")).to_contain_text("aboard Blue 1")
