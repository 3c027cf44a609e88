"""A player in front of a browser: what they read on the page, and what they do with mouse, finger and keys."""

from __future__ import annotations

import contextlib
import re
from typing import Literal

from playwright.async_api import BrowserContext, Locator, Page, expect

from client_protocol.choices import Choice, Prompt
from tests.browser.battles import Battle
from tests.browser.wire import Wire, is_action, open_choices

Place = tuple[float, float]

PATIENCE = 30_000
"""Milliseconds until a page that does not show what is expected fails a test: machines that run the tests may be slow."""
# A prompt comes by a websocket to any of several pages: these look again this often (milliseconds, times).
PAUSE = 25
WAITS = PATIENCE // PAUSE

_TO_PAGE = """([x, y]) => {
  const m = document.querySelector('.tabletop > svg > g[transform]').getScreenCTM();
  return [m.a * x + m.c * y + m.e, m.b * x + m.d * y + m.f];
}"""
_ON_TABLE = "([x, y]) => Boolean(document.elementFromPoint(x, y)?.closest('.tabletop > svg'))"
_PLACE = """(element) => {
  const moved = new DOMMatrix(element.style.transform.split(')')[0] + ')');
  return [moved.e, moved.f];
}"""
_HELD = """(handle) => {
  const box = handle.querySelector('.target').getBoundingClientRect();
  const m = document.querySelector('.tabletop > svg > g[transform]').getScreenCTM().inverse();
  const at = new DOMPoint(box.x + box.width / 2, box.y + box.height / 2).matrixTransform(m);
  return [at.x, at.y];
}"""
_FIGURES = f"(figures) => figures.map({_PLACE})"


