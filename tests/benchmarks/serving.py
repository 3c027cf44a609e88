"""Underfire as it is served, with everything on, in a process that is measured; only the rate limits are off."""

from __future__ import annotations

import argparse
import asyncio
from typing import Any
from unittest.mock import patch
from urllib.parse import urlsplit

from server import app
from server.commands.serve import collect_less
from server.config import Settings
from server.gateway.limits import Limits, Rate
from server.gateway.rooms import Rooms
from server.gateway.server import Gateway
from tests.benchmarks import cores
from tests.benchmarks.control import obey
from tests.benchmarks.loop import new_loop

GREETINGS = 2
REPLIES = 1
UNBOUNDED = Rate(10**9, 10**9)


async def run(redis_url: str) -> None:
    def hasty(rooms: Rooms, **settings: Any) -> Gateway:  # noqa: ANN401 - whatever the application sets
        limits = Limits(seat=UNBOUNDED, per_address=10**9, address={}, strangers={})
        return Gateway(rooms, **{**settings, "limits": limits})

    with patch.object(app, "Gateway", hasty):
        async with app.running(Settings(port=0, redis_url=redis_url, exhibition=False, moments=False)) as server:
            port = urlsplit(server.address).port
            assert port is not None
            collect_less()
            await obey(port)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--core", type=int, default=-1)
    parser.add_argument("--redis", required=True)
    flags = parser.parse_args()
    cores.take_server_core(flags.core)
    cores.allow_many_files()
    with asyncio.Runner(loop_factory=new_loop()) as runner:
        runner.run(run(flags.redis))


if __name__ == "__main__":
    main()
