"""How much of a league's log its file holds. Pure."""

from __future__ import annotations

from collections.abc import Sequence

from server.leagues.errors import ActError
from server.leagues.log.entries import LeagueFold
from server.leagues.log.league_file import open_entries

HIDDEN = "The file of this league can be had when the league is over: its forces are hidden."


def open_log(fold: LeagueFold, payloads: Sequence[bytes]) -> Sequence[bytes]:
    """Return the entries of a league that its file holds now.

    Args:
        fold: the league.
        payloads: all entries of its log.

    Raises:
        ActError: there is no file yet, since the forces of the league are hidden.
    """
    if fold.league.hides_forces:
        raise ActError(HIDDEN, "hidden")
    return payloads[: open_entries(fold)]
