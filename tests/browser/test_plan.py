"""Planning with ghosts: what could be seen and done from elsewhere, unknown to all others."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial

import pytest
from playwright.async_api import Locator, Page, WebSocket, expect

from client_protocol.choices import PathsDeclared
from client_protocol.codec import decode_client, decode_server
from client_protocol.from_client import Answer, AskWhatIf, Ping
from client_protocol.from_server import Pong, WhatIf
from tests.browser.axe import clean
from tests.browser.battles import ANY, Battle, every_family
from tests.browser.conftest import PHONE, How, People
from tests.browser.player import PAUSE, WAITS, Place, Player, acting, asked, deploy
from tests.browser.wire import ways
from tests.support.servers import ServerProcess


class Traffic:
    """What goes over a page's links from now on, apart from what keeps them alive."""

    def __init__(self, page: Page) -> None:
        self.said: list[object] = []
        self.told: list[object] = []
        page.on("websocket", self._listen)

    def forget(self) -> None:
        """Nothing that went over so far is of interest."""
        self.said.clear()
        self.told.clear()

    def answers(self) -> list[WhatIf]:
        """What was answered to the questions of a plan."""
        return [message for message in self.told if isinstance(message, WhatIf)]

    def _listen(self, socket: WebSocket) -> None:
        socket.on("framesent", partial(_keep, self.said, decode_client))
        socket.on("framereceived", partial(_keep, self.told, decode_server))


def _keep(kept: list[object], decode: Callable[[bytes], object], data: str | bytes) -> None:
    assert isinstance(data, bytes)
    message = decode(data)
    if not isinstance(message, Ping | Pong):
        kept.append(message)


class Planner:
    """A player who plans."""

    def __init__(self, player: Player, traffic: Traffic) -> None:
        self.player = player
        self.traffic = traffic
        self.page = player.page
        self.panel = self.page.get_by_role("region", name="Your plan")
        self.button = self.page.get_by_role("button", name="Plan with ghosts")
        self.rows = self.panel.get_by_role("list", name="Other units, seen from there").locator("li[data-target]")

    def ghost(self, unit: str) -> Locator:
        """A unit's ghost on the table."""
        return self.page.locator(f'g.plan g.ghost[data-ghost="{unit}"]')

    def row(self, unit: str) -> Locator:
        """What is told of another unit."""
        return self.panel.locator(f'li[data-target="{unit}"]')

    async def imagined(self, times: int) -> WhatIf:
        """The last answer, once there are so many."""
        for _ in range(WAITS):
            if len(self.traffic.answers()) >= times:
                return self.traffic.answers()[-1]
            await self.page.wait_for_timeout(PAUSE)
        raise AssertionError(f"{len(self.traffic.answers())} answers: {self.traffic.said}")


def _units(player: Player, side: str, *, own: bool) -> list[str]:
    units = player.wire.view["units"]
    return [key for key, unit in units.items() if (unit["side"] == side) == own and not unit["left"]]


def _towards(place: Place, goal: Place, inches: float) -> Place:
    """So many inches from a place towards another one."""
    away = ((goal[0] - place[0]) ** 2 + (goal[1] - place[1]) ** 2) ** 0.5
    return place[0] + (goal[0] - place[0]) * inches / away, place[1] + (goal[1] - place[1]) * inches / away


