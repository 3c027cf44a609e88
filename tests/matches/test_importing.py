"""Importing a match file: an ended match stays whole, any other goes on with other dice."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from client_protocol.clocks import ClockTerms
from client_protocol.codec import pack, unpack
from client_protocol.from_client import Claim, TakeSeat
from client_protocol.from_server import Accepted, MatchMade, Refused, SeatTaken
from server.kernel.desk_facts import ClockSet, DiceRenewed
from server.matches import importing
from server.matches.log.entries import Aside, Envelope, Opened, decode, digest
from server.matches.log.fold import Fold
from server.matches.log.match_file import MatchFile, export
from server.matches.log.secrets import claim, seat_field
from server.matches.log.signatures import OWN_FROM
from server.matches.play.abandonment import Abandonment
from server.matches.rooms import Rooms
from server.matches.verify import bounds
from server.matches.verify.match_file import verify
from server.store.store import MatchStore
from tests.support.playing import MatchInMemory, press_on, whole
from tests.support.room import DUEL, Hands, Table, begun, entries_of, eventually, rooms_on, under_way
from tests.support.toy_rules import ToyRules, force
from tests.support.valkey import valkey

TIMED = replace(DUEL, clock=ClockTerms("live", 600, 5, 30))


def rules_of(edition: str) -> ToyRules | None:
    return ToyRules() if edition == "toy" else None


@pytest.fixture
async def there(tmp_path: Path) -> AsyncIterator[MatchStore]:
    """Another server's empty database."""
    async with valkey(tmp_path) as url, MatchStore(url) as opened:
        yield opened


async def file_of(store: MatchStore, match: str) -> bytes:
    return export(await entries_of(store, match))


async def sit_down(rooms: Rooms, made: MatchMade) -> Table:
    """Take every seat for which there is an invite, and get ready."""
    for given in made.passes:
        seated = await rooms.take_seat(TakeSeat(f"sit-{given.seat}", made.match, given.seat, "Bea", given.invite))
        assert isinstance(seated, SeatTaken), seated
    return await under_way(rooms, made.match)


async def test_an_imported_match_goes_on_from_where_it_stood_to_its_end(store: MatchStore, there: MatchStore) -> None:
    hands = Hands(now=5000, up=1000)
    async with rooms_on(store, hands=hands) as rooms:
        table = await begun(rooms, TIMED)
        await table.deploy()
        hands.move(7)
        await table.give("red", table.choose("red", "2"))
        data = await file_of(store, table.room.match)
    old = unpack(data, MatchFile).entries
    before = Fold(old[0])
    for payload in old[1:]:
        before.add(payload)

    far = Hands(now=9000, up=70_000_000)
    async with rooms_on(there, hands=far) as rooms:
        done = await rooms.import_match("import", data)
        assert isinstance(done, MatchMade), done
        assert [given.seat for given in done.passes] == ["red", "blue"]
        new = await entries_of(there, done.match)
        assert tuple(new[:-1]) == old
        far.move(7200)  # until all seats are taken again
        table = await sit_down(rooms, done)
        # Blue is still asked, red's sealed answer is still there, and no time was lost on the way.
        assert table.asked == ["red", "blue"]
        assert table.prompt("red").answered
        clock = table.room._referee.fold.state.desk.clock
        assert clock is not None
        assert (clock.terms, clock.at) == (TIMED.clock, far.up)
        assert before.state.desk.clock is not None
        assert clock.remaining == before.state.desk.clock.remaining
        far.move(3)
        await table.play_out()
        await eventually(lambda: table.room.published)
        report = verify(await file_of(there, done.match), rules_of)
    assert report.steps == report.replayed
    assert [era.checked for era in report.eras] == [False, True]
    assert report.dice


def fold_of(entries: tuple[bytes, ...]) -> Fold:
    fold = Fold(entries[0])
    for payload in entries[1:]:
        fold.add(payload)
    return fold


