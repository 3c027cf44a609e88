"""Heads: every eighth frame names the hash of its entry, and any server later knows a hash that was told once."""

from __future__ import annotations

from client_protocol.from_client import CheckHead, Say
from client_protocol.from_server import Accepted, Refused, Snapshot, Update
from server.kernel.belief import SPECTATORS
from server.matches.log.entries import digest
from server.matches.rooms import Rooms
from server.store.store import MatchStore
from tests.support.playing import Listener, MatchInMemory
from tests.support.room import Table, begun, entries_of, rooms_on
from tests.support.toy_rules import ToyRules


def heads(listener: Listener) -> list[bytes]:
    """Return the hashes that were told."""
    told = [message.head for message in listener.messages if isinstance(message, Snapshot | Update)]
    return [head for head in told if head]


def asked(head: bytes) -> CheckHead:
    return CheckHead("c", head)


async def snapshot_head(table: Table, audience: str) -> bytes:
    listener = Listener()
    table.room.enter(audience or SPECTATORS, -1, listener.connection)
    table.room.leave(listener.connection)
    return heads(listener)[-1]


async def test_every_eighth_frame_and_each_of_a_match_that_is_over_name_the_hash_of_their_entry(
    rooms: Rooms, store: MatchStore
) -> None:
    table = await begun(rooms)
    await table.play_out()
    hashes = [digest(entry) for entry in await entries_of(store, table.room.match)]
    for audience, listener in table.listeners.items():
        told = heads(listener)
        assert len(set(told)) == len(told)
        assert [hash_ for hash_ in hashes if hash_ in told] == told
        updates = [message for message in listener.messages if isinstance(message, Update)]
        over = next(update.seq for update in updates if "result" in update.patch)
        assert [update.seq for update in updates if update.head] == [
            update.seq for update in updates if update.seq % 8 == 0 or update.seq >= over
        ]
        assert over > 8, "there are frames of each kind"
        assert over % 8, "its hash is told because the match is over"
        assert await snapshot_head(table, audience) == told[-1]


async def test_an_entry_that_an_audience_does_not_notice_leaves_its_head(rooms: Rooms) -> None:
    table = await begun(rooms)
    await table.deploy()  # there is no cached snapshot any more
    before = {audience: await snapshot_head(table, audience) for audience in table.listeners}
    assert isinstance(await table.room.say("red", "", Say("say-00001", "Left, then.", "side")), Accepted)
    after = {audience: await snapshot_head(table, audience) for audience in table.listeners}
    assert after["red"] != before["red"]
    assert (after["blue"], after[""]) == (before["blue"], before[""])
    # The next entry for all audiences follows from that one too.
    await table.room.say("blue", "", Say("say-00002", "Well?"))
    assert len({await snapshot_head(table, audience) for audience in table.listeners} - set(after.values())) == 1


async def test_only_heads_of_the_log_are_known(rooms: Rooms, store: MatchStore) -> None:
    table = await begun(rooms)
    await table.deploy()
    for head in heads(table.listeners["red"]):
        assert await table.room.check_head(asked(head)) == Accepted("c")
    entries = await entries_of(store, table.room.match)
    hashes = b"".join(map(digest, entries))
    for other in (bytes(32), hashes[1:33], digest(hashes)):
        refused = await table.room.check_head(asked(other))
        assert isinstance(refused, Refused)
        assert refused.code == "other_log"


async def test_a_head_that_another_server_just_told_is_known_here(store: MatchStore, valkey_url: str) -> None:
    async with MatchStore(valkey_url) as other, rooms_on(store) as here, rooms_on(other) as there:
        table = await begun(here)
        room = await there.get(table.room.match)
        assert room is not None
        room._writer._follower.close()  # it no longer receives notices
        await table.deploy()
        head = await snapshot_head(table, "red")
        assert not room._referee.fold.holds(head)
        assert await room.check_head(asked(head)) == Accepted("c")


async def test_the_heads_of_a_replaced_log_are_not_known(store: MatchStore) -> None:
    """The operator gives a match another log while no client is connected."""
    async with rooms_on(store) as rooms:
        table = await begun(rooms)
        told = [heads(table.listeners["red"])[0], await snapshot_head(table, "red")]
        match = table.room.match
        entries = await entries_of(store, match)
    meta = await store.get_meta(match)
    await store.remove(match, len(entries))
    await store.command("DEL", f"uf:{{{match}}}:meta")
    await store.restore(match, 1, meta, entries[:-1], {})
    async with rooms_on(store) as rooms:
        room = await rooms.get(match)
        assert room is not None
        refused = await room.check_head(asked(told[-1]))
        assert isinstance(refused, Refused)
        assert refused.code == "other_log"
        assert await room.check_head(asked(told[0])) == Accepted("c")


async def test_an_unknown_head_is_not_judged_while_the_database_is_away(store: MatchStore, rooms: Rooms) -> None:
    table = await begun(rooms)
    known = heads(table.listeners["red"])[-1]
    store.block("It is away.")
    assert await table.room.check_head(asked(known)) == Accepted("c")
    refused = await table.room.check_head(asked(bytes(32)))
    assert isinstance(refused, Refused)
    assert refused.code == "database_away"


def test_a_fold_accepts_only_whole_hashes() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    fold = in_memory.referee.fold
    hashes = [digest(entry) for entry in in_memory.entries]
    assert all(fold.holds(one) for one in hashes)
    assert not fold.holds(hashes[0][:16])
    assert not fold.holds(hashes[0][16:] + hashes[1][:16])
    assert not fold.holds(b"")
