"""What goes to an audience's peers: compressed once for all of them, and never so that a length tells a secret."""

from __future__ import annotations

import random

import pytest

from client_protocol import codec
from client_protocol.from_server import Snapshot, Update
from client_protocol.view import Story
from server.gateway.broadcast import NEWCOMERS_WAIT, Audience, Broadcast
from server.gateway.connection import framed
from server.gateway.deflate import QUICK, THOROUGH, Context, Effort, deflated
from server.kernel.belief import SPECTATORS
from server.matches.log.audiences import text_of
from server.matches.projections.frames import Frame
from tests.gateway.fakes import FakeRoom
from tests.support.playing import Listener, parsed

WORDS = "The squad moves out of the wood, across the lane and up to the wall of the farm."


class Told:
    """An audience that is told one line after the other."""

    def __init__(self, audience: str = "blue") -> None:
        self.room = FakeRoom("m")
        self.audience = Audience(lambda: self.room.snapshot(audience), spectators=not audience)

    def enter(self, since: int = -1, *, deflates: bool = True) -> Listener:
        listener = Listener(deflates=deflates)
        self.audience.enter(listener.connection, since, self.room.seq)
        return listener

    def tell(self, text: str = WORDS, *, private: bool = False, chat: bool = False) -> None:
        self.send(self.line(text, chat=chat), private=private)

    def line(self, text: str, *, chat: bool = False) -> Update:
        """Return the next frame, with a line."""
        line = Story("chat", text, channel="table", speaker="red") if chat else Story("move", text)
        return Update(self.room.seq + 1, story=(line,))

    def send(self, update: Update, *, private: bool = False) -> None:
        self.room.seq = update.seq
        self.audience.publish(update.seq, update, private=private)


def compressed(frame: bytes) -> bool:
    return parsed(frame).rsv1


def texts(listener: Listener) -> list[str]:
    return [line.text for message in listener.messages if isinstance(message, Update) for line in message.story]


def test_a_frame_refers_to_those_before_it() -> None:
    told = Told()
    listener = told.enter()
    for _ in range(2):
        told.tell()
    first, second = listener.wire[1:]
    assert compressed(first)
    assert compressed(second)
    assert len(second) < len(first) / 2 < len(framed(codec.encode(listener.messages[-1]))) / 2
    assert texts(listener) == [WORDS, WORDS]


def test_a_frame_that_was_prepared_is_sent_as_one_that_was_not() -> None:
    """Whatever happens in between: peers come and go, frames go out plain, and others come than were prepared."""
    chance = random.Random(4)
    plain, prepared = Told(), Told()
    peers: list[tuple[Listener, Listener]] = []
    for number in range(400):
        private, chat = chance.random() < 0.1, chance.random() < 0.1
        if chance.random() < 0.2:
            deflates = chance.random() < 0.8
            peers.append((plain.enter(deflates=deflates), prepared.enter(deflates=deflates)))
        ready = prepared.line(f"{number}: {WORDS}", chat=chat)
        if chance.random() < 0.8:
            prepared.audience.prepare(ready, private=private)
        if peers and chance.random() < 0.2:
            leaving = peers.pop(chance.randrange(len(peers)))
            for told, listener in zip((plain, prepared), leaving, strict=True):
                told.audience.leave(listener.connection)
        if chance.random() < 0.2:
            ready = prepared.line(f"{number}, after all: {WORDS}", chat=chat)
        prepared.send(ready, private=private)
        plain.send(ready, private=private)
        for one, other in peers:
            assert one.wire == other.wire
    assert peers, "some are still there"


def test_a_frame_whose_entry_is_known_early_to_be_in_the_log_comes_once_and_in_its_place() -> None:
    """Whatever happens until it is published: peers come and go, and some do not read."""
    chance = random.Random(5)
    late, early = Told(), Told()
    peers: list[tuple[Listener, Listener]] = []

    def come_and_go() -> None:
        if chance.random() < 0.2:
            deflates = chance.random() < 0.8
            peers.append((late.enter(deflates=deflates), early.enter(deflates=deflates)))
        if peers and chance.random() < 0.2:
            leaving = peers.pop(chance.randrange(len(peers)))
            for told, listener in zip((late, early), leaving, strict=True):
                told.audience.leave(listener.connection)

    ahead = 0
    for number in range(400):
        private, chat = chance.random() < 0.1, chance.random() < 0.1
        come_and_go()
        ready = early.line(f"{number}: {WORDS}", chat=chat)
        if chance.random() < 0.9:
            early.audience.prepare(ready, private=private)
            come_and_go()
            for _, listener in peers:
                listener.clear = chance.random() < 0.8
            early.audience.send_prepared()
            ahead += sum(len(other.frames) > len(one.frames) for one, other in peers)
            come_and_go()
        early.send(ready, private=private)
        late.send(ready, private=private)
        for one, other in peers:
            assert one.frames == other.frames
    assert ahead > 300


def test_a_frame_that_was_prepared_and_did_not_come_is_never_sent() -> None:
    room = FakeRoom("m")
    broadcast = Broadcast(lambda audience: room.snapshot(str(audience)))
    red, blue = Listener(), Listener()
    for seat, listener in (("red", red), ("blue", blue)):
        broadcast.enter(seat, listener.connection, -1, 0)
    lost, comes = (Update(1, story=(Story("move", text),)) for text in ("Lost.", "It comes."))
    broadcast.prepare([Frame("red", 1, lost)])
    broadcast.prepare([Frame("blue", 1, comes)])
    broadcast.send_prepared()
    assert texts(red) == []
    assert texts(blue) == ["It comes."]
    broadcast.publish([Frame("red", 1, comes), Frame("blue", 1, comes)])
    assert texts(red) == texts(blue) == ["It comes."]


