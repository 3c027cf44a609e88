"""How the turns of a campaign on a map go on by themselves. Pure.

Orders are revealed as soon as all are given, and a turn ends as soon as its battles are over. That stands in the entry that led
to it, whether a player, an organiser or a server caused that, so no server can do it twice or be stopped before it.
"""

from __future__ import annotations

from server.leagues.acts import deadline, settled_in
from server.leagues.errors import ActError
from server.leagues.log.facts import Happened
from server.leagues.log.league import League
from server.leagues.log.map_facts import OrdersRevealed, Retreat, TurnEnded
from server.leagues.log.sealed import Sealing
from server.leagues.map_acts import revealed
from server.leagues.rules.map import Fought, engaged, fall_back, taken, worth


def followed(league: League, facts: tuple[Happened, ...], now: int, sealing: Sealing) -> tuple[Happened, ...]:
    """Return facts and what follows from them on the map of the league.

    Args:
        league: the league before them.
        facts: what happens.
        now: milliseconds since 1970.
        sealing: opens orders.
    """
    if league.terms.map is None:
        return facts
    for fact in facts:
        league = fact.fold(league)
    told = list(facts)
    if _all_ordered(league):
        told.append(revealed(league, settled_in(league), deadline(league, now), sealing))
        league = told[-1].fold(league)
    if _all_fought(league):
        told.append(_ended(league))
    return tuple(told)


def overdue(league: League, turn: int, now: int, sealing: Sealing) -> OrdersRevealed:
    """Return that the orders of a turn are revealed at their deadline. Raises `ActError`: they are not due any more."""
    if not 0 < orders_until(league) <= now or league.round != turn:
        raise ActError("The orders are revealed already.")
    return revealed(league, settled_in(league), deadline(league, now), sealing)


def orders_until(league: League) -> int:
    """Return until when orders are given (ms since 1970); 0: none are, or there is no deadline."""
    return league.map.until if league.map is not None and league.map.phase == "orders" and not league.closed else 0


def without_order(league: League) -> frozenset[str]:
    """Return the players whose orders are due and not given: a force that stands with an enemy can have none."""
    state = league.map
    if league.closed or state is None or state.phase != "orders":
        return frozenset()
    return frozenset(state.at.keys() - state.orders.keys() - engaged(state.at, state.sides))


def _all_ordered(league: League) -> bool:
    return league.map is not None and league.map.phase == "orders" and not league.closed and not without_order(league)


def _all_fought(league: League) -> bool:
    state = league.map
    if league.closed or state is None or state.phase != "battles":
        return False
    return all(league.fixtures[number].state == "over" for number in state.battles)


def _ended(league: League) -> TurnEnded:
    map_, state = league.terms.map, league.map
    assert map_ is not None, "asked only on a map"
    assert state is not None, "asked only in a turn"
    fixtures = [league.fixtures[number] for number in state.battles if league.fixtures[number].round == league.round]
    fought = [Fought(one.players, state.battles[one.number], one.outcome, one.winner) for one in fixtures]
    fell = fall_back(map_, state.at, state.came, state.held, state.homes, fought, state.sides)
    changed = taken({**state.at, **{one.player: one.to for one in fell}}, state.held, state.sides)
    return TurnEnded(
        league.round,
        tuple(Retreat(one.player, one.start, one.to, one.how) for one in fell),
        tuple(changed.items()),
        tuple(worth(map_, {**state.held, **changed}).items()),
    )
