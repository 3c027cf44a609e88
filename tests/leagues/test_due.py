"""When a league is looked after: at once after each entry, and never too late because of a look that began before it."""

from __future__ import annotations

from client_protocol.leagues import PairRound, Settle
from server.leagues.leagues import LOOK_MS
from tests.leagues.conftest import Server
from tests.support.player_keys import ADA, BO


async def test_a_league_is_looked_after_once_after_each_entry(server: Server) -> None:
    league = await server.gathered(ADA, BO)
    now = server.hands.now
    assert await server.leagues.logs.due(now, 10) == [league.id]
    await server.keeping.look()
    assert await server.leagues.logs.due(now + 10**9, 10) == []
    await server.act(league.id, ADA, PairRound(0))
    assert await server.leagues.logs.due(now, 10) == [league.id]


async def test_what_happens_during_a_look_is_looked_after_next(server: Server, other: Server) -> None:
    league = await server.gathered(ADA, BO)
    await server.act(league.id, ADA, PairRound(0))
    told: list[int] = []

    async def tell(name: str) -> int | None:
        told.append((await server.leagues.fold(name)).number)
        if len(told) == 1:
            await other.act(league.id, ADA, Settle(1, "draw"))
        return None

    server.keeping.told = tell
    await server.pass_(1)
    await server.pass_(1)
    await server.pass_(LOOK_MS)
    assert told == [4, 5]


async def test_who_tells_says_when_to_look_again(server: Server) -> None:
    league = await server.gathered(ADA, BO)
    at = server.hands.now + 5000

    async def tell(_name: str) -> int | None:
        return at

    server.keeping.told = tell
    await server.keeping.look()
    assert await server.leagues.logs.due(at - 1, 10) == []
    assert await server.leagues.logs.due(at, 10) == [league.id]
