"""The order of a ladder, and who may challenge whom."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from server.leagues.rules.ladder import ladder, may_challenge
from server.leagues.rules.settled import Settled
from tests.leagues.rules.results import at_random, bye, calm, drawn, lost, named, void, won

LOWER = "On a ladder you challenge players who stand higher than you."


def order(*settled: Settled) -> str:
    return "".join(ladder("abcde", settled))


def test_players_stand_as_they_joined_until_a_challenger_wins() -> None:
    assert order() == "abcde"
    assert order(lost("d", "b"), drawn("e", "a"), void("c", "a"), bye("e")) == "abcde"


def test_a_challenger_who_wins_takes_the_place_and_those_between_go_down_one() -> None:
    assert order(won("d", "b")) == "adbce"
    assert order(won("e", "a")) == "eabcd"
    assert order(won("b", "a")) == "bacde"


def test_a_later_win_counts_from_the_places_after_the_earlier_one() -> None:
    assert order(won("d", "b"), won("c", "d")) == "acdbe"
    assert order(won("c", "d"), won("d", "b")) == "adbce"


def test_the_winner_climbs_also_as_the_one_who_was_challenged_from_above() -> None:
    # Between challenge and match the two may have changed places by other matches.
    assert order(won("c", "a"), lost("a", "c")) == "cabde"
    assert order(won("c", "a"), won("a", "c")) == "acbde"


@calm
@given(
    st.integers(2, 12), st.lists(st.tuples(st.integers(0, 11), st.integers(0, 11)), max_size=20), st.integers(0, 999)
)
def test_a_ladder_keeps_all_its_players_and_the_last_winner_stands_higher(
    count: int, meetings: list[tuple[int, int]], seed: int
) -> None:
    players, referee = named(count), at_random(seed)
    settled = [
        referee((players[one], players[other]), 0) for one, other in meetings if one < count > other and one != other
    ]
    stand = ladder(players, settled)
    assert sorted(stand) == players
    if settled and settled[-1].winner:
        assert stand.index(settled[-1].winner) < stand.index(settled[-1].opponent(settled[-1].winner))


def test_a_challenge_goes_up_to_three_places_up() -> None:
    assert [may_challenge("abcde", "e", other) for other in "dcb"] == ["", "", ""]
    assert may_challenge("abcde", "e", "a") == "On this ladder you may challenge those who stand up to 3 places higher."
    assert may_challenge("abcde", "a", "b") == LOWER


def test_a_player_does_not_challenge_themselves() -> None:
    assert may_challenge("abcde", "c", "c") == LOWER


def test_another_reach_is_said_in_the_sentence() -> None:
    assert may_challenge("abcde", "e", "a", reach=4) == ""
    sentence = "On this ladder you may challenge the player who stands 1 place higher."
    assert may_challenge("abcde", "c", "a", reach=1) == sentence
