"""That a player names the figures of a unit of a force that lives on. Pure."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from server.kernel.state import changed
from server.leagues.log.league import League


class FiguresNamed(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="named"):
    """A player names the figures of a unit: all that have a name from now on, by their places, counted from 1."""

    player: str
    unit: int
    names: tuple[tuple[int, str], ...]

    def fold(self, league: League) -> League:
        member = league.players[self.player]
        if member.campaign is None:
            raise ValueError("forces do not live on")
        unit = replace(member.campaign.unit(self.unit), names=dict(self.names))
        named = replace(member, campaign=member.campaign.with_unit(self.unit, unit))
        return replace(league, players=changed(league.players, self.player, named))
