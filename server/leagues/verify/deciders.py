"""Who may have caused what happened in a league. Pure."""

from __future__ import annotations

from server.leagues.log.entries import Entry
from server.leagues.log.facts import (
    BattleTaken,
    ChallengeAnswered,
    Challenged,
    FixtureSettled,
    ForceChanged,
    LeagueClosed,
    LeagueFact,
    LeagueMade,
    MatchLinked,
    MatchLost,
    PlayerAdmitted,
    PlayerJoined,
    PlayerLeft,
    ResultTaken,
    RoundOpened,
    StepTaken,
)
from server.leagues.log.league import League
from server.leagues.log.organisers import OrganiserAppointed, OrganiserDismissed, maker
from server.leagues.log.standing_in import StandInNamed

SERVER = ""
"""Causes what no player does."""


def not_theirs(league: League, entry: Entry, fact: LeagueFact) -> str:
    """Return why a fact cannot have been caused by the one who the entry says did; "" if it can.

    Args:
        league: the league before the fact.
        entry: the entry with the fact.
        fact: the fact.
    """
    by = entry.by
    match fact:
        case LeagueMade():
            return "" if by == fact.key else "another player than its organiser made the league"
        case OrganiserAppointed() | OrganiserDismissed():
            return "" if by == maker(league) else "only the player who made the league appoints organisers"
        case PlayerAdmitted() | RoundOpened() | FixtureSettled() | LeagueClosed():
            return "" if by in league.organisers else "only an organiser can do this"
        case PlayerLeft() | StandInNamed():
            return "" if by == fact.player or by in league.organisers else "another player did this to this one"
        case PlayerJoined() | ForceChanged():
            return "" if by == fact.player else "another player did this"
        case Challenged():
            return "" if by == fact.players[0] else "another player did this"
        case ChallengeAnswered():
            return "" if by in league.fixtures[fact.fixture].players else "another player answered the challenge"
        case StepTaken():
            return _not_their_step(league, entry, fact)
        case MatchLinked() | MatchLost() | ResultTaken() | BattleTaken():
            return "" if by == SERVER else "only the server does this"


def _not_their_step(league: League, entry: Entry, fact: StepTaken) -> str:
    battle = league.players[fact.player].battle
    if entry.by == fact.player or battle is None:
        return ""
    if entry.by != SERVER:
        return "another player took the step"
    return "" if 0 < battle.until <= entry.at else "the default was taken before its deadline"
