"""Parsing replies of Redis and of the scripts."""

from __future__ import annotations

from collections.abc import Mapping

from server.store.errors import StoreError
from server.store.redis_link import Word
from server.store.wire import Reply


def fields(named: Mapping[str, bytes]) -> list[Word]:
    """Return private fields as arguments of a script: name, value, name, value ...

    Raises:
        ValueError: a name begins with a colon.
    """
    for name in named:
        if name.startswith(":"):
            raise ValueError(f"{name!r} cannot be a field: names that begin with a colon are the store's own")
    return [word for name, value in named.items() for word in (name, value)]


def pairs(reply: Reply) -> list[tuple[bytes, bytes]]:
    """Return the pairs in a reply of alternating names and values: of a hash, or of a sorted set with its scores."""
    words = [word for word in reply if isinstance(word, bytes)] if isinstance(reply, list) else []
    return list(zip(words[::2], words[1::2], strict=True))


def texts(reply: Reply) -> list[str]:
    """Return the texts in a reply."""
    words = reply if isinstance(reply, list) else []
    return [word.decode(errors="replace") for word in words if isinstance(word, bytes)]


def verdict(reply: Reply) -> tuple[bytes, int]:
    """Return a script's status word, and the number that goes with it.

    Raises:
        StoreError: the reply is something else.
    """
    match reply:
        case [bytes(word), int(count)]:
            return word, count
    raise StoreError(f"A script gave an answer that it does not have: {reply!r}")


def number(reply: Reply) -> int:
    """Return the number in a reply.

    Raises:
        StoreError: the reply is something else.
    """
    if not isinstance(reply, int):
        raise StoreError(f"Redis gave {reply!r} where a number was due")
    return reply
