"""Keeping what was before an act of an organiser, after each entry of a league's log. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from server.leagues.log.before import MOST, Act, Before, Change
from server.leagues.log.facts import FixtureSettled, LeagueClosed, LeagueFact, PlayerJoined, PlayerLeft, RoundOpened
from server.leagues.log.league import League
from server.leagues.log.map_facts import OrderSealed, TurnOpened


def remembered(league: League, after: League, number: int, by: str, facts: tuple[LeagueFact, ...]) -> League:
    """Return a league that keeps what was before an entry of its log, if an organiser may want to undo that.

    Args:
        league: the league before the entry.
        after: the league after it.
        number: the number of the entry.
        by: the key of who caused it.
        facts: its facts.
    """
    for fact in facts:
        kept = after.before
        match fact:
            case OrderSealed():
                after = replace(after, before=_built_on(kept, _last_round(kept)))
            case PlayerJoined():
                gone = {entry for entry, one in kept.items() if one.player == fact.player}
                after = replace(after, before=_built_on(kept, gone))
            case _:
                before = _before(league, after, by, fact)
                if before is not None:
                    last = [*kept.items(), (number, before)][-MOST:]
                    after = replace(after, before=dict(last))
    return after


def _before(league: League, after: League, by: str, fact: LeagueFact) -> Before | None:
    match fact:
        case FixtureSettled():
            return _changed(league, after, "settle", (fact.fixture,))
        case RoundOpened() | TurnOpened():
            return Before("round", fact.number)
        case PlayerLeft() if by != fact.player:
            ended = [
                one.number
                for one in league.fixtures.values()
                if fact.player in one.players and one.state not in {"challenge", "over"}
            ]
            before = _changed(league, after, "removal", tuple(ended))
            return replace(before, player=fact.player, state=league.players[fact.player].state)
        case LeagueClosed():
            return Before("close", league.round)
        case _:
            return None


def _changed(league: League, after: League, act: Act, numbers: tuple[int, ...]) -> Before:
    changes = tuple(Change(league.fixtures[one], after.fixtures[one]) for one in numbers)
    fighting = {player for one in changes if one.was.state == "played" for player in one.was.players}
    rosters = {player: state for player in fighting if (state := league.players[player].campaign) is not None}
    return Before(act, league.round, changes, rosters, map=league.map)


def _last_round(kept: dict[int, Before]) -> set[int]:
    rounds = [entry for entry, one in kept.items() if one.act == "round" and not one.undone]
    return set(rounds[-1:])


def _built_on(kept: dict[int, Before], entries: set[int]) -> dict[int, Before]:
    return {entry: replace(one, built_on=True) if entry in entries else one for entry, one in kept.items()}
