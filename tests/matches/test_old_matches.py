"""Matches in a database that were begun when notes were texts: a server loads them, and plays them to their end in their form."""

from __future__ import annotations

from typing import Any

import msgpack  # type: ignore[import-untyped]

from server.matches.importing import answers
from server.matches.verify.match_file import verify
from server.rulesets.library import edition, find
from server.store.store import MatchStore
from tests.archive.files import entries_of as recorded
from tests.matches.log.test_forms import EVENTFUL, SECRET, plain
from tests.support.room import Table, entries_of, eventually, rooms_on


async def test_a_match_of_before_is_loaded_and_played_to_its_end_in_its_form(store: MatchStore) -> None:
    whole = recorded(*EVENTFUL)
    # Forces were brought, and the first unit is about to be set up.
    first = next(place for place, entry in enumerate(whole) if any(map(_notes, plain([entry]))))
    begun = list(whole[:first])
    match = msgpack.unpackb(begun[0])[5]["match"]
    await store.restore(match, 1, {"secret": SECRET}, begun, answers(begun))
    async with rooms_on(store, edition(EVENTFUL[0])) as rooms:
        room = await rooms.get(match)
        assert room is not None
        table = Table(room)
        await eventually(lambda: bool(table.asked))
        await table.play_out()
        await eventually(lambda: room.published)
        data = await rooms.match_file(match)
    played = await entries_of(store, match)
    assert played[: len(begun)] == begun
    told = [fact["value"] for fact in plain(played[len(begun) :]) if _notes(fact)]
    assert told
    assert {type(value) for value in told} == {str}
    assert data is not None
    report = verify(data, find)
    assert (report.ended != "", report.replayed, report.dice is not None) == (True, report.steps, True)


def _notes(fact: dict[str, Any]) -> bool:
    return bool(fact["type"] == "unit_noted")
