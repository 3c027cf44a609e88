"""What was before the last acts of a league's organisers, so that these can be undone. Pure."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

from client_protocol.leagues import FixtureView
from server.kernel.campaigns.state import PostBattle
from server.leagues.log.campaign_map import MapState

MOST = 40
"""Of how many acts it is kept what was before: the last ones."""

Act = Literal["settle", "round", "removal", "close"]
"""What can be undone: how a fixture was settled, a round or a turn that has begun, that a player was had leave, the end."""


class Change(Struct, frozen=True):
    """A fixture as it was, and as it became."""

    was: FixtureView
    became: FixtureView


class Before(Struct, frozen=True):
    """What was before an act of an organiser.

    Attributes:
        act: what was done.
        round: the number of the round or turn then; of one that has begun, its own.
        changes: the fixtures that were settled, or have ended because a player left.
        rosters: where forces live on, how those stood whose match was going on, by the keys of their players.
        player: the player who was had leave.
        state: whether that player asked to join, or played.
        map: how the map of a campaign stood; None: no turn had begun on it.
        built_on: whether something has followed that cannot be taken back with it: an order in a turn that has begun, or a
            player who was had leave and has joined anew.
        undone: whether it is undone already; then nothing else is kept.
    """

    act: Act
    round: int = 0
    changes: tuple[Change, ...] = ()
    rosters: dict[str, PostBattle] = {}
    player: str = ""
    state: Literal["asks", "plays", "left"] = "plays"
    map: MapState | None = None
    built_on: bool = False
    undone: bool = False
