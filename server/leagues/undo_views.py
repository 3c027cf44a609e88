"""What organisers are shown of their acts that can be undone. Pure."""

from __future__ import annotations

from client_protocol.leagues import Undo, UndoView
from server.leagues.errors import ActError
from server.leagues.log.entries import LeagueFold
from server.leagues.log.league import League
from server.leagues.news import news_of
from server.leagues.undoing import undoing

MOST = 12
"""How many acts are shown: the last ones."""


def undo_views(fold: LeagueFold) -> tuple[UndoView, ...]:
    """Return what organisers did in a league, the latest first, and why it cannot be undone where it cannot. In a league that is
    over, only its end is shown.
    """
    league = fold.league
    acts = [number for number, one in league.before.items() if not one.undone and (one.act == "close") >= league.closed]
    return tuple(_view(fold, number) for number in reversed(acts[-MOST:]))


def _view(fold: LeagueFold, number: int) -> UndoView:
    entry = fold.entries[number - 1]
    text = next((one.text for one in news_of(fold.league, entry)), "")
    return UndoView(number, entry.at, text, _why_not(fold.league, number))


def _why_not(league: League, number: int) -> str:
    try:
        undoing(league, Undo(number, "?"))
    except ActError as error:
        return error.sentence
    return ""
