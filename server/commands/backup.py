"""Save all matches of a database as one file, while servers run or not. The file holds what players hide from each other, and
the secrets of seats and dice: keep it where only you can read it. `underfire restore` reads it.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from server import config, stopping
from server.app import database, software_version
from server.console import counted, say
from server.matches.archiver import files_of
from server.matches.backup import Done, back_up
from server.store.connections import wall_ms
from server.store.key_names import INDEX
from server.store.replies import number

HELP = "save all matches as one file"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire backup`."""
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write, for instance 2026-11-28.backup")
    config.add_database_flags(parser)


def run(flags: argparse.Namespace) -> int:
    """Back up.

    Raises:
        StoreError: there is no database, or it does not answer.
        OSError: the file cannot be written.
    """
    settings = config.settings(os.environ, flags)
    done = stopping.run(_back_up(settings, flags.out))
    say(f"{flags.out}: {told(done)}, {flags.out.stat().st_size} bytes")
    for match in done.damaged:
        say(f"The log of match {match} is damaged, and is not in the backup.", error=True)
    return 1 if done.damaged else 0


def told(done: Done) -> str:
    """Return how many matches there are, in words."""
    more = [f"{count} {word}" for word, count in (("archived", done.archived), ("removed", done.removed)) if count]
    one = "1 match" if done.matches == 1 else f"{done.matches} matches"
    return f"{one} ({', '.join(more)})" if more else one


async def _back_up(settings: config.Settings, out: Path) -> Done:
    async with database(settings, existing=True) as (store, _):
        with counted("Backing up", number(await store.command("ZCARD", INDEX))) as done:
            return await back_up(store, files_of(store), out, software_version(), wall_ms(), done)
