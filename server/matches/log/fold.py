"""The fold of a match's log: the state after its entries, with everything that playing on needs. Pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from functools import lru_cache

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from server.kernel.belief import SPECTATORS, Audience, notices
from server.kernel.desk_facts import ClockRead, DeskFact, Offered
from server.kernel.facts import Fact, MatchEnded
from server.kernel.procedure import Happened
from server.kernel.state import Desk, Offer, State, Table
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
from server.work.slicing import Sliced

FOLDED_AT_ONCE = 25
"""How many entries are folded between two pauses."""
CHECKED = False
"""Whether states that a run hands on are compared with the folded ones: in tests."""
KEPT = 33
"""How many of the last steps are kept, each with its state: those that a match can go back to, and one more."""


class Added(Struct, frozen=True):
    """An entry that a fold has taken in, the state before it, and the audiences that get a frame for it."""

    envelope: Envelope
    before: State
    noticing: tuple[Audience, ...]


class Mark(Struct, frozen=True):
    """A match after a step to which it may go back: the step, the state before and after it, the last boundary and what had
    happened since, and each audience's last frame.
    """

    number: int
    step: Stepped
    before: State
    state: State
    boundary: State
    boundary_entry: int
    since: Sequence[Happened]
    length: int
    seqs: dict[Audience, int]


class Tried(Struct, frozen=True):
    """What a run has come to: the state at the last boundary and the state now, which are those that its facts make of the
    state before, but for the desk. The rules have not touched the desk.
    """

    boundary: State
    state: State

    def made(self, state: State, step: Stepped) -> tuple[State, State]:
        """Return the same as `_made`, with the desk of the `state` before."""
        boundary = state if step.boundary is None else _on_desk(self.boundary, state.desk)
        return boundary, _on_desk(self.state, state.desk)


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
            state = first.body.state()
        except msgspec.DecodeError as error:
            raise LogError(1, f"its position cannot be read: {error}") from error
        # The position has been read, and is long; matches on equal tables share one.
        self.opened = replace(first.body, position="", since=())
        self.form = first.body.written_in
        """The form in which the log is written, to its last entry."""
        state = replace(state, table=_shared(state.table))
        self.made_at = first.at
        self.seats = tuple(side.seat for side in state.sides.values())
        self.audiences: tuple[Audience, ...] = (*self.seats, SPECTATORS)
        self.number = 1
        self.head = digest(payload)
        self._chain = bytearray(self.head)
        """The hashes of all entries, concatenated."""
        self.version = first.body.version
        """The version of the rules that made the last step."""
        self.state = state
        self.boundary = state
        """The state at the last boundary, without the asides since."""
        self.boundary_entry = 1
        self.since: list[Happened] = []
        """The steps and asides since the boundary, for `kernel.procedure.rebuild`."""
        self.to_begin = True
        """Whether no step was made since the boundary, so that the rules must begin to run."""
        self.branch = 1
        """The entry from which the current line runs: the first one, or the last rewind."""
        self.counters: dict[str, int] = {}
        self.answers: dict[str, int] = {}
        """The frame of its seat that an answer made, by answer id."""
        self.seqs: dict[Audience, int] = dict.fromkeys(self.audiences, 0)
        """The number of each audience's last frame."""
        self.heads: dict[Audience, bytes] = dict.fromkeys(self.audiences, self.head)
        """The hash of the entry that made each audience's last frame. An audience is not told the hashes of later entries,
        which would reveal that there are some.
        """
        self.prompted: dict[Audience, int] = {}
        """The frame of each audience at which the open ask was asked; a prompt's id is made of it."""
        self.marks: deque[Mark] = deque(maxlen=KEPT)
        """The last steps on the current line."""
        self.decided_at = first.at
        """When the open ask was asked, or the match ended (ms since 1970)."""
        self.up = 0
        """The up-time of the last step, or when the last seat became ready (ms)."""
        self.offered = 0
        """How many offers have been made."""
        self._asides: deque[tuple[int, tuple[DeskFact, ...]]] = deque()
        for body in first.body.since:
            self._inherit(body)

    def prompt_id(self, seat: str) -> str:
        """Return the id of the prompt that is open to `seat`, or ""."""
        return str(self.prompted.get(seat, -1))

    @property
    def ready(self) -> bool:
        """Whether dice may be rolled: every seat is taken and has revealed its randomness."""
        desk = self.state.desk
        return all(seat in desk.players and seat in desk.randomness for seat in self.seats)

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

    def add(self, payload: bytes, tried: Tried | None = None) -> Added:
        """Add the next entry. `tried` is what a run has come to that has just made this step on the state as it stands."""
        number = self.number + 1
        envelope = decode(number, payload, self.form)
        self._check(number, envelope)
        body, before = envelope.body, self.state
        sealing = body.sealing if isinstance(body, Stepped) else ""
        noticing = self._noticing(body, sealing)
        self.number = number
        self.head = head = digest(payload)
        self._chain += head
        for audience in noticing:
            self.seqs[audience] += 1
            self.heads[audience] = head
        if isinstance(body, Stepped):
            self._step(number, body, sealing, tried)
            if not sealing:
                self.decided_at = envelope.at
        elif isinstance(body, Aside):
            self._aside(number, body)
        elif isinstance(body, TakenBack):
            self._take_back(envelope.parent)
            if body.clock is not None:
                self.state = body.clock.fold(self.state)
            self.decided_at = envelope.at
        elif isinstance(body, Ended):
            closed = replace(self.state, sealed={}, desk=replace(self.state.desk, offers={}))
            self._begin_at(number, MatchEnded(body.winner, body.reason, "", body.how).fold(closed))
            self.marks.clear()
            self.decided_at = envelope.at
        else:
            self._begin_at(number, replace(self.boundary, desk=self.state.desk))
            while self.marks and self.marks[-1].number >= envelope.parent:
                self.marks.pop()
        if not isinstance(body, Opened | Rewound) and body.answer:
            self.answers[body.answer] = self.seqs.get(speaker(body.seat), -1)
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
            if not any(mark.number == envelope.parent for mark in self.marks):
                raise LogError(number, f"the match cannot go back to entry {envelope.parent}")
            return
        parent = self.boundary_entry if isinstance(body, Rewound) else self.number
        if envelope.parent != parent:
            raise LogError(number, f"its parent is {envelope.parent}, but it follows {parent}")
        if isinstance(body, Stepped) and (body.picked is None) != self.to_begin:
            raise LogError(number, "the rules begin once, and are answered after that")

    def _inherit(self, body: Stepped | Aside) -> None:
        """Fold what had happened in the match from which this one was forked."""
        self.state = folded(self.state, body.facts)
        if isinstance(body, Aside):
            self.since.append(Happened((), body.facts, aside=True))
            return
        self.to_begin = False
        self.since.append(Happened(body.rolls, body.facts, body.seat, body.picked))
        if not body.sealing:
            self.prompted = dict(self.seqs)

    def _aside(self, number: int, body: Aside) -> None:
        """Fold an aside. It is also kept with the steps since the boundary: a procedure under way may have read orders, and
        must find them again when it is rerun.
        """
        state = folded(self.state, body.facts)
        self.offered += sum(isinstance(fact, Offered) for fact in body.facts)
        if not self.ready:
            self.up = next((fact.at for fact in body.facts if isinstance(fact, ClockRead)), self.up)
        if state is not self.state:
            if self.to_begin:
                self.boundary = state
            else:
                self.since.append(Happened((), body.facts, aside=True))
            self._asides.append((number, body.facts))
        self.state = state

    def _step(self, number: int, body: Stepped, sealing: str, tried: Tried | None) -> None:
        for taken in body.rolls:
            if taken.first != self.counters.get(taken.stream, 0):
                raise LogError(number, f"die {taken.first} is not the next one of stream {taken.stream!r}")
            self.counters[taken.stream] = taken.first + len(taken.faces)
        before = self.state
        self.version = body.version or self.version
        self.to_begin = False
        self.up = body.up or self.up
        if body.clock is not None:
            self.up = body.clock.at
            self.state = body.clock.fold(self.state)
        before_step = self.state
        boundary, self.state = (_made if tried is None else tried.made)(self.state, body)
        if CHECKED and tried is not None and _written(boundary, self.state) != _written(*_made(before_step, body)):
            raise LogError(number, "the run has come to another state than its facts")
        if body.boundary is None:
            self.since.append(Happened(body.rolls, body.facts, body.seat, body.picked))
        else:
            facts, rolls = body.boundary
            self.boundary = boundary
            self.boundary_entry = number
            self.since = [Happened(body.rolls[rolls:], body.facts[facts:])]
        if not sealing:
            self.state = _without_lapsed(self.state, body)
            self.prompted = dict(self.seqs)
            self._mark(number, body, before)

    def _mark(self, number: int, body: Stepped, before: State) -> None:
        self.marks.append(
            Mark(
                number,
                body,
                before,
                self.state,
                self.boundary,
                self.boundary_entry,
                self.since,
                len(self.since),
                self.prompted,
            )
        )
        while self._asides and self._asides[0][0] < self.marks[0].number:
            self._asides.popleft()

    def _take_back(self, to: int) -> None:
        """Go back to the state after the entry `to`; the desk stays as it is."""
        while self.marks[-1].number != to:
            self.marks.pop()
        mark = self.marks[-1]
        offers = {key: offer for key, offer in self.state.desk.offers.items() if offer.kind != "take_back"}
        self.state = replace(mark.state, desk=replace(self.state.desk, offers=offers))
        self.boundary = mark.boundary
        self.boundary_entry = mark.boundary_entry
        self.since = list(mark.since[: mark.length])
        self.since.extend(Happened((), facts, aside=True) for number, facts in self._asides if number > to)
        self.prompted = dict(self.seqs)

    def _begin_at(self, number: int, state: State) -> None:
        """Stand at the boundary `state`, where the rules begin to run again, if they have anything to do there."""
        self.state = self.boundary = state
        self.since = []
        self.to_begin = True
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


