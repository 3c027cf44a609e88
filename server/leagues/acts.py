"""What players and organisers do in a league: whether they may, and the facts that it leads to. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass

from client_protocol.campaigns import NameFigures, Roll
from client_protocol.forces import Force
from client_protocol.leagues import (
    Admit,
    AnswerChallenge,
    Appoint,
    ChangeForce,
    ChangeSide,
    Close,
    FixtureView,
    Join,
    LeagueAct,
    Meet,
    PairRound,
    Settle,
    StandIn,
    TakeStep,
    Undo,
    Withdraw,
)
from client_protocol.maps import MoveForce, RevealOrders
from server.kernel.campaigns.roster import Roster
from server.leagues.appointing import appointing
from server.leagues.campaigns import Campaign
from server.leagues.errors import ActError
from server.leagues.log.facts import (
    ChallengeAnswered,
    Challenged,
    Drawn,
    FixtureSettled,
    ForceChanged,
    Happened,
    LeagueClosed,
    PlayerAdmitted,
    PlayerJoined,
    PlayerLeft,
    RoundOpened,
    StepTaken,
)
from server.leagues.log.league import League
from server.leagues.log.map_facts import TurnOpened
from server.leagues.log.sealed import Sealing
from server.leagues.map_acts import check_home, opened, order, reveal, why_no_turn
from server.leagues.naming import naming
from server.leagues.rules.ladder import ladder, may_challenge
from server.leagues.rules.pairing import pairs
from server.leagues.rules.rounds import blocked, round_word, rounds_needed
from server.leagues.rules.settled import Settled
from server.leagues.rules.sides import rounds_of_sides
from server.leagues.sides import change_side, side_for, sides_of, why_one_side
from server.leagues.standing_in import standing_in
from server.leagues.undoing import undoing

DAY_MS = 86_400_000
OVER = "This league is over."
MOST_PLAYERS = 60
"""The most players of a league."""
MOST_CHALLENGES = 3
"""How many challenges of one player may be open."""


@dataclass(frozen=True)
class Actor:
    """Who acts: the key and name of a player; whether they have shown the league's invite."""

    key: str
    name: str
    invited: bool = False
    appoints: str = ""
    """The name of the player whom they appoint, if the server knows it."""


OfOrganiser = Admit | PairRound | Settle | Appoint | RevealOrders | Close
OfPlayer = Join | Withdraw | ChangeForce | ChangeSide | Meet | AnswerChallenge | StandIn | MoveForce | NameFigures


@dataclass(frozen=True)
class Judge:
    """What decides on forces in the league's edition.

    Attributes:
        weigh: returns what a force counts for; raises `ActError` for one that cannot be brought.
        sealing: seals and opens the orders on the league's map.
        campaign: decides on forces that live on; None: they do not.
    """

    weigh: Callable[[Force], int]
    sealing: Sealing
    campaign: Campaign | None = None


def facts_of(league: League, actor: Actor, act: LeagueAct, now: int, judge: Judge) -> tuple[Happened, ...]:
    """Return what an act leads to.

    Args:
        league: the league as it stands.
        actor: who acts.
        act: what they do.
        now: milliseconds since 1970.
        judge: decides on forces.

    Raises:
        ActError: it cannot be done.
    """
    if league.closed and not isinstance(act, Undo):
        raise ActError(OVER)
    if isinstance(act, OfOrganiser | Undo):
        if actor.key not in league.organisers:
            raise ActError("Only an organiser of this league can do that.", "no_organiser")
        return (undoing(league, act) if isinstance(act, Undo) else _organised(league, actor, act, now, judge),)
    if isinstance(act, TakeStep):
        return _steps(league, actor, act, now, judge)
    return (_played(league, actor, act, now, judge),)


def _organised(league: League, actor: Actor, act: OfOrganiser, now: int, judge: Judge) -> Happened:
    match act:
        case Admit():
            if act.player not in league.players or league.players[act.player].state != "asks":
                raise ActError("This player does not ask to join any more.")
            if act.yes:
                _check_not_drawn(league)
            return PlayerAdmitted(act.player, act.yes)
        case PairRound():
            return _pair(league, act, now)
        case Settle():
            return _settle(league, act)
        case Appoint():
            appointed = appointing(league, actor.key, act, actor.appoints)
            if isinstance(appointed, str):
                raise ActError(appointed)
            return appointed
        case RevealOrders():
            return reveal(league, act, settled_in(league), deadline(league, now), judge.sealing)
        case Close():
            return LeagueClosed("" if judge.campaign is None else judge.campaign.secret.hex())


