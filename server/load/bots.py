"""Matches of bots: each seat decides at a pace, by what a prompt offers alone, and spectators watch."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass, field

from client_protocol.choices import Picked, Prompt
from client_protocol.client import StartPage, Table
from client_protocol.client.link import EndedError
from client_protocol.client.table import NOT_NOW
from client_protocol.from_server import MatchMade, Refused, Update
from server.load.figures import Figures

TRY_AGAIN = 1.0
"""Seconds before a match is made again that the server did not want to make now."""

Sleep = Callable[[float], Awaitable[None]]
Frame = tuple[str, int]
"""A frame of a match: both seats and the spectators get one of the same number for a decision that is not sealed."""


class Unable(Exception):  # noqa: N818 - a condition
    """The load cannot be put on this server; the message is a sentence."""


@dataclass
class Load:
    """A load on a server.

    Args:
        address: the server.
        matches: how many are played at once, each by two bots. One that ends is followed by another.
        watchers: how many spectators there are in all, spread over the matches.
        pace: seconds between what a seat is asked and its decision, on average.
        chance: says what is decided, and when.
        figures: noted here.
        sleep: waits.
        clock: seconds that only go forward.
    """

    address: str
    matches: int
    watchers: int
    pace: float
    chance: random.Random
    figures: Figures
    clock: Callable[[], float]
    sleep: Sleep = asyncio.sleep
    begun: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when so many matches have begun."""
    _sent: dict[Frame, tuple[Table, float]] = field(default_factory=dict)
    """By whom, and when, the decision was sent that made a frame."""
    _early: dict[Frame, list[tuple[Table, list[float], float]]] = field(default_factory=dict)
    """Who had a frame when, before its author was told that it counts, and the list in which that is noted."""

    async def run(self, made: Callable[[], None] = lambda: None) -> None:
        """Play until cancelled; `made` is called for each match until so many have begun.

        Raises:
            Unable: the server refuses to make matches, or there is none.
        """
        async with asyncio.TaskGroup() as group:
            for number in range(self.matches):
                own = self.watchers // self.matches + (number < self.watchers % self.matches)
                group.create_task(self._one_after_the_other(own, made))

    async def _one_after_the_other(self, watchers: int, begin: Callable[[], None]) -> None:
        while True:
            made = await self._made()
            self.figures.matches += 1
            if not self.begun.is_set():
                begin()
            if self.figures.matches >= self.matches:
                self.begun.set()
            async with AsyncExitStack() as stack:
                seats = [
                    await stack.enter_async_context(self._sat(made.match, given.token))
                    for given in made.passes
                    if given.token
                ]
                watching = [await stack.enter_async_context(self._sat(made.match, "")) for _ in range(watchers)]
                async with asyncio.TaskGroup() as group:
                    ears = [group.create_task(self._hear(table, self.figures.seen)) for table in seats]
                    ears += [group.create_task(self._hear(table, self.figures.watched)) for table in watching]
                    hands = [group.create_task(self._decide(table)) for table in seats]
                    await asyncio.wait(hands)
                    for ear in ears:
                        ear.cancel()
                for frames in (self._sent, self._early):
                    for frame in [frame for frame in frames if frame[0] == made.match]:
                        del frames[frame]
                self.figures.reconnected += sum(table.links - 1 for table in (*seats, *watching))

    async def _made(self) -> MatchMade:
        while True:
            try:
                async with StartPage.open(self.address) as page:
                    scenarios = [
                        (edition.id, scenario)
                        for edition in page.welcome.editions
                        for scenario in edition.scenarios
                        if len(scenario.seats) == 2
                    ]
                    edition, scenario = self.chance.choice(scenarios)
                    seats = tuple(seat for seat, _ in scenario.seats)
                    made = await page.make_match(edition, scenario.id, "Bot", seats, listed=False)
            except (OSError, EndedError) as error:
                raise Unable(f"No match can be made at {self.address}: {error}") from error
            if isinstance(made, MatchMade):
                return made
            if made.code not in NOT_NOW:
                raise Unable(f"The server makes no match: {made.sentence}")
            await self.sleep(TRY_AGAIN)

    @asynccontextmanager
    async def _sat(self, match: str, token: str) -> AsyncIterator[Table]:
        async with Table.sit(self.address, match, token) as table:
            yield table

    async def _decide(self, table: Table) -> None:
        """Answer each prompt after a while."""
        async for prompt in table.prompts():
            await self.sleep(self.chance.uniform(0.5, 1.5) * self.pace)
            since, picked = self.clock(), decided(prompt, self.chance)
            reply = await table.answer(picked.choice, picked.values, prompt.id)
            if isinstance(reply, Refused):
                self.figures.refused[reply.code] += 1
                if table.prompt is not None and table.prompt.id == prompt.id:
                    await table.answer(prompt.default.choice, prompt.default.values, prompt.id)
                continue
            self.figures.note(self.figures.acknowledged, self.clock() - since)
            self._sent[table.match, reply.seq] = table, since
            for other, times, at in self._early.pop((table.match, reply.seq), ()):
                if other is not table:
                    self.figures.note(times, at - since)

    async def _hear(self, table: Table, times: list[float]) -> None:
        """Note when frames came that others' decisions have made."""
        with suppress(EndedError):
            async for event in table:
                if not isinstance(event, Update):
                    continue
                frame, now = (table.match, event.seq), self.clock()
                sent = self._sent.get(frame)
                if sent is None:
                    self._early.setdefault(frame, []).append((table, times, now))
                elif sent[0] is not table:
                    self.figures.note(times, now - sent[1])


def decided(prompt: Prompt, chance: random.Random) -> Picked:
    """Return a legal answer from the prompt alone: the default, or now and then a choice that needs nothing more."""
    plain = [choice for choice in prompt.choices if choice.why is None and not choice.parameters]
    if plain and chance.random() < 0.3:
        return Picked(chance.choice(plain).key)
    return prompt.default
