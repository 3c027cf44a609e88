"""The fold of a match's log: the state after its entries, with everything that playing on needs. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from functools import lru_cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from server.kernel.belief import SPECTATORS, Audience, notices
from server.kernel.desk_facts import ClockRead, Offered
from server.kernel.facts import MatchEnded
from server.kernel.procedure import Happened
from server.kernel.state import State, Table
from server.matches.log.answers import Answers
from server.matches.log.audiences import speaker
from server.matches.log.entries import (
    START,
    Aside,
    Body,
    Ended,
    Envelope,
    LogError,
    Opened,
    Rewound,
    Stepped,
    TakenBack,
    decode,
    digest,
    encode,
)
from server.matches.log.life import concluded_at, shows_life
from server.matches.log.trail import Mark, Moment, Trail, Tried, after_aside, after_step, folded, mark
from server.work.slicing import Sliced

FOLDED_AT_ONCE = 50
"""How many entries are folded between two pauses."""


class Added(Struct, frozen=True, gc=False):
    """An entry that a fold has taken in, the state before it, and the audiences that get a frame for it."""

    envelope: Envelope
    before: State
    noticing: tuple[Audience, ...]


class Coming(Struct, frozen=True, gc=False):
    """An entry that is on its way to the log: its bytes, what adding it comes to, and the fold as it will be then."""

    payload: bytes
    added: Added
    fold: Fold


class Fold:
    """The state of a match after its entries so far, which are added in order.

    Args:
        payload: the first entry.

    Raises:
        LogError: the entry is invalid, here or in `add`.
    """

    def __init__(self, payload: bytes) -> None:
        first = decode(1, payload)
        if first.number != 1 or first.parent != 0 or first.prev != START or not isinstance(first.body, Opened):
            raise LogError(1, "a log begins with the entry that opens the match")
        try:
            state = _position(first.body)
        except msgspec.DecodeError as error:
            raise LogError(1, f"its position cannot be read: {error}") from error
        # The position has been read, and is long.
        self.opened = replace(first.body, position="", since=())
        self.form = first.body.written_in
        """The form in which the log is written, to its last entry."""
        self.made_at = first.at
        self.seats = tuple(side.seat for side in state.sides.values())
        self.audiences: tuple[Audience, ...] = (*self.seats, SPECTATORS)
        self.number = 1
        self.head = digest(payload)
        self._chain = bytearray(self.head)
        """The hashes of all entries, concatenated."""
        self.version = first.body.version
        """The version of the rules that made the last step."""
        self._moment = Moment(state, state, 1, 1, to_begin=True)
        self.branch = 1
        """The entry from which the current line runs: the first one, or the last rewind."""
        self.counters: dict[str, int] = {}
        self.answers = Answers()
        """The answers so far."""
        self.seqs: dict[Audience, int] = dict.fromkeys(self.audiences, 0)
        """The number of each audience's last frame."""
        self.heads: dict[Audience, bytes] = dict.fromkeys(self.audiences, self.head)
        """The hash of the entry that made each audience's last frame. An audience is not told the hashes of later entries,
        which would reveal that there are some.
        """
        self.prompted: dict[Audience, int] = {}
        """The frame of each audience at which the open ask was asked; a prompt's id is made of it."""
        self.decided_at = first.at
        """When the open ask was asked, or the match ended (ms since 1970)."""
        self.up = 0
        """The up-time of the last step, or when the last seat became ready (ms)."""
        self.lived_at = first.at
        """When the last entry came that shows that the match is played (ms since 1970); see `life`."""
        self.concludes = 0
        """When the match is concluded if it is not played before (ms since 1970); 0 while no date was told."""
        self.offered = 0
        """How many offers have been made."""
        for body in first.body.since:
            self._inherit(body)
        self._trail = Trail.begin(self._moment, first.body.since, self.form)
        self._coming: Coming | None = None

    def prompt_id(self, seat: str) -> str:
        """Return the id of the prompt that is open to `seat`, or ""."""
        return str(self.prompted.get(seat, -1))

    @property
    def state(self) -> State:
        """The state after the last entry."""
        return self._moment.state

    @property
    def boundary(self) -> State:
        """The state at the last boundary, without the asides since."""
        return self._moment.boundary

    @property
    def boundary_entry(self) -> int:
        """The entry that crossed the last boundary."""
        return self._moment.boundary_entry

    @property
    def to_begin(self) -> bool:
        """Whether no step was made since the boundary, so that the rules must begin to run."""
        return self._moment.to_begin

    @property
    def since(self) -> list[Happened]:
        """The steps and asides since the boundary, for `kernel.procedure.rebuild`. They are read again each time."""
        return self._trail.since(self._moment, self.number)

    @property
    def marks(self) -> Sequence[Mark]:
        """The last steps on the current line: those to which the match can go back, and one more."""
        return self._trail.marks

    def frame(self, mark_: Mark, audience: Audience) -> int:
        """Return the number of an audience's last frame at a mark; -1 for one that the match does not have."""
        return mark_.seqs[self.audiences.index(audience)] if audience in self.audiences else -1

    def at(self, mark_: Mark) -> tuple[State, list[Happened]]:
        """Return the boundary before a mark, and what had happened since."""
        moment = self._trail.after(mark_.number)
        return moment.boundary, self._trail.since(moment, mark_.number)

    def steps_after(self, number: int) -> Iterator[tuple[State, Stepped]]:
        """Yield the steps after that of the mark of this number and the state before each, without those that only seal an
        answer.
        """
        return self._trail.steps(number)

    @property
    def ready(self) -> bool:
        """Whether dice may be rolled: every seat is taken and, but for those of programs, has revealed its randomness."""
        desk = self.state.desk
        return all(
            seat in desk.players and (seat in desk.randomness or seat in desk.uncontrolled) for seat in self.seats
        )

    @property
    def commitment(self) -> str:
        """The SHA-256 of the secret that the dice derive from now."""
        return self.state.desk.commitment or self.opened.commitment

    def holds(self, head: bytes) -> bool:
        """Return whether an entry so far has this hash: if so, the log up to it is the one that the holder of the hash was
        told of.
        """
        place = self._chain.find(head)
        while place >= 0 and place % len(START):
            place = self._chain.find(head, place + 1)
        return place >= 0 and len(head) == len(START)

    def entry(self, body: Body, at: int, salt: bytes, parent: int = 0) -> bytes:
        """Return the next entry, with this body; `parent` is where a take-back goes to."""
        if isinstance(body, Rewound):
            parent = self.boundary_entry
        return encode(Envelope(self.number + 1, parent or self.number, at, salt, self.head, body), self.form)

    def keep_small(self) -> None:
        """Compress what is kept for going back, now and from now on: for a match that is played."""
        self._trail.pack()

    def expect(self, payload: bytes, tried: Tried | None = None) -> Coming:
        """Return what adding an entry will come to that may become the next one, and keep that until an entry is added."""
        apart = copy(self)
        self._coming = Coming(payload, apart.add_apart(payload, tried), apart)
        return self._coming

    def __copy__(self) -> Fold:
        # As `copy` does it, and in less time.
        made = Fold.__new__(Fold)
        made.__dict__.update(self.__dict__)
        return made

    def add_apart(self, payload: bytes, tried: Tried | None) -> Added:
        """Add the next entry to a copy of a fold. It goes on sharing the hashes of all entries and the answers, which do not get
        those of this one.
        """
        self.counters, self.seqs, self.heads = self.counters.copy(), self.seqs.copy(), self.heads.copy()
        self._trail = self._trail.copy()
        self._coming = None
        return self._add(payload, tried)

    def add(self, payload: bytes, tried: Tried | None = None) -> Added:
        """Add the next entry. `tried` is what a run has come to that has just made this step on the state as it stands."""
        coming, self._coming = self._coming, None
        if coming is not None and coming.payload is payload:
            self.__dict__.update(coming.fold.__dict__)
            added = coming.added
        else:
            added = self._add(payload, tried)
        self._chain += self.head
        body = added.envelope.body
        if not isinstance(body, Opened | Rewound) and body.answer:
            self.answers.add(body.answer, self.seqs.get(speaker(body.seat), -1))
        return added

    def _add(self, payload: bytes, tried: Tried | None) -> Added:
        number = self.number + 1
        envelope, head = decode(number, payload, self.form), digest(payload)
        self._check(number, envelope)
        body, before = envelope.body, self.state
        sealing = body.sealing if isinstance(body, Stepped) else ""
        noticing = self._noticing(body, sealing)
        self.number = number
        self.head = head
        for audience in noticing:
            self.seqs[audience] += 1
            self.heads[audience] = head
        if isinstance(body, Stepped):
            self._step(number, payload, body, sealing, tried)
            if not sealing:
                self.decided_at = envelope.at
        elif isinstance(body, Aside):
            self._aside(number, payload, body)
        elif isinstance(body, TakenBack):
            self._take_back(envelope.parent, number, body)
            self.decided_at = envelope.at
        elif isinstance(body, Ended):
            closed = replace(self.state, sealed={}, desk=replace(self.state.desk, offers={}))
            self._begin_at(number, MatchEnded(body.winner, body.reason, "", body.how).fold(closed))
            self._trail.begin_at(number, self._moment)
            self.decided_at = envelope.at
        else:
            self._begin_at(number, replace(self.boundary, desk=self.state.desk))
            self._trail.go_back(envelope.parent - 1, number, self._moment)
        if len(noticing) == len(self.audiences) and shows_life(body):
            self.lived_at, self.concludes = envelope.at, 0
        else:
            self.concludes = concluded_at(body) or self.concludes
        return Added(envelope, before, noticing)

    def _noticing(self, body: Body, sealing: str) -> tuple[Audience, ...]:
        if isinstance(body, Aside):
            if body.private:
                return tuple(audience for audience in self.audiences if audience == speaker(body.seat))
            said = body.said
            return self.audiences if said is None else hearing(self.state, said.seat, said.heard_on)
        if not sealing:
            return self.audiences
        replaced = sealing in self.state.sealed
        return tuple(audience for audience in self.audiences if notices(audience, sealing, replaced))

    def _check(self, number: int, envelope: Envelope) -> None:
        if envelope.number != number:
            raise LogError(number, f"it calls itself entry {envelope.number}")
        if envelope.prev != self.head:
            raise LogError(number, "it does not carry the hash of the entry before it")
        body = envelope.body
        if isinstance(body, Opened):
            raise LogError(number, "a match is opened once")
        if isinstance(body, TakenBack):
            if not any(known.number == envelope.parent for known in self.marks):
                raise LogError(number, f"the match cannot go back to entry {envelope.parent}")
            return
        parent = self.boundary_entry if isinstance(body, Rewound) else self.number
        if envelope.parent != parent:
            raise LogError(number, f"its parent is {envelope.parent}, but it follows {parent}")
        if isinstance(body, Stepped) and (body.picked is None) != self.to_begin:
            raise LogError(number, "the rules begin once, and are answered after that")

    def _inherit(self, body: Stepped | Aside) -> None:
        """Fold what had happened in the match from which this one was forked."""
        moment = self._moment
        to_begin = moment.to_begin and isinstance(body, Aside)
        self._moment = Moment(folded(moment.state, body.facts), moment.boundary, 1, 1, to_begin)
        if isinstance(body, Stepped) and not body.sealing:
            self.prompted = dict(self.seqs)

    def _aside(self, number: int, payload: bytes, body: Aside) -> None:
        after = after_aside(self._moment, number, body)
        self.offered += sum(isinstance(fact, Offered) for fact in body.facts)
        if not self.ready:
            self.up = next((fact.at for fact in body.facts if isinstance(fact, ClockRead)), self.up)
        if after is not self._moment:
            self._moment = after
            self._trail.aside(number, payload)

    def _step(self, number: int, payload: bytes, body: Stepped, sealing: str, tried: Tried | None) -> None:
        for taken in body.rolls:
            if taken.first != self.counters.get(taken.stream, 0):
                raise LogError(number, f"die {taken.first} is not the next one of stream {taken.stream!r}")
            self.counters[taken.stream] = taken.first + len(taken.faces)
        before = self.state
        self.version = body.version or self.version
        self.up = body.up or self.up
        if body.clock is not None:
            self.up = body.clock.at
        self._moment = after = after_step(self._moment, number, body, tried)
        if sealing:
            self._trail.step(number, payload, after, None)
        else:
            self.prompted = dict(self.seqs)
            self._trail.step(number, payload, after, mark(number, body, before, after, tuple(self.seqs.values())))

    def _take_back(self, to: int, number: int, body: TakenBack) -> None:
        """Go back to the state after the entry `to`; the desk stays as it is."""
        moment, desk = self._trail.after(to), self.state.desk
        offers = {key: offer for key, offer in desk.offers.items() if offer.kind != "take_back"}
        state = replace(moment.state, desk=replace(desk, offers=offers))
        if body.clock is not None:
            state = body.clock.fold(state)
        self._moment = replace(moment, state=state)
        self._trail.go_back(to, number, self._moment)
        self.prompted = dict(self.seqs)

    def _begin_at(self, number: int, state: State) -> None:
        """Stand at the boundary `state`, where the rules begin to run again, if they have anything to do there."""
        self._moment = Moment(state, state, self.boundary_entry, number + 1, to_begin=True)
        self.branch = number
        self.prompted = {}


