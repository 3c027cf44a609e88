"""Uploads: parts in order, few and small, forgotten when they are used or their connection ends."""

from __future__ import annotations

import pytest

from client_protocol.from_client import CheckSetup, EnterLobby, ImportMatch, MakeMatch, Upload
from client_protocol.from_server import Accepted, Matches, MatchesChanged, MatchMade, Refused, SetupChecked, Welcome
from client_protocol.shapes import PROTOCOL
from server.gateway.uploads import AGE, LARGEST, Shelf, Uploads
from tests.gateway.conftest import Clock, Connect
from tests.gateway.fakes import FakeRooms

PART = 12_000


def part(number: int, of: int, data: bytes = b"x", name: str = "u") -> Upload:
    return Upload(f"{name}-{number}", name, number, of, data)


def whole(uploads: Uploads, data: bytes, name: str = "u") -> None:
    pieces = [data[start : start + PART] for start in range(0, len(data), PART)]
    for number, piece in enumerate(pieces):
        assert uploads.add(part(number, len(pieces), piece, name)) == Accepted(f"{name}-{number}")


def refused(found: object) -> str:
    assert isinstance(found, Refused), found
    assert found.sentence.endswith(".")
    return f"{found.code}: {found.sentence}"


def test_parts_make_the_whole_which_is_used_once() -> None:
    uploads = Uploads(Shelf(Clock()))
    data = bytes(range(256)) * 200
    whole(uploads, data)
    assert uploads.take("1", "u") == data
    assert "no_upload" in refused(uploads.take("2", "u"))


def test_parts_come_in_order() -> None:
    uploads = Uploads(Shelf(Clock()))
    assert "has not begun" in refused(uploads.add(part(1, 3)))
    uploads.add(part(0, 3, b"a"))
    assert "part 2 of 3 comes next" in refused(uploads.add(part(2, 3)))
    assert "part 2 of 3 comes next" in refused(uploads.add(part(1, 4)))
    assert "no part 4 of 3" in refused(uploads.add(part(3, 3)))
    assert "not complete: 1 of 3" in refused(uploads.take("1", "u"))
    uploads.add(part(1, 3, b"b"))
    uploads.add(part(2, 3, b"c"))
    assert "it is complete" in refused(uploads.add(part(2, 3)))
    assert uploads.take("1", "u") == b"abc"


def test_the_first_part_begins_anew() -> None:
    uploads = Uploads(Shelf(Clock()))
    uploads.add(part(0, 2, b"old"))
    uploads.add(part(0, 1, b"new"))
    assert uploads.take("1", "u") == b"new"


def test_a_connection_keeps_one_upload_at_a_time() -> None:
    shelf = Shelf(Clock())
    uploads = Uploads(shelf)
    whole(uploads, b"x" * PART, "first")
    uploads.add(part(0, 2, b"y", "second"))
    assert shelf.held == 1
    assert "no_upload" in refused(uploads.take("1", "first"))
    assert "has not begun" in refused(uploads.add(part(1, 2, name="first")))
    uploads.add(part(1, 2, b"z", "second"))
    assert uploads.take("1", "second") == b"yz"
    whole(uploads, b"y", "more")
    uploads.clear()
    assert "no_upload" in refused(uploads.take("1", "more"))
    assert shelf.held == 0


