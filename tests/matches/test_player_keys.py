"""Seats that are tied to players' keys: by consent, in the log, for all to see and to check."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.from_client import Recall
from client_protocol.from_server import Accepted, Refused
from server.kernel.belief import SPECTATORS
from server.matches.log import match_file
from server.matches.log.audiences import audience_of
from server.matches.log.secrets import Keys
from server.matches.rooms import Rooms
from server.matches.verify.match_file import verify
from server.store.store import MatchStore
from tests.support.player_keys import ADA, BO
from tests.support.room import Table, begun
from tests.support.toy_rules import ToyRules


def keys_seen(table: Table, audience: str = "") -> dict[str, str]:
    seats = table.room.teller.snapshot(audience_of(audience)).view.seats
    return {seat: shown.key for seat, shown in seats.items() if shown.key}


async def test_all_see_which_key_plays_a_seat(rooms: Rooms) -> None:
    table = await begun(rooms)
    match = table.room.match
    assert isinstance(await table.room.tie("red", ADA.tie(match, "red", "Ada")), Accepted)
    for audience in ("red", "blue", ""):
        assert keys_seen(table, audience) == {"red": ADA.key}
    history = await table.room.queries.recall(SPECTATORS, Recall("1", 1000))
    told = [line.text for frame in history.frames for line in frame.story if "key" in line.text]
    assert told == [f"Ada plays with the key {ADA.key[:4]} {ADA.key[4:8]} {ADA.key[8:12]} {ADA.key[12:16]}."]


async def test_the_same_message_again_changes_nothing_and_another_key_is_refused(rooms: Rooms) -> None:
    table = await begun(rooms)
    match = table.room.match
    await table.room.tie("red", ADA.tie(match, "red", "Ada"))
    length = table.room.length
    assert isinstance(await table.room.tie("red", ADA.tie(match, "red", "Ada", "tie-seat-2")), Accepted)
    refused = await table.room.tie("red", BO.tie(match, "red", "Ada", "tie-seat-3"))
    assert isinstance(refused, Refused)
    assert refused.code == "tied"
    assert table.room.length == length


@pytest.mark.parametrize(
    ("match", "seat", "name"), [("m-other", "red", "Ada"), ("", "blue", "Ada"), ("", "red", "Adam")]
)
async def test_a_signature_on_anything_else_ties_no_seat(rooms: Rooms, match: str, seat: str, name: str) -> None:
    table = await begun(rooms)
    refused = await table.room.tie("red", ADA.tie(match or table.room.match, seat, name))
    assert isinstance(refused, Refused)
    assert refused.code == "wrong_signature"
    assert keys_seen(table) == {}


async def test_the_signature_of_another_key_ties_no_seat(rooms: Rooms) -> None:
    table = await begun(rooms)
    stolen = replace(BO.tie(table.room.match, "red", "Ada"), key=ADA.key)
    refused = await table.room.tie("red", stolen)
    assert isinstance(refused, Refused)
    assert refused.code == "wrong_signature"


async def test_who_played_a_match_that_is_over_stands(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.play_out()
    refused = await table.room.tie("red", ADA.tie(table.room.match, "red", "Ada"))
    assert isinstance(refused, Refused)
    assert refused.code == "match_not_running"


async def test_the_key_admits_its_holder_on_another_device_and_nothing_else_does(
    rooms: Rooms, store: MatchStore
) -> None:
    table = await begun(rooms)
    match = table.room.match
    assert Keys(await store.get_meta(match)).players_token("red", ADA.key) == ""
    await table.room.tie("red", ADA.tie(match, "red", "Ada"))
    keys = Keys(await store.get_meta(match))
    token = keys.players_token("red", ADA.key)
    assert await table.room.admit(token) == "red"
    # A key that is tied to no seat has a token, and it opens nothing.
    assert await table.room.admit(keys.players_token("red", BO.key)) is None
    assert await table.room.admit(keys.players_token("blue", ADA.key)) is None


async def test_a_match_file_says_who_played(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.room.tie("red", ADA.tie(table.room.match, "red", "Ada"))
    await table.play_out()
    file = match_file.export(await table.room.payloads())
    assert verify(file, lambda _edition: ToyRules()).differences == ()
    assert ADA.key.encode() in file
