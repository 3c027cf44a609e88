"""The luck of a match's players, as its result is taken in."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import Protocol

from server.matches.log.entries import LogError
from server.store.errors import StoreError, StoreUnavailable
from server.work.desk import WorkError

log = logging.getLogger("underfire.leagues")


class Fortunes(Protocol):
    """What a match says of luck."""

    async def luck_of_seats(self) -> Mapping[str, int]:
        """Return what the luck of each seat came to, in hundredths of a standard deviation."""
        ...


class Tells(Protocol):
    """A match that says so."""

    @property
    def seats(self) -> tuple[str, ...]:
        """Its seats, in the order of the scenario's sides."""
        ...

    @property
    def queries(self) -> Fortunes:
        """The match's queries."""
        ...


async def luck_of(match: Tells) -> tuple[int, ...]:
    """Return the luck of each seat of a match that is over; () if there was none, or it cannot be found: the result
    counts without it.

    Raises:
        StoreUnavailable: the database is away.
    """
    try:
        found = await match.queries.luck_of_seats()
    except StoreUnavailable:
        raise
    except (StoreError, LogError, WorkError) as error:
        log.warning("the luck of a league's match could not be summed up: %s", error)
        return ()
    return tuple(found.get(seat, 0) for seat in match.seats) if found else ()
