"""The players' desk: what sessions ask about players, put together from the registry, the matches and the notices."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from secrets import token_urlsafe

from msgspec.structs import replace

from client_protocol.players import NoticeSettings, PlayersSeat, PublicPlayer, Webhook
from server.feed.address import ROOT
from server.feed.outbox import Letter
from server.feed.topics import Topics
from server.matches.players_tokens import players_token
from server.matches.room import Room
from server.notices.leagues import LeagueNotices
from server.notices.news import TEST
from server.notices.queue import Queue, player
from server.notices.ways import Ways
from server.players.registry import Registry
from server.store.store import MatchStore

MOST_SEATS = 100
"""How many seats a player is given tokens for, the newest ones."""


class PlayersDesk:
    """What sessions ask about players.

    Args:
        registry: what the database keeps of them.
        store: holds the matches.
        room_of: returns the room of a match.
        queue: the notices; None where they are off.
        ways: tells players; None where notices are off.
        topics: the topics of the public feed.
        broker: the address at which browsers reach the feed's broker, "" for none.
        leagues: tells of leagues; None where notices are off.
    """

    def __init__(
        self,
        registry: Registry,
        store: MatchStore,
        room_of: Callable[[str], Awaitable[Room | None]],
        queue: Queue | None = None,
        ways: Ways | None = None,
        topics: Topics | None = None,
        broker: str = "",
        leagues: LeagueNotices | None = None,
    ) -> None:
        self._leagues = leagues
        self._registry = registry
        self._store = store
        self._room_of = room_of
        self._queue = queue
        self._ways = ways
        self._topics = topics or Topics(ROOT)
        self._broker = broker

    @property
    def telling(self) -> bool:
        """Whether this server tells players of decisions that wait."""
        return self._ways is not None

    @property
    def push_key(self) -> str:
        """The key for push subscriptions, "" where notices are off."""
        return "" if self._ways is None else self._ways.push_key

    async def introduce(self, key: str, name: str) -> PublicPlayer:
        """Note what the player with this key is called. Raises `StoreError`."""
        return await self._registry.introduce(key, name)

    async def find(self, key: str) -> PublicPlayer | None:
        """Return what all may know of a player. Raises `StoreError`."""
        return await self._registry.find(key)

    async def notices(self, key: str) -> NoticeSettings:
        """Return how a player wants to be told. Raises `StoreError`."""
        return await self._registry.notices(key)

    async def set_notices(self, key: str, notices: NoticeSettings, *, test: bool) -> tuple[str, ...]:
        """Store how a player wants to be told; with `test`, try it, and return what went wrong. Raises `StoreError`."""
        if not await self._registry.set_notices(key, notices):
            return ("This server has forgotten you meanwhile. Load the page again.",)
        if not test or self._ways is None:
            return ()
        topic_of = key if notices.topic else ""
        return (await self._ways.tell(TEST, notices.webhook, notices.push, topic_of)).faults

    @property
    def topics(self) -> bool:
        """Whether players have topics of their own at the feed's broker."""
        return self._ways is not None and self._ways.outbox is not None

    async def give_topic(self, key: str) -> tuple[str, str, str] | None:
        """Return a player's own topic, a new password for it, and the broker's address for browsers; None where there are no such
        topics. Raises `StoreError`.
        """
        outbox = None if self._ways is None else self._ways.outbox
        if outbox is None:
            return None
        password = token_urlsafe(24)
        await outbox.put(Letter("credentials", key, password.encode()))
        await self._registry.set_notices(key, replace(await self._registry.notices(key), topic=True))
        return self._topics.turn(key), password, self._broker

    async def forget(self, key: str) -> None:
        """Forget a player. Raises `StoreError`."""
        if self._queue is not None:
            await self._queue.forget(player(key))
        if self._ways is not None and self._ways.outbox is not None:
            await self._ways.outbox.put(Letter("forget", key))
        await self._registry.forget(key)

    async def tied(self, key: str, match: str, seat: str) -> None:
        """Note that a seat is tied to a key. Raises `StoreError`."""
        await self._registry.add_seat(key, match, seat)

    async def seats(self, key: str) -> tuple[PlayersSeat, ...]:
        """Return the seats of a player, with tokens. Raises `StoreError`."""
        found = []
        for match, seat in await self._registry.seats(key, MOST_SEATS):
            token = await players_token(self._store, match, seat, key)
            if token:
                found.append(PlayersSeat(match, seat, token))
        return tuple(found)

    async def set_match_webhook(self, match: str, seat: str, webhook: Webhook | None) -> tuple[str, ...]:
        """Name the webhook of a seat for a match, and try it; return what went wrong. Raises `StoreError`."""
        room = await self._room_of(match)
        if room is None or self._ways is None:
            return ("There is no such match any more.",)
        await room.set_webhook(seat, webhook)
        return () if webhook is None else (await self._ways.tell(TEST, webhook)).faults

    async def set_league_webhook(
        self, league: str, key: str, webhook: Webhook | None, *, test: bool
    ) -> tuple[str, ...]:
        """Name a league's webhook for an organiser, and try it; return what went wrong. Raises `ActError`, `StoreError`."""
        if self._leagues is None:
            return ("This server tells of no leagues.",)
        return await self._leagues.set_webhook(league, key, webhook, test=test)