class Player:
    """A page and the person at it. Places on the table are in inches, from its lower left corner."""

    def __init__(self, page: Page, address: str) -> None:
        self.page = page
        self.address = address
        self.wire = Wire(page)
        self.orders = page.get_by_role("region", name="Your decision")
        self.log = page.get_by_role("log", name="What has happened")
        self.table = page.locator("div.tabletop")
        self.state = page.locator(".state[role=status]")

    @classmethod
    async def sit(cls, context: BrowserContext, address: str) -> Player:
        """A new page of a browser."""
        return cls(await context.new_page(), address)

    # --- start page ---------------------------------------------------------------------------------------------------

    async def make(
        self, battle: Battle, seat: str = "", name: str = "Ann", *, options: dict[str, str] | None = None
    ) -> None:
        """Make a match in the start page, and come to its table.

        Args:
            battle: what is played.
            seat: the side to play, by its seat; "" for all of them.
            name: what to be called.
            options: labels of options, and the labels of what they are to be.
        """
        page = self.page
        await page.goto(self.address)
        await page.get_by_label("Your name").fill(name)
        await self.choose(battle)
        await page.get_by_role("group", name="I play").get_by_role("radio", name=_seating(battle, seat)).check()
        if options:
            await page.get_by_text("Options", exact=True).click()
            for option, value in options.items():
                setting = page.get_by_label(option, exact=True)
                if not await setting.is_visible():
                    await page.locator("details.group", has=setting).locator("summary").click()
                await setting.select_option(label=value)
        await page.get_by_role("button", name="Make the match").click()
        await expect(page).to_have_url(re.compile("#/m/"))

    async def choose(self, battle: Battle) -> None:
        """Choose rules and scenario in the start page."""
        await expect(self.page.get_by_role("group", name="Scenario")).to_be_visible()
        rules = self.page.get_by_label(re.compile("^Rules"))
        if await rules.count():
            await rules.select_option(label=battle.edition.name)
        await self.page.get_by_role("radio", name=battle.scenario.name).check()

    async def link(self, label: str) -> str:
        """A link that the page offers, by its label."""
        return await self.page.get_by_role("textbox", name=re.compile(label)).input_value()

    async def join(self, link: str, name: str) -> None:
        """Open an invite and sit down."""
        await self.page.goto(link)
        sit_down = self.page.get_by_role("button", name="Sit down")
        # The start page has a field of that name, too.
        await expect(sit_down).to_be_visible()
        await self.page.get_by_label("Your name").fill(name)
        await sit_down.click()
        await expect(self.table).to_be_visible()

    # --- orders -------------------------------------------------------------------------------------------------------

    @property
    def title(self) -> Locator:
        """The heading of the prompt."""
        return self.orders.get_by_role("heading").first

    @property
    def confirm(self) -> Locator:
        """The button that sends the answer."""
        return self.orders.get_by_role("button", name=re.compile("^(Confirm|Sending)"))

    def choice(self, label: str) -> Locator:
        """The button of a choice of the open prompt."""
        return self.orders.get_by_role("listitem").get_by_role("button", name=re.compile(label))

    @property
    def choices(self) -> Locator:
        """The buttons of the choices, while none is taken."""
        return self.orders.locator("ol.plain > li > button:has(.key)")

    async def asked(self) -> bool:
        """Whether it is this player who decides now, and the page shows it: a frame comes some time before it is drawn."""
        if not self.wire.open:
            return False
        drawn = await self.page.locator("section.prompt").evaluate_all(
            "(found) => found.map((one) => one.dataset.prompt)"
        )
        return not self.wire.open.isdisjoint(drawn)

    async def prompt(self) -> str:
        """What is asked, or "" if nothing is."""
        return await self.title.inner_text() if await self.asked() else ""

    @property
    def asks(self) -> Prompt:
        """What is asked, as it was sent."""
        assert self.wire.prompt is not None
        return self.wire.prompt

    async def take(self, choice: Choice | str) -> None:
        """Take a choice of the open prompt."""
        label = choice if isinstance(choice, str) else f"^[0-9]*{re.escape(choice.label)}"
        await self.choice(label).first.click()

    async def act(self) -> bool:
        """Have the next unit try to act; return whether it is now asked what it does, since in some editions it may fail."""
        if not is_action(self.asks):
            await self.go_on()
        return await self.asked() and is_action(self.asks)

    async def activate(self, unit: str) -> None:
        """Activate the unit of this name, which is one of several, and come to what it is asked next."""
        await asked(self, about="Activate")
        prompt = self.asks.id
        await self.orders.get_by_role("listitem").get_by_role("button", name=re.compile(unit)).first.click()
        await self.settle(prompt)
        await asked(self, about=unit)

    async def go_on(self) -> None:
        """Give the default, and see that it is accepted."""
        asked = self.asks.id
        await self.answer()
        await self.answered(asked)

    async def answered(self, prompt: str) -> None:
        """Wait until the prompt of this id is closed."""
        for _ in range(WAITS):
            if self.wire.prompt is None or self.wire.prompt.id != prompt:
                return
            await self.page.wait_for_timeout(PAUSE)
        raise AssertionError(f"the answer is not taken: {await self.orders.inner_text()}")

    async def pick_losses(self) -> None:
        """Let the first figures fall, as many as must."""
        for box in await self.orders.get_by_role("checkbox").all():
            if await self.confirm.is_enabled():
                break
            await box.check()

    async def let_pass(self, unit: str) -> None:
        """Let this unit's move go on to its end: seats that are asked during it give the default."""
        while self.wire.view["active_unit"] == unit and self.wire.prompt is not None:
            plain = [choice for choice in open_choices(self.asks) if not choice.parameters]
            prompt = self.asks.id
            await self.take(plain[-1])
            await self.answered(prompt)

    async def answer(self) -> None:
        """Give the default to the open prompt."""
        prompt, default = self.asks.id, self.asks.default.choice
        choice = next(choice for choice in self.asks.choices if choice.key == default)
        # Where there is one choice alone it is taken already, and so is one that else is only declined; one that needs nothing
        # more is given at once.
        declined = self.orders.locator("ul.others").get_by_role("button", name=choice.label, exact=True)
        if await self.choices.count() or await declined.count():
            await self.take(choice)
            if not choice.parameters and not choice.preview:
                return
        await self.fill()
        await self.settle(prompt)

    async def settle(self, prompt: str) -> None:
        """Read the odds, and confirm, if the prompt of this id is not answered yet."""
        if await self.unconfirmed(prompt):
            await self.confirm.click()

    async def unconfirmed(self, prompt: str) -> bool:
        """Whether the answer to the prompt of this id waits to be confirmed: what only names a unit, and has no odds, is given
        with the naming.
        """
        for _ in range(WAITS):
            if self.wire.prompt is None or self.wire.prompt.id != prompt:
                return False
            # Odds move what stands below them.
            busy = await self.orders.locator("[aria-busy=true]").count()
            texts = await self.confirm.all_inner_texts()
            if not busy and any("Confirm" in text for text in texts):
                return True
            await self.page.wait_for_timeout(PAUSE)
        raise AssertionError(f"nothing can be confirmed: {await self.orders.inner_text()}")

    async def fill(self) -> None:
        """Fill in what a taken choice still needs: the first candidate, the suggested places."""
        candidates = self.orders.locator("fieldset li > button:enabled")
        if await candidates.count() and not await self.confirm.is_enabled():
            await candidates.first.click()
        suggested = self.orders.get_by_role("button", name="Suggested way")
        if await suggested.count() and not await self.confirm.is_enabled():
            await suggested.click()
        await self.pick_losses()

    async def deploy(self, places: dict[str, Place]) -> None:
        """Place the next unit: dragged by its handle to the place that is given for its name, else where it is suggested."""
        first = self.choice("^.?Deploy")
        if await first.count() > 0:
            await first.first.click()
        for name, place in places.items():
            handle = self.handle(name)
            if await handle.count() > 0:
                await self.drag(await self.handle_at(name), place)
        units = self.page.locator("g.unit")
        before = await units.count()
        await self.confirm.click()
        await expect(units).to_have_count(before + 1)

    # --- table --------------------------------------------------------------------------------------------------------

    async def figures(self, unit: str) -> list[Place]:
        """Where the standing figures of a unit are drawn."""
        found: list[list[float]] = await self.unit(unit).locator(".figure").evaluate_all(_FIGURES)
        return [(x / 1000, y / 1000) for x, y in found]

    async def middle(self, unit: str) -> Place:
        """The middle of a unit's figures."""
        figures = await self.figures(unit)
        return sum(x for x, _ in figures) / len(figures), sum(y for _, y in figures) / len(figures)

    def handle(self, name: str = "") -> Locator:
        """What a formation is dragged by, above it: of the unit with that name, if there are several."""
        return self.page.locator("[data-handle]" + (f'[aria-label*="{name}"]' if name else ""))

    async def handle_at(self, handle: Locator | str = "") -> Place:
        """The middle of a handle: of that of the unit with this name, or of the one that is given."""
        if isinstance(handle, str):
            x, y = await self.handle(handle).evaluate(_HELD)
        else:
            x, y = await handle.evaluate(_PLACE)
        return x / 1000, y / 1000

    async def at(self, place: Place) -> Place:
        """Where on the page a place of the table is, in pixels."""
        x, y = await self.page.evaluate(_TO_PAGE, [place[0] * 1000, place[1] * 1000])
        return x, y

    async def sees(self, place: Place) -> bool:
        """Whether this place of the table is on the page, and nothing lies over it."""
        seen: bool = await self.page.evaluate(_ON_TABLE, await self.at(place))
        return seen

    async def see(self, *places: Place) -> None:
        """Show the whole table, unless these places are seen: it opens on the pieces, and panels lie over its edges."""
        for place in places:
            if not await self.sees(place):
                await self.page.get_by_role("button", name="Show the whole table").click()
                return

    @property
    def middle_of_the_table(self) -> Place:
        """Where most battles are decided."""
        width, height = self.wire.size
        return width / 2000, height / 2000

    async def tap(self, place: Place, how: Literal["mouse", "touch"] = "mouse") -> None:
        """Touch the table."""
        await self.see(place)
        x, y = await self.at(place)
        if how == "touch":
            await self.page.touchscreen.tap(x, y)
        else:
            await self.page.mouse.click(x, y)

    async def drag(self, start: Place, *ends: Place) -> None:
        """Drag what stands at a place over others, and let go at the last of them."""
        await self.see(start, *ends)
        mouse = self.page.mouse
        await mouse.move(*(await self.at(start)))
        await mouse.down()
        for end in ends:
            await mouse.move(*(await self.at(end)), steps=6)
        await mouse.up()

    async def go_towards(self, place: Place) -> None:
        """Draw the open move half of the way to a place, or as much less of it as may be gone.

        Figures that losses have left too far apart close up first.
        """
        reset = self.orders.get_by_role("button", name="Reset")
        close_up = self.orders.get_by_role("button", name="Close up")
        for part in (1 / 2, 1 / 4, 1 / 8, 1 / 16):
            if await reset.is_enabled():
                await reset.click()
            if await close_up.count():
                await close_up.click()
            start = await self.handle_at()
            way = [a + (b - a) * part for a, b in zip(start, place, strict=True)]
            await self.drag(start, (way[0], way[1]))
            with contextlib.suppress(AssertionError):
                return await expect(self.confirm).to_be_enabled(timeout=1_000)
        raise AssertionError(f"there is no way ahead: {await self.orders.inner_text()}")

    async def hover(self, place: Place) -> None:
        """Point at a place."""
        await self.page.mouse.move(*(await self.at(place)))

    async def open(self, tab: str) -> None:
        """Open a tab, if there is such a one: a large screen shows most of them side by side."""
        there = self.page.get_by_role("tab", name=tab)
        if await there.count():
            await there.click()

    def unit(self, unit: str) -> Locator:
        """A unit on the table."""
        return self.page.locator(f'g.unit[data-unit="{unit}"]')

    def card(self, unit: str) -> Locator:
        """A unit's card."""
        return self.page.locator(f'li[data-unit="{unit}"]')


async def asked(*players: Player, about: str = "") -> Player:
    """The player who is asked, once one is asked something whose title matches."""
    for _ in range(WAITS):
        for player in players:
            if re.search(about, await player.prompt() or "-") and await player.asked():
                return player
        await players[0].page.wait_for_timeout(PAUSE)
    prompts = [await player.prompt() for player in players]
    raise AssertionError(f"no player is asked about {about!r}, but {prompts}")


def _seating(battle: Battle, seat: str) -> re.Pattern[str]:
    """The label of a place at the table: a side's name, or everybody's."""
    return re.compile(f"^{re.escape(battle.sides[seat])}" if seat else "^(Both|All)")


async def acting(*players: Player) -> Player:
    """The player one of whose units is asked what it does, once one is: the player who is asked first lets a unit try."""
    while True:
        player = await asked(*players)
        if await player.act():
            return player


async def deploy(*players: Player, places: dict[str, Place] | None = None) -> Player:
    """Let all players deploy in turn; return the player who is asked next."""
    while True:
        player = await asked(*players)
        if "Deploy" not in await player.prompt():
            return player
        await player.deploy(places or {})
