"""Which format's pairs a league draws."""

from __future__ import annotations

import pytest

from client_protocol.leagues import Format
from server.leagues.rules.pairing import pairs
from tests.leagues.rules.results import terms


@pytest.mark.parametrize(
    ("format_", "drawn"),
    [
        ("round_robin", (("d", "a"), ("b", "c"))),
        ("swiss", (("a", "c"), ("b", "d"))),
        ("elimination", (("a", "d"), ("b", "c"))),
        ("free", ()),
        ("ladder", ()),
    ],
)
def test_a_league_draws_its_first_round_by_its_format(format_: Format, drawn: tuple[tuple[str, ...], ...]) -> None:
    assert pairs(terms(format_), "abcd", "abcd", [], 1) == drawn


@pytest.mark.parametrize("format_", ["round_robin", "swiss", "elimination", "free", "ladder"])
def test_a_league_without_players_has_no_pairs(format_: Format) -> None:
    assert pairs(terms(format_), "", "", [], 1) == ()
