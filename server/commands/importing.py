"""Import a match file into the database of this machine. A match that is over can be replayed here; any other goes on here,
with new dice, and all players take their seats again by the links that are printed.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator
from pathlib import Path

from client_protocol.from_server import MatchMade, Refused
from server import config, stopping
from server.app import data_dir, database, has_data
from server.console import say
from server.matches.importing import keep, match_prepared
from server.rulesets import library
from server.store.connections import wall_ms

NAME = "import"
HELP = "import a match file into this server's database"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire import`."""
    parser.add_argument(
        "file", type=Path, metavar="MATCH-FILE", help="a file that a page of another server or `underfire export` saved"
    )
    config.add_database_flags(parser)


def run(flags: argparse.Namespace) -> int:
    """Import the file, and print the links to the match.

    Raises:
        OSError: the file cannot be read.
        StoreError: there is no database.
    """
    settings = config.settings(os.environ, flags)
    new = None if has_data(settings) else data_dir(settings)
    done = stopping.run(taken_in(settings, flags.file.read_bytes()))
    if isinstance(done, Refused):
        say(done.sentence, error=True)
        return 1
    for line in lines(done):
        say(line)
    if new is not None:
        say(f"No data of an Underfire server lay in {new} before; a new database was made there.", error=True)
    return 0


async def taken_in(settings: config.Settings, data: bytes, *, invites: bool = True) -> MatchMade | Refused:
    """Import a match file into the database that `settings` name.

    Raises:
        StoreError: there is no database.
    """
    async with database(settings) as (store, _):
        up, now = await store.beat(), wall_ms()
        found = match_prepared(library.edition, data, up, now, invites=invites)
        if isinstance(found, str):
            return Refused(NAME, "bad_file", found)
        prepared, summary, listed = found
        return await keep(store, NAME, prepared, summary, listed=listed)


def lines(done: MatchMade) -> Iterator[str]:
    """Yield the paths of the match on the server."""
    if not done.passes:
        yield f"The match {done.match} is over. To see its replay, put this after the server's address:"
        yield f"  #/m/{done.match}/replay"
        return
    yield f"The match {done.match} goes on here. To take its seats, put these after the server's address:"
    for given in done.passes:
        yield f"  {given.seat}: #/m/{done.match}/join/{given.seat}/{given.invite}"
