"""Entering a match that cannot be shown, now or for good."""

from __future__ import annotations

import asyncio

import pytest

from client_protocol.from_client import EnterMatch
from client_protocol.from_server import Goodbye, Refused
from client_protocol.shapes import PROTOCOL
from server.gateway.limits import Limits
from server.store.errors import LogDamaged, StoreUnavailable
from tests.gateway.conftest import Connect
from tests.gateway.fakes import FakeRooms


@pytest.mark.parametrize(
    ("error", "code", "again", "close_code"),
    [
        (StoreUnavailable("Redis does not answer"), "database_away", True, 1013),
        (LogDamaged("m", "it has no entries"), "damaged", False, 4011),
    ],
)
@pytest.mark.parametrize("where", ["get", "admit"])
async def test_a_client_that_cannot_be_shown_a_match_is_told_why_and_whether_to_retry(
    rooms: FakeRooms,
    open_peer: Connect,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    where: str,
    error: Exception,
    code: str,
    again: bool,
    close_code: int,
) -> None:
    async def fail(_what: str) -> None:
        raise error

    monkeypatch.setattr(rooms if where == "get" else rooms.room, where, fail)
    peer = await open_peer()
    await peer.send(EnterMatch(PROTOCOL, "m", "a-token"))
    refused, goodbye = await peer.rest()
    assert isinstance(refused, Refused)
    assert isinstance(goodbye, Goodbye)
    assert (refused.code, goodbye.code, goodbye.again) == (code, code, again)
    assert refused.sentence == goodbye.sentence
    assert await peer.closed() == close_code
    assert caplog.text == ""


@pytest.mark.parametrize("limits", [Limits(entering=0.0)])
async def test_entering_a_match_takes_no_longer_than_a_browser_waits(
    rooms: FakeRooms, open_peer: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def hang(_what: str) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(rooms, "get", hang)
    peer = await open_peer()
    await peer.send(EnterMatch(PROTOCOL, "m", "a-token"))
    *_, goodbye = await peer.rest()
    assert isinstance(goodbye, Goodbye)
    assert (goodbye.code, goodbye.again) == ("database_away", True)
