"""The keyboard alone: from the start page to a shot, with a focus that is seen at every stop."""

from __future__ import annotations

import math
import re

from playwright.async_api import expect

from client_protocol.choices import Choice
from tests.browser.battles import ANY, BATTLES, Battle, every_battle
from tests.browser.conftest import People
from tests.browser.player import Player, asked
from tests.browser.wire import attacks, is_action, ways
from tests.support.servers import ServerProcess

STOPS = 150
TRIES = 40
"""At most so many prompts are answered before a unit can shoot."""

# How the focus looks: outlined itself, or, in an SVG, drawn with another stroke than without it. The element's own name.
_FOCUS = """() => {
  const here = document.activeElement;
  if (!here || here === document.body) return ['', true];
  const look = (element) => {
    const style = getComputedStyle(element);
    return [style.outlineStyle !== 'none' && style.outlineWidth !== '0px' ? style.outline : '', style.stroke,
      style.strokeWidth, style.boxShadow, style.borderColor].join('|');
  };
  const parts = () => [here, here.closest('label, .card') ?? here, ...here.querySelectorAll('*')].map(look).join();
  const seen = parts();
  here.blur();
  const unseen = parts();
  here.focus({ preventScroll: true, focusVisible: true });
  const label = here.labels?.[0]?.textContent ?? '';
  return [(here.ariaLabel || label || here.textContent || here.value || here.tagName).trim(), seen !== unseen];
}"""


class Keys:
    """Hands on a keyboard, and no mouse."""

    def __init__(self, player: Player) -> None:
        self._page = player.page

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self._page.keyboard.press(key)

    async def to(self, name: str, *, back: bool = False) -> None:
        """Press Tab until what has the focus is named so, and look at each stop whether one sees it."""
        passed = []
        for _ in range(STOPS):
            await self.press("Shift+Tab" if back else "Tab")
            here, seen = await self._page.evaluate(_FOCUS)
            assert seen, f"the focus on {here!r} is not seen"
            if re.search(name, here):
                return
            passed.append(here)
        raise AssertionError(f"Tab does not come to {name!r}, but to {passed}")

    async def here(self) -> str:
        name: str = (await self._page.evaluate(_FOCUS))[0]
        return name

    async def take(self, player: Player, choice: Choice) -> None:
        """Take a choice by its number, once the page shows it: a prompt may have come that is not drawn yet."""
        await expect(player.choice(f"^[0-9]*{re.escape(choice.label)}").first).to_be_enabled()
        await self.press(str(player.asks.choices.index(choice) + 1))

    async def try_to_act(self, player: Player) -> bool:
        """Have the first unit of the list try to act."""
        prompt = player.asks.id
        first = player.asks.choices[0]
        if first.parameters:
            await self.press("o", "Enter")
            if await player.unconfirmed(prompt):
                await self.to("Confirm")
                await self.press("Enter")
        else:
            # In some editions the winner of a roll first says who begins.
            await self.take(player, first)
        await player.answered(prompt)
        await asked(player)
        return is_action(player.asks)

    async def march(self, player: Player, steps: int) -> list[tuple[float, float]]:
        """Have the unit that acts go ahead, half an inch a step, and its first figure a step farther; how far each has come."""
        unit, prompt = player.asks.unit, player.asks.id
        way = ways(player.asks)[0]
        await self.take(player, way)
        await expect(player.orders).to_contain_text(way.label)
        await expect(player.page.locator("[data-handle]:focus")).to_be_visible()
        before = await player.figures(unit)
        north = before[0][1] < player.middle_of_the_table[1]
        ahead = "ArrowUp" if north else "ArrowDown"
        await self.press(*[ahead] * steps)
        status = player.table.get_by_role("status")
        await expect(status).to_contain_text(re.compile(r"\d(\.\d)?″ of \d+″"))
        if len(before) > 1:
            await self.to(f"Figure 1 of {len(before)}")
            await self.press(ahead)
        await self.press("Enter")
        await player.answered(prompt)
        await asked(player)
        await player.let_pass(unit)
        after = await player.figures(unit)
        return [(b[0] - a[0], (b[1] - a[1]) * (1 if north else -1)) for a, b in zip(before, after, strict=True)]


