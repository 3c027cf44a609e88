"""Attacks of strangers on a real server, and how long the pings and answers of players take meanwhile.

    python -m tests.benchmarks.attacks [ATTACK ...] [--seconds 10] [--addresses 1] [--connections 8]

Each attack has a server of its own, which is told to stop (SIGTERM) while it still goes on. Strangers and innocents come from
different addresses of this machine, as Linux lets them: 127.0.1.x and 127.0.0.2.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import itertools
import multiprocessing
import random
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake, InvalidMessage

from client_protocol import codec
from client_protocol.choices import Prompt
from client_protocol.from_client import (
    Answer,
    CheckSetup,
    ClientMessage,
    CommitRandomness,
    EnterLobby,
    EnterMatch,
    ExportText,
    ImportMatch,
    MakeMatch,
    Ping,
    Recall,
    Replay,
    RevealRandomness,
    Upload,
)
from client_protocol.from_server import (
    Accepted,
    MatchMade,
    Pong,
    Refused,
    ServerMessage,
    SetupChecked,
    Snapshot,
    Update,
)
from client_protocol.shapes import PROTOCOL
from server.rulesets import library
from tests.benchmarks.hostile import crowded_setup, long_file
from tests.support.playing import digest_of, share_of

INNOCENT = "127.0.0.2"
PART = 12_000
GONE = (ConnectionClosed, OSError, InvalidHandshake, InvalidMessage, TimeoutError, EOFError)
"""A stranger was turned away; the next attempt follows."""

_ids = itertools.count()


def new_id() -> str:
    return f"attack-{next(_ids):08d}"


class Line:
    """A connection that asks one thing after the other."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.prompt: Prompt | None = None
        self.seq = -1

    async def send(self, message: ClientMessage) -> None:
        await self.socket.send(codec.encode(message))

    async def receive(self) -> ServerMessage:
        message = codec.decode_server(await self.socket.recv(decode=False))
        if isinstance(message, Snapshot | Update):
            self.seq = message.seq
            if isinstance(message, Snapshot) or message.closed or message.prompt is not None:
                self.prompt = message.prompt
        return message

    async def ask(self, message: ClientMessage) -> ServerMessage:
        await self.send(message)
        while getattr(found := await self.receive(), "id", None) != getattr(message, "id", ""):
            pass
        return found

    async def upload(self, data: bytes) -> str:
        name, of = new_id(), -(-len(data) // PART)
        for part in range(of):
            found = await self.ask(Upload(new_id(), name, part, of, data[part * PART : (part + 1) * PART]))
            if not isinstance(found, Accepted):
                await asyncio.sleep(0.2)
                return name
        return name

    async def commit(self, seat: str) -> None:
        await self.ask(CommitRandomness(new_id(), digest_of(share_of(seat))))

    async def reveal(self, seat: str) -> None:
        await self.ask(RevealRandomness(new_id(), share_of(seat).hex()))

    async def decide(self, chance: random.Random | None = None) -> ServerMessage | None:
        """Answer what is asked by its default, or at random where a plain choice will do; None where nothing is asked."""
        prompt = self.prompt
        if prompt is None or prompt.answered:
            return None
        self.prompt = None
        plain = [choice.key for choice in prompt.choices if not choice.parameters] if chance else []
        if chance and plain and chance.random() < 0.3:
            return await self.ask(Answer(new_id(), prompt.id, chance.choice(plain)))
        return await self.ask(Answer(new_id(), prompt.id, prompt.default.choice, prompt.default.values))


@asynccontextmanager
async def line(port: int, address: str, first: ClientMessage) -> AsyncIterator[Line]:
    async with connect(
        f"ws://127.0.0.1:{port}/ws",
        local_addr=(address, 0),
        compression=None,
        max_size=None,
        ping_interval=None,
        close_timeout=0.2,
    ) as socket:
        opened = Line(socket)
        await opened.send(first)
        await opened.receive()
        yield opened


Attack = Callable[[int, str, int], Awaitable[None]]
"""What one connection does again and again: the port, its address, its number."""


async def setups(port: int, address: str, number: int) -> None:
    data = SETUPS[number % len(SETUPS)]
    async with line(port, address, EnterLobby(PROTOCOL)) as one:
        while True:
            found = await one.ask(CheckSetup(new_id(), await one.upload(data)))
            if not isinstance(found, SetupChecked):
                return  # a new connection has new limits


async def makings(port: int, address: str, number: int) -> None:
    async with line(port, address, EnterLobby(PROTOCOL)) as one:
        while True:
            found = await one.ask(MakeMatch(new_id(), "fad4", "ridge-farm", "Stranger", ("blue", "red"), listed=False))
            if not isinstance(found, MatchMade):
                return


async def imports(port: int, address: str, number: int) -> None:
    async with line(port, address, EnterLobby(PROTOCOL)) as one:
        while True:
            await one.ask(ImportMatch(new_id(), await one.upload(FILES[0])))


async def files(port: int, address: str, number: int) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", port, local_addr=(address, 0))
    writer.write(f"GET /matches/{LONG}.underfire HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    while await reader.read(1 << 18):
        pass
    writer.close()


async def texts(port: int, address: str, number: int) -> None:
    async with line(port, address, EnterMatch(PROTOCOL, LONG)) as one:
        while not isinstance(await one.ask(ExportText(new_id())), Refused):
            pass


async def replays(port: int, address: str, number: int) -> None:
    async with line(port, address, EnterMatch(PROTOCOL, LONG)) as one:
        while True:
            for message in (Replay(new_id(), "*", number * 50), Recall(new_id(), 5_000)):
                if isinstance(await one.ask(message), Refused):
                    return


async def openings(port: int, address: str, number: int) -> None:
    async with line(port, address, EnterMatch(PROTOCOL, LONG)):
        pass


async def bots(port: int, address: str, number: int) -> None:
    """Two bots play each other in a position as large as there may be."""
    setup = SETUPS[number % len(SETUPS)]
    chance = random.Random(number)
    async with line(port, address, EnterLobby(PROTOCOL)) as lobby:
        made = await lobby.ask(
            MakeMatch(new_id(), "", "", "Bot", ("blue", "red"), listed=False, setup=await lobby.upload(setup))
        )
    if not isinstance(made, MatchMade):
        await asyncio.sleep(1)
        return
    tokens = {given.seat: given.token for given in made.passes}
    async with (
        line(port, address, EnterMatch(PROTOCOL, made.match, tokens["blue"])) as blue,
        line(port, address, EnterMatch(PROTOCOL, made.match, tokens["red"])) as red,
    ):
        await begin(blue, red)
        while True:
            done = [await one.decide(chance) for one in (blue, red)]
            if not any(done):
                await hear(blue, red)


async def hear(*lines: Line) -> None:
    """Take what comes to any of them soon."""
    tasks = [asyncio.create_task(one.receive()) for one in lines]
    await asyncio.wait(tasks, timeout=0.05)
    for task in tasks:
        task.cancel()
    for found in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(found, Exception):
            raise found


async def begin(blue: Line, red: Line) -> None:
    for one, seat in ((blue, "blue"), (red, "red")):
        await one.commit(seat)
    for one, seat in ((blue, "blue"), (red, "red")):
        await one.reveal(seat)


async def nothing(port: int, address: str, number: int) -> None:
    await asyncio.sleep(3600)


ATTACKS: dict[str, Attack] = {
    "nothing": nothing,
    "setups": setups,
    "makings": makings,
    "imports": imports,
    "files": files,
    "texts": texts,
    "replays": replays,
    "openings": openings,
    "bots": bots,
}
LONG = "longmatch23"
SETUPS: list[bytes] = []
FILES: list[bytes] = []


def strangers(attack: str, port: int, addresses: int, connections: int, said: int) -> None:
    """The process of the attackers."""
    prepare(said)

    async def again(number: int) -> None:
        while True:
            with contextlib.suppress(*GONE):
                async with asyncio.timeout(120):
                    await ATTACKS[attack](port, f"127.0.1.{number % addresses + 1}", number)
            await asyncio.sleep(0.01)

    async def all_() -> None:
        await asyncio.gather(*(again(number) for number in range(connections)))

    asyncio.run(all_())


def prepare(said: int) -> None:
    pairs = (("fad4", "ridge-farm"), ("fubar4", "three-farms"))
    SETUPS[:] = [
        crowded_setup(library.edition(edition), scenario, squad=squad)
        for squad in (40, 10)
        for edition, scenario in pairs
    ]
    FILES[:] = [long_file(library.edition("fad4"), "ridge-farm", LONG, said=said)]


class Times:
    """Latencies in seconds."""

    def __init__(self) -> None:
        self.all: list[float] = []

    def told(self) -> str:
        if not self.all:
            return "none"
        ordered = sorted(self.all)
        p50, p99 = (ordered[min(len(ordered) - 1, int(len(ordered) * share))] for share in (0.5, 0.99))
        return f"{len(ordered):4d}: p50 {p50 * 1e3:7.1f}  p99 {p99 * 1e3:7.1f}  max {ordered[-1] * 1e3:7.1f} ms"


async def innocent_match(port: int) -> MatchMade:
    """Make a match to play. All strangers share one limit; a stranger beyond it has to try again."""
    async with line(port, INNOCENT, EnterLobby(PROTOCOL)) as lobby:
        for _ in range(60):
            made = await lobby.ask(
                MakeMatch(
                    new_id(), "fad4", "crossroads-patrol", "Ann", ("blue", "red"), {"turn_limit": 12}, listed=False
                )
            )
            if isinstance(made, MatchMade):
                return made
            await asyncio.sleep(0.5)
    raise AssertionError("no match can be made")


async def innocents(port: int, seconds: float) -> tuple[Times, Times]:
    """Ping and play for so long."""
    pings, answers = Times(), Times()
    made = await innocent_match(port)
    tokens = {given.seat: given.token for given in made.passes}

    async def ping() -> None:
        async with line(port, INNOCENT, EnterLobby(PROTOCOL)) as one:
            while True:
                began = time.perf_counter()
                assert isinstance(await one.ask(Ping(new_id())), Pong)
                pings.all.append(time.perf_counter() - began)
                await asyncio.sleep(0.55 * random.uniform(0.95, 1.1))

    async def play() -> None:
        async with (
            line(port, INNOCENT, EnterMatch(PROTOCOL, made.match, tokens["blue"])) as blue,
            line(port, INNOCENT, EnterMatch(PROTOCOL, made.match, tokens["red"])) as red,
        ):
            await begin(blue, red)
            while True:
                for one in (blue, red):
                    began = time.perf_counter()
                    if isinstance(await one.decide(), Accepted):
                        answers.all.append(time.perf_counter() - began)
                        await asyncio.sleep(0.05)
                await hear(blue, red)

    tasks = [asyncio.create_task(ping()) for _ in range(12)] + [asyncio.create_task(play())]
    done, _ = await asyncio.wait(tasks, timeout=seconds, return_when=asyncio.FIRST_EXCEPTION)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    for task in done:
        task.result()
    return pings, answers


def resident(pid: int) -> float:
    """MiB that a process holds."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text(encoding="ascii"))
    return int(found[1]) / 1024 if found else 0.0


async def take_in(port: int) -> None:
    """Put the long match into the server that is to be attacked over it."""
    async with line(port, INNOCENT, EnterLobby(PROTOCOL)) as one:
        found = await one.ask(ImportMatch(new_id(), await one.upload(FILES[0])))
        assert isinstance(found, MatchMade), found


def run(attack: str, flags: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="uf-") as folder:
        command = [sys.executable, "-m", "server", "serve", "--port", "0", "--data-dir", folder, "--log-level", "error"]
        command += ["--proxies", "none"]  # all of this machine's addresses are strangers here
        server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert server.stdout is not None
        port = 0
        while not port:
            found = re.search(r"http://[^:]+:(\d+)", server.stdout.readline())
            port = int(found[1]) if found else 0
        try:
            if attack in {"files", "texts", "replays", "openings"}:
                asyncio.run(take_in(port))
            # Connections are counted for each address; `nothing` is how it is without strangers.
            context = multiprocessing.get_context("spawn")
            arguments = (attack, port, flags.addresses, flags.connections, flags.said)
            hostile = context.Process(target=strangers, args=arguments)
            hostile.start()
            time.sleep(4)
            before = resident(server.pid)
            pings, answers = asyncio.run(innocents(port, flags.seconds))
            after = resident(server.pid)
            began = time.perf_counter()
            server.send_signal(signal.SIGTERM)
            server.wait(120)
            stopped = time.perf_counter() - began
            hostile.terminate()
            hostile.join()
        finally:
            server.kill()
        print(f"{attack:9s} pings   {pings.told()}")
        print(f"{'':9s} answers {answers.told()}")
        print(f"{'':9s} SIGTERM {stopped:.1f} s, memory {before:.0f} -> {after:.0f} MiB", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("attacks", nargs="*", default=[], metavar="ATTACK", help=", ".join(ATTACKS))
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--addresses", type=int, default=1)
    parser.add_argument("--connections", type=int, default=8)
    parser.add_argument("--said", type=int, default=6000, help="lines of chat in the long match")
    flags = parser.parse_args()
    prepare(flags.said)
    for attack in flags.attacks or ATTACKS:
        run(attack, flags)


if __name__ == "__main__":
    main()