def _without_lapsed(state: State, step: Stepped) -> State:
    """Return `state` without the offers that can no longer be answered: the table has moved on, or the match is over."""
    offers = state.desk.offers
    if not offers:
        return state
    left = {key: offer for key, offer in offers.items() if state.result is None and not _lapses(offer, step)}
    return state if len(left) == len(offers) else replace(state, desk=replace(state.desk, offers=left))


def _lapses(offer: Offer, step: Stepped) -> bool:
    """Return whether `step` declines `offer` by playing on."""
    return offer.kind == "take_back" or (offer.kind == "draw" and step.seat not in ("", offer.seat))


def _made(state: State, step: Stepped) -> tuple[State, State]:
    """Return the state at the last boundary that a step has crossed (or before it), and the state after it."""
    facts = 0 if step.boundary is None else step.boundary[0]
    boundary = folded(state, step.facts[:facts])
    return boundary, folded(boundary, step.facts[facts:])


def _on_desk(state: State, desk: Desk) -> State:
    return state if state.desk is desk else replace(state, desk=desk)


def _written(boundary: State, state: State) -> bytes:
    """Return two states in letters, with their maps in their own order: that is the roster's."""
    return msgspec.json.encode((boundary, state))


@lru_cache(maxsize=64)
def _shared(table: Table) -> Table:
    """Return one shared instance of all equal tables."""
    return table


def folded(state: State, facts: Sequence[Fact]) -> State:
    """Return `state` after `facts`."""
    for fact in facts:
        state = fact.fold(state)
    return state
