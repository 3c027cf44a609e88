"""`underfire balance`: how evenly scenarios are won, in the file that the start page is told of."""

from __future__ import annotations

import argparse
import tomllib
from pathlib import Path

import msgspec
import pytest

from client_protocol.from_server import Balance
from server.commands import balance
from server.kernel.errors import RulesetError
from server.opponents.matchups import Matchup, Outcome
from server.rulesets.library import editions
from server.rulesets.shared.edition import PlayableEdition
from server.rulesets.shared.setup.companions import BALANCE, Measured, balances, digests, read_measured

DUEL = """
id = "duel"
name = "Duel"
minutes = 5
"""
ONE = Measured("0" * 16, "commander", 400, {"blue": 208, "red": 180}, (1, 400), "2026-01-31")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "scenarios").mkdir()
    (tmp_path / "scenarios" / "duel.toml").write_text(DUEL)
    return tmp_path


def test_what_is_written_is_read_again(folder: Path) -> None:
    (folder / BALANCE).write_text(balance.written({"duel": ONE}))
    assert read_measured(folder) == {"duel": ONE}
    assert tomllib.loads((folder / BALANCE).read_text())["duel"]["seeds"] == [1, 400]


def test_a_scenario_that_has_changed_since_has_no_measurement(folder: Path) -> None:
    now = digests(folder)["duel"]
    (folder / BALANCE).write_text(balance.written({"duel": msgspec.structs.replace(ONE, scenario=now)}))
    assert balances(folder) == {"duel": Balance(400, {"blue": 208, "red": 180}, "commander")}
    # Another name is no other scenario, another table is.
    (folder / "scenarios" / "duel.toml").write_text(DUEL.replace("Duel", "The Duel"))
    assert "duel" in balances(folder)
    (folder / "scenarios" / "duel.toml").write_text(DUEL + "table = 48\n")
    assert balances(folder) == {}


def test_wins_are_counted_by_seat_and_draws_left_out() -> None:
    outcomes = [
        Outcome(Matchup("toy", "duel", {}, seed), winner, 1, 1, 0, {})
        for seed, winner in enumerate(("red", "", "red", "blue"))
    ]
    assert balance.tally(("blue", "red"), outcomes) == {"blue": 1, "red": 2}


def test_a_measurement_goes_on_from_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = next(one for one in editions().values() if one.info.guide is not None)
    assert isinstance(rules, PlayableEdition)
    scenario = rules.info.scenarios[0].id
    flags = argparse.Namespace(games=2, seed=5, results=tmp_path / "games.jsonl", cores=1)
    first = balance.measured(rules, scenario, "digest", flags)
    assert (first.games, first.seeds, first.program, first.scenario) == (2, (5, 6), "commander", "digest")
    assert sum(first.won.values()) <= 2
    played = flags.results.read_bytes()
    assert balance.measured(rules, scenario, "digest", flags) == first
    assert flags.results.read_bytes() == played
    capsys.readouterr()


def test_no_games_are_refused() -> None:
    with pytest.raises(RulesetError, match="at least one game"):
        balance.run(argparse.Namespace(games=0, edition=[], scenario=[]))


@pytest.mark.parametrize("key", editions())
def test_shipped_measurements_are_of_scenarios_that_there_are(key: str) -> None:
    rules = editions()[key]
    assert isinstance(rules, PlayableEdition)
    known = {one.id: one for one in rules.info.scenarios}
    for scenario, one in read_measured(rules.folder).items():
        assert scenario in known
        assert set(one.won) == {seat for seat, _ in known[scenario].seats}
        assert sum(one.won.values()) <= one.games == one.seeds[1] - one.seeds[0] + 1