def folding(fold: Fold, payloads: Sequence[bytes]) -> Sliced[None]:
    """Add the next entries, with pauses. Raises `LogError`."""
    for count, payload in enumerate(payloads, 1):
        fold.add(payload)
        if count % FOLDED_AT_ONCE == 0:
            yield


def hearing(state: State, seat: str, channel: str) -> tuple[Audience, ...]:
    """Return the audiences that hear what `seat` ("" for a spectator) says on `channel`."""
    seats = tuple(side.seat for side in state.sides.values())
    if channel == "side":
        return (speaker(seat),)
    if channel == "spectators" and state.result is None:
        return (SPECTATORS,)
    return (*seats, SPECTATORS)


def _position(opened: Opened) -> State:
    """Return the state in which a match begins. Matches that begin alike share it, and what they do not change of it."""
    # Of the entry, only what the state depends on.
    alike = replace(
        opened, match="", version="", scenario="", title="", commitment="", listed=False, forked=None, since=()
    )
    state = _read(alike)
    return replace(state, table=_shared(state.table))


@lru_cache(maxsize=32)
def _read(opened: Opened) -> State:
    return opened.state()


@lru_cache(maxsize=64)
def _shared(table: Table) -> Table:
    """Return one shared instance of all equal tables."""
    return table