def _played(league: League, actor: Actor, act: OfPlayer, now: int, judge: Judge) -> Happened:
    match act:
        case Join():
            return _join(league, actor, act, judge)
        case Withdraw():
            return _withdraw(league, actor, act)
        case ChangeForce():
            return _change_force(league, actor, act, judge)
        case Meet():
            return _meet(league, actor, act)
        case AnswerChallenge():
            return _answer(league, actor, act, now)
        case ChangeSide():
            return change_side(league, actor.key, act)
        case NameFigures():
            return naming(league, _member(league, actor.key), act)
        case StandIn():
            return standing_in(league, fixture_in(league, act.fixture), actor.key, act)
        case MoveForce():
            return order(league, _member(league, actor.key), act, now, judge.sealing)


def _steps(league: League, actor: Actor, act: TakeStep, now: int, judge: Judge) -> tuple[StepTaken, ...]:
    campaign, player = judge.campaign, _member(league, actor.key)
    if campaign is None:
        raise ActError("Forces do not live on in this league.", "no_steps")
    taken = [campaign.step(league, player, act.step, act.answer, now)]
    while act.answer == Roll(on=True):
        league = taken[-1].fold(league)
        if not campaign.rolls_next(league, player):
            break
        taken.append(campaign.step(league, player, act.step + len(taken), act.answer, now))
    return tuple(taken)


def _join(league: League, actor: Actor, act: Join, judge: Judge) -> PlayerJoined:
    member = league.players.get(actor.key)
    if member is not None and member.state != "left":
        raise ActError("You are in this league already.", "joined")
    if not (league.terms.listed or actor.invited or actor.key in league.organisers or member is not None):
        raise ActError("This league can be joined only by its invite link.", "wrong_invite")
    if len(league.players) >= MOST_PLAYERS:
        raise ActError(f"This league is full: it has {MOST_PLAYERS} players.")
    _check_not_drawn(league)
    side = side_for(league, actor.key, act.side)
    admitted = league.terms.open or actor.invited or actor.key in league.organisers
    if member is not None and member.campaign is not None:
        return PlayerJoined(actor.key, actor.name, member.force, member.total, admitted, side=side, back=True)
    total, back = judge.weigh(act.force), member is not None
    return PlayerJoined(actor.key, actor.name, act.force, total, admitted, _roster(judge, act.force), side, back)


def _roster(judge: Judge, force: Force) -> Roster | None:
    return None if judge.campaign is None else judge.campaign.enlisted(force)


def _check_not_drawn(league: League) -> None:
    if league.round and league.terms.format in {"round_robin", "elimination"}:
        raise ActError("This league has begun: who meets whom is drawn already.")
    check_home(league)


def _member(league: League, key: str) -> str:
    if key not in league.playing:
        raise ActError("You do not play in this league.", "no_player")
    return key


def _withdraw(league: League, actor: Actor, act: Withdraw) -> PlayerLeft:
    player = act.player or actor.key
    if player != actor.key and actor.key not in league.organisers:
        raise ActError("Only an organiser can have another player leave.", "no_organiser")
    if player not in league.players or league.players[player].state == "left":
        raise ActError("This player is not in the league.", "no_player")
    return PlayerLeft(player, act.reason if player != actor.key else "")


def _change_force(league: League, actor: Actor, act: ChangeForce, judge: Judge) -> ForceChanged:
    player = _member(league, actor.key)
    if any(one.state == "played" and player in one.players for one in league.fixtures.values()):
        raise ActError("A match of yours is running: its force cannot change under it.")
    campaign = league.players[player].campaign
    if campaign is not None and campaign.roster.battles:
        raise ActError("Your force has fought in this league: it lives on.", "force_lives_on")
    return ForceChanged(player, act.force, judge.weigh(act.force), _roster(judge, act.force))


def _pair(league: League, act: PairRound, now: int) -> RoundOpened | TurnOpened:
    if act.after != league.round:
        begun = round_word(league.terms.format).capitalize()
        raise ActError(f"{begun} {league.round} has begun meanwhile.", "round_begun")
    stands_in_the_way = why_no_round(league)
    if stands_in_the_way:
        raise ActError(stands_in_the_way)
    terms, number = league.terms, league.round + 1
    if terms.format == "map":
        return opened(league, deadline(league, now))
    drawn = pairs(terms, seeding(league), league.playing, settled_in(league), number, sides_of(league))
    first = league.next_fixture
    scenario = terms.scenarios[(number - 1) % len(terms.scenarios)]
    fixtures = tuple(Drawn(first + at, players, scenario) for at, players in enumerate(drawn))
    return RoundOpened(number, fixtures, deadline(league, now))


