"""What has happened in a league, in sentences. Pure."""

from __future__ import annotations

from client_protocol.leagues import LeagueNews
from server.leagues.appointing import told
from server.leagues.campaigns import UNFOUGHT
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
    RulesChanged,
    SideChanged,
    StepTaken,
)
from server.leagues.log.league import League
from server.leagues.log.map_facts import MapFact, OrderSealed, OrdersRevealed, TurnEnded, TurnOpened
from server.leagues.log.naming import FiguresNamed
from server.leagues.log.organisers import OrganiserAppointed, OrganiserDismissed
from server.leagues.log.standing_in import StandInNamed
from server.leagues.log.undone import Undone
from server.leagues.map_news import map_news
from server.leagues.undoing import told_undone


def news_of(league: League, entry: Entry) -> list[LeagueNews]:
    """Return the news in an entry; `league` is the league before or after it, which must know all who are in it."""
    return [
        LeagueNews(entry.at, text, _match(league, fact))
        for fact in entry.facts
        for text in (map_news(league, fact) if isinstance(fact, MapFact) else [_text(league, entry, fact)])
        if text
    ]


def _match(league: League, fact: LeagueFact) -> str:
    if isinstance(fact, MatchLinked):
        return fact.match
    if isinstance(fact, ResultTaken | FixtureSettled) and fact.fixture in league.fixtures:
        return league.fixtures[fact.fixture].match
    if isinstance(fact, Undone) and fact.act == "settle" and fact.fixtures[0] in league.fixtures:
        return league.fixtures[fact.fixtures[0]].match
    return ""


def _text(league: League, entry: Entry, fact: LeagueFact) -> str:
    match fact:
        case PlayerJoined() | PlayerAdmitted() | PlayerLeft() | ForceChanged() | SideChanged():
            return _of_player(league, entry, fact)
        case MatchLinked() | MatchLost() | ResultTaken() | FixtureSettled() | StandInNamed():
            return _of_fixture(league, entry, fact)
        case LeagueMade() | RulesChanged():
            return f"{fact.name} has made the league." if isinstance(fact, LeagueMade) else ""
        case RoundOpened():
            return f"Round {fact.number} has begun."
        case Challenged() | ChallengeAnswered():
            return _of_challenge(league, entry, fact)
        case BattleTaken() | StepTaken():
            # What a battle did is told with its result.
            ready = isinstance(fact, StepTaken) and bool(fact.secret)
            return f"{league.name(fact.player)} is ready for the next battle." if ready else ""
        case OrganiserAppointed() | OrganiserDismissed():
            return told(league, entry.by, fact)
        case TurnOpened() | OrderSealed() | OrdersRevealed() | TurnEnded() | FiguresNamed():
            return ""  # the map tells its own news, and a roster its names
        case LeagueClosed() | Undone():
            return told_undone(league, entry.by, fact) if isinstance(fact, Undone) else "The league is over."


def _of_challenge(league: League, entry: Entry, fact: Challenged | ChallengeAnswered) -> str:
    if isinstance(fact, ChallengeAnswered):
        return f"{league.name(entry.by)} has accepted the challenge." if fact.yes else ""
    first, second = fact.players
    return f"{league.name(first)} has challenged {league.name(second)}."


def _stands_in(league: League, fact: StandInNamed) -> str:
    if not fact.by:
        return f"{league.name(fact.player)} plays {_versus(league, fact.fixture)} after all."
    return f"{league.name(fact.by)} stands in for {league.name(fact.player)}: {_versus(league, fact.fixture)}."


def _of_player(
    league: League, entry: Entry, fact: PlayerJoined | PlayerAdmitted | PlayerLeft | ForceChanged | SideChanged
) -> str:
    name = league.name(fact.player)
    match fact:
        case PlayerJoined():
            force = "" if league.hides_forces else f" with {fact.force.name}"
            side = f" {league.terms.sides[fact.side - 1]}" if fact.side else ""
            return f"{fact.name} {'has joined' if fact.admitted else 'asks to join'}{side}{force}."
        case SideChanged():
            return f"{name} plays for {league.terms.sides[fact.side - 1]} from now on."
        case PlayerAdmitted():
            return f"{name} was admitted." if fact.yes else ""
        case PlayerLeft():
            if fact.reason:
                return f"{league.name(entry.by)} had {name} leave the league: {fact.reason}"
            return f"{name} has left the league."
        case ForceChanged():
            force = "another force" if league.hides_forces else fact.force.name
            return f"{name} plays with {force} from now on."


def _of_fixture(
    league: League, entry: Entry, fact: MatchLinked | MatchLost | ResultTaken | FixtureSettled | StandInNamed
) -> str:
    meeting = _versus(league, fact.fixture)
    match fact:
        case StandInNamed():
            return _stands_in(league, fact)
        case MatchLinked():
            return f"{meeting} has begun."
        case MatchLost():
            return f"The match {meeting} was removed from the server: it can be played again."
        case ResultTaken():
            no_battle = UNFOUGHT if fact.unfought else ""
            return " ".join(filter(None, (f"{meeting}:", _outcome(league, fact), fact.reason, no_battle)))
        case FixtureSettled():
            return f"{league.name(entry.by)} has settled {meeting}: {_outcome(league, fact)} {fact.reason}".strip()


def _versus(league: League, number: int) -> str:
    return " against ".join(league.name(one) for one in league.players_of(number)) or "a match"


def _outcome(league: League, fact: ResultTaken | FixtureSettled) -> str:
    if fact.outcome == "won":
        return f"{league.name(fact.winner)} has won."
    return "A draw." if fact.outcome == "draw" else "It does not count."
