"""The entries of a match's log, and how they are encoded. Pure.

An entry is an `Envelope` as bytes: its number, its parent, its time, a salt, the hash of the entry before it, and a body.
`Opened` pins everything, `Stepped` is an answer with the dice and facts that followed, `Aside` changes only the desk;
`TakenBack` and `Rewound` go back, `Ended` ends the match outside its rules.

A log has one form (`server.matches.log.forms`), which its first entry names: `decode` reads an entry of it, `encode` writes one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import cast

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.codec import CodecError, pack, unpack
from client_protocol.view import Ending
from server.kernel.desk_facts import ClockRead, DeskFact, Said, StandingOrder
from server.kernel.dice import Taken
from server.kernel.facts import AnswerSealed, AnyFact, Fact
from server.kernel.setup_facts import SetupFact
from server.kernel.state import State
from server.matches.log.forms import NEWEST, TYPED, Form, form_of
from server.work.desk import Finding

START = bytes(32)
"""The previous hash of the first entry."""

SALT_BYTES = 16
"""Random bytes in each entry, so that its hash reveals nothing about it before it is published."""


POSITION = "position"
"""The scenario name of a match that began from a position set up by a player."""


class LogError(Finding):
    """An entry that is not valid at its place. `number` is that place, counted from 1."""

    def __init__(self, number: int, what: str) -> None:
        super().__init__(f"entry {number}: {what}")
        self.number = number
        self.what = what

    def __reduce__(self) -> tuple[type[LogError], tuple[int, str]]:
        """Support pickling, for other processes."""
        return type(self), (self.number, self.what)


class Stepped(Struct, frozen=True, gc=False, tag="step", omit_defaults=True, forbid_unknown_fields=True):
    """An answer and its consequences; without `picked` there was no answer, the rules began to run.

    `answer` is the store's answer id (seat and the client's own id). `boundary` counts the facts and rolls before the last
    boundary that was crossed. `version` is the rules' version where it is not that of the entries before. `clock` is how the
    clocks stand after it, `up` the up-time (ms) where there are none. `played` says why the server answered in the player's
    place: "time", "conceded".
    """

    seat: str = ""
    prompt: str = ""
    answer: str = ""
    picked: Picked | None = None
    rolls: tuple[Taken, ...] = ()
    facts: tuple[AnyFact | SetupFact, ...] = ()
    boundary: tuple[int, int] | None = None
    version: str = ""
    clock: ClockRead | None = None
    up: int = 0
    played: str = ""

    @property
    def sealing(self) -> str:
        """The seat whose answer this step only seals, because other seats are still being asked; otherwise ""."""
        return self.seat if len(self.facts) == 1 and isinstance(self.facts[0], AnswerSealed) else ""


class Aside(Struct, frozen=True, gc=False, tag="aside", omit_defaults=True, forbid_unknown_fields=True):
    """A change of the desk: a seat taken, randomness, an order, an offer, a clock, chat. `seat` is "" for spectators and for
    the server.
    """

    facts: tuple[DeskFact, ...]
    seat: str = ""
    answer: str = ""

    @property
    def private(self) -> bool:
        """Whether only its seat may notice it."""
        return all(isinstance(fact, StandingOrder) for fact in self.facts)

    @property
    def said(self) -> Said | None:
        """The line of chat in it, if it is one."""
        return self.facts[0] if len(self.facts) == 1 and isinstance(self.facts[0], Said) else None


class Forked(Struct, frozen=True, gc=False, forbid_unknown_fields=True):
    """The origin of a fork: after the entry `entry` of the match `match`, whose hash is `head` (hexadecimal). If that match
    was not over, `entry` is 0, to hide its number of entries; if it was not listed, `match` is "".
    """

    match: str
    entry: int
    head: str


class Opened(Struct, frozen=True, gc=False, tag="opened", omit_defaults=True, forbid_unknown_fields=True):
    """The first entry: it pins the edition, the rules' version and the whole position in which the match begins.

    `position` is the state as JSON, since the order of its maps is the roster's; `commitment` the SHA-256 of the dice secret.
    A listed match is shown on the start page. A fork has `forked`, and in `since` what had happened in the other match since
    the boundary of `position`: those dice are that match's. `form` is the number of the log's form: the first one, which is
    left out, had none.
    """

    match: str
    edition: str
    version: str
    scenario: str
    title: str
    position: str
    commitment: str
    listed: bool
    forked: Forked | None = None
    since: tuple[Stepped | Aside, ...] = ()
    form: int = 1

    @property
    def written_in(self) -> Form:
        """The form of the log that begins with this entry. Raises `LogError` if this server does not know it."""
        form = form_of(self.form, self.edition)
        if form is None:
            raise LogError(1, f"the match is written in form {self.form}; this server reads the forms 1 to {NEWEST}")
        return form

    def state(self) -> State:
        """Return the state in which the match begins. Raises `msgspec.DecodeError`, `LogError`."""
        return self.written_in.read_state(msgspec.json.decode(self.position, type=State))


class Rewound(Struct, frozen=True, gc=False, tag="rewound", forbid_unknown_fields=True):
    """The table is reset to the last boundary at or before the entry's parent; the desk stays.

    The dice counters run on: no die is used twice.
    """

    reason: str


class TakenBack(Struct, frozen=True, gc=False, tag="taken_back", omit_defaults=True, forbid_unknown_fields=True):
    """`seat` takes back: the table is reset to the state after the entry's parent; the desk stays, and the dice counters run
    on.

    `agreed` are the seats that consented; empty where the take-back was free. `clock` is the reading of the clocks: they do
    not turn back, but increments earned by undone decisions are given up.
    """

    seat: str
    answer: str = ""
    agreed: tuple[str, ...] = ()
    clock: ClockRead | None = None


class Ended(Struct, frozen=True, gc=False, tag="ended", omit_defaults=True, forbid_unknown_fields=True):
    """The match is over, and not by its rules: see `facts.MatchEnded`. `seat` is the one that claimed the game, if one did."""

    winner: str
    reason: str
    how: Ending
    seat: str = ""
    answer: str = ""


Change = Stepped | Aside
Body = Opened | Change | Rewound | TakenBack | Ended


class Envelope(Struct, frozen=True, gc=False, array_like=True, forbid_unknown_fields=True):
    """An entry: its number, its parent's, when it was made (ms since 1970), its salt, the hash of the entry before it."""

    number: int
    parent: int
    at: int
    salt: bytes
    prev: bytes
    body: Body


