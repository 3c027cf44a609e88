"""An overview of the matches of a database for its operator, from their logs alone."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Literal

from msgspec import Struct

from server.matches.log.entries import LogError
from server.matches.log.fold import Fold
from server.store.errors import LogDamaged, MatchClosed, MatchRemoved, StoreUnavailable, UnknownMatch
from server.store.store import MatchStore

PAGE = 200
"""How many matches of the index are read at once."""

State = Literal["open", "running", "over", "archived", "damaged"]


class Row(Struct, frozen=True):
    """A match as its operator sees it: times in ms since 1970. `players` are names by seat; `deciding` is not known here, as that
    takes the rules.
    """

    match: str
    state: State
    made_at: int
    title: str = ""
    edition: str = ""
    listed: bool = False
    players: dict[str, str] = {}
    turn: int = 0
    entries: int = 0
    last_at: int = 0
    result: str = ""


async def rows(store: MatchStore) -> AsyncIterator[Row]:
    """Give a row for each match, the newest first.

    Raises:
        StoreUnavailable: Redis does not answer.
    """
    offset = 0
    while page := await store.matches(offset, PAGE):
        offset += len(page)
        for listing in page:
            try:
                yield await row(store, listing.match_id, listing.made_ms)
            except UnknownMatch:
                continue


async def row(store: MatchStore, match: str, made_at: int = 0) -> Row:
    """Return the row of a match.

    Raises:
        UnknownMatch: there is no such match.
        MatchRemoved: it was removed.
        StoreUnavailable: Redis does not answer.
    """
    try:
        entries = [payload for _, payload in await store.read(match)]
        return await asyncio.to_thread(_row, match, entries)
    except (StoreUnavailable, MatchRemoved):
        raise
    except MatchClosed:
        return Row(match, "archived", made_at)
    except (LogDamaged, LogError):
        return Row(match, "damaged", made_at)


def _row(match: str, entries: Sequence[bytes]) -> Row:
    fold = Fold(entries[0])
    last = fold.made_at
    for payload in entries[1:]:
        last = fold.add(payload).envelope.at
    state, players = fold.state, fold.state.desk.players
    full = all(seat in players for seat in fold.seats)
    return Row(
        match,
        "over" if state.result is not None else "running" if full else "open",
        fold.made_at,
        fold.opened.title,
        fold.opened.edition,
        fold.opened.listed,
        dict(players),
        state.turn.number,
        len(entries),
        last,
        "" if state.result is None else state.result.reason,
    )
