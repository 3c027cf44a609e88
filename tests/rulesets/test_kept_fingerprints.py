"""Fingerprints are kept for exactly the files from which they were worked out."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from server.rulesets.kept_fingerprints import MOST, kept_or


class Rules:
    """Some files, and how often their fingerprint was worked out."""

    def __init__(self, folder: Path) -> None:
        self.files = [folder / "shot.py", folder / "arms.toml"]
        self.kept = folder / "kept" / "fingerprints.json"
        self.worked_out = 0
        for file in self.files:
            file.write_text("dice = 2\n")

    def fingerprint(self) -> str:
        return kept_or(self.files, self._work_out, self.kept)

    def _work_out(self) -> str:
        self.worked_out += 1
        return f"worked out {self.worked_out}"


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rules:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return Rules(tmp_path)


def test_a_fingerprint_is_worked_out_once_for_the_same_files(rules: Rules) -> None:
    assert [rules.fingerprint(), rules.fingerprint()] == ["worked out 1"] * 2
    rules.files.reverse()
    assert rules.fingerprint() == "worked out 1"


def test_a_changed_byte_and_a_new_name_are_noticed(rules: Rules) -> None:
    rules.fingerprint()
    rules.files[0].write_text("dice = 3\n")
    assert rules.fingerprint() == "worked out 2"
    rules.files[1] = rules.files[1].rename(rules.files[1].with_name("weapons.toml"))
    assert rules.fingerprint() == "worked out 3"
    rules.files[0].write_text("dice = 2\n")
    rules.files[1] = rules.files[1].rename(rules.files[1].with_name("arms.toml"))
    assert rules.fingerprint() == "worked out 1"


@pytest.mark.parametrize("text", ["", "{", "[]", '{"a": 1}'])
def test_a_file_that_holds_no_fingerprints_is_written_anew(rules: Rules, text: str) -> None:
    rules.kept.parent.mkdir()
    rules.kept.write_text(text)
    assert [rules.fingerprint(), rules.fingerprint()] == ["worked out 1"] * 2


def test_where_nothing_can_be_written_it_is_worked_out_each_time(rules: Rules) -> None:
    rules.kept.parent.write_text("no folder")
    assert [rules.fingerprint(), rules.fingerprint()] == ["worked out 1", "worked out 2"]


def test_nothing_is_written_where_python_writes_no_compiled_modules(
    rules: Rules, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    rules.fingerprint()
    assert not rules.kept.exists()


def test_only_the_last_ones_are_kept(rules: Rules) -> None:
    for dice in range(MOST + 1):
        rules.files[0].write_text(f"dice = {dice}\n")
        rules.fingerprint()
    assert rules.kept.read_text().count("worked out") == MOST
    assert rules.fingerprint() == f"worked out {MOST + 1}"
