"""Recorded games fold to the same states, have the same texts, and verify."""

from __future__ import annotations

import pytest

from client_protocol.from_client import Replay
from client_protocol.from_server import ReplayPart
from server.matches.projections.replay import replay_part
from server.matches.verify.match_file import verify
from server.rulesets.library import edition as rules_of
from server.rulesets.library import editions, find
from tests.archive.differences import DIFFERENCES, UNPLAYED, known
from tests.archive.files import GOLDEN, RECORDED, entries_of, file_of, known_sums, name_of, text_of, written
from tests.archive.games import GAMES
from tests.archive.states import sums

LARGEST, ALL_LARGEST = 150_000, 1_000_000
"""The most bytes of one file, and of all files together."""

every_game = pytest.mark.parametrize(("edition", "game"), RECORDED)


def test_every_game_of_the_archive_is_recorded_in_small_files() -> None:
    assert {name_of(*game) for game in RECORDED} == set(known_sums())
    assert {name_of(edition, game) for edition, games in GAMES.items() for game in games} <= set(known_sums())
    assert {edition for edition, _ in RECORDED} == set(editions())
    sizes = [file_of(*game).stat().st_size for game in RECORDED]
    assert max(sizes) <= LARGEST
    assert sum(sizes) <= ALL_LARGEST


@every_game
def test_a_recorded_game_folds_to_the_recorded_states(edition: str, game: str) -> None:
    assert sums(entries_of(edition, game)) == known_sums()[name_of(edition, game)]


@every_game
def test_a_recorded_game_verifies(edition: str, game: str) -> None:
    report = verify(file_of(edition, game).read_bytes(), find)
    assert report.ended
    assert report.dice is not None


@every_game
def test_the_rules_repeat_every_step_of_a_recorded_game(edition: str, game: str) -> None:
    """Only the steps that a later correction of the rules is known to change may differ."""
    report = verify(file_of(edition, game).read_bytes(), find)
    name = name_of(edition, game)
    assert report.steps - report.replayed == UNPLAYED.get(name, 0) < report.steps
    assert [difference.entry for difference in report.differences] == known(name), report.differences


def test_each_known_difference_belongs_to_a_recorded_game() -> None:
    assert set(DIFFERENCES) <= {name_of(*game) for game in RECORDED}


@every_game
@pytest.mark.parametrize("view", ["*", ""])
def test_a_recorded_game_can_be_replayed(edition: str, game: str, view: str) -> None:
    entries = entries_of(edition, game)
    rules, after, told = rules_of(edition), -1, 0
    while True:
        part = replay_part(rules, entries, Replay("r", view, after))
        assert isinstance(part, ReplayPart), part
        assert (part.start is None) == (after >= 0)
        told += len(part.frames)
        after = part.frames[-1].seq
        if not part.more:
            break
    assert told == part.last
    assert told == len(entries) - 1 or view != "*"


@pytest.mark.parametrize(("edition", "game"), GOLDEN.items())
def test_the_text_of_a_recorded_game_is_unchanged(edition: str, game: str) -> None:
    assert text_of(edition, game) == written(edition, game).read_text(encoding="utf-8")
