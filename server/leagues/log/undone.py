"""That an organiser has undone what an organiser did: what was before is again. Pure."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from server.kernel.state import changed
from server.leagues.log.before import Act, Before
from server.leagues.log.campaign_map import MapState
from server.leagues.log.league import League


class Undone(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="undone"):
    """An organiser undoes the act in an entry of the league's log, for a reason. `fixtures` are again what they were before, or,
    of a round, are taken back with it. `round` is the number of the round or turn that is taken back, `player` who plays again.
    """

    entry: int
    act: Act
    reason: str
    fixtures: tuple[int, ...] = ()
    round: int = 0
    player: str = ""

    def fold(self, league: League) -> League:
        before = league.before[self.entry]
        if before.undone or (before.act, before.player) != (self.act, self.player):
            raise ValueError("there is nothing of this kind to undo")
        match self.act:
            case "settle":
                league = _as_before(league, before, self.fixtures)
            case "round":
                league = _without_round(league, self)
            case "removal":
                league = _playing_again(_as_before(league, before, self.fixtures), before)
            case "close":
                league = replace(league, closed=False)
        return replace(league, before={**league.before, self.entry: Before(self.act, undone=True)})


def _as_before(league: League, before: Before, numbers: tuple[int, ...]) -> League:
    was = {one.was.number: one.was for one in before.changes}
    return replace(league, fixtures={**league.fixtures, **{number: was[number] for number in numbers}})


def _without_round(league: League, undone: Undone) -> League:
    if undone.round != league.round:
        raise ValueError("another round has begun since")
    fixtures = {number: one for number, one in league.fixtures.items() if number not in undone.fixtures}
    map_ = league.map
    if map_ is not None:
        # With the first turn the forces were set down on the map.
        map_ = None if undone.round == 1 else replace(map_, phase="rest", until=0, orders={})
    gone = {**league.gone, **{number: league.fixtures[number].players for number in undone.fixtures}}
    seeds = () if undone.round == 1 else league.seeds
    return replace(league, fixtures=fixtures, round=undone.round - 1, map=map_, gone=gone, seeds=seeds)


def _playing_again(league: League, before: Before) -> League:
    """Return a league in which a player who was had leave plays again."""
    member = replace(league.players[before.player], state=before.state)
    map_ = league.map
    if map_ is not None and before.map is not None:
        map_ = back_on(map_, before.map, before.player, same_turn=league.round == before.round)
    return replace(league, players=changed(league.players, before.player, member), map=map_)


def back_on(map_: MapState, before: MapState, player: str, *, same_turn: bool) -> MapState:
    """Return a map with a player who had left it.

    Args:
        map_: the map, on which no force has moved since.
        before: the map with the player.
        player: the player's key.
        same_turn: whether the turn is still the same; then the player's order holds.
    """
    ordered = same_turn and map_.phase == "orders" and player in before.orders
    own = {player: before.orders[player]} if ordered else {}
    return replace(
        map_,
        homes=before.homes,
        at=before.at,
        came=before.came,
        held=before.held,
        waits=before.waits,
        orders={**map_.orders, **own},
    )
