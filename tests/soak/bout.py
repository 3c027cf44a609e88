"""A match that is played at random until it ends, with everything that players do between their answers."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from client_protocol.client import StartPage
from client_protocol.client.link import EndedError
from client_protocol.client.table import NOT_NOW
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import ForkPoint
from client_protocol.from_server import MatchMade, Refused
from server.rulesets.library import editions
from tests.soak.witness import AWAY, Account, Witness
from tests.system.play import Randomly

SHORT = 3
"""How many scenarios of each edition are played: the shortest ones."""
CLOCKS = (
    None,
    ClockTerms("live", 600, 5, 30),
    ClockTerms("live", 20, 1, 5),
    ClockTerms("live", 120, 2, 10, "claim"),
    ClockTerms("correspondence", 86_400),
)
TRIES = 3
"""Guesses at a legal answer before the default is taken."""
LONGEST = 250
"""Answers after which a match is conceded: others are to have a turn."""
marks = itertools.count(1)


@dataclass(frozen=True)
class Start:
    """How a match begins: a scenario of an edition, or a moment of another match with the same seats."""

    edition: str
    scenario: str
    seats: tuple[str, ...]
    fork: ForkPoint | None = None


def starts() -> list[Start]:
    """The scenarios that are played."""
    return [
        Start(rules.info.id, scenario.id, tuple(seat for seat, _ in scenario.seats))
        for rules in editions().values()
        for scenario in sorted(rules.info.scenarios, key=lambda scenario: scenario.minutes)[:SHORT]
    ]


@dataclass(eq=False)
class Bout:
    """A match and its tables. `addresses` gives the line for the next table."""

    addresses: Callable[[], str]
    chance: random.Random
    made: MatchMade
    start: Start
    witnesses: dict[str, Witness] = field(default_factory=dict)
    over: bool = False
    answers: int = 0
    replayed: int = 0
    secrets: dict[str, str] = field(default_factory=dict)
    """Words that were said in private, and to whom."""
    stop: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    async def begin(cls, addresses: Callable[[], str], chance: random.Random, start: Start) -> Bout:
        """Make a match; as often as it takes, since the server may be away."""
        blind, clock = chance.random() < 0.3, chance.choice(CLOCKS)
        options: dict[str, str | int | bool] = {"turn_limit": 4, **({"deployment": "blind"} if blind else {})}
        fork = start.fork
        while True:
            with contextlib.suppress(*AWAY):
                async with asyncio.timeout(20), StartPage.open(addresses()) as page:
                    made = await page.make_match(
                        start.edition, start.scenario, "Ann", start.seats, options, clock=clock, fork=fork
                    )
                    if isinstance(made, MatchMade):
                        return cls(addresses, chance, made, start)
                    if made.code not in NOT_NOW:
                        # From that moment no match can go on.
                        assert fork is not None, made
                        fork = None
            await asyncio.sleep(chance.uniform(0.1, 0.5))

    @property
    def accounts(self) -> list[Account]:
        """The accounts of all tables."""
        return [witness.account for witness in self.witnesses.values()]

    async def play(self) -> None:
        """Play to the end, or until it is to stop."""
        tokens = {given.seat: given.token for given in self.made.passes}
        # No audience is ever sent a token of a seat, its own neither.
        self.secrets.update({token: "no audience" for token in tokens.values() if token})
        async with contextlib.AsyncExitStack() as stack:
            await self.sit(stack, {**tokens, "": ""})
            async with asyncio.TaskGroup() as group:
                group.create_task(self._watch())
                for seat, witness in self.witnesses.items():
                    own = random.Random(self.chance.random())
                    group.create_task(self._talk(witness, own))
                    if seat:
                        group.create_task(self._seat(witness, own))
            self.over = all(witness.over for witness in self.witnesses.values())
            for witness in self.witnesses.values():
                witness.note()

    async def sit(self, stack: contextlib.AsyncExitStack, tokens: Mapping[str, str]) -> None:
        """Come to the tables of these seats, or of the spectators (""), until the stack is closed."""
        for seat, token in tokens.items():
            witness = Witness(
                self.addresses(),
                self.made.match,
                seat,
                token,
                name="" if seat else "Wat",
                chance=random.Random(self.chance.random()),
                elsewhere=self.addresses,
            )
            self.witnesses[seat] = witness
            await self._enter(stack, witness)

    async def _enter(self, stack: contextlib.AsyncExitStack, witness: Witness) -> None:
        """Come to the table, although there may be no server at first."""
        while True:
            try:
                await stack.enter_async_context(witness.running())
            except EndedError as ended:
                if ended.code != "unreachable":
                    raise
                witness.ended = None
                await asyncio.sleep(0.2)
            else:
                return

    @property
    def _done(self) -> bool:
        return self.stop.is_set() or all(witness.over for witness in self.witnesses.values())

    async def _watch(self) -> None:
        """Move tables to another server now and then, and look at replays."""
        while not self._done:
            await self._pause(3, self.chance)
            witness = self.chance.choice(list(self.witnesses.values()))
            what = self.chance.random()
            if what < 0.3:
                witness.address = self.addresses()
            elif what < 0.6:
                await self._replay(witness)

    async def _replay(self, witness: Witness) -> None:
        """See the match again: each frame tells the same story as when it came."""
        replayed = await witness.replay()
        if isinstance(replayed, Refused):
            return
        self.replayed += 1
        for frame in replayed.frames:
            update = witness.account.updates.get(frame.seq)
            if update is not None and update.story != frame.story:
                witness.account.wrong.append(f"frame {frame.seq} is told otherwise in the replay")

    async def _pause(self, mean: float, chance: random.Random) -> None:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(chance.expovariate(1 / mean)):
                await self.stop.wait()

    async def _talk(self, witness: Witness, chance: random.Random) -> None:
        """Chat, on every channel that is open to the table."""
        while not self._done:
            await self._pause(4, chance)
            word = f"word-{next(marks)}-{chance.getrandbits(48):x}"
            channel = "spectators" if not witness.account.audience else chance.choice(("table", "side"))
            if channel != "table":
                self.secrets[word] = witness.account.audience
            await witness.say(f"{word} {'x' * chance.randint(1, 200)}", channel)  # type: ignore[arg-type] # a channel

    async def _seat(self, witness: Witness, chance: random.Random) -> None:
        """Answer at random, and do all else that a seat may do."""
        player = Randomly(chance.getrandbits(32))
        while not self._done:
            prompt = witness.prompt
            if witness.view.offers:
                await self._respond(witness, chance)
            await witness.remind()
            if chance.random() < 0.1:
                await self._settle(witness, chance)
            elif prompt is None or (prompt.answered and chance.random() < 0.8):
                await self._pause(0.1, chance)
            else:
                await self._answer(witness, player, chance)
            await self._pause(0.05 if chance.random() < 0.95 else 3, chance)
            if self.answers > LONGEST and not self._done:
                await witness.concede()

    async def _answer(self, witness: Witness, player: Randomly, chance: random.Random) -> None:
        for number in range(TRIES):
            prompt = witness.prompt
            if prompt is None or self._done:
                return
            picked = player(witness.view, prompt) if number < TRIES - 1 and chance.random() < 0.7 else prompt.default
            reply = await witness.answer(picked.choice, picked.values, prompt.id)
            if not isinstance(reply, Refused):
                self.answers += 1
                return

    async def _respond(self, witness: Witness, chance: random.Random) -> None:
        for key, offer in list(witness.view.offers.items()):
            if offer.seat != witness.seat and witness.seat not in offer.accepted:
                # A draw ends a match; few are agreed on, so that matches are played.
                await witness.respond(key, accept=chance.random() < (0.02 if offer.kind == "draw" else 0.7))

    async def _settle(self, witness: Witness, chance: random.Random) -> None:
        what = chance.random()
        orders = list(witness.snapshot.orders) if witness.snapshot is not None else []
        own = [key for key, unit in witness.view.units.items() if unit.side == witness.view.seats[witness.seat].side]
        if what < 0.4:
            await witness.take_back()
        elif what < 0.6 and orders and own:
            await witness.order(chance.choice(own), chance.choice(orders))
        elif what < 0.7:
            await witness.offer(chance.choice(("draw", "pause", "resume")))
        elif what < 0.75:
            await witness.claim()
        else:
            await witness.export_setup()
