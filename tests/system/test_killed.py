"""Processes that are killed in the middle of a close assault, while a player is asked which of his figures fall."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from client_protocol.choices import FiguresParameter, FiguresPicked, Picked, Prompt
from client_protocol.client import Table
from client_protocol.from_client import Answer
from client_protocol.from_server import Accepted
from tests.support.servers import (
    Line,
    ServerProcess,
    serving,
    until,
    valkey_answers,
    valkey_away,
    valkey_pid,
    valkeys,
)
from tests.system.play import Battle, answers, entries, losses, make_match, press_on, token

SECONDS = 12.0
"""How soon all clients must be back; a client waits at most ten seconds between two attempts."""
ATTEMPTS = 6
"""Matches to play until losses are asked for; four assaults out of five ask for them."""


@asynccontextmanager
async def losing(server: ServerProcess, **elsewhere: str) -> AsyncIterator[Battle]:
    """Yield a battle in which at least one player is asked which figures fall. The dice are real, so it may take several
    tries.
    """
    for _ in range(ATTEMPTS):
        async with Battle.at(server, await make_match(server), **elsewhere) as battle:
            if await battle.play_until(losses, press_on):
                yield battle
                return
    pytest.fail("nobody was ever asked to choose losses")


def victims(prompt: Prompt) -> Picked:
    """Return figures other than those that fall by default, so that the answer can be seen to count."""
    parameter = prompt.choices[0].parameters[0]
    assert isinstance(parameter, FiguresParameter), "losses are figures"
    return Picked("losses", (FiguresPicked(parameter.figures[-parameter.least :]),))


def fallen(table: Table, unit: str, picked: Picked) -> bool:
    """Return whether exactly the picked figures of those that stood have fallen."""
    (value,) = picked.values
    assert isinstance(value, FiguresPicked), "losses are figures"
    figures = table.view.units[unit].figures
    return all(figures[key].fallen for key in value.figures)


async def nothing_has_changed(
    server: ServerProcess, battle: Battle, before: dict[str, object], log: list[bytes]
) -> None:
    """Check that each audience sees and is asked the same at a new table, and that the entries are the same."""
    assert await entries(server.data_dir, battle.match) == log
    for audience in battle.tables:
        async with Table.sit(server.address, battle.match, token(battle.made, audience)) as fresh:
            assert fresh.snapshot == before[audience]


async def snapshots(server: ServerProcess, battle: Battle) -> dict[str, object]:
    """Return what each audience sees and is asked at this moment, as a new connection is told it."""
    found: dict[str, object] = {}
    for audience, table in battle.tables.items():
        async with Table.sit(server.address, battle.match, token(battle.made, audience)) as fresh:
            assert (fresh.seq, fresh.prompt, fresh.view) == (table.seq, table.prompt, table.view)
            found[audience] = fresh.snapshot
    return found


async def choose_losses(battle: Battle) -> None:
    """Let every asked player choose, and check that the chosen figures fall."""
    chosen: list[tuple[str, Picked]] = []
    while battle.asked and losses(battle.asked[0].prompt):  # type: ignore[arg-type] # it is asked
        table = battle.asked[0]
        assert table.prompt is not None, "it is asked"
        chosen.append((table.prompt.unit, victims(table.prompt)))
        await battle.give(table, chosen[-1][1])
    assert chosen
    await until(lambda: all(fallen(table, *who) for table in battle.tables.values() for who in chosen))


def kill_server(server: ServerProcess) -> None:
    server.kill()
    server.start()


def kill_both(server: ServerProcess) -> None:
    with server.held():
        os.kill(valkey_pid(server.data_dir), signal.SIGKILL)
        server.kill()
    server.start()


def kill_only_valkey(server: ServerProcess) -> None:
    with valkey_away(server):
        pass


@pytest.mark.parametrize("kill", [kill_server, kill_only_valkey, kill_both])
async def test_the_same_losses_are_asked_for_after_a_crash(
    tmp_path: Path, kill: Callable[[ServerProcess], None]
) -> None:
    async with serving(tmp_path) as server, losing(server) as battle:
        before, log = await snapshots(server, battle), await entries(tmp_path, battle.match)
        links = {audience: table.links for audience, table in battle.tables.items()}
        old = valkey_pid(tmp_path)
        await asyncio.to_thread(kill, server)
        await until(lambda: valkey_answers(tmp_path, but=0 if kill is kill_server else old))
        await until(lambda: server.health()["ok"] is True)
        assert valkeys(tmp_path) == [valkey_pid(tmp_path)]
        if kill is not kill_only_valkey:
            # The tables come back without any help.
            await until(lambda: all(table.links > links[seat] for seat, table in battle.tables.items()), SECONDS)
        await nothing_has_changed(server, battle, before, log)
        await choose_losses(battle)
        after = await entries(tmp_path, battle.match)
        assert after[: len(log)] == log
        assert len(answers(after)) == len(set(answers(after)))
        # And the battle goes on.
        await battle.play_until(lambda _prompt: battle.spectator.view.turn >= 3, press_on)


@pytest.mark.parametrize("heard", [True, False], ids=["taken, and not acknowledged", "not even read"])
async def test_an_answer_without_acknowledgement_is_sent_again_and_counts_once(tmp_path: Path, heard: bool) -> None:
    async with serving(tmp_path) as server, Line.to(server) as blue, Line.to(server) as red:
        lines = {"blue": blue, "red": red}
        async with losing(server, blue=blue.address, red=red.address) as battle:
            log = await entries(tmp_path, battle.match)
            table = battle.asked[0]
            assert table.prompt is not None
            prompt, picked = table.prompt, victims(table.prompt)
            if heard:
                seen = battle.spectator.seq
                lines[table.seat].deaf = True
                answering = asyncio.create_task(table.answer(picked.choice, picked.values, prompt.id))
                await until(lambda: battle.spectator.seq > seen)
                assert len(await entries(tmp_path, battle.match)) > len(log)
                assert not answering.done()
                await asyncio.to_thread(server.kill)
                lines[table.seat].deaf = False
            else:
                with server.held():
                    answering = asyncio.create_task(table.answer(picked.choice, picked.values, prompt.id))
                    await until(lambda: bool(table._requests.open()))
                    await asyncio.to_thread(server.kill)
                assert not answering.done()
            (sent,) = table._requests.open()
            assert isinstance(sent, Answer)
            assert (sent.prompt, sent.choice, sent.values) == (prompt.id, picked.choice, picked.values)
            await asyncio.to_thread(server.start)
            async with asyncio.timeout(SECONDS):
                reply = await answering
            assert isinstance(reply, Accepted)
            await until(lambda: battle.spectator.seq >= reply.seq)
            after = await entries(tmp_path, battle.match)
            assert after[: len(log)] == log
            assert answers(after).count(f"{table.seat}:{sent.id}") == 1
            assert len(answers(after)) == len(answers(log)) + 1
            # Sent again by another connection of the same seat, it gets the same result.
            async with Table.sit(server.address, battle.match, token(battle.made, table.seat)) as again:
                assert await again._ask(sent.id, sent) == reply
            assert await entries(tmp_path, battle.match) == after


async def test_clients_are_told_read_only_while_valkey_is_away_and_live_when_it_is_back(tmp_path: Path) -> None:
    async with serving(tmp_path) as server, losing(server) as battle:
        before, log = await snapshots(server, battle), await entries(tmp_path, battle.match)
        table = battle.asked[0]
        assert table.prompt is not None
        picked = victims(table.prompt)
        with valkey_away(server):
            await until(lambda: all(battle.statuses.values()))
            for told in battle.statuses.values():
                assert told[0].state == "read_only"
                assert told[0].since > 0
                assert told[0].sentence
            assert (server.get("/health").status, server.health()["database"]) == (503, "down")
            # A new connection sees the battle and is told the same.
            late = Table(server.address, battle.match)
            async with late.running():
                assert late.snapshot == before[""]
                statuses = [event async for event in _first(late, 2)]
                assert "read_only" in {getattr(event, "state", "") for event in statuses}
            answering = asyncio.create_task(table.answer(picked.choice, picked.values))
            await until(lambda: bool(table._requests.open()))
            assert not answering.done()
        async with asyncio.timeout(SECONDS):
            assert isinstance(await answering, Accepted)
        await until(lambda: all(told[-1].state == "live" for told in battle.statuses.values()))
        assert server.health()["ok"] is True
        assert valkeys(tmp_path) == [valkey_pid(tmp_path)]
        after = await entries(tmp_path, battle.match)
        assert after[: len(log)] == log
        assert len(answers(after)) == len(answers(log)) + 1
        assert [table.links for table in battle.tables.values()] == [1, 1, 1]


async def _first(table: Table, count: int) -> AsyncIterator[object]:
    """Return the first events of a table."""
    async for event in table:
        yield event
        count -= 1
        if count == 0:
            return
