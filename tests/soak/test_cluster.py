"""Several servers behind one address: one is killed, all are restarted in turn, and no answer is lost."""

from __future__ import annotations

from pathlib import Path

from tests.soak.cluster import cluster

MATCHES = 3
SECONDS = 3.0
"""A length, and nothing that anything is held against."""


async def test_players_behind_one_address_lose_nothing_when_servers_die_and_restart(tmp_path: Path) -> None:
    shown = await cluster(tmp_path, matches=MATCHES, seconds=SECONDS)
    found = shown.auditor.found
    assert not found.wrong, str(shown)
    assert (found.lost, found.doubled) == (0, 0), str(shown)
    assert found.compared["matches"] == shown.auditor.verified == MATCHES, str(shown)
    assert shown.answers, str(shown)
    assert shown.auditor.follower.published, str(shown)
    assert shown.recoveries.keys() == {"kill -9 of a server", "rolling restart"}, str(shown)
