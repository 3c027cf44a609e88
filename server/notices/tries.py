"""How often, and when, a recipient is tried again who could not be reached."""

from __future__ import annotations

import logging
from collections.abc import Sequence

from server.notices.queue import Queue

log = logging.getLogger("underfire.notices")

WAITS_MS = (60_000, 300_000, 1_800_000, 7_200_000, 21_600_000)
"""Milliseconds after which a recipient who could not be reached is tried again: the first time, the second ..."""


async def given_up(queue: Queue, name: str, faults: Sequence[str], now: int) -> bool:
    """Try a recipient again later who could not be reached; or, after the last try, return that it is given up. Raises
    `StoreError`.
    """
    tries = await queue.failed(name)
    if tries <= len(WAITS_MS) and faults:
        await queue.put_off(name, now + WAITS_MS[tries - 1])
        return False
    log.warning("a notice for %s was dropped after %d tries: %s", _shown(name), tries, " ".join(faults))
    return True


def _shown(name: str) -> str:
    """Return a recipient as a log may name it: a key by its beginning."""
    kind, _, rest = name.partition("/")
    if kind == "player":
        return f"the player {rest[:8]}"
    if kind == "deadline":
        return f"the player {rest.partition('/')[2][:8]}"
    return f"the webhook of {kind} {rest.partition('/')[0]}"
