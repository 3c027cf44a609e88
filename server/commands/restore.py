"""Restore all matches of a backup into an empty database, and compare each with what was saved. Links, seats and clocks go on as
they stood; players connect again by themselves once a server runs under the same address.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from server import config, stopping
from server.app import database
from server.commands.backup import told
from server.console import counted, say
from server.matches.archiver import files_of
from server.matches.backup import Checked, Done, check, restore

HELP = "restore all matches from a backup"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire restore`."""
    parser.add_argument("file", type=Path, metavar="FILE", help="what `underfire backup` has written")
    config.add_database_flags(parser)


def run(flags: argparse.Namespace) -> int:
    """Restore.

    Raises:
        BackupError: the file is no whole backup, or there are matches already.
        StoreError: there is no database, or it gave back something else.
        OSError: the file cannot be read.
    """
    settings = config.settings(os.environ, flags)
    done = stopping.run(_restored(settings, check(flags.file)))
    say(f"{told(done)} restored from {flags.file}, and each compared with it.")
    say(
        "The key that signs files, signing.pem, is in no backup: put it into the data directory before a server starts."
    )
    say("Where it is lost, `underfire key rotate --lost` makes a new one.")
    return 0


async def _restored(settings: config.Settings, backup: Checked) -> Done:
    async with database(settings) as (store, _):
        with counted("Restoring", backup.matches) as done:
            return await restore(store, files_of(store), backup, done)
