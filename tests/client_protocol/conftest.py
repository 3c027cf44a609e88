from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from tests.client_protocol.hosting import Host


@pytest.fixture
async def host() -> AsyncIterator[Host]:
    host = Host()
    await host.start()
    yield host
    await host.stop()