class _Divided(Struct, frozen=True, gc=False, array_like=True):
    """An entry of which the body is not read."""

    number: int
    parent: int
    at: int
    salt: bytes
    prev: bytes
    body: msgspec.Raw


_divided = msgspec.msgpack.Decoder(_Divided)


def digest(payload: bytes) -> bytes:
    """Return the hash of an entry, which the next entry holds."""
    return hashlib.sha256(payload).digest()


def opening(opened: Opened, at: int, salt: bytes) -> bytes:
    """Return the first entry of a log, which is begun in the newest form."""
    return encode(Envelope(1, 0, at, salt, START, replace(opened, form=NEWEST)), TYPED)


def position(state: State) -> str:
    """Return a state as `Opened` holds it."""
    return msgspec.json.encode(state).decode()


def decode(number: int, payload: bytes, form: Form = TYPED) -> Envelope:
    """Return the entry in `payload`, of a log in this form; a first entry names its own. Raises `LogError` if it holds none."""
    try:
        envelope = unpack(payload, Envelope)
    except CodecError as error:
        raise LogError(number, error.sentence) from error
    body = envelope.body
    form = body.written_in if isinstance(body, Opened) else form
    return envelope if form is TYPED else replace(envelope, body=_changed(body, form.read_fact))


def body_of(payload: bytes) -> bytes:
    """Return the bytes of the body in an entry, which was decoded before."""
    return bytes(_divided.decode(payload).body)


def decode_change(data: bytes, form: Form) -> Change:
    """Return the step or aside in the bytes of a body (see `body_of`), of a log in this form."""
    change = cast("Change", unpack(data, Change))
    return change if form is TYPED else cast("Change", _changed(change, form.read_fact))


def encode(envelope: Envelope, form: Form) -> bytes:
    """Return an entry as bytes, of a log in this form; a first entry names its own."""
    body = envelope.body
    form = body.written_in if isinstance(body, Opened) else form
    return pack(envelope if form is TYPED else replace(envelope, body=_changed(body, form.written_fact)))


def _changed(body: Body, change: Callable[[Fact], Fact]) -> Body:
    """Return a body with each fact of the rules in it changed."""
    if isinstance(body, Stepped):
        return replace(body, facts=tuple(map(change, body.facts)))
    if isinstance(body, Opened):
        return replace(body, since=tuple(_changed(inner, change) for inner in body.since))
    return body
