"""The state of a campaign's map: frozen structs, folded from facts. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from server.leagues.rules.map import engaged

_T = TypeVar("_T")


class SealedOrder(Struct, frozen=True):
    """An order that is not revealed yet: how many the player has given in this turn, with this one, and its seal."""

    number: int
    seal: str


class MapState(Struct, frozen=True):
    """How a campaign's map stands.

    Attributes:
        homes: the homes of the players who are on the map, in the order in which they joined.
        at: where their forces stand.
        came: the areas from which forces came that stand with an enemy in one area.
        held: the holders of the areas that are held.
        phase: whether orders are given, battles are fought, or neither.
        until: the deadline of the orders (ms since 1970; 0: none).
        orders: the orders of this turn.
        waits: the players whose forces wait in this turn, or waited in the last one.
        battles: the areas of the fixtures.
        gained: what areas have given to players, at the end of each turn; less turns than have ended for those who left before.
        sides: the sides of players, where there are sides; they stand once the first turn has begun.
    """

    homes: dict[str, str]
    at: dict[str, str]
    came: dict[str, str] = {}
    held: dict[str, str] = {}
    phase: Literal["rest", "orders", "battles"] = "rest"
    until: int = 0
    orders: dict[str, SealedOrder] = {}
    waits: tuple[str, ...] = ()
    battles: dict[int, str] = {}
    gained: dict[str, tuple[int, ...]] = {}
    sides: dict[str, int] = {}

    @property
    def points(self) -> dict[str, int]:
        """What areas have given to players so far."""
        return {player: sum(turns) for player, turns in self.gained.items()}

    def standing(self, at: Mapping[str, str], came: Mapping[str, str]) -> MapState:
        """Return the map with its forces elsewhere. Whence a force came counts only while it stands with an enemy."""
        bound = engaged(at, self.sides)
        return replace(self, at=dict(at), came={one: start for one, start in came.items() if one in bound})

    def without(self, player: str) -> MapState:
        """Return the map without a player: their force is off it, and their areas are free."""
        at, came = _less(self.at, player), _less(self.came, player)
        left = replace(
            self,
            homes=_less(self.homes, player),
            held={area: holder for area, holder in self.held.items() if holder != player},
            orders=_less(self.orders, player),
            waits=tuple(one for one in self.waits if one != player),
        )
        return left.standing(at, came)


def _less(of: Mapping[str, _T], player: str) -> dict[str, _T]:
    return {one: value for one, value in of.items() if one != player}
