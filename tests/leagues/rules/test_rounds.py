"""How many rounds a league has, and why the next one cannot begin."""

from __future__ import annotations

import pytest

from client_protocol.leagues import Format
from server.leagues.rules.rounds import blocked, rounds_needed
from tests.leagues.rules.results import bye, drawn, void, won

LAST = [won("a", "d", 1), won("b", "c", 1)]


@pytest.mark.parametrize(
    ("format_", "needed"),
    [
        ("round_robin", [0, 0, 1, 3, 3, 5, 5, 7, 7, 9]),
        ("elimination", [0, 0, 1, 2, 2, 3, 3, 3, 3, 4]),
        ("swiss", [0, 0, 1, 2, 2, 3, 3, 3, 3, 4]),
        ("free", [0] * 10),
        ("ladder", [0] * 10),
    ],
)
def test_a_format_has_as_many_rounds_as_its_players_need(format_: Format, needed: list[int]) -> None:
    assert [rounds_needed(format_, players, 0) for players in range(10)] == needed


def test_the_terms_say_how_many_rounds_a_swiss_league_has_and_no_other() -> None:
    assert rounds_needed("swiss", 8, 5) == 5
    assert rounds_needed("elimination", 8, 5) == 3
    assert rounds_needed("round_robin", 8, 5) == 7


@pytest.mark.parametrize("format_", ["round_robin", "swiss", "elimination"])
def test_a_round_can_begin_when_the_last_one_is_over(format_: Format) -> None:
    assert blocked(format_, "abcd", [], 0, 0, 2) == ""
    assert blocked(format_, "abcd", LAST, 0, 1, 2) == ""


@pytest.mark.parametrize("format_", ["free", "ladder"])
def test_where_players_challenge_each_other_there_are_no_rounds(format_: Format) -> None:
    assert blocked(format_, "abcd", [], 0, 0, 0) == "This league has no rounds: players challenge each other."


@pytest.mark.parametrize("format_", ["round_robin", "swiss", "elimination"])
def test_a_round_needs_two_players(format_: Format) -> None:
    for players in ("", "a"):
        assert blocked(format_, players, [], 0, 0, 0) == "A round needs two players."


def test_fixtures_that_are_open_are_counted() -> None:
    assert blocked("swiss", "abcd", LAST, 1, 1, 2) == "There is 1 fixture to play, or to settle, before the next round."
    assert blocked("swiss", "abcd", [], 2, 1, 2) == "There are 2 fixtures to play, or to settle, before the next round."


def test_after_the_last_round_there_is_none() -> None:
    assert blocked("round_robin", "abcd", LAST, 0, 3, 3) == "All rounds are played."
    assert blocked("round_robin", "abcd", LAST, 1, 3, 3) == "The last round has begun."


def test_an_elimination_waits_for_a_winner() -> None:
    sentence = "A fixture of this round has no winner: settle who goes on."
    for tied in (drawn("b", "c", 1), void("b", "c", 1)):
        assert blocked("elimination", "abcd", [LAST[0], tied], 0, 1, 2) == sentence
        assert blocked("elimination", "abd", [LAST[0], tied], 0, 1, 2) == "", "one of the two has left"
        assert blocked("swiss", "abcd", [LAST[0], tied], 0, 1, 2) == ""


def test_an_elimination_ends_when_all_have_left_who_had_not_lost() -> None:
    assert blocked("elimination", "cd", LAST, 0, 1, 2) == "All players have left who have not lost."
    assert blocked("elimination", "ad", LAST, 0, 1, 2) == ""
    assert blocked("elimination", "ab", [bye("a", 1), bye("b", 1)], 0, 1, 2) == ""
