"""Worlds that differ in a secret: played one after the other, and compared on every channel of audiences that must not notice
it.

    none, one = await lived(url, rules, ordering(DUEL), ordering(DUEL, "stop"))
    assert none == one
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from typing import TypeVar

import pytest
import redis
from msgspec.structs import replace

from client_protocol.codec import decode_server, pack
from client_protocol.from_client import (
    Answer,
    AskLuckReport,
    AskPreview,
    AskWhatIf,
    Claim,
    ExportCase,
    ExportSetup,
    ExportText,
    GhostPlaces,
    Look,
    MakeOffer,
    Order,
    Recall,
    Replay,
    Report,
    Respond,
    Say,
    TakeBack,
)
from client_protocol.from_server import Snapshot, Update
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.environment import NEVER
from server.matches.log.audiences import audience_of
from server.matches.play.abandonment import Abandonment
from server.matches.rooms import Rooms
from server.matches.setup.forks import Fork, fork
from server.store.store import MatchStore
from tests.support.playing import Listener, payload
from tests.support.room import Hands, Table, rooms_on


@dataclass
class World:
    """A world while it is played: a server of its own, and its hands."""

    rooms: Rooms
    hands: Hands


Told = dict[str, list[bytes]]
"""Everything that each audience gets, except those that know the secret: the other seats, and the spectators ("")."""
Hashes = dict[bytes, int]
"""The hashes of entries that an audience has been told, numbered."""
Framed = TypeVar("Framed", bound=Snapshot | Update)
"""A message that names the hash of its entry."""
Life = Callable[[World], Awaitable[Told]]
"""Plays a world."""


async def lived(url: str, rules: Ruleset, *lives: Life, abandonment: Abandonment = NEVER) -> list[Told]:
    """Play worlds, each in a database of its own, and return what was told in each."""
    found = []
    for life in lives:
        with redis.Redis.from_url(url) as client:
            client.flushall()
        hands = Hands()
        async with MatchStore(url) as store, rooms_on(store, rules, None, hands, abandonment) as rooms:
            found.append(await life(World(rooms, hands)))
    return found


@pytest.fixture
def no_chance(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make match ids and dice secrets the same in every world."""
    monkeypatch.setattr("secrets.choice", lambda letters: letters[0])
    monkeypatch.setattr("secrets.token_bytes", bytes)


async def seen(world: World, table: Table, knowing: str = "blue") -> Told:
    """Return what every audience except `knowing` has been told, is told on request, and is told next."""
    others = [audience for audience in table.listeners if audience != knowing]
    hashes: dict[str, Hashes] = {audience: {} for audience in others}
    asked = {audience: await Probe(table, audience, hashes[audience]).everything() for audience in others}
    lists = [pack(await world.rooms.listing()), pack(await world.rooms.summaries([table.room.match, "nothing"]))]
    later = await what_comes_next(world, table, others)
    again = {audience: await Probe(table, audience, hashes[audience]).everything() for audience in others}
    told = {audience: numbered(table.listeners[audience].frames, hashes[audience]) for audience in others}
    return {
        audience: [*told[audience], *asked[audience], *lists, *later[audience], *again[audience]] for audience in others
    }


def numbered(frames: list[bytes], hashes: Hashes) -> list[bytes]:
    """Return frames with the hashes of entries numbered; see `counted`."""
    found: list[bytes] = []
    for frame in frames:
        message = decode_server(payload(frame))
        found.append(pack(counted(message, hashes) if isinstance(message, Snapshot | Update) else message))
    return found


def counted(message: Framed, hashes: Hashes) -> Framed:
    """Return a message with the hash of its entry replaced by a number, in the order of first appearance.

    Hashes differ between any two worlds because of their salts. When a new one is told, and when an old one is repeated, must
    not differ.
    """
    return replace(message, head=hashes.setdefault(message.head, len(hashes)).to_bytes(32, "big"))


async def what_comes_next(world: World, table: Table, others: list[str]) -> Told:
    """Send chat, claims, offers and take-backs of audiences that do not know the secret, and return the replies."""
    room = table.room
    replies: Told = {audience: [] for audience in others}
    for audience in others:
        world.hands.move(1)
        say = Say(f"say-{audience}-1", "done", "table" if audience else "spectators")
        replies[audience].append(pack(await room.say(audience_of(audience), "Wat", say)))
        for message in (
            Claim(f"claim-{audience}"),
            MakeOffer(f"offer-{audience}", "draw"),
            MakeOffer(f"pause-{audience}", "pause"),
            Respond(f"respond-{audience}", "1", accept=False),
            TakeBack(f"back-{audience}-1"),
        ):
            if audience:
                replies[audience].append(pack(await room.settle_on_desk(audience, message)))
    return replies


# --- what one gets by asking -----------------------------------------------------------------------------------------


