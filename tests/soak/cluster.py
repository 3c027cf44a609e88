"""A cluster: servers over one database behind one address, the feed and its broker, and matches of machines against machines. One
server is killed on the way and all are restarted one after the other; then every match is audited.

    python -m tests.soak.cluster
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import random
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.progress import Progress

from client_protocol.client import StartPage
from client_protocol.client.table import NOT_NOW
from client_protocol.from_server import MatchMade
from tests.soak.auditor import Auditor
from tests.soak.bout import Bout, Start, starts
from tests.soak.broker import Follower
from tests.soak.sites import SERVERS, Database, running
from tests.soak.witness import AWAY
from tests.support.proxy import caddy, caddy_before, taking_turns
from tests.support.servers import ServerProcess
from tests.system.play import Randomly

MATCHES = 20
SECONDS = 60.0
RECONNECT = 2.0
"""Seconds in which every table is to have a connection again after a server was killed or stopped."""
OWN: Database = "own"
LIMITS = {"UNDERFIRE_PER_ADDRESS": "1000"}
"""All tables come from one address here."""


class Duel(Bout):
    """A match of two machines: a program of the server's, and a bot with a connection of its own."""

    @classmethod
    async def between(cls, address: str, chance: random.Random, start: Start) -> Duel:
        """Make a match; as often as it takes, since one address may not make many at once."""
        machine, *bots = start.seats
        while True:
            with contextlib.suppress(*AWAY):
                async with asyncio.timeout(20), StartPage.open(address) as page:
                    program = chance.choice(page.welcome.programs).id
                    made = await page.make_match(
                        start.edition, start.scenario, "Bot", tuple(bots), programs={machine: program}
                    )
                    if isinstance(made, MatchMade):
                        return cls(lambda: address, chance, made, start)
                    assert made.code in NOT_NOW, made
            await asyncio.sleep(0.5)

    async def play(self) -> None:
        """Play to the end, or until it is to stop."""
        tokens = {given.seat: given.token for given in self.made.passes if given.token}
        async with contextlib.AsyncExitStack() as stack:
            await self.sit(stack, {**tokens, "": ""})
            async with asyncio.TaskGroup() as group:
                for seat in tokens:
                    group.create_task(self._bot(seat, random.Random(self.chance.random())))
            self.over = all(witness.over for witness in self.witnesses.values())

    async def _bot(self, seat: str, chance: random.Random) -> None:
        witness, player = self.witnesses[seat], Randomly(chance.getrandbits(32))
        while not self._done:
            if witness.prompt is None or witness.prompt.answered:
                await self._pause(0.1, chance)
            else:
                await self._answer(witness, player, chance)
                await self._pause(0.3, chance)


@dataclass
class Shown:
    """What came of it; as a text it is what the command prints."""

    proxy: str
    auditor: Auditor
    answers: int = 0
    recoveries: dict[str, float] = field(default_factory=dict)
    """How long it took until every table had a connection again, in seconds, by what had been done."""

    @property
    def wrong(self) -> list[str]:
        """Everything that was found to be wrong."""
        slow = [
            f"After this a table was without a connection for {took:.1f} s: {what}"
            for what, took in self.recoveries.items()
            if took > RECONNECT
        ]
        return [*self.auditor.found.wrong, *slow]

    def __str__(self) -> str:
        found = self.auditor.found
        lines = [
            f"{found.compared['matches']} matches on {SERVERS[OWN]} servers behind {self.proxy}, {self.answers} answers of bots.",
            f"{found.compared['frames']} frames and {self.auditor.follower.published} published steps compared with the logs.",
            *(f"Reconnected within {took:.2f} s: {what}." for what, took in self.recoveries.items()),
            f"Lost: {found.lost}. Applied twice: {found.doubled}. Files verified: {self.auditor.verified}.",
            *(self.wrong or ["Nothing was wrong."]),
        ]
        return "\n".join(lines)


