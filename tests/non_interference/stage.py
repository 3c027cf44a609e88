"""A world for a pair: a server's rooms with a session for every audience, in which nothing is left to chance.

Everything from the session inwards is what a real server runs. Only sockets are missing: what would be written to one is kept.
"""

from __future__ import annotations

import asyncio
import itertools
import random
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from functools import partial
from types import SimpleNamespace
from unittest.mock import patch

import redis
from msgspec.structs import replace
from websockets.datastructures import Headers
from websockets.http11 import Request

from client_protocol import codec
from client_protocol.choices import Picked
from client_protocol.from_client import Answer, ClientMessage, EnterLobby, EnterMatch, MakeMatch, RevealRandomness
from client_protocol.from_client import CommitRandomness as Commit
from client_protocol.from_server import (
    Matches,
    MatchesChanged,
    MatchMade,
    MatchSummary,
    ServerMessage,
    Snapshot,
    Update,
)
from client_protocol.shapes import PROTOCOL
from server.app import match_file
from server.gateway import introductions
from server.gateway.broadcast import Broadcast
from server.gateway.files import Files
from server.gateway.guests import Guests
from server.gateway.hosts import Hosts
from server.gateway.limits import Limits, Rate
from server.gateway.lobby import Lobby
from server.gateway.metrics import Metrics
from server.gateway.session import Ended, Session, Shared
from server.gateway.site import Site
from server.gateway.uploads import Shelf
from server.kernel.belief import Audience
from server.kernel.ruleset import Ruleset
from server.matches.log import secrets
from server.matches.log.entries import decode
from server.matches.play import presence
from server.matches.projections.frames import Frame
from server.matches.room import Room
from server.matches.rooms import Rooms
from server.matches.setup import creation
from server.notices.desk import PlayersDesk
from server.opponents.jobs import advised
from server.players.registry import Registry
from server.store.store import MatchStore
from tests.support.playing import Listener, digest_of, payload, share_of
from tests.support.room import Hands, rooms_on
from tests.support.worlds import Framed, Hashes, counted

MUCH = Rate(1_000_000, 1_000)
LIMITS = Limits(
    seat=MUCH,
    spectator=MUCH,
    chat=MUCH,
    previews=MUCH,
    makings=MUCH,
    uploads=MUCH,
    setups=MUCH,
    pings=MUCH,
    address=dict.fromkeys(Limits().address, MUCH),
    strangers=dict.fromkeys(Limits().strangers, MUCH),
)
HOST = Headers({"Host": "127.0.0.1:8000"})


@contextmanager
def no_chance() -> Iterator[None]:
    """Match ids, tokens, names of connections and the dice's secrets are drawn in the same order in every world."""
    chance, numbers = random.Random(1), itertools.count(1)
    drawn = SimpleNamespace(
        token_bytes=chance.randbytes,
        choice=chance.choice,
        token_urlsafe=lambda _size: f"secret-token-{next(numbers)}",
        token_hex=lambda _size: f"link-{next(numbers)}",
    )
    with (
        patch.object(creation, "secrets", drawn),
        patch.object(secrets, "secrets", drawn),
        patch.object(presence, "secrets", drawn),
        patch.object(introductions, "secrets", drawn),
    ):
        yield


class Counted(Broadcast):
    """Frames to audiences as a real server sends them, but with the hashes of entries counted before they are compressed (see
    `worlds.counted`).
    """

    def __init__(self, snapshot: Callable[[Audience], Snapshot]) -> None:
        self._hashes: defaultdict[Audience, Hashes] = defaultdict(dict)
        self._prepared: dict[int, tuple[Update, Update]] = {}
        super().__init__(lambda audience: self._counted(audience, snapshot(audience)))

    def prepare(self, frames: Sequence[Frame]) -> None:
        """Prepare frames that may be published next."""
        made = [replace(frame, update=self._counted(frame.audience, frame.update)) for frame in frames]
        self._prepared = {id(frame.update): (frame.update, now.update) for frame, now in zip(frames, made, strict=True)}
        super().prepare(made)

    def publish(self, frames: Iterable[Frame]) -> None:
        """Send the frames of an entry."""
        super().publish(replace(frame, update=self._update(frame)) for frame in frames)

    def _update(self, frame: Frame) -> Update:
        """Return the update of a frame with its hashes counted: of one that was prepared, the same one again."""
        _, prepared = self._prepared.get(id(frame.update), (None, None))
        return self._counted(frame.audience, frame.update) if prepared is None else prepared

    def _counted(self, audience: Audience, message: Framed) -> Framed:
        return counted(message, self._hashes[audience])


