"""Remove a match, from the database of this machine, while its servers run or while none does. It disappears from every page,
its links say that the server's operator has removed it, players who are in it are told, and its id is never used again. What
was stored of it is kept in a file for the operator alone, in the folder matches/removed of the data directory.
"""

from __future__ import annotations

import argparse
import os

from server import config, stopping
from server.app import database, signing_as_servers
from server.console import say
from server.matches.archiver import files_of
from server.matches.removal import Removal, about, remove
from server.store.errors import MatchRemoved

HELP = "remove a match from the server for good"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire remove`."""
    parser.add_argument("match", metavar="MATCH", help="the match's id, as in its links")
    parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")
    parser.add_argument("--forget", action="store_true", help="keep nothing of what was stored")
    config.add_database_flags(parser)
    config.add_signing_flag(parser)


def run(flags: argparse.Namespace) -> int:
    """Remove the match, after asking.

    Raises:
        StoreError: there is no such match, or no database; what was stored cannot be kept.
        OSError: a file cannot be written.
    """
    settings = config.settings(os.environ, flags)
    match: str = flags.match
    found = stopping.run(_about(settings, match))
    if (found is not None or flags.forget) and not flags.yes and not _meant(match, found, forget=flags.forget):
        say("Nothing was removed: that is not the match's id.", error=True)
        return 1
    done = stopping.run(_removed(settings, match, forget=flags.forget))
    say(told(match, done))
    return 0


def told(match: str, done: Removal) -> str:
    """Return the result in sentences."""
    said = f"The match {match} was removed already." if done.before else f"The match {match} is removed."
    if done.kept is not None:
        return f"{said} What was stored of it is in {done.kept}."
    if done.forgotten:
        return f"{said} The file in which it was kept is deleted."
    return f"{said} Nothing of it is kept."


def _meant(match: str, found: str | None, *, forget: bool) -> bool:
    """Ask whether the match is to be removed."""
    if found is not None:
        say(f"This removes the match {match} ({found}) for good, for its players too.")
    if forget:
        say("Nothing of it will be kept, not even for you.")
    say(f"Type its id to go on: {match}")
    try:
        return input("> ").strip() == match
    except EOFError:
        return False


async def _about(settings: config.Settings, match: str) -> str | None:
    """Return a short description of the match; None if it was removed before."""
    async with database(settings, existing=settings.redis_url is None) as (store, _):
        try:
            return await about(store, match)
        except MatchRemoved:
            return None


async def _removed(settings: config.Settings, match: str, *, forget: bool) -> Removal:
    async with database(settings, existing=settings.redis_url is None) as (store, _):
        files = files_of(store)
        signing, _ = await signing_as_servers(settings, store)
        return await remove(store, files, match, forget=forget, signing=signing)
