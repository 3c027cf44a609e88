"""The computer opponent plays whole games of every edition: it is never refused, and it wins."""

from __future__ import annotations

from functools import cache

import pytest

from server.opponents.matchups import Outcome, Record, planned, play_out, records
from server.rulesets.library import edition

MIRRORED = {"fad4": "crossroads-patrol", "fad5": "two-orchards", "fubar4": "crossed-hedges"}
"""A scenario of each edition in which both sides are as strong."""
SEEDS = range(1, 6)
"""Each seed is played twice, so that each program plays each side."""
every_edition = pytest.mark.parametrize("name", MIRRORED)


@cache
def games(name: str) -> tuple[Outcome, ...]:
    scenario = MIRRORED[name]
    seats = [side.seat for side in edition(name).open(scenario, {}).sides.values()]
    matchups = planned(name, scenario, dict(zip(seats, ("commander", "random"), strict=True)), SEEDS, {}, turned=True)
    return tuple(map(play_out, matchups))


def record(name: str, program: str) -> Record:
    return next(row for row in records(games(name)) if row.program == program)


@every_edition
def test_commander_beats_a_random_seat_in_nine_of_ten_games_on_both_sides(name: str) -> None:
    row = record(name, "commander")
    assert row.games == 10
    assert row.won >= 9


@every_edition
def test_no_answer_of_a_program_is_refused(name: str) -> None:
    assert [outcome.refused for outcome in games(name)] == [0] * 10


@every_edition
def test_a_decision_takes_commander_less_than_20_ms_on_average_and_250_ms_nearly_always(name: str) -> None:
    took = record(name, "commander").took
    assert sum(took) / len(took) < 20_000
    assert took[len(took) * 99 // 100] < 250_000


@every_edition
def test_the_same_seed_gives_the_same_game_again(name: str) -> None:
    first = games(name)[0]
    again = play_out(first.matchup)
    assert (again.winner, again.turns, again.steps) == (first.winner, first.turns, first.steps)


@pytest.mark.parametrize("program", ["recruit", "veteran", "commander"])
@pytest.mark.parametrize(
    ("name", "scenario"), [("fad4", "dry-ford"), ("fad4", "mortar-lane"), ("fubar4", "the-roadblock")]
)
def test_programs_play_vehicles_blasts_and_transports_without_a_refusal(name: str, scenario: str, program: str) -> None:
    seats = [side.seat for side in edition(name).open(scenario, {}).sides.values()]
    (matchup,) = planned(name, scenario, dict.fromkeys(seats, program), [7], {}, turned=False)
    assert play_out(matchup).refused == 0
