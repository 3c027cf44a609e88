"""`underfire export --league`: the file of a league, out of a database without a running server."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from client_protocol.leagues import Close, LeagueTerms, PairRound
from server.cli import main
from server.leagues.log.league_file import read
from server.leagues.verify.league_file import verify
from server.matches.signing import KeySource, open_signing
from server.store.embedded import EmbeddedValkey
from server.store.store import MatchStore
from tests.leagues.conftest import TERMS, Server, server_on
from tests.support.player_keys import ADA, BO
from tests.support.room import Hands, rooms_on
from tests.support.toy_rules import ToyRules


def on(folder: Path, act: Callable[[Server], Coroutine[Any, Any, str]]) -> str:
    """Do something on a server whose data lies in a folder, and stop it; return what that returns."""

    async def acted() -> str:
        async with EmbeddedValkey(folder) as embedded, MatchStore(embedded.url) as store:
            hands, rules = Hands(now=1_795_824_392_000), ToyRules()
            signing = await open_signing(store, KeySource(file=folder / "signing.pem"))
            async with rooms_on(store, rules, hands=hands) as rooms:
                return await act(server_on(store, rooms, hands, rules, signing.of_log))

    return asyncio.run(acted())


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """The exit code of the command, and what it prints on both ways."""
    code = main([str(word) for word in words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def made(folder: Path, terms: LeagueTerms) -> str:
    async def make(server: Server) -> str:
        league = await server.gathered(ADA, BO, terms=terms)
        await server.act(league.id, ADA, PairRound(0))
        return league.id

    return on(folder, make)


def test_the_file_of_a_league_is_the_one_of_its_page(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    there, file = tmp_path / "there", tmp_path / "league.underfire"
    there.mkdir()
    league = made(there, replace(TERMS, listed=True))
    code, told, _ = run(capsys, "export", "--league", league, file, "--data-dir", there)
    assert (code, "wrote entries 1 to 4" in told) == (0, True)
    assert verify(file.read_bytes(), lambda _edition: ToyRules()).entries == 4

    async def page(server: Server) -> str:
        return (await server.leagues.file(league)).hex()

    assert on(there, page) == file.read_bytes().hex()
    assert len(read(file.read_bytes()).signatures) == 1
    code, _, error = run(capsys, "export", "--league", "none", file, "--data-dir", there)
    assert (code, error) == (1, "underfire: There is no league none.\n")


def test_the_operator_has_the_file_of_a_league_that_is_not_listed(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    there, file = tmp_path / "there", tmp_path / "league.underfire"
    there.mkdir()
    league = made(there, TERMS)
    assert run(capsys, "export", "--league", league, file, "--data-dir", there)[0] == 0
    assert verify(file.read_bytes(), lambda _edition: ToyRules()).entries == 4


def test_the_file_of_a_league_with_hidden_forces_waits_for_its_end(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    there, file = tmp_path / "there", tmp_path / "league.underfire"
    there.mkdir()
    league = made(there, replace(TERMS, options={"hidden_forces": True}))
    code, _, error = run(capsys, "export", "--league", league, file, "--data-dir", there)
    assert (code, "when the league is over: its forces are hidden" in error) == (1, True)
    assert not file.exists()

    async def end(server: Server) -> str:
        return (await server.act(league, ADA, Close())).id

    on(there, end)
    assert run(capsys, "export", "--league", league, file, "--data-dir", there)[0] == 0
    assert verify(file.read_bytes(), lambda _edition: ToyRules()).entries == 5
