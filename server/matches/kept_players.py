"""What a database keeps of players, for a backup: the registry's fields and tied seats, and the key for push services."""

from __future__ import annotations

from collections.abc import AsyncIterator

from msgspec import Struct

from server.store.key_names import PUSH_KEY, player_key, player_seats_key
from server.store.replies import pairs
from server.store.scanning import scanned
from server.store.store import MatchStore


class KeptPlayer(Struct, frozen=True):
    """A player: the key, the fields of the registry, and when each seat was tied (ms since 1970)."""

    key: str
    fields: dict[str, bytes]
    seats: dict[str, int] = {}


async def players(store: MatchStore) -> tuple[KeptPlayer, ...]:
    """Return all players of a database. Raises `StoreError`."""
    return tuple([await _player(store, key) async for key in _keys(store)])


async def put_players(store: MatchStore, kept: tuple[KeptPlayer, ...]) -> None:
    """Put players into a database. Raises `StoreError`."""
    for one in kept:
        words = [word for name, value in one.fields.items() for word in (name, value)]
        if words:
            await store.command("HSET", player_key(one.key), *words)
        if one.seats:
            scores = [word for seat, at in one.seats.items() for word in (at, seat)]
            await store.command("ZADD", player_seats_key(one.key), *scores)


async def push_key(store: MatchStore) -> bytes:
    """Return the private key for push services, b"" if there is none. Without it no subscription of a browser is good any more.
    Raises `StoreError`.
    """
    held = await store.command("GET", PUSH_KEY)
    return held if isinstance(held, bytes) else b""


async def put_push_key(store: MatchStore, key: bytes) -> None:
    """Put it into a database. Raises `StoreError`."""
    if key:
        await store.command("SET", PUSH_KEY, key)


async def _player(store: MatchStore, key: str) -> KeptPlayer:
    fields = pairs(await store.command("HGETALL", player_key(key)))
    seats = pairs(await store.command("ZRANGE", player_seats_key(key), 0, -1, "WITHSCORES"))
    return KeptPlayer(
        key, {name.decode(): value for name, value in fields}, {seat.decode(): int(at) for seat, at in seats}
    )


async def _keys(store: MatchStore) -> AsyncIterator[str]:
    """Give the key of every player, once: of a player there may be fields, tied seats, or both."""
    front, seen = player_key("00" * 32)[:-65], set[str]()
    async for held in scanned(store, front + b"*}*"):
        key = held[len(front) :].partition(b"}")[0].decode()
        if key not in seen:
            seen.add(key)
            yield key
