"""Leagues with sides: who meets whom, and the table of sides."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from client_protocol.leagues import LeagueTerms
from server.leagues.rules.pairing import pairs
from server.leagues.rules.settled import Settled
from server.leagues.rules.sides import Sides, round_robin_of_sides, rounds_of_sides, side_standings
from server.leagues.rules.standings import standings
from tests.leagues.rules.results import at_random, drawn, named, terms, won

COUNTS = [(1, 1), (2, 2), (4, 4), (5, 3), (1, 6), (2, 2, 2), (3, 1, 2), (4, 4, 4, 4), (5, 2, 3, 1), (2, 2, 2, 2, 2)]


def sided(counts: tuple[int, ...]) -> tuple[list[str], dict[str, int]]:
    """Players of sides with these counts, who have joined in turns."""
    players = named(sum(counts))
    left = dict(enumerate(counts, 1))
    sides: dict[str, int] = {}
    for player in players:
        side = max(left, key=lambda one: left[one])
        sides[player], left[side] = side, left[side] - 1
    return players, sides


def enemies_of(players: list[str], sides: Sides) -> list[tuple[str, str]]:
    return [(one, other) for one, other in combinations(players, 2) if sides[one] != sides[other]]


@pytest.mark.parametrize("counts", COUNTS)
def test_in_a_round_robin_each_player_meets_each_enemy_once_and_sides_of_the_table_are_shared(
    counts: tuple[int, ...],
) -> None:
    players, sides = sided(counts)
    rounds = rounds_of_sides(dict(enumerate(counts)))
    met: list[tuple[str, ...]] = []
    for number in range(1, rounds + 1):
        pairs_ = round_robin_of_sides(players, sides, number)
        assert pairs_, "no round is empty"
        assert max(Counter(player for pair in pairs_ for player in pair).values()) == 1
        met += pairs_
    assert sorted(tuple(sorted(pair)) for pair in met) == sorted(enemies_of(players, sides))
    first, second = (Counter(pair[seat] for pair in met) for seat in (0, 1))
    assert max(abs(first[player] - second[player]) for player in players) <= len(counts) - 1


@pytest.mark.parametrize(("counts", "rounds"), [((4, 4), 4), ((5, 3), 5), ((4, 4, 4, 4), 12), ((3, 0), 0), ((), 0)])
def test_a_round_robin_of_sides_takes_as_many_rounds_as_a_player_has_enemies(
    counts: tuple[int, ...], rounds: int
) -> None:
    assert rounds_of_sides(dict(enumerate(counts))) == rounds


def season(counts: tuple[int, ...], rounds: int) -> tuple[list[str], dict[str, int], list[tuple[tuple[str, ...], ...]]]:
    """The pairs of a Swiss league of sides."""
    players, sides = sided(counts)
    league, referee = terms("swiss"), at_random(7)
    told: list[tuple[tuple[str, ...], ...]] = []
    settled: list[Settled] = []
    for number in range(1, rounds + 1):
        told.append(pairs(league, players, players, settled, number, sides))
        settled += [referee(pair, number) for pair in told[-1]]
    return players, sides, told


@pytest.mark.parametrize("counts", COUNTS)
def test_in_a_swiss_round_as_many_enemies_meet_as_can_and_those_sit_out_who_had_most(counts: tuple[int, ...]) -> None:
    players, sides, rounds = season(counts, 4)
    had: Counter[str] = Counter()
    for told in rounds:
        assert all(len(pair) == 2 and sides[pair[0]] != sides[pair[1]] for pair in told)
        assert len(told) == min(len(players) // 2, len(players) - max(counts))
        had.update(player for pair in told for player in pair)
        for side in sides.values():
            own = [had[player] for player in players if sides[player] == side]
            assert max(own) - min(own) <= 1, "those of one side sit out in turns"


def test_in_a_swiss_league_enemies_meet_again_only_when_all_have_met() -> None:
    _, _, rounds = season((4, 4), 4)
    met = [frozenset(pair) for told in rounds for pair in told]
    assert len(set(met)) == len(met) == 16


def test_a_side_has_what_its_players_have_together() -> None:
    sides = {"a": 1, "b": 2, "c": 1}
    league: LeagueTerms = terms("free")
    table = standings("abc", [won("a", "b"), won("b", "c"), drawn("b", "c")], league)
    first, second = side_standings(("Red", "Blue"), sides, "ab", table)
    assert (first.rank, first.side, first.players, first.points) == (1, 1, 1, 4)
    assert (first.played, first.won, first.drawn, first.lost) == (3, 1, 1, 1)
    assert (second.rank, second.side, second.points) == (1, 2, 4)
