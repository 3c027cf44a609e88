"""An edition that is not finished is offered by a server that is told so, and by no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from client_protocol.client import StartPage
from client_protocol.from_client import ForkPoint
from client_protocol.from_server import MatchMade, Refused
from server.matches.verify.match_file import verify
from server.rulesets.library import UNFINISHED, edition, find
from tests.support.servers import SETTINGS, ServerProcess, serving, until
from tests.system.play import Battle, make_match

RULESETS = Path(__file__).parents[2] / "server" / "rulesets"
SCENARIO = {name: next(RULESETS.glob(f"*/{name}/scenarios/*.toml")) for name in UNFINISHED}
"""A setup of each unfinished edition, as a file."""


@pytest.mark.parametrize("name", sorted(UNFINISHED))
async def test_an_unfinished_edition_can_be_played_only_where_the_operator_offers_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    scenario = edition(name).info.scenarios[0]
    async with serving(tmp_path / "closed") as server:
        made = await _made(server, name, scenario.id)
        assert isinstance(made, Refused)
        assert f"there is no edition {name!r} here" in made.sentence
    monkeypatch.setitem(SETTINGS, "UNDERFIRE_UNFINISHED", name)
    async with serving(tmp_path / "open") as server:
        match = await make_match(server, scenario.id)
        async with Battle.at(server, match) as battle:
            while await _answer(battle):
                pass
            assert battle.spectator.view.result is not None
        archive = await server.match_file(match.match)
    monkeypatch.delitem(SETTINGS, "UNDERFIRE_UNFINISHED")
    async with serving(tmp_path / "closed") as server, StartPage.open(server.address) as page:
        taken = await page.import_match(archive)
        assert isinstance(taken, Refused)
        assert taken.sentence == f"This server does not offer the edition {name!r}."


@pytest.mark.parametrize("name", sorted(UNFINISHED))
async def test_a_match_goes_on_where_its_edition_is_offered_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    scenario = edition(name).info.scenarios[0]
    monkeypatch.setitem(SETTINGS, "UNDERFIRE_UNFINISHED", name)
    async with serving(tmp_path) as server:
        match = await make_match(server, scenario.id)
        async with Battle.at(server, match) as battle:
            for _ in range(12):
                await _answer(battle)
            seen = battle.spectator.seq
    monkeypatch.delitem(SETTINGS, "UNDERFIRE_UNFINISHED")
    async with serving(tmp_path) as server:
        async with Battle.at(server, match) as battle:
            await until(lambda: battle.spectator.seq >= seen)
            while await _answer(battle):
                pass
            assert battle.spectator.view.result is not None
        report = verify(await server.match_file(match.match), find)
        assert (report.match, report.replayed) == (match.match, report.steps)
        async with StartPage.open(server.address) as page:
            setup = SCENARIO[name].read_bytes()
            on = await page.make_match("", "", "Ann", ("blue",), fork=ForkPoint(match.match, "", seen))
            begun = await page.make_match("", "", "Ann", ("blue",), setup=setup)
        for new in (on, begun):
            assert isinstance(new, Refused)
            assert f"This match cannot be made: there is no edition {name!r} here" in new.sentence


async def _answer(battle: Battle) -> bool:
    """Answer by default for a seat that is asked; returns whether one was."""
    table = await battle.next()
    if table is None:
        return False
    assert table.prompt is not None
    await battle.give(table, table.prompt.default)
    return True


async def _made(server: ServerProcess, name: str, scenario: str) -> MatchMade | Refused:
    """Return a server's reply to a request for a match of an edition that its start page does not offer."""
    async with StartPage.open(server.address) as page:
        assert name not in [offered.id for offered in page.welcome.editions]
        return await page.make_match(name, scenario, "Ann", ("blue",))
