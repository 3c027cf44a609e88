"""Clocks of real servers that are killed, are away for a day, or run in pairs. Tests move the time where it is stored, in the
database.
"""

from __future__ import annotations

import asyncio
from pathlib import Path

from client_protocol.client import Table
from client_protocol.clocks import ClockTerms, ClockView
from client_protocol.from_server import Accepted
from server.matches.log.entries import Stepped, TakenBack, decode
from server.store.embedded import EmbeddedValkey
from server.store.store import MatchStore
from tests.support.servers import serving, until
from tests.system.play import Battle, entries, make_match, token

HOUR = 3_600_000
LIVE = ClockTerms("live", bank=3600, increment=0, allowance=600)
LETTERS = ClockTerms("correspondence", bank=3600)


async def turn(data_dir: Path, field: str, by: int) -> None:
    """Add `by` ms to a field of the stored up-time: `ms` is its value, `at` the time of its last beat."""
    async with MatchStore(EmbeddedValkey(data_dir).url) as store:
        await store.command("HINCRBY", b"uf:up", field, by)


def clock(table: Table) -> ClockView:
    found = table.view.clock
    assert found is not None
    return found


def left(battle: Battle) -> dict[str, int]:
    """Return the time that each seat has left now (ms), as a player's client calculates it."""
    table = next(iter(battle.tables.values()))
    return {seat: left.remaining for seat, left in table.time_left().items()}


async def decide(battle: Battle) -> Table:
    """Give the default answer for one of the asked seats, and return its table."""
    table = await battle.next()
    assert table is not None, "the match cannot be over yet"
    assert table.prompt is not None
    await battle.give(table, table.prompt.default)
    return table


async def test_no_time_passes_for_players_while_no_server_runs(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made = await make_match(server, clock=LIVE)
        async with Battle.at(server, made) as battle:
            await until(lambda: bool(battle.asked))
            links = {audience: table.links for audience, table in battle.tables.items()}
            await asyncio.to_thread(server.kill)
            # As if no server had read the clock for a day.
            await turn(tmp_path, "at", -24 * HOUR)
            await asyncio.to_thread(server.start)
            await until(lambda: all(table.links > links[audience] for audience, table in battle.tables.items()))
            table = await decide(battle)
            assert min(clock(table).remaining.values()) > HOUR - 60_000
            assert sum(left(battle).values()) > 2 * HOUR - 120_000


async def test_the_default_is_played_when_time_runs_out_without_any_connection(tmp_path: Path) -> None:
    async with serving(tmp_path) as first, serving(tmp_path):
        made = await make_match(first, clock=LETTERS)
        async with Battle.at(first, made) as battle:
            await until(lambda: bool(battle.asked))
        before = len(await entries(tmp_path, made.match))
        await turn(tmp_path, "ms", HOUR)
        async with Table.sit(first.address, made.match) as spectator:
            await until(lambda: spectator.seq >= before)
        bodies = [decode(n, payload).body for n, payload in enumerate(await entries(tmp_path, made.match), 1)]
        steps = [body for body in bodies if isinstance(body, Stepped)]
        # Two servers polled, and one of them answered, once.
        assert [step.played for step in steps if step.picked is not None] == ["time"]


async def test_a_player_who_changes_servers_is_not_away(tmp_path: Path) -> None:
    async with serving(tmp_path) as first, serving(tmp_path) as second:
        made = await make_match(first, clock=LIVE)
        async with Battle.at(first, made) as battle:
            await until(lambda: bool(battle.asked))
            spectator = battle.spectator
            async with Table.sit(second.address, made.match, token(made, "red")):
                battle.tables["red"].address = second.address
                links = battle.tables["red"].links
                await asyncio.to_thread(first.kill)
                battle.tables["blue"].address = spectator.address = second.address
                await until(lambda: battle.tables["red"].links > links)
                await until(lambda: battle.tables["blue"].prompt is not None or battle.tables["red"].prompt is not None)
                assert clock(battle.tables["red"]).away == ()
                await decide(battle)


async def test_an_agreement_outlives_the_server_that_received_it(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made = await make_match(server)
        async with Battle.at(server, made) as battle:
            await decide(battle)
            await decide(battle)
            asker = await decide(battle)
            # The other seat decides too, so that a take-back needs consent.
            while (await decide(battle)) is asker:
                pass
            other = next(table for table in battle.tables.values() if table.seat not in ("", asker.seat))
            assert asker.view.seats[asker.seat].take_back == "consent"
            assert isinstance(await asker.take_back(), Accepted)
            await until(lambda: bool(other.view.offers))
            await asyncio.to_thread(server.kill)
            await asyncio.to_thread(server.start)
            await until(lambda: bool(other.view.offers))
            ((key, offer),) = other.view.offers.items()
            assert offer.text, "what would return is told"
            assert isinstance(await other.respond(key, accept=True), Accepted)
            await until(lambda: asker.prompt is not None and not other.view.offers)
        bodies = [decode(n, payload).body for n, payload in enumerate(await entries(tmp_path, made.match), 1)]
        assert sum(isinstance(body, TakenBack) for body in bodies) == 1
