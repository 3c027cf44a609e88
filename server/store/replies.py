"""Replies of Redis and of the scripts, taken for what they must be."""

from __future__ import annotations

from collections.abc import Mapping

from server.store.errors import StoreError
from server.store.redis_link import Reply, Word


def fields(named: Mapping[str, bytes]) -> list[Word]:
    """Private fields as a script takes them: name, value, name, value ...

    Raises:
        ValueError: a name begins with a colon.
    """
    for name in named:
        if name.startswith(":"):
            raise ValueError(f"{name!r} cannot be a field: names that begin with a colon are the store's own")
    return [word for name, value in named.items() for word in (name, value)]


def pairs(reply: Reply) -> list[tuple[bytes, bytes]]:
    """What Redis gives as name, value, name, value ...: of a hash, or of a sorted set with its scores."""
    words = [word for word in reply if isinstance(word, bytes)] if isinstance(reply, list) else []
    return list(zip(words[::2], words[1::2], strict=True))


def verdict(reply: Reply) -> tuple[bytes, int]:
    """A script's word, and the number that goes with it.

    Raises:
        StoreError: it is no such reply.
    """
    match reply:
        case [bytes(word), int(count)]:
            return word, count
    raise StoreError(f"A script gave an answer that it does not have: {reply!r}")


def number(reply: Reply) -> int:
    """A number.

    Raises:
        StoreError: it is none.
    """
    if not isinstance(reply, int):
        raise StoreError(f"Redis gave {reply!r} where a number was due")
    return reply
