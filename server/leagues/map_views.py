"""The map of a campaign as one may see it. Pure."""

from __future__ import annotations

from client_protocol.maps import MapBattle, MapForce, MapView
from server.leagues.log.campaign_map import MapState, SealedOrder
from server.leagues.log.league import League
from server.leagues.log.sealed import Order, Sealing
from server.leagues.map_acts import homes
from server.leagues.rules.map import engaged


def map_view(league: League, key: str, sealing: Sealing | None) -> MapView | None:
    """Return a league's map as the player with a key ("": a stranger) sees it; None: it has none. Of the orders of
    enemies it holds only that they are given.
    """
    map_, state = league.terms.map, league.map
    if map_ is None:
        return None
    if state is None:
        at_home = homes(league, map_)
        forces = tuple(MapForce(player, home, home) for player, home in at_home.items())
        return MapView(forces=forces, held=tuple((home, player) for player, home in at_home.items()))
    bound = engaged(state.at, state.sides)
    ordering = state.phase == "orders"
    own = state.orders.get(key)
    return MapView(
        state.phase,
        state.until if ordering else 0,
        tuple(
            MapForce(
                player,
                state.homes[player],
                area,
                state.came.get(player, ""),
                ordered=ordering and (player in state.orders or player in bound),
                engaged=player in bound,
            )
            for player, area in state.at.items()
        ),
        tuple(state.held.items()),
        tuple(MapBattle(number, area) for number, area in state.battles.items()),
        tuple(state.gained.items()),
        "" if own is None or sealing is None else _order(league, key, own, sealing),
        () if sealing is None else _side_orders(league, state, key, sealing),
    )


def _side_orders(league: League, state: MapState, key: str, sealing: Sealing) -> tuple[tuple[str, str], ...]:
    """Return what the others of a player's side have ordered."""
    return tuple(
        (player, _order(league, player, one, sealing))
        for player, one in state.orders.items()
        if player != key and league.allied(player, key)
    )


def _order(league: League, player: str, own: SealedOrder, sealing: Sealing) -> str:
    assert league.terms.map is not None, "asked only on a map"
    areas = [one.id for one in league.terms.map.areas]
    return sealing.opened(Order(league.round, player, own.number), own.seal, areas)[0]
