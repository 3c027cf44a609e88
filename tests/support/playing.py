"""Matches of the toy rules in tests: with entries in a list and without a store, or at a room, with listeners like sockets."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Callable, Iterator
from typing import cast

from websockets.frames import Frame
from websockets.streams import StreamReader

from client_protocol.choices import Picked
from client_protocol.codec import decode_server, pack, unpack
from client_protocol.from_server import ServerMessage, Snapshot, Update
from server.gateway.connection import COMPRESSED, Connection, frame_of, framed
from server.gateway.deflate import WINDOW_BITS
from server.kernel.answers.check import Asked
from server.kernel.belief import believed
from server.kernel.desk_facts import RandomnessCommitted, RandomnessRevealed, SeatTaken, SecretRevealed, StandingOrder
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.matches.log.entries import Aside, Body, Opened, opening, position
from server.matches.log.fold import Fold
from server.matches.play.referee import Referee

SECRET = bytes(range(32))
SHARES = {"red": b"r" * 32, "blue": b"b" * 32, "green": b"g" * 32}

Policy = Callable[[State, Asked], Picked]
"""Returns what a seat answers, from what it believes and is asked."""


def share_of(seat: str) -> bytes:
    """Return a seat's share of the dice."""
    return SHARES.get(seat) or seat.encode().ljust(32, b".")


def digest_of(share: bytes) -> str:
    return hashlib.sha256(share).hexdigest()


class MatchInMemory:
    """A match without a store: the entries, and the referee after them."""

    def __init__(self, rules: Ruleset, scenario: str = "duel", secret: bytes = SECRET) -> None:
        self.rules = rules
        self.secret = secret
        state = rules.open(scenario, {})
        edition, commitment = rules.info.id, hashlib.sha256(secret).hexdigest()
        opened = Opened("m1", edition, rules.version, scenario, state.title, position(state), commitment, listed=True)
        self.entries = [opening(opened, 1000, bytes(16))]
        self.referee = self.again()

    def again(self, rules: Ruleset | None = None) -> Referee:
        """Return a referee made from the entries alone, as after a crash."""
        fold = Fold(self.entries[0])
        for payload in self.entries[1:]:
            fold.add(payload)
        return Referee(rules or self.rules, self.secret, fold)

    @property
    def up(self) -> int:
        """The up-time (ms): a second for each entry."""
        return 1000 * len(self.entries)

    def add(self, body: Body, parent: int = 0) -> None:
        number = len(self.entries)
        payload = self.referee.fold.entry(body, 1000 + number, number.to_bytes(16, "big"), parent)
        self.referee.take(payload, own=True)
        self.entries.append(payload)

    def seat_all(self) -> None:
        for seat in self.referee.fold.seats:
            self.add(Aside((SeatTaken(seat, seat.title()),), seat))
            self.add(Aside((RandomnessCommitted(seat, digest_of(share_of(seat))),), seat))
        for seat in self.referee.fold.seats:
            self.add(Aside((RandomnessRevealed(seat, share_of(seat).hex()),), seat))

    def order(self, unit: str, order: str) -> None:
        seat = self.referee.fold.state.seat_of(unit)
        self.add(Aside((StandingOrder(unit, order),), seat, f"{seat}:order-{len(self.entries)}"))

    def begin(self) -> None:
        self.add(self.referee.begin(lambda: self.up))

    def answer(self, seat: str, picked: Picked) -> None:
        number = len(self.entries)
        self.add(self.referee.answer(seat, picked, f"{seat}:answer-{number}", lambda: self.up))

    def play(self, answering: Policy = lambda _state, asked: asked.default) -> Iterator[str]:
        """Play to the end; yield the seat before each of its answers."""
        while (ask := self.referee.ask) is not None:
            sealed = self.referee.fold.state.sealed
            seat = next(seat for seat in ask.seats if seat not in sealed)
            yield seat
            self.answer(seat, answering(believed(self.referee.fold.state, seat), ask.seats[seat]))
        self.add(Aside((SecretRevealed(self.secret.hex()),)))


