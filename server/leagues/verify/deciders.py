"""Who may have caused what a server writes into the log of a league. Pure."""

from __future__ import annotations

from server.leagues.log.entries import Entry
from server.leagues.log.facts import (
    BattleTaken,
    LeagueFact,
    MatchLinked,
    MatchLost,
    ResultTaken,
    RulesChanged,
    StepTaken,
)
from server.leagues.log.league import League
from server.leagues.log.map_facts import OrdersRevealed, TurnEnded

SERVER = ""
"""Causes what no player does."""
OF_SERVER = (MatchLinked, MatchLost, ResultTaken, BattleTaken)


def not_theirs(league: League, entry: Entry, fact: LeagueFact) -> str:
    """Return why a fact of a server, or a step after a battle, cannot have been caused by the one who the entry names; "" if it
    can.

    Args:
        league: the league before the fact.
        entry: the entry with the fact.
        fact: the fact.
    """
    if isinstance(fact, RulesChanged | OrdersRevealed | TurnEnded):
        return ""  # it stands with what comes next, or with what it follows from
    if isinstance(fact, OF_SERVER):
        return "" if entry.by == SERVER else "only the server does this"
    if not isinstance(fact, StepTaken):
        return "" if entry.by != SERVER else "a player does this, and not the server"
    battle = league.players[fact.player].battle
    if entry.by == fact.player or battle is None:
        return ""
    if entry.by != SERVER:
        return "another player took the step"
    return "" if 0 < battle.until <= entry.at else "the default was taken before its deadline"
