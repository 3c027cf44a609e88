"""Undoing what organisers did by mistake, as long as nothing was built on it. Pure."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.leagues import FixtureView, Undo
from server.leagues.errors import ActError
from server.leagues.log.before import Before, Change
from server.leagues.log.campaign_map import MapState
from server.leagues.log.league import League
from server.leagues.log.undone import Undone
from server.leagues.map_acts import check_home
from server.leagues.rules.rounds import round_word


def undoing(league: League, act: Undo) -> Undone:
    """Return what it leads to that an organiser undoes an act. Raises `ActError`: it cannot be undone."""
    before = league.before.get(act.entry)
    if before is None:
        raise ActError("This cannot be undone: it is no act of an organiser's that can be, or it is too long ago.")
    if before.undone:
        raise ActError("This was undone meanwhile.", "undone")
    if league.closed and before.act != "close":
        raise ActError("This league is over: undo its end first.")
    match before.act:
        case "settle":
            return _settlement(league, act, before)
        case "round":
            return _round(league, act, before)
        case "removal":
            return _removal(league, act, before)
        case "close":
            return _end(league, act)


def told_undone(league: League, by: str, fact: Undone) -> str:
    """Return the news of what the organiser with the key `by` has undone."""
    return f"{league.name(by)} has undone {_what(league, fact)}: {fact.reason}"


def _what(league: League, fact: Undone) -> str:
    match fact.act:
        case "settle":
            return f"how {_meeting(league, fact.fixtures[0])} was settled"
        case "round":
            return f"the beginning of {round_word(league.terms.format)} {fact.round}"
        case "removal":
            return f"that {league.name(fact.player)} had to leave"
        case "close":
            return "the end of the league"


def _meeting(league: League, number: int) -> str:
    return " against ".join(league.name(one) for one in league.players_of(number))


# --- a settlement ----------------------------------------------------------------------------------------------------


def _settlement(league: League, act: Undo, before: Before) -> Undone:
    (change,) = before.changes
    if league.fixtures.get(change.was.number) != change.became:
        raise ActError("This fixture was settled anew since: undo that first.")
    if why_not := _drawn_from(league, act.entry, before, change.was):
        raise ActError(why_not)
    if why_not := _not_open(league, before, change):
        raise ActError(why_not)
    return Undone(act.entry, "settle", act.reason, (change.was.number,))


def _drawn_from(league: League, entry: int, before: Before, fixture: FixtureView) -> str:
    """Return in a sentence what followed from how a fixture ended by an entry; "" if nothing did."""
    if _in_battle(before.map) and fixture.round == before.round:
        now = league.map if league.round == before.round else None
        ended = f"Turn {before.round} has ended with this result, and the forces have marched on from it."
        return "" if _in_battle(now) else f"{ended} Settle the fixture anew instead."
    later = _rounds_since(league, entry)
    if not later or league.terms.format not in {"swiss", "elimination"}:
        return ""
    what_now = "it stands" if league.terms.format == "elimination" else "settle the fixture anew instead"
    return f"Round {later[0]} was drawn from this result: {what_now}."


def _in_battle(map_: MapState | None) -> bool:
    return map_ is not None and map_.phase == "battles"


def _rounds_since(league: League, entry: int) -> list[int]:
    """Return the rounds that were drawn after an entry, and not taken back. Those entries are kept as long as that one."""
    return [
        one.round for number, one in league.before.items() if number > entry and one.act == "round" and not one.undone
    ]


def _not_open(league: League, before: Before, change: Change) -> str:
    """Return in a sentence why a fixture cannot be again as it was; "" if it can. One that was over can."""
    was = change.was
    if was.state == "over":
        return ""
    for player in was.players:
        # In older logs those were forgotten who had asked to come back and were not admitted.
        member = league.players.get(player)
        if player != before.player and (member is None or member.state == "left"):
            return f"{league.name(player)} has left the league since."
    open_ = [one for one in league.fixtures.values() if one.state != "over" and one.number != was.number]
    if not was.round and any(set(one.players) == set(was.players) for one in open_):
        return "The two players have another match to play since."
    return _not_fighting(league, before, was, open_) if was.state == "played" else ""


def _not_fighting(league: League, before: Before, was: FixtureView, others: list[FixtureView]) -> str:
    """Return in a sentence why a match cannot go on for the sake of forces that live on; "" if it can: its losses come to the
    forces as they were when it began, and a force is in one battle at a time.
    """
    for player in was.players if before.rosters else ():
        member = league.players[player]
        if any(one.state == "played" and player in one.players for one in others):
            return f"{member.name} is in another battle since."
        if member.battle is not None or member.campaign != before.rosters.get(player):
            return f"The force of {member.name} has changed since."
    return ""


# --- a round, a turn -------------------------------------------------------------------------------------------------


def _round(league: League, act: Undo, before: Before) -> Undone:
    number, word = before.round, round_word(league.terms.format)
    if league.round != number:
        raise ActError(f"{word.capitalize()} {league.round} has begun since: undo that first.")
    if league.map is not None:
        _check_turn(league.map, number, before)
    drawn = [one for one in league.fixtures.values() if one.round == number]
    if any(one.state == "played" for one in drawn):
        raise ActError("A match of this round has begun.")
    if any(one.state == "over" and len(one.players) > 1 for one in drawn):
        raise ActError("A fixture of this round is over.")
    return Undone(act.entry, "round", act.reason, tuple(one.number for one in drawn), number)


def _check_turn(map_: MapState, number: int, before: Before) -> None:
    if map_.phase != "orders":
        raise ActError(f"The orders of turn {number} are revealed already.")
    if before.built_on:
        # Also if its player has left since: its seal stands in the log, and no other order may have the same key.
        raise ActError("An order was given in this turn.")


# --- a player who had to leave ---------------------------------------------------------------------------------------


def _removal(league: League, act: Undo, before: Before) -> Undone:
    player, name = before.player, league.name(before.player)
    if before.built_on:
        raise ActError(f"{name} has joined the league anew since.")
    later = _rounds_since(league, act.entry)
    if later and league.terms.format == "elimination":
        raise ActError(f"Round {later[0]} was drawn without {name}.")
    if league.map is not None:
        _check_place(league, league.map, before)
    elif before.state == "plays":
        check_home(league)
    free = [one for one in before.changes if not _drawn_from(league, act.entry, before, one.was)]
    for one in free:
        if league.fixtures.get(one.was.number) != one.became:
            meeting = _meeting(league, one.was.number)
            raise ActError(f"{meeting} was settled anew since: undo that first.")
    again = [one.was.number for one in free if not _not_open(league, before, one)]
    return Undone(act.entry, "removal", act.reason, tuple(again), player=player)


def _check_place(league: League, map_: MapState, before: Before) -> None:
    """Check that a player who had to leave finds the map as it was. Raises `ActError`."""
    name = league.name(before.player)
    if before.map is None:
        raise ActError(f"The campaign has begun without {name}: the homes on its map are given out.")
    left = before.map.without(before.player)
    # Orders that are not revealed yet have moved no force.
    same = replace(left, phase=map_.phase, until=map_.until, orders=map_.orders) == map_
    if not same or _in_battle(map_) != _in_battle(left):
        raise ActError(f"Forces have moved on the map without {name} since.")


# --- the end ---------------------------------------------------------------------------------------------------------


def _end(league: League, act: Undo) -> Undone:
    if league.terms.campaign is not None:
        raise ActError(
            "The end has revealed the secret of the campaign's dice: all that are still to fall could be foreseen."
        )
    if replace(league, closed=False).hides_forces:
        raise ActError("The end has shown all players' forces, which are hidden while the league goes on.")
    return Undone(act.entry, "close", act.reason)
