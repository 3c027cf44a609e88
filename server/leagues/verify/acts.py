"""Checking what players and organisers did in a league: that they might, and that nothing else comes of it. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.campaigns import NameFigures
from client_protocol.leagues import (
    Admit,
    AnswerChallenge,
    Appoint,
    ChangeForce,
    ChangeSide,
    Close,
    Join,
    LeagueAct,
    Meet,
    PairRound,
    Settle,
    StandIn,
    Undo,
    Withdraw,
)
from server.leagues.acts import Actor, Judge, facts_of
from server.leagues.errors import ActError
from server.leagues.log.entries import Entry
from server.leagues.log.facts import (
    ChallengeAnswered,
    Challenged,
    FixtureSettled,
    ForceChanged,
    LeagueClosed,
    LeagueFact,
    PlayerAdmitted,
    PlayerJoined,
    PlayerLeft,
    RoundOpened,
    SideChanged,
)
from server.leagues.log.league import League
from server.leagues.log.map_facts import TurnOpened
from server.leagues.log.naming import FiguresNamed
from server.leagues.log.organisers import OrganiserAppointed, OrganiserDismissed
from server.leagues.log.standing_in import StandInNamed
from server.leagues.log.undone import Undone
from server.leagues.verify.campaign_map import act_on_map, done, happened
from server.matches.log.finding import Wrong


def check_act(number: int, league: League, entry: Entry, judge: Judge) -> None:
    """Check an entry that a player or an organiser caused, other than a step after a battle. What follows from it
    on a map is checked apart.

    Args:
        number: the number of the entry.
        league: the league before it.
        entry: the entry.
        judge: decides on forces.

    Raises:
        Wrong: who caused it might not do so, or something else comes of it.
    """
    facts = done(happened(entry))
    if len(facts) != 1:
        raise Wrong(number, "an act of a player leads to one fact")
    (fact,) = facts
    act = act_of(fact) or act_on_map(league, fact, judge.sealing)
    who = league.name(entry.by)
    if act is None:
        raise Wrong(number, f"{who} causes what only a server does")
    refused = ""
    for actor in _actors(league, entry, fact):
        try:
            due = facts_of(league, actor, act, entry.at, judge)
        except ActError as error:
            refused = refused or error.sentence
            continue
        if (_bare(fact),) in (due, tuple(map(_of_old, due))):
            return
    if refused:
        raise Wrong(number, f"{who} could not do this: {refused}")
    raise Wrong(number, f"what {who} did leads to something else by the league's rules")


def act_of(fact: LeagueFact) -> LeagueAct | None:
    """Return what a player or an organiser has done if this fact came of it; None if no such act leads to such a fact."""
    match fact:
        case PlayerJoined() | ForceChanged() | SideChanged() | FiguresNamed() | PlayerLeft() | PlayerAdmitted():
            return _of_player(fact)
        case OrganiserAppointed():
            return Appoint(fact.player, yes=True)
        case OrganiserDismissed():
            return Appoint(fact.player, yes=False)
        case RoundOpened() | TurnOpened():
            return PairRound(fact.number - 1)
        case Challenged():
            return Meet(fact.players[1])
        case ChallengeAnswered():
            return AnswerChallenge(fact.fixture, fact.yes)
        case StandInNamed():
            return StandIn(fact.fixture, fact.by, fact.player)
        case FixtureSettled():
            return Settle(fact.fixture, fact.outcome, fact.winner, fact.reason)
        case LeagueClosed() | Undone():
            return Undo(fact.entry, fact.reason) if isinstance(fact, Undone) else Close()
        case _:
            return None


def _of_player(
    fact: PlayerJoined | ForceChanged | SideChanged | FiguresNamed | PlayerLeft | PlayerAdmitted,
) -> LeagueAct:
    match fact:
        case PlayerJoined():
            return Join(fact.force, side=fact.side)
        case FiguresNamed():
            return _naming(fact)
        case SideChanged():
            return ChangeSide(fact.side, fact.player)
        case ForceChanged():
            return ChangeForce(fact.force)
        case PlayerLeft():
            return Withdraw(fact.player, fact.reason)
        case PlayerAdmitted():
            return Admit(fact.player, fact.yes)


def _naming(fact: FiguresNamed) -> NameFigures:
    names = dict(fact.names)
    return NameFigures(fact.unit, tuple(names.get(place, "") for place in range(1, max(names, default=0) + 1)))


def _actors(league: League, entry: Entry, fact: LeagueFact) -> tuple[Actor, ...]:
    """Return who may have acted: whether an invite was shown does not stand in the log."""
    name = fact.name if isinstance(fact, PlayerJoined) else league.name(entry.by)
    appoints = fact.name if isinstance(fact, OrganiserAppointed) else ""
    return tuple(Actor(entry.by, name, invited, appoints) for invited in (False, True))


def _of_old(fact: LeagueFact) -> LeagueFact:
    """Return a fact as it was written when it did not say yet who comes back."""
    return replace(fact, back=False) if isinstance(fact, PlayerJoined) else fact


def _bare(fact: LeagueFact) -> LeagueFact:
    """Return a fact without the secret that it reveals, which is held against its commitment."""
    return replace(fact, secret="") if isinstance(fact, LeagueClosed) else fact
