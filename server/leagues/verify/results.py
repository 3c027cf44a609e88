"""Checking results of a league against the logs of their matches. Pure."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct

from server.kernel.campaigns.rules import CampaignRules
from server.kernel.ruleset import Ruleset
from server.leagues.campaigns import Campaign, unfought
from server.leagues.log.entries import Entry
from server.leagues.log.facts import BattleTaken, ResultTaken
from server.leagues.log.league import League
from server.leagues.standing_in import sitting
from server.matches.log.finding import Wrong
from server.matches.log.outcome import MatchOutcome, outcome_of
from server.matches.log.timeline import Timeline
from server.matches.projections.deeds import deeds
from server.matches.verify.match_file import checked
from server.work.slicing import at_once

RulesOf = Callable[[str], Ruleset | None]
"""Returns the rules of an edition, or None."""


class Fought(Struct, frozen=True):
    """The match of a fixture: its entries, how it ended, and its players by their seats."""

    entries: tuple[bytes, ...]
    outcome: MatchOutcome
    seats: dict[str, str]


def check_result(league: League, result: ResultTaken, data: bytes, rules_of: RulesOf, number: int) -> Fought:
    """Check that a result is what the log of the match says, and return the match.

    Args:
        league: the league before the result.
        result: the result.
        data: the file of the match.
        rules_of: returns the rules of an edition, or None.
        number: the number of the entry with the result.

    Raises:
        Wrong: the match file is not valid, or says something else.
    """
    fixture = league.fixtures[result.fixture]
    try:
        _, file, fold = checked(data, rules_of)
    except Wrong as error:
        raise Wrong(number, f"the file of its match {fixture.match} is wrong: {error}") from error
    outcome = outcome_of(fold)
    if fold.opened.match != fixture.match or outcome is None:
        raise Wrong(number, f"the file is not that of the match {fixture.match}, or that match is not over")
    seats = dict(zip(fold.seats, fixture.players, strict=False))
    tied = fold.state.desk.keys
    if any(tied.get(seat) != sitting(fixture, player) for seat, player in seats.items()):
        raise Wrong(number, "its seats were tied to other players")
    said = (
        "won" if outcome.winner else "draw",
        seats.get(outcome.winner, ""),
        outcome.reason,
        tuple(outcome.losses.get(seat, 0) for seat in seats),
        outcome.entries,
        outcome.head,
    )
    if said != (result.outcome, result.winner, result.reason, result.losses, result.entries, result.head):
        raise Wrong(number, f"the match {fixture.match} ended otherwise")
    if result.randomness and result.randomness != outcome.state.desk.randomness:
        raise Wrong(number, f"the players revealed other randomness in the match {fixture.match}")
    return Fought(file.entries, outcome, seats)


def check_battles(league: League, entry: Entry, result: ResultTaken, fought: Fought, rules: CampaignRules) -> None:
    """Check that what the battle did to the rosters follows from the match, by the rules of campaigns.

    Args:
        league: the league before the result.
        entry: the entry with the result, and what it says of the rosters.
        result: the result.
        fought: the match.
        rules: the rules of campaigns.

    Raises:
        Wrong: something else follows.
    """
    fixture = league.fixtures[result.fixture]
    if result.unfought and not unfought(fought.outcome):
        raise Wrong(entry.number, f"the match {fixture.match} did not end before its first turn")
    first, *others = fought.entries
    timeline = Timeline(first)
    at_once(timeline.add(others))
    done = at_once(deeds(timeline))
    expected = Campaign(rules, b"").battles(league, fixture, fought.outcome, fought.seats, done, entry.at)
    taken = [one for one in entry.facts if isinstance(one, BattleTaken) and one.fixture == result.fixture]
    if [one.facts for one in expected] != [one.facts for one in taken]:
        raise Wrong(entry.number, f"the match {fixture.match} did something else to the forces")
