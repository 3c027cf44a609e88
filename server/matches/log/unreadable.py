"""Refusals of requests that need a match's log while it cannot be read."""

from __future__ import annotations

from client_protocol.from_server import Refused
from server.matches.log.entries import LogError
from server.store.errors import MatchRemoved, StoreError, StoreUnavailable

DAMAGED = (
    "The log of this match is damaged on the server, so that it cannot be shown or played on. Trying again does not help: tell "
    "the server's operator, whose log says what is wrong."
)
"""What players are told about a log that cannot be read."""


def unreadable(id_: str, error: StoreError | LogError, lack: str) -> Refused:
    """Return the refusal of the message `id_`: the match was removed, its log is damaged, or the database is away.

    Args:
        id_: the message's id.
        error: why the log cannot be read.
        lack: what is not possible while the database is away, as half a sentence.
    """
    if isinstance(error, MatchRemoved):
        return Refused(id_, "removed", str(error))
    if isinstance(error, StoreUnavailable):
        return Refused(id_, "database_away", f"The server cannot reach its database: {lack}.")
    return Refused(id_, "damaged", DAMAGED)
