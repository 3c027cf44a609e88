"""Results of matches that were archived before their league looked at them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from client_protocol.leagues import PairRound
from server.matches.archive_folder import ArchiveFolder
from server.matches.archiver import DAY_MS, Archiver, ArchiveStore
from tests.leagues import fought
from tests.leagues.conftest import Server, server_on
from tests.rulesets.fad5.battlefield import fad5
from tests.support.player_keys import ADA, BO
from tests.support.room import Hands, eventually, rooms_on

NOW = 1_795_824_392_000


@pytest.fixture
async def archive_store(valkey_url: str, tmp_path: Path) -> AsyncIterator[ArchiveStore]:
    async with ArchiveStore(valkey_url, ArchiveFolder(tmp_path)) as opened:
        yield opened


async def archived(store: ArchiveStore, server: Server, match: str) -> None:
    """Archive a match that is over."""
    server.hands.move(31 * DAY_MS / 1000)
    assert await Archiver(store, store.files, 30, lambda: server.hands.now).look() == 1
    assert await store.length(match) == 0


async def result_is_taken(store: ArchiveStore, server: Server, league: str, match: str) -> None:
    """Archive a match, look after its league, and check that its result came in."""
    await archived(store, server, match)
    await server.pass_(5)
    (fixture,) = (await server.leagues.show(league, ADA.key)).fixtures
    assert (fixture.state, fixture.match, bool(fixture.reason)) == ("over", match, True)


@pytest.mark.parametrize("looked", [False, True])
async def test_a_result_is_taken_from_an_archived_match(archive_store: ArchiveStore, *, looked: bool) -> None:
    hands = Hands(now=NOW)
    async with rooms_on(archive_store, hands=hands) as rooms:
        server = server_on(archive_store, rooms, hands)
        league = await server.gathered(ADA, BO)
        begun = await server.act(league.id, ADA, PairRound(0))
        table = await server.seated(league.id, begun.fixtures[0])
        if looked:
            await server.pass_(5)
        await table.play_out()
        await eventually(lambda: table.room.published)
        if looked:
            # The server that looked at the match before runs on.
            await result_is_taken(archive_store, server, league.id, table.room.match)
            return
    async with rooms_on(archive_store, hands=hands) as rooms:
        await result_is_taken(archive_store, server_on(archive_store, rooms, hands), league.id, table.room.match)


async def test_losses_are_taken_from_an_archived_match(archive_store: ArchiveStore) -> None:
    hands, rules = Hands(now=NOW), fad5()
    async with rooms_on(archive_store, rules, hands=hands) as rooms:
        server = server_on(archive_store, rooms, hands, rules)
        league = await fought.gathered(server)
        begun = await server.act(league.id, ADA, PairRound(0))
        table = await server.seated(league.id, begun.fixtures[0])
        # No server looks after the league until the match is archived.
        server.keeping.look = nothing  # type: ignore[method-assign]
        await fought.fight(server, table)
    async with rooms_on(archive_store, rules, hands=hands) as rooms:
        other = server_on(archive_store, rooms, hands, rules)
        await result_is_taken(archive_store, other, league.id, table.room.match)
        shown = await other.leagues.show(league.id, ADA.key)
        assert [one.steps for one in shown.players] == [1, 1]
        assert shown.fixtures[0].luck


async def nothing() -> None:
    """Look after no league."""
