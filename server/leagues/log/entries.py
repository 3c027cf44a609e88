"""The entries of a league's log, chained by their hashes, and the league they lead to. Pure.

An entry is an `Entry` as bytes: its number, its time, a salt, the hash of the entry before it, who caused it, and its facts. An
entry is never changed: what an organiser decides anew is another entry.
"""

from __future__ import annotations

import hashlib

from msgspec import Struct

from client_protocol.codec import CodecError, pack, unpack
from server.leagues.log.facts import LeagueFact, LeagueMade
from server.leagues.log.league import League
from server.leagues.log.remembering import remembered

START = bytes(32)
"""The previous hash of the first entry."""
SALT_BYTES = 16
"""Random bytes in each entry, so that its hash reveals nothing about it before it is published."""


class LeagueLogError(Exception):
    """An entry that is not valid at its place, counted from 1."""

    def __init__(self, number: int, what: str) -> None:
        super().__init__(f"entry {number} of the league: {what}")


class Entry(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An entry: its number, when it was made (ms since 1970), its salt, the hash of the entry before it, the key of who caused it
    ("": the server), and what happened.
    """

    number: int
    at: int
    salt: bytes
    prev: bytes
    by: str
    facts: tuple[LeagueFact, ...]


class LeagueFold:
    """The league that a log leads to.

    Args:
        first: the log's first entry.

    Raises:
        LeagueLogError: it begins no league.
    """

    def __init__(self, first: bytes) -> None:
        self.number = 0
        """The number of the last entry."""
        self.head = START
        """The hash of the last entry."""
        self.entries: list[Entry] = []
        entry = self._read(first)
        match entry.facts:
            case (LeagueMade() as made,):
                self.league = League(
                    made.league,
                    made.terms,
                    {made.key: made.name},
                    entry.at,
                    commitment=made.commitment,
                    version=made.version,
                )
            case _:
                raise LeagueLogError(1, "it begins no league")
        self._take(entry, first)

    def add(self, payload: bytes) -> Entry:
        """Add the log's next entry, and return it. Raises `LeagueLogError`."""
        entry = self._read(payload)
        league = self.league
        for fact in entry.facts:
            if isinstance(fact, LeagueMade):
                raise LeagueLogError(entry.number, "the league is made already")
            try:
                league = fact.fold(league)
            except (KeyError, IndexError, ValueError) as error:
                raise LeagueLogError(entry.number, f"its facts do not fit the league ({error})") from error
        self.league = remembered(self.league, league, entry.number, entry.by, entry.facts)
        self._take(entry, payload)
        return entry

    def entry(self, at: int, salt: bytes, by: str, facts: tuple[LeagueFact, ...]) -> bytes:
        """Return the next entry as bytes, made at a time (ms since 1970) by the player with the key `by`."""
        return pack(Entry(self.number + 1, at, salt, self.head, by, facts))

    def _read(self, payload: bytes) -> Entry:
        number = self.number + 1
        try:
            entry = unpack(payload, Entry)
        except CodecError as error:
            raise LeagueLogError(number, error.sentence) from error
        if entry.number != number:
            raise LeagueLogError(number, f"it has the number {entry.number}")
        if entry.prev != self.head:
            raise LeagueLogError(number, "it does not follow the entry before it")
        return entry

    def _take(self, entry: Entry, payload: bytes) -> None:
        self.number = entry.number
        self.head = hashlib.sha256(payload).digest()
        self.entries.append(entry)


def opening(at: int, salt: bytes, made: LeagueMade) -> bytes:
    """Return the first entry of a league's log, made at a time (ms since 1970)."""
    return pack(Entry(1, at, salt, START, made.key, (made,)))
