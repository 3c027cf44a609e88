"""A campaign on a map: whether it can be played on, how forces march and meet, and how they fall back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Mapping, Sequence
from itertools import combinations
from typing import Literal

from msgspec import Struct

from client_protocol.leagues import Outcome
from client_protocol.maps import CampaignMap, MapArea
from server.leagues.rules.sides import NO_SIDES, Sides

Areas = Mapping[str, str]
"""An area of each of some players: where their forces stand, or whence they came; or the holder of each of some areas."""


# --- the map ---------------------------------------------------------------------------------------------------------


def problem(map_: CampaignMap, scenarios: Container[str]) -> str:
    """Return in a sentence why a league with these scenarios cannot be played on a map; "" if it can."""
    ids = [one.id for one in map_.areas]
    if len(set(ids)) < len(ids):
        return "Two areas of the map have one id."
    names = Counter(one.name.casefold() for one in map_.areas)
    if double := [one.name for one in map_.areas if names[one.name.casefold()] > 1]:
        return f"Two areas of the map have the name {double[0]}."
    if strange := [one.name for one in map_.areas if one.scenario not in scenarios]:
        return f"The scenario of {strange[0]} is none of the league's."
    return _wrong_ways(map_, ids)


def _wrong_ways(map_: CampaignMap, ids: Container[str]) -> str:
    if any(end not in ids for route in map_.routes for end in route):
        return "A route of the map leads to an area that is not there."
    if any(one == other for one, other in map_.routes):
        return "A route of the map leads from an area to itself."
    if len({frozenset(route) for route in map_.routes}) < len(map_.routes):
        return "Two routes of the map join the same areas."
    if any(home not in ids for home in map_.homes):
        return "A home of the map is an area that is not there."
    if len(set(map_.homes)) < len(map_.homes):
        return "Two players have one home on the map."
    if apart := [one.name for one in map_.areas if one.id not in _reached(map_)]:
        return f"There is no way on the map from {map_.areas[0].name} to {apart[0]}."
    return ""


def _reached(map_: CampaignMap) -> set[str]:
    """Return the areas to which there is a way from the first one."""
    reached = {map_.areas[0].id}
    ahead = list(reached)
    while ahead:
        new = set(neighbours(map_, ahead.pop())) - reached
        reached |= new
        ahead += new
    return reached


def neighbours(map_: CampaignMap, area: str) -> tuple[str, ...]:
    """Return the areas to which a route leads from an area: those worth most first, and of equals the ones drawn first."""
    found = {end for route in map_.routes if area in route for end in route if end != area}
    return tuple(one.id for one in ranked(map_) if one.id in found)


def ranked(map_: CampaignMap) -> list[MapArea]:
    """Return the areas, those worth most first, and of equals the ones drawn first."""
    return sorted(map_.areas, key=lambda one: -one.worth)


# --- marching and meeting --------------------------------------------------------------------------------------------


def enemies(one: str, other: str, sides: Sides) -> bool:
    """Return whether two players' forces fight where they meet."""
    return one != other and not (one in sides and sides[one] == sides.get(other))


def engaged(at: Areas, sides: Sides = NO_SIDES) -> frozenset[str]:
    """Return the players whose forces stand with an enemy in one area: they fight before they march again."""
    return frozenset(
        one for one, area in at.items() if any(at[other] == area and enemies(one, other, sides) for other in at)
    )


def march(map_: CampaignMap, at: Areas, orders: Areas, sides: Sides = NO_SIDES) -> dict[str, str]:
    """Return where forces stand once their orders are revealed.

    A force without an order stays, and so does one that is engaged. Two enemies that would swap places meet in the area that is
    worth more, of equals the one drawn first: the force that stands there has not left it yet.
    """
    bound = engaged(at, sides)
    goes = {player: area if player in bound else orders.get(player, area) for player, area in at.items()}
    place = {one.id: rank for rank, one in enumerate(ranked(map_))}
    for one, other in combinations(at, 2):
        if enemies(one, other, sides) and at[one] != at[other] and goes[one] == at[other] and goes[other] == at[one]:
            stays = min(one, other, key=lambda player: place[at[player]])
            goes[stays] = at[stays]
    return goes


class Meeting(Struct, frozen=True):
    """Enemies in one area: the pairs that fight, and the players whose forces wait."""

    area: str
    pairs: tuple[tuple[str, str], ...]
    waits: tuple[str, ...] = ()


