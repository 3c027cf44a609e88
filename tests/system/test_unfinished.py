"""An edition that is not finished is offered by a server that is told so, and by no other.

None need be unfinished: the servers take one for it that is not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from client_protocol.client import StartPage
from client_protocol.from_client import ForkPoint
from client_protocol.from_server import MatchMade, Refused
from server.matches.verify.match_file import verify
from server.rulesets import library
from server.rulesets.library import edition, editions, find
from tests.support.servers import SETTINGS, ServerProcess, serving, until
from tests.support.with_unfinished import EDITION, PROGRAM
from tests.system.play import Battle, make_match

RULESETS = Path(__file__).parents[2] / "server" / "rulesets"
SETUP = next(RULESETS.glob(f"*/{EDITION}/scenarios/*.toml"))
"""A setup of the unfinished edition, as a file."""


async def test_an_unfinished_edition_can_be_played_only_where_the_operator_offers_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = edition(EDITION).info.scenarios[0]
    async with serving(tmp_path / "closed", program=PROGRAM) as server:
        made = await _made(server, EDITION, scenario.id)
        assert isinstance(made, Refused)
        assert f"there is no edition {EDITION!r} here" in made.sentence
    monkeypatch.setitem(SETTINGS, "UNDERFIRE_UNFINISHED", EDITION)
    async with serving(tmp_path / "open", program=PROGRAM) as server:
        match = await make_match(server, scenario.id)
        async with Battle.at(server, match) as battle:
            while await _answer(battle):
                pass
            assert battle.spectator.view.result is not None
        archive = await server.match_file(match.match)
    monkeypatch.delitem(SETTINGS, "UNDERFIRE_UNFINISHED")
    async with serving(tmp_path / "closed", program=PROGRAM) as server, StartPage.open(server.address) as page:
        taken = await page.import_match(archive)
        assert isinstance(taken, Refused)
        assert taken.sentence == f"This server does not offer the edition {EDITION!r}."


async def test_a_match_goes_on_where_its_edition_is_offered_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    scenario = edition(EDITION).info.scenarios[0]
    monkeypatch.setitem(SETTINGS, "UNDERFIRE_UNFINISHED", EDITION)
    async with serving(tmp_path, program=PROGRAM) as server:
        match = await make_match(server, scenario.id)
        async with Battle.at(server, match) as battle:
            for _ in range(12):
                await _answer(battle)
            seen = battle.spectator.seq
    monkeypatch.delitem(SETTINGS, "UNDERFIRE_UNFINISHED")
    async with serving(tmp_path, program=PROGRAM) as server:
        async with Battle.at(server, match) as battle:
            await until(lambda: battle.spectator.seq >= seen)
            while await _answer(battle):
                pass
            assert battle.spectator.view.result is not None
        report = verify(await server.match_file(match.match), find)
        assert (report.match, report.replayed) == (match.match, report.steps)
        async with StartPage.open(server.address) as page:
            setup = SETUP.read_bytes()
            on = await page.make_match("", "", "Ann", ("blue",), fork=ForkPoint(match.match, "", seen))
            begun = await page.make_match("", "", "Ann", ("blue",), setup=setup)
        for new in (on, begun):
            assert isinstance(new, Refused)
            assert f"This match cannot be made: there is no edition {EDITION!r} here" in new.sentence


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


def test_a_server_offers_the_finished_editions_and_those_that_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(library, "UNFINISHED", frozenset({EDITION}))
    assert EDITION not in editions()
    assert list(editions((EDITION,))) == list(library.EDITIONS)
    monkeypatch.undo()
    assert list(editions()) == list(library.EDITIONS)
