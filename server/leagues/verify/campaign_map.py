"""Checking what happened on the map of a campaign: orders, and what follows from them and from battles. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from client_protocol.leagues import LeagueAct
from client_protocol.maps import MoveForce, RevealOrders
from server.leagues.errors import ActError
from server.leagues.log.entries import Entry
from server.leagues.log.facts import Happened, LeagueFact, LeagueMade, RulesChanged
from server.leagues.log.league import League
from server.leagues.log.map_facts import OrderSealed, OrdersRevealed, TurnEnded, TurnOpened
from server.leagues.log.sealed import Order, Sealing
from server.leagues.map_turns import followed, overdue
from server.matches.log.finding import Wrong

FOLLOWS = (OrdersRevealed, TurnEnded)
"""What an entry may end with besides what was done: it follows by itself."""


class ToldSealing:
    """Seals and opens the orders of a league file by what the file tells of them: the league's secret never leaves its server.

    Args:
        entries: the file's entries.
    """

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._seals: dict[Order, str] = {}
        self._opened: dict[str, tuple[str, str]] = {}
        turn = 0
        last: dict[str, str] = {}
        for fact in (fact for entry in entries for fact in entry.facts):
            match fact:
                case TurnOpened():
                    turn = fact.number
                case OrderSealed():
                    self._seals[Order(turn, fact.player, fact.number)] = last[fact.player] = fact.seal
                case OrdersRevealed():
                    self._opened.update({last[one.player]: (one.to, one.key) for one in fact.orders})
                case _:
                    pass

    def seal(self, order: Order, area: str) -> str:
        """Return the seal of an order; "": there is none, or it was one to another area."""
        seal = self._seals.get(order, "")
        return seal if self._opened.get(seal, (area, ""))[0] == area else ""

    def opened(self, order: Order, seal: str, areas: Iterable[str]) -> tuple[str, str]:  # noqa: ARG002
        """Return the area and the key of an order; ("", ""): it is not revealed, for instance since another took its place."""
        return self._opened.get(seal, ("", ""))


def act_on_map(league: League, fact: LeagueFact, sealing: Sealing) -> LeagueAct | None:
    """Return what was done in a league if this fact came of it; None if it came of nothing that is done on a map. The file does
    not tell the area of an order that is never revealed; to stay may always be ordered.
    """
    match fact:
        case OrderSealed():
            area = sealing.opened(Order(league.round, fact.player, fact.number), fact.seal, ())[0]
            stays = "" if league.map is None else league.map.at.get(fact.player, "")
            return MoveForce(league.round, area or stays)
        case OrdersRevealed():
            return RevealOrders(fact.turn)
        case _:
            return None


def happened(entry: Entry) -> tuple[Happened, ...]:
    """Return the facts of an entry that change more than the version of the rules, in a league that there is."""
    return tuple(fact for fact in entry.facts if not isinstance(fact, RulesChanged | LeagueMade))


def done(facts: tuple[Happened, ...]) -> tuple[Happened, ...]:
    """Return what was done or came first, of the facts of an entry, without what followed from it on the map."""
    rest = len(facts)
    while rest > 1 and isinstance(facts[rest - 1], FOLLOWS):
        rest -= 1
    return facts[:rest]


def check_followed(number: int, league: League, entry: Entry, sealing: Sealing) -> None:
    """Check that on the map followed what had to follow, and nothing else.

    Args:
        number: the number of the entry.
        league: the league before it.
        entry: the entry.
        sealing: opens the orders.

    Raises:
        Wrong: something else had to follow, or the server revealed orders before their deadline.
    """
    facts = happened(entry)
    first = done(facts)
    if league.terms.map is None or not first:
        return
    if isinstance(first[0], TurnEnded):
        raise Wrong(number, "a turn ends with its last battle, and not by itself")
    try:
        if not entry.by and isinstance(first[0], OrdersRevealed):
            first = (overdue(league, first[0].turn, entry.at, sealing),)
        due = followed(league, first, entry.at, sealing)
    except ActError as error:
        raise Wrong(number, f"the server could not reveal orders: {error.sentence}") from error
    except ValueError as error:
        raise Wrong(number, f"what follows on the map is missing: {error}") from error
    if due != facts:
        raise Wrong(number, "something else follows on the map by the league's rules")
