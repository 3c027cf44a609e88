"""Minefields in the browser: laid before the deployment, numbered on the map, and told of before a unit walks among them."""

from __future__ import annotations

from playwright.async_api import expect

from server.rulesets.library import editions
from tests.browser.battles import Battle
from tests.browser.conftest import People
from tests.browser.player import Player, asked, deploy
from tests.support.servers import ServerProcess


def _crossroads() -> Battle:
    info = editions()["fad4"].info
    return Battle(info, next(one for one in info.scenarios if one.id == "crossroads-patrol"))


async def _lays(player: Player, letter: str, number: int, kind: str) -> None:
    await asked(player, about=f"minefield {letter}")
    prompt = player.asks.id
    await player.orders.get_by_role("button", name="Which marker is the mine").click()
    await player.orders.get_by_role("button", name="None").click()
    marker = player.orders.get_by_role("listitem").filter(has_text=f"Marker {letter}{number}")
    await marker.get_by_role("button", name=kind).click()
    await player.confirm.click()
    await player.answered(prompt)


async def test_two_players_lay_minefields_and_see_their_markers(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    await ann.make(_crossroads(), options={"Minefields": "On"})
    await asked(ann, about="minefield A")
    await _lays(ann, "A", 2, "Anti-vehicle mine")
    await _lays(ann, "B", 1, "Anti-personnel mine")
    await expect(ann.page.locator("g.area.mine")).to_have_count(6)
    await deploy(ann)
    walker = ann.wire.view["units"][ann.asks.choices[0].parameters[0].candidates[0].unit]  # type: ignore[union-attr]
    letter = "A" if walker["side"] == "blue" else "B"
    await ann.activate(walker["name"])
    await ann.take("Move Out")
    await ann.go_towards((24.0, 24.0))
    known = "yours: anti-vehicle mine" if letter == "A" else "yours: a dummy"
    await expect(ann.orders).to_contain_text(f"It comes near Mine marker {letter}2 ({known})")
    prompt = ann.asks.id
    await ann.confirm.click()
    await ann.answered(prompt)
    await expect(ann.log).to_contain_text(f"comes near mine marker {letter}2")