def meetings(
    map_: CampaignMap,
    before: Areas,
    after: Areas,
    waited: Container[str],
    battles: Mapping[str, int],
    sides: Sides = NO_SIDES,
) -> tuple[Meeting, ...]:
    """Return who fights whom. In an area with enemies the first force fights the first enemy after it, then the next force that
    is left the next enemy; those left over wait, and fight in the next turn. First comes the force that waited there in the last
    turn, then those that stood there, then those that came in; of equals first those that have fought fewer battles, then those
    that joined first.

    Args:
        map_: the map.
        before: where the forces stood, in the order in which their players joined.
        after: where they stand.
        waited: the players whose forces waited in the last turn.
        battles: how many battles each player has had.
        sides: who is no enemy of whom.
    """
    found = []
    for area in map_.areas:
        there = sorted(
            (player for player in before if after[player] == area.id),
            key=lambda player: (before[player] != area.id, player not in waited, battles.get(player, 0)),
        )
        pairs, waits = _fights(there, sides)
        if pairs:
            found.append(Meeting(area.id, pairs, waits))
    return tuple(found)


def _fights(there: Sequence[str], sides: Sides) -> tuple[tuple[tuple[str, str], ...], tuple[str, ...]]:
    pairs, waits, left = [], [], list(there)
    while left:
        one = left.pop(0)
        enemy = next((other for other in left if enemies(one, other, sides)), None)
        if enemy is None:
            waits.append(one)
        else:
            left.remove(enemy)
            pairs.append((one, enemy))
    return tuple(pairs), tuple(waits)


def taken(at: Areas, held: Areas, sides: Sides = NO_SIDES) -> dict[str, str]:
    """Return the areas that change hands, with their new holders: those where a force stands without an enemy, and that neither
    its player nor another of its side holds.
    """
    bound, found = engaged(at, sides), dict[str, str]()
    for player, area in at.items():
        if player not in bound and (area not in held or enemies(held[area], player, sides)):
            found.setdefault(area, player)
    return found


def worth(map_: CampaignMap, held: Areas) -> dict[str, int]:
    """Return what the areas of each holder are worth together."""
    paid: Counter[str] = Counter()
    for one in map_.areas:
        if one.id in held:
            paid[held[one.id]] += one.worth
    return {player: points for player, points in paid.items() if points}


# --- falling back ----------------------------------------------------------------------------------------------------


class Fought(Struct, frozen=True):
    """A battle that is over: who met, where, how it ended, and who has won ("": no player)."""

    players: tuple[str, ...]
    area: str
    outcome: Outcome | Literal[""]
    winner: str = ""


class FellBack(Struct, frozen=True):
    """A force that leaves the area of its battle: to the area from which it came, to a neighbouring one, or home."""

    player: str
    start: str
    to: str
    how: Literal["back", "retreat", "home"]


def fall_back(
    map_: CampaignMap,
    at: Areas,
    came: Areas,
    held: Areas,
    homes: Areas,
    fought: Sequence[Fought],
    sides: Sides = NO_SIDES,
) -> tuple[FellBack, ...]:
    """Return which forces leave the areas of their battles, and where they go.

    The loser of a battle leaves; after a draw, and after a battle that does not count, each of the two that came in, and if
    neither did, both stay. A force whose enemy has left the league stays. A force goes back to the area from which it came if no
    enemy stands there now. Otherwise it goes to a neighbouring area without an enemy that is its side's own, or else to one that
    no player holds, each time the one worth most; and if there is none, home, even to an enemy. All leave at once, and find
    their places in the order of the battles.
    """
    leaving = [(player, one.area) for one in fought for player in _leave(one, at, came)]
    gone = {player for player, _ in leaving}
    stands = {player: area for player, area in at.items() if player not in gone}
    found = []
    for player, area in leaving:
        full = {there for other, there in stands.items() if enemies(player, other, sides)}
        own = {there for there, holder in held.items() if not enemies(player, holder, sides)}
        fell = _refuge(map_, player, area, came, own, held, homes, full)
        stands[player] = fell.to
        found.append(fell)
    return tuple(found)


def _leave(fought: Fought, at: Areas, came: Areas) -> tuple[str, ...]:
    present = tuple(player for player in fought.players if player in at)
    if len(present) < len(fought.players):
        return ()
    if fought.outcome == "won":
        return tuple(player for player in present if player != fought.winner)
    return tuple(player for player in present if came.get(player))


def _refuge(
    map_: CampaignMap,
    player: str,
    area: str,
    came: Areas,
    own: Container[str],
    held: Areas,
    homes: Areas,
    full: Container[str],
) -> FellBack:
    if (back := came.get(player)) is not None and back not in full:
        return FellBack(player, area, back, "back")
    near = [one for one in neighbours(map_, area) if one not in full]
    safe = [one for one in near if one in own] or [one for one in near if one not in held]
    if safe:
        return FellBack(player, area, safe[0], "retreat")
    return FellBack(player, area, homes[player], "home")
