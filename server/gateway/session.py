"""The session of one connection: its audience, the messages it may send, and the replies."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol, TypeAlias

from websockets.exceptions import ConnectionClosed

from client_protocol import codec
from client_protocol.from_client import (
    Answer,
    AskExhibition,
    AskMoments,
    CheckForce,
    CheckSetup,
    ClientMessage,
    ConvertForce,
    EnterLobby,
    EnterMatch,
    ImportMatch,
    MakeMatch,
    MoreMatches,
    Ping,
    Say,
    TakeSeat,
    Upload,
)
from client_protocol.from_server import Accepted, Pong, Refused, ServerMessage
from client_protocol.shapes import PROTOCOL
from server.gateway import goodbyes
from server.gateway.connection import Connection
from server.gateway.dispatch import RoomMessage, reply_in
from server.gateway.guests import Guest, Guests, too_fast
from server.gateway.introductions import Introductions, OfSeat, PlayerMessage, Players
from server.gateway.kinds import kind_of
from server.gateway.leagues import LeagueMessage, LeaguesDesk, reply_in_league
from server.gateway.limits import Bucket, Limits, Rate
from server.gateway.metrics import Metrics
from server.gateway.moderated import Moderated
from server.gateway.rooms import Room, Rooms
from server.gateway.shared_limits import SHARED, SharedLimits
from server.gateway.uploads import Shelf, Uploads
from server.kernel.belief import SPECTATORS, Audience
from server.moderation.sanctions import NoSanctions, Standing
from server.store.errors import LogDamaged, MatchRemoved, StoreUnavailable
from server.work.desk import ASKING, WorkError

log = logging.getLogger("underfire.session")

TableMessage: TypeAlias = RoomMessage | OfSeat
"""A message that wants a match."""


class Lobby(Protocol):
    """All connections on the start page."""

    async def enter(self, connection: Connection, mine: tuple[str, ...]) -> None:
        """Send the listed matches and those of `mine`, now and whenever they change."""

    def leave(self, connection: Connection) -> None:
        """Forget the connection. Does nothing if it never entered."""


@dataclass
class Shared:
    """The state that all sessions of a server share. `clock` gives seconds that only go forward, `now` the milliseconds since
    1970.
    """

    rooms: Rooms
    lobby: Lobby
    metrics: Metrics
    limits: Limits
    clock: Callable[[], float]
    now: Callable[[], int]
    guests: Guests
    shelf: Shelf
    players: Players | None = None
    leagues: LeaguesDesk | None = None
    draining: bool = False
    working: set[asyncio.Future[Any]] = field(default_factory=set)
    sanctions: Standing = field(default_factory=NoSanctions)
    shared_limits: SharedLimits | None = None

    def spawn(self, work: Coroutine[object, object, None]) -> asyncio.Task[None]:
        """Start a task that outlives its connection, and that a stopping server waits for."""
        task = asyncio.create_task(work)
        self.await_at_stop(task)
        return task

    def await_at_stop(self, work: asyncio.Future[Any]) -> None:
        """Let a stopping server wait for work."""
        self.working.add(work)
        work.add_done_callback(self.working.discard)


@dataclass(frozen=True)
class Place:
    """The place of a connection: the start page (no room), or an audience of a match."""

    kind: str
    room: Room | None = None
    audience: Audience = SPECTATORS
    name: str = ""
    match: str = ""


class Ended(Exception):  # noqa: N818  # it ends a session; it is no error
    """The session is over; the peer is told why."""

    def __init__(self, ending: goodbyes.Ending) -> None:
        super().__init__(ending.goodbye.code)
        self.ending = ending


class Session:
    """One connection.

    Pings are answered at once. Everything else is done in the order in which it came, one at a time, so that a connection
    never has more than one message being handled.

    Args:
        connection: where replies go.
        shared: what all sessions share.
        guest: the address that it comes from.
    """

    def __init__(self, connection: Connection, shared: Shared, guest: Guest) -> None:
        self.connection = connection
        self.place: Place | None = None
        self.moderated = Moderated(shared.sanctions, guest.address)
        self._shared = shared
        self._guest = guest
        self._uploads = Uploads(shared.shelf)
        self._introductions = Introductions(shared.players, self._hold)
        self._malformed = 0
        # Lists and what is made when it is needed: most connections send one kind of message, one at a time.
        self._waiting: list[ClientMessage] = []
        self._worker: asyncio.Future[Any] | None = None
        """What handles a message now."""
        self._buckets: dict[str, Bucket] = {}

    async def run(self) -> None:
        """Serve the connection until either end closes it."""
        ASKING.set(self._guest.address)
        try:
            self._check_ban()
            await self._enter()
            while True:
                message = await self._receive()
                if message is not None:
                    self._accept(message)
        except Ended as ended:
            await self.end(ended.ending)
        except ConnectionClosed:
            pass
        except Exception:
            log.exception("a session failed", extra=self.moderated.fields)
            await self.end(goodbyes.FAILED)
        finally:
            self._leave()

    async def end(self, ending: goodbyes.Ending) -> None:
        """Send the reason, and close."""
        self._send(ending.goodbye)
        await self.connection.close(ending.close_code, ending.goodbye.code)

    @property
    def _seated(self) -> bool:
        """Whether it holds a seat; all others are strangers."""
        return self.place is not None and self.place.kind == "seat"

    @property
    def address(self) -> str:
        """The address that the connection comes from, as limits count it."""
        return self._guest.address

    async def expel(self, ending: goodbyes.Ending) -> None:
        """Drop what waits, send the reason, and close."""
        self._waiting.clear()
        await self.end(ending)

    def _hold(self, key: str) -> None:
        """Note whose connection this is by the player's key. One who is banned is sent away."""
        self.moderated.hold(key)
        ban = self.moderated.ban
        if ban is not None:
            self._shared.spawn(self.expel(ban))

    def _check_ban(self) -> None:
        """Raise `Ended` if the connection is banned."""
        ban = self.moderated.ban
        if ban is not None:
            raise Ended(ban)

    def _leave(self) -> None:
        self._waiting.clear()
        self._uploads.clear()
        if self.place is not None:
            self._shared.metrics.connections.dec(self.place.kind)
            if self.place.room is not None:
                self.place.room.leave(self.connection)
        self._shared.lobby.leave(self.connection)
        self.connection.gone()

    # --- coming in --------------------------------------------------------------------------------------------------

    async def _receive(self) -> ClientMessage | None:
        """Return the next message; None for one that was refused and forgiven.

        Raises:
            Ended: too many messages were malformed.
        """
        data = await self.connection.socket.recv()
        try:
            if isinstance(data, str):
                raise codec.Malformed("Messages come in binary frames.")
            message = codec.decode_client(data)
        except codec.CodecError as error:
            if not self._malformed:
                # Logged once: a client that sends garbage sends more of it. The error's sentence may repeat what was sent,
                # and is not logged.
                log.info("a connection sends malformed messages: %s", error.code, extra=self.moderated.fields)
            self._refuse(error.id, error.code, error.sentence)
            self._malformed += 1
            if self._malformed >= self._shared.limits.malformed:
                raise Ended(goodbyes.MALFORMED) from None
            return None
        self._shared.metrics.messages.inc(type(message).__name__)
        return message

    async def _enter(self) -> None:
        """Handle the first message, which says where the connection belongs."""
        deadline = asyncio.get_running_loop().time() + self._shared.limits.first_message
        while self.place is None:
            try:
                async with asyncio.timeout_at(deadline):
                    message = await self._receive()
            except TimeoutError:
                raise Ended(goodbyes.SILENT) from None
            if isinstance(message, EnterLobby | EnterMatch):
                if message.protocol != PROTOCOL:
                    raise Ended(goodbyes.RELOAD)
                place = await (self._at_start(message) if isinstance(message, EnterLobby) else self._at_table(message))
                self.place = place
                self._shared.metrics.connections.inc(place.kind)
            elif message is not None:
                self._refuse(_id(message), "enter_first", "Enter the start page or a match first.")
                self._strike()

    async def _at_start(self, message: EnterLobby) -> Place:
        self._greet()
        await self._shared.lobby.enter(self.connection, message.matches)
        return Place("lobby")

    async def _at_table(self, message: EnterMatch) -> Place:
        try:
            # Browsers drop a connection that is silent for longer, and would never learn why.
            async with asyncio.timeout(self._shared.limits.entering):
                room = await self._shared.rooms.get(message.match)
                audience = None if room is None else await room.admit(message.token)
        except (StoreUnavailable, TimeoutError):
            raise self._turned_away(goodbyes.AWAY) from None
        except LogDamaged:
            raise self._turned_away(goodbyes.DAMAGED) from None
        except MatchRemoved:
            raise self._turned_away(goodbyes.REMOVED) from None
        if room is None:
            raise self._turned_away(goodbyes.NO_MATCH)
        if audience is None:
            raise self._turned_away(goodbyes.WRONG_TOKEN)
        if isinstance(audience, str):
            self.moderated.sit(message.match, audience)
            self.moderated.hold(room.key_of(audience))
            self._check_ban()
        self._greet()
        room.enter(audience, message.since, self.connection)
        if message.since >= 0:
            self._shared.metrics.resumed.inc()
        if audience == SPECTATORS:
            return Place("spectator", room, audience, message.name, message.match)
        return Place("seat", room, audience, match=message.match)

    def _turned_away(self, ending: goodbyes.Ending) -> Ended:
        """Send the reason in the words of the goodbye that follows; return the end of the session."""
        self._refuse("", ending.goodbye.code, ending.goodbye.sentence)
        return Ended(ending)

    def _greet(self) -> None:
        self._send(self._shared.rooms.welcome())
        status = self._shared.rooms.status
        if status.state != "live":
            self._send(status)

    # --- asking -----------------------------------------------------------------------------------------------------

    def _accept(self, message: ClientMessage) -> None:
        """Queue a message, or refuse it: too fast, too many, or the server is stopping.

        Raises:
            Ended: the connection is banned, or was refused too often.
        """
        self._check_ban()
        limits = self._shared.limits
        refused = self._too_fast(kind_of(message))
        if refused:
            self._shared.metrics.rate_limited.inc()
            self._refuse(_id(message), "rate", refused)
            self._strike()
            return
        if isinstance(message, Ping):
            self._send(self._pong(message))
        elif self._shared.draining:
            self._refuse(_id(message), "restarting", "The server is about to restart. Send it again when it is back.")
        elif len(self._waiting) >= limits.waiting:
            self._refuse(_id(message), "busy", "Wait for the answers to what you have sent already.")
            self._strike()
        else:
            self._waiting.append(message)
            if self._worker is None:
                self._begin()

    def _too_fast(self, kind: str) -> str:
        """Return in a sentence why a message of a kind comes too fast: for this connection, for its address, or for all strangers
        together; "" if it does not.
        """
        limits, seated = self._shared.limits, self._seated
        own = limits.own(kind)
        if own is not None and not self._take(kind, own):
            return too_fast(own)
        if own is None or kind == "chat":
            orders, rate = ("seat", limits.seat) if seated else ("spectator", limits.spectator)
            if not self._take(orders, rate):
                return too_fast(rate)
        return self._shared.guests.refusal(self._guest, kind, stranger=not seated)

    async def _too_fast_together(self, message: ClientMessage) -> Refused | None:
        """Return the refusal of a message that comes too fast for its address, or for all strangers, over all servers; None if
        it does not.
        """
        kind, limits = kind_of(message), self._shared.shared_limits
        if kind not in SHARED or limits is None:
            return None
        sentence = await limits.refusal(self._guest.address, kind, stranger=not self._seated)
        if not sentence:
            return None
        self._shared.metrics.rate_limited.inc()
        if not self._take("strikes", self._shared.limits.strikes):
            self._shared.spawn(self.expel(goodbyes.ABUSE))
        return Refused(_id(message), "rate", sentence)

    def _take(self, kind: str, rate: Rate) -> bool:
        """Take from the bucket of a kind. Return whether something was in it."""
        now = self._shared.clock()
        bucket = self._buckets.get(kind)
        if bucket is None:
            bucket = self._buckets[kind] = Bucket(rate, now)
        return bucket.take(now)

    def _pong(self, message: Ping) -> Pong:
        return Pong(id=message.id, now=self._shared.now(), up=self._shared.rooms.up_ms)

    def _strike(self) -> None:
        if not self._take("strikes", self._shared.limits.strikes):
            raise Ended(goodbyes.ABUSE)

    def _begin(self) -> None:
        """Handle the first message that waits."""
        message, place = self._waiting[0], self.place
        if isinstance(message, Answer) and place and place.room is not None and isinstance(place.audience, str):
            # Most messages are answers, which do without a task of the session.
            del self._waiting[0]
            self._worker = place.room.answer(place.audience, message)
            self._shared.await_at_stop(self._worker)
            self._worker.add_done_callback(partial(self._answered, message, self._shared.clock()))
        else:
            self._worker = self._shared.spawn(self._work())

    def _answered(self, message: Answer, since: float, answered: asyncio.Future[Accepted | Refused]) -> None:
        """Send the reply to an answer that came at `since`, and go on."""
        self._worker = None
        if answered.cancelled():
            return
        error = answered.exception()
        self._reply_to(message, answered.result() if error is None else self._failed(message, error), since)
        if self._waiting:
            self._begin()

    async def _work(self) -> None:
        """Handle the queued messages, in order."""
        try:
            while self._waiting:
                message = self._waiting.pop(0)
                since = self._shared.clock()
                try:
                    reply = await self._too_fast_together(message) or await self._reply(message)
                except Exception as error:  # noqa: BLE001 - a bug of ours must not cost the player the connection
                    reply = self._failed(message, error)
                self._reply_to(message, reply, since)
        finally:
            self._worker = None

    def _failed(self, message: ClientMessage, error: BaseException) -> Refused:
        """Return the refusal of a message that could not be handled."""
        match error:
            case WorkError():
                return Refused(_id(message), error.code, str(error))
            case MatchRemoved():
                return Refused(_id(message), "removed", str(error))
        # Only the type is logged: messages hold secrets.
        log.error("a %s failed", type(message).__name__, exc_info=error, extra=self.moderated.fields)
        sentence = "The server failed on this message, which may or may not have counted."
        return Refused(_id(message), "internal", sentence)

    def _reply_to(self, message: ClientMessage, reply: ServerMessage, since: float) -> None:
        """Send the reply to a message that came at `since`."""
        self._send(reply)
        if isinstance(message, Answer):
            self._shared.metrics.answered.observe(self._shared.clock() - since)

    async def _reply(self, message: ClientMessage) -> ServerMessage:
        """Handle a message, wherever the connection is."""
        # Most messages are of this kind, and need not be compared with all others.
        if isinstance(message, TableMessage):
            return await self._reply_at_table(message)
        match message:
            case MakeMatch() if not message.setup:
                return await self._shared.rooms.make(message)
            case Upload():
                return self._uploads.add(message)
            case MakeMatch() | CheckSetup() | ImportMatch():
                return await self._reply_with_upload(message)
            case TakeSeat():
                return await self._shared.rooms.take_seat(message)
            case EnterLobby() | EnterMatch():
                return Refused("", "entered", "This connection has entered already; open another one.")
            case Ping():
                return self._pong(message)
            case CheckForce() | ConvertForce() | MoreMatches() | AskExhibition() | AskMoments():
                return await self._reply_to_start_page(message)
        if isinstance(message, PlayerMessage):
            return await self._introductions.reply(message)
        return await self._reply_in_league(message)

    async def _reply_in_league(self, message: LeagueMessage) -> ServerMessage:
        """Handle a message about leagues."""
        leagues, players = self._shared.leagues, self._shared.players
        if leagues is None or players is None:
            return Refused(message.id, "no_leagues", "There are no leagues on this server.")
        return await reply_in_league(leagues, players, self._introductions.key, message)

    async def _reply_at_table(self, message: TableMessage) -> ServerMessage:
        """Handle a message that wants a match."""
        if isinstance(message, Say) and (muted := self.moderated.muted(message.id)) is not None:
            return muted
        if self.place is None or self.place.room is None:
            return Refused(message.id, "no_room", "Enter a match first.")
        if isinstance(message, OfSeat):
            return await self._introductions.reply_to_seat(message, self.place.room, self.place.audience)
        return await reply_in(self.place.room, self.place.audience, self.place.name, message)

    async def _reply_to_start_page(
        self, message: CheckForce | ConvertForce | MoreMatches | AskExhibition | AskMoments
    ) -> ServerMessage:
        """Handle a question that start pages ask."""
        rooms = self._shared.rooms
        match message:
            case CheckForce():
                return rooms.check_force(message)
            case ConvertForce():
                return rooms.convert_force(message)
            case MoreMatches():
                return await rooms.more_matches(message)
            case AskExhibition():
                return await rooms.exhibition(message)
            case AskMoments():
                return await rooms.moments(message)

    async def _reply_with_upload(self, message: MakeMatch | CheckSetup | ImportMatch) -> ServerMessage:
        """Handle a message that names an upload."""
        rooms = self._shared.rooms
        data = self._uploads.take(message.id, message.setup if isinstance(message, MakeMatch) else message.upload)
        if isinstance(data, Refused):
            return data
        match message:
            case MakeMatch():
                return await rooms.make(message, data)
            case CheckSetup():
                return await rooms.check_setup(message.id, data)
            case ImportMatch():
                return await rooms.import_match(message.id, data)

    # --- going out --------------------------------------------------------------------------------------------------

    def _send(self, message: ServerMessage) -> None:
        if isinstance(message, Refused):
            self._shared.metrics.refusals.inc(message.code)
        self._shared.metrics.frames.inc(type(message).__name__)
        self.connection.send(message)

    def _refuse(self, id_: str, code: str, sentence: str) -> None:
        self._send(Refused(id_, code, sentence))


def _id(message: ClientMessage) -> str:
    return "" if isinstance(message, EnterLobby | EnterMatch) else message.id
