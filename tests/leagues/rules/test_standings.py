"""How players stand: points, tie-breaks, shared ranks, form."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import get_args

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from client_protocol.leagues import Format, LeagueTerms, Standing, TieBreak
from server.leagues.rules.ladder import ladder
from server.leagues.rules.rounds import rounds_needed
from server.leagues.rules.settled import Settled
from server.leagues.rules.standings import standings
from tests.leagues.rules.results import at_random, bye, calm, drawn, lost, named, played, terms, void, won

ALL: tuple[TieBreak, ...] = get_args(TieBreak)
WITH_ROUNDS: list[Format] = ["round_robin", "swiss", "elimination"]


def ranks(table: tuple[Standing, ...]) -> str:
    """Return the table as `1a 2b 2c 4d`."""
    return " ".join(f"{row.rank}{row.player}" for row in table)


def broken(kind: TieBreak, *settled: Settled, players: str = "abcd") -> dict[str, int]:
    """Return each player's value of a tie-break."""
    return {row.player: row.tie_breaks[0] for row in standings(players, settled, terms("free", kind))}


def test_a_table_counts_matches_and_points() -> None:
    settled = [won("a", "b", 1), drawn("c", "a", 2), lost("b", "c", 3)]
    assert standings("abc", settled, terms("round_robin")) == (
        Standing(1, "a", 2, 1, 1, 0, 4, (), "WD"),
        Standing(1, "c", 2, 1, 1, 0, 4, (), "DW"),
        Standing(3, "b", 2, 0, 0, 2, 0, (), "LL"),
    )


def test_a_table_has_the_points_and_all_tie_breaks_of_a_season() -> None:
    season = [
        won("a", "b", 1, losses=(2, 5)),
        drawn("c", "d", 1, losses=(3, 3)),
        lost("a", "c", 2, losses=(6, 1)),
        won("b", "d", 2, losses=(0, 4)),
        bye("a", 3),
        void("b", "c", 3),
    ]
    assert standings("abcd", season, terms("swiss", *ALL)) == (
        Standing(1, "a", 2, 1, 0, 1, 6, (0, 700, 300, 100, 600), "WL", 6, 8),
        Standing(2, "c", 2, 1, 1, 0, 4, (0, 700, 650, 100, 900), "DW", 9, 4),
        Standing(3, "b", 2, 1, 0, 1, 3, (0, 700, 100, 100, 600), "LW", 6, 5),
        Standing(4, "d", 2, 0, 1, 1, 1, (0, 700, 200, 0, 300), "DL", 3, 7),
    )


def test_a_bye_gives_points_but_is_no_match() -> None:
    (row, _, _) = standings("abc", [bye("c", 1), won("a", "b", 1), won("c", "a", 2)], terms("swiss", "wins"))
    assert row == Standing(1, "c", 1, 1, 0, 0, 6, (100,), "W")


def test_a_void_fixture_counts_for_no_player() -> None:
    settled = [void("a", "b", 1, losses=(4, 5))]
    assert standings("ab", settled, terms("swiss", *ALL, loss=1)) == (
        Standing(1, "a", 0, 0, 0, 0, 0, (0,) * 5, ""),
        Standing(1, "b", 0, 0, 0, 0, 0, (0,) * 5, ""),
    )


def test_a_league_that_gathers_has_all_on_the_first_rank() -> None:
    assert ranks(standings("cab", [], terms("round_robin", *ALL))) == "1c 1a 1b"
    assert standings("", [], terms("round_robin")) == ()


def test_a_loss_may_give_points_too() -> None:
    assert [row.points for row in standings("ab", [won("a", "b")], terms("free", win=5, loss=2))] == [5, 2]


def test_head_to_head_counts_points_among_those_with_equal_points() -> None:
    # b beat a; a beat c; b lost to d: a and b have 3 each, so does d, which met b alone.
    settled = [won("b", "a"), won("a", "c"), won("d", "b")]
    assert broken("head_to_head", *settled) == {"a": 0, "b": 300, "d": 300, "c": 0}


