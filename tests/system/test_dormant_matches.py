"""A server whose operator wants forgotten matches concluded starts with that policy, and says what is wrong with a policy."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

from tests.support.servers import LONGEST, UNDERFIRE, serving
from tests.system.play import make_match


async def test_a_server_runs_with_the_policy(tmp_path: Path) -> None:
    async with serving(tmp_path, settings={"UNDERFIRE_DORMANT_DAYS": "90"}) as server:
        assert (await make_match(server)).match


def test_a_policy_that_warns_of_no_match_is_refused_in_words(tmp_path: Path) -> None:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("UNDERFIRE_")}
    done = subprocess.run(
        [str(UNDERFIRE), "serve", "--dormant-days", "10", "--data-dir", str(tmp_path)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=LONGEST,
        check=False,
    )
    assert done.returncode == 1
    assert "UNDERFIRE_DORMANT_WARNING_DAYS" in done.stderr