def test_an_upload_has_its_bounds_and_what_was_refused_is_forgotten() -> None:
    shelf = Shelf(Clock())
    uploads = Uploads(shelf)
    data = b"x" * (LARGEST + 1)
    of = -(-len(data) // PART)
    for number in range(of - 1):
        uploads.add(part(number, of, data[:PART]))
    assert "8 MiB" in refused(uploads.add(part(of - 1, of, data[(of - 1) * PART :])))
    assert "no_upload" in refused(uploads.take("1", "u"))
    assert shelf.held == 0
    whole(uploads, b"x" * LARGEST, "large")
    # Beginning anew does not count what it replaces.
    whole(uploads, b"x" * LARGEST, "large")
    assert len(uploads.take("1", "large")) == LARGEST  # type: ignore[arg-type]  # not refused


def test_all_connections_together_have_their_bound() -> None:
    shelf = Shelf(Clock(), room=25_000)
    one, other = Uploads(shelf), Uploads(shelf)
    whole(one, b"x" * 20_000)
    assert "as many uploads as it can" in refused(other.add(part(0, 1, b"x" * 6_000)))
    assert shelf.held == 20_000
    assert one.take("1", "u") == b"x" * 20_000
    whole(other, b"x" * 20_000)
    assert shelf.held == 20_000


def test_an_unused_upload_is_dropped_after_a_while() -> None:
    clock = Clock()
    shelf = Shelf(clock)
    early, late = Uploads(shelf), Uploads(shelf)
    whole(early, b"x" * 1000)
    clock.time += AGE - 1
    whole(late, b"y" * 10)
    shelf.sweep()
    assert shelf.held == 1010
    clock.time += 1
    shelf.sweep()
    assert shelf.held == 10
    assert "no_upload" in refused(early.take("1", "u"))
    assert late.take("1", "u") == b"y" * 10
    assert shelf._uploads == {}, "nothing is remembered of those that keep nothing"


async def test_a_setup_is_looked_at_and_made_a_match_of(open_peer: Connect, rooms: FakeRooms) -> None:
    peer, other = await open_peer(), await open_peer()
    for one in (peer, other):
        await one.ask(EnterLobby(PROTOCOL), Welcome)
        await one.expect(Matches)
    await peer.ask(part(0, 2, b"ab"), Accepted)
    await peer.ask(part(1, 2, b"cd"), Accepted)
    # Another connection has uploads of its own.
    assert (await other.ask(CheckSetup("1", "u"), Refused)).code == "no_upload"
    assert (await peer.ask(CheckSetup("2", "u"), SetupChecked)).problem == "4 bytes"
    assert (await peer.ask(CheckSetup("3", "u"), Refused)).code == "no_upload"
    make = MakeMatch("4", "fake", "", "Ann", ("blue",), setup="u")
    assert (await peer.ask(make, Refused)).code == "no_upload"
    assert rooms.matches == []
    await peer.ask(part(0, 1, b"ef"), Accepted)
    await peer.send(make)
    assert {type(await peer.receive()), type(await peer.receive())} == {MatchMade, MatchesChanged}
    await peer.ask(part(0, 1, b"gh"), Accepted)
    assert (await peer.ask(ImportMatch("5", "u"), Refused)).code == "no_import"
    assert rooms.files == [b"abcd", b"ef", b"gh"]


async def test_a_large_file_may_come_without_pauses_and_no_more_than_one(open_peer: Connect, clock: Clock) -> None:
    peer = await open_peer()
    await peer.enter()
    parts = LARGEST // PART + 1
    for number in range(parts):
        await peer.ask(part(number, parts), Accepted)
    for _ in range(900 - parts):
        await peer.ask(part(0, 1), Accepted)
    assert (await peer.ask(part(0, 1), Refused)).code == "rate"
    clock.time += 0.02
    await peer.ask(part(0, 1), Accepted)


async def test_setups_are_looked_at_as_fast_as_one_draws(open_peer: Connect, clock: Clock) -> None:
    peer = await open_peer()
    await peer.enter()
    for number in range(10):
        assert (await peer.ask(CheckSetup(str(number), "u"), Refused)).code == "no_upload"
    assert (await peer.ask(CheckSetup("x", "u"), Refused)).code == "rate"
    clock.time += 0.34
    assert (await peer.ask(CheckSetup("y", "u"), Refused)).code == "no_upload"


@pytest.mark.parametrize("bad", [Upload("1", "u", 0, 1, b"x" * 12_001)])
async def test_a_part_that_is_too_large_is_malformed(open_peer: Connect, bad: Upload) -> None:
    peer = await open_peer()
    await peer.enter()
    assert (await peer.ask(bad, Refused)).code == "invalid"
