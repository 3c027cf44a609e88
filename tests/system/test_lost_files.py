"""Files that are deleted under running servers: no acknowledged answer is lost from sight, and answers that cannot be kept
are refused.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
from pathlib import Path

from client_protocol.client import StartPage, Table
from client_protocol.from_server import Refused
from tests.support.servers import ServerProcess, serving, until, valkey_answers, valkey_pid, valkeys
from tests.system.play import Battle, answers, entries, make_match, press_on, token


async def play(battle: Battle, count: int) -> None:
    """Give this many answers, each of which is acknowledged and seen by all audiences."""
    for _ in range(count):
        table = await battle.next()
        assert table is not None, "no side can have won so soon"
        assert table.prompt is not None
        await battle.give(table, press_on(table.view, table.prompt))


async def audit(data_dir: Path, battle: Battle, server: ServerProcess, given: int) -> None:
    """Check that every acknowledged answer is in the log once, and that a new client sees what the others see."""
    assert len(valkeys(data_dir)) == 1
    found = answers(await entries(data_dir, battle.match))
    assert (len(found), len(set(found))) == (given, given)
    for audience, table in battle.tables.items():
        async with Table.sit(server.address, battle.match, token(battle.made, audience)) as fresh:
            assert (fresh.seq, fresh.view) == (table.seq, table.view)


def delete_locks(data_dir: Path) -> None:
    """Delete the lock files, like a user who takes them for leftovers."""
    for name in ("valkey.lock", "users.lock"):
        (data_dir / name).unlink(missing_ok=True)


def delete_all_but_the_log(data_dir: Path) -> None:
    for path in data_dir.glob("valkey.*"):
        path.unlink(missing_ok=True)
    delete_locks(data_dir)


async def test_no_acknowledged_answer_is_lost_when_locks_are_deleted(tmp_path: Path) -> None:
    async with serving(tmp_path) as first:
        made = await make_match(first)
        async with Battle.at(first, made) as battle:
            given = 3
            await play(battle, given)
            for delete, blow in ((delete_locks, "server"), (delete_all_but_the_log, "both"), (delete_locks, "valkey")):
                delete(tmp_path)
                # Requests are still answered while the locks are gone.
                await play(battle, 1)
                async with serving(tmp_path) as second:
                    async with StartPage.open(second.address) as page:
                        await until(lambda: any(info.match == made.match for info in page.matches))
                    await play(battle, 1)
                    await until(lambda: valkey_answers(tmp_path))
                    old = valkey_pid(tmp_path)
                    if blow in {"valkey", "both"}:
                        os.kill(old, signal.SIGKILL)
                    if blow in {"server", "both"}:
                        await asyncio.to_thread(first.kill)
                        await asyncio.to_thread(first.start)
                    await play(battle, 1)
                given += 3
                await until(lambda: valkey_answers(tmp_path))
                await until(lambda: first.health()["ok"] is True)
                await audit(tmp_path, battle, first, given)
    assert valkeys(tmp_path) == []


def _removed(folder: Path) -> bool:
    """Remove a folder; return whether it is gone, since a server may write into it meanwhile."""
    shutil.rmtree(folder, ignore_errors=True)
    return not folder.exists()


async def test_a_deleted_data_folder_is_reported_and_answers_are_refused(tmp_path: Path) -> None:
    home, log = tmp_path / "home", tmp_path / "server.log"
    async with serving(home) as server:
        server._log.rename(log)  # the server goes on writing into the deleted folder
        server._log = log
        made = await make_match(server)
        async with Battle.at(server, made) as battle:
            await play(battle, 2)
            await until(lambda: _removed(home))
            await until(lambda: server.health()["ok"] is False)
            await until(lambda: all(told and told[-1].state == "read_only" for told in battle.statuses.values()))
            assert "lost the folder" in battle.statuses[""][-1].sentence
            table = battle.asked[0]
            assert table.prompt is not None
            async with StartPage.open(server.address) as page:
                refused = await page.make_match(made_edition(page), scenario_of(page), "Ann", ("blue",), {})
            assert isinstance(refused, Refused)
            # A new client is shown the battle as it stands.
            async with Table.sit(server.address, made.match, token(made, table.seat)) as late:
                assert late.view == table.view
            assert " ".join(server.log.split()).count("was deleted, moved or replaced while this server runs") == 1
            # The next server there begins with an empty store, and both stop properly.
            async with serving(home) as second:
                assert second.health()["ok"] is True
                assert server.health()["ok"] is False
                await asyncio.to_thread(server.stop)
                assert second.health()["ok"] is True
                assert isinstance(await make_match(second), type(made))
            await asyncio.to_thread(server.start)


def made_edition(page: StartPage) -> str:
    return page.welcome.editions[0].id


def scenario_of(page: StartPage) -> str:
    return page.welcome.editions[0].scenarios[0].id
