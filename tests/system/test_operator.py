"""The operator commands running servers: `underfire admin` in a process of its own, two servers on one database."""

from __future__ import annotations

import asyncio
import os
import subprocess
from pathlib import Path

from client_protocol.client import Table
from client_protocol.from_client import Say
from client_protocol.from_server import Accepted, Goodbye, Refused
from tests.support.servers import LONGEST, UNDERFIRE, ServerProcess, serving, until
from tests.system.peers import ask, peer_at, sit
from tests.system.play import Battle, make_match, press_on, token

TOKEN = "operator" * 5
SETTINGS = {"UNDERFIRE_ADMIN_TOKEN": TOKEN}
STRANGER = "192.0.2.7"


def run(server: ServerProcess, *words: str, token: str = TOKEN) -> subprocess.CompletedProcess[str]:
    """Command a server."""
    environment = {key: value for key, value in os.environ.items() if not key.startswith("UNDERFIRE_")}
    return subprocess.run(
        [str(UNDERFIRE), "admin", "--url", server.address, *words],
        env=environment | {"UNDERFIRE_ADMIN_TOKEN": token},
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )


async def command(server: ServerProcess, *words: str) -> str:
    """Return what a command prints."""
    done = await asyncio.to_thread(run, server, *words)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return " ".join(done.stdout.split())


async def test_what_the_operator_decides_at_one_server_holds_at_the_other(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=SETTINGS) as first, serving(tmp_path, settings=SETTINGS) as second:
        made = await make_match(first)
        async with Battle.at(first, made, blue=second.address) as battle:
            table = await battle.next()
            assert table is not None
            assert table.prompt is not None
            await battle.give(table, press_on(table.view, table.prompt))
            assert made.match in await command(second, "list")
            told = await command(second, "inspect", made.match)
            assert "blue from 127.0.0.1" in told
            assert "red from" not in told

            red = battle.tables["red"]
            assert isinstance(await red.say("before"), Accepted)
            await command(second, "mute", "--seat", f"{made.match}/red", "--for", "2h")
            async with asyncio.timeout(LONGEST):
                while not isinstance(reply := await red.say("after"), Refused):  # noqa: ASYNC110 - the next look of the server
                    await asyncio.sleep(0.7)
            assert reply.code == "muted"
            assert f"mute the seat red of the match {made.match}" in await command(first, "bans")
            await command(first, "unmute", "--seat", f"{made.match}/red")
            assert isinstance(await red.say("again"), Accepted)

            async with peer_at(first, address=STRANGER) as stranger:
                await sit(stranger, made.match)
                await command(second, "ban", "--address", STRANGER)
                while not isinstance(goodbye := await stranger.receive(), Goodbye):
                    pass
                assert (goodbye.code, goodbye.sentence) == (
                    "banned",
                    "The operator of this server does not let you play.",
                )
                assert await stranger.closed() == 4012
            async with peer_at(second, address=STRANGER) as late:
                assert isinstance(await late.receive(), Goodbye)
            await command(first, "unban", "--address", STRANGER)
            async with peer_at(first, address=STRANGER) as forgiven:
                await sit(forgiven, made.match)
                assert isinstance(await ask(forgiven, Say("said-001", "thanks", "spectators"), Accepted), Accepted)

            assert "is over" in await command(second, "close", made.match, "--why", "The evening is over.")
            for audience in battle.tables.values():
                await until(lambda audience=audience: audience.view.result is not None)  # type: ignore[misc]
                result = audience.view.result
                assert result is not None
                assert (result.how, result.reason) == (
                    "operator",
                    "The operator of this server has ended the match: The evening is over.",
                )
        await first.match_file(made.match)
        for told in ("is muted for 2 hours", f"The address {STRANGER} is banned", "is over. Its players read"):
            assert told in " ".join((first.log + second.log).split())
        assert TOKEN not in first.log + second.log


async def test_a_drained_server_sends_its_players_to_another_one_and_ends(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=SETTINGS) as first, serving(tmp_path, settings=SETTINGS) as second:
        made = await make_match(first)
        async with Table.sit(first.address, made.match, token(made, "red")) as table:
            await until(lambda: table.seq >= 0)
            assert "takes no new connections" in await command(first, "drain")
            assert first.get("/ready").status == 503
            assert second.get("/ready").status == 200
            # As a proxy would, from now on.
            table.address, links = second.address, table.links
            await until(lambda: not first.running)
            await until(lambda: table.links > links)
            assert second.metric("underfire_resumed_total") >= 1
        # The helper starts it again, to end it as every server.


async def test_wrong_commands_fail_in_words(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=SETTINGS) as server:
        for words, code, said in (
            (("close", "nowhere", "--why", "So."), 1, "There is no match nowhere."),
            (("ban", "--address", "127.0.0.1", "--for", "a while"), 2, "a duration is written 30m, 12h or 7d"),
            (("ban", "--seat", "m1"), 2, "a seat is named as MATCH/SEAT"),
            (("ban", "--address", "at-home"), 1, "at-home is no address of a player"),
            (("close", "no where", "--why", "So."), 1, "This command cannot be sent"),
        ):
            done = await asyncio.to_thread(run, server, *words)
            assert done.returncode == code, done.stderr
            assert said in " ".join(done.stderr.split()), done.stderr
        wrong = await asyncio.to_thread(run, server, "bans", token="x" * 40)
        assert (wrong.returncode, wrong.stderr) == (1, "underfire: This is not the token of this server's operator.\n")
        short = await asyncio.to_thread(run, server, "bans", token="short" * 3)
        assert "at least 32 characters" in short.stderr
        assert "short" * 3 not in short.stderr
    nowhere = await asyncio.to_thread(run, server, "bans")
    assert f"No server answers at {server.address}" in " ".join(nowhere.stderr.split())


async def test_a_server_without_a_token_says_that_it_takes_no_commands(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        done = await asyncio.to_thread(run, server, "bans")
        assert (done.returncode, "takes no commands here" in done.stderr) == (1, True)