@every_battle
async def test_a_game_by_keys(server: ServerProcess, people: People, battle: Battle) -> None:
    ann = await people.come(server)
    keys = Keys(ann)
    await ann.page.goto(server.address)
    await expect(ann.page.get_by_label("Your name")).to_be_visible()
    if len(BATTLES) > 1:
        await keys.to("^Rules")
        await keys.press(*["ArrowDown"] * BATTLES.index(battle))
    await keys.to(battle.scenario.name)
    await keys.to("Your name")
    await ann.page.keyboard.type("Ann")
    await keys.to(next(iter(battle.sides.values())))
    await keys.press(*["ArrowRight"] * len(battle.sides))
    await keys.to("Make the match")
    await keys.press("Enter")

    # Numbers take a choice, arrow keys move what is placed, Enter confirms.
    await asked(ann, about="Deploy")
    units = len(ann.wire.view["units"])
    for number in range(units):
        await asked(ann, about="Deploy")
        if await ann.choices.count():
            await keys.press("1")
        await expect(ann.page.locator("[data-handle]:focus")).to_be_visible()
        if number == 0:
            x, y = await ann.handle_at()
            await keys.press("ArrowRight", "ArrowRight", "Shift+ArrowRight", "ArrowDown")
            there = await ann.handle_at()
            assert [round(there[0] - x, 3), round(there[1] - y, 3)] == [1.1, -0.5]
        await keys.press("Enter")
        await expect(ann.page.locator("g.unit")).to_have_count(number + 1)

    # Units come nearer: each whole, then one figure of it, a little farther.
    marched = False
    for _ in range(TRIES):
        await asked(ann)
        if not is_action(ann.asks) and not await keys.try_to_act(ann):
            continue
        if marched and attacks(ann.asks):
            break
        if marched:
            await keys.march(ann, 16)
        else:
            gone = await keys.march(ann, 4)
            (first, *others) = [(round(x, 2), round(y, 2)) for x, y in gone]
            assert others == [(0, 2)] * len(others)
            # A step farther, or where there is room next to a figure of another squad that stands there.
            assert first[1] >= 2.5
            assert math.dist(first, (0, 2.5)) < 1
            marched = True
    assert marched

    # A unit shoots.
    dice = ann.log.get_by_role("img", name=re.compile(r"D\d+: \d"))
    before = await dice.count()
    await keys.take(ann, attacks(ann.asks)[-1])
    target = ann.orders.get_by_role("group", name="Target").get_by_role("button", disabled=False).first
    await expect(ann.orders.get_by_role("region", name="Preview")).to_be_visible()
    if await target.count():
        # The nearest target is named already: Enter on it gives the answer.
        await expect(target).to_be_focused()
        await expect(target).to_have_attribute("aria-pressed", "true")
        await expect(ann.confirm).to_be_enabled()
    else:
        await keys.to("Confirm")
    await keys.press("Enter")
    await expect(dice.nth(before)).to_be_visible()


async def test_every_tab_stop_shows_its_focus(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    keys = Keys(ann)
    await ann.make(ANY)
    await asked(ann)
    await ann.page.evaluate("document.activeElement.blur()")
    await keys.to("Menu")
    await keys.press("Enter")
    await keys.to("Keys")
    await keys.press("Enter")
    await expect(ann.page.get_by_role("dialog", name="Keys")).to_be_visible()
    await keys.press("Escape")
    await expect(ann.page.get_by_role("dialog")).to_have_count(0)
    # Closing the dialog gives the focus back, and only then is a key meant for the page.
    await expect(ann.page.get_by_role("button", name="Menu")).to_be_focused()
    # No key does anything while one types.
    await keys.press("c")
    await expect(ann.page.get_by_label("Say something")).to_be_focused()
    await ann.page.keyboard.type("1 m o ?")
    await expect(ann.page.get_by_label("Say something")).to_have_value("1 m o ?")
    await expect(ann.page.get_by_role("dialog")).to_have_count(0)


async def test_a_draw_is_offered_and_a_match_given_up_by_keys(server: ServerProcess, people: People) -> None:
    ann, bob = await people.come(server), await people.come(server)
    await ann.make(ANY, next(iter(ANY.sides)), "Ann")
    await bob.join(await ann.link("Invite"), "Bob")
    await asked(ann, bob)
    keys = Keys(ann)
    menu = ann.page.get_by_role("button", name="Menu")
    dialogs = ann.page.get_by_role("dialog")
    await ann.page.evaluate("document.activeElement.blur()")
    await keys.to("^Menu")
    await keys.press("Enter")
    await keys.to("^Offer a draw")
    await keys.press("Enter")
    await expect(bob.page.get_by_role("region", name="Offer")).to_contain_text("offers a draw")
    # The focus is where it came from.
    await expect(dialogs).to_have_count(0)
    await expect(menu).to_be_focused()

    await keys.press("Enter")
    await keys.to("^Concede")
    await keys.press("Enter")
    await expect(dialogs).to_have_count(2)
    await keys.press("Escape")
    await expect(dialogs).to_have_count(1)
    await expect(dialogs.get_by_role("button", name="Concede")).to_be_focused()
    await keys.press("Enter")
    await keys.to("^Concede")
    await keys.press("Enter")
    for player in (ann, bob):
        await expect(player.page.get_by_role("region", name="Result")).to_contain_text("has conceded")
    await expect(dialogs).to_have_count(0)
