"""Save a match or a league as one file, from the database of this machine, as the operator of the server. Until a match is over
its file lacks the dice secret, but holds what seats hide from each other; another server can continue the match from it. The
file of a league is the one that its page has, also where the league is not listed: while its forces are hidden there is none. A
file is signed with the key of the servers of this database.
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
from server.leagues.errors import ActError
from server.leagues.log import league_file
from server.leagues.log.entries import LeagueFold, LeagueLogError
from server.leagues.open_log import open_log
from server.matches.log import match_file
from server.matches.log.fold import Fold
from server.matches.log.signatures import Signature
from server.matches.projections.notation import notation
from server.rulesets import library
from server.store.errors import StoreError, UnknownMatch
from server.store.league_logs import LeagueLogs

Log = tuple[Sequence[bytes], tuple[Signature, ...], str]
"""The entries of a log, their signatures, and in a sentence why its own servers have not signed it ("": they have)."""
HELP = "save a match or a league as one file"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire export`."""
    parser.add_argument("id", metavar="ID", help="the id of the match or the league, as in its links")
    parser.add_argument("out", type=Path, metavar="OUT", help="the file to write, for instance match.underfire")
    form = parser.add_mutually_exclusive_group()
    form.add_argument("--league", action="store_true", help="the id is that of a league")
    form.add_argument("--text", action="store_true", help="write a match as a text for people instead")
    config.add_database_flags(parser)
    config.add_signing_flag(parser)


def run(flags: argparse.Namespace) -> int:
    """Export the match or the league.

    Raises:
        StoreError: there is none of this id, or no database.
        OSError: the file cannot be written.
        RulesetError: the match is to be exported as a text, and its edition is not here.
    """
    settings = config.settings(os.environ, flags)
    if flags.league:
        try:
            payloads, signatures, unsigned = stopping.run(_read_league(settings, flags.id))
        except ActError as error:
            say(error.sentence, error=True)
            return 1
        data = league_file.written(payloads, signatures)
    else:
        payloads, signatures, unsigned = stopping.run(_read(settings, flags.id))
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


async def _read(settings: config.Settings, match: str) -> Log:
    """Return the log of a match, its signatures, and why it has none of its own servers.

    Raises:
        StoreError: there is no such match, or no database.
    """
    async with database(settings, existing=True) as (store, _):
        payloads = [payload for _, payload in await store.read(match)]
        signing, unsigned = await signing_as_servers(settings, store)
        return payloads, await signing.of(match, payloads), unsigned


async def _read_league(settings: config.Settings, league: str) -> Log:
    """Return the log of a league as far as its file holds it, its signatures, and why it has none.

    Raises:
        ActError: there is no file yet, since the forces of the league are hidden.
        StoreError: there is no such league, its log is damaged, or there is no database.
    """
    async with database(settings, existing=True) as (store, _):
        try:
            whole = await LeagueLogs(store).read(league)
            fold = LeagueFold(whole[0])
            for payload in whole[1:]:
                fold.add(payload)
        except UnknownMatch:
            raise StoreError(f"There is no league {league}.") from None
        except LeagueLogError as error:
            raise StoreError(f"The log of league {league} is damaged: {error}.") from error
        payloads = open_log(fold, whole)
        signing, unsigned = await signing_as_servers(settings, store)
        return payloads, signing.of_log(league, payloads, league_file.DOMAIN), unsigned


def _text(payloads: Sequence[bytes]) -> bytes:
    rules = library.edition(Fold(payloads[0]).opened.edition)
    return notation(rules, payloads, EVERYTHING).encode()
