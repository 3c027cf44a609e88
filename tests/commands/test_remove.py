"""`underfire remove`: asked for, done once, and said again the second time."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from server.cli import main
from server.matches.log.match_file import export
from server.rulesets import library
from tests.support.playing import press_on, whole
from tests.support.toy_rules import ToyRules


@pytest.fixture
def there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The data directory of a server that has the match `m1`, which is over."""
    monkeypatch.setitem(library.EDITIONS, "toy", lambda _name: ToyRules())
    file = tmp_path / "m1.underfire"
    file.write_bytes(export(whole(ToyRules(), press_on).entries))
    assert main(["import", str(file), "--data-dir", str(tmp_path / "there")]) == 0
    capsys.readouterr()
    return tmp_path / "there"


@pytest.fixture
def typed(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """What the operator types."""
    keys = io.StringIO()
    monkeypatch.setattr("sys.stdin", keys)
    return keys


def types(keys: io.StringIO, text: str) -> None:
    keys.seek(0)
    keys.truncate()
    keys.write(text)
    keys.seek(0)


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """The exit code of the command, and what it prints on both ways."""
    code = main([str(word) for word in words])
    printed = capsys.readouterr()
    return code, " ".join(printed.out.split()), printed.err


def test_remove_asks_for_the_id_and_reports_a_second_removal(
    capsys: pytest.CaptureFixture[str], there: Path, typed: io.StringIO
) -> None:
    kept = there / "matches" / "removed" / "m1.underfire"
    for wrong in ("", "yes\n", "m2\n"):
        types(typed, wrong)
        code, out, error = run(capsys, "remove", "m1", "--data-dir", there)
        assert (code, error) == (1, "Nothing was removed: that is not the match's id.\n")
        assert out.startswith("This removes the match m1 (Duel, over, with Red (red), Blue (blue)) for good")
    types(typed, "m1\n")
    code, out, _ = run(capsys, "remove", "m1", "--data-dir", there)
    assert code == 0
    assert out.endswith(f"The match m1 is removed. What was stored of it is in {kept}.")
    assert kept.read_bytes() == (there.parent / "m1.underfire").read_bytes()
    assert run(capsys, "remove", "m1", "--data-dir", there)[:2] == (
        0,
        f"The match m1 was removed already. What was stored of it is in {kept}.",
    )
    code, _, error = run(capsys, "export", "m1", there / "out", "--data-dir", there)
    assert (code, error) == (1, "underfire: The operator of this server has removed the match m1.\n")
    code, _, error = run(capsys, "import", there.parent / "m1.underfire", "--data-dir", there)
    assert code == 1
    assert "It cannot be imported again" in error


def test_remove_asks_nothing_with_yes_and_keeps_nothing_with_forget(
    capsys: pytest.CaptureFixture[str], there: Path
) -> None:
    assert run(capsys, "remove", "m1", "--yes", "--forget", "--data-dir", there)[:2] == (
        0,
        "The match m1 is removed. Nothing of it is kept.",
    )
    assert list((there / "matches").rglob("*.underfire")) == []


def test_remove_forgets_a_kept_file_after_asking(
    capsys: pytest.CaptureFixture[str], there: Path, typed: io.StringIO
) -> None:
    run(capsys, "remove", "m1", "--yes", "--data-dir", there)
    types(typed, "no\n")
    assert run(capsys, "remove", "m1", "--forget", "--data-dir", there)[0] == 1
    types(typed, "m1\n")
    code, out, _ = run(capsys, "remove", "m1", "--forget", "--data-dir", there)
    assert code == 0
    assert out.endswith("The match m1 was removed already. The file in which it was kept is deleted.")


def test_remove_refuses_an_unknown_match_or_data_folder(
    capsys: pytest.CaptureFixture[str], there: Path, tmp_path: Path
) -> None:
    code, _, error = run(capsys, "remove", "m2", "--yes", "--data-dir", there)
    assert (code, error) == (1, "underfire: There is no match m2.\n")
    code, _, error = run(capsys, "remove", "m1", "--yes", "--data-dir", tmp_path / "mistyped")
    assert code == 1
    assert "No data of an Underfire server lies in" in error
    assert not (tmp_path / "mistyped").exists()