class Place:
    """A connection without a socket: its session, and the frames that it was sent."""

    def __init__(self, shared: Shared) -> None:
        self.listener = Listener(deflates=True)
        self.session = Session(self.listener.connection, shared, shared.guests.guest("192.0.2.1"))

    async def enter(self, message: EnterLobby | EnterMatch) -> None:
        """Send the first message; one that is turned away is told why."""
        heard = codec.decode_client(codec.encode(message))
        assert isinstance(heard, EnterLobby | EnterMatch)
        try:
            entering = self.session._at_start(heard) if isinstance(heard, EnterLobby) else self.session._at_table(heard)
            self.session.place = await entering
        except Ended as ended:
            await self.session.end(ended.ending)

    async def ask(self, message: ClientMessage) -> ServerMessage:
        """Send a message, and wait for its reply."""
        self.session._accept(codec.decode_client(codec.encode(message)))
        if self.session._worker is not None:
            await self.session._worker
        id_ = getattr(message, "id", "")
        for frame in reversed(self.listener.frames):
            reply = codec.decode_server(payload(frame))
            if getattr(reply, "id", None) == id_:
                return reply
        raise AssertionError(f"no reply to {message}")

    def taken(self) -> list[bytes]:
        """What it was sent since this was asked last."""
        frames, self.listener.frames = self.listener.frames, []
        return frames

    def written(self) -> list[bytes]:
        """What was written to its socket since this was asked last: its frames are compressed."""
        wire, self.listener.wire = self.listener.wire, []
        return wire

    def leave(self) -> None:
        """Close the connection."""
        if self.session.place is not None and self.session.place.room is not None:
            self.session.place.room.leave(self.listener.connection)
        self.session._shared.lobby.leave(self.listener.connection)


@dataclass
class Stage:
    """A match in a world of its own, and all who look at it; `start` looks at the start page."""

    rooms: Rooms
    hands: Hands
    shared: Shared
    lobby: Lobby
    site: Site
    made: MatchMade
    room: Room
    start: Place
    places: dict[str, Place] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    _listed: dict[str, MatchSummary] = field(default_factory=dict)

    async def sit(self, audience: str) -> None:
        """A seat's player, or for "" a spectator, comes to the table."""
        place = Place(self.shared)
        await place.enter(
            EnterMatch(PROTOCOL, self.made.match, self.tokens.get(audience, ""), name="" if audience else "Wat")
        )
        self.places[audience] = place

    async def begin(self) -> None:
        """All seats give their shares of the dice, so that the match begins."""
        for seat in self.room.seats:
            await self.places[seat].ask(Commit("commit", digest_of(share_of(seat))))
        for seat in self.room.seats:
            await self.places[seat].ask(RevealRandomness("reveal", share_of(seat).hex()))
        await self.room.settle()

    async def answer(self, seat: str, id_: str, picked: Picked) -> ServerMessage:
        """A seat answers what it is asked."""
        prompt = self.room.teller.prompt(seat)
        assert prompt is not None, f"{seat} is not asked"
        return await self.places[seat].ask(Answer(id_, prompt.id, picked.choice, picked.values))

    async def quiet(self) -> None:
        """Wait until everything that follows from what was done is told."""
        await self.room.settle()
        while (reading := self.lobby._reading) is not None:
            await asyncio.wait([reading])

    def listed(self) -> bytes:
        """What the start page shows by now. In how many steps is a matter of chance: quick changes are told together."""
        for frame in self.start.taken():
            message = codec.decode_server(payload(frame))
            if isinstance(message, Matches):
                self._listed = {info.match: info for info in (*message.matches, *message.mine)}
            elif isinstance(message, MatchesChanged):
                self._listed.update({info.match: info for info in (*message.changed, *message.mine)})
                for match in message.gone:
                    self._listed.pop(match, None)
        return codec.pack(self._listed)

    async def truth(self) -> tuple[object, ...]:
        """What has really happened, without salts and hashes."""
        return tuple(decode(number, entry).body for number, entry in enumerate(await self.room.payloads(), 1))

    async def page(self, path: str) -> list[bytes]:
        """What the server answers to a request for a page."""
        response = await self.site.respond(Request(path, HOST))
        assert response is not None
        headers = [f"{key}: {value}".encode() for key, value in response.headers.raw_items() if key != "Date"]
        return [str(response.status_code).encode(), bytes(response.body), *headers]


@asynccontextmanager
async def staged(url: str, rules: Ruleset, message: MakeMatch) -> AsyncIterator[Stage]:
    """A world in an emptied database, with this match made and its maker's seats taken."""
    with redis.Redis.from_url(url) as client:
        client.flushall()
    hands = Hands()
    with no_chance():
        async with (
            MatchStore(url) as store,
            rooms_on(store, rules, None, hands, outlets=Counted, adviser=advised) as rooms,
        ):
            lobby = Lobby(rooms, sleep=lambda _seconds: asyncio.sleep(0))
            shared = Shared(
                rooms, lobby, Metrics(), LIMITS, lambda: hands.up / 1000, lambda: hands.now,
                Guests(LIMITS, lambda: hands.up / 1000), Shelf(lambda: hands.up / 1000),
                PlayersDesk(Registry(store, lambda: hands.now), store, rooms.get),
            )  # fmt: skip
            made = await rooms.make(message)
            assert isinstance(made, MatchMade), made
            room = await rooms.get(made.match)
            assert room is not None
            start = Place(shared)
            stage = Stage(rooms, hands, shared, lobby, _site(rooms), made, room, start)
            stage.tokens = {given.seat: given.token for given in made.passes if given.token}
            await start.enter(EnterLobby(PROTOCOL, (made.match,)))
            for audience in (*stage.tokens, ""):
                await stage.sit(audience)
            try:
                yield stage
            finally:
                lobby.close()


def _site(rooms: Rooms) -> Site:
    return Site(
        files=Files(None),
        status=lambda: rooms.status,
        version="0",
        metrics=Metrics(),
        rules=lambda _edition: None,
        forces=lambda _edition: None,
        positions=lambda _edition: None,
        match_file=partial(match_file, rooms),
        hosts=Hosts("127.0.0.1", ()),
    )