async def cluster(
    folder: Path,
    *,
    matches: int = MATCHES,
    seconds: float = SECONDS,
    seed: int = 1,
    say: Callable[[str], None] = lambda _line: None,
    progress: Callable[[float], None] = lambda _share: None,
) -> Shown:
    """Show it.

    Args:
        folder: an empty one, for the database and the logs.
        matches: how many are played at once.
        seconds: for how long, at least.
        seed: what is played follows from it, as far as it does not depend on timing.
        say: told what is done.
        progress: told how much of the playing is over, from 0 to 1.
    """
    chance = random.Random(seed)
    async with running(folder, OWN, chance, LIMITS) as site, Follower.of(site.mosquitto) as follower:
        say(f"{SERVERS[OWN]} servers, one database, one broker, before them {_name()}.")
        async with _proxy(site.servers, folder) as address:
            with Auditor(folder, site, follower, lambda _line: None) as auditor:
                shown = Shown(_name(), auditor)
                duels = [await Duel.between(address, chance, chance.choice(starts())) for _ in range(matches)]
                say(f"{matches} matches are made.")
                await _play(duels, site.servers, shown, seconds, say, progress)
                say("Auditing every match ...")
                await asyncio.gather(*(auditor.audit(duel, ()) for duel in duels))
        await site.stop()
    return shown


async def _play(
    duels: Sequence[Duel],
    servers: Sequence[ServerProcess],
    shown: Shown,
    seconds: float,
    say: Callable[[str], None],
    progress: Callable[[float], None],
) -> None:
    loop = asyncio.get_running_loop()
    began = loop.time()

    async def until(share: float) -> None:
        while (passed := (loop.time() - began) / seconds) < share:
            progress(passed)
            await asyncio.sleep(0.2)

    async with asyncio.TaskGroup() as group:
        playing = [group.create_task(duel.play()) for duel in duels]
        await until(1 / 3)
        victim = servers[-1]
        say(f"kill -9 of the server at port {victim.port}")
        victim.kill()
        shown.recoveries["kill -9 of a server"] = await _recovered(duels)
        await asyncio.to_thread(victim.start)
        await until(2 / 3)
        for server in servers:
            say(f"Restarting the server at port {server.port}")
            code = await asyncio.to_thread(server.stop)
            assert code == 0, server.log
            took = await _recovered(duels)
            shown.recoveries["rolling restart"] = max(took, shown.recoveries.get("rolling restart", 0.0))
            await asyncio.to_thread(server.start)
        await until(1)
        for duel in duels:
            duel.stop.set()
        await asyncio.wait(playing)
    progress(1)
    shown.answers = sum(duel.answers for duel in duels)


async def _recovered(duels: Sequence[Duel]) -> float:
    """Wait until every table has a connection that it had not before or did not lose, and return the seconds that took."""
    loop = asyncio.get_running_loop()
    since = loop.time()
    # A connection that was lost is noticed a moment later.
    await asyncio.sleep(0.05)
    while not all(witness.over or witness.linked for duel in duels for witness in duel.witnesses.values()):
        if loop.time() - since > 30:
            break
        await asyncio.sleep(0.01)
    return loop.time() - since


def _name() -> str:
    return "Caddy" if caddy() else "a proxy that takes turns"


@asynccontextmanager
async def _proxy(servers: Sequence[ServerProcess], folder: Path) -> AsyncIterator[str]:
    proxy: AbstractAsyncContextManager[str] = caddy_before(servers, folder) if caddy() else taking_turns(servers)
    async with proxy as address:
        yield address


def main() -> int:
    """Show it, and say with the exit code whether anything was wrong."""
    words = argparse.ArgumentParser(prog="python -m tests.soak.cluster", description=__doc__)
    words.add_argument("--matches", type=int, default=MATCHES, help=f"how many are played at once ({MATCHES})")
    words.add_argument("--seconds", type=float, default=SECONDS, help=f"for how long ({SECONDS:.0f})")
    words.add_argument("--seed", type=int, default=time.time_ns() % 1000, help="what is played follows from it")
    asked = words.parse_args()
    with tempfile.TemporaryDirectory() as folder, Progress(transient=True) as bar:
        task = bar.add_task("Playing", total=1.0)
        shown = asyncio.run(
            cluster(
                Path(folder),
                matches=asked.matches,
                seconds=asked.seconds,
                seed=asked.seed,
                say=bar.console.print,
                progress=lambda share: bar.update(task, completed=share),
            )
        )
    print(shown)
    return 1 if shown.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
