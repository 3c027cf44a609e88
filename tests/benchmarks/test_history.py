"""Runs of the benchmarks that are kept and compared, and the peers' figures next to them."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

import pytest

from tests.benchmarks import history, peers
from tests.benchmarks.lines import Line, Unit, at_least, microseconds, per_second
from tests.benchmarks.rules import best
from tests.benchmarks.seeds import text

NOON = dt.datetime(2026, 11, 22, 12, tzinfo=dt.UTC)


def test_a_run_that_is_kept_can_be_compared_with_a_later_one(tmp_path: Path) -> None:
    then = [Line("an order", microseconds, 4e-3, 1e-3, None, ""), Line("games", per_second, 10.0, None, None, "")]
    now = [Line("an order", microseconds, 4e-3, 2e-3, None, ""), Line("games", per_second, 30.0, None, None, "")]
    history.save(history.kept(then, NOON), tmp_path / "run.json")
    kept = history.load(tmp_path / "run.json")
    assert kept.date == "2026-11-22T12:00:00+00:00"
    _, order, games = history.compared(now, kept)
    # The machine was half as fast: the same figure is twice as good in the end.
    assert order.split()[-2:] == ["1.00", "0.50"]
    assert games.split()[-1] == "3.00"


def test_a_figure_that_was_not_measured_before_is_left_out() -> None:
    kept = history.kept([], NOON)
    assert len(history.compared([Line("games", per_second, 30.0, None, None, "")], kept)) == 1


@pytest.mark.parametrize(("content", "sentence"), [(None, "cannot be read"), (b"{}", "holds no run")])
def test_a_file_without_a_run_is_refused_with_a_sentence(tmp_path: Path, content: bytes | None, sentence: str) -> None:
    path = tmp_path / "run.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(history.HistoryError, match=sentence):
        history.load(path)


@pytest.mark.parametrize(("ours", "unit", "ahead"), [(2.0, microseconds, "2 x"), (2.0, per_second, "0.5 x")])
def test_a_peer_stands_next_to_the_figure_that_it_was_measured_for(ours: float, unit: Unit, ahead: str) -> None:
    known = peers.Peers("2026-11-21", "two cores", (peers.PeerFigure("games", "another", 4.0),))
    told = list(
        peers.told(
            [Line("games, FAD 4", unit, ours, None, at_least(1), ""), Line("games of", unit, 1, None, None, "")], known
        )
    )
    assert len(told) == 2
    assert told[1].endswith(ahead)


def test_an_aim_at_which_no_peer_was_measured_says_so() -> None:
    known = peers.Peers("2026-11-21", "two cores", ())
    lines = [
        Line("games, FAD 4", per_second, 2.0, None, at_least(1), ""),
        Line("games of", per_second, 1, None, None, ""),
    ]
    assert list(peers.told(lines, known)) == ["games, FAD 4: 2.0 /s; no peer was measured"]


def test_the_seeds_of_all_that_is_played_are_named() -> None:
    told = text(6, 4, 100)
    assert "games: 0 to 5." in told
    assert "0 to 3 one by one, 0 to 99 at once" in told


def test_every_figure_of_a_peer_belongs_to_a_line_of_the_benchmarks() -> None:
    source = "".join(path.read_text() for path in Path(__file__).parent.glob("*.py"))
    for figure in peers.load().figure:
        words = figure.what.replace("1,000", "{spectators:,}", 1) if "spectators" in figure.what else figure.what
        words = words.replace("200 spectators", "{spectators:,} spectators")
        words = words.replace("100 matches", "{len(crowd)} matches").replace("1,000 steps", "{size.long_steps:,} steps")
        assert words in source, figure.what


def test_of_each_game_the_least_time_of_all_rounds_counts() -> None:
    assert best([[3.0, 20.0], [2.0, 30.0]]) == 22.0
