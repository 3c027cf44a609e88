"""What the tests of commands share."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.case_bench import Bench


@pytest.fixture
def bench(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Bench:
    """Runs cases."""
    return Bench(tmp_path, capsys)
