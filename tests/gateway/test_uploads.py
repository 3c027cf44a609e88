"""Uploads: parts in order, few and small, forgotten when they are used or their connection ends."""

from __future__ import annotations

import pytest

from client_protocol.messages import (
    Accepted,
    CheckSetup,
    EnterLobby,
    ImportMatch,
    MakeMatch,
    Matches,
    MatchMade,
    Refused,
    SetupChecked,
    Upload,
    Welcome,
)
from client_protocol.shapes import PROTOCOL
from server.gateway.uploads import LARGEST, MOST, Uploads
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
    uploads = Uploads()
    data = bytes(range(256)) * 200
    whole(uploads, data)
    assert uploads.take("1", "u") == data
    assert "no_upload" in refused(uploads.take("2", "u"))


def test_parts_come_in_order() -> None:
    uploads = Uploads()
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
    uploads = Uploads()
    uploads.add(part(0, 2, b"old"))
    uploads.add(part(0, 1, b"new"))
    assert uploads.take("1", "u") == b"new"


def test_few_are_kept_at_once() -> None:
    uploads = Uploads()
    for number in range(MOST):
        whole(uploads, b"x", f"u{number}")
    assert "not been used" in refused(uploads.add(part(0, 1, name="more")))
    uploads.take("1", "u0")
    whole(uploads, b"y", "more")
    uploads.clear()
    assert "no_upload" in refused(uploads.take("1", "more"))


def test_all_together_are_bounded_and_what_was_refused_is_forgotten() -> None:
    uploads = Uploads()
    whole(uploads, b"x" * (LARGEST - PART), "large")
    assert uploads.add(part(0, 3, b"x" * PART)) == Accepted("u-0")
    assert "8 MiB" in refused(uploads.add(part(1, 3)))
    assert "no_upload" in refused(uploads.take("1", "u"))
    # Beginning anew does not count what it replaces.
    whole(uploads, b"x" * LARGEST, "large")
    assert len(uploads.take("1", "large")) == LARGEST  # type: ignore[arg-type]  # not refused
    whole(uploads, b"x" * LARGEST, "large")


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
    assert {type(await peer.receive()), type(await peer.receive())} == {MatchMade, Matches}
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


async def test_a_setup_that_takes_long_counts_for_several(
    open_peer: Connect, clock: Clock, rooms: FakeRooms, monkeypatch: pytest.MonkeyPatch
) -> None:
    def slow(id_: str, setup: bytes) -> SetupChecked:
        clock.time += 1
        return SetupChecked(id_)

    monkeypatch.setattr(rooms, "check_setup", slow)
    peer = await open_peer()
    await peer.enter()
    await peer.ask(part(0, 1), Accepted)
    await peer.ask(CheckSetup("1", "u"), SetupChecked)
    assert (await peer.ask(CheckSetup("2", "u"), Refused)).code == "rate"
    # Nine were left, twenty were spent, and three came back meanwhile: nine are missing.
    clock.time += 2.9
    assert (await peer.ask(CheckSetup("3", "u"), Refused)).code == "rate"
    clock.time += 0.2
    assert (await peer.ask(CheckSetup("4", "u"), Refused)).code == "no_upload"


@pytest.mark.parametrize("bad", [Upload("1", "u", 0, 1, b"x" * 12_001)])
async def test_a_part_that_is_too_large_is_malformed(open_peer: Connect, bad: Upload) -> None:
    peer = await open_peer()
    await peer.enter()
    assert (await peer.ask(bad, Refused)).code == "invalid"
