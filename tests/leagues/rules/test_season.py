"""The season of a league."""

from __future__ import annotations

from server.leagues.rules.season import season
from tests.leagues.rules.results import bye, drawn, terms, void, won


def test_points_add_up_round_by_round() -> None:
    settled = [drawn("a", "c", 2), won("a", "b", 1), bye("c", 1), void("b", "d", 1)]
    found = season("acbd", settled, terms("swiss"))
    assert found.steps == ("Round 1", "Round 2")
    assert found.values == {"a": (3, 4), "c": (3, 4), "b": (0, 0), "d": (0, 0)}
    assert not found.places


def test_where_there_are_no_rounds_each_match_that_counts_is_a_step() -> None:
    found = season("ab", [won("a", "b"), void("a", "b"), won("b", "a")], terms("free"))
    assert found.steps == ("Match 1", "Match 2")
    assert found.values == {"a": (3, 3), "b": (0, 3)}


def test_a_ladder_has_places() -> None:
    found = season("abcd", [won("c", "a"), won("d", "b")], terms("ladder"))
    assert found.places
    assert found.values == {"c": (1, 1), "a": (2, 2), "b": (3, 4), "d": (4, 3)}


def test_a_player_who_is_not_in_the_table_has_no_points() -> None:
    assert season("a", [won("z", "a", 1)], terms("swiss")).values == {"a": (0,)}


def test_on_a_map_areas_give_points_each_turn_also_without_battles() -> None:
    found = season("ab", [won("a", "b", 2)], terms("map"), {"a": (1, 0, 2), "b": (1,)})
    assert found.steps == ("Turn 1", "Turn 2", "Turn 3")
    assert found.values == {"a": (1, 4, 6), "b": (1, 1, 1)}
