"""Files of ended matches are made once, cached, and made again after further chat."""

from __future__ import annotations

import pytest

from client_protocol.from_client import Say
from client_protocol.from_server import Accepted
from server.matches.file_cache import FileCache
from server.matches.log import match_file
from server.matches.rooms import Rooms
from server.store.store import MatchStore
from tests.support.room import begun, entries_of, eventually


def test_the_least_recently_used_file_leaves_the_cache_first() -> None:
    cache = FileCache(100)
    cache.put("a", 1, b"x" * 40)
    cache.put("b", 1, b"x" * 40)
    assert cache.get("a", 1) == b"x" * 40
    cache.put("c", 1, b"x" * 40)
    assert (cache.get("b", 1), cache.size) == (None, 80)
    assert cache.get("a", 1)
    cache.put("a", 2, b"y")
    assert (cache.get("a", 1), cache.get("a", 2), cache.size) == (None, b"y", 41)
    cache.put("huge", 1, b"x" * 101)
    assert (cache.get("huge", 1), cache.size) == (None, 41)
    cache.drop("c")
    cache.drop("c")
    assert cache.size == 1


async def test_the_file_of_an_ended_match_is_made_once(
    rooms: Rooms, store: MatchStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = await begun(rooms)
    match = table.room.match
    assert await rooms.match_file(match) is None
    await table.play_out()
    await eventually(lambda: table.room.published)
    reads: list[int] = []
    read = store.read

    async def counted(match_id: str, after: int = 0) -> list[tuple[int, bytes]]:
        reads.append(after)
        return await read(match_id, after)

    monkeypatch.setattr(store, "read", counted)
    files = [await rooms.match_file(match) for _ in range(5)]
    assert len(reads) == 1
    assert files == [match_file.export(await entries_of(store, match))] * 5
    reads.clear()
    assert isinstance(await table.room.say("red", "", Say("say-00001", "Well played.")), Accepted)
    again = await rooms.match_file(match)
    assert again != files[0]
    assert again == match_file.export(await entries_of(store, match))
