"""Leagues as files that anyone may have, at addresses of their own: see `server.leagues.public` and `data_files`."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import Protocol

from websockets.http11 import Response

from client_protocol.leagues import LeagueView
from server.gateway.responses import respond, text
from server.leagues.data_files import as_csv, as_json
from server.leagues.errors import ActError
from server.leagues.log.entries import LeagueLogError
from server.leagues.public import STYLE, as_page
from server.store.errors import StoreError

ADDRESS = re.compile(r"/leagues/([\w-]{1,64})(|\.json|\.csv)")
CALENDAR = re.compile(r"/leagues/([\w-]{1,64})/([0-9a-f]{64})(?:/([0-9a-f]{48}))?\.ics")
STYLE_ADDRESS = "/leagues/style.css"


class Shows(Protocol):
    """Shows leagues."""

    async def show(self, league: str, key: str, invite: str = "") -> LeagueView:
        """Return a league as the player with a key ("": a stranger) sees it."""
        ...

    async def calendar(self, league: str, key: str, token: str) -> bytes:
        """Return the calendar of a player."""
        ...


async def league_file(leagues: Shows | None, path: str) -> Response | None:
    """Return the response to a request for a league's page or file; None if the path is another one."""
    if path == STYLE_ADDRESS:
        return respond(HTTPStatus.OK, STYLE.encode(), "text/css; charset=utf-8")
    asked, calendar = ADDRESS.fullmatch(path), CALENDAR.fullmatch(path)
    if leagues is None or (asked is None and calendar is None):
        return None
    try:
        if calendar is not None:
            found = await leagues.calendar(calendar[1], calendar[2], calendar[3] or "")
            return respond(HTTPStatus.OK, found, "text/calendar; charset=utf-8")
        assert asked is not None, "it is one of the two"
        league = await leagues.show(asked[1], "")
    except ActError as error:
        return text(HTTPStatus.NOT_FOUND, f"{error.sentence}\n")
    except LeagueLogError:
        return text(HTTPStatus.INTERNAL_SERVER_ERROR, "The log of this league is damaged.\n")
    except StoreError:
        return text(HTTPStatus.SERVICE_UNAVAILABLE, "The server cannot reach its database. Try again in a moment.\n")
    match asked[2]:
        case ".json":
            return respond(HTTPStatus.OK, as_json(league), "application/json")
        case ".csv":
            response = respond(HTTPStatus.OK, as_csv(league), "text/csv; charset=utf-8")
            response.headers["Content-Disposition"] = f'attachment; filename="{league.id}.csv"'
            return response
    return respond(HTTPStatus.OK, as_page(league), "text/html; charset=utf-8")
