"""Some matches under faults for each kind of database: nothing that was acknowledged is lost or doubled, and all
players saw what the log says.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tests.soak.report import Report
from tests.soak.sites import DATABASES, Database
from tests.soak.soak import soak

SECONDS = 5.0
"""How long harm is done at least: a length, and nothing that anything is held against."""
BOUTS = 3
"""Matches at once."""
QUIET = 0.2
"""Seconds between two faults, on average."""
ONLY: dict[Database, frozenset[str]] = {
    "embedded": frozenset(
        {
            "kill -9 of all servers",
            "kill -9 of the database",
            "kill -9 of servers and database",
            "frozen database",
            "files that may not grow",
            "full disk",
        }
    ),
    "own": frozenset(
        {
            "kill -9 of a server",
            "kill -9 of the broker",
            "kill -9 of the feeds",
            "SIGTERM of a server",
            "frozen server",
            "stalled lines of players",
            "stalled line to the broker",
            "stalled line to the database",
        }
    ),
}
"""The faults that are done where, so that nearly each is done once: all servers are stopped in order in the end anyway."""


async def soaked(folder: Path, seed: int, database: Database) -> Report:
    """Soak; a failure says how to repeat it."""
    try:
        return await soak(folder, SECONDS, seed, database, only=ONLY[database], bouts=BOUTS, quiet=QUIET)
    except BaseException as error:
        error.add_note(again(seed, database))
        raise


def again(seed: int, database: Database) -> str:
    return f"To run it again: python -m tests.soak --seconds 60 --seed {seed} --database {database}"


@pytest.mark.parametrize("database", DATABASES)
async def test_matches_come_through_faults_unharmed(tmp_path: Path, database: Database) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    report = await soaked(tmp_path, seed, database)
    told = f"{report}\n{again(seed, database)}"
    auditor, faults = report.auditor, report.faults
    found = auditor.found
    assert not report.wrong, told
    assert (found.lost, found.doubled) == (0, 0), told
    # Something was there to be lost, and each kind of harm was done.
    kinds = ("matches", "Answer", "Say", "frames", "snapshots", "states of tables", "replies to what was sent again")
    assert all(found.compared[name] for name in kinds), told
    assert not faults.missing, told
    assert auditor.follower.published, told
    assert auditor.verified == found.compared["matches"], told
