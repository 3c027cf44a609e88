"""Bans and mutes hold on all servers of a database, for as long as they were imposed for, and no longer."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator

import pytest

from server.moderation.sanctions import Sanction, Sanctions
from server.moderation.subjects import AddressSubject, SeatSubject
from server.store.connections import wall_ms
from server.store.key_names import SANCTION_CHANGES, SANCTIONS, sanction_key
from server.store.store import MatchStore
from tests.support.room import Hands, never
from tests.support.valkey import IMPATIENT, Wire

ADDRESS = AddressSubject("192.0.2.7")
SEAT = SeatSubject("m1", "red")
HOUR = 3_600_000


@pytest.fixture
def hands() -> Hands:
    return Hands(now=wall_ms())


@pytest.fixture
async def book(store: MatchStore, hands: Hands) -> AsyncIterator[Sanctions]:
    async with Sanctions(store, lambda: hands.now, never) as opened:
        yield opened


@pytest.fixture
async def other(valkey_url: str, book: Sanctions, hands: Hands) -> AsyncIterator[Sanctions]:
    """The book of a second server. (It requests `book` so that the database is emptied only before.)"""
    assert book.standing == ()
    async with MatchStore(valkey_url) as second, Sanctions(second, lambda: hands.now, never) as opened:
        yield opened


async def test_a_ban_holds_on_every_server_at_its_next_look(book: Sanctions, other: Sanctions) -> None:
    told: list[str] = []
    other.watch(lambda: told.append("changed"))
    made = await book.impose("ban", ADDRESS, HOUR)
    assert book.of("ban", (ADDRESS,)) == made
    assert other.of("ban", (ADDRESS,)) is None
    await other.look()
    assert other.of("ban", (SEAT, ADDRESS)) == made
    assert other.of("mute", (ADDRESS,)) is None
    assert other.of("ban", (SEAT, AddressSubject("192.0.2.8"))) is None
    await other.look()
    assert told == ["changed"]


async def test_a_sanction_ends_by_itself_at_every_server_and_in_the_database(
    book: Sanctions, other: Sanctions, store: MatchStore, hands: Hands
) -> None:
    await book.impose("mute", SEAT, HOUR)
    await book.impose("ban", SEAT)
    await other.look()
    for server in (book, other):
        assert server.of("mute", (SEAT,)) is not None
    left = await store.command("PTTL", sanction_key("mute:seat:m1/red"))
    assert isinstance(left, int)
    assert HOUR - 60_000 < left <= HOUR
    assert await store.command("PTTL", sanction_key("ban:seat:m1/red")) == -1
    hands.move(3600)
    for server in (book, other):
        assert server.of("mute", (SEAT,)) is None
        assert [one.kind for one in server.standing] == ["ban"]


async def test_a_lifted_sanction_is_gone_everywhere_and_leaves_nothing(
    book: Sanctions, other: Sanctions, store: MatchStore
) -> None:
    await book.impose("ban", ADDRESS)
    await other.look()
    assert await other.lift("ban", ADDRESS)
    assert not await other.lift("ban", ADDRESS)
    await book.look()
    assert book.of("ban", (ADDRESS,)) is None
    assert await store.command("KEYS", b"uf:sanction*") == [SANCTION_CHANGES]


async def test_what_is_imposed_again_takes_the_place_of_what_was_there(book: Sanctions, hands: Hands) -> None:
    await book.impose("ban", ADDRESS, HOUR)
    hands.move(60)
    again = await book.impose("ban", ADDRESS)
    assert book.standing == (again,)
    assert again == Sanction("ban", ADDRESS, hands.now)
    assert again.until_when == ""


async def test_names_of_sanctions_that_have_ended_are_dropped(store: MatchStore, book: Sanctions, hands: Hands) -> None:
    # The database's own clock decides what is dropped: this one ended long before it.
    hands.now = 1000
    await book.impose("mute", ADDRESS, 1)
    await book.impose("ban", SEAT)
    assert await store.command("ZRANGE", SANCTIONS, 0, -1) == [b"ban:seat:m1/red"]


async def test_what_is_known_holds_while_the_database_is_away(
    valkey_url: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    async with (
        Wire(valkey_url, tmp_path_factory.mktemp("w")) as wire,
        MatchStore(wire.url, wait_seconds=IMPATIENT) as store,
        Sanctions(store, lambda: 5, never) as book,
    ):
        await book.impose("ban", ADDRESS)
        await wire.cut()
        assert book.of("ban", (ADDRESS,)) is not None


async def test_a_sanction_of_another_version_is_reported_and_skipped(
    store: MatchStore, book: Sanctions, caplog: pytest.LogCaptureFixture
) -> None:
    await store.command("SET", sanction_key("ban:key:abc"), b'{"kind":"ban","subject":{"type":"key"}}')
    await store.command("ZADD", SANCTIONS, "+inf", "ban:key:abc")
    with caplog.at_level(logging.WARNING):
        await book.impose("ban", ADDRESS)
    assert [one.subject for one in book.standing] == [ADDRESS]
    assert "ban:key:abc" in caplog.text
