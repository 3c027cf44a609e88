"""The site, everything served without a websocket: the client's files, health, metrics, the data of editions, ended matches
and the keys that sign them.

It also decides which requests may open a websocket: from browsers only those of pages of this server, or of the configured
origins.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from http import HTTPStatus
from typing import TypeAlias
from urllib.parse import unquote

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from client_protocol.from_server import Status
from client_protocol.schema import protocol_schema
from client_protocol.shapes import PROTOCOL
from server.gateway import goodbyes
from server.gateway.files import File, Files, file_of
from server.gateway.hosts import UNKNOWN, Hosts
from server.gateway.league_files import Shows, league_file
from server.gateway.metrics import CONTENT_TYPE, Metrics
from server.gateway.notices import notice
from server.gateway.responses import CONTENT_SECURITY_POLICY, nothing, respond, text

WEBSOCKET = "/ws"
HEALTH = "/health"
READY = "/ready"
MATCH_FILE = re.compile(r"/matches/([\w-]{1,80})\.underfire")
NOT_BUILT = "The web client is not built. Run `make build`, or ask this server's /health whether all else is well.\n"


NO_SIGNERS = b'{"current": "", "older": []}'
"""The content of `/signers.json` if files are not signed."""


@dataclass(frozen=True)
class FeedAddress:
    """Where browsers find the public feed: the broker's address for websockets, and the first level of the topics."""

    url: str
    root: str

    @cached_property
    def policy(self) -> str:
        """The Content-Security-Policy of pages that may open the broker's websocket, too."""
        origin = "/".join(self.url.split("/", 3)[:3])
        return CONTENT_SECURITY_POLICY.replace("connect-src 'self'", f"connect-src 'self' {origin}")


class Absent(Enum):
    """Why a match has no file."""

    UNKNOWN = "unknown"
    NOT_OVER = "not over"
    AWAY = "away"
    DAMAGED = "damaged"
    REMOVED = "removed"


MatchFile: TypeAlias = Callable[[str], Awaitable[bytes | Absent]]
"""Returns an ended match's file by the match's id."""
EditionFile: TypeAlias = Callable[[str], bytes | None]
"""Returns a file of an edition, as JSON, by the edition's id; None if it has none."""


