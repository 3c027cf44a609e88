"""Whole games of each edition by keys alone, from what the page tells a screen reader: roles, names, and the focus."""

from __future__ import annotations

import random
import re

import pytest
from playwright.async_api import Locator, expect

from tests.browser.battles import SHORTEST, Battle
from tests.browser.conftest import People
from tests.browser.player import PAUSE, WAITS, Player, asked
from tests.support.servers import ServerProcess

MOST_DECISIONS = 600
MOST_KEYS = 5
"""The most keys for a decision without a way that is drawn."""
STEPS = 4
"""How many steps a unit is sent ahead, of half an inch."""

_ENABLED = "(buttons) => buttons.map((one) => !one.disabled && one.ariaDisabled !== 'true')"


class Listener:
    """A player who hears the page, and has a keyboard."""

    def __init__(self, player: Player, seed: int) -> None:
        self._player = player
        self._page = player.page
        self._chance = random.Random(seed)
        self.keys = 0
        """Keys pressed for the decision that is open."""
        self.drawn = False
        """Whether something is drawn for it."""

    def is_over(self) -> bool:
        """Whether the match is over."""
        return bool(self._player.wire.view["result"])

    async def press(self, *keys: str) -> None:
        for key in keys:
            await self._page.keyboard.press(key)
            self.keys += 1

    async def decide(self) -> None:
        """Answer what is asked."""
        prompt = self._player.asks.id
        self.keys, self.drawn = 0, False
        await expect(self._player.title).to_be_visible()
        for _ in range(WAITS):
            if not await self._open(prompt):
                assert self.drawn or self.keys <= MOST_KEYS, f"{self.keys} keys"
                return
            await self._go_on()
        raise AssertionError(f"this cannot be answered by keys: {await self._player.orders.aria_snapshot()}")

    async def _open(self, prompt: str) -> bool:
        """Whether a prompt is still open, once the page is quiet."""
        for _ in range(WAITS):
            now = self._player.wire.prompt
            if self.is_over() or now is None or now.id != prompt:
                return False
            if await self._player.asked() and not await self._player.orders.get_by_text("Sending").count():
                busy = await self._player.orders.locator("[aria-busy=true]").count()
                if not busy:
                    return True
            await self._page.wait_for_timeout(PAUSE)
        raise AssertionError("the page is never quiet")

    async def _go_on(self) -> None:
        """Press what comes next: Enter where an answer is ready, else the number of something in the list."""
        confirm = self._player.confirm
        if await confirm.count() and await confirm.is_enabled():
            return await self.press("Enter")
        if await self._page.locator("[data-handle]:focus").count():
            return await self._draw()
        numbers = await self._numbers(self._player.orders.get_by_role("list").first)
        if numbers:
            return await self.press(self._chance.choice(numbers))
        await self._page.wait_for_timeout(PAUSE)
        return None

    async def _numbers(self, choices: Locator) -> list[str]:
        """The keys of the entries of a list that can be taken."""
        if not await choices.count():
            return []
        buttons = choices.get_by_role("listitem").get_by_role("button")
        enabled: list[bool] = await buttons.evaluate_all(_ENABLED)
        return [str(at + 1) for at, button in enumerate(enabled[:9]) if button]

    async def _draw(self) -> None:
        """Send what has the focus ahead, or leave it where it is, or choose something else."""
        self.drawn = True
        ahead = "ArrowUp" if (await self._player.handle_at())[1] < self._player.middle_of_the_table[1] else "ArrowDown"
        for keys in ((ahead,) * STEPS, ("ArrowLeft",) * STEPS):
            await self.press(*keys)
            if await self._player.confirm.is_enabled():
                return await self.press("Enter")
            await self.press("Escape")
        return await self.press("Escape")


@pytest.mark.parametrize("battle", SHORTEST, ids=lambda battle: battle.edition.id)
async def test_a_whole_game_by_keys_from_what_is_said(server: ServerProcess, people: People, battle: Battle) -> None:
    ann = await people.come(server)
    await ann.make(battle)
    await asked(ann)
    listener = Listener(ann, seed=3)
    decisions = 0
    while not listener.is_over() and decisions < MOST_DECISIONS:
        for _ in range(WAITS):
            if listener.is_over() or await ann.asked():
                break
            await ann.page.wait_for_timeout(PAUSE)
        if not listener.is_over():
            await listener.decide()
            decisions += 1
    assert listener.is_over(), f"{decisions} decisions"
    await expect(ann.page.get_by_role("region", name="Result")).to_contain_text(re.compile("wins|A draw"))
