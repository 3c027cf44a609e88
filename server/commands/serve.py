"""Serve matches to browsers and bots, on one port, until Ctrl-C or SIGTERM."""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import os
import sys
from collections.abc import Callable

from rich.console import Console
from rich.logging import RichHandler

from server import app, config
from server.gateway.files import find_client
from server.gateway.server import told_to_stop
from server.rulesets import library

HELP = "start a server and print its address"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `underfire serve`."""
    config.add_flags(parser)


def run(flags: argparse.Namespace) -> int:
    """Serve until told to stop."""
    settings = config.settings(os.environ, flags)
    console = Console(highlight=False)
    logging.basicConfig(
        level=settings.log_level.upper(),
        format="%(name)s: %(message)s",
        datefmt="%X",
        handlers=[RichHandler(console=Console(stderr=True), show_path=False)],
    )
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        runner.run(serve(settings, console))
    return 0


async def serve(settings: config.Settings, console: Console) -> None:
    """Start, say where, and stop in order when told to."""
    async with app.running(settings) as server:
        names = ", ".join(rules.info.name for rules in library.editions().values())
        console.print(f"[bold]Underfire {app.software_version()}[/bold] · {names}")
        console.print(f"Open [bold link={server.address}]{server.address}[/bold link] in a browser.", soft_wrap=True)
        console.print(f"Matches are kept in {server.kept}.", soft_wrap=True)
        if find_client() is None:
            console.print(
                "[yellow]The web client is not built: `make build` does that. Bots can play already.[/yellow]"
            )
        collect_less()
        console.print("Ctrl-C stops the server; matches go on where they were when it is started again.")
        await told_to_stop()
        console.print("Stopping ...")


def collect_less() -> None:
    """Keep the garbage collector away from what is here to stay, and let it come by less often: states and frames are made of
    frozen structs without cycles, which reference counting frees at once.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """The faster event loop, where there is one."""
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - it is not installed everywhere

    return uvloop.new_event_loop
