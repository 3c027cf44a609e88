"""Games that another server continues, wherever they are cut off: they end there and verify."""

from __future__ import annotations

import pytest

from server.matches.importing import prepare
from server.matches.log.fold import Fold
from server.matches.log.match_file import export
from server.matches.verify.match_file import verify
from server.rulesets.library import edition, editions, find
from tests.archive.games import LIVE, Game

CUTS = 6
"""In how many places a game is cut off."""


@pytest.mark.parametrize("name", editions())
def test_another_server_can_continue_a_game_cut_off_anywhere(name: str) -> None:
    rules = edition(name)
    scenario = rules.info.scenarios[0].id
    game = Game(rules, scenario, 21, clock=LIVE)
    game.ready().finish()
    # The last cut leaves one decision to make.
    last = len(game.entries) - 3
    for cut in range(1, last, last // CUTS):
        before = Fold(game.entries[0])
        for payload in game.entries[1:cut]:
            before.add(payload)
        found = prepare(export(game.entries[:cut]), find, 5, 2000)
        assert list(found.entries[:-1]) == game.entries[:cut]
        there = Game(rules, scenario, 22)
        there.entries = list(found.entries)
        there.secret = found.meta["secret"]
        there.referee = there.again()
        state = there.referee.fold.state
        clock, clock_before = state.desk.clock, before.state.desk.clock
        assert clock is not None
        assert clock_before is not None
        assert (clock.remaining, clock.allowance) == (clock_before.remaining, clock_before.allowance)
        there.ready()
        assert there.referee.trouble == ""
        assert there.referee.ask is not None
        there.finish()
        report = verify(export(there.entries), find)
        assert report.ended
        assert report.replayed == report.steps
        assert [era.checked for era in report.eras] == [False, True]
        assert report.eras[0].dice == sum(before.counters.values())
