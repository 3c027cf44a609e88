"""A minute of matches under faults: nothing that was acknowledged is lost or doubled, and everybody saw what the log says."""

from __future__ import annotations

import random
from pathlib import Path

from tests.soak.soak import Report, Soak

SECONDS = 60.0
"""How long harm is done at least: a length, and nothing that anything is held against."""


async def soaked(folder: Path, seed: int) -> Report:
    """A soak; what goes wrong says how to have it again."""
    try:
        return await Soak(folder, SECONDS, seed).run()
    except BaseException as error:
        error.add_note(again(seed))
        raise


def again(seed: int) -> str:
    return f"To run it again: python -m tests.soak --seconds {SECONDS:.0f} --seed {seed}"


async def test_matches_come_through_a_minute_of_faults_unharmed(tmp_path: Path) -> None:
    seed = random.SystemRandom().randrange(1 << 32)
    report = await soaked(tmp_path, seed)
    told = f"{report}\n{again(seed)}"
    assert not report.audited.wrong, told
    assert (report.audited.lost, report.audited.doubled) == (0, 0), told
    # Something was there to be lost, and each kind of harm was done.
    compared = report.audited.compared
    assert all(compared[name] for name in ("matches", "Answer", "Say", "frames", "snapshots", "clock readings")), told
    assert all(report.faults.values()), told
    assert report.verified == report.finished, told
