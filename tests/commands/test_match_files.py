"""`underfire export`, `import`, `replay` and `verify`: a match as a file, out of one database, into another, onto a page."""

from __future__ import annotations

import asyncio
import urllib.request
from pathlib import Path

import pytest

from server.cli import main
from server.commands import replay
from server.commands.verify import lines
from server.matches.log.match_file import export, read
from server.matches.projections.reports import ReportNote, note
from server.matches.verify.match_file import Era, LateSeat, Report
from server.rulesets import library
from server.store.embedded import EmbeddedValkey
from server.store.store import MatchStore
from tests.archive.recording import Match
from tests.support.playing import press_on, whole
from tests.support.toy_rules import ToyRules


@pytest.fixture(autouse=True)
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy is among the editions."""
    monkeypatch.setitem(library.EDITIONS, "toy", lambda _name: ToyRules())


@pytest.fixture
def finished(tmp_path: Path) -> Path:
    """The file of a match that is over."""
    file = tmp_path / "finished.underfire"
    file.write_bytes(export(whole(ToyRules(), press_on).entries))
    return file


@pytest.fixture
def unfinished(tmp_path: Path) -> Path:
    """The file of a match that goes on."""
    file = tmp_path / "unfinished.underfire"
    match = Match(ToyRules(), "duel").ready()
    match.until("Choose a loss")
    file.write_bytes(export(match.entries))
    return file


def run(capsys: pytest.CaptureFixture[str], *words: object) -> tuple[int, str, str]:
    """The exit code of the command, and what it prints on both ways."""
    code = main([str(word) for word in words])
    printed = capsys.readouterr()
    return code, printed.out, printed.err


def test_a_match_goes_into_a_database_and_comes_out_of_it_again(
    capsys: pytest.CaptureFixture[str], finished: Path, tmp_path: Path
) -> None:
    there, out, text = tmp_path / "there", tmp_path / "out.underfire", tmp_path / "out.txt"
    assert run(capsys, "import", finished, "--data-dir", there)[:2] == (
        0,
        "The match m1 is over. To see its replay, put this after the server's address:\n  #/m/m1/replay\n",
    )
    assert run(capsys, "export", "m1", out, "--data-dir", there)[0] == 0
    assert out.read_bytes() == finished.read_bytes()
    assert run(capsys, "export", "m1", text, "--text", "--data-dir", there)[0] == 0
    assert text.read_text(encoding="utf-8").startswith('[Event "Duel"]\n')
    code, _, error = run(capsys, "import", finished, "--data-dir", there)
    assert (code, error) == (1, "The match m1 is on this server already, and cannot be imported a second time.\n")
    code, _, error = run(capsys, "export", "m2", out, "--data-dir", there)
    assert (code, error) == (1, "underfire: There is no match m2.\n")


def test_a_match_that_goes_on_is_taken_in_with_a_link_for_each_seat(
    capsys: pytest.CaptureFixture[str], unfinished: Path, tmp_path: Path
) -> None:
    code, printed, _ = run(capsys, "import", unfinished, "--data-dir", tmp_path / "there")
    assert code == 0
    first, *links = printed.splitlines()
    assert first.startswith("The match m1 goes on here.")
    assert [link.split("/")[:5] for link in links] == [[f"  {s}: #", "m", "m1", "join", s] for s in ("red", "blue")]
    out = tmp_path / "out.underfire"
    assert run(capsys, "export", "m1", out, "--data-dir", tmp_path / "there")[0] == 0
    assert read(out.read_bytes()).entries[:-1] == read(unfinished.read_bytes()).entries
    code, printed, _ = run(capsys, "verify", out)
    assert code == 0
    assert "fell on another server" in printed


@pytest.mark.parametrize("name", ["finished", "unfinished"])
def test_a_file_is_shown_on_a_page_of_its_own(
    capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    file: Path = request.getfixturevalue(name)
    looked: list[str] = []

    async def look() -> None:
        address = capsys.readouterr().out.split()[1]
        base, _, page = address.partition("/#")
        assert page == "/m/m1/replay"
        health = await asyncio.to_thread(lambda: urllib.request.urlopen(f"{base}/health", timeout=10).status)  # noqa: S310 - our own
        assert health == 200
        looked.append(base)

    monkeypatch.setattr(replay, "told_to_stop", look)
    assert run(capsys, "replay", file)[0] == 0
    assert looked


def test_a_damaged_match_file_is_neither_shown_nor_imported(capsys: pytest.CaptureFixture[str], finished: Path) -> None:
    finished.write_bytes(finished.read_bytes()[:-5])
    for words in (("replay", finished), ("import", finished, "--data-dir", finished.parent / "there")):
        code, _, error = run(capsys, *words)
        assert code == 1
        assert error.startswith("This match file is not in order: ")
    code, printed, _ = run(capsys, "verify", finished)
    assert (code, printed.partition(":")[0]) == (1, "Wrong")


def test_a_check_says_what_it_could_not_check() -> None:
    eras = (Era("a", 58, checked=False), Era("b", 1, checked=False), Era("c", 7, checked=True))
    late = (
        LateSeat(8, "red", "Eve", "Ada", over=True),
        LateSeat(9, "blue", "Eve", "", over=True),
        LateSeat(4, "red", "Eve", "Ada", over=False),
    )
    report = Report("m1", "Duel", 9, 7, 5, 5, ("toy 1",), "So.", eras, 3, 1, 2, late_seats=late, hashes=(bytes(32),))
    told = "\n".join(lines(report))
    for sentence in (
        "Dice 1 to 58 fell on another server, whose secret is not published",
        "Die 59 fell on another server",
        "7 dice derived again",
        "another match, in which 3 dice had fallen",
        "Players took back once",
        "went back to a boundary 2 times",
        "Entry 8: Eve took the seat red after the match was over; it was Ada who had played.",
        "Entry 9: Eve took the seat blue after the match was over.",
        "Entry 4: Eve took the seat red while Ada had it.",
    ):
        assert sentence in told


def test_verify_tells_of_steps_that_another_version_of_the_rules_made_and_passes(
    capsys: pytest.CaptureFixture[str], finished: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(library.EDITIONS, "toy", lambda _name: ToyRules(version="toy 2", bonus=1))
    library.edition.cache_clear()
    try:
        code, printed, _ = run(capsys, "verify", finished)
    finally:
        library.edition.cache_clear()
    assert code == 0
    assert "another version of the rules (toy 1), from which those installed here differ in 2 entries:\n" in printed
    assert "  entry 12: run again, the rules bring about something else" in printed
    assert printed.endswith("Nothing is wrong.\n")


def test_reports_are_printed_newest_first(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    async def begin() -> None:
        async with EmbeddedValkey(tmp_path):
            pass

    asyncio.run(begin())
    assert run(capsys, "reports", "--data-dir", tmp_path)[:2] == (0, "There are no reports.\n")
    by_seat = note(ReportNote("m1", 17, "red", "Ada", "You fool", 1_700_000_000_000, "blue", "rude"))
    by_spectator = note(ReportNote("m2", 18, "", "", "Buy this", 1_700_000_060_000, "", "spam"))

    async def keep() -> None:
        async with EmbeddedValkey(tmp_path) as embedded, MatchStore(embedded.url) as store:
            for number, kept in enumerate((by_seat, by_spectator, b"gibberish")):
                await store.report(kept, f"m:{number}:red")

    asyncio.run(keep())
    code, printed, _ = run(capsys, "reports", "--data-dir", tmp_path)
    assert code == 0
    first, second, third = printed.split("\n\n")
    assert first == "A report that cannot be read: b'gibberish'"
    assert second.splitlines() == [
        "2023-11-14 22:14 UTC, match m2, entry 18: reported by a spectator",
        "  unnamed (a spectator) said: Buy this",
        "  Why: spam",
    ]
    assert third.splitlines() == [
        "2023-11-14 22:13 UTC, match m1, entry 17: reported by the seat blue",
        "  Ada (the seat red) said: You fool",
        "  Why: rude",
    ]
