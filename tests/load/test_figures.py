"""The figures of a load, in words."""

from __future__ import annotations

from server.load.figures import Figures, percentile, report


def test_percentiles_are_times_that_occurred() -> None:
    times = [float(n) for n in range(1, 101)]
    assert [percentile(times, share) for share in (0.5, 0.9, 0.99)] == [51.0, 91.0, 100.0]
    assert percentile([], 0.5) == 0.0
    assert percentile([3.0], 0.99) == 3.0


def test_a_report_tells_times_rates_refusals_and_lost_connections() -> None:
    figures = Figures(matches=2, reconnected=1)
    for seconds in (0.003, 0.001, 0.002):
        figures.note(figures.acknowledged, seconds)
    figures.refused["rate"] += 2
    told = report(figures, 10)
    assert told[0] == "3 decisions in 2 matches in 10 s: 0.3 a second."
    assert told[2].split() == ["until", "it", "was", "acknowledged", "2.0", "ms", "3.0", "ms", "3.0", "ms", "3.0", "ms"]
    assert told[3:] == ["Refused: rate 2.", "Connections that were lost and came back: 1."]


def test_what_came_before_the_measuring_does_not_count() -> None:
    figures = Figures()
    figures.note(figures.seen, 1.0)
    figures.refused["rate"] += 1
    figures.clear()
    assert not figures.seen
    assert not figures.refused
