"""Leagues, as a part of the connection to the start page."""

from __future__ import annotations

from abc import ABC, abstractmethod

from client_protocol.client.link import expected, new_id
from client_protocol.from_client import (
    ActInLeague,
    AskLeague,
    AskLeagues,
    AskRoster,
    ClientMessage,
    MakeLeague,
    PlayFixture,
    SetLeagueWebhook,
)
from client_protocol.from_server import (
    FixtureSeat,
    Leagues,
    LeagueShown,
    NoticesSet,
    Refused,
    RosterShown,
    ServerMessage,
)
from client_protocol.leagues import LeagueAct, LeagueTerms
from client_protocol.players import Webhook


class Leaguing(ABC):
    """What a connection may do in leagues: to look is free, all else needs `introduce` first."""

    @abstractmethod
    async def _ask(self, message_id: str, message: ClientMessage) -> ServerMessage:
        """Send a message, and return its reply."""

    async def ask_leagues(self, after: int = 0) -> Leagues | Refused:
        """Ask for the leagues that we may see; `after` is the `more` of the last answer, to ask for older ones."""
        message = AskLeagues(new_id(), after)
        return expected(await self._ask(message.id, message), Leagues)

    async def make_league(self, terms: LeagueTerms, id_: str = "") -> LeagueShown | Refused:
        """Make a league. `id_` is the message's id, if it is sent once more."""
        message = MakeLeague(id_ or new_id(), terms)
        return expected(await self._ask(message.id, message), LeagueShown)

    async def ask_league(self, league: str, invite: str = "") -> LeagueShown | Refused:
        """Ask for a league as we may see it."""
        message = AskLeague(new_id(), league, invite)
        return expected(await self._ask(message.id, message), LeagueShown)

    async def ask_roster(self, league: str, player: str, invite: str = "") -> RosterShown | Refused:
        """Return how the force of a player stands in a league in which forces live on."""
        message = AskRoster(new_id(), league, player, invite)
        return expected(await self._ask(message.id, message), RosterShown)

    async def act_in_league(
        self, league: str, act: LeagueAct, invite: str = "", id_: str = ""
    ) -> LeagueShown | Refused:
        """Do something in a league. `id_` is the message's id, if it is sent once more."""
        message = ActInLeague(id_ or new_id(), league, act, invite)
        return expected(await self._ask(message.id, message), LeagueShown)

    async def play_fixture(self, league: str, fixture: int) -> FixtureSeat | Refused:
        """Ask for our seat in the match of a fixture."""
        message = PlayFixture(new_id(), league, fixture)
        return expected(await self._ask(message.id, message), FixtureSeat)

    async def set_league_webhook(
        self, league: str, webhook: Webhook | None = None, *, test: bool = False
    ) -> NoticesSet | Refused:
        """Name the webhook of a league, or none; with `test`, try the one that is there."""
        message = SetLeagueWebhook(new_id(), league, webhook, test)
        return expected(await self._ask(message.id, message), NoticesSet)
