"""Matches that are not played any more are warned of, concluded at the date that was told, and archived; a move keeps them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass
from pathlib import Path

import pytest
from msgspec.structs import replace

from client_protocol.clocks import ClockTerms
from client_protocol.from_client import MakeOffer, Say
from client_protocol.from_server import Accepted, Refused, Update
from client_protocol.view import View
from server.kernel.belief import SPECTATORS
from server.matches.archive_folder import ArchiveFolder
from server.matches.archiver import ArchiveStore
from server.matches.dormant import LOOK_SECONDS, Dormant
from server.matches.log.audiences import audience_of
from server.matches.log.match_file import export
from server.matches.play.dormancy import DAY_MS, Dormancy
from server.matches.rooms import Rooms
from server.matches.verify.match_file import verify
from server.store.errors import MatchClosed
from server.store.key_names import DORMANT_LEASE
from server.store.store import MatchStore
from tests.support.room import AUDIENCES, DUEL, Hands, Table, begun, entries_of, eventually, made, never, rooms_on
from tests.support.toy_rules import ToyRules

DAY = DAY_MS / 1000
POLICY = Dormancy(90, 14)
NOW = 20_000 * DAY_MS
CLAIMED = ClockTerms("correspondence", 3600, at_zero="claim")


@dataclass
class Server:
    """A server of the database, and what it looks for."""

    rooms: Rooms
    dormant: Dormant


@pytest.fixture
def hands() -> Hands:
    return Hands(now=NOW)


@pytest.fixture
async def archive_store(valkey_url: str, tmp_path: Path) -> AsyncIterator[ArchiveStore]:
    async with ArchiveStore(valkey_url, ArchiveFolder(tmp_path)) as opened:
        yield opened


@pytest.fixture
async def server(archive_store: ArchiveStore, hands: Hands) -> AsyncIterator[Server]:
    async with AsyncExitStack() as stack:
        yield await started(stack, archive_store, hands)


@pytest.fixture
async def other(valkey_url: str, archive_store: ArchiveStore, hands: Hands, server: Server) -> AsyncIterator[Server]:
    """A second server on the same database and folder."""
    assert server.rooms is not None
    async with AsyncExitStack() as stack:
        store = await stack.enter_async_context(ArchiveStore(valkey_url, archive_store.files))
        yield await started(stack, store, hands)


async def started(stack: AsyncExitStack, store: ArchiveStore, hands: Hands) -> Server:
    rooms = await stack.enter_async_context(rooms_on(store, ToyRules(rounds=6), hands=hands))
    dormant = Dormant(store, rooms.get, POLICY, lambda: hands.now, never)
    return Server(rooms, await stack.enter_async_context(dormant))


def view(table: Table, audience: str = "") -> View:
    return table.room.teller.snapshot(audience_of(audience)).view


def told(table: Table, audience: str) -> list[str]:
    """Return what the log of an audience says."""
    updates = [message for message in table.listeners[audience].messages if isinstance(message, Update)]
    return [line.text for update in updates for line in update.story]


async def test_a_silent_match_is_warned_of_and_all_are_told_the_date(
    server: Server, archive_store: MatchStore, hands: Hands
) -> None:
    table = await begun(server.rooms)
    hands.move(76 * DAY - 1)
    assert await server.dormant.look() == 0
    hands.move(1)
    assert await server.dormant.look() == 1
    assert await server.dormant.look() == 0
    for audience in AUDIENCES:
        assert [line for line in told(table, audience) if "concludes this match" in line] == [
            "The server concludes this match on 2025-01-02 00:00 UTC, unless it is played before: it was silent for long."
        ]
        # Those who come later see it in what they are sent first.
        assert view(table, audience).concludes == NOW + 90 * DAY_MS
    report = verify(export(await entries_of(archive_store, table.room.match)), lambda _edition: ToyRules(rounds=6))
    assert report.ended == ""


async def test_at_the_date_it_is_concluded_without_a_winner_and_archived(
    server: Server, archive_store: ArchiveStore, hands: Hands
) -> None:
    table = await begun(server.rooms)
    match = table.room.match
    hands.move(76 * DAY)
    await server.dormant.look()
    hands.move(14 * DAY - 1)
    assert await server.dormant.look() == 0
    assert not table.room.over
    hands.move(1)
    assert await server.dormant.look() == 1
    result = view(table).result
    assert result is not None
    assert (result.winner, result.how) == ("", "abandonment")
    assert "Nothing happened in this match for 90 days" in result.reason
    assert result.reason in told(table, "red")
    assert view(table).concludes == 0
    data = archive_store.files.load(match)
    assert data is not None
    assert verify(data, lambda _edition: ToyRules(rounds=6)).ended == result.reason
    with pytest.raises(MatchClosed):
        await archive_store.check_open(match)
    assert await server.dormant.look() == 0


@pytest.mark.parametrize("how", ["answer", "chat", "offer"])
async def test_what_a_player_does_after_the_warning_cancels_it(server: Server, hands: Hands, how: str) -> None:
    table = await begun(server.rooms)
    hands.move(80 * DAY)
    await server.dormant.look()
    hands.move(13 * DAY)
    if how == "answer":
        await table.give("red", table.default("red"))
    elif how == "chat":
        assert isinstance(await table.room.say("red", "", Say("said-0001", "I am back.")), Accepted)
    else:
        assert isinstance(await table.room.settle_on_desk("red", MakeOffer("offer-001", "draw")), Accepted)
    for audience in AUDIENCES:
        assert view(table, audience).concludes == 0
    hands.move(75 * DAY)
    assert await server.dormant.look() == 0
    hands.move(DAY)
    assert await server.dormant.look() == 1
    assert view(table).concludes == hands.now + 14 * DAY_MS


async def test_a_player_who_moves_at_the_last_moment_is_not_overrun(
    server: Server, other: Server, hands: Hands, archive_store: ArchiveStore
) -> None:
    table = await begun(server.rooms)
    hands.move(76 * DAY)
    await server.dormant.look()
    hands.move(14 * DAY)
    room = await other.rooms.get(table.room.match)
    assert room is not None
    found = len(await entries_of(archive_store, table.room.match))
    await table.give("red", table.default("red"))
    # The other server has found the match before that, and comes too late.
    await eventually(lambda: room.length > found)
    refused = await room.attend_to_dormancy(POLICY, found)
    assert isinstance(refused, Refused)
    assert refused.sentence == "The match is still played."
    assert not table.room.over


async def test_a_policy_that_begins_later_still_gives_all_days_of_the_warning(server: Server, hands: Hands) -> None:
    table = await begun(server.rooms)
    hands.move(1000 * DAY)
    assert await server.dormant.look() == 1
    assert view(table).concludes == hands.now + 14 * DAY_MS
    hands.move(14 * DAY - 1)
    assert await server.dormant.look() == 0


async def test_one_server_of_several_does_it(
    server: Server, other: Server, hands: Hands, archive_store: ArchiveStore
) -> None:
    table = await begun(server.rooms)
    hands.move(80 * DAY)
    assert await server.dormant.look() == 1
    before = await entries_of(archive_store, table.room.match)
    assert await other.dormant.look() == 0
    hands.move(20 * DAY)
    assert await other.dormant.look() == 0
    # The first one ends, or does not answer for two hours: another takes over.
    await archive_store.command("DEL", DORMANT_LEASE)
    assert await other.dormant.look() == 1
    assert await server.dormant.look() == 0
    assert archive_store.files.exists(table.room.match)
    assert len(before) < len(await entries_of(archive_store, table.room.match))


async def test_a_server_that_stops_lets_another_one_look_at_once(
    server: Server, archive_store: ArchiveStore, hands: Hands
) -> None:
    await begun(server.rooms)
    hands.move(80 * DAY)
    async with Dormant(archive_store, server.rooms.get, POLICY, lambda: hands.now, never) as stopping:
        assert await stopping.look() == 1
        assert await archive_store.command("EXISTS", DORMANT_LEASE) == 1
    assert await archive_store.command("EXISTS", DORMANT_LEASE) == 0


async def test_two_servers_that_come_at_once_conclude_a_match_once(
    server: Server, other: Server, hands: Hands, archive_store: ArchiveStore
) -> None:
    table = await begun(server.rooms)
    room = await other.rooms.get(table.room.match)
    assert room is not None
    hands.move(80 * DAY)
    for _ in range(2):
        found = len(await entries_of(archive_store, table.room.match))
        await eventually(lambda found=found: room.length == found)  # type: ignore[misc]
        for one in (table.room, room):
            assert isinstance(await one.attend_to_dormancy(POLICY, found), Accepted | Refused)
        hands.move(20 * DAY)
    report = verify(export(await entries_of(archive_store, table.room.match)), lambda _edition: ToyRules(rounds=6))
    assert "90 days" in report.ended


async def test_a_server_that_stopped_before_archiving_leaves_that_to_the_next_look(
    server: Server, hands: Hands, archive_store: ArchiveStore
) -> None:
    table = await begun(server.rooms)
    hands.move(80 * DAY)
    await server.dormant.look()
    hands.move(20 * DAY)
    with archive_store.files.held() as held:
        assert held
        assert await server.dormant.look() == 1
        assert table.room.over
        assert not archive_store.files.exists(table.room.match)
    assert await server.dormant.look() == 1
    assert archive_store.files.exists(table.room.match)


async def test_a_match_that_ended_otherwise_is_left_to_the_archiver(
    server: Server, hands: Hands, archive_store: ArchiveStore
) -> None:
    table = await begun(server.rooms)
    await table.play_out()
    await eventually(lambda: table.room.published)
    hands.move(1000 * DAY)
    assert await server.dormant.look() == 0
    assert not archive_store.files.exists(table.room.match)


async def test_a_match_that_has_not_begun_is_concluded_too(server: Server, hands: Hands) -> None:
    match = (await made(server.rooms)).match
    for days in (80, 20):
        hands.move(days * DAY)
        assert await server.dormant.look() == 1
    room = await server.rooms.get(match)
    assert room is not None
    assert room.over


async def test_the_clock_gives_the_game_to_the_only_side_with_time_left(
    server: Server, hands: Hands, archive_store: ArchiveStore
) -> None:
    table = await begun(server.rooms, replace(DUEL, clock=CLAIMED))
    await table.give("red", table.default("red"))
    hands.move(80 * DAY)
    # That blue's time is up is no sign of life.
    await table.room.tick()
    hands.move(10 * DAY)
    for _ in range(2):
        await server.dormant.look()
        hands.move(20 * DAY)
    result = view(table).result
    assert result is not None
    assert (result.winner, result.how) == ("red", "time")
    data = archive_store.files.load(table.room.match)
    assert data is not None
    assert verify(data, lambda _edition: ToyRules(rounds=6)).ended == result.reason


async def test_a_clock_that_has_run_out_for_all_gives_the_game_to_no_side(
    server: Server, hands: Hands, archive_store: ArchiveStore
) -> None:
    table = await begun(server.rooms, replace(DUEL, clock=CLAIMED))
    hands.move(80 * DAY)
    for _ in range(2):
        await server.dormant.look()
        hands.move(20 * DAY)
    result = view(table).result
    assert result is not None
    assert (result.winner, result.how) == ("", "abandonment")
    data = archive_store.files.load(table.room.match)
    assert data is not None
    assert verify(data, lambda _edition: ToyRules(rounds=6)).ended == result.reason


async def test_what_only_some_notice_neither_keeps_a_match_nor_shows(server: Server, hands: Hands) -> None:
    table = await begun(server.rooms)
    hands.move(80 * DAY)
    await server.dormant.look()
    shown = view(table, "blue")
    assert isinstance(await table.room.say("red", "", Say("said-0001", "Psst.", "side")), Accepted)
    assert isinstance(await table.room.say(SPECTATORS, "Wim", Say("said-0002", "Dead?", "spectators")), Accepted)
    assert view(table, "blue") == shown
    assert shown.concludes == NOW + 94 * DAY_MS
    hands.move(14 * DAY)
    assert await server.dormant.look() == 1
    assert table.room.over


async def test_a_match_is_not_read_again_before_something_can_be_due(
    server: Server, hands: Hands, archive_store: ArchiveStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    await begun(server.rooms)
    hands.move(80 * DAY)
    assert await server.dormant.look() == 1
    reads: list[str] = []
    read = archive_store.read

    async def counted(match: str, after: int = 0) -> list[tuple[int, bytes]]:
        reads.append(match)
        return await read(match, after)

    monkeypatch.setattr(archive_store, "read", counted)
    for _ in range(3):
        hands.move(LOOK_SECONDS)
        assert await server.dormant.look() == 0
    assert len(reads) == 1
