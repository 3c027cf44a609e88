"""What the tests of the store share. Those that talk to a Redis run on each event loop that a server may run on: the store's
wire takes transports out of redis-py's hands, and each loop has transports of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping

import pytest

from tests.benchmarks.loop import new_loop
from tests.support.valkey import store, valkey_server, valkey_url

__all__ = ["store", "valkey_server", "valkey_url"]

ON_EACH_LOOP = ("test_wire.py", "test_store.py", "test_following.py")
"""The others start and kill databases, which takes long."""


def pytest_asyncio_loop_factories(item: pytest.Item) -> Mapping[str, Callable[[], asyncio.AbstractEventLoop]]:
    """Return the loops on which a test of this folder runs, by name."""
    loops: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {"asyncio": asyncio.new_event_loop}
    of_servers = new_loop()
    if of_servers is not None and item.path.name in ON_EACH_LOOP:
        loops["uvloop"] = of_servers
    return loops
