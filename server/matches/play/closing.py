"""The end of a match by its server's operator. Pure."""

from __future__ import annotations

from client_protocol.from_server import Refused
from server.matches.log.entries import Ended
from server.matches.play.referee import Referee
from server.matches.play.verdicts import Verdict

CLOSED = "~closed"
"""The store's answer id of this end: of two servers that are told to close a match at once, one does."""


def closing(referee: Referee, why: str) -> Verdict:
    """Return the entry by which the operator ends the match for the reason `why`, or a refusal if it is over. It gives the game
    to no side.
    """
    if referee.fold.state.result is not None:
        return Refused("", "match_not_running", "The match is over.")
    return Ended("", f"The operator of this server has ended the match: {why}", "operator", "", CLOSED)
