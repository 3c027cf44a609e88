"""The log of a league: a chain of entries, from which the league follows, and in which each changed byte is found."""

from __future__ import annotations

import pytest

from client_protocol.leagues import LeagueTerms
from server.leagues.log.entries import LeagueFold, LeagueLogError, opening
from server.leagues.log.facts import (
    Drawn,
    FixtureSettled,
    Happened,
    LeagueMade,
    MatchLinked,
    PlayerJoined,
    PlayerLeft,
    ResultTaken,
    RoundOpened,
)
from tests.support.toy_rules import force

SALT = bytes(16)
TERMS = LeagueTerms("Autumn", "toy", ("duel",))
FORCE = force("Own", "rifle")


def log(*facts: Happened) -> list[bytes]:
    """A log in which these facts stand, an entry each."""
    payloads = [opening(1000, SALT, LeagueMade("abc", TERMS, "a", "Ada"))]
    fold = LeagueFold(payloads[0])
    for at, fact in enumerate(facts, 1):
        payloads.append(fold.entry(1000 + at, SALT, "a", (fact,)))
        fold.add(payloads[-1])
    return payloads


def folded(payloads: list[bytes]) -> LeagueFold:
    fold = LeagueFold(payloads[0])
    for payload in payloads[1:]:
        fold.add(payload)
    return fold


SEASON = log(
    PlayerJoined("a", "Ada", FORCE, 3),
    PlayerJoined("b", "Bo", FORCE, 3),
    PlayerJoined("c", "Cy", FORCE, 3),
    RoundOpened(1, (Drawn(1, ("a", "b"), "duel"), Drawn(2, ("c",), "duel")), 5000),
    MatchLinked(1, "m"),
    ResultTaken(1, "won", "a", "All have fallen.", (1, 3), 40, "00"),
    FixtureSettled(1, "draw", "", "A mistake."),
    PlayerLeft("b"),
)


def test_a_league_follows_from_its_log() -> None:
    fold = folded(SEASON)
    league = fold.league
    assert (league.state, league.round, league.playing) == ("runs", 1, ("a", "c"))
    first, bye = league.fixtures[1], league.fixtures[2]
    assert (first.outcome, first.winner, first.losses, first.settled) == ("draw", "", (1, 3), True)
    assert (bye.state, bye.winner) == ("over", "c")
    assert folded(SEASON).head == fold.head


def test_each_changed_byte_is_found() -> None:
    head = folded(SEASON).head
    for number, payload in enumerate(SEASON):
        for at in range(0, len(payload), 7):
            changed = payload[:at] + bytes([payload[at] ^ 1]) + payload[at + 1 :]
            try:
                other = folded([*SEASON[:number], changed, *SEASON[number + 1 :]])
            except LeagueLogError:
                continue
            assert other.head != head, (number, at)


def test_an_entry_that_is_missing_doubled_or_of_another_league_is_found() -> None:
    for wrong in (SEASON[:2] + SEASON[3:], [*SEASON, SEASON[-1]], SEASON[1:], [SEASON[0], SEASON[0]], [b"no"]):
        with pytest.raises(LeagueLogError):
            folded(wrong)
    with pytest.raises(LeagueLogError, match="its facts do not fit the league"):
        folded(log()).add(folded(log()).entry(1, SALT, "", (MatchLinked(9, "m"),)))
