"""Which Python the environment is made with. The Pythons here are stand-ins that answer what the script asks them."""

import os
import subprocess
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent.parent / "scripts/environment.sh"
ANSWERS = {
    "old": "exit 1",
    "slow": 'case "$2" in *profiled*) exit 1 ;; esac',
    "slow-too": 'case "$2" in *profiled*) exit 1 ;; esac',
    "fast": "exit 0",
}


@pytest.fixture
def pythons(tmp_path: Path) -> Path:
    """A folder of Pythons: one is too old, two were not built with a profile, one is fast and whole."""
    for name, answer in ANSWERS.items():
        python = tmp_path / name
        python.write_text(f"#!/bin/sh\n{answer}\n", encoding="utf-8")
        python.chmod(0o755)
    return tmp_path


def chosen(pythons: Path, *names: str) -> subprocess.CompletedProcess[str]:
    """What the script chooses from these Pythons."""
    environment = {**os.environ, "PYTHON": " ".join(str(pythons / name) for name in names)}
    return subprocess.run(
        [str(SCRIPT), "python"], env=environment, capture_output=True, text=True, timeout=60, check=False
    )


@pytest.mark.parametrize(
    ("names", "best"),
    [
        (("old", "slow", "fast"), "fast"),
        (("fast", "slow"), "fast"),
        (("missing", "old", "slow", "slow-too"), "slow"),
    ],
)
def test_a_fast_and_whole_python_goes_before_the_first_that_is_new_enough(
    pythons: Path, names: tuple[str, ...], best: str
) -> None:
    assert chosen(pythons, *names).stdout == f"{pythons / best}\n"


def test_without_a_python_that_is_new_enough_one_sentence_says_what_to_do(pythons: Path) -> None:
    ran = chosen(pythons, "old", "missing")
    assert ran.returncode == 1
    assert not ran.stdout
    assert ran.stderr == (
        "underfire: Python 3.11 or newer is needed: install it, or name it with 'make PYTHON=/path/to/python'.\n"
    )
