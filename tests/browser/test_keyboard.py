"""The keyboard alone: from the start page to a shot, with a focus that is seen at every stop."""

from __future__ import annotations

import re

from playwright.async_api import expect

from tests.browser.conftest import People
from tests.browser.player import Player, asked
from tests.support.servers import ServerProcess

STOPS = 150

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


async def test_a_game_by_keys(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    keys = Keys(ann)
    await ann.page.goto(server.address)
    await expect(ann.page.get_by_label("Your name")).to_be_visible()
    await keys.to("Your name")
    await ann.page.keyboard.type("Ann")
    await keys.to("Crossroads Patrol")
    await keys.to("Blue patrol")
    await keys.press("ArrowRight", "ArrowRight")
    await keys.to("Make the match")
    await keys.press("Enter")

    # Numbers take a choice, arrow keys move what is placed, Enter confirms.
    for number in range(4):
        await asked(ann, about="Deploy")
        if await ann.choice("^.?Deploy").count():
            await keys.press("1")
        await expect(ann.page.locator("[data-handle]:focus")).to_be_visible()
        if number == 0:
            x, y = await ann.handle_at()
            await keys.press("ArrowRight", "ArrowRight", "Shift+ArrowRight", "ArrowDown")
            there = await ann.handle_at()
            assert [round(there[0] - x, 3), round(there[1] - y, 3)] == [1.1, -0.5]
        units = await ann.page.locator("g.unit").count()
        await keys.press("Enter")
        await expect(ann.page.locator("g.unit")).to_have_count(units + 1)

    await asked(ann, about="Activate")
    ours = "red" if "Scout" in await ann.orders.inner_text() else "blue"
    await keys.press("o", "Enter")
    await expect(ann.confirm).to_be_enabled()
    await keys.to("Confirm")
    await keys.press("Enter")
    await expect(ann.title).to_contain_text("choose its action")

    # Move Out: the squad, then one figure of it, a little farther.
    unit = f"{ours}-1"
    await keys.press("4")
    await expect(ann.orders).to_contain_text("Move Out")
    await expect(ann.page.locator("[data-handle]:focus")).to_be_visible()
    before = await ann.figures(unit)
    ahead = "ArrowUp" if ours == "blue" else "ArrowDown"
    await keys.press(*[ahead] * 4)
    await expect(ann.table.get_by_role("status")).to_contain_text(re.compile(r"2(\.0)?″ of 12″"))
    await keys.to("Figure 1 of 6")
    await keys.press(ahead)
    await expect(ann.table.get_by_role("status")).to_contain_text(re.compile(r"2\.5″ of 12″"))
    await keys.press("Enter")
    await expect(ann.log).to_contain_text("rushes")
    after = await ann.figures(unit)
    sign = 1 if ours == "blue" else -1
    assert [round((b[1] - a[1]) * sign, 3) for a, b in zip(before, after, strict=True)] == [2.5, 2, 2, 2, 2, 2]

    # The other side's first squad looks along the road, and shoots.
    other = "Rifle" if ours == "red" else "Scout"
    await expect(ann.orders).to_contain_text(f"1st {other} Squad")
    await keys.press("o", "Enter")
    await keys.to("Confirm")
    await keys.press("Enter")
    await expect(ann.title).to_contain_text(f"1st {other} Squad: choose its action")
    await keys.press("3")
    await expect(ann.orders).to_contain_text("Shoot with +2")
    target = ann.orders.get_by_role("group", name="Target").get_by_role("button", disabled=False).first
    await expect(target).to_be_focused()
    await keys.press("Enter")
    await expect(ann.orders.get_by_role("region", name="What would come of it")).to_contain_text("At least one loss")
    await keys.to("Confirm")
    await keys.press("Enter")
    await expect(ann.log).to_contain_text(re.compile(r"Fire Effect −?\d+ against"))


async def test_every_stop_is_seen(server: ServerProcess, people: People) -> None:
    ann = await people.come(server)
    keys = Keys(ann)
    await ann.make("Crossroads Patrol", "Both")
    await asked(ann)
    await ann.page.evaluate("document.activeElement.blur()")
    await keys.to("Menu")
    await keys.press("Enter")
    await keys.to("Keys")
    await keys.press("Enter")
    await expect(ann.page.get_by_role("dialog", name="Keys")).to_be_visible()
    await keys.press("Escape")
    await expect(ann.page.get_by_role("dialog")).to_have_count(0)
    # No key does anything while one types.
    await keys.press("c")
    assert await keys.here() == "Say something to everybody at this table"
    await ann.page.keyboard.type("1 m o ?")
    await expect(ann.page.get_by_label("Say something")).to_have_value("1 m o ?")
    await expect(ann.page.get_by_role("dialog")).to_have_count(0)
