"""The operator removes a match while two servers play it: a command in a process of its own, over the same data directory."""

from __future__ import annotations

import asyncio
import subprocess
from pathlib import Path

from client_protocol.client import StartPage
from client_protocol.from_client import EnterMatch
from client_protocol.from_server import Goodbye, Refused
from client_protocol.shapes import PROTOCOL
from server.matches.log.match_file import read
from tests.support.servers import LONGEST, UNDERFIRE, serving, until, valkeys
from tests.system.peers import peer_at, sit
from tests.system.play import Battle, entries, make_match, press_on, token

SENTENCE = "The operator of this server has removed this match."


def remove(data_dir: Path, match: str) -> str:
    """Return what the command prints."""
    command = [str(UNDERFIRE), "remove", match, "--yes", "--data-dir", str(data_dir)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return " ".join(done.stdout.split())


async def test_a_removed_match_closes_for_its_players_on_every_server(tmp_path: Path) -> None:
    async with serving(tmp_path) as first, serving(tmp_path) as second:
        made = await make_match(first)
        kept = tmp_path / "matches" / "removed" / f"{made.match}.underfire"
        async with (
            StartPage.open(second.address) as page,
            peer_at(first) as red,
            peer_at(second) as spectator,
        ):
            await until(lambda: any(info.match == made.match for info in page.matches))
            async with Battle.at(first, made) as battle:
                for _ in range(4):
                    table = await battle.next()
                    assert table is not None
                    assert table.prompt is not None
                    await battle.give(table, press_on(table.view, table.prompt))
            await sit(red, made.match, token(made, "red"))
            await sit(spectator, made.match)
            log = await entries(tmp_path, made.match)
            assert (await asyncio.to_thread(remove, tmp_path, made.match)).startswith(
                f"The match {made.match} is removed."
            )
            assert read(kept.read_bytes()).entries[: len(log)] == tuple(log)
            for peer in (red, spectator):
                while not isinstance(goodbye := await peer.receive(), Goodbye):
                    pass
                assert (goodbye.code, goodbye.sentence, goodbye.again) == ("removed", SENTENCE, False)
                assert await peer.closed() == 4010
            await until(lambda: not any(info.match == made.match for info in page.matches))
        for server in (first, second):
            for secret in ("", token(made, "red")):
                async with peer_at(server) as late:
                    refused = await late.ask(EnterMatch(PROTOCOL, made.match, secret), Refused)
                    assert (refused.code, refused.sentence) == ("removed", SENTENCE)
            assert server.get(f"/matches/{made.match}.underfire").status == 410
        assert "was removed already" in await asyncio.to_thread(remove, tmp_path, made.match)
        assert "Traceback" not in first.log + second.log
    assert valkeys(tmp_path) == []
    assert "was removed already" in await asyncio.to_thread(remove, tmp_path, made.match), "no server runs"
    assert valkeys(tmp_path) == []