def why_no_round(league: League) -> str:
    """Return in a sentence why the next round cannot begin; "" if it can."""
    terms = league.terms
    if why_not := why_no_turn(league) or why_one_side(league):
        return why_not
    last = [one for one in settled_in(league) if one.round == league.round]
    unsettled = sum(one.state != "over" for one in league.fixtures.values())
    return blocked(terms.format, league.playing, last, unsettled, league.round, rounds_of(league))


def seeding(league: League) -> tuple[str, ...]:
    """Return all who were drawn or can be, in the order in which they joined, also those who have left since the first round,
    whether or not they ask to come back.
    """
    drawn = {*league.seeds, *(player for one in league.fixtures.values() for player in one.players)}
    return tuple(
        key for key, member in league.players.items() if member.state == "plays" or (member.has_place and key in drawn)
    )


def rounds_of(league: League) -> int:
    """Return how many rounds a league has in all; 0 where that is open."""
    counted, sides = len(seeding(league)), sides_of(league)
    if league.terms.format == "round_robin" and sides:
        return rounds_of_sides(Counter(sides[player] for player in seeding(league)))
    if league.terms.format == "swiss" and league.round:
        # Who joins later makes the league no longer: how many rounds it has is known when the first one is drawn.
        counted = len(league.seeds)
    return rounds_needed(league.terms.format, counted, league.terms.rounds)


def deadline(league: League, now: int) -> int:
    """Return the deadline of what begins now (ms since 1970); 0: none."""
    return now + league.terms.days * DAY_MS if league.terms.days else 0


def _meet(league: League, actor: Actor, act: Meet) -> Challenged:
    if league.terms.format not in {"free", "ladder"}:
        raise ActError("In this league the organiser's rounds say who meets whom.")
    player = _member(league, actor.key)
    if act.player == player:
        raise ActError("You cannot challenge yourself.")
    if act.player not in league.playing:
        raise ActError("This player does not play in the league.", "no_player")
    if league.allied(player, act.player):
        raise ActError("You play for the same side.")
    met = {player, act.player}
    unsettled = [one for one in league.fixtures.values() if one.state != "over"]
    if any(met == set(one.players) for one in unsettled):
        raise ActError("The two of you have a match to play already.")
    if sum(one.state == "challenge" and one.players[0] == player for one in unsettled) >= MOST_CHALLENGES:
        raise ActError(f"You have {MOST_CHALLENGES} challenges open already.")
    if league.terms.format == "ladder":
        places = ladder(seeding(league), settled_in(league))
        why_not = may_challenge([key for key in places if key in league.playing], player, act.player)
        if why_not:
            raise ActError(why_not)
    number = league.next_fixture
    return Challenged(number, (player, act.player), league.terms.scenarios[(number - 1) % len(league.terms.scenarios)])


def _answer(league: League, actor: Actor, act: AnswerChallenge, now: int) -> ChallengeAnswered:
    fixture = fixture_in(league, act.fixture)
    if fixture.state != "challenge" or actor.key not in fixture.players:
        raise ActError("This is no challenge of yours that is open.")
    if act.yes and actor.key == fixture.players[0]:
        raise ActError("Your opponent accepts your challenge, or does not.")
    return ChallengeAnswered(act.fixture, act.yes, deadline(league, now) if act.yes else 0)


def _settle(league: League, act: Settle) -> FixtureSettled:
    fixture = fixture_in(league, act.fixture)
    if fixture.state == "challenge" or len(fixture.players) == 1:
        raise ActError("There is nothing to settle here.")
    if act.outcome == "won" and act.winner not in fixture.players:
        raise ActError("The winner is one of the two who meet.")
    if fixture.round and fixture.round < league.round and league.terms.format == "elimination":
        raise ActError("The next round was drawn from this result: it stands.")
    return FixtureSettled(act.fixture, act.outcome, act.winner if act.outcome == "won" else "", act.reason)


def fixture_in(league: League, number: int) -> FixtureView:
    """Return a fixture by its number. Raises `ActError`."""
    fixture = league.fixtures.get(number)
    if fixture is None:
        raise ActError("There is no such fixture in this league.", "no_fixture")
    return fixture


def settled_in(league: League) -> list[Settled]:
    """Return the fixtures that are over, in the order in which they first ended."""
    return [
        Settled(one.round, one.players, one.outcome, one.winner, one.losses, one.luck)
        for one in sorted(league.fixtures.values(), key=lambda one: one.ended)
        if one.state == "over" and one.outcome
    ]
