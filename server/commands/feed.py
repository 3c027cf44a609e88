"""Publish the listed matches of a database to an MQTT broker, until Ctrl-C or SIGTERM. Where several feeds run for one database,
one of them publishes, and the next takes over when it is gone. docs/feed.md describes what is published.
"""

from __future__ import annotations

import argparse
import contextlib
import os

from server import config, log_lines, stopping
from server.app import database, software_version
from server.console import say
from server.feed.address import BrokerAddress
from server.feed.companion import until_closed
from server.feed.feed import Feed
from server.feed.metrics import FeedMetrics
from server.rulesets import library

HELP = "publish the listed matches to an MQTT broker"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire feed`."""
    config.add_database_flags(parser)
    config.add_feed_flags(parser)
    # How `underfire serve` starts it.
    parser.add_argument("--with-server", action="store_true", help=argparse.SUPPRESS)
    config.add_log_flags(parser)


def run(flags: argparse.Namespace) -> int:
    """Publish until told to stop.

    Raises:
        ConfigError: a setting cannot be used, or no broker is named.
        EmbeddedError, StoreError: there is no database.
    """
    settings = config.settings(os.environ, flags)
    if settings.mqtt is None:
        raise config.ConfigError(
            "No broker is named: give its address in UNDERFIRE_MQTT_URL, such as mqtt://localhost:1883."
        )
    log_lines.configure(settings.log_level, settings.log_format, settings.secrets)
    with contextlib.suppress(stopping.Stopped):
        stopping.run(_publish(settings, settings.mqtt, with_server=flags.with_server))
    return 0


async def _publish(settings: config.Settings, address: BrokerAddress, *, with_server: bool) -> None:
    async with database(settings, existing=True) as (store, _):
        say(
            f"Underfire {software_version()} · the feed publishes to {address}, under {settings.mqtt_root}. Ctrl-C stops it."
        )
        metrics = FeedMetrics()
        if settings.feed_metrics:
            metrics.serve("127.0.0.1", settings.feed_metrics)
        feed = Feed(
            store,
            address,
            library.edition,
            root=settings.mqtt_root,
            version=software_version(),
            metrics=metrics,
            players=settings.mqtt_players,
        )
        await (until_closed(feed.run()) if with_server else feed.run())
