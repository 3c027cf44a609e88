"""A backup of a server that runs, restored elsewhere: its players come back to their seats, and go on."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.servers import serving, underfire
from tests.system.play import Battle, entries, make_match


async def test_players_go_on_where_they_were_on_a_restored_server(tmp_path: Path) -> None:
    here, there, file = tmp_path / "here", tmp_path / "there", tmp_path / "all.backup"
    async with serving(here) as server:
        made = [await make_match(server) for _ in range(3)]
        async with Battle.at(server, made[0]) as battle:
            await battle.press_on(6)
            done = underfire("backup", file, "--data-dir", here)
            assert done.returncode == 0, done.stderr
            assert "3 matches" in done.stdout
            view, log = battle.spectator.view, await entries(here, made[0].match)
    refused = underfire("restore", file, "--data-dir", here)
    assert refused.returncode == 1
    assert "There are matches in this database already" in refused.stderr
    done = underfire("restore", file, "--data-dir", there)
    assert done.returncode == 0, done.stderr
    assert "3 matches restored" in done.stdout
    # The key is kept apart, as the command says.
    assert "signing.pem" in done.stdout
    shutil.copy2(here / "signing.pem", there)
    async with serving(there) as server:
        assert (await entries(there, made[0].match))[: len(log)] == log
        async with Battle.at(server, made[0]) as battle:
            assert battle.spectator.view.units == view.units
            await battle.press_on(1)


def test_what_is_no_backup_is_refused_in_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "photo.jpg").write_bytes(b"not a backup")
    done = underfire("restore", tmp_path / "photo.jpg", "--data-dir", tmp_path / "data")
    assert (done.returncode, "is no backup of Underfire" in done.stderr) == (1, True)
    assert not (tmp_path / "data").exists()
    missing = underfire("backup", tmp_path / "all.backup", "--data-dir", tmp_path / "nothing")
    assert missing.returncode == 1
    assert "No data of an Underfire server" in missing.stderr
