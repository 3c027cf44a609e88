"""Small harm to the lines, all the time and next to every other fault: connections are cut, what passes is late, and replies of
the database and the broker are lost.
"""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Callable, Sequence

from tests.soak.line import Line
from tests.soak.sites import Site

CUT, LOST_REPLY, LOST_CONFIRMATION = "cut connection", "lost reply to an append", "lost confirmation of a step"
LATE = "line on which all is late"
PLAYER_JITTER = (0.0, 0.0, 0.02, 0.1, 0.3)
"""Seconds by which what passes between players and servers is late at most."""
INNER_JITTER = (0.0, 0.0, 0.0, 0.01, 0.1)
"""The same to the database and the broker, for which each order has to wait; two ways of it are well below a second."""


class LineFaults:
    """Harm to the lines of a site.

    Args:
        site: its lines.
        chance: says what comes when.
    """

    def __init__(self, site: Site, chance: random.Random) -> None:
        self._site = site
        self._chance = chance
        self._late = 0

    @property
    def done(self) -> Counter[str]:
        """How often each kind of harm was done."""
        site = self._site
        every = [*site.lines, *site.stores, *site.brokers]
        found = {CUT: sum(line.cuts for line in every), LATE: self._late}
        found[LOST_CONFIRMATION] = sum(line.lost for line in site.brokers)
        if site.stores:
            found[LOST_REPLY] = sum(line.lost for line in site.stores)
        return Counter(found)

    @property
    def again(self) -> dict[str, int]:
        """How often what had been lost was sent again."""
        site = self._site
        found = {"steps published again after a lost confirmation": sum(line.again for line in site.brokers)}
        if site.stores:
            found["appends sent again after a lost reply"] = sum(line.again for line in site.stores)
        return found

    async def run(self) -> None:
        """Do harm until cancelled; all lines are prompt again then."""
        site = self._site
        try:
            async with asyncio.TaskGroup() as group:
                group.create_task(self._now_and_then(1.5, lambda: self._chance.choice(site.lines).cut()))
                group.create_task(self._now_and_then(0.2, lambda: self._chance.choice(site.brokers).cut()))
                group.create_task(self._now_and_then(0.5, self._lose_confirmation))
                group.create_task(self._now_and_then(1.0, lambda: self._delay(site.lines, PLAYER_JITTER)))
                group.create_task(self._now_and_then(0.5, lambda: self._delay(site.brokers, INNER_JITTER)))
                if site.stores:
                    group.create_task(self._now_and_then(0.3, lambda: self._chance.choice(site.stores).cut()))
                    group.create_task(self._now_and_then(1.0, self._lose_reply))
                    group.create_task(self._now_and_then(0.5, lambda: self._delay(site.stores, INNER_JITTER)))
        finally:
            for line in (*site.lines, *site.stores, *site.brokers):
                line.jitter = 0.0

    async def _now_and_then(self, rate: float, harm: Callable[[], None]) -> None:
        """Do it so many times a second on average."""
        while True:
            await asyncio.sleep(self._chance.expovariate(rate))
            harm()

    def _lose_reply(self) -> None:
        self._chance.choice(self._site.stores).lose_reply()

    def _lose_confirmation(self) -> None:
        # One feed publishes, and which one changes.
        for line in self._site.brokers:
            line.lose_confirmation()

    def _delay(self, lines: Sequence[Line], jitters: Sequence[float]) -> None:
        line = self._chance.choice(lines)
        line.jitter = self._chance.choice(jitters)
        self._late += line.jitter > 0