async def test_the_dice_counters_of_an_imported_match_go_on(store: MatchStore, there: MatchStore) -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    for _ in in_memory.play(press_on):
        if in_memory.referee.fold.counters.get("", 0) > 2:
            break
    fallen = dict(in_memory.referee.fold.counters)
    async with rooms_on(there) as rooms:
        done = await rooms.import_match("import", export(in_memory.entries))
        assert isinstance(done, MatchMade), done
        table = await sit_down(rooms, done)
        await table.play_out()
        await eventually(lambda: table.room.published)
        report = verify(await file_of(there, done.match), rules_of)
    assert report.eras[0].dice == sum(fallen.values())
    assert report.replayed == report.steps
    assert report.dice


async def test_an_imported_ended_match_stays_the_same_to_the_byte(store: MatchStore, there: MatchStore) -> None:
    async with rooms_on(store) as rooms:
        table = await begun(rooms)
        await table.play_out()
        await eventually(lambda: table.room.published)
        data = await file_of(store, table.room.match)
    async with rooms_on(there) as rooms:
        done = await rooms.import_match("import", data)
        assert isinstance(done, MatchMade), done
        assert done.passes == ()
        room = await rooms.get(done.match)
        assert room is not None
        assert room.published
        assert await rooms.match_file(done.match) == data
        assert [info.state for info in await rooms.listing()] == ["over"]
        again = await rooms.import_match("import", data)
        assert isinstance(again, Refused)
        assert (again.code, again.match) == ("match_exists", done.match)
    # Nor on the server from which it came, which has it already.
    async with rooms_on(store) as rooms:
        refused = await rooms.import_match("import", data)
        assert isinstance(refused, Refused)
        assert refused.code == "match_exists"
        assert await file_of(store, done.match) == data


async def test_a_seat_of_a_match_that_is_over_cannot_be_taken(store: MatchStore, there: MatchStore) -> None:
    async with rooms_on(store) as rooms:
        table = await begun(rooms)
        await table.play_out()
        await eventually(lambda: table.room.published)
        data = await file_of(store, table.room.match)
    assert fold_of(unpack(data, MatchFile).entries).opened.listed
    async with rooms_on(there) as rooms:
        done = await rooms.import_match("import", data)
        assert isinstance(done, MatchMade), done
        for seat in ("red", "blue"):
            refused = await rooms.take_seat(TakeSeat(f"a-random-id-of-sixteen-{seat}", done.match, seat, "Eve"))
            assert isinstance(refused, Refused)
            assert (refused.code, refused.sentence[:20]) == ("match_not_running", "This match is over: ")
        assert not any(field.startswith("token:") for field in await there.get_meta(done.match))
        # A player who asked before the end but is noted only after it is too late as well.
        room = await rooms.get(done.match)
        assert room is not None
        await there.claim_meta(done.match, seat_field("red"), claim("token", "Eve"))
    async with rooms_on(there) as rooms:
        assert await rooms.match_file(done.match) == data, "nothing was added when the match was loaded"


async def test_seats_of_an_imported_match_need_invites_and_take_no_forces(store: MatchStore, there: MatchStore) -> None:
    async with rooms_on(store) as rooms:
        table = await begun(rooms)
        await table.deploy()
        data = await file_of(store, table.room.match)
    async with rooms_on(there) as rooms:
        done = await rooms.import_match("import", data)
        assert isinstance(done, MatchMade), done
        assert done.match in [info.match for info in await rooms.listing()], "it was listed, and is here"
        red = done.passes[0]
        stranger = await rooms.take_seat(TakeSeat("sit-1", done.match, red.seat, "Eve"))
        assert isinstance(stranger, Refused)
        assert stranger.code == "wrong_invite"
        late = await rooms.take_seat(TakeSeat("sit-2", done.match, red.seat, "Bea", red.invite, force("Light")))
        assert isinstance(late, Refused)
        assert late.code == "force"
        assert isinstance(await rooms.take_seat(TakeSeat("sit-3", done.match, red.seat, "Bea", red.invite)), SeatTaken)


