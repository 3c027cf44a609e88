"""Round robin: each player meets each other once."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from server.leagues.rules.pairing import pairs
from server.leagues.rules.round_robin import round_robin
from server.leagues.rules.rounds import rounds_needed
from tests.leagues.rules.results import named, terms


def test_four_players_meet_in_three_rounds() -> None:
    assert [round_robin("abcd", number) for number in (1, 2, 3)] == [
        (("d", "a"), ("b", "c")),
        (("b", "d"), ("c", "a")),
        (("d", "c"), ("a", "b")),
    ]


def test_of_three_players_each_has_one_bye() -> None:
    assert [round_robin("abc", number) for number in (1, 2, 3)] == [
        (("a",), ("b", "c")),
        (("b",), ("c", "a")),
        (("c",), ("a", "b")),
    ]


@pytest.mark.parametrize("count", range(2, 61))
def test_each_pair_meets_once_and_sides_are_balanced(count: int) -> None:
    players = named(count)
    rounds = [round_robin(players, number + 1) for number in range(rounds_needed("round_robin", count, 0))]
    for drawn in rounds:
        assert sorted(player for pair in drawn for player in pair) == players, "each one plays once in a round"
    met = [pair for drawn in rounds for pair in drawn if len(pair) == 2]
    assert sorted(tuple(sorted(pair)) for pair in met) == list(combinations(players, 2))
    first, second = (Counter(pair[seat] for pair in met) for seat in (0, 1))
    assert max(abs(first[player] - second[player]) for player in players) <= 1
    byes = Counter(pair[0] for drawn in rounds for pair in drawn if len(pair) == 1)
    assert set(byes.values()) == ({1} if count % 2 else set())
    assert len(byes) == (count if count % 2 else 0)


def test_a_player_whose_opponent_has_left_has_a_bye_and_the_others_meet_as_before() -> None:
    league = terms("round_robin")
    assert pairs(league, "abcd", "abd", [], 1) == (("d", "a"), ("b",))
    assert pairs(league, "abcd", "abd", [], 2) == (("b", "d"), ("a",))
    assert pairs(league, "abcd", "ad", [], 1) == (("d", "a"),)


@pytest.mark.parametrize(("players", "drawn"), [("", ()), ("a", (("a",),))])
def test_fewer_than_two_players_meet_no_opponent(players: str, drawn: tuple[tuple[str, ...], ...]) -> None:
    assert round_robin(players, 1) == drawn
