"""Print the lines of chat that players and spectators have reported, the newest first, from the database of this machine."""

from __future__ import annotations

import argparse
import os

import msgspec

from server import config, stopping
from server.app import database
from server.console import say
from server.matches.log.names import moment
from server.matches.projections.reports import ReportNote, read

HELP = "print the reports of chat"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire reports`."""
    config.add_database_flags(parser)


def run(flags: argparse.Namespace) -> int:
    """Print the reports.

    Raises:
        StoreError: there is no database.
    """
    notes = stopping.run(_reports(config.settings(os.environ, flags)))
    say("\n\n".join(map(text, notes)) if notes else "There are no reports.")
    return 0


async def _reports(settings: config.Settings) -> list[bytes]:
    async with database(settings, existing=True) as (store, _):
        return await store.reports()


def text(kept: bytes) -> str:
    """Return a report in words."""
    try:
        note = read(kept)
    except msgspec.DecodeError:
        return f"A report that cannot be read: {kept!r}"
    return "\n".join(_lines(note))


def _lines(note: ReportNote) -> list[str]:
    when = moment(note.at)
    by = f"the seat {note.by}" if note.by else "a spectator"
    who = f"{note.name or 'unnamed'} ({f'the seat {note.seat}' if note.seat else 'a spectator'})"
    return [
        f"{when}, match {note.match}, entry {note.entry}: reported by {by}",
        f"  {who} said: {note.text}",
        f"  Why: {note.reason}",
    ]