class Site:
    """Responds to requests.

    Args:
        files: the built client.
        status: whether this server can take answers now.
        version: the software's version.
        metrics: what `/metrics` shows.
        rules: returns the rule references.
        forces: returns the form for forces.
        positions: returns the parts of positions.
        match_file: returns the files of ended matches.
        signers: the public halves of the keys with which these are signed, as JSON.
        hosts: the names under which this server may be requested.
        origins: pages of these origins may connect, apart from our own.
        show_metrics: whether `/metrics` exists.
        draining: whether the server is about to stop.
        feed: where those who watch find the feed; None: nowhere.
        up: returns the up-time (ms), by which clocks run.
        leagues: shows leagues; None: there are none here.
    """

    def __init__(
        self,
        *,
        files: Files,
        status: Callable[[], Status],
        version: str,
        metrics: Metrics,
        rules: EditionFile,
        forces: EditionFile,
        positions: EditionFile,
        match_file: MatchFile,
        signers: bytes = NO_SIGNERS,
        hosts: Hosts,
        origins: tuple[str, ...] = (),
        show_metrics: bool = False,
        draining: Callable[[], bool] = lambda: False,
        feed: FeedAddress | None = None,
        up: Callable[[], int] = lambda: 0,
        leagues: Shows | None = None,
    ) -> None:
        self._leagues = leagues
        self._draining = draining
        self._feed = feed
        self._up = up
        self._files = files
        self._hosts = hosts
        self._show_metrics = show_metrics
        self._status = status
        self._version = version
        self._metrics = metrics
        self._editions = {
            "rules": (rules, "There is no such edition here.\n"),
            "forces": (forces, "There is no such edition here, or players cannot bring forces to it.\n"),
            "positions": (positions, "There is no such edition here.\n"),
        }
        self._packed: dict[str, File] = {}
        self._match_file = match_file
        self._signers = signers
        self._origins = frozenset(origins)

    def may_connect(self, headers: Headers) -> bool:
        """Return whether the sender of these headers may open a websocket.

        A browser always names the origin of the page (RFC 6455, section 10.2), and it must be exactly ours or a configured
        one. Other programs name none, and may connect: no cookies are used here, so there are none to abuse.
        """
        named = headers.get_all("Origin")
        if not named:
            return True
        hosts = headers.get_all("Host")
        own = {f"{scheme}://{hosts[0]}" for scheme in ("http", "https")} if len(hosts) == 1 else set()
        return len(named) == 1 and (named[0] in own or named[0] in self._origins)

    def kind(self, request: Request) -> str:
        """Return the kind of a request for the rates of addresses and strangers: see `Limits.address`."""
        path = unquote(request.path.partition("?")[0])
        if path == WEBSOCKET:
            return "openings"
        return "files" if MATCH_FILE.fullmatch(path) else "requests"

    async def respond(self, request: Request) -> Response | None:
        """Return the response to a request; None if it asks for a websocket and may have it."""
        path = unquote(request.path.partition("?")[0])
        # Monitoring may use another name for each server, and learns nothing but its health.
        if path not in {HEALTH, READY} and not self._hosts.know(request.headers):
            return text(HTTPStatus.MISDIRECTED_REQUEST, UNKNOWN)
        if path == WEBSOCKET:
            if self.may_connect(request.headers):
                return None
            return text(HTTPStatus.FORBIDDEN, "Pages of this origin may not connect to this server.\n")
        if request.method not in {"GET", "HEAD"}:
            response = text(HTTPStatus.METHOD_NOT_ALLOWED, "Only GET and HEAD are understood here.\n")
            response.headers["Allow"] = "GET, HEAD"
            return response
        response = await self._page(path, request.headers)
        if request.method == "HEAD":
            response.body = b""
        if self._feed is not None:
            del response.headers["Content-Security-Policy"]
            response.headers["Content-Security-Policy"] = self._feed.policy
        return response

    async def _page(self, path: str, headers: Headers) -> Response:
        if (response := self._at_this_moment(path) or self._always_the_same(path)) is not None:
            return response
        # Metrics are for the operator, who asks the server directly and not through the reverse proxy.
        if path == "/metrics" and self._show_metrics and "X-Forwarded-For" not in headers:
            return respond(HTTPStatus.OK, self._metrics.text(), CONTENT_TYPE)
        if edition := re.fullmatch(r"/(rules|forces|positions)/([\w.-]{1,80})\.json", path):
            give, absent = self._editions[edition[1]]
            found = give(edition[2])
            if found is None:
                return text(HTTPStatus.NOT_FOUND, absent)
            # They are long, and the same for everyone: packed once, and not sent to those who have them.
            known = self._packed.get(path)
            if known is None or known.body is not found:
                known = self._packed[path] = await asyncio.to_thread(file_of, found, ".json")
            return _file(known, headers)
        if match := MATCH_FILE.fullmatch(path):
            return await self._match(match[1])
        if (response := await league_file(self._leagues, path)) is not None:
            return response
        file = self._files.get(path)
        if file is not None:
            return _file(file, headers)
        if path == "/":
            return text(HTTPStatus.SERVICE_UNAVAILABLE, NOT_BUILT)
        return nothing(headers)

    def _at_this_moment(self, path: str) -> Response | None:
        """Return a response about the server as it is now; None if the path is another one."""
        if path == HEALTH:
            return self._health()
        if path == READY:
            return self._ready()
        if path == "/feed.json":
            feed = self._feed or FeedAddress("", "")
            told = {"url": feed.url, "root": feed.root, "protocol": PROTOCOL, "up": self._up()}
            return respond(HTTPStatus.OK, json.dumps(told).encode(), "application/json")
        return None

    def _always_the_same(self, path: str) -> Response | None:
        """Return a response that does not change while the server runs; None if the path is another one."""
        if path == "/schema.json":
            return respond(HTTPStatus.OK, protocol_schema(), "application/schema+json")
        if path == "/signers.json":
            return respond(HTTPStatus.OK, self._signers, "application/json")
        told = notice(path)
        return None if told is None else respond(HTTPStatus.OK, told, "text/plain; charset=utf-8")

    def _health(self) -> Response:
        live = self._status().state == "live"
        body = {"ok": live, "database": "up" if live else "down", "version": self._version}
        status = HTTPStatus.OK if live else HTTPStatus.SERVICE_UNAVAILABLE
        return respond(status, json.dumps(body).encode(), "application/json")

    def _ready(self) -> Response:
        """Whether a proxy should send new connections here."""
        if self._draining():
            return text(HTTPStatus.SERVICE_UNAVAILABLE, "The server is about to stop.\n")
        if self._status().state != "live":
            return text(HTTPStatus.SERVICE_UNAVAILABLE, "The server cannot reach its database.\n")
        return text(HTTPStatus.OK, "ready\n")

    async def _match(self, match: str) -> Response:
        found = await self._match_file(match)
        if found is Absent.UNKNOWN:
            return text(HTTPStatus.NOT_FOUND, "There is no such match here.\n")
        if found is Absent.NOT_OVER:
            return text(HTTPStatus.CONFLICT, "The match is not over: its file holds secrets until then.\n")
        if found is Absent.AWAY:
            return text(
                HTTPStatus.SERVICE_UNAVAILABLE, "The server cannot reach its database. Try again in a moment.\n"
            )
        if found is Absent.DAMAGED:
            return text(HTTPStatus.INTERNAL_SERVER_ERROR, goodbyes.DAMAGED.goodbye.sentence + "\n")
        if found is Absent.REMOVED:
            return text(HTTPStatus.GONE, goodbyes.REMOVED.goodbye.sentence + "\n")
        response = respond(HTTPStatus.OK, found, "application/octet-stream")
        response.headers["Content-Disposition"] = f'attachment; filename="{match}.underfire"'
        return response


def _file(file: File, headers: Headers) -> Response:
    if file.etag in headers.get("If-None-Match", ""):
        response = respond(HTTPStatus.NOT_MODIFIED, b"", file.content_type, file.cache)
        del response.headers["Content-Length"]
    elif file.packed is not None and _takes_gzip(headers):
        response = respond(HTTPStatus.OK, file.packed, file.content_type, file.cache)
        response.headers["Content-Encoding"] = "gzip"
    else:
        response = respond(HTTPStatus.OK, file.body, file.content_type, file.cache)
    response.headers["ETag"] = file.etag
    response.headers["Vary"] = "Accept-Encoding"
    return response


def _takes_gzip(headers: Headers) -> bool:
    offers = ",".join(headers.get_all("Accept-Encoding")).lower().replace(" ", "").split(",")
    return any(offer == "gzip" or (offer.startswith("gzip;q=") and offer != "gzip;q=0") for offer in offers)
