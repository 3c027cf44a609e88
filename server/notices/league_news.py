"""What is told of leagues: posts to a league's webhook, and reminders of deadlines to players. Pure."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from client_protocol.leagues import FixtureView
from server.leagues.acts import DAY_MS
from server.leagues.campaigns import HOUR_MS
from server.leagues.log.entries import Entry, LeagueFold
from server.leagues.log.facts import (
    FixtureSettled,
    LeagueClosed,
    LeagueFact,
    MatchLinked,
    PlayerLeft,
    ResultTaken,
    RoundOpened,
)
from server.leagues.log.league import Battle, League
from server.leagues.log.map_facts import OrdersRevealed, TurnEnded, TurnOpened
from server.leagues.log.undone import Undone
from server.leagues.map_turns import orders_until
from server.leagues.news import news_of
from server.leagues.standing_in import seat_holder, sitting
from server.leagues.table import table_of

MOST_MEETINGS = 12
"""How many fixtures of a round a post lists; it counts the others."""
MOST_TEXT = 1900
"""The most characters of a post's text: Discord takes 2000."""
MOST_BYTES = 3900
"""The most bytes of a post as JSON; `outbound.LARGEST` is what is sent at most."""

Kind = Literal["round", "begun", "result", "left", "orders", "turn_over", "deadline", "over", "undone"]


class Happening(Struct, frozen=True):
    """What has happened in a league, or is about to: when (ms since 1970), in a sentence, in which fixture (0: in none) and match
    ("": in none), and where it can be seen.
    """

    kind: Kind
    at: int
    text: str
    fixture: int = 0
    match: str = ""
    url: str = ""


class LeaguePost(Struct, frozen=True):
    """What a league's webhook is sent: `text` for people, the rest for programs. `name` is the league's."""

    event: Literal["league"]
    text: str
    league: str
    name: str
    url: str
    happened: tuple[Happening, ...] = ()


class Deadline(Struct, frozen=True):
    """What a player is reminded of: until when (ms since 1970) a fixture of a league is to be played, the steps after its
    battle are to be taken, or an order is to be given (then `fixture` is 0).
    """

    event: Literal["deadline"]
    text: str
    league: str
    name: str
    fixture: int
    until: int
    url: str = ""


def worth_a_post(entry: Entry) -> bool:
    """Return whether there may be something in an entry to post."""
    return any(_kind(fact) for fact in entry.facts)


def happenings(fold: LeagueFold, entry: Entry, address: str) -> list[Happening]:
    """Return what there is in an entry to post. `address` is the server's, "" if it is not known."""
    league, found = fold.league, []
    for fact in entry.facts:
        kind = _kind(fact)
        # A player may leave before anything is drawn: then nothing ends with it.
        if not kind or (kind == "left" and not league.fixtures):
            continue
        for one in news_of(league, replace(entry, facts=(fact,))):
            text = " ".join(part for part in (one.text, _more(league, fact)) if part)
            fixture = _fixture(fact)
            url = _match_link(address, one.match) or league_link(address, league.id)
            found.append(Happening(kind, entry.at, text, fixture, one.match, url))
    return found


def _fixture(fact: LeagueFact) -> int:
    """Return the one fixture that a fact is about; 0: it is about none, or about several."""
    if isinstance(fact, Undone):
        return fact.fixtures[0] if fact.act == "settle" else 0
    return fact.fixture if isinstance(fact, MatchLinked | ResultTaken | FixtureSettled) else 0


def _kind(fact: LeagueFact) -> Kind | None:
    match fact:
        case RoundOpened() | TurnOpened():
            return "round"
        case OrdersRevealed():
            return "orders"
        case TurnEnded():
            return "turn_over"
        case MatchLinked():
            return "begun"
        case ResultTaken() | FixtureSettled():
            return "result"
        case PlayerLeft():
            return "left"
        case LeagueClosed():
            return "over"
        case Undone():
            return "undone"
        case _:
            return None


def _more(league: League, fact: LeagueFact) -> str:
    """Return what a post says of a fact besides the news of it."""
    if isinstance(fact, RoundOpened):
        told = [_meeting(league, one.players) for one in fact.fixtures[:MOST_MEETINGS]]
        if len(fact.fixtures) > len(told):
            told.append(f"And {len(fact.fixtures) - len(told)} more.")
        if fact.until:
            told.append(f"To be played until {moment(fact.until)}.")
        return " ".join(told)
    if isinstance(fact, TurnOpened) and fact.until:
        return f"They are to be given until {moment(fact.until)}."
    if isinstance(fact, LeagueClosed):
        first = [league.name(one.player) for one in table_of(league) if one.rank == 1]
        return f"First in the table: {', '.join(first)}." if first else ""
    return ""


def _meeting(league: League, players: Sequence[str]) -> str:
    if len(players) == 1:
        return f"{league.name(players[0])} has a bye."
    return f"{' against '.join(league.name(one) for one in players)}."


