"""What an operator is told of the matches of a server."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.servers import serving, underfire
from tests.system.play import make_match


async def test_matches_are_listed_with_players_and_state(tmp_path: Path) -> None:
    async with serving(tmp_path) as server:
        none = underfire("matches", "--data-dir", tmp_path)
        assert (none.returncode, none.stdout) == (0, "There are no matches.\n")
        first, second = await make_match(server), await make_match(server)
        listed = underfire("matches", "--data-dir", tmp_path)
        assert [line.split()[0] for line in listed.stdout.splitlines()] == [second.match, first.match]
        assert "running" in listed.stdout
        assert "Ann (blue), Ann (red)" in listed.stdout
        rows = [json.loads(line) for line in underfire("matches", "--json", "--data-dir", tmp_path).stdout.splitlines()]
        assert {row["match"] for row in rows} == {first.match, second.match}
        assert all(row["state"] == "running" and row["entries"] >= 1 for row in rows)
        over = underfire("matches", "--state", "over", "--data-dir", tmp_path)
        assert over.stdout == "There are no such matches.\n"
        one = underfire("matches", first.match, "--data-dir", tmp_path)
        assert f"Match {first.match}:" in one.stdout
        assert "It is running" in one.stdout
    unknown = underfire("matches", "nothing", "--data-dir", tmp_path)
    assert unknown.returncode == 1
    assert "There is no match nothing." in unknown.stderr
