"""What a database keeps of bans and mutes, for a backup."""

from __future__ import annotations

from msgspec import Struct

from server.store.key_names import SANCTION_CHANGES, SANCTIONS, sanction_key
from server.store.replies import pairs
from server.store.scripts import SANCTION
from server.store.store import MatchStore


class KeptSanction(Struct, frozen=True):
    """A ban or a mute: its name, its value, and when it ends (ms since 1970; 0: never)."""

    name: str
    value: bytes
    until: int = 0


async def sanctions(store: MatchStore, now_ms: int) -> tuple[KeptSanction, ...]:
    """Return the bans and mutes of a database that hold at a time (ms since 1970). Raises `StoreError`."""
    found = pairs(await store.command("ZRANGEBYSCORE", SANCTIONS, now_ms, "+inf", "WITHSCORES"))
    kept = []
    for name, end in found:
        value = await store.command("GET", sanction_key(name.decode()))
        if isinstance(value, bytes):  # else it has ended meanwhile
            kept.append(KeptSanction(name.decode(), value, 0 if end == b"inf" else int(float(end))))
    return tuple(kept)


async def put_sanctions(store: MatchStore, kept: tuple[KeptSanction, ...]) -> None:
    """Put bans and mutes into a database, but those that have ended by its clock. Raises `StoreError`."""
    time = await store.command("TIME")
    now_ms = int(time[0]) * 1000 if isinstance(time, list) and isinstance(time[0], bytes) else 0
    for one in kept:
        span = one.until - now_ms if one.until else 0
        if span > 0 or not one.until:
            keys = (sanction_key(one.name), SANCTIONS, SANCTION_CHANGES)
            await store.run(SANCTION, keys, (one.name, one.value, span, one.until or "+inf"))
