"""The whole server as a process: killed in the middle of a battle, started again, joined by a second one."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path

import pytest

from client_protocol.choices import (
    Choice,
    DirectionParameter,
    DirectionTaken,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    Picked,
    PlacementParameter,
    Prompt,
    UnitNamed,
    UnitParameter,
    Value,
)
from client_protocol.client import StartPage, Table
from client_protocol.client.link import Backoff
from client_protocol.from_server import Accepted, MatchMade
from server.cli import main
from server.rulesets.library import editions
from server.store.embedded import EmbeddedValkey


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


class Server:
    """`underfire serve` in a process of its own."""

    def __init__(self, data_dir: Path) -> None:
        self.port = free_port()
        self.address = f"http://127.0.0.1:{self.port}"
        self._data_dir = data_dir
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        command = [sys.executable, "-m", "server", "serve", "--port", str(self.port), "--data-dir", str(self._data_dir)]
        self._process = subprocess.Popen(  # noqa: ASYNC220 - it takes no time
            command, stdout=subprocess.DEVNULL, env={**os.environ, "UNDERFIRE_LOG_LEVEL": "error"}
        )
        async with asyncio.timeout(30):
            while True:
                try:
                    async with StartPage.open(self.address):
                        return
                except OSError:
                    await asyncio.sleep(0.05)  # it is another process, which sends no notice when it listens

    def end(self, how: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(how)
        return self._process.wait(20)


@asynccontextmanager
async def serving(data_dir: Path) -> AsyncIterator[Server]:
    server = Server(data_dir)
    await server.start()
    try:
        yield server
    finally:
        assert server.end(signal.SIGTERM) == 0


def value(parameter: object, chance: random.Random) -> Value | None:
    """Return a value for a parameter from the prompt alone, or None if that is not so easy."""
    match parameter:
        case UnitParameter():
            allowed = [candidate.unit for candidate in parameter.candidates if candidate.why is None]
            return UnitNamed(chance.choice(allowed)) if allowed else None
        case FiguresParameter():
            return FiguresPicked(tuple(chance.sample(parameter.figures, parameter.least)))
        case PlacementParameter():
            return FiguresPlaced(parameter.suggested)
        case DirectionParameter():
            return DirectionTaken(parameter.middle)
    return None


def some_answer(prompt: Prompt, chance: random.Random) -> Picked:
    choice: Choice = chance.choice([choice for choice in prompt.choices if choice.why is None])
    values = [value(parameter, chance) for parameter in choice.parameters]
    found = tuple(value for value in values if value is not None)
    return Picked(choice.key, found) if len(found) == len(values) else prompt.default


async def patient(_seconds: float) -> None:
    """Make many attempts to connect: the test waits for the server, not for the client."""
    await asyncio.sleep(0.02)


class Battle:
    """The seats and a spectator at tables of their own, who give one answer after the other."""

    def __init__(self, server: Server, made: MatchMade, seed: int) -> None:
        self.tables = {
            given.seat: Table(server.address, made.match, given.token, backoff=Backoff(), sleep=patient)
            for given in made.passes
        }
        self.spectator = Table(server.address, made.match, sleep=patient)
        self.answered = 0
        self._chance = random.Random(seed)

    def move(self, seat: str, server: Server) -> None:
        """Send the next connection of this seat to another server."""
        self.tables[seat].address = server.address

    async def decider(self) -> Table | None:
        """Return the table that is asked next, or None if the match is over."""
        while not all(table.over for table in self.tables.values()):
            for table in self.tables.values():
                if table.prompt is not None and not table.prompt.answered:
                    return table
            await asyncio.sleep(0.002)
        return None

    async def answer(self, table: Table) -> None:
        """Answer the table's prompt, even if its connection breaks."""
        prompt = table.prompt
        assert prompt is not None
        picked = some_answer(prompt, self._chance)
        reply = await table.answer(picked.choice, picked.values, prompt.id)
        assert isinstance(reply, Accepted), reply
        self.answered += 1
        await eventually(lambda: table.seq >= reply.seq)


async def eventually(holds: Callable[[], bool]) -> None:
    """Wait for another process."""
    async with asyncio.timeout(20):
        while not holds():  # noqa: ASYNC110 - what it waits for has no event
            await asyncio.sleep(0.005)


@pytest.mark.parametrize("edition", editions())
async def test_a_battle_survives_kills_of_its_servers_and_its_database(tmp_path: Path, edition: str) -> None:
    # Of the scenarios for two the one with the most units, so that no battle is over before the last of the kills.
    rules = editions()[edition]
    duels = [scenario for scenario in rules.info.scenarios if len(scenario.seats) == 2]
    scenario = max(duels, key=lambda one: len(rules.open(one.id, {}).units))
    seats = tuple(seat for seat, _ in scenario.seats)
    async with serving(tmp_path) as server, serving(tmp_path) as second:
        async with StartPage.open(server.address) as page:
            made = await page.make_match(edition, scenario.id, "Ann", seats)
        assert isinstance(made, MatchMade)
        battle = Battle(server, made, 3)
        async with AsyncExitStack() as stack:
            for table in battle.tables.values():
                await stack.enter_async_context(table.running())
            spectator = await stack.enter_async_context(battle.spectator.running())
            battle.move(seats[1], second)
            while (asked := await battle.decider()) is not None:
                if battle.answered in {4, 12, 30}:
                    server.end(signal.SIGKILL)
                    await server.start()
                    token = next(given.token for given in made.passes if given.seat == asked.seat)
                    async with Table.sit(server.address, made.match, token) as late:
                        assert late.prompt == asked.prompt
                if battle.answered in {8, 20}:
                    pid = await asyncio.to_thread(EmbeddedValkey(tmp_path).pid)
                    os.kill(pid, signal.SIGKILL)
                await battle.answer(asked)
            assert battle.answered > 20, "it went on after everything was killed"
            assert spectator.links > 1
            await eventually(lambda: spectator.view.result is not None)
            for table in battle.tables.values():
                await eventually(lambda table=table: table.view.result == spectator.view.result)  # type: ignore[misc]
        file = tmp_path / "match.underfire"
        where = f"{second.address}/matches/{made.match}.underfire"
        await eventually(lambda: fetched(where) is not None)
        data = fetched(where) or b""
        file.write_bytes(data)
        assert main(["verify", str(file)]) == 0
        exported = tmp_path / "exported.underfire"
        assert await asyncio.to_thread(main, ["export", made.match, str(exported), "--data-dir", str(tmp_path)]) == 0
        assert exported.read_bytes() == data
        file.write_bytes(data[:900] + bytes([data[900] ^ 1]) + data[901:])
        assert main(["verify", str(file)]) == 1


def fetched(url: str) -> bytes | None:
    """Return the match file, or None while the match is not over."""
    try:
        with urllib.request.urlopen(url) as answer:  # noqa: S310 - our own server
            body: bytes = answer.read()
            return body
    except urllib.error.HTTPError as error:
        with error:
            code = error.code
    assert code == 409
    return None
