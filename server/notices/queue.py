"""The queue of notices: who is to be told of which decisions, and when. It lies in the database, so that a server that is killed
loses none, and any other server goes on.

A *recipient* is a player, who is told in the ways that they have chosen, or a webhook of a match. What a recipient is to be told
collects until its time has come, and is told at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from server.store.key_names import NOTICES, NOTICES_HELD, notices_key
from server.store.replies import number, pairs, texts
from server.store.scripts import NOTICE_ADD, NOTICE_CLAIM, NOTICE_DONE
from server.store.store import MatchStore

KEEP_SECONDS = 40 * 86_400
"""Seconds for which it is remembered of which decisions a recipient was told."""
LEASE_MS = 120_000
"""Milliseconds for which a server has a recipient to itself: far more than all tries take."""
TRIES = ":tries"
LAST = ":last"


@dataclass(frozen=True)
class Decision:
    """A decision that waits for a seat: its prompt is the one with this id."""

    match: str
    seat: str
    prompt: str

    @property
    def where(self) -> str:
        """The match and the seat."""
        return f"{self.match}/{self.seat}"


def player(key: str) -> str:
    """Return the recipient who is the player with this key."""
    return f"player/{key}"


def webhook(match: str, seat: str) -> str:
    """Return the recipient that is the webhook which a seat of a match has named."""
    return f"match/{match}/{seat}"


class Queue:
    """The queue of a database.

    Args:
        store: an open store.
    """

    def __init__(self, store: MatchStore) -> None:
        self._store = store

    async def add(self, recipient: str, decision: Decision, due: int) -> bool:
        """Note that a recipient is to be told of a decision, from `due` (ms since 1970) on.

        Returns:
            Whether this is new: of each decision a recipient is told once.

        Raises:
            StoreError: the database is away, or refuses.
        """
        words = (recipient, decision.where, decision.prompt, due, KEEP_SECONDS)
        reply, _ = await self._store.run(NOTICE_ADD, (NOTICES, NOTICES_HELD, notices_key(recipient)), words)
        return number(reply) == 1

    async def claim(self, now: int, most: int) -> list[str]:
        """Return recipients who are to be told by now. No other server gets them while this one may be at work. Raises
        `StoreError`.
        """
        reply, _ = await self._store.run(NOTICE_CLAIM, (NOTICES, NOTICES_HELD), (now, now + LEASE_MS, most))
        return texts(reply)

    async def decisions(self, recipient: str) -> list[Decision]:
        """Return of which decisions a recipient was not told yet. Raises `StoreError`."""
        found = []
        for where, prompt in pairs(await self._store.command("HGETALL", notices_key(recipient))):
            match, _, seat = where.decode().partition("/")
            if not where.startswith(b":") and not prompt.startswith(b"!"):
                found.append(Decision(match, seat, prompt.decode()))
        return found

    async def told_last(self, recipient: str) -> int:
        """Return when a recipient was told last (ms since 1970), 0 for never. Raises `StoreError`."""
        reply = await self._store.command("HGET", notices_key(recipient), LAST)
        return int(reply) if isinstance(reply, bytes) else 0

    async def done(
        self,
        recipient: str,
        decisions: Iterable[tuple[Decision, Literal["told", "dropped"]]],
        *,
        told_at: int = 0,
        again_at: int,
    ) -> int:
        """Note of which decisions a recipient was told, or need not be told any more.

        Args:
            recipient: the recipient.
            decisions: those decisions.
            told_at: when it was told of them (ms since 1970), 0 if it was told of none.
            again_at: when it may be told of those that have come meanwhile.

        Returns:
            How many these are.

        Raises:
            StoreError: the database is away, or refuses.
        """
        words = [word for one, how in decisions for word in (one.where, one.prompt, how)]
        keys = (NOTICES, NOTICES_HELD, notices_key(recipient))
        reply, _ = await self._store.run(NOTICE_DONE, keys, (recipient, told_at, again_at, *words))
        return number(reply)

    async def failed(self, recipient: str) -> int:
        """Count a try at which a recipient could not be reached. Return how many there were, one after the other. Raises
        `StoreError`.
        """
        return number(await self._store.command("HINCRBY", notices_key(recipient), TRIES, 1))

    async def put_off(self, recipient: str, until: int) -> None:
        """Try a recipient again at `until` (ms since 1970). Raises `StoreError`."""
        await self._store.command("ZADD", NOTICES, until, recipient)
        await self._store.command("ZREM", NOTICES_HELD, recipient)

    async def forget(self, recipient: str) -> None:
        """Forget a recipient, who does not want to be told any more. Raises `StoreError`."""
        await self._store.command("DEL", notices_key(recipient))
        await self._store.command("ZREM", NOTICES, recipient)
        await self._store.command("ZREM", NOTICES_HELD, recipient)
