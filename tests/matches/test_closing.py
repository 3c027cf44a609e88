"""A match that its server's operator ends is over for all, by an entry of its log that says so."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from client_protocol.from_server import Accepted, Refused, Update
from server.matches.log.audiences import audience_of
from server.matches.log.entries import Ended, decode
from server.matches.log.match_file import export
from server.matches.rooms import Rooms
from server.matches.verify.match_file import verify
from server.store.store import MatchStore
from tests.support.room import AUDIENCES, begun, entries_of, eventually, made, rooms_on
from tests.support.toy_rules import ToyRules

WHY = "The players asked for it."
SAID = f"The operator of this server has ended the match: {WHY}"


@pytest.fixture
async def rooms(store: MatchStore) -> AsyncIterator[Rooms]:
    async with rooms_on(store) as opened:
        yield opened


async def test_the_operators_end_is_told_to_all_with_its_reason_and_can_be_verified(
    rooms: Rooms, store: MatchStore
) -> None:
    table = await begun(rooms)
    await table.deploy()
    assert isinstance(await table.room.end(WHY), Accepted)
    await eventually(lambda: table.room.published)
    for audience in AUDIENCES:
        updates = [message for message in table.listeners[audience].messages if isinstance(message, Update)]
        assert SAID in [line.text for update in updates for line in update.story]
        result = table.room.teller.snapshot(audience_of(audience)).view.result
        assert result is not None
        assert (result.winner, result.reason, result.how) == ("", SAID, "operator")
    report = verify(export(await entries_of(store, table.room.match)), lambda _edition: ToyRules())
    assert report.ended == SAID


async def test_a_match_is_closed_once(rooms: Rooms, store: MatchStore) -> None:
    table = await begun(rooms)
    await table.room.end(WHY)
    # The command came twice: the second one finds what the first has done.
    assert isinstance(await table.room.end("Another reason."), Accepted)
    bodies = [decode(n, entry).body for n, entry in enumerate(await entries_of(store, table.room.match), 1)]
    assert [body.reason for body in bodies if isinstance(body, Ended)] == [SAID]


async def test_a_match_that_is_over_is_not_closed(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.play_out()
    refused = await table.room.end(WHY)
    assert isinstance(refused, Refused)
    assert refused.sentence == "The match is over."


async def test_a_match_that_has_not_begun_can_be_closed(rooms: Rooms) -> None:
    room = await rooms.get((await made(rooms)).match)
    assert room is not None
    assert isinstance(await room.end(WHY), Accepted)
    await eventually(lambda: room.published)
    assert room.over
