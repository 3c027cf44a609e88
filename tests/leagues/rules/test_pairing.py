"""Who meets whom: in every format each player is in one pair of a round, and no two meet again while that can be helped."""

from __future__ import annotations

import random
from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from client_protocol.leagues import LeagueTerms
from server.leagues.rules.ladder import ladder, may_challenge
from server.leagues.rules.pairing import pairs
from server.leagues.rules.rounds import blocked, rounds_needed
from server.leagues.rules.settled import Settled, met

SEEDS = st.integers(0, 10_000)


def players(number: int) -> list[str]:
    return [f"p{one:02}" for one in range(number)]


def terms(format_: str, rounds: int = 0) -> LeagueTerms:
    return LeagueTerms("Autumn", "toy", ("duel",), format=format_, rounds=rounds)  # type: ignore[arg-type]


def settled(
    number: int, drawn: tuple[tuple[str, ...], ...], chance: random.Random, draws: bool = True
) -> list[Settled]:
    """How a round may have ended."""
    found = []
    for pair in drawn:
        if len(pair) == 1 or not (draws and chance.random() < 0.2):
            found.append(Settled(number, pair, "won", chance.choice(pair)))
        else:
            found.append(Settled(number, pair, "draw"))
    return found


def each_once(drawn: tuple[tuple[str, ...], ...], those: list[str]) -> None:
    assert sorted(player for pair in drawn for player in pair) == sorted(those)
    assert sum(len(pair) == 1 for pair in drawn) == len(those) % 2


@pytest.mark.parametrize("number", range(2, 17))
def test_in_a_round_robin_each_meets_each_once_and_sides_are_shared(number: int) -> None:
    those = players(number)
    rounds = rounds_needed("round_robin", number, 0)
    drawn = [pairs(terms("round_robin"), those, those, [], one) for one in range(1, rounds + 1)]
    for one in drawn:
        each_once(one, those)
    meetings = Counter(frozenset(pair) for one in drawn for pair in one if len(pair) == 2)
    assert meetings == Counter(frozenset(pair) for pair in combinations(those, 2))
    firsts = Counter(pair[0] for one in drawn for pair in one if len(pair) == 2)
    seconds = Counter(pair[1] for one in drawn for pair in one if len(pair) == 2)
    assert all(abs(firsts[player] - seconds[player]) <= 1 for player in those)


def test_in_a_round_robin_the_opponent_of_one_who_has_left_has_a_bye() -> None:
    those = players(4)
    whole = pairs(terms("round_robin"), those, those, [], 2)
    drawn = pairs(terms("round_robin"), those, those[1:], [], 2)
    assert [tuple(one for one in pair if one != "p00") for pair in whole] == list(drawn)


@settings(deadline=None, max_examples=60)
@given(st.integers(3, 24), st.integers(2, 6), SEEDS)
def test_in_a_swiss_no_two_meet_again_while_that_can_be_helped(number: int, rounds: int, seed: int) -> None:
    chance, those, over = random.Random(seed), players(number), list[Settled]()
    for one in range(1, rounds + 1):
        drawn = pairs(terms("swiss", rounds), those, those, over, one)
        each_once(drawn, those)
        if one <= (number - 1) // 2:
            # By then each has at least one opponent left, and a perfect matching of those who have not met is there.
            assert not met(over) & {frozenset(pair) for pair in drawn if len(pair) == 2}
            byes = {end.players[0] for end in over if end.bye}
            assert not byes & {pair[0] for pair in drawn if len(pair) == 1}
        over += settled(one, drawn, chance)


def test_in_a_swiss_those_meet_who_stand_alike_and_the_last_has_the_bye() -> None:
    those = players(5)
    over = [
        Settled(1, ("p00", "p02"), "won", "p00"),
        Settled(1, ("p01", "p03"), "won", "p01"),
        Settled(1, ("p04",), "won", "p04"),
    ]
    drawn = pairs(terms("swiss", 3), those, those, over, 2)
    assert [set(pair) for pair in drawn] == [{"p00", "p01"}, {"p04", "p02"}, {"p03"}]
    # Sides are shared: who came first in the round before comes second now, where the other did not.
    again = pairs(terms("swiss", 3), ["a", "b"], ["a", "b"], [Settled(1, ("a", "b"), "draw")], 2)
    assert again == (("b", "a"),)


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 33), SEEDS)
def test_an_elimination_leaves_one_after_the_rounds_it_needs(number: int, seed: int) -> None:
    chance, those, over = random.Random(seed), players(number), list[Settled]()
    through = set(those)
    for one in range(1, rounds_needed("elimination", number, 0) + 1):
        drawn = pairs(terms("elimination"), those, those, over, one)
        each = sorted(player for pair in drawn for player in pair)
        assert each == sorted(through)
        end = settled(one, drawn, chance, draws=False)
        through = {fixture.winner for fixture in end}
        over += end
    assert len(through) == 1


def test_in_an_elimination_the_best_meet_late_and_have_the_byes() -> None:
    first = pairs(terms("elimination"), players(6), players(6), [], 1)
    assert first == (("p00",), ("p03", "p04"), ("p01",), ("p02", "p05"))
    over = [Settled(1, pair, "won", pair[0]) for pair in first]
    second = pairs(terms("elimination"), players(6), players(6), over, 2)
    assert [set(pair) for pair in second] == [{"p00", "p03"}, {"p01", "p02"}]


def test_who_has_left_an_elimination_is_passed_by() -> None:
    those = players(4)
    over = [Settled(1, ("p00", "p03"), "void"), Settled(1, ("p01", "p02"), "won", "p01")]
    assert pairs(terms("elimination"), those, ["p01", "p02", "p03"], over, 2) == (("p03", "p01"),)


def test_on_a_ladder_a_winner_takes_the_place_of_the_beaten() -> None:
    those = players(5)
    over = [Settled(0, ("p03", "p01"), "won", "p03"), Settled(0, ("p04", "p00"), "draw")]
    assert ladder(those, over) == ("p00", "p03", "p01", "p02", "p04")
    assert ladder(those, [Settled(0, ("p03", "p01"), "won", "p01")]) == tuple(those)
    assert may_challenge(those, "p03", "p00") == ""
    assert "up to 3 places" in may_challenge(those, "p04", "p00")
    assert "higher" in may_challenge(those, "p00", "p01")


def test_the_next_round_waits_for_what_has_to_be_settled() -> None:
    two = players(2)
    assert blocked("swiss", two, [], 0, 0, 3) == ""
    assert blocked("swiss", two, [], 1, 1, 3) == "There is 1 fixture to play, or to settle, before the next round."
    assert blocked("swiss", two, [], 2, 1, 3).startswith("There are 2 fixtures")
    assert blocked("swiss", two[:1], [], 0, 0, 0) == "A round needs two players."
    assert blocked("swiss", two, [], 0, 3, 3) == "All rounds are played."
    assert "no rounds" in blocked("ladder", two, [], 0, 0, 0)
    draw = [Settled(1, ("p00", "p01"), "draw")]
    assert "settle who goes on" in blocked("elimination", players(4), draw, 0, 1, 2)
    assert blocked("elimination", ["p00", "p02"], draw, 0, 1, 2) == "", "the other one has left"
    assert [rounds_needed("swiss", number, 0) for number in (1, 2, 3, 8, 9)] == [0, 1, 2, 3, 4]
