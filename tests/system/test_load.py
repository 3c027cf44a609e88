"""A load on a real server, by the command."""

from __future__ import annotations

import asyncio
import re
import subprocess
from pathlib import Path

from tests.support.servers import UNDERFIRE, free_port, serving


async def test_a_load_is_put_on_a_server_and_measured(tmp_path: Path) -> None:
    async with serving(tmp_path, settings={"UNDERFIRE_PER_ADDRESS": "500"}) as server:
        words = ["load", server.address, "--matches", "3", "--watchers", "4", "--pace", "0.2", "--seconds", "5"]
        done = await asyncio.to_thread(
            subprocess.run, [str(UNDERFIRE), *words], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        first = re.match(r"(\d+) decisions in (\d+) matches in 5 s", done.stdout)
        assert first, done.stdout
        assert int(first[1]) > 10
        assert int(first[2]) >= 3
        for line in ("until it was acknowledged", "until the other seat had it", "until a spectator had it"):
            assert line in done.stdout


def test_a_server_that_is_not_there_is_named() -> None:
    address = f"http://127.0.0.1:{free_port()}"
    done = subprocess.run([str(UNDERFIRE), "load", address], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert f"No match can be made at {address}" in done.stderr
    assert "Traceback" not in done.stderr
