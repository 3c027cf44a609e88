"""A player who plays a fixture in the place of another one."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from server.leagues.log.league import League


class StandInNamed(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="stand_in"):
    """Another player plays a fixture in the place of `player`, with that player's force; "": they play it themselves."""

    fixture: int
    player: str
    by: str = ""

    def fold(self, league: League) -> League:
        fixture = league.fixtures[self.fixture]
        others = tuple(one for one in fixture.stand_ins if one[0] != self.player)
        stand_ins = (*others, (self.player, self.by)) if self.by else others
        return replace(league, fixtures={**league.fixtures, self.fixture: replace(fixture, stand_ins=stand_ins)})
