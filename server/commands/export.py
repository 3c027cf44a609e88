"""Save a match as one file, from the database of this machine. Until the match is over the file lacks the dice secret."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path

from server import config
from server.app import database
from server.matches import archive

HELP = "save a match as one file"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `underfire export`."""
    parser.add_argument("match", metavar="MATCH", help="the match's id, as in its links")
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write, for instance match.underfire")
    parser.add_argument("--data-dir", help="folder of the embedded database (UNDERFIRE_DATA_DIR, your data directory)")
    parser.add_argument("--redis-url", help="a Redis or Valkey of your own (UNDERFIRE_REDIS_URL)")


def run(flags: argparse.Namespace) -> int:
    """Export the match."""
    settings = config.settings(os.environ, flags)
    data = asyncio.run(exported(settings, flags.match))
    flags.out.write_bytes(data)
    print(f"{flags.out}: {len(data)} bytes")
    return 0


async def exported(settings: config.Settings, match: str) -> bytes:
    """The match as one file.

    Raises:
        StoreError: there is no such match, or no database.
    """
    async with database(settings) as (store, _):
        await store.check_open(match)
        return archive.export([payload for _, payload in await store.read(match)])