async def test_an_imported_match_drops_old_tokens_and_knows_old_answers(store: MatchStore, there: MatchStore) -> None:
    async with rooms_on(store) as rooms:
        table = await begun(rooms)
        answer = table.default("red")
        await table.give("red", answer)
        data = await file_of(store, table.room.match)
        tokens = await store.get_meta(table.room.match)
    async with rooms_on(there) as rooms:
        done = await rooms.import_match("import", data)
        assert isinstance(done, MatchMade), done
        meta = await there.get_meta(done.match)
        assert meta["secret"] != tokens["secret"]
        assert not any(field.startswith("token:") for field in meta)
        taken = await rooms.take_seat(TakeSeat("sit-red", done.match, "red", "Eve", "x" * 32))
        assert isinstance(taken, Refused)
        table = await sit_down(rooms, done)
        # An answer sent again, because its result was lost on the other server, is known and not played twice.
        before = len(await entries_of(there, done.match))
        await table.give("red", answer)
        assert len(await entries_of(there, done.match)) == before


async def test_an_imported_match_counts_as_abandoned_from_when_all_seats_are_taken_again(there: MatchStore) -> None:
    far = Hands(up=10**9)
    async with rooms_on(there, hands=far, abandonment=Abandonment("claim", 3600)) as rooms:
        done = await rooms.import_match("import", export(unfinished().entries))
        assert isinstance(done, MatchMade), done
        table = await sit_down(rooms, done)
        refused = await table.room.settle_on_desk("red", Claim("claim-001"))
        assert isinstance(refused, Refused)
        assert refused.code == "too_early"
        far.move(3600)
        assert isinstance(await table.room.settle_on_desk("red", Claim("claim-002")), Accepted)


def unfinished() -> MatchInMemory:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.begin()
    return in_memory


def with_opening(in_memory: MatchInMemory, **fields: str) -> bytes:
    """Return the file of a match with a changed first entry and a valid chain."""
    made: list[bytes] = []
    for entry in in_memory.entries:
        envelope = unpack(entry, Envelope)
        if isinstance(envelope.body, Opened):
            envelope = replace(envelope, body=replace(envelope.body, **fields))
        made.append(pack(replace(envelope, prev=digest(made[-1]) if made else bytes(32))))
    return export(made)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"", "no match file"),
        (export(unfinished().entries)[:-1], "not in order"),
        (with_opening(unfinished(), edition="chess"), "edition 'chess', which this server does not have"),
        (with_opening(unfinished(), match="../../etc"), "cannot be a match's id"),
        (export(whole(ToyRules()).entries[:-1]), "secret not published yet"),
    ],
)
async def test_a_file_that_cannot_be_imported_is_refused_with_a_sentence(
    there: MatchStore, data: bytes, what: str
) -> None:
    async with rooms_on(there) as rooms:
        refused = await rooms.import_match("import", data)
        assert isinstance(refused, Refused)
        assert refused.code == "bad_file"
        assert what in refused.sentence
        assert await there.matches() == []


def test_a_file_with_more_entries_than_any_match_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "MOST_ENTRIES", 5)
    with pytest.raises(importing.Unfit, match="at most 5"):
        importing.prepare(export(unfinished().entries), rules_of, 0, 0)


def test_an_import_only_for_viewing_makes_no_invites() -> None:
    found = importing.prepare(export(unfinished().entries), rules_of, 3, 4, invites=False)
    assert found.passes == ()
    assert set(found.meta) == {"secret", OWN_FROM}
    last = decode(1, found.entries[-1]).body
    assert isinstance(last, Aside)
    assert [type(fact) for fact in last.facts] == [DiceRenewed]
    assert not any(isinstance(fact, ClockSet) for fact in last.facts)


def test_an_imported_log_yields_its_answer_ids_with_their_versions() -> None:
    entries = whole(ToyRules()).entries
    found = importing.answers(entries)
    assert found.keys() == fold_of(tuple(entries)).answers.all().keys()
    for answer, version in found.items():
        body = decode(version, entries[version - 1]).body
        assert getattr(body, "answer", "") == answer
