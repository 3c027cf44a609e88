"""The log of a match: what an entry is, and how entries fold into where the match stands. Pure.

An entry is an `Envelope` as bytes: its number, its parent, when, a salt, the hash of the entry before it, and a body. The
body is one of four: `Opened` pins everything, `Stepped` is an answer with the dice and facts that followed, `Aside` touches
only what lies beside the table, `Rewound` goes back to a boundary. Whoever has the entries has the match.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.codec import CodecError, pack, unpack
from server.kernel.belief import SPECTATORS, notices
from server.kernel.dice import Taken
from server.kernel.facts import (
    AnswerSealed,
    AnyFact,
    Fact,
    ForceBrought,
    RandomnessCommitted,
    RandomnessRevealed,
    Said,
    SeatTaken,
    SecretRevealed,
    StandingOrder,
)
from server.kernel.procedure import Happened
from server.kernel.state import State, Table

START = bytes(32)
"""What stands in the first entry in the place of the hash of the entry before it."""

SALT_BYTES = 16
"""How many random bytes each entry has, so that its hash gives nothing of it away before it is published."""

DeskFact = SeatTaken | ForceBrought | RandomnessCommitted | RandomnessRevealed | SecretRevealed | StandingOrder | Said
"""What an aside may hold: it lies beside the table, whatever runs there. Of all of it a procedure reads only forces and
standing orders.
"""


class LogError(Exception):
    """An entry that cannot stand where it stands. `number` is the entry's place, counted from 1."""

    def __init__(self, number: int, what: str) -> None:
        super().__init__(f"entry {number}: {what}")
        self.number = number
        self.what = what


class Opened(Struct, frozen=True, tag="opened", forbid_unknown_fields=True):
    """The first entry: it pins the edition, the rules' version and the whole position in which the match begins.

    `position` is the state as JSON, since the order of its maps is the roster's; `commitment` the SHA-256 of the dice
    secret. A listed match is shown on the start page.
    """

    match: str
    edition: str
    version: str
    scenario: str
    title: str
    position: str
    commitment: str
    listed: bool

    def state(self) -> State:
        """The state in which the match begins. Raises `msgspec.DecodeError`."""
        return msgspec.json.decode(self.position, type=State)


class Stepped(Struct, frozen=True, tag="step", omit_defaults=True, forbid_unknown_fields=True):
    """An answer and what came of it; with no `picked` nobody answered, the rules just began to run.

    `answer` is the store's answer id (seat and the client's own id). `boundary` counts the facts and rolls before the last
    boundary that was crossed. `version` is the rules' version where it is not that of the entries before.
    """

    seat: str = ""
    prompt: str = ""
    answer: str = ""
    picked: Picked | None = None
    rolls: tuple[Taken, ...] = ()
    facts: tuple[AnyFact, ...] = ()
    boundary: tuple[int, int] | None = None
    version: str = ""

    @property
    def sealing(self) -> str:
        """The seat whose answer this step only seals, because others are still being asked; else ""."""
        return self.seat if len(self.facts) == 1 and isinstance(self.facts[0], AnswerSealed) else ""


class Aside(Struct, frozen=True, tag="aside", omit_defaults=True, forbid_unknown_fields=True):
    """Something beside the table: a seat taken, randomness, an order, chat. `seat` is "" for watchers and for the server."""

    facts: tuple[DeskFact, ...]
    seat: str = ""
    answer: str = ""

    @property
    def private(self) -> bool:
        """Whether nobody but its seat may notice it."""
        return all(isinstance(fact, StandingOrder) for fact in self.facts)


class Rewound(Struct, frozen=True, tag="rewound", forbid_unknown_fields=True):
    """The table is as it was at the last boundary at or before the entry's parent; what lies beside it stays.

    The dice go on: none that has fallen falls again.
    """

    reason: str


Body = Opened | Stepped | Aside | Rewound


class Envelope(Struct, frozen=True, array_like=True, forbid_unknown_fields=True):
    """An entry: its number, its parent's, when it was made (ms since 1970), its salt, the hash of the entry before it."""

    number: int
    parent: int
    at: int
    salt: bytes
    prev: bytes
    body: Body


def digest(payload: bytes) -> bytes:
    """The hash by which the next entry names this one."""
    return hashlib.sha256(payload).digest()


def opening(opened: Opened, at: int, salt: bytes) -> bytes:
    """The first entry of a log."""
    return pack(Envelope(1, 0, at, salt, START, opened))


def position(state: State) -> str:
    """A state as `Opened` holds it."""
    return msgspec.json.encode(state).decode()


def decode(number: int, payload: bytes) -> Envelope:
    """The entry in `payload`. Raises `LogError` when there is none."""
    try:
        return unpack(payload, Envelope)
    except CodecError as error:
        raise LogError(number, error.sentence) from error


class Added(Struct, frozen=True):
    """An entry that a fold has taken in, the state before it, and the audiences for whom it makes a frame."""

    envelope: Envelope
    before: State
    noticing: tuple[str, ...]


