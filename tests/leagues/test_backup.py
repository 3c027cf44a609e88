"""Leagues come back from a backup, and go on."""

from __future__ import annotations

from pathlib import Path

import pytest

from client_protocol.leagues import PairRound
from server.leagues.errors import ActError
from server.matches.archive_folder import ArchiveFolder
from server.matches.archiver import ArchiveStore
from server.matches.backup import back_up, check, restore
from server.store.store import MatchStore
from tests.leagues.conftest import Server, server_on
from tests.support.player_keys import ADA, BO
from tests.support.room import eventually, rooms_on
from tests.support.valkey import valkey


async def test_a_league_comes_back_from_a_backup_and_goes_on(store: MatchStore, server: Server, tmp_path: Path) -> None:
    league = await server.gathered(ADA, BO)
    await server.act(league.id, ADA, PairRound(0), id_="pair-round-1")
    shown = await server.leagues.show(league.id, ADA.key)
    table = await server.seated(league.id, shown.fixtures[0])
    await back_up(store, None, tmp_path / "all.backup", "1", 1)
    (tmp_path / "other").mkdir()
    async with (
        valkey(tmp_path / "other") as url,
        ArchiveStore(url, ArchiveFolder(tmp_path / "archive")) as empty,
        rooms_on(empty, hands=server.hands) as rooms,
    ):
        await restore(empty, empty.files, check(tmp_path / "all.backup"))
        back = server_on(empty, rooms, server.hands)
        assert await back.leagues.show(league.id, ADA.key) == await server.leagues.show(league.id, ADA.key)
        # What was answered once stays answered, and invites and seats are the same.
        assert (await back.act(league.id, ADA, PairRound(0), id_="pair-round-1")).round == 1
        with pytest.raises(ActError, match="has begun meanwhile"):
            await back.act(league.id, ADA, PairRound(0))
        for key in (ADA.key, BO.key):
            assert await back.leagues.seat("s", league.id, key, 1) == await server.leagues.seat("s", league.id, key, 1)
        room = await rooms.get(table.room.match)
        assert room is not None
        again = type(table)(room)
        await again.play_out()
        await eventually(lambda: room.published)
        await back.pass_(5)
        assert (await back.leagues.show(league.id, BO.key)).fixtures[0].state == "over"
        assert (await server.leagues.show(league.id, BO.key)).fixtures[0].state == "played"
