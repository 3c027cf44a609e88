"""Swiss: those meet who stand alike, and no two meet twice while that can be helped."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from client_protocol.leagues import LeagueTerms
from server.leagues.rules.settled import Settled, met
from server.leagues.rules.swiss import swiss
from tests.leagues.rules.results import Pairs, at_random, bye, calm, drawn, lost, named, played, terms, void, won

TERMS = terms("swiss")
DEAR = terms("swiss", win=100, draw=37)
"""Terms whose points differ so much that a pair of unequal players weighs much."""


def told(players: Sequence[str], *settled: Settled, by: LeagueTerms = TERMS) -> str:
    """Return the pairs of the next round as `ac bd`."""
    return " ".join("".join(pair) for pair in swiss(players, settled, by))


def test_at_first_the_upper_half_meets_the_lower_one() -> None:
    assert told("abcdefgh") == "ae bf cg dh"


def test_the_last_of_an_odd_number_has_a_bye() -> None:
    assert told("abcde") == "ac bd e"


def test_winners_meet_winners_and_losers_losers() -> None:
    assert told("abcd", won("a", "c", 1), won("b", "d", 1)) == "ab cd"


def test_the_last_of_the_better_meets_the_first_of_the_others() -> None:
    settled = [won("a", "d", 1), won("b", "e", 1), won("c", "f", 1)]
    # a, b, c have 3 and d, e, f 0: c goes down, and meets d.
    assert {frozenset(pair) for pair in swiss("abcdef", settled, TERMS)} == {
        frozenset("ab"),
        frozenset("cd"),
        frozenset("ef"),
    }


def test_a_pair_does_not_meet_twice_though_it_stands_alike() -> None:
    settled = [won("a", "c", 1), won("b", "d", 1), won("a", "b", 2), won("c", "d", 2)]
    # a 6, b 3, c 3, d 0: b and c have not met, nor a and d.
    assert told("abcd", *settled) == "da bc"


def test_a_void_fixture_was_a_meeting_without_points() -> None:
    again = [void("a", "c", 1), void("b", "d", 1)]
    assert repeats(swiss("abcd", again, TERMS), again) == 0


def test_a_bye_goes_to_the_lowest_who_had_none() -> None:
    settled = [won("a", "c", 1), won("b", "d", 1), bye("e", 1)]
    # a, b, e have 3 and c, d 0: d is the lowest.
    assert told("abcde", *settled)[-1] == "d"
    more = [*settled, won("a", "b", 2), won("e", "c", 2), bye("d", 2)]
    # a 6, e 6, b 3, d 3, c 0.
    assert told("abcde", *more).split()[-1] == "c"


def test_a_bye_goes_up_where_the_lowest_had_one_already() -> None:
    settled = [won("a", "b", 1), bye("c", 1), lost("a", "c", 2), bye("b", 2)]
    # c 6, a 3, b 3: b had a bye, a had none, and b and c have not met.
    assert sorted(told("abc", *settled).split(), key=len) == ["a", "cb"]


def test_the_first_seat_goes_to_the_player_who_had_it_less_often() -> None:
    settled = [won("a", "c", 1), lost("b", "d", 1)]
    assert told("abcd", *settled) == "da cb"


def test_where_all_have_met_the_fewest_meet_again() -> None:
    settled = [
        won("a", "b", 1),
        won("c", "d", 1),
        won("a", "c", 2),
        won("b", "d", 2),
        won("a", "d", 3),
        won("b", "c", 3),
    ]
    # a 9, b 6, c 3, d 0: all pairs meet again, those who stand alike.
    assert {frozenset(pair) for pair in swiss("abcd", settled, TERMS)} == {frozenset("ab"), frozenset("cd")}


def test_no_difference_in_points_weighs_as_much_as_a_second_meeting() -> None:
    settled = [*[won("a", "b")] * 40, *[won("c", "d")] * 40, void("a", "c")]
    # a and c have 4000, b and d 0: a and c would meet again, and b and d for the first time.
    assert {frozenset(pair) for pair in swiss("abcd", settled, DEAR)} == {frozenset("ad"), frozenset("bc")}


def test_of_two_players_who_have_met_both_meet_again() -> None:
    assert told("ab", won("a", "b", 1)) == "ba"


@pytest.mark.parametrize(("players", "pairs"), [("", ""), ("a", "a"), ("ab", "ab")])
def test_few_players_are_paired_too(players: str, pairs: str) -> None:
    assert told(players) == pairs


def pairings(players: tuple[str, ...]) -> Iterator[Pairs]:
    """Return all ways to pair players, with one bye if their number is odd."""
    if not players:
        yield ()
        return
    first, *others = players
    for other in others:
        rest = tuple(player for player in others if player != other)
        yield from (((first, other), *more) for more in pairings(rest))
    if len(players) % 2:
        yield from (((first,), *more) for more in pairings(tuple(others)))


def repeats(pairs: Pairs, settled: Sequence[Settled]) -> int:
    """Return how many of the pairs and byes there were before."""
    meetings = met(settled) | {frozenset(one.players) for one in settled if one.bye}
    return sum(frozenset(pair) in meetings for pair in pairs)


@calm
@given(st.integers(2, 7), st.integers(0, 8), st.sampled_from([TERMS, DEAR]), st.integers(0, 9999))
def test_no_pairing_at_all_has_fewer_repeats(count: int, rounds: int, by: LeagueTerms, seed: int) -> None:
    players = named(count)
    _, settled = played(by, players, rounds, at_random(seed))
    fewest = min(repeats(pairs, settled) for pairs in pairings(tuple(players)))
    assert repeats(swiss(players, settled, by), settled) == fewest


@calm
@given(st.integers(2, 7), st.integers(0, 4), st.integers(0, 9999))
def test_the_bye_is_the_lowest_of_all_with_as_few_repeats_and_points_differ_the_least(
    count: int, rounds: int, seed: int
) -> None:
    players = named(count)
    _, settled = played(TERMS, players, rounds, at_random(seed))
    points = {player: sum(one.points(player, TERMS) for one in settled if player in one.players) for player in players}
    order = sorted(players, key=lambda player: (-points[player], player))

    def worse(pairs: Pairs) -> tuple[int, int, int]:
        above = sum(len(order) - order.index(pair[0]) for pair in pairs if len(pair) == 1)
        apart = sum((points[pair[0]] - points[pair[1]]) ** 2 for pair in pairs if len(pair) == 2)
        return repeats(pairs, settled), above, apart

    assert worse(swiss(players, settled, TERMS)) == min(map(worse, pairings(tuple(players))))


@calm
@given(st.integers(3, 40), st.integers(3, 9), st.sampled_from([TERMS, DEAR]), st.integers(0, 9999))
def test_a_league_at_random_has_no_repeats_while_they_can_be_helped(
    count: int, rounds: int, by: LeagueTerms, seed: int
) -> None:
    players = named(count)
    drawn_rounds, settled = played(by, players, rounds, at_random(seed))
    for number, pairs in enumerate(drawn_rounds, 1):
        assert sorted(player for pair in pairs for player in pair) == players, "each one is in one pair"
        assert sum(len(pair) == 1 for pair in pairs) == count % 2
        before = [one for one in settled if one.round < number]
        # Dirac: while each one has half of the others left to meet, all can be paired. A bye is one opponent more.
        if 2 * number <= count:
            assert repeats(pairs, before) == 0, (number, pairs)


@calm
@given(st.integers(3, 12), st.integers(1, 5), st.integers(0, 9999), st.randoms(use_true_random=False))
def test_the_order_of_the_fixtures_does_not_matter(count: int, rounds: int, seed: int, chance: Random) -> None:
    players = named(count)
    _, settled = played(TERMS, players, rounds, at_random(seed))
    shuffled = list(settled)
    chance.shuffle(shuffled)
    assert swiss(players, shuffled, TERMS) == swiss(players, settled, TERMS)


def test_a_player_who_joins_late_and_one_who_has_left_are_no_trouble() -> None:
    settled = [won("a", "c", 1), won("b", "d", 1)]
    # c has left and e has joined: a and b have 3, d and e 0.
    assert told("abde", *settled) == "ab de"


def test_a_draw_stands_between_a_win_and_a_loss() -> None:
    settled = [won("a", "e", 1), won("b", "f", 1), drawn("c", "g", 1), drawn("d", "h", 1)]
    # a, b have 3, c, d, g, h 1, and e, f 0.
    assert {frozenset(pair) for pair in swiss("abcdefgh", settled, TERMS)} == {
        frozenset("ab"),
        frozenset("cd"),
        frozenset("gh"),
        frozenset("ef"),
    }
