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
from server.leagues.log.league_file import SUFFIX
from server.leagues.public import STYLE, as_page
from server.store.errors import StoreError

ADDRESS = re.compile(r"/leagues/([\w-]{1,64})(|\.json|\.csv|\.underfire)")
OWN = re.compile(r"/leagues/([\w-]{1,64})/([0-9a-f]{64})(?:/([0-9a-f]{48}))?\.(ics|underfire)")
"""What programs of a player read; in a league that is not listed with a token."""
STYLE_ADDRESS = "/leagues/style.css"


class Shows(Protocol):
    """Shows leagues."""

    async def show(self, league: str, key: str, invite: str = "") -> LeagueView:
        """Return a league as the player with a key ("": a stranger) sees it."""
        ...

    async def calendar(self, league: str, key: str, token: str) -> bytes:
        """Return the calendar of a player."""
        ...

    async def file(self, league: str, key: str = "", token: str = "") -> bytes:
        """Return the file of a league."""
        ...


async def league_file(leagues: Shows | None, path: str) -> Response | None:
    """Return the response to a request for a league's page or file; None if the path is another one."""
    if path == STYLE_ADDRESS:
        return respond(HTTPStatus.OK, STYLE.encode(), "text/css; charset=utf-8")
    asked, own = ADDRESS.fullmatch(path), OWN.fullmatch(path)
    if leagues is None or (asked is None and own is None):
        return None
    try:
        if own is not None:
            return await _own(leagues, own[1], own[2], own[3] or "", own[4])
        assert asked is not None, "it is one of the two"
        return await _of_all(leagues, asked[1], asked[2])
    except ActError as error:
        return text(HTTPStatus.NOT_FOUND, f"{error.sentence}\n")
    except LeagueLogError:
        return text(HTTPStatus.INTERNAL_SERVER_ERROR, "The log of this league is damaged.\n")
    except StoreError:
        return text(HTTPStatus.SERVICE_UNAVAILABLE, "The server cannot reach its database. Try again in a moment.\n")


async def _own(leagues: Shows, league: str, key: str, token: str, form: str) -> Response:
    if form == "ics":
        return respond(HTTPStatus.OK, await leagues.calendar(league, key, token), "text/calendar; charset=utf-8")
    return _saved(f"{league}{SUFFIX}", await leagues.file(league, key, token), "application/octet-stream")


async def _of_all(leagues: Shows, league: str, form: str) -> Response:
    if form == SUFFIX:
        return _saved(f"{league}{SUFFIX}", await leagues.file(league), "application/octet-stream")
    shown = await leagues.show(league, "")
    match form:
        case ".json":
            return respond(HTTPStatus.OK, as_json(shown), "application/json")
        case ".csv":
            return _saved(f"{league}.csv", as_csv(shown), "text/csv; charset=utf-8")
    return respond(HTTPStatus.OK, as_page(shown), "text/html; charset=utf-8")


def _saved(name: str, data: bytes, kind: str) -> Response:
    response = respond(HTTPStatus.OK, data, kind)
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
