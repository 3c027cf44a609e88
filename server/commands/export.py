"""Save a match as one file, from the database of this machine: for whoever runs the server. Until the match is over the file
lacks the dice secret, but holds what seats keep from each other; with it another server can go on with the match.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from server import config, stopping
from server.app import database
from server.console import say
from server.kernel.belief import EVERYTHING
from server.matches.log import match_file
from server.matches.log.fold import Fold
from server.matches.projections.notation import notation
from server.rulesets import library

HELP = "save a match as one file"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `underfire export`."""
    parser.add_argument("match", metavar="MATCH", help="the match's id, as in its links")
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write, for instance match.underfire")
    parser.add_argument("--text", action="store_true", help="write a text for people instead")
    config.add_database_flags(parser)


def run(flags: argparse.Namespace) -> int:
    """Export the match.

    Raises:
        StoreError: there is no such match, or no database.
        OSError: the file cannot be written.
        RulesetError: a text of an edition that is not here.
    """
    settings = config.settings(os.environ, flags)
    payloads = stopping.run(entries(settings, flags.match))
    data = _text(payloads) if flags.text else match_file.export(payloads)
    flags.out.write_bytes(data)
    say(f"{flags.out}: {len(data)} bytes")
    return 0


async def entries(settings: config.Settings, match: str) -> list[bytes]:
    """The log of a match.

    Raises:
        StoreError: there is no such match, or no database.
    """
    async with database(settings, existing=True) as (store, _):
        return [payload for _, payload in await store.read(match)]


def _text(payloads: list[bytes]) -> bytes:
    rules = library.edition(Fold(payloads[0]).opened.edition)
    return notation(rules, payloads, EVERYTHING).encode()
