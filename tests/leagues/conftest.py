"""A database with leagues, whose matches are of the toy's rules."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from functools import partial

import pytest
from msgspec.structs import replace

from client_protocol.from_client import TakeSeat
from client_protocol.from_server import Accepted, SeatTaken
from client_protocol.leagues import FixtureView, Join, LeagueAct, LeagueTerms, LeagueView
from server.kernel.ruleset import Ruleset
from server.leagues.acts import Actor
from server.leagues.keeping import Keeping
from server.leagues.leagues import Leagues, Sign, unsigned
from server.leagues.log.league_file import written
from server.leagues.standing_in import sitting
from server.leagues.verify.league_file import verify
from server.matches.players_tokens import players_token
from server.matches.rooms import Rooms
from server.store.league_logs import LeagueLogs
from server.store.store import MatchStore
from tests.support.player_keys import ADA, BO, PlayerKey
from tests.support.room import Hands, Table, never, rooms_on, under_way
from tests.support.toy_rules import ToyRules, force
from tests.support.valkey import store, valkey_server, valkey_url

__all__ = ["store", "valkey_server", "valkey_url"]

CY, DEE = PlayerKey(3), PlayerKey(4)
NAMES = {ADA.key: "Ada", BO.key: "Bo", CY.key: "Cy", DEE.key: "Dee"}
TERMS = LeagueTerms("Autumn", "toy", ("duel",), listed=False)


@dataclass
class Server:
    """A server with leagues; several may share a database."""

    rooms: Rooms
    leagues: Leagues
    keeping: Keeping
    hands: Hands
    count: int = field(default=0)

    def _id(self) -> str:
        self.count += 1
        return f"message-{id(self)}-{self.count}"

    async def make(self, terms: LeagueTerms = TERMS, key: PlayerKey = ADA) -> LeagueView:
        return await self.leagues.make(self._id(), key.key, NAMES[key.key], terms)

    async def act(self, league: str, key: PlayerKey, act: LeagueAct, invite: str = "", id_: str = "") -> LeagueView:
        return await self.leagues.act(league, Actor(key.key, NAMES[key.key]), id_ or self._id(), invite, act)

    async def gathered(self, *keys: PlayerKey, terms: LeagueTerms = TERMS) -> LeagueView:
        """A league of Ada's that these players have joined."""
        made = await self.make(terms)
        for key in keys:
            name = NAMES[key.key]
            await self.act(made.id, key, Join(force(f"{name}'s", "rifle", "rifle")), made.invite)
        return await self.leagues.show(made.id, ADA.key)

    async def seated(self, league: str, fixture: FixtureView) -> Table:
        """The match of a fixture, whose players have sat down with their keys."""
        match = ""
        keys = [sitting(fixture, player) for player in fixture.players]
        for key in keys:
            given = await self.leagues.seat("seat", league, key, fixture.number)
            taken = await self.rooms.take_seat(TakeSeat("take", given.match, given.seat, NAMES[key], given.invite))
            assert isinstance(taken, SeatTaken), taken
            match = given.match
        room = await self.rooms.get(match)
        assert room is not None
        for seat, key in zip(room.seats, keys, strict=True):
            held = next(one for one in (ADA, BO, CY, DEE) if one.key == key)
            assert isinstance(await room.tie(seat, held.tie(room.match, seat, NAMES[key])), Accepted)
        return await under_way(self.rooms, room.match)

    async def pass_(self, seconds: float) -> None:
        """Let time pass, and look after the leagues."""
        self.hands.move(seconds)
        await self.keeping.look()


def server_on(
    store: MatchStore, rooms: Rooms, hands: Hands, rules: Ruleset | None = None, sign: Sign = unsigned
) -> Server:
    """Return a server's part on a database, for one edition (by default the toy's)."""
    rules = rules or ToyRules()
    token = partial(players_token, store)
    leagues = Leagues(LeagueLogs(store), rooms, lambda _edition: rules, token, lambda: hands.now, sign=sign)
    return Server(rooms, leagues, Keeping(leagues, store, never), hands)


@pytest.fixture
async def server(store: MatchStore) -> AsyncIterator[Server]:
    """One server. What it has written of its leagues is checked afterwards."""
    hands = Hands(now=1_795_824_392_000)
    async with rooms_on(store, hands=hands) as rooms:
        yield server_on(store, rooms, hands)
    rules = ToyRules()
    logs = LeagueLogs(store)
    for league in await logs.all(1000):
        verify(written(await logs.read(league), ()), lambda _edition: rules)


@pytest.fixture
async def other(valkey_url: str, server: Server) -> AsyncIterator[Server]:
    """Another server on the same database and the same time."""
    async with MatchStore(valkey_url) as second, rooms_on(second, hands=server.hands) as rooms:
        yield server_on(second, rooms, server.hands)


def free(terms: LeagueTerms = TERMS) -> LeagueTerms:
    """Terms of a league whose players challenge each other."""
    return replace(terms, format="free")
