"""Why the gateway closes connections: the last message, and the close code with the same meaning for programs.

Codes from 4000 on are ours (RFC 6455, section 7.4.2); the others are registered.
"""

from __future__ import annotations

from dataclasses import dataclass

from client_protocol.from_server import Goodbye
from server.matches.log import unreadable

POLICY = 1008
FAILURE = 1011
RESTART = 1012


@dataclass(frozen=True)
class Ending:
    """A last message and the close code after it."""

    goodbye: Goodbye
    close_code: int


def _ending(code: str, close_code: int, sentence: str, *, again: bool = False) -> Ending:
    return Ending(Goodbye(code=code, sentence=sentence, again=again), close_code)


WRONG_TOKEN = _ending("wrong_token", 4001, "This link does not give a seat in this match.")
RELOAD = _ending("reload", 4002, "This page is of another version than the server: reload it.")
NO_MATCH = _ending("no_match", 4004, "There is no such match on this server.")
REMOVED = _ending("removed", 4010, "The operator of this server has removed this match.")
BANNED = _ending("banned", 4012, "The operator of this server does not let you play.")
"""Its sentence says until when, where that has an end: see `moderated.banned`."""
SILENT = _ending("silent", 4008, "The connection was silent for too long.", again=True)
MALFORMED = _ending("malformed", POLICY, "Too many of the messages from this page were invalid. Reload it.")
ABUSE = _ending("rate", POLICY, "You sent too many requests for too long. Wait a while before you connect again.")
AWAY = _ending(
    "database_away",
    1013,
    "The server cannot reach its database, so this match cannot be opened now. Connect again in a moment.",
    again=True,
)
DAMAGED = _ending("damaged", 4011, unreadable.DAMAGED)
RESTARTING = _ending("restart", RESTART, "The server restarts. Nothing is lost: connect again in a moment.", again=True)
FAILED = _ending("failed", FAILURE, "Something went wrong here. Connect again in a moment.", again=True)
FULL = _ending("full", 1013, "The server cannot take more connections. Try again later.", again=True)
