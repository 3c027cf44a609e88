"""How players stand, and what decides between equal points."""

from __future__ import annotations

import random

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from client_protocol.leagues import LeagueTerms
from server.leagues.rules.settled import Settled
from server.leagues.rules.standings import standings

TERMS = LeagueTerms("Autumn", "toy", ("duel",))
ALL = replace(TERMS, tie_breaks=("head_to_head", "buchholz", "sonneborn_berger", "wins", "losses_inflicted"))
SEASON = [
    Settled(1, ("a", "b"), "won", "a", (2, 5)),
    Settled(1, ("c", "d"), "draw", "", (3, 3)),
    Settled(2, ("a", "c"), "won", "c", (6, 1)),
    Settled(2, ("b", "d"), "won", "b", (0, 4)),
    Settled(3, ("a",), "won", "a"),
    Settled(3, ("b", "c"), "void"),
]


def test_players_stand_by_points_then_by_tie_breaks() -> None:
    table = standings(("a", "b", "c", "d"), SEASON, ALL)
    assert [(one.rank, one.player, one.points) for one in table] == [
        (1, "a", 6),
        (2, "c", 4),
        (3, "b", 3),
        (4, "d", 1),
    ]
    a, c, b, d = table
    assert (a.played, a.won, a.drawn, a.lost, a.form) == (2, 1, 0, 1, "WL")
    assert (c.played, c.won, c.drawn, c.lost, c.form) == (2, 1, 1, 0, "DW")
    assert b.form == "LW"
    # No two have equal points; b has met a (6) and d (1), has beaten d; the opponents lost 2 and 4.
    assert b.tie_breaks == (0, 700, 100, 100, 600)
    # c: d (1) a draw, a (6) beaten.
    assert c.tie_breaks == (0, 700, 650, 100, 900)
    assert d.tie_breaks == (0, 700, 200, 0, 300)


def test_a_bye_counts_as_won_and_a_void_fixture_for_no_player() -> None:
    table = {one.player: one for one in standings(("a", "b"), [Settled(1, ("a",), "won", "a")], TERMS)}
    assert (table["a"].points, table["a"].played, table["a"].form) == (3, 0, "")
    void = standings(("a", "b"), [Settled(1, ("a", "b"), "void", "", (4, 5))], ALL)
    assert [(one.rank, one.points, one.played) for one in void] == [(1, 0, 0), (1, 0, 0)]


def test_equal_points_are_told_apart_by_who_beat_whom() -> None:
    over = [
        Settled(1, ("a", "b"), "won", "b"),
        Settled(2, ("a", "c"), "won", "a"),
        Settled(3, ("b", "c"), "won", "c"),
        Settled(4, ("b", "d"), "draw"),
        Settled(4, ("a", "d"), "draw"),
    ]
    table = standings(("a", "b", "c", "d"), over, replace(TERMS, tie_breaks=("head_to_head",)))
    assert [(one.player, one.rank) for one in table] == [("b", 1), ("a", 2), ("c", 3), ("d", 4)]
    assert [one.rank for one in standings(("a", "b"), [], TERMS)] == [1, 1]


def test_a_ladder_stands_by_its_places_and_an_elimination_by_its_rounds() -> None:
    over = [Settled(0, ("c", "a"), "won", "c"), Settled(0, ("b", "c"), "won", "c")]
    ladder = standings(("a", "b", "c"), over, replace(TERMS, format="ladder"))
    assert [one.player for one in ladder] == ["c", "a", "b"]
    knock_out = [Settled(1, ("a",), "won", "a"), Settled(1, ("b", "c"), "won", "b"), Settled(2, ("a", "b"), "won", "b")]
    table = standings(("a", "b", "c"), knock_out, replace(TERMS, format="elimination"))
    assert [one.player for one in table] == ["b", "a", "c"]


@settings(deadline=None, max_examples=60)
@given(st.integers(2, 12), st.integers(0, 40), st.integers(0, 10_000))
def test_the_table_adds_up_in_whatever_order_players_joined(number: int, fixtures: int, seed: int) -> None:
    chance = random.Random(seed)
    those = [f"p{one}" for one in range(number)]
    over = []
    for _ in range(fixtures):
        pair = tuple(chance.sample(those, 2))
        outcome = chance.choice(("won", "draw", "void"))
        winner = chance.choice(pair) if outcome == "won" else ""
        over.append(Settled(1, pair, outcome, winner, (chance.randrange(9), chance.randrange(9))))  # type: ignore[arg-type]
    table = standings(those, over, ALL)
    assert sum(one.won for one in table) == sum(one.lost for one in table)
    assert sum(one.played for one in table) == 2 * sum(one.counts for one in over)
    assert [one.rank for one in table] == sorted(one.rank for one in table)
    assert all(one.played == one.won + one.drawn + one.lost for one in table)
    other = standings(chance.sample(those, number), over, ALL)
    assert {one.player: one for one in other} == {one.player: one for one in table}
