"""Leagues, as a part of the connection to the start page."""

from __future__ import annotations

from abc import ABC, abstractmethod

from client_protocol.client.link import expected, new_id
from client_protocol.from_client import ActInLeague, AskLeague, AskLeagues, ClientMessage, MakeLeague, PlayFixture
from client_protocol.from_server import FixtureSeat, Leagues, LeagueShown, Refused, ServerMessage
from client_protocol.leagues import LeagueAct, LeagueTerms


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