def test_buchholz_is_the_points_of_all_opponents() -> None:
    # a 6, b 3, c 1, d 1.
    settled = [won("a", "b"), won("a", "c"), won("b", "d"), drawn("c", "d")]
    assert broken("buchholz", *settled) == {"a": 400, "b": 700, "c": 700, "d": 400}


def test_buchholz_counts_an_opponent_twice_who_was_met_twice_and_no_bye() -> None:
    assert broken("buchholz", won("a", "b"), won("b", "a"), bye("a"), players="ab") == {"a": 600, "b": 1200}


def test_sonneborn_berger_is_the_points_of_the_beaten_and_half_of_a_draw() -> None:
    # a 6, b 3, c 1, d 1.
    settled = [won("a", "b"), won("a", "c"), won("b", "d"), drawn("c", "d")]
    assert broken("sonneborn_berger", *settled) == {"a": 400, "b": 100, "c": 50, "d": 50}


def test_wins_count_matches_that_were_won_at_the_table() -> None:
    assert broken("wins", won("a", "b"), bye("a"), lost("c", "a"), drawn("b", "c")) == {
        "a": 200,
        "b": 0,
        "c": 0,
        "d": 0,
    }


def test_losses_inflicted_are_the_figures_that_the_opponents_lost() -> None:
    settled = [won("a", "b", losses=(2, 7)), drawn("c", "a", losses=(4, 1)), won("b", "d")]
    assert broken("losses_inflicted", *settled) == {"a": 1100, "b": 200, "c": 100, "d": 0}


def test_figures_and_luck_add_up_over_what_was_played() -> None:
    settled = [
        replace(won("a", "b", losses=(2, 7)), luck=(150, -20)),
        replace(drawn("c", "a", losses=(4, 1)), luck=(-30, -250)),
        won("a", "c"),  # its luck is not known
        replace(void("a", "b", losses=(9, 9)), luck=(900, 900)),
        bye("a"),
    ]
    rows = {one.player: one for one in standings("abc", settled, terms("free"))}
    assert [(key, one.inflicted, one.suffered) for key, one in sorted(rows.items())] == [
        ("a", 11, 3),
        ("b", 2, 7),
        ("c", 1, 4),
    ]
    assert [(key, one.luck, one.lucky) for key, one in sorted(rows.items())] == [
        ("a", -100, 2),
        ("b", -20, 1),
        ("c", -30, 1),
    ]


def test_tie_breaks_decide_in_the_order_of_the_terms() -> None:
    # All have 3 points, and 3 among themselves.
    settled = [won("b", "a", losses=(1, 1)), won("a", "c", losses=(0, 9)), won("c", "b", losses=(1, 1))]
    assert ranks(standings("abc", settled, terms("free", "head_to_head", "losses_inflicted"))) == "1a 2b 3c"
    cycle = [won("b", "a"), won("a", "c"), drawn("b", "c"), won("d", "a")]
    # b 4, then a and d 3: d beat a.
    assert ranks(standings("abcd", cycle, terms("free", "head_to_head", "wins"))) == "1b 2d 3a 4c"


def test_those_whom_nothing_tells_apart_share_a_rank_and_the_next_rank_is_left_out() -> None:
    settled = [won("a", "c"), won("b", "d")]
    assert ranks(standings("cabd", settled, terms("free", *ALL))) == "1a 1b 3c 3d"


def test_the_form_shows_the_last_five_the_latest_last() -> None:
    settled = [won("a", "b"), won("a", "b"), lost("a", "b"), bye("a"), void("a", "b"), drawn("a", "b")]
    settled += [lost("a", "b"), won("a", "b")]
    assert {row.player: row.form for row in standings("ab", settled, terms("free"))} == {"a": "WLDLW", "b": "LWDWL"}


def test_players_who_have_left_stay_in_the_table_with_what_they_played() -> None:
    # The table does not ask who has left: an opponent's points count on.
    assert broken("buchholz", won("a", "d"), won("d", "b")) == {"a": 300, "d": 300, "b": 300, "c": 0}


def test_an_opponent_who_is_not_in_the_table_counts_nothing() -> None:
    assert broken("buchholz", won("a", "z"), players="ab") == {"a": 0, "b": 0}


