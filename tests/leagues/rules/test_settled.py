"""Fixtures that are over."""

from __future__ import annotations

from server.leagues.rules.settled import met, seated, seconds
from tests.leagues.rules.results import bye, drawn, lost, terms, void, won

TERMS = terms("round_robin", win=5, draw=2, loss=1)


def test_a_win_a_draw_and_a_loss_give_the_points_of_the_terms() -> None:
    assert (won("a", "b").points("a", TERMS), won("a", "b").points("b", TERMS)) == (5, 1)
    assert (lost("a", "b").points("a", TERMS), lost("a", "b").points("b", TERMS)) == (1, 5)
    assert (drawn("a", "b").points("a", TERMS), drawn("a", "b").points("b", TERMS)) == (2, 2)


def test_a_bye_gives_the_points_of_a_win_and_has_no_opponent() -> None:
    assert bye("a").points("a", TERMS) == 5
    assert bye("a").bye
    assert bye("a").opponent("a") == ""


def test_a_void_fixture_gives_no_points_not_even_those_of_a_loss() -> None:
    assert [void("a", "b").points(player, TERMS) for player in "ab"] == [0, 0]


def test_those_have_met_whose_fixture_is_over_however_it_ended() -> None:
    assert met([won("a", "b"), void("c", "d"), bye("e")]) == {frozenset("ab"), frozenset("cd")}


def test_seconds_count_second_seats_less_first_ones_and_no_byes() -> None:
    settled = [won("a", "b"), won("c", "a"), won("d", "a"), bye("a")]
    assert [seconds(settled, player) for player in "abcd"] == [1, 1, -1, -1]


def test_the_first_seat_goes_to_the_player_who_had_it_less_often() -> None:
    settled = [won("a", "b"), won("a", "c")]
    assert seated(("a", "b"), settled) == ("b", "a")
    assert seated(("b", "a"), settled) == ("b", "a")
    assert seated(("c", "b"), settled) == ("c", "b")