@dataclass
class Probe:
    """The requests of one audience, and all replies to it."""

    table: Table
    audience: str
    hashes: Hashes
    replies: list[object] = field(default_factory=list)

    async def everything(self) -> list[bytes]:
        """Return whatever an audience can get by requests that no other audience notices."""
        frames = self._frames()
        await self._past()
        await self._forks()
        self._present()
        if self.audience:
            await self._as_seat()
            await self._open_to_seat()
        return [*frames, *(pack(reply) for reply in self.replies)]

    def _frames(self) -> list[bytes]:
        """Return a snapshot, and the frames for a client that was away for a while."""
        found: list[bytes] = []
        last = self.table.listeners[self.audience].seqs[-1]
        for since in (-1, last, last - 1, last - 4, 1000):
            listener = Listener()
            self.table.room.enter(audience_of(self.audience), since, listener.connection)
            self.table.room.leave(listener.connection)
            found.extend(listener.frames)
        return numbered(found, self.hashes)

    async def _past(self) -> None:
        room, own, audience = self.table.room, self.audience, audience_of(self.audience)
        self.replies += [await room.queries.recall(audience, Recall("h", before)) for before in (1000, 5, 0)]
        self.replies += [await room.queries.replay(audience, Replay("r", own, after)) for after in (-1, 0, 5, 1000)]
        if room.over:
            return  # everything is open now
        others = ("*", "nobody", *(other for other in self.table.listeners if other != own))
        last = self.table.listeners[own].seqs[-1]
        asked = [*((own, frame) for frame in (0, 3, last - 1, last)), *((view, 3) for view in others)]
        self.replies += [await room.queries.export_case(audience, ExportCase("c", *one)) for one in asked]
        self.replies += [await room.queries.replay(audience, Replay("r", view)) for view in others]
        self.replies += [
            await room.queries.luck_report(AskLuckReport("l")),
            await room.queries.export_text(audience, ExportText("t")),
        ]
        # Reports of frames without chat.
        self.replies += [await room.report(audience, Report(f"report-{n:03}", n, "rude")) for n in (2, 1000)]

    async def _forks(self) -> None:
        payloads = await self.table.room.payloads()
        last = self.table.listeners[self.audience].seqs[-1]
        orders = bool(self.table.room.rules.orders)
        if not self.table.room.over:
            for frame in (last, last - 1, last - 2, 3):
                self.replies.append(gone_on(fork(payloads, audience_of(self.audience), frame, orders=orders)))

    def _present(self) -> None:
        room, audience = self.table.room, audience_of(self.audience)
        self.replies += [room.queries.export_setup(audience, ExportSetup("e")), room.summary()]
        self.replies.append(room.queries.look(audience, Look("l", *self._units())))

    def _units(self) -> tuple[str, str]:
        """Return a unit of the audience's own (of the first side, for spectators), and one of another side."""
        state = self._state
        own = self.audience or next(iter(state.sides.values())).seat
        mine = next(unit.id for unit in state.units.values() if state.seat_of(unit.id) == own)
        theirs = next(unit.id for unit in state.units.values() if state.seat_of(unit.id) != own)
        return mine, theirs

    @property
    def _state(self) -> State:
        return self.table.room._referee.fold.state

    async def _as_seat(self) -> None:
        room, seat = self.table.room, self.audience
        mine, theirs = self._units()
        self.replies.append(await room.order(seat, Order("order-xx", theirs, "stop")))
        self.replies.append(await room.order(seat, Order("order-yy", theirs, "no such order")))
        for unit, ghosts in imaginings(self._state, mine, theirs):
            self.replies.append(await room.queries.what_if(seat, AskWhatIf("g", unit, ghosts)))

    async def _open_to_seat(self) -> None:
        """Send everything that the seat may do now, and requests that are refused because something else is open."""
        room, seat = self.table.room, self.audience
        self.replies.append(await room.answer(seat, Answer("12345678", "0", "fire")))
        self.replies.append(await room.queries.preview(seat, AskPreview("i", "0", "fire")))
        if seat not in self.table.asked:
            return
        prompt = self.table.prompt(seat)
        default = prompt.default
        self.replies.append(
            await room.queries.preview(seat, AskPreview("i", prompt.id, default.choice, default.values))
        )
        for choice in ("no such choice", *(choice.key for choice in prompt.choices)):
            self.replies.append(await room.queries.preview(seat, AskPreview("i", prompt.id, choice)))


def imaginings(state: State, mine: str, theirs: str) -> Iterator[tuple[str, dict[str, GhostPlaces]]]:
    """Return ghosts of own and of others' units, in possible and impossible places."""
    living = state.units[mine].living
    for x, y in ((6_000, 6_000), (2_000, 9_000)):
        yield mine, {mine: GhostPlaces({key: (x + 1_200 * n, y) for n, key in enumerate(living)})}
    yield mine, {mine: GhostPlaces(dict.fromkeys(living, (1, 1)))}
    yield mine, {mine: GhostPlaces(dict.fromkeys(living, (10_000_000, 1)))}
    yield mine, {mine: GhostPlaces({"nobody": (1, 1)})}
    yield mine, {}
    yield theirs, {}
    yield mine, {theirs: GhostPlaces({})}
    yield "nothing", {}


def gone_on(found: Fork | str) -> object:
    """Return what an audience learns of a fork of the match, and what is published when that is over; or why there can be
    none.

    Hashes of entries differ between any two worlds because of their salts.
    """
    if isinstance(found, str):
        return found
    return [found.edition, found.state, replace(found.forked, head=""), list(found.since)]
