"""Serve matches to browsers and bots, on one port, until Ctrl-C, SIGTERM or SIGHUP."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import os
import sys
from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, nullcontext

from server import app, compiled, config, descriptors, log_lines, stopping
from server.console import Styled, say
from server.feed.companion import companion
from server.gateway.files import find_client
from server.rulesets import library
from server.stopping import told_to_stop

HELP = "start a server and print its address"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire serve`."""
    config.add_flags(parser)


def run(flags: argparse.Namespace) -> int:
    """Serve until told to stop.

    Raises:
        ConfigError: a setting cannot be used.
        EmbeddedError, StoreError: there is no database.
        ListenError: the address cannot be listened on.
    """
    settings = config.settings(os.environ, flags)
    log_lines.configure(settings.log_level, settings.log_format, settings.secrets)
    descriptors.raise_limit()
    # A signal is the normal end of a server, even while it is starting.
    with contextlib.suppress(stopping.Stopped):
        stopping.run(serve(settings), loop_factory=_loop_factory())
    return 0


async def serve(settings: config.Settings) -> None:
    """Start, print the addresses, and stop in order when told to."""
    async with app.running(settings) as server, _feed(settings):
        names = ", ".join(rules.info.name for rules in library.editions(settings.unfinished).values())
        say(Styled(f"Underfire {app.software_version()}", "bold"), f" · {names}")
        say_where([*server.addresses, *settings.origins])
        say(f"Matches are kept in {server.kept}.")
        say_form()
        if find_client() is None:
            say(Styled("The web client is not built: `make build` does that. Bots can play already.", "yellow"))
        collect_less()
        say("Ctrl-C stops the server; matches go on where they were when it is started again.")
        await told_to_stop(server.over)
        with contextlib.suppress(OSError):  # the terminal may be gone
            say("Stopping ...")


def _feed(settings: config.Settings) -> AbstractAsyncContextManager[None]:
    """Return the feed that runs along with the server, if a broker is named."""
    if settings.mqtt is None:
        return nullcontext()
    # What was given by flags; addresses with passwords are in the environment, where others on the machine do not see them.
    variables = {
        "UNDERFIRE_MQTT_ROOT": settings.mqtt_root,
        "UNDERFIRE_LOG_LEVEL": settings.log_level,
        "UNDERFIRE_LOG_FORMAT": settings.log_format,
    }
    if settings.mqtt_players:
        variables["UNDERFIRE_MQTT_PLAYERS"] = "on"
    if settings.feed_metrics:
        variables["UNDERFIRE_FEED_METRICS"] = str(settings.feed_metrics)
    if settings.data_dir is not None:
        variables["UNDERFIRE_DATA_DIR"] = str(settings.data_dir)
    if settings.redis_url is not None:
        variables["UNDERFIRE_REDIS_URL"] = settings.redis_url
    if settings.mqtt.ca_file is not None:
        variables["UNDERFIRE_MQTT_CA_FILE"] = str(settings.mqtt.ca_file)
    return companion(variables)


def say_where(addresses: list[str]) -> None:
    """Print the addresses that a browser can open."""
    first, *more = [Styled(address, "bold", address) for address in addresses]
    if not more:
        say("Open ", first, " in a browser.")
        return
    say("Open one of these in a browser:")
    for address in (first, *more):
        say("  ", address)


def say_form() -> None:
    """Print whether the rules' inner loops are compiled, which decides how many matches the server can carry."""
    if compiled.WHY_NOT:
        say(Styled(f"The rules' inner loops run uncompiled, and slower: {compiled.WHY_NOT}", "yellow"))
    else:
        say("The rules' inner loops are compiled.")


def collect_less() -> None:
    """Exempt all existing objects from garbage collection, and make it rarer: states and frames are made of frozen structs
    without cycles, which reference counting frees at once.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    """Return the factory of the faster event loop, or None."""
    if sys.platform == "win32":
        return None
    import uvloop  # noqa: PLC0415 - it is not installed everywhere

    return uvloop.new_event_loop