@every_family
async def test_a_plan_is_unknown_to_all_others(server: ServerProcess, people: People, battle: Battle) -> None:
    ann, bob, eve = await people.come(server), await people.come(server), await people.come(server)
    traffic = {player: Traffic(player.page) for player in (ann, bob, eve)}
    seat = next(iter(battle.sides))
    await ann.make(battle, seat, "Ann")
    watch = await ann.link("Watch link")
    await bob.join(await ann.link("Invite"), "Bob")
    await eve.page.goto(watch)
    await expect(eve.table).to_be_visible()
    await deploy(ann, bob)
    side = ann.wire.view["seats"][seat]["side"]
    ours, theirs = _units(ann, side, own=True), _units(ann, side, own=False)

    plan = Planner(ann, traffic[ann])
    foe = await ann.middle(theirs[0])
    start = (await ann.figures(ours[0]))[0]
    end = _towards(start, foe, 10)
    await eve.page.wait_for_timeout(300)  # for the frames of the deployment, which all pages get
    for each in traffic.values():
        each.forget()

    # A player can plan without being asked, also while another one decides.
    await ann.page.keyboard.press("p")
    await ann.drag(start, _towards(start, foe, 4), end)
    found = await plan.imagined(1)
    assert found.unit == ours[0]
    (first,) = (
        await plan.ghost(ours[0])
        .locator(".figure")
        .first.evaluate_all(
            "(figures) => figures.map((figure) => [figure.transform.baseVal[0].matrix.e, figure.transform.baseVal[0].matrix.f])"
        )
    )
    assert (first[0] / 1000, first[1] / 1000) == pytest.approx(end, abs=0.2)
    assert (await ann.figures(ours[0]))[0] == start
    await expect(ann.table.get_by_role("status")).to_contain_text(re.compile(r"(9\.9|10(\.\d)?)″ planned"))
    await expect(plan.rows).to_have_count(len(found.targets))
    assert {row.target for row in found.targets} == {*theirs, *ours[1:]}

    # Odds, in both directions where there are such, and lines.
    odds = next(row for row in found.targets if row.previews)
    await plan.row(odds.target).get_by_role("button").click()
    for preview in odds.previews:
        await expect(plan.panel.get_by_role("region", name=preview.title, exact=True)).to_be_visible()
    names = {ann.wire.view["units"][unit]["name"]: unit for unit in (ours[0], odds.target)}
    doers = {unit for preview in odds.previews for name, unit in names.items() if preview.title.startswith(name)}
    assert doers == set(names.values())
    await expect(ann.page.locator(".tabletop .sight line")).to_have_count(len(odds.sight.rays))

    # A second one by keyboard alone, from the plan that has both now.
    await ann.unit(ours[1]).focus()
    await ann.page.keyboard.press("Enter")
    await plan.imagined(2)
    for _ in range(3):
        await ann.page.keyboard.press("ArrowUp")
    await plan.imagined(3)
    asked_last = [message for message in traffic[ann].said if isinstance(message, AskWhatIf)][-1]
    assert asked_last.unit == ours[1]
    assert set(asked_last.ghosts) == set(ours[:2])

    # Three answers were enough, though there were dozens of moves; and no page sent or got anything else.
    assert [type(message) for message in traffic[ann].said] == [AskWhatIf] * 3
    assert [type(message) for message in traffic[ann].told] == [WhatIf] * 3
    for other in (bob, eve):
        assert traffic[other].said == []
        assert traffic[other].told == []
    await clean(ann.page, "a plan")

    # Ghosts outlast frames and the plan being put away, but not being cleared.
    await ann.page.keyboard.press("Escape")
    await ann.page.keyboard.press("Escape")
    await expect(plan.panel).to_have_count(0)
    mover = await asked(ann, bob)
    await mover.go_on()
    await asked(ann, bob)
    await expect(plan.ghost(ours[1])).to_have_count(1)
    await plan.button.click()
    await plan.panel.get_by_role("button", name=re.compile("^Reset")).click()
    await expect(plan.ghost(ours[1])).to_have_count(0)
    await plan.panel.get_by_role("button", name="Clear plan").click()
    await expect(plan.ghost(ours[0])).to_have_count(0)

    # A spectator reads why they cannot plan.
    await eve.page.keyboard.press("p")
    await expect(eve.page.get_by_role("region", name="Your plan")).to_contain_text("Only players can plan")


@every_family
async def test_a_plan_becomes_an_answer(server: ServerProcess, people: People, battle: Battle) -> None:
    ann = await people.come(server)
    traffic = Traffic(ann.page)
    await ann.make(battle)
    await deploy(ann)
    await acting(ann)
    way, unit = ways(ann.asks)[0], ann.asks.unit
    plan = Planner(ann, traffic)
    await plan.button.click()
    start = (await ann.figures(unit))[0]
    await ann.drag(start, _towards(start, ann.middle_of_the_table, 2))
    await plan.panel.get_by_role("button", name=f"Answer with: {way.label}").first.click()
    await expect(plan.panel).to_have_count(0)
    await expect(ann.confirm).to_be_enabled()
    planned = await ann.page.locator("g.plan g.ghost .figure").count()
    assert planned > 0
    traffic.forget()
    prompt = ann.asks.id
    await ann.confirm.click()
    await ann.answered(prompt)
    (given,) = [message for message in traffic.said if isinstance(message, Answer)]
    (path,) = given.values
    assert isinstance(path, PathsDeclared)
    ends = [ways_[-1] for ways_ in path.paths.values()]
    assert len(ends) == planned
    assert min((x / 1000 - start[0]) ** 2 + (y / 1000 - start[1]) ** 2 for x, y in ends) < 6**2


@pytest.mark.parametrize("scheme", ["light", "dark"])
async def test_planning_by_touch(server: ServerProcess, people: People, scheme: str) -> None:
    how: How = {**PHONE, "color_scheme": "dark" if scheme == "dark" else "light"}
    ann, bob = await people.come(server, **how), await people.come(server)
    plan = Planner(ann, Traffic(ann.page))
    seat = next(iter(ANY.sides))
    await ann.make(ANY, seat)
    await bob.join(await ann.link("Invite"), "Bob")
    await deploy(ann, bob)
    side = ann.wire.view["seats"][seat]["side"]
    ours, theirs = _units(ann, side, own=True), _units(ann, side, own=False)
    await plan.button.tap()
    await ann.tap((await ann.figures(ours[0]))[0], "touch")
    middle = await ann.middle(ours[0])
    await ann.tap(_towards(middle, ann.middle_of_the_table, 12), "touch")
    await expect(plan.ghost(ours[0])).to_have_count(1)
    await expect(plan.rows.first).to_be_visible()
    # A tap on an enemy on the table opens its entry.
    await ann.tap((await ann.figures(theirs[0]))[0], "touch")
    await expect(plan.row(theirs[0]).get_by_role("button")).to_have_attribute("aria-expanded", "true")
    await clean(ann.page, "a plan on a phone")
    wide = await ann.page.evaluate("document.documentElement.scrollWidth")
    assert wide <= PHONE["viewport"]["width"]
