"""Matchups: games between programs, with what they prove and where they go on."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from server.cli import main
from server.kernel.errors import RulesetError
from server.opponents.matchups import DRAW, Matchup, Outcome, planned, played, read, records, seats_of, wilson
from server.rulesets.library import edition

SEATS = {"blue": "recruit", "red": "random"}


def outcome(winner: str, seats: dict[str, str], *took: int) -> Outcome:
    matchup = Matchup("fad4", "crossroads-patrol", seats, 1)
    return Outcome(matchup, winner, 6, 40, 0, {seat: list(took) for seat in seats})


@pytest.mark.parametrize(
    ("won", "games", "low", "high"),
    [(0, 0, 0.0, 1.0), (0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (95, 100, 0.8882, 0.9785), (10, 10, 0.7225, 1.0)],
)
def test_wilsons_interval(won: int, games: int, low: float, high: float) -> None:
    assert [round(end, 4) for end in wilson(won, games)] == [low, high]


def test_a_draw_is_not_won() -> None:
    turned = {"blue": "random", "red": "recruit"}
    rows = records([outcome("blue", SEATS, 3), outcome("blue", turned, 1), outcome(DRAW, SEATS, 2)])
    assert {row.program: (row.won, row.drawn, row.lost) for row in rows} == {"recruit": (1, 1, 1), "random": (1, 1, 1)}
    assert [row.took for row in rows] == [(1, 2, 3), (1, 2, 3)]


def test_turned_games_pass_the_programs_on_around_the_table() -> None:
    games = planned("fad4", "crossroads-patrol", SEATS, [4, 5], {}, turned=True)
    assert [(game.seed, game.seats["blue"]) for game in games] == [
        (4, "recruit"),
        (4, "random"),
        (5, "recruit"),
        (5, "random"),
    ]


def test_seats_that_are_not_named_play_at_random() -> None:
    start = edition("fad4").open("crossroads-patrol", {})
    assert seats_of(start, "red=veteran") == {"blue": "random", "red": "veteran"}
    with pytest.raises(RulesetError, match="'green=veteran' is not SEAT=PROGRAM with a seat of Crossroads Patrol"):
        seats_of(start, "green=veteran")
    with pytest.raises(RulesetError, match="there is no program 'marshal'; there are random, "):
        seats_of(start, "red=marshal")


def test_a_measurement_goes_on_where_it_was_stopped(tmp_path: Path) -> None:
    file = tmp_path / "games.jsonl"
    games = planned("fad4", "crossroads-patrol", dict.fromkeys(SEATS, "random"), [1, 2, 3], {}, turned=False)
    assert len(list(played(games[:2], file, 1, lambda: None))) == 2
    # The third game was being written when the power went.
    file.write_bytes(file.read_bytes() + b'{"matchup": {"edi')
    kept = read(file)
    counted: list[None] = []
    outcomes = list(played(games, file, 1, lambda: counted.append(None)))
    assert outcomes[:2] == kept
    assert (len(outcomes), len(counted), len(read(file))) == (3, 3, 3)


def test_games_are_played_on_several_cores_with_the_same_outcomes(tmp_path: Path) -> None:
    games = planned("fad4", "crossroads-patrol", dict.fromkeys(SEATS, "random"), [1, 2, 3], {}, turned=False)

    def told(outcomes: list[Outcome]) -> list[tuple[int, str, int]]:
        return sorted((one.matchup.seed, one.winner, one.steps) for one in outcomes)

    one, two = (list(played(games, None, cores, lambda: None)) for cores in (1, 2))
    assert told(one) == told(two)
    assert not list(tmp_path.iterdir())


def test_simulate_prints_who_wins_how_often(capsys: pytest.CaptureFixture[str]) -> None:
    flags = ["simulate", "--edition", "fad4", "--scenario", "crossroads-patrol", "--games", "1", "--cores", "1"]
    assert main([*flags, "--seats", "blue=recruit", "--turned"]) == 0
    told = capsys.readouterr().out
    for word in (
        "Crossroads Patrol (fad4): 2 games",
        "recruit ",
        "random ",
        "% won (",
        "95 % confidence",
        "ms on average",
    ):
        assert word in told
    assert main([*flags, "--seats", "blue=recruit", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["programs"]
    assert {row["program"] for row in rows} == {"recruit", "random"}
    assert all(len(row["interval"]) == 2 and row["refusals"] == 0 for row in rows)
