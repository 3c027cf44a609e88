"""Show a match file in the browser: a server of its own over a folder that is gone afterwards, until Ctrl-C."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from rich.console import Console

from client_protocol.messages import Refused
from server import app
from server.commands.importing import taken_in
from server.config import Settings
from server.gateway.server import told_to_stop

HELP = "show a match file in the browser"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `underfire replay`."""
    parser.add_argument(
        "file", type=Path, metavar="MATCH-FILE", help="what the table's page or `underfire export` saved"
    )
    parser.add_argument("--port", type=int, default=0, help="port to listen on (a free one)")


def run(flags: argparse.Namespace) -> int:
    """Serve the file until told to stop.

    Raises:
        OSError: the file cannot be read.
    """
    data = flags.file.read_bytes()
    with tempfile.TemporaryDirectory(prefix="underfire-") as folder:
        return asyncio.run(_serve(data, Settings(port=flags.port, data_dir=Path(folder), log_level="warning")))


async def _serve(data: bytes, settings: Settings) -> int:
    # Nobody is invited: it is a copy, and what would be played here would be lost.
    done = await taken_in(settings, data, invites=False)
    if isinstance(done, Refused):
        print(done.sentence, file=sys.stderr)
        return 1
    async with app.running(settings) as server:
        address = f"{server.address}/#/m/{done.match}/replay"
        console = Console(highlight=False)
        console.print(f"Open [bold link={address}]{address}[/bold link] in a browser.", soft_wrap=True)
        console.print("Ctrl-C ends it; nothing is kept.")
        await told_to_stop()
    return 0
