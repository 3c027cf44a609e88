"""Save a match as one file, from the database of this machine, as the operator of the server. Until the match is over the
file lacks the dice secret, but holds what seats hide from each other; another server can continue the match from it. It is
signed with the key of the servers of this database.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Sequence
from pathlib import Path

from server import config, stopping
from server.app import database, signing_as_servers
from server.console import say
from server.kernel.belief import EVERYTHING
from server.matches.log import match_file
from server.matches.log.fold import Fold
from server.matches.log.signatures import Signature
from server.matches.projections.notation import notation
from server.rulesets import library

HELP = "save a match as one file"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire export`."""
    parser.add_argument("match", metavar="MATCH", help="the match's id, as in its links")
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write, for instance match.underfire")
    parser.add_argument("--text", action="store_true", help="write a text for people instead")
    config.add_database_flags(parser)
    config.add_signing_flag(parser)


def run(flags: argparse.Namespace) -> int:
    """Export the match.

    Raises:
        StoreError: there is no such match, or no database.
        OSError: the file cannot be written.
        RulesetError: the match is to be exported as a text, and its edition is not here.
    """
    settings = config.settings(os.environ, flags)
    payloads, signatures, unsigned = stopping.run(_read(settings, flags.match))
    data = _text(payloads) if flags.text else match_file.export(payloads, signatures)
    flags.out.write_bytes(data)
    say(f"{flags.out}: {len(data)} bytes")
    if not flags.text:
        for line in told(signatures, len(payloads), unsigned):
            say(line)
    return 0


def told(signatures: Sequence[Signature], entries: int, unsigned: str) -> Iterator[str]:
    """Return who signed the file, in words; `unsigned` says why its own servers did not, if that is known."""
    for one in signatures:
        yield f"Signed by {one.key.hex()}, whose servers wrote entries {one.first} to {one.last}."
    if not any(one.last == entries for one in signatures):
        yield f"This server has not signed it. {unsigned or 'The match does not say that this server made it.'}"


async def _read(settings: config.Settings, match: str) -> tuple[list[bytes], tuple[Signature, ...], str]:
    """Return the log of a match, its signatures, and why it has none of its own servers.

    Raises:
        StoreError: there is no such match, or no database.
    """
    async with database(settings, existing=True) as (store, _):
        payloads = [payload for _, payload in await store.read(match)]
        signing, unsigned = await signing_as_servers(settings, store)
        return payloads, await signing.of(match, payloads), unsigned


def _text(payloads: list[bytes]) -> bytes:
    rules = library.edition(Fold(payloads[0]).opened.edition)
    return notation(rules, payloads, EVERYTHING).encode()
