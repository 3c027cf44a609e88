"""An edition that is not finished is offered by a server that is told so, and by no other."""

from __future__ import annotations

from pathlib import Path

import pytest

from client_protocol.client import StartPage
from client_protocol.from_server import MatchMade, Refused
from server.rulesets.library import UNFINISHED, edition
from tests.support.servers import SETTINGS, ServerProcess, serving
from tests.system.play import Battle, make_match


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
            while (table := await battle.next()) is not None:
                assert table.prompt is not None
                await battle.give(table, table.prompt.default)
            assert battle.spectator.view.result is not None
        archive = server.get(f"/matches/{match.match}.underfire")
        assert archive.status == 200
    monkeypatch.delitem(SETTINGS, "UNDERFIRE_UNFINISHED")
    async with serving(tmp_path / "closed") as server, StartPage.open(server.address) as page:
        taken = await page.import_match(archive.body)
        assert isinstance(taken, Refused)
        assert taken.sentence == f"This server does not offer the edition {name!r}."


async def _made(server: ServerProcess, name: str, scenario: str) -> MatchMade | Refused:
    """Return a server's reply to a request for a match of an edition that its start page does not offer."""
    async with StartPage.open(server.address) as page:
        assert name not in [offered.id for offered in page.welcome.editions]
        return await page.make_match(name, scenario, "Ann", ("blue",))
