"""What has happened on the map of a campaign, in sentences. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from server.leagues.log.league import League
from server.leagues.log.map_facts import MapFact, OrderSealed, OrdersRevealed, Retreat, TurnEnded, TurnOpened


def map_news(league: League, fact: MapFact) -> Iterator[str]:
    """Yield what a fact of the map tells, in the order in which it happened."""
    match fact:
        case TurnOpened():
            yield f"Turn {fact.number} has begun: the players give their orders."
        case OrderSealed():
            return
        case OrdersRevealed():
            yield from _revealed(league, fact)
        case TurnEnded():
            yield from _ended(league, fact)


def _revealed(league: League, fact: OrdersRevealed) -> Iterator[str]:
    places = _places(league)
    takes = dict(fact.taken)
    wanted = {one.player: one.to for one in fact.orders}
    if all(one.area == one.before for one in fact.stands):
        yield f"The orders of turn {fact.turn} are revealed: no force leaves its area."
    for one in fact.stands:
        name = league.name(one.player)
        if one.area != one.before:
            end = " and takes it" if takes.get(one.area) == one.player else ""
            yield f"{name} marches from {places[one.before]} to {places[one.area]}{end}."
        elif takes.get(one.area) == one.player:
            yield f"{name} stays at {places[one.area]} and takes it."
        elif wanted.get(one.player, one.area) != one.area:
            yield f"{name} sets out from {places[one.area]} for {places[wanted[one.player]]}, and meets an enemy at once."
    for battle in fact.battles:
        first, second = battle.players
        yield f"{league.name(first)} and {league.name(second)} meet at {places[battle.area]}: they fight for it."
    stands = {one.player: one.area for one in fact.stands}
    for player in fact.waits:
        yield f"{league.name(player)} waits at {places[stands[player]]}, and fights in the next turn if an enemy is left."


def _ended(league: League, fact: TurnEnded) -> Iterator[str]:
    places = _places(league)
    for one in fact.retreats:
        yield _fell_back(league.name(one.player), one, places)
    for area, player in fact.taken:
        yield f"{league.name(player)} holds {places[area]} now."
    paid = ", ".join(f"{league.name(player)} {worth}" for player, worth in fact.paid)
    yield f"Turn {fact.turn} is over." + (f" Points for areas: {paid}." if paid else "")


def _fell_back(name: str, fell: Retreat, places: dict[str, str]) -> str:
    start, to = places[fell.start], places[fell.to]
    match fell.how:
        case "back":
            return f"{name} goes back from {start} to {to}."
        case "retreat":
            return f"{name} retreats from {start} to {to}."
        case "home":
            if start == to:
                return f"{name} has no way out, and stays at {to}."
            return f"{name} flees from {start} home to {to}."


def _places(league: League) -> dict[str, str]:
    """Return the names of the areas; a log may name no others."""
    return {} if league.terms.map is None else {one.id: one.name for one in league.terms.map.areas}