class Fold:
    """Where a match stands after its entries so far: fed with them in order, it keeps what going on takes.

    Args:
        payload: the first entry.

    Raises:
        LogError: it is none, here or in `add`.
    """

    def __init__(self, payload: bytes) -> None:
        first = decode(1, payload)
        if first.number != 1 or first.parent != 0 or first.prev != START or not isinstance(first.body, Opened):
            raise LogError(1, "a log begins with the entry that opens the match")
        try:
            state = first.body.state()
        except msgspec.DecodeError as error:
            raise LogError(1, f"its position cannot be read: {error}") from error
        # The position is read, and is long; matches on equal tables share one.
        self.opened = replace(first.body, position="")
        state = replace(state, table=_shared(state.table))
        self.made_at = first.at
        self.seats = tuple(side.seat for side in state.sides.values())
        self.audiences = (*self.seats, SPECTATORS)
        self.number = 1
        self.head = digest(payload)
        self.version = first.body.version
        """The version of the rules that made the last step."""
        self.state = state
        self.boundary = state
        """The state at the last boundary, without the asides since."""
        self.boundary_entry = 1
        self.since: list[Happened] = []
        """The steps and asides since the boundary, for `kernel.procedure.rebuild`."""
        self.to_begin = True
        """Whether no step has been made since the boundary: the rules must begin to run."""
        self.branch = 1
        """The entry from which the current line runs: the first one, or the last rewind."""
        self.counters: dict[str, int] = {}
        self.answers: dict[str, int] = {}
        """The frame of its seat that an answer id made."""
        self.seqs: dict[str, int] = dict.fromkeys(self.audiences, 0)
        """The last frame of each audience's own sequence."""
        self.prompted: dict[str, int] = {}
        """The frame of each audience with which the open ask was opened; a prompt's id is made of it."""

    def prompt_id(self, seat: str) -> str:
        """The id of the prompt that is open to `seat`, if one is."""
        return str(self.prompted.get(seat, -1))

    @property
    def ready(self) -> bool:
        """Whether dice may fall: every seat is taken and has revealed its randomness."""
        desk = self.state.desk
        return all(seat in desk.players and seat in desk.randomness for seat in self.seats)

    def entry(self, body: Body, at: int, salt: bytes) -> bytes:
        """The entry that would come next with this body."""
        parent = self.boundary_entry if isinstance(body, Rewound) else self.number
        return pack(Envelope(self.number + 1, parent, at, salt, self.head, body))

    def add(self, payload: bytes) -> Added:
        """Take in the next entry."""
        number = self.number + 1
        envelope = decode(number, payload)
        self._check(number, envelope)
        body, before = envelope.body, self.state
        noticing = self._noticing(body)
        for audience in noticing:
            self.seqs[audience] += 1
        self.number = number
        self.head = digest(payload)
        if isinstance(body, Stepped):
            self._step(number, body)
        elif isinstance(body, Aside):
            self._aside(body)
        else:
            asides = [fact for happened in self.since if happened.aside for fact in happened.facts]
            self.state = self.boundary = folded(self.boundary, asides)
            self.since = []
            self.to_begin = True
            self.branch = number
            self.prompted = {}
        if isinstance(body, Stepped | Aside) and body.answer:
            self.answers[body.answer] = self.seqs.get(body.seat, -1)
        return Added(envelope, before, noticing)

    def _noticing(self, body: Body) -> tuple[str, ...]:
        if isinstance(body, Aside) and body.private:
            return tuple(audience for audience in self.audiences if audience == body.seat)
        seat = body.sealing if isinstance(body, Stepped) else ""
        if not seat:
            return self.audiences
        replaced = seat in self.state.sealed
        return tuple(audience for audience in self.audiences if notices(audience, seat, replaced))

    def _check(self, number: int, envelope: Envelope) -> None:
        if envelope.number != number:
            raise LogError(number, f"it calls itself entry {envelope.number}")
        if envelope.prev != self.head:
            raise LogError(number, "it does not carry the hash of the entry before it")
        body = envelope.body
        if isinstance(body, Opened):
            raise LogError(number, "a match is opened once")
        parent = self.boundary_entry if isinstance(body, Rewound) else self.number
        if envelope.parent != parent:
            raise LogError(number, f"its parent is {envelope.parent}, but it follows {parent}")
        if isinstance(body, Stepped) and (body.picked is None) != self.to_begin:
            raise LogError(number, "the rules begin once, and are answered after that")

    def _aside(self, body: Aside) -> None:
        """A procedure may be under way that has read orders already: run again, it must find them as it found them."""
        state = folded(self.state, body.facts)
        if self.to_begin:
            self.boundary = state
        elif state is not self.state:
            self.since.append(Happened((), body.facts, aside=True))
        self.state = state

    def _step(self, number: int, body: Stepped) -> None:
        for taken in body.rolls:
            if taken.first != self.counters.get(taken.stream, 0):
                raise LogError(number, f"die {taken.first} of stream {taken.stream!r} fell out of its turn")
            self.counters[taken.stream] = taken.first + len(taken.faces)
        self.version = body.version or self.version
        self.to_begin = False
        if body.boundary is None:
            self.state = folded(self.state, body.facts)
            self.since.append(Happened(body.rolls, body.facts, body.seat, body.picked))
        else:
            facts, rolls = body.boundary
            self.boundary = folded(self.state, body.facts[:facts])
            self.boundary_entry = number
            self.state = folded(self.boundary, body.facts[facts:])
            self.since = [Happened(body.rolls[rolls:], body.facts[facts:])]
        if not body.sealing:
            self.prompted = dict(self.seqs)


@lru_cache(maxsize=64)
def _shared(table: Table) -> Table:
    """One of all tables that are equal."""
    return table


def folded(state: State, facts: Sequence[Fact]) -> State:
    """`state` after `facts`."""
    for fact in facts:
        state = fact.fold(state)
    return state
