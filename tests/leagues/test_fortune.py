"""The luck of players over a season."""

from __future__ import annotations

import pytest

from client_protocol.from_client import AskLuckReport
from client_protocol.from_server import LuckReport
from client_protocol.leagues import PairRound, Settle
from server.leagues.fortune import luck_of
from server.leagues.log.facts import ResultTaken
from server.matches.log.entries import LogError
from server.store.errors import StoreError, StoreUnavailable
from server.work.desk import TooLong
from tests.leagues.conftest import Server
from tests.leagues.test_leagues import begun, played
from tests.support.player_keys import ADA, BO
from tests.support.room import eventually


async def test_the_luck_of_a_match_comes_in_with_its_result(server: Server) -> None:
    league = await begun(server)
    table = await server.seated(league.id, league.fixtures[0])
    while table.asked:
        # Pressing on is the toy's only roll that is luck.
        seat = next(seat for seat in table.asked if not table.prompt(seat).answered)
        choices = {one.key for one in table.prompt(seat).choices}
        await table.give(seat, table.choose(seat, "press") if "press" in choices else table.default(seat))
    await eventually(lambda: table.room.published)
    await server.pass_(5)
    after = await server.leagues.show(league.id, ADA.key)
    (fixture,) = after.fixtures
    report = await table.room.queries.luck_report(AskLuckReport("luck"))
    assert isinstance(report, LuckReport)
    sides = table.room._referee.fold.state.sides.values()
    lucks = [row.luck for row in report.rolls]
    sums = {
        side.seat: sum(
            (one.fell - one.expected) / one.deviation for one in lucks if one.side == side.id and one.deviation
        )
        for side in sides
    }
    # What fell may well come out even.
    assert any(one.deviation for one in lucks)
    assert fixture.luck == tuple(round(100 * sums[seat]) for seat in table.room.seats)
    rows = {one.player: one for one in after.standings}
    assert [(rows[key].luck, rows[key].lucky) for key in fixture.players] == [(one, 1) for one in fixture.luck]


async def test_an_organisers_settling_keeps_the_luck_of_the_match(server: Server) -> None:
    league = await begun(server)
    taken = ResultTaken(1, "draw", luck=(-130, 45))
    await server.leagues.append(league.id, "~result:m", "", lambda _, _at: (taken,))
    after = await server.act(league.id, ADA, Settle(1, "won", BO.key, "A mistake."))
    assert after.fixtures[0].luck == (-130, 45)


async def test_a_match_without_a_roll_that_is_luck_has_none(server: Server) -> None:
    league = await begun(server)
    table = await played(server, league)
    assert await table.room.queries.luck_of_seats() == {}
    await server.pass_(5)
    after = await server.leagues.show(league.id, ADA.key)
    assert after.fixtures[0].state == "over"
    assert after.fixtures[0].luck == ()


async def test_a_fixture_that_was_not_played_has_no_luck(server: Server) -> None:
    league = await server.gathered(ADA, BO)
    league = await server.act(league.id, ADA, PairRound(0))
    settled = await server.act(league.id, ADA, Settle(1, "won", BO.key, "Ada was ill."))
    assert settled.fixtures[0].luck == ()
    assert [one.lucky for one in settled.standings] == [0, 0]


class Match:
    """A match whose luck cannot be found."""

    seats = ("blue", "red")

    def __init__(self, error: Exception) -> None:
        self.error = error

    @property
    def queries(self) -> Match:
        return self

    async def luck_of_seats(self) -> dict[str, int]:
        raise self.error


@pytest.mark.parametrize("error", [TooLong(), LogError(3, "it is damaged"), StoreError("it is damaged")], ids=repr)
async def test_a_result_counts_without_luck_that_cannot_be_found(error: Exception) -> None:
    assert await luck_of(Match(error)) == ()


async def test_while_the_database_is_away_the_result_waits() -> None:
    with pytest.raises(StoreUnavailable):
        await luck_of(Match(StoreUnavailable("it is away")))
