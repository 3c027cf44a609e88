"""Elimination: a bracket, from its first round to its champion."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from server.leagues.rules.elimination import elimination, undecided
from server.leagues.rules.rounds import rounds_needed
from server.leagues.rules.settled import Settled
from tests.leagues.rules.results import at_random, bye, calm, drawn, lost, named, played, terms, void, won

FIRST_ROUND = [won("a", "h", 1), won("d", "e", 1), won("b", "g", 1), won("c", "f", 1)]


def drawn_pairs(players: str, playing: str, settled: Sequence[Settled], number: int) -> str:
    """Return the pairs of a round as `ah de`."""
    return " ".join("".join(pair) for pair in elimination(players, playing, settled, number))


@pytest.mark.parametrize(
    ("players", "pairs"),
    [
        ("", ""),
        ("a", "a"),
        ("ab", "ab"),
        ("abc", "a bc"),
        ("abcd", "ad bc"),
        ("abcde", "a de b c"),
        ("abcdef", "a de b cf"),
        ("abcdefg", "a de bg cf"),
        ("abcdefgh", "ah de bg cf"),
    ],
)
def test_the_first_seed_meets_the_last_and_the_first_ones_have_byes(players: str, pairs: str) -> None:
    assert drawn_pairs(players, players, [], 1) == pairs


def test_winners_meet_in_the_order_of_the_bracket() -> None:
    assert drawn_pairs("abcdefgh", "abcdefgh", FIRST_ROUND, 2) == "ad bc"
    upset = [lost("a", "h", 1), lost("d", "e", 1), *FIRST_ROUND[2:]]
    assert drawn_pairs("abcdefgh", "abcdefgh", upset, 2) == "he bc"
    second = [*FIRST_ROUND, won("a", "d", 2), won("b", "c", 2)]
    assert drawn_pairs("abcdefgh", "abcdefgh", second, 3) == "ab"


def test_the_order_of_the_fixtures_does_not_matter() -> None:
    assert drawn_pairs("abcdefgh", "abcdefgh", FIRST_ROUND[::-1], 2) == "ad bc"


def test_a_player_with_a_bye_meets_the_winner_of_the_next_fixture() -> None:
    settled = [bye("a", 1), won("d", "e", 1), bye("b", 1), bye("c", 1)]
    assert drawn_pairs("abcde", "abcde", settled, 2) == "ad bc"


def test_the_first_seat_goes_to_the_player_who_had_it_less_often() -> None:
    settled = [won("a", "d", 1), lost("b", "c", 1)]
    assert drawn_pairs("abcd", "abcd", settled, 2) == "ca"


def test_the_opponent_of_a_winner_who_has_left_has_a_bye_and_the_loser_stays_out() -> None:
    assert drawn_pairs("abcdefgh", "bcdefgh", FIRST_ROUND, 2) == "d bc"


def test_who_was_to_meet_a_player_who_has_left_goes_on() -> None:
    settled = [void("a", "h", 1), *FIRST_ROUND[1:]]
    assert drawn_pairs("abcdefgh", "bcdefgh", settled, 2) == "hd bc"
    assert drawn_pairs("abcdefgh", "bcdefg", settled, 2) == "d bc", "both have left"


def test_a_part_of_the_bracket_that_has_emptied_moves_no_other() -> None:
    players = "abcdefghijklmnop"
    first = [won(*pair, 1) for pair in elimination(players, players, [], 1)]  # type: ignore[call-arg, arg-type]  # of two
    stay = players.replace("d", "").replace("e", "")
    second = elimination(players, stay, first, 2)
    assert [set(pair) for pair in second] == [set("ah"), set("bg"), set("cf")]
    settled = [*first, won("a", "h", 2), won("b", "g", 2), won("c", "f", 2)]
    assert [set(pair) for pair in elimination(players, stay, settled, 3)] == [{"a"}, set("bc")]


def test_a_draw_or_a_void_fixture_of_two_who_stay_is_undecided() -> None:
    assert undecided([drawn("a", "b", 1)], "ab")
    assert undecided([won("c", "d", 1), void("a", "b", 1)], "abcd")
    assert not undecided([won("a", "b", 1), bye("c", 1)], "abc")
    assert not undecided([void("a", "b", 1)], "a"), "the other one has left"


@calm
@given(st.integers(2, 60), st.integers(0, 999))
def test_one_champion_is_left_after_the_rounds_that_are_needed(count: int, seed: int) -> None:
    players = named(count)
    needed = rounds_needed("elimination", count, 0)
    rounds, settled = played(terms("elimination"), players, needed, at_random(seed, decided=True))
    assert len(rounds[-1]) == 1
    lost_once = {player for one in settled for player in one.players if player != one.winner}
    assert set(players) - lost_once == {settled[-1].winner}
    assert sum(len(pair) == 2 for pairs in rounds for pair in pairs) == count - 1
    byes = [pair[0] for pair in rounds[0] if len(pair) == 1]
    assert sorted(byes) == players[: 2**needed - count]
    assert all(len(pair) == 2 for pairs in rounds[1:] for pair in pairs), "byes are in the first round alone"


@calm
@given(st.integers(2, 40))
def test_where_the_better_seed_always_wins_the_first_two_meet_last(count: int) -> None:
    players = named(count)
    needed = rounds_needed("elimination", count, 0)
    rounds, _ = played(
        terms("elimination"),
        players,
        needed,
        lambda pair, number: bye(pair[0], number) if len(pair) == 1 else won(min(pair), max(pair), number),
    )
    assert set(rounds[-1][0]) == {"p01", "p02"}


@calm
@given(st.integers(2, 40), st.integers(0, 999), st.data())
def test_each_one_who_has_not_lost_is_in_one_pair_also_where_players_leave(
    count: int, seed: int, data: st.DataObject
) -> None:
    players, referee = named(count), at_random(seed, decided=True)
    stay, out = list(players), set[str]()
    settled: list[Settled] = []
    for number in range(1, rounds_needed("elimination", count, 0) + 1):
        pairs = elimination(players, stay, settled, number)
        assert sorted(player for pair in pairs for player in pair) == sorted(set(stay) - out)
        now = [referee(pair, number) for pair in pairs]
        out |= {player for one in now for player in one.players if player != one.winner}
        settled += now
        leave = data.draw(st.sets(st.sampled_from(players), max_size=3))
        stay = [player for player in stay if player not in leave]
    assert len(set(stay) - out) <= 1
