"""List the matches of a database, the newest first, with their players and when they were played last; or tell more of one. It
reads the database of this machine, while servers run or not.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator

import msgspec

from server import config, stopping
from server.app import database
from server.console import say
from server.matches.log.names import moment
from server.matches.overview import Row, row, rows

HELP = "list the matches of a server"
STATES = ("open", "running", "over", "archived", "damaged")


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire matches`."""
    parser.add_argument("match", metavar="MATCH", nargs="?", help="tell more of this one")
    parser.add_argument("--state", choices=STATES, help="only those in this state")
    parser.add_argument("--json", action="store_true", help="a line of JSON for each")
    config.add_database_flags(parser)


def run(flags: argparse.Namespace) -> int:
    """List them.

    Raises:
        StoreError: there is no database, or no such match.
    """
    found = stopping.run(_found(config.settings(os.environ, flags), flags.match))
    shown = [one for one in found if flags.state in {None, one.state}]
    for one in shown:
        if flags.json:
            say(msgspec.json.encode(one).decode())
        elif flags.match:
            say("\n".join(_lines(one)))
        else:
            say(_line(one))
    if not shown and not flags.json:
        say("There are no such matches." if flags.state else "There are no matches.")
    return 0


async def _found(settings: config.Settings, match: str | None) -> list[Row]:
    async with database(settings, existing=True) as (store, _):
        return [await row(store, match)] if match else [one async for one in rows(store)]


def _line(one: Row) -> str:
    players = ", ".join(f"{name} ({seat})" for seat, name in one.players.items()) or "no players"
    if not one.title:
        return f"{one.match}  {one.state:8}  {moment(one.made_at)}"
    return f"{one.match}  {one.state:8}  {moment(one.last_at)}  {one.title} ({one.edition}), turn {one.turn}: {players}"


def _lines(one: Row) -> Iterator[str]:
    yield f"Match {one.match}: {one.title} ({one.edition})" if one.title else _line(one)
    if not one.title:
        return
    yield f"  It is {one.state}, in turn {one.turn}, {'listed' if one.listed else 'unlisted'}."
    for seat, name in one.players.items():
        yield f"  {seat}: {name}"
    yield f"  Made {moment(one.made_at)}; {one.entries} entries, the last one {moment(one.last_at)}."
    if one.result:
        yield f"  {one.result}"
