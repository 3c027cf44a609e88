"""What players and organisers do in a campaign on a map, and the facts that it leads to. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from client_protocol.leagues import LeagueTerms
from client_protocol.maps import CampaignMap, MoveForce, RevealOrders
from server.leagues.errors import ActError
from server.leagues.log.campaign_map import MapState
from server.leagues.log.league import League
from server.leagues.log.map_facts import MapFixture, OrderSealed, OrdersRevealed, Revealed, Stand, TurnOpened
from server.leagues.log.sealed import Order, Sealing
from server.leagues.rules.map import engaged, march, meetings, neighbours, problem, taken
from server.leagues.rules.settled import Settled, seated
from server.matches.log.names import tidy

NO_MAP = "This league has no map."


def checked(terms: LeagueTerms) -> LeagueTerms:
    """Return terms whose map can be played on, if they want one; its names are cleaned. Raises `ActError`."""
    map_ = terms.map
    if (map_ is not None) != (terms.format == "map"):
        raise ActError("A campaign on a map needs a map, and no other league has one.")
    if map_ is None:
        return terms
    map_ = replace(map_, areas=tuple(replace(one, name=tidy(one.name)) for one in map_.areas))
    if not all(one.name for one in map_.areas):
        raise ActError("An area of the map has no name.", "empty")
    wrong = problem(map_, terms.scenarios)
    if wrong:
        raise ActError(wrong)
    return replace(terms, map=map_)


def check_home(league: League) -> None:
    """Check that there is a home for one more player. Raises `ActError`."""
    map_ = league.terms.map
    if map_ is None:
        return
    if league.round:
        raise ActError("This campaign has begun: the homes on its map are given out.")
    if len(league.playing) >= len(map_.homes):
        raise ActError(f"All {len(map_.homes)} homes on the map of this league are taken.")


def homes(league: League, map_: CampaignMap) -> dict[str, str]:
    """Return the homes of the players before the first turn, in the order in which they joined."""
    return dict(zip(league.playing, map_.homes, strict=False))


def why_no_turn(league: League) -> str:
    """Return in a sentence why the next turn cannot begin for the sake of the map; "" if that does not forbid it."""
    if league.map is not None and league.map.phase == "orders":
        return f"The orders of turn {league.round} are to be given, or to be revealed, before the next turn."
    return ""


def opened(league: League, until: int) -> TurnOpened:
    """Return that the next turn begins, whose orders are given until a deadline."""
    map_, state = _drawn(league), league.map
    first = () if state is not None else tuple(homes(league, map_).items())
    return TurnOpened(league.round + 1, until, first)


def order(league: League, player: str, act: MoveForce, now: int, sealing: Sealing) -> OrderSealed:
    """Return the sealed order of a player, given at a time (ms since 1970). Raises `ActError`."""
    map_, state = _drawn(league), _due(league, act.turn)
    if 0 < state.until <= now:
        # Servers reveal the orders a little later; until when one may be given does not hang on that.
        raise ActError(f"The deadline for the orders of turn {act.turn} has passed.", "orders_revealed")
    start = state.at.get(player)
    if start is None:
        raise ActError("Your force is not on the map.")
    names = {one.id: one.name for one in map_.areas}
    if player in engaged(state.at, state.sides):
        raise ActError(f"Your force stands with an enemy at {names[start]}: it fights before it marches.", "engaged")
    if act.to not in names:
        raise ActError("There is no such area on the map.")
    if act.to != start and act.to not in neighbours(map_, start):
        raise ActError(f"No route leads from {names[start]} to {names[act.to]}.", "no_route")
    before, number = state.orders.get(player), 1
    if before is not None:
        number += before.number
        if sealing.opened(Order(league.round, player, before.number), before.seal, names)[0] == act.to:
            raise ActError("You have given this order already.", "ordered")
    return OrderSealed(player, number, sealing.seal(Order(league.round, player, number), act.to))


def revealed(league: League, settled: Sequence[Settled], until: int, sealing: Sealing) -> OrdersRevealed:
    """Return that the orders of a turn are revealed.

    Args:
        league: the league.
        settled: its fixtures that are over.
        until: the deadline of the battles (ms since 1970; 0: none).
        sealing: opens orders.
    """
    map_, state = _drawn(league), _on(league)
    areas = {one.id: one for one in map_.areas}
    given = []
    for player, one in state.orders.items():
        given.append(Revealed(player, *sealing.opened(Order(league.round, player, one.number), one.seal, areas)))
    after = march(map_, state.at, {one.player: one.to for one in given}, state.sides)
    met = meetings(map_, state.at, after, state.waits, _battles(settled), state.sides)
    fixtures: list[MapFixture] = []
    for meeting in met:
        for pair in meeting.pairs:
            number = league.next_fixture + len(fixtures)
            scenario = areas[meeting.area].scenario
            fixtures.append(MapFixture(number, seated(pair, settled), meeting.area, scenario))
    return OrdersRevealed(
        league.round,
        tuple(given),
        tuple(Stand(player, area, state.at[player]) for player, area in after.items()),
        tuple(taken(after, state.held, state.sides).items()),
        tuple(fixtures),
        tuple(player for one in met for player in one.waits),
        until if fixtures else 0,
    )


def reveal(
    league: League, act: RevealOrders, settled: Sequence[Settled], until: int, sealing: Sealing
) -> OrdersRevealed:
    """Return that an organiser has the orders of a turn revealed. Raises `ActError`."""
    _drawn(league)
    _due(league, act.turn)
    return revealed(league, settled, until, sealing)


def _battles(settled: Sequence[Settled]) -> Mapping[str, int]:
    return Counter(player for one in settled if one.counts for player in one.players)


def _drawn(league: League) -> CampaignMap:
    if league.terms.map is None:
        raise ActError(NO_MAP)
    return league.terms.map


def _on(league: League) -> MapState:
    assert league.map is not None, "asked only in a turn"
    return league.map


def _due(league: League, turn: int) -> MapState:
    """Return how the map stands in a turn whose orders are due. Raises `ActError`: they are not."""
    if turn > league.round or league.map is None:
        raise ActError(f"Turn {turn} has not begun.")
    if turn < league.round or league.map.phase != "orders":
        raise ActError(f"The orders of turn {turn} are revealed already.", "orders_revealed")
    return league.map
