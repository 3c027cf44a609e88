from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from server.matches.rooms import Rooms
from server.store.store import MatchStore
from tests.support.room import rooms_on
from tests.support.valkey import store, valkey_server, valkey_url

__all__ = ["store", "valkey_server", "valkey_url"]


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    """One server's rooms for the toy's rules."""
    async with rooms_on(store) as opened:
        yield opened
