"""Two servers over one data directory, and a server that is told to stop."""

from __future__ import annotations

import asyncio
from pathlib import Path

from client_protocol.client import StartPage, Table
from client_protocol.from_client import EnterMatch
from client_protocol.from_server import Accepted, Goodbye, Welcome
from client_protocol.shapes import PROTOCOL
from tests.support.servers import ServerProcess, serving, until, valkey_pid, valkeys
from tests.system.peers import peer_at
from tests.system.play import Battle, answers, entries, make_match, press_on, seats_of, token


async def test_two_servers_serve_one_match_and_it_goes_on_when_one_stops(tmp_path: Path) -> None:
    async with serving(tmp_path) as first:
        async with serving(tmp_path) as second:
            assert len(valkeys(tmp_path)) == 1
            valkey = valkey_pid(tmp_path)
            made = await make_match(first)
            async with (
                StartPage.open(second.address) as page,
                Battle.at(first, made, blue=second.address) as battle,
                Table.sit(second.address, made.match) as other_spectator,
            ):
                await until(lambda: any(info.match == made.match for info in page.matches))
                seats = seats_of(made)
                answered: dict[str, int] = dict.fromkeys(seats, 0)
                while min(answered.values()) < 4:
                    table = await battle.next()
                    assert table is not None, "nobody can have won so soon"
                    assert table.prompt is not None
                    await battle.give(table, press_on(table.view, table.prompt))
                    answered[table.seat] += 1
                # Red has played on one server, blue on the other; both saw everything.
                assert [server.metric("underfire_appended_total") >= 4 for server in (first, second)] == [True, True]
                await until(lambda: other_spectator.seq == battle.spectator.seq)
                assert other_spectator.view == battle.spectator.view
                # Both players chat at the same moment, again and again: one line comes first, and neither is lost.
                for number in range(4):
                    said = await asyncio.gather(*(battle.tables[seat].say(f"{seat} {number}") for seat in seats))
                    assert all(isinstance(reply, Accepted) for reply in said)

                log, links = await entries(tmp_path, made.match), battle.spectator.links
                await asyncio.to_thread(first.kill)
                assert valkeys(tmp_path) == [valkey]
                assert second.health()["ok"] is True
                assert isinstance(await battle.tables["blue"].say("still here"), Accepted)
                # Clients of the stopped server connect to the other one, as they would behind one address.
                for audience in ("red", ""):
                    battle.tables[audience].address = second.address
                await until(lambda: battle.spectator.links > links)
                while min(answered.values()) < 8 and (table := await battle.next()) is not None:
                    assert table.prompt is not None
                    await battle.give(table, press_on(table.view, table.prompt))
                    answered[table.seat] += 1
                await until(lambda: other_spectator.seq == battle.spectator.seq)
                after = await entries(tmp_path, made.match)
                assert after[: len(log)] == log
                assert len(answers(after)) == len(set(answers(after))) == sum(answered.values())
            assert valkeys(tmp_path) == [valkey]
        # The last server to stop shuts Valkey down.
        assert valkeys(tmp_path) == []


async def test_a_stopping_server_says_so_and_all_clients_reconnect(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        made = await make_match(server)
        async with Battle.at(server, made) as battle, peer_at(server) as peer:
            goodbyes = {audience: asyncio.create_task(_goodbye(server, battle, audience)) for audience in battle.tables}
            await peer.ask(EnterMatch(PROTOCOL, made.match, token(made, "red")), Welcome)
            await battle.play_until(lambda prompt: "activate" in {choice.key for choice in prompt.choices}, press_on)
            table = battle.asked[0]
            assert table.prompt is not None
            links = {audience: table.links for audience, table in battle.tables.items()}
            # An answer sent just then is accepted, or sent again to the next server.
            answering = asyncio.create_task(battle.give(table, press_on(table.view, table.prompt)))
            assert await asyncio.to_thread(server.stop) == 0
            assert valkeys(tmp_path) == []
            *_, last = await peer.rest()
            assert isinstance(last, Goodbye)
            assert (last.again, await peer.closed()) == (True, 1012)
            for goodbye in goodbyes.values():
                assert (await goodbye).again
            await asyncio.to_thread(server.start)
            await until(lambda: all(table.links > links[who] for who, table in battle.tables.items()), 10)
            assert isinstance(await answering, Accepted)
            after = await entries(tmp_path, made.match)
            assert len(answers(after)) == len(set(answers(after)))
            await battle.play_until(lambda _prompt: battle.spectator.view.turn >= 2, press_on)


async def _goodbye(server: ServerProcess, battle: Battle, audience: str) -> Goodbye:
    """Return the server's last message at a table of its own in this audience, after all others were received."""
    async with Table.sit(server.address, battle.match, token(battle.made, audience)) as table:
        async for event in table:
            if isinstance(event, Goodbye):
                return event
    raise AssertionError("it ended without a word")
