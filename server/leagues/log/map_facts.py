"""What happens on the map of a campaign, a struct each, and how it changes the league. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.leagues import FixtureView
from server.leagues.log.campaign_map import MapState, SealedOrder
from server.leagues.log.league import League
from server.leagues.log.sealed import sealed


class _MapFact(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """What all facts of the map share."""


def map_of(league: League) -> MapState:
    """Return how a league's map stands. Raises `ValueError`: no turn has begun on it."""
    if league.map is None:
        raise ValueError("no turn has begun on the map")
    return league.map


class TurnOpened(_MapFact, frozen=True, tag="turn"):
    """A turn begins: orders are given until a deadline (ms since 1970; 0: none). In the first one the forces of the players are
    set down in their `homes`, which they hold.
    """

    number: int
    until: int = 0
    homes: tuple[tuple[str, str], ...] = ()

    def fold(self, league: League) -> League:
        homes = dict(self.homes)
        sides = {player: league.players[player].side for player in homes if league.players[player].side}
        before = league.map or MapState(
            homes, homes, held={area: player for player, area in homes.items()}, sides=sides
        )
        return replace(league, round=self.number, map=replace(before, phase="orders", until=self.until, orders={}))


class OrderSealed(_MapFact, frozen=True, tag="order"):
    """A player gives an order, the `number`th of theirs in this turn. Until it is revealed, there is only its seal."""

    player: str
    number: int
    seal: str

    def fold(self, league: League) -> League:
        state = map_of(league)
        if state.phase != "orders" or self.player not in state.at:
            raise ValueError("no order is due")
        orders = {**state.orders, self.player: SealedOrder(self.number, self.seal)}
        return replace(league, map=replace(state, orders=orders))


class Revealed(Struct, frozen=True, array_like=True):
    """An order that is revealed: whose it is, where it leads, and its key (hexadecimal)."""

    player: str
    to: str
    key: str


class Stand(Struct, frozen=True, array_like=True):
    """Where a player's force stands now, and where it stood before."""

    player: str
    area: str
    before: str


class MapFixture(Struct, frozen=True, array_like=True):
    """A battle in an area: the number of its fixture, its players, its area and scenario."""

    number: int
    players: tuple[str, str]
    area: str
    scenario: str


class OrdersRevealed(_MapFact, frozen=True, tag="orders"):
    """All orders of a turn are revealed at once: where the forces stand now, which areas are taken, which battles are fought
    until a deadline (ms since 1970; 0: none), and which players' forces wait in their areas.
    """

    turn: int
    orders: tuple[Revealed, ...]
    stands: tuple[Stand, ...]
    taken: tuple[tuple[str, str], ...] = ()
    battles: tuple[MapFixture, ...] = ()
    waits: tuple[str, ...] = ()
    until: int = 0

    def fold(self, league: League) -> League:
        state = map_of(league)
        if (
            state.phase != "orders"
            or self.turn != league.round
            or {one.player for one in self.orders} != set(state.orders)
        ):
            raise ValueError("these are not the orders of this turn")
        if any(sealed(bytes.fromhex(one.key), one.to) != state.orders[one.player].seal for one in self.orders):
            raise ValueError("an order is not the one that was sealed")
        moved = {one.player: one.before for one in self.stands if one.area != one.before}
        after = state.standing({one.player: one.area for one in self.stands}, {**state.came, **moved})
        after = replace(
            after,
            held={**state.held, **dict(self.taken)},
            phase="battles",
            until=0,
            orders={},
            waits=self.waits,
            battles={**state.battles, **{one.number: one.area for one in self.battles}},
        )
        fixtures = {
            one.number: FixtureView(one.number, self.turn, one.players, one.scenario, until=self.until)
            for one in self.battles
        }
        return replace(league, fixtures={**league.fixtures, **fixtures}, map=after)


class Retreat(Struct, frozen=True, array_like=True):
    """A force that leaves the area of its battle: whence, where to, and whether it goes back, elsewhere, or home."""

    player: str
    start: str
    to: str
    how: Literal["back", "retreat", "home"]


class TurnEnded(_MapFact, frozen=True, tag="turn_ended"):
    """The battles of a turn are over: which forces fall back, which areas are taken, and what each holder's areas give."""

    turn: int
    retreats: tuple[Retreat, ...] = ()
    taken: tuple[tuple[str, str], ...] = ()
    paid: tuple[tuple[str, int], ...] = ()

    def fold(self, league: League) -> League:
        state = map_of(league)
        if state.phase != "battles" or self.turn != league.round:
            raise ValueError("this turn does not end now")
        fell = {one.player: one.to for one in self.retreats}
        came = {player: area for player, area in state.came.items() if player not in fell}
        after = state.standing({**state.at, **fell}, came)
        paid = dict(self.paid)
        gained = {player: (*state.gained.get(player, ()), paid.get(player, 0)) for player in {**state.homes, **paid}}
        return replace(
            league,
            map=replace(
                after, phase="rest", held={**state.held, **dict(self.taken)}, gained={**state.gained, **gained}
            ),
        )


MapFact = TurnOpened | OrderSealed | OrdersRevealed | TurnEnded
"""What can happen on the map of a campaign."""
