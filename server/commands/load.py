"""Put a load on a server and measure it: matches of bots that speak the public protocol, each seat deciding at a pace, and those
who watch. The server should let this address have as many connections (UNDERFIRE_PER_ADDRESS). The matches stay unlisted.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time

from server import stopping
from server.console import counted, say
from server.load.bots import Load, Unable
from server.load.figures import Figures, report

HELP = "play matches of bots on a server, and measure how long it takes"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire load`."""
    parser.add_argument("address", metavar="ADDRESS", help="the server, such as http://localhost:8000")
    parser.add_argument("--matches", type=_count, default=10, help="how many are played at once (10)")
    parser.add_argument("--watchers", type=_count, default=0, help="how many watch them, all together (0)")
    parser.add_argument(
        "--pace", type=float, default=5.0, help="seconds in which a seat decides, on average (5)", metavar="SECONDS"
    )
    parser.add_argument("--seconds", type=_count, default=60, help="how long it is measured (60)")
    parser.add_argument("--seed", type=int, default=1, help="what is decided follows from it (1)")


def run(flags: argparse.Namespace) -> int:
    """Put the load on, and print the figures.

    Raises:
        ValueError: the load cannot be put on this server.
    """
    if flags.matches < 1:
        raise ValueError("At least one match must be played.")
    figures = Figures()
    load = Load(
        flags.address, flags.matches, flags.watchers, flags.pace, random.Random(flags.seed), figures, time.monotonic
    )
    try:
        seconds = stopping.run(_measured(load, flags.seconds))
    except ExceptionGroup as group:
        # What is raised within `except*` comes in a group again, at least by Python 3.11.2.
        unable, others = group.split(Unable)
        if unable is None or others is not None:
            raise
        raise ValueError(str(_first(unable))) from None
    for line in report(figures, seconds):
        say(line)
    return 0 if figures.acknowledged else 1


async def _measured(load: Load, seconds: int) -> float:
    """Play until it was measured for so long, from the moment when all matches have begun; return the seconds."""
    async with asyncio.TaskGroup() as group:
        with counted("Making matches", load.matches) as done:
            playing = group.create_task(load.run(done))
            await load.begun.wait()
        load.figures.clear()
        since = time.monotonic()
        with counted("Measuring", seconds) as done:
            for _ in range(seconds):
                await asyncio.sleep(1)
                done()
        playing.cancel()
    return time.monotonic() - since


def _first(error: BaseException) -> BaseException:
    """Return the first of the errors of all tasks."""
    return _first(error.exceptions[0]) if isinstance(error, BaseExceptionGroup) else error


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) > 100_000:
        raise argparse.ArgumentTypeError(f"a number from 0 to 100000 is wanted, not {text!r}")
    return int(text)
