"""That every part of the benchmarks runs, and what its lines say; not how fast anything is."""

from __future__ import annotations

import pytest

from server import compiled
from server.rulesets import library
from server.rulesets.library import editions
from tests.benchmarks import capacity, parts, prompts
from tests.benchmarks.lines import Line, at_least_floor, at_most, kilobytes, microseconds, percentile


def test_each_part_of_the_benchmark_gives_figures() -> None:
    measured = list(parts.lines(parts.TINY, -1, parts.PARTS))
    of_each, of_some, of_both_forms = 29, 6, 0 if compiled.WHY_NOT else 3
    of_leagues = 3
    some = (of_some + of_both_forms) * parts.TINY.editions
    assert len(measured) == of_each * len(editions()) + some + len(parts.TINY.spectators) + of_leagues
    # Memory is what the process holds now less what it held before, which may be nothing for as few matches.
    assert [line.what for line in measured if line.ours <= 0 and line.unit is not kilobytes] == []


@pytest.mark.parametrize(("ours", "met"), [(1e-3, True), (1.1e-3, False)])
def test_a_figure_is_held_against_a_bound(ours: float, met: bool) -> None:
    line = Line("x", microseconds, ours, None, at_most(1e-3), "")
    assert line.met is met
    assert ("not met" in line.text()) is not met


@pytest.mark.parametrize(("ours", "met"), [(13.0, True), (12.9, False)])
def test_a_ratio_is_held_against_the_floor(ours: float, met: bool) -> None:
    assert Line("x", str, ours, 10.0, at_least_floor(1.3), "").met is met


@pytest.mark.parametrize(("holds", "found"), [(10, 10), (37, 36), (100, 100), (1_000, 100), (0, 0)])
def test_a_search_finds_the_most_that_is_within_the_bound(holds: int, found: int) -> None:
    tried = []

    def p99(number: int) -> float:
        tried.append(number)
        return capacity.BOUND if number <= holds else 2 * capacity.BOUND

    assert capacity.most(p99, 4, 100, longest=60).number == pytest.approx(found, rel=0.1)
    # What fails is tried twice.
    assert max(tried) <= 100
    assert len(tried) < 20


def test_a_search_ends_with_what_it_has_found_when_its_time_is_over() -> None:
    now = iter(range(100))
    found = capacity.most(lambda number: number / 1e6, 4, 1_000, longest=3, clock=lambda: float(next(now)))
    assert (found.number, found.p99) == (8, 8e-6)


def test_a_percentile_is_one_of_the_values() -> None:
    values = [float(number) for number in range(100, 0, -1)]
    assert (percentile(values, 50), percentile(values, 99), percentile([7.0], 99)) == (50, 99, 7)


@pytest.mark.parametrize("name", editions())
def test_the_big_table_has_its_figures_and_pieces_and_can_be_played(name: str) -> None:
    ruleset = library.edition(name)
    start = prompts.big_table(ruleset)
    assert sum(len(unit.figures) for unit in start.units.values()) >= prompts.FIGURES
    assert len(start.table.terrain) == prompts.PIECES
    made = list(prompts.prompts(ruleset, start, 0, 12))
    assert [one.number for one in made] == list(range(12))
    assert prompts.table(made).count("\n") == 1 + len({one.kind for one in made})