def whole(
    rules: Ruleset, answering: Policy = lambda _state, asked: asked.default, scenario: str = "duel"
) -> MatchInMemory:
    """Return a match played to its end."""
    in_memory = MatchInMemory(rules, scenario)
    in_memory.seat_all()
    in_memory.begin()
    for _ in in_memory.play(answering):
        pass
    return in_memory


def press_on(_state: State, asked: Asked) -> Picked:
    """Return a policy that presses on whenever it may."""
    return Picked("press") if asked.choice("press") else asked.default


class Listener:
    """The frames that an audience's connection gets; it stands in for a socket.

    Args:
        deflates: whether it takes compressed frames. It reads them as a client does; `frames` has them as if they had come plain.
    """

    def __init__(self, *, deflates: bool = False) -> None:
        self.deflates = deflates
        self.frames: list[bytes] = []
        self.wire: list[bytes] = []
        """What was written to the socket."""
        self._inflater = zlib.decompressobj(wbits=-WINDOW_BITS)
        self.snapshot: Callable[[], bytes] | None = None
        self.clear = True
        """Whether the peer has read all that was sent."""
        self.closed = 0
        """The close code with which the server has ended the connection."""

    @property
    def connection(self) -> Connection:
        return cast("Connection", self)

    def publish(self, frame: bytes) -> None:
        self.wire.append(frame)
        found = parsed(frame)
        if found.rsv1:
            frame = framed(self._inflated(bytes(found.data) + b"\x00\x00\xff\xff"))
        self.frames.append(frame)

    def _inflated(self, data: bytes) -> bytes:
        """Inflate little by little, so that what refers beyond the window is refused."""
        parts = []
        while data:
            parts.append(self._inflater.decompress(data, 64))
            data = self._inflater.unconsumed_tail
        while part := self._inflater.decompress(b"", 64):
            parts.append(part)
        return b"".join(parts)

    def send(self, message: ServerMessage) -> None:
        self.publish(frame_of(message))

    async def close(self, code: int, reason: str) -> None:  # noqa: ARG002 - a connection's shape
        self.closed = code

    def catch_up(self, frames: list[bytes] | None) -> None:
        if frames is None:
            assert self.snapshot is not None
            frames = [self.snapshot()]
        for frame in frames:
            self.publish(frame)

    @property
    def messages(self) -> list[ServerMessage]:
        return [decode_server(payload(frame)) for frame in self.frames]

    @property
    def seqs(self) -> list[int]:
        return [message.seq for message in self.messages if isinstance(message, Snapshot | Update)]

    def prompt(self) -> Snapshot | Update:
        """Return the last message that opened or changed a prompt."""
        return [m for m in self.messages if isinstance(m, Snapshot | Update) and m.prompt is not None][-1]

    def view(self) -> object:
        """Return the view as a client has it: the snapshot with every patch merged in."""
        view: object = None
        for message in self.messages:
            if isinstance(message, Snapshot):
                view = unpack(pack(message.view), dict)
            elif isinstance(message, Update):
                view = merged(view, message.patch)
        return view


def payload(frame: bytes) -> bytes:
    """Return the payload of a websocket frame."""
    return bytes(parsed(frame).data)


def parsed(frame: bytes) -> Frame:
    """Return the bytes of a websocket frame as the library's frame, which is `rsv1` if it is compressed."""
    compressed = bool(frame[0] & COMPRESSED)
    reader = StreamReader()
    reader.feed_data(bytes((frame[0] & ~COMPRESSED,)) + frame[1:])
    parser = Frame.parse(reader.read_exact, mask=False)
    while True:
        try:
            next(parser)
        except StopIteration as done:
            found = cast("Frame", done.value)
            found.rsv1 = compressed
            return found


def merged(target: object, patch: object) -> object:
    """Return a value with a merge patch applied (RFC 7396, section 2)."""
    if not isinstance(patch, dict):
        return patch
    result = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merged(result.get(key), value)
    return result