def test_a_ladder_stands_by_its_places_and_not_by_points() -> None:
    settled = [won("a", "b"), won("a", "b"), won("c", "a")]
    assert ranks(standings("abcd", settled, terms("ladder", "wins"))) == "1c 2a 3b 4d"


def test_an_elimination_stands_by_the_round_that_was_reached() -> None:
    settled = [won("a", "d", 1), won("b", "c", 1), lost("a", "b", 2)]
    assert ranks(standings("abcd", settled, terms("elimination"))) == "1b 2a 3c 3d"


def test_a_round_of_an_elimination_is_reached_by_a_bye_and_by_an_opponent_who_has_left() -> None:
    # e is through by a bye, and a because d has left: both lose in round 2, and stand higher than those of round 1.
    settled = [void("a", "d", 1), won("b", "c", 1), bye("e", 1), won("f", "g", 1), lost("a", "b", 2), lost("e", "f", 2)]
    table = standings("acdebfg", settled, terms("elimination"))
    assert [{row.player for row in table[at:end]} for at, end in ((0, 2), (2, 4), (4, 7))] == [
        {"b", "f"},
        {"a", "e"},
        {"c", "d", "g"},
    ]


def league(format_: Format, count: int, seed: int) -> tuple[list[str], list[Settled], LeagueTerms]:
    """Return a league that was played at random."""
    chance = random.Random(seed)
    kinds = chance.sample(ALL, chance.randrange(len(ALL) + 1))
    by, players = terms(format_, *kinds), named(count)
    rounds = rounds_needed(format_, count, min(count, 7))
    return players, played(by, players, rounds, at_random(seed, decided=format_ == "elimination"))[1], by


@calm
@given(st.sampled_from(WITH_ROUNDS), st.integers(2, 14), st.integers(0, 9999))
def test_a_table_adds_up(format_: Format, count: int, seed: int) -> None:
    players, settled, by = league(format_, count, seed)
    table = standings(players, settled, by)
    assert sorted(row.player for row in table) == players
    assert sum(row.won for row in table) == sum(row.lost for row in table)
    assert sum(row.drawn for row in table) % 2 == 0
    byes = [one.players[0] for one in settled if one.bye]
    for row in table:
        assert row.played == row.won + row.drawn + row.lost
        assert row.points == by.win * (row.won + byes.count(row.player)) + by.draw * row.drawn + by.loss * row.lost
        assert len(row.tie_breaks) == len(by.tie_breaks)
        assert len(row.form) == min(row.played, 5)


@calm
@given(st.sampled_from(["round_robin", "swiss", "free"]), st.integers(2, 14), st.integers(0, 9999))
def test_a_table_is_in_order_and_equal_players_alone_share_a_rank(format_: Format, count: int, seed: int) -> None:
    players, settled, by = league(format_, count, seed)
    table = standings(players, settled, by)
    assert table[0].rank == 1
    for place, (row, following) in enumerate(pairwise(table), 2):
        value, next_value = (row.points, row.tie_breaks), (following.points, following.tie_breaks)
        assert value >= next_value
        assert following.rank == (row.rank if value == next_value else place)


@calm
@given(st.sampled_from(WITH_ROUNDS), st.integers(2, 14), st.integers(0, 9999))
def test_neither_the_order_of_players_nor_that_of_fixtures_changes_how_a_player_stands(
    format_: Format, count: int, seed: int
) -> None:
    players, settled, by = league(format_, count, seed)
    chance = random.Random(seed)
    shuffled = standings(chance.sample(players, len(players)), chance.sample(settled, len(settled)), by)
    assert sorted(shuffled, key=lambda row: row.player) == sorted(
        standings(players, settled, by), key=lambda row: row.player
    )


@calm
@given(st.integers(2, 12), st.integers(0, 9999))
def test_a_ladders_table_is_its_order(count: int, seed: int) -> None:
    chance, referee, players = random.Random(seed), at_random(seed), named(count)
    settled = [referee(tuple(chance.sample(players, 2)), 0) for _ in range(12)]
    table = standings(players, settled, terms("ladder", *ALL))
    assert tuple(row.player for row in table) == ladder(players, settled)
    assert [row.rank for row in table] == list(range(1, count + 1))
