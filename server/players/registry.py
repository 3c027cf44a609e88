"""The registry: what the database keeps of players, each under their key.

It proves nothing: who has a seat stands in the match's log, with the signature of the key. The registry only makes it easy to
find, and holds what is private to a player.
"""

from __future__ import annotations

from collections.abc import Callable

from client_protocol.codec import CodecError, pack, unpack
from client_protocol.players import NoticeSettings, PublicPlayer
from server.store.key_names import player_key, player_seats_key
from server.store.replies import number, pairs, texts
from server.store.store import MatchStore
from server.store.wire import Reply

KEEP_SECONDS = 400 * 86_400
"""Seconds after which a player is forgotten who was not introduced again."""
MOST_NAMES = 10
"""How many earlier names of a player are kept."""
MOST_SEATS = 500
"""How many seats of a player are kept, the newest ones."""


class Registry:
    """The players of a database.

    Args:
        store: an open store.
        now_ms: milliseconds since 1970.
    """

    def __init__(self, store: MatchStore, now_ms: Callable[[], int]) -> None:
        self._store = store
        self._now_ms = now_ms

    async def introduce(self, key: str, name: str) -> PublicPlayer:
        """Note that the player with this key is called so from now on, and return what is known of them. Raises `StoreError`."""
        held = await self._fields(key)
        was = held.get("name", b"").decode()
        names = _names(held)
        if was and was != name:
            names = (was, *(one for one in names if one not in {was, name}))[:MOST_NAMES]
        since = int(held.get("since", b"0")) or self._now_ms()
        await self._store.command("HSET", player_key(key), "name", name, "names", pack(names), "since", since)
        await self._store.command("EXPIRE", player_key(key), KEEP_SECONDS)
        await self._store.command("EXPIRE", player_seats_key(key), KEEP_SECONDS)
        return PublicPlayer(key, name, names, since, await self._count(key))

    async def find(self, key: str) -> PublicPlayer | None:
        """Return what all may know of a player; None if the key is unknown here. Raises `StoreError`."""
        held = await self._fields(key)
        if "name" not in held:
            return None
        return PublicPlayer(key, held["name"].decode(), _names(held), int(held["since"]), await self._count(key))

    async def notices(self, key: str) -> NoticeSettings:
        """Return how a player wants to be told of decisions that wait. Raises `StoreError`."""
        held = (await self._fields(key)).get("notices", b"")
        try:
            return unpack(held, NoticeSettings) if held else NoticeSettings()
        except CodecError:
            return NoticeSettings()  # another version wrote it

    async def set_notices(self, key: str, notices: NoticeSettings) -> bool:
        """Store how a player wants to be told. Return whether the player is known here. Raises `StoreError`."""
        if await self._store.command("EXISTS", player_key(key)) != 1:
            return False
        await self._store.command("HSET", player_key(key), "notices", pack(notices))
        return True

    async def forget(self, key: str) -> None:
        """Forget a player. Raises `StoreError`."""
        await self._store.command("DEL", player_key(key), player_seats_key(key))

    # --- seats -------------------------------------------------------------------------------------------------------

    async def add_seat(self, key: str, match: str, seat: str) -> None:
        """Note that a seat is tied to a key. Raises `StoreError`."""
        where = player_seats_key(key)
        await self._store.command("ZADD", where, self._now_ms(), f"{match}/{seat}")
        await self._store.command("ZREMRANGEBYRANK", where, 0, -MOST_SEATS - 1)
        await self._store.command("EXPIRE", where, KEEP_SECONDS)

    async def seats(self, key: str, most: int) -> list[tuple[str, str]]:
        """Return matches and seats that are tied to a key, the newest first. Raises `StoreError`."""
        reply = await self._store.command("ZREVRANGE", player_seats_key(key), 0, most - 1)
        return [_seat(held) for held in texts(reply)]

    async def _count(self, key: str) -> int:
        return number(await self._store.command("ZCARD", player_seats_key(key)))

    async def _fields(self, key: str) -> dict[str, bytes]:
        reply: Reply = await self._store.command("HGETALL", player_key(key))
        return {name.decode(): value for name, value in pairs(reply)}


def _names(held: dict[str, bytes]) -> tuple[str, ...]:
    return unpack(held["names"], tuple[str, ...]) if "names" in held else ()


def _seat(held: str) -> tuple[str, str]:
    match, _, seat = held.partition("/")
    return match, seat