def test_players_get_a_prepared_frame_before_it_is_published_and_spectators_do_not() -> None:
    room = FakeRoom("m")
    broadcast = Broadcast(lambda audience: room.snapshot(text_of(audience)))
    red, spectator = Listener(), Listener()
    broadcast.enter("red", red.connection, -1, 0)
    broadcast.enter(SPECTATORS, spectator.connection, -1, 0)
    frames = [Frame(audience, 1, Update(1, story=(Story("move", WORDS),))) for audience in ("red", SPECTATORS)]
    broadcast.prepare(frames)
    broadcast.send_prepared()
    assert texts(red) == [WORDS]
    assert texts(spectator) == []
    broadcast.publish(frames)
    assert texts(red) == texts(spectator) == [WORDS]


def test_all_peers_that_are_in_step_get_the_same_bytes() -> None:
    told = Told("")
    listeners = [told.enter() for _ in range(3)]
    for _ in range(3):
        told.tell()
    assert len({id(listener.wire[-1]) for listener in listeners}) == 1
    assert all(texts(listener) == [WORDS] * 3 for listener in listeners)


def test_a_peer_that_takes_no_compressed_frames_gets_none() -> None:
    told = Told("")
    plain, other = told.enter(deflates=False), told.enter()
    told.tell()
    assert not any(map(compressed, plain.wire))
    assert texts(plain) == texts(other) == [WORDS]


def test_a_newcomer_reads_each_frame_and_is_in_step_after_some() -> None:
    told = Told("")
    first = told.enter()
    told.tell()
    second = told.enter()
    for number in range(NEWCOMERS_WAIT):
        told.tell(f"{WORDS} {number}")
        if number < NEWCOMERS_WAIT - 1:
            assert len(first.wire[-1]) < len(second.wire[-1])
    assert first.wire[-1] is second.wire[-1]
    told.tell()
    assert first.wire[-1] is second.wire[-1]
    assert texts(first)[1:] == texts(second)


@pytest.mark.parametrize(("audience", "effort"), [("blue", QUICK), ("", THOROUGH)])
def test_nothing_refers_beyond_the_window(audience: str, effort: Effort) -> None:
    told = Told(audience)
    listener = told.enter()
    noise = random.Random(1).randbytes(effort.window).hex()
    said = [WORDS, noise[: effort.window], WORDS, WORDS + noise + WORDS, WORDS]
    for text in said:
        told.tell(text)
    assert texts(listener) == said
    sizes = [len(frame) for frame in listener.wire[1:]]
    assert sizes[4] < sizes[2] / 2


@pytest.mark.parametrize("effort", [QUICK, THOROUGH])
def test_a_context_holds_no_more_than_the_window(effort: Effort) -> None:
    context = Context(effort)
    for number in range(100):
        context.add(bytes([number]) * (1 + effort.window if number % 50 == 49 else 1000))
        assert context.size == sum(map(len, context._payloads))
        assert context.size <= effort.window
    assert context.size == effort.window


def test_a_context_ends_with_the_last_peer_that_has_it() -> None:
    told = Told()
    first = told.enter()
    told.tell()
    told.audience.leave(first.connection)
    assert not told.audience._context.size
    second = told.enter(since=0)
    told.tell()
    assert texts(second) == [WORDS, WORDS]


def test_chat_is_never_compressed_and_never_referred_to() -> None:
    told = Told()
    listener = told.enter()
    told.tell("Nothing here.")
    told.tell(chat=True)
    told.tell()
    chat, after = listener.wire[-2:]
    assert not compressed(chat)
    assert WORDS.encode() in chat
    assert compressed(after)
    other = Told()
    same = other.enter()
    other.tell("Nothing here.")
    other.room.seq += 1  # as if nothing had been said
    other.tell()
    assert same.wire[-1] == after
    assert texts(listener) == ["Nothing here.", WORDS, WORDS]


@pytest.mark.parametrize("audience", ["blue", ""])
def test_only_snapshots_for_spectators_are_compressed(audience: str) -> None:
    listener = Told(audience).enter()
    assert compressed(listener.wire[0]) is (audience == "")
    assert isinstance(listener.messages[0], Snapshot)


def test_what_was_missed_comes_plain_and_makes_a_newcomer() -> None:
    told = Told()
    told.enter()
    for _ in range(3):
        told.tell()
    listener = told.enter(since=1)
    assert not any(map(compressed, listener.wire))
    told.tell()
    assert compressed(listener.wire[-1])
    assert texts(listener) == [WORDS] * 3


@pytest.mark.parametrize("private", [False, True])
def test_what_some_audience_does_not_notice_goes_out_plain(private: bool) -> None:
    room = FakeRoom("m")
    broadcast = Broadcast(lambda _viewer: room.snapshot("blue"))
    listener = Listener(deflates=True)
    broadcast.enter("blue", listener.connection, -1, 0)
    broadcast.publish([Frame("blue", 1, Update(1, story=(Story("move", WORDS),)), private)])
    assert compressed(listener.wire[-1]) is not private
    assert texts(listener) == [WORDS]


def test_a_compressed_message_is_the_same_in_every_context_that_ends_alike() -> None:
    message, tail = WORDS.encode() * 3, WORDS.encode()
    heads = ((b"The squad holds.",), (b"The farm burns.", b"", b"Smoke."), ())
    wire = set()
    for head in heads:
        context = Context(Effort(window=len(tail) - 10, level=6))
        for payload in (*head[:-1], b"".join(head[-1:]) + tail):
            context.add(payload)
        wire.add(context.deflated(message))
    (alike,) = wire
    assert len(alike) < len(deflated(message))
