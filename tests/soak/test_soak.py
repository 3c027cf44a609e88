"""A minute of matches under faults: nothing that was acknowledged is lost or doubled, and all players saw what the log says."""

from __future__ import annotations

import random
from pathlib import Path

from tests.soak.report import Report
from tests.soak.soak import soak

SECONDS = 60.0
"""How long harm is done at least: a length, and nothing that anything is held against."""


async def soaked(folder: Path, seed: int) -> Report:
    """A soak; when it fails, it says how to repeat it."""
    try:
        return await soak(folder, SECONDS, seed)
    except BaseException as error:
        error.add_note(again(seed))
        raise


def again(seed: int) -> str:
    return f"To run it again: python -m tests.soak --seconds {SECONDS:.0f} --seed {seed}"


async def test_matches_come_through_a_minute_of_faults_unharmed(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    report = await soaked(tmp_path, seed)
    told = f"{report}\n{again(seed)}"
    found = report.auditor.found
    assert not report.wrong, told
    assert (found.lost, found.doubled) == (0, 0), told
    # Something was there to be lost, and each kind of harm was done.
    assert all(found.compared[name] for name in ("matches", "Answer", "Say", "frames", "snapshots")), told
    assert report.faults.done.keys() >= report.faults.kinds.keys(), told
    assert report.faults.done["cut connection"], told
    assert report.auditor.follower.published, told
    assert report.auditor.verified == found.compared["matches"], told
