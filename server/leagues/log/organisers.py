"""Co-organisers: facts about who organises a league besides the player who made it. Pure."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from server.leagues.log.league import League


class OrganiserAppointed(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="appointed"):
    """A player becomes a co-organiser."""

    player: str
    name: str

    def fold(self, league: League) -> League:
        return replace(league, organisers={**league.organisers, self.player: self.name})


class OrganiserDismissed(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True, tag="dismissed"):
    """A player is a co-organiser no more. The name is kept: earlier entries are theirs."""

    player: str

    def fold(self, league: League) -> League:
        organisers = {key: name for key, name in league.organisers.items() if key != self.player}
        former = {**league.former, self.player: league.organisers[self.player]}
        return replace(league, organisers=organisers, former=former)


Organising = OrganiserAppointed | OrganiserDismissed
"""What happens to organisers."""


def maker(league: League) -> str:
    """Return the key of the player who made a league: its first organiser, who always stays one."""
    return next(iter(league.organisers))