def open_fixture(league: League, number: int, now: int) -> FixtureView | None:
    """Return a fixture that is to be played until a deadline that has not passed; None if it is none, or none any more."""
    fixture = league.fixtures.get(number)
    if league.closed or fixture is None or fixture.state != "waits" or fixture.until <= now:
        return None
    return fixture


def reminded_at(league: League, fixture: FixtureView) -> int:
    """Return when to remind of a fixture's deadline (ms since 1970): a day before, or half of the time that there is for it."""
    whole = league.terms.days * DAY_MS
    return fixture.until - (min(DAY_MS, whole // 2) if whole else DAY_MS)


def nearing(league: League, fixture: FixtureView, address: str) -> Happening:
    """Return what a league's webhook is told of a deadline that nears."""
    text = f"{_meeting(league, fixture.players)} To be played until {moment(fixture.until)}."
    return Happening("deadline", fixture.until, text, fixture.number, "", league_link(address, league.id))


def reminder(league: League, fixture: FixtureView, player: str, address: str) -> Deadline:
    """Return what a player is told of a deadline that nears, of a fixture that they play in their own place or in another's."""
    place = seat_holder(fixture, player)
    other = next((one for one in fixture.players if one != place), "")
    by = sitting(fixture, other)
    own = "" if place == player else f" for {league.name(place)}"
    instead = "" if by == other else f", for whom {league.name(by)} stands in,"
    url = league_link(address, league.id)
    text = (
        f"Your match{own} against {league.name(other)}{instead} in {league.terms.name} "
        f"is to be played until {moment(fixture.until)}."
    )
    return Deadline(
        "deadline", f"{text} {url}".strip(), league.id, league.terms.name, fixture.number, fixture.until, url
    )


def steps_reminded_at(league: League, battle: Battle) -> int:
    """Return when to remind of steps after a battle (ms since 1970): a day before the next default, or half of the time."""
    return battle.until - min(DAY_MS, league.terms.step_hours * HOUR_MS // 2)


def open_battle(league: League, player: str, fixture: int) -> Battle | None:
    """Return the battle of a fixture if a player has steps to take after it until a deadline; None if there are none any more."""
    member = league.players.get(player)
    battle = None if member is None else member.battle
    return battle if battle is not None and battle.fixture == fixture and battle.until and not league.closed else None


def steps_reminder(league: League, player: str, battle: Battle, address: str) -> Deadline:
    """Return what a player is told of steps that are due."""
    member, name = league.players[player], league.terms.name
    url = f"{address}/#/league/{league.id}/roster/{player}" if address else ""
    text = (
        f"Your force {member.force.name} has steps to take after its battle in {name}: "
        f"at {moment(battle.until)} the default of the next one is taken."
    )
    return Deadline("deadline", f"{text} {url}".strip(), league.id, name, battle.fixture, battle.until, url)


def orders_reminded_at(league: League) -> int:
    """Return when to remind of orders on the map (ms since 1970): a day before their deadline, or half of the time for them."""
    return orders_until(league) - min(DAY_MS, league.terms.days * DAY_MS // 2)


def orders_reminder(league: League, address: str) -> Deadline:
    """Return what a player is told of an order that is due."""
    until, name, url = orders_until(league), league.terms.name, league_link(address, league.id)
    text = f"Your order for turn {league.round} of {name} is to be given until {moment(until)}: without one your force stays."
    return Deadline("deadline", f"{text} {url}".strip(), league.id, name, 0, until, url)


def post(league: League, happened: Sequence[Happening], address: str) -> LeaguePost:
    """Return a post of as many happenings, from the first one on, as fit in it: one at least, which is cut short if need be."""
    count, (first, *_) = len(happened), happened
    while not _fits(made := _post(league, happened[:count], address)) and first.text:
        if count > 1:
            count -= 1
        else:
            first = replace(first, text=first.text[: len(first.text) * 3 // 4])
            happened = (first,)
    return made


def _fits(made: LeaguePost) -> bool:
    return len(made.text) <= MOST_TEXT and len(msgspec.json.encode(made)) <= MOST_BYTES


def _post(league: League, happened: Sequence[Happening], address: str) -> LeaguePost:
    name = league.terms.name
    text = "\n".join(f"{name}: {one.text} {one.url}".strip() for one in happened)
    return LeaguePost("league", text, league.id, name, league_link(address, league.id), tuple(happened))


def trial(league: League, address: str) -> LeaguePost:
    """Return what is sent when a league's webhook is tried."""
    text = f"Underfire tells you here what happens in {league.terms.name}."
    return LeaguePost("league", text, league.id, league.terms.name, league_link(address, league.id))


def league_link(address: str, league: str) -> str:
    """Return where a league is shown, "" if the server's address is not known."""
    return f"{address}/#/league/{league}" if address else ""


def _match_link(address: str, match: str) -> str:
    return f"{address}/#/m/{match}" if address and match else ""


def moment(ms: int) -> str:
    """Return a moment as people in all places can read it."""
    return dt.datetime.fromtimestamp(ms / 1000, dt.UTC).strftime("%Y-%m-%d %H:%M UTC")
