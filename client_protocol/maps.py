"""The map of a campaign: what an organiser draws, what its players order, and how it stands."""

from __future__ import annotations

from typing import Annotated, Literal

from msgspec import Meta, Struct

from client_protocol.shapes import Hex32, Id, Name

AreaId = Annotated[str, Meta(pattern=r"^[a-z0-9_-]{1,40}(?!\n)$")]
"""An area of a map."""
MapPlace = Annotated[int, Meta(ge=0, le=1000)]
"""A coordinate on a map, in thousandths of its width or height, from the upper left corner."""
Worth = Annotated[int, Meta(ge=0, le=100)]
"""The points that an area gives."""
Turn = Annotated[int, Meta(ge=1, le=1000)]
"""The number of a turn, counted from 1."""


class MapArea(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """An area: where it lies, the scenario of the battles in it, and the points that it gives its holder each turn."""

    id: AreaId
    name: Name
    x: MapPlace
    y: MapPlace
    scenario: Id
    worth: Worth = 1


class CampaignMap(Struct, frozen=True, forbid_unknown_fields=True):
    """Areas, the routes between them, and the areas where forces begin: those of the players in the order in which they joined.
    There is a way from each area to each other one.
    """

    areas: Annotated[tuple[MapArea, ...], Meta(min_length=2, max_length=40)]
    routes: Annotated[tuple[tuple[AreaId, AreaId], ...], Meta(min_length=1, max_length=200)]
    homes: Annotated[tuple[AreaId, ...], Meta(min_length=2, max_length=40)]


# --- what players and organisers do ----------------------------------------------------------------------------------


class MoveForce(Struct, frozen=True, forbid_unknown_fields=True, tag="move_force"):
    """A player orders their force to a neighbouring area in a turn, or to stay: `to` is the area in which it stands. The order is
    sealed: the others see only that there is one. Until the orders are revealed, another one may take its place.
    """

    turn: Turn
    to: AreaId


class RevealOrders(Struct, frozen=True, forbid_unknown_fields=True, tag="reveal_orders"):
    """The organiser reveals the orders of a turn before its deadline: those who have given none stay."""

    turn: Turn


# --- what can be seen ------------------------------------------------------------------------------------------------


class MapForce(Struct, frozen=True, omit_defaults=True):
    """A player's force on the map: its home, the area in which it stands, the area from which it came where it has met an enemy
    ("": it came from none). `ordered`: its order for this turn is given, or it can have none,
    since it stands with an enemy in one area (`engaged`).
    """

    player: Hex32
    home: AreaId
    area: AreaId
    came: str = ""
    ordered: bool = False
    engaged: bool = False


class MapBattle(Struct, frozen=True):
    """A fixture that is fought for an area."""

    fixture: int
    area: AreaId


class MapView(Struct, frozen=True, omit_defaults=True):
    """How a campaign's map stands. `phase`: no turn has begun or the last one is over (`rest`), orders are given until `until`
    (ms since 1970; 0: without a deadline), or battles are fought. `held` are the areas that are held, with their holders, and
    `gained` what areas have given to players at the end of each turn so far, the first one first. `order` is the asker's own, the
    area to which it goes; "": none; `side_orders` are those of the others of their side. Before the first turn forces stand in
    the homes that they would have now.
    """

    phase: Literal["rest", "orders", "battles"] = "rest"
    until: int = 0
    forces: tuple[MapForce, ...] = ()
    held: tuple[tuple[AreaId, Hex32], ...] = ()
    battles: tuple[MapBattle, ...] = ()
    gained: tuple[tuple[Hex32, tuple[int, ...]], ...] = ()
    order: str = ""
    side_orders: tuple[tuple[Hex32, AreaId], ...] = ()
