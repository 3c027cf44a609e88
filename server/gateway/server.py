"""The gateway: one port for websockets, the client's files, health and metrics; its start and stop."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import time
from collections.abc import Callable, Sequence
from http import HTTPStatus
from types import TracebackType
from typing import Any, Self

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.http11 import Request, Response

from client_protocol.from_server import Status
from server.gateway import goodbyes
from server.gateway.addresses import refused, to_open
from server.gateway.admin import Admin
from server.gateway.connection import FAREWELL, Connection, Downloads, Socket, Watchdog, frame_of
from server.gateway.deflate import Deflate
from server.gateway.door import Door
from server.gateway.draining import Draining
from server.gateway.files import Files, find_client
from server.gateway.guests import Guest, Guests, Network
from server.gateway.hosts import Hosts
from server.gateway.introductions import Players
from server.gateway.leagues import LeaguesDesk
from server.gateway.limits import Limits
from server.gateway.lobby import Lobby
from server.gateway.metrics import Metrics
from server.gateway.responses import text
from server.gateway.rooms import Rooms
from server.gateway.session import Session, Shared
from server.gateway.shared_limits import Counting, SharedLimits
from server.gateway.site import NO_SIGNERS, EditionFile, FeedAddress, MatchFile, Site
from server.gateway.uploads import Shelf
from server.matches.log.audiences import text_of
from server.moderation.commands import Present
from server.moderation.operator import Operator
from server.moderation.sanctions import Sanctions
from server.store.connections import wall_ms
from server.work.desk import ASKING, WorkError

log = logging.getLogger("underfire.gateway")

TOO_MANY = "Too many connections come from your address. Close some, and try again in a while.\n"
QUIET_SECONDS = 60.0
"""Seconds between two log lines about connections that are turned away."""


def _library_log() -> logging.Logger:
    """Return the library's logger, reduced to critical messages.

    Its debug lines contain what was sent, secrets too; its errors are the noise of every port scan. Failures in our own code
    are logged by us.
    """
    library = logging.getLogger("underfire.websockets")
    library.setLevel(logging.CRITICAL)
    return library


class Gateway:
    """Serves players, spectators and start pages over one port. Use it as an asynchronous context manager.

    Args:
        rooms: the matches.
        rules: returns the rule references.
        forces: returns the form for forces.
        positions: returns the parts of positions.
        match_file: returns the files of ended matches.
        signers: the keys with which these are signed, as JSON.
        host: where to listen.
        port: where to listen; 0 takes a free one, see `address`.
        origins: pages of these origins may connect, apart from our own.
        show_metrics: whether `/metrics` is there.
        players: what is kept of players, and how they are told; None: none is known.
        leagues: the leagues; None: there are none here.
        feed: where those who watch find the feed; None: nowhere.
        files: the built client; None: it is searched for.
        metrics: the counters.
        limits: the bounds of connections and addresses.
        clock: seconds that only go forward.
        now: milliseconds since 1970.
        proxies: the networks of trusted reverse proxies, whose `X-Forwarded-For` counts.
        sanctions: the bans and mutes that connections are held to; None: there are none.
        operator: carries out the operator's commands; None: none are taken.
        admin_token: the token that commands must come with; "": none are taken.
        counting: counts for all servers of the database together; None: this server counts alone.
    """

    def __init__(
        self,
        rooms: Rooms,
        *,
        rules: EditionFile,
        forces: EditionFile,
        positions: EditionFile,
        match_file: MatchFile,
        signers: bytes = NO_SIGNERS,
        host: str = "127.0.0.1",
        port: int = 0,
        origins: tuple[str, ...] = (),
        show_metrics: bool = False,
        players: Players | None = None,
        leagues: LeaguesDesk | None = None,
        feed: FeedAddress | None = None,
        files: Files | None = None,
        metrics: Metrics | None = None,
        limits: Limits | None = None,
        clock: Callable[[], float] = time.monotonic,
        now: Callable[[], int] = wall_ms,
        proxies: Sequence[Network] = (),
        sanctions: Sanctions | None = None,
        operator: Operator | None = None,
        admin_token: str = "",
        counting: Counting | None = None,
    ) -> None:
        self.metrics = metrics or Metrics()
        self.limits = limits or Limits()
        self.watchdog = Watchdog(clock, self.metrics.aborted.inc)
        self._rooms = rooms
        self._where = (host, port)
        self._clock = clock
        self._sessions: set[Session] = set()
        self._lobby = Lobby(rooms)
        self._guests = Guests(self.limits, clock, proxies)
        self._downloads = Downloads(self.limits.downloads, self.limits.address_downloads)
        self._sockets: set[Socket] = set()
        self._shelf = Shelf(clock)
        self._shared = Shared(
            rooms, self._lobby, self.metrics, self.limits, clock, now, self._guests, self._shelf, players, leagues
        )
        self._site = Site(
            files=files or Files(find_client()),
            status=lambda: rooms.status,
            version=rooms.welcome().version,
            metrics=self.metrics,
            rules=rules,
            forces=forces,
            positions=positions,
            match_file=match_file,
            signers=signers,
            hosts=Hosts(host, origins),
            origins=origins,
            show_metrics=show_metrics,
            draining=lambda: self._shared.draining or self.draining.begun,
            feed=feed,
            up=lambda: rooms.up_ms,
            leagues=leagues,
        )
        self.draining = Draining()
        """Whether the operator has told this server to end."""
        self._shared.shared_limits = SharedLimits(counting, self.limits)
        self._admin = Admin(admin_token, operator, self._guests, self._shared.shared_limits, self)
        self._unwatch: Callable[[], None] = lambda: None
        if sanctions is not None:
            self._shared.sanctions = sanctions
            self._unwatch = sanctions.watch(self._expel)
        self._door = Door(self.limits.connections)
        self._quiet_until = 0.0
        self._server: Server | None = None
        self._pulse: asyncio.Task[None] | None = None
        self.metrics.queued_frames.set_function(lambda: sum(one.connection.waiting[0] for one in self._sessions))
        self.metrics.queued_bytes.set_function(lambda: sum(one.connection.waiting[1] for one in self._sessions))
        self.metrics.matches.set_function(lambda: rooms.held)
        self._unsubscribe = rooms.on_status(self._tell_status)

    async def __aenter__(self) -> Self:
        """Start listening.

        Raises:
            ListenError: the address cannot be listened on.
        """
        try:
            self._server = await self._listen(*self._where)
        except OSError as error:
            raise refused(*self._where, error) from error
        self._pulse = asyncio.create_task(self._beat())
        return self

    async def _listen(self, host: str, port: int) -> Server:
        limits = self.limits
        return await serve(
            self._serve,
            host,
            port,
            process_request=self._request,
            create_connection=self._socket,  # type: ignore[arg-type]  # it makes our kind of connection
            # The library's compression costs memory for each connection, and would mix secrets with what others write.
            compression=None,
            extensions=[Deflate()],
            max_size=limits.message_bytes,
            max_queue=8,
            open_timeout=limits.open_timeout,
            ping_interval=limits.ping_interval,
            ping_timeout=limits.ping_timeout,
            server_header=None,
            logger=_library_log(),
        )

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop; see `stop`."""
        await self.stop()

    @property
    def address(self) -> str:
        """The address for a browser on this machine."""
        return self.addresses[0]

    @property
    def addresses(self) -> list[str]:
        """The addresses for browsers, this machine's first."""
        if self._server is None:
            raise RuntimeError("The gateway has not been started.")
        return to_open(*self._server.sockets[0].getsockname()[:2])

    async def stop(self) -> None:
        """Accept nothing more, finish what was begun, say goodbye, and close everything."""
        if self._server is None:
            return
        server, self._server = self._server, None
        self.draining.stop()
        self._unwatch()
        self._shared.draining = True
        if self._shared.working:
            await asyncio.wait(self._shared.working, timeout=self.limits.draining)
        self._unsubscribe()
        self._lobby.close()
        await asyncio.gather(*(session.end(goodbyes.RESTARTING) for session in self._sessions))
        server.close(code=goodbyes.RESTART)
        try:
            async with asyncio.timeout(FAREWELL):
                await server.wait_closed()
        except TimeoutError:
            # Peers that take no part in the closing, or do not read the file they asked for, are not waited for.
            for socket in list(self._sockets):
                socket.transport.abort()
            await server.wait_closed()
        if self._pulse is not None:
            self._pulse.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._pulse

    def _socket(self, *args: Any, **kwargs: Any) -> Socket:  # noqa: ANN401  # the library's own arguments
        socket = Socket(*args, **kwargs)
        socket.admit = self._admit
        return socket

    def _admit(self, socket: Socket) -> bool:
        """Return whether a connection that was just made may stay; the client behind a proxy is not known yet."""
        self._sockets.add(socket)
        socket.lost = self._lost
        if not self._door.come():
            return False
        peer = _peer(socket)
        return self._guests.is_proxy(peer) or self._counted(socket, peer)

    def _lost(self, socket: Socket) -> None:
        self._sockets.discard(socket)
        self._door.go()

    def _counted(self, socket: Socket, address: str) -> bool:
        """Count a connection for its address, unless the address has too many. Return whether it was counted."""
        guest = self._guests.guest(address)
        if guest.connections >= self.limits.per_address or self._guests.refusal(guest, "connections", stranger=False):
            self._say_refused(guest)
            return False
        socket.count_for(guest)
        return True

    def _say_refused(self, guest: Guest) -> None:
        """Log that an address has too many connections, once in a while and not for each that is turned away."""
        now = self._clock()
        if now >= guest.quiet_until:
            guest.quiet_until = now + QUIET_SECONDS
            log.info(
                "refused a connection of %s: it has %d",
                guest.address,
                guest.connections,
                extra={"address": guest.address},
            )

    async def _request(self, connection: ServerConnection, request: Request) -> Response | None:
        if not isinstance(connection, Socket):
            raise TypeError("The library was told to make connections of our kind.")
        if connection.guest is None and not self._counted(
            connection, self._guests.behind(_peer(connection), request.headers)
        ):
            return text(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)
        guest = connection.guest
        if guest is None:
            return text(HTTPStatus.TOO_MANY_REQUESTS, TOO_MANY)  # it was lost meanwhile
        kind = self._site.kind(request)
        too_fast = self._guests.refusal(guest, kind, stranger=True)
        if too_fast:
            return text(HTTPStatus.TOO_MANY_REQUESTS, too_fast + "\n")
        ASKING.set(guest.address)
        response = await self._respond(request, guest)
        if response is not None and kind == "files" and response.body:
            size = len(response.body)
            if self._downloads.full(guest, size):
                return text(
                    HTTPStatus.SERVICE_UNAVAILABLE, "The server is sending too many files. Try again in a moment.\n"
                )
            connection.sends(size, self._downloads)
        return response

    async def _respond(self, request: Request, guest: Guest) -> Response | None:
        try:
            if self._admin.asked(request):
                return await self._admin.respond(request, guest)
            response = await self._site.respond(request)
        except WorkError as error:
            return text(HTTPStatus.SERVICE_UNAVAILABLE, f"{error}\n")
        except Exception:
            log.exception("a request failed", extra={"address": guest.address})
            return text(HTTPStatus.INTERNAL_SERVER_ERROR, "Something went wrong here.\n")
        if response is None and self.draining.begun:
            return text(HTTPStatus.SERVICE_UNAVAILABLE, goodbyes.RESTARTING.goodbye.sentence + "\n")
        if response is None and self._door.full:
            self._say_full()
            return text(HTTPStatus.SERVICE_UNAVAILABLE, goodbyes.FULL.goodbye.sentence + "\n")
        return response

    def _say_full(self) -> None:
        """Log that the server is full, once in a while and not for each connection that is turned away."""
        now = self._clock()
        if now >= self._quiet_until:
            self._quiet_until = now + QUIET_SECONDS
            log.warning("The server takes at most %d connections: others are turned away.", self.limits.connections)

    async def _serve(self, socket: ServerConnection) -> None:
        if not isinstance(socket, Socket):
            raise TypeError("The library was told to make connections of our kind.")
        guest = socket.guest or self._guests.guest(_peer(socket))
        # The library keeps the headers for as long as the connection lasts, in several places: as much as all the rest that it
        # keeps.
        if socket.request is not None:
            socket.request.headers.clear()
        socket.response = None
        session = Session(Connection(socket, self.watchdog, self.metrics.resyncs.inc), self._shared, guest)
        self._sessions.add(session)
        try:
            await session.run()
        finally:
            self._sessions.discard(session)

    # --- what the operator's commands concern ------------------------------------------------------------------------

    def present(self, match: str) -> tuple[Present, ...]:
        """Return who is connected to a match here, those with seats first."""
        places = [
            (one.place, one.address) for one in self._sessions if one.place is not None and one.place.match == match
        ]
        found = [Present(text_of(place.audience), place.name, address) for place, address in places]
        return tuple(sorted(found, key=lambda one: (not one.seat, one.seat, one.name, one.address)))

    def known_address(self, address: str) -> str:
        """Return an address as limits count it; "" if it is none, or a trusted proxy's."""
        return self._guests.counted(address)

    def drain(self) -> float:
        """Take no new connections from now on, and end. Return in how many seconds those that are open are sent away."""
        return self.draining.begin()

    def _expel(self) -> None:
        """Close the connections that are banned now."""
        for session in list(self._sessions):
            ban = session.moderated.ban
            if ban is not None:
                self._shared.spawn(session.expel(ban))

    def _tell_status(self, status: Status) -> None:
        frame = frame_of(status)
        for session in self._sessions:
            if session.place is not None:
                session.connection.send_frame(frame)

    async def _beat(self) -> None:
        """Close stuck connections once a second, and measure the delay of the event loop."""
        while True:
            before = self._clock()
            await asyncio.sleep(1)
            self.metrics.loop_lag.set(max(0.0, self._clock() - before - 1))
            self.watchdog.sweep()
            self._shelf.sweep()


def _peer(connection: ServerConnection) -> str:
    """Return the address of a peer; "" if it has none."""
    address = connection.remote_address
    return str(address[0]) if isinstance(address, tuple) and address else ""
