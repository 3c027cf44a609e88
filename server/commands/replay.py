"""Show a match file in the browser, on a server of its own that keeps nothing, until Ctrl-C."""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path

from client_protocol.from_server import Refused
from server import app, stopping
from server.commands.importing import taken_in
from server.config import Settings, port
from server.console import Styled, say
from server.stopping import told_to_stop

HELP = "show a match file in the browser"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire replay`."""
    parser.add_argument(
        "file", type=Path, metavar="MATCH-FILE", help="a file that the match page or `underfire export` saved"
    )
    parser.add_argument("--port", default="0", help="port to listen on (a free one)")


def run(flags: argparse.Namespace) -> int:
    """Serve the file until told to stop.

    Raises:
        ConfigError: the port is invalid.
        OSError: the file cannot be read.
    """
    listen_on = port(flags.port)
    data = flags.file.read_bytes()
    with tempfile.TemporaryDirectory(prefix="underfire-") as folder:
        return stopping.run(_serve(data, _settings(listen_on, Path(folder))))


def _settings(listen_on: int, folder: Path) -> Settings:
    # What start pages show of other matches would be prepared for no reader.
    return Settings(port=listen_on, data_dir=folder, log_level="warning", exhibition=False, moments=False)


async def _serve(data: bytes, settings: Settings) -> int:
    # There are no invites: this is a copy, and what would be played here would be lost.
    done = await taken_in(settings, data, invites=False)
    if isinstance(done, Refused):
        say(done.sentence, error=True)
        return 1
    async with app.running(settings) as server:
        address = f"{server.address}/#/m/{done.match}/replay"
        say("Open ", Styled(address, "bold", address), " in a browser.")
        say("Ctrl-C ends it; nothing is kept.")
        await told_to_stop()
    return 0
