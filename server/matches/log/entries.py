"""What an entry of a match's log is, and how it is written and read. Pure.

An entry is an `Envelope` as bytes: its number, its parent, when, a salt, the hash of the entry before it, and a body. `Opened`
pins everything, `Stepped` is an answer with the dice and facts that followed, `Aside` touches only what lies beside the table;
`TakenBack` and `Rewound` go back, `Ended` ends the match beside the rules.
"""

from __future__ import annotations

import hashlib

import msgspec
from msgspec import Struct

from client_protocol.choices import Picked
from client_protocol.codec import CodecError, pack, unpack
from client_protocol.view import Ending
from server.kernel.desk_facts import ClockRead, DeskFact, Said, StandingOrder
from server.kernel.dice import Taken
from server.kernel.facts import AnswerSealed, AnyFact
from server.kernel.state import State
from server.work.desk import Finding

START = bytes(32)
"""What stands in the first entry in the place of the hash of the entry before it."""

SALT_BYTES = 16
"""How many random bytes each entry has, so that its hash gives nothing of it away before it is published."""


POSITION = "position"
"""The scenario of a match that was begun from a position that somebody set up."""


class LogError(Finding):
    """An entry that cannot stand where it stands. `number` is the entry's place, counted from 1."""

    def __init__(self, number: int, what: str) -> None:
        super().__init__(f"entry {number}: {what}")
        self.number = number
        self.what = what

    def __reduce__(self) -> tuple[type[LogError], tuple[int, str]]:
        """Return what makes it again in another process."""
        return type(self), (self.number, self.what)


class Stepped(Struct, frozen=True, tag="step", omit_defaults=True, forbid_unknown_fields=True):
    """An answer and what came of it; with no `picked` nobody answered, the rules just began to run.

    `answer` is the store's answer id (seat and the client's own id). `boundary` counts the facts and rolls before the last
    boundary that was crossed. `version` is the rules' version where it is not that of the entries before. `clock` is how the
    clocks stand after it, `up` the up-time (ms) where there are none. `played` says why it was not the player who answered:
    "time", "conceded".
    """

    seat: str = ""
    prompt: str = ""
    answer: str = ""
    picked: Picked | None = None
    rolls: tuple[Taken, ...] = ()
    facts: tuple[AnyFact, ...] = ()
    boundary: tuple[int, int] | None = None
    version: str = ""
    clock: ClockRead | None = None
    up: int = 0
    played: str = ""

    @property
    def sealing(self) -> str:
        """The seat whose answer this step only seals, because others are still being asked; else ""."""
        return self.seat if len(self.facts) == 1 and isinstance(self.facts[0], AnswerSealed) else ""


class Aside(Struct, frozen=True, tag="aside", omit_defaults=True, forbid_unknown_fields=True):
    """Something beside the table: a seat taken, randomness, an order, an offer, a clock, chat. `seat` is "" for watchers and for
    the server.
    """

    facts: tuple[DeskFact, ...]
    seat: str = ""
    answer: str = ""

    @property
    def private(self) -> bool:
        """Whether nobody but its seat may notice it."""
        return all(isinstance(fact, StandingOrder) for fact in self.facts)

    @property
    def said(self) -> Said | None:
        """The line of chat that it is, if it is one."""
        return self.facts[0] if len(self.facts) == 1 and isinstance(self.facts[0], Said) else None


class Forked(Struct, frozen=True, forbid_unknown_fields=True):
    """Where a match goes on from: after the entry `entry` of the match `match`, whose hash is `head` (hexadecimal). While that
    match went on, its entries' number was not told (0), nor, of one that was not listed, its id ("").
    """

    match: str
    entry: int
    head: str


class Opened(Struct, frozen=True, tag="opened", omit_defaults=True, forbid_unknown_fields=True):
    """The first entry: it pins the edition, the rules' version and the whole position in which the match begins.

    `position` is the state as JSON, since the order of its maps is the roster's; `commitment` the SHA-256 of the dice
    secret. A listed match is shown on the start page. A match that goes on from another one has `forked`, and in `since` what
    had happened there since the boundary at which `position` is: its dice are that match's.
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

    def state(self) -> State:
        """The state in which the match begins. Raises `msgspec.DecodeError`."""
        return msgspec.json.decode(self.position, type=State)


class Rewound(Struct, frozen=True, tag="rewound", forbid_unknown_fields=True):
    """The table is as it was at the last boundary at or before the entry's parent; what lies beside it stays.

    The dice go on: none that has fallen falls again.
    """

    reason: str


class TakenBack(Struct, frozen=True, tag="taken_back", omit_defaults=True, forbid_unknown_fields=True):
    """`seat` takes back: the table is as it was after the entry's parent; what lies beside it stays, and the dice go on.

    `agreed` are the seats that consented; none where it was free. `clock` is how the clocks stand then: they do not turn back,
    but what was earned by what is undone is given up.
    """

    seat: str
    answer: str = ""
    agreed: tuple[str, ...] = ()
    clock: ClockRead | None = None


class Ended(Struct, frozen=True, tag="ended", omit_defaults=True, forbid_unknown_fields=True):
    """The match is over, and not by its rules: see `facts.MatchEnded`. `seat` is the one that claimed it, if one did."""

    winner: str
    reason: str
    how: Ending
    seat: str = ""
    answer: str = ""


Body = Opened | Stepped | Aside | Rewound | TakenBack | Ended


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
