"""The trail of a match: the last steps, a few numbers each, and the entries of which their states are made again. Pure.

Going back is rare and entries are small, so states are kept only now and then; those between are folded again when they are
asked for.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Sequence
from itertools import takewhile
from sys import intern

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from server.kernel.clocks import Clock
from server.kernel.facts import AnswersOpened, Fact, ForceDismissed
from server.kernel.procedure import Happened
from server.kernel.setup_facts import SideDeclared, UnitsRemoved
from server.kernel.state import Desk, Offer, State, Unit
from server.matches.log.entries import Aside, Change, LogError, Stepped, body_of, decode_change
from server.matches.log.forms import Form

KEPT = 33
"""How many of the last steps are kept: those that a match can go back to, and one more."""
STRETCH = 32
"""After how many entries a state is kept again. To fold so many anew takes a few milliseconds; a state holds kilobytes."""
PACKED = 12
"""After how many more entries they are compressed again."""
CHECKED = False
"""Whether states that a run hands on are compared with the folded ones: in tests."""

_SHOWING = frozenset({AnswersOpened, ForceDismissed, SideDeclared, UnitsRemoved})
"""What opens something hidden."""


class Moment(Struct, frozen=True, gc=False):
    """The state of a match after an entry, and where its rules would begin to come to it.

    `boundary` is the state at the last boundary, with the asides that came while the rules stood there; `boundary_entry` is
    the entry that crossed it. `since` is the first entry of what has happened after it, and `to_begin` says that no step has.
    """

    state: State
    boundary: State
    boundary_entry: int
    since: int
    to_begin: bool


class Mark(Struct, frozen=True, gc=False):
    """A step to which its match may go back.

    `number` is its entry, `seat` who decided ("" where the rules began to run), `played` whether the server did it for the
    player. `shows` says that dice fell in it or something hidden was opened, `ordered` that there were standing orders before
    it. `sealed` are the seats whose answers to the same question were in before. `seqs` are the numbers of the audiences' last
    frames after it, in the order of the fold's audiences.
    """

    number: int
    seat: str
    played: bool
    shows: bool
    ordered: bool
    sealed: tuple[str, ...]
    boundary_entry: int
    seqs: tuple[int, ...]
    clock_before: Clock | None
    clock_after: Clock | None


def mark(number: int, step: Stepped, before: State, after: Moment, seqs: tuple[int, ...]) -> Mark:
    """Return the mark of the step `number`: `before` is the state before it, `after` the moment after it."""
    return Mark(
        number,
        "" if step.picked is None else intern(step.seat),
        bool(step.played),
        bool(step.rolls) or not _SHOWING.isdisjoint(map(type, step.facts)),
        bool(before.desk.orders) and any(before.desk.orders.values()),
        tuple(before.sealed),
        after.boundary_entry,
        seqs,
        before.desk.clock,
        after.state.desk.clock,
    )


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


def after_step(moment: Moment, number: int, step: Stepped, tried: Tried | None = None) -> Moment:
    """Return the moment after a step, which is the entry `number`.

    `tried` is what a run has come to that has just made this step on the state as it stands. Raises `LogError` if that is
    looked at, and is something else than what the step's facts make.
    """
    state, boundary, boundary_entry, since = moment.state, moment.boundary, moment.boundary_entry, moment.since
    if step.clock is not None:
        state = step.clock.fold(state)
    before = state
    crossed, state = (_made if tried is None else tried.made)(before, step)
    if CHECKED and tried is not None and _written(crossed, state) != _written(*_made(before, step)):
        raise LogError(number, "the run has come to another state than its facts")
    if step.boundary is not None:
        boundary = crossed
        boundary_entry = since = number
    if state.desk.offers and not step.sealing:
        state = _without_lapsed(state, step)
    return Moment(state, boundary, boundary_entry, since, to_begin=False)


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


def after_aside(moment: Moment, number: int, aside: Aside) -> Moment:
    """Return the moment after an aside, which is the entry `number`; the same one if it changes nothing.

    An aside stands with the steps since the boundary: a procedure under way may have read orders, and must find them again
    when it is rerun.
    """
    state = folded(moment.state, aside.facts)
    if state is moment.state:
        return moment
    if moment.to_begin:
        return Moment(state, state, moment.boundary_entry, number + 1, to_begin=True)
    return Moment(state, moment.boundary, moment.boundary_entry, moment.since, to_begin=False)


def happened(body: Change) -> Happened:
    """Return a step or an aside as what has happened since a boundary: of a step that crossed one, what came after it."""
    if isinstance(body, Aside):
        return Happened((), body.facts, aside=True)
    if body.boundary is None:
        return Happened(body.rolls, body.facts, body.seat, body.picked)
    facts, rolls = body.boundary
    return Happened(body.rolls[rolls:], body.facts[facts:])


def folded(state: State, facts: Sequence[Fact]) -> State:
    """Return `state` after `facts`."""
    for fact in facts:
        state = fact.fold(state)
    return state


class Trail:
    """The last entries on the current line of a match, as far back as it can go.

    Args:
        stretches: the moments that are kept, with the entries from each to the next.
        inherited: what had happened since the boundary in the match of which this one is a fork.
        form: the form in which the match's log is written.
        marks: the steps to which the match can go back.
        packing: whether the entries are compressed.
    """

    def __init__(
        self,
        stretches: list[_Stretch],
        inherited: Sequence[Change],
        form: Form,
        marks: Sequence[Mark] = (),
        *,
        packing: bool = False,
    ) -> None:
        self.marks = [*marks]
        """The steps to which the match can go back."""
        self._packing = packing
        self._inherited = tuple(inherited)
        self._form = form
        self._stretches = stretches

    @classmethod
    def begin(cls, opened: Moment, inherited: Sequence[Change], form: Form) -> Trail:
        """Return the trail of a match that begins in the moment `opened`, after what it has inherited."""
        return cls([_Stretch(1, opened)], inherited, form)

    def copy(self) -> Trail:
        """Return a trail that is as this one is now, whatever is added to either."""
        stretches = [stretch.copy() for stretch in self._stretches]
        return Trail(stretches, self._inherited, self._form, self.marks, packing=self._packing)

    def aside(self, number: int, payload: bytes) -> None:
        """Add an aside that has changed the state."""
        self._stretches[-1].add(number, payload, aside=True)

    def step(self, number: int, payload: bytes, after: Moment, mark_: Mark | None) -> None:
        """Add a step; without a mark, one that only seals an answer."""
        stretch = self._stretches[-1]
        stretch.add(number, payload)
        if mark_ is not None:
            self.marks.append(mark_)
            del self.marks[:-KEPT]
            if len(stretch) >= STRETCH:
                self._stretch(_Stretch(number, after))
            elif self._packing and stretch.fresh >= PACKED:
                stretch.pack()

    def go_back(self, to: int, number: int, after: Moment) -> None:
        """Drop the steps after the entry `to`; `after` is the moment after going back, which is the entry `number`."""
        while self.marks and self.marks[-1].number > to:
            self.marks.pop()
        if not self.marks:
            self.begin_at(number, after)
            return
        left = max(index for index, stretch in enumerate(self._stretches) if stretch.number <= to)
        entries = [entry for stretch in self._stretches[left:] for entry in stretch.all()]
        first = self._stretches[left]
        again = _Stretch(first.number, first.moment)
        again.hold([one for one in entries if one.aside or one.number <= to])
        self._stretches[left:] = [again]
        self._stretch(_Stretch(number, after))

    def begin_at(self, number: int, after: Moment) -> None:
        """Forget everything: the match stands at a boundary after the entry `number`, and cannot go back."""
        self.marks.clear()
        self._stretches = [_Stretch(number, after)]

    def since(self, moment: Moment, until: int) -> list[Happened]:
        """Return what has happened since the boundary of a moment, up to the entry `until`."""
        own = [
            happened(decode_change(entry.body, self._form))
            for stretch in self._stretches
            for entry in stretch.all()
            if moment.since <= entry.number <= until
        ]
        return [*map(happened, self._inherited), *own] if moment.since == 1 else own

    def after(self, number: int) -> Moment:
        """Return the moment after the step of a mark."""
        stretch = next(one for one in reversed(self._stretches) if one.number <= number)
        moment = stretch.moment
        for before, at, body in self._again(stretch):
            if at > number:
                break
            moment = _after(before, at, body)
        return moment

    def steps(self, number: int) -> Iterator[tuple[State, Stepped]]:
        """Yield the steps after that of a mark and the state before each, without those that only seal an answer."""
        for index, stretch in enumerate(self._stretches):
            if index + 1 == len(self._stretches) or self._stretches[index + 1].number > number:
                for before, at, body in self._again(stretch):
                    if at > number and isinstance(body, Stepped) and not body.sealing:
                        yield before.state, body

    def _again(self, stretch: _Stretch) -> Iterator[tuple[Moment, int, Change]]:
        """Fold the entries of a stretch again: yield each with the moment before it."""
        moment = stretch.moment
        for entry in stretch.all():
            body = decode_change(entry.body, self._form)
            yield moment, entry.number, body
            moment = _after(moment, entry.number, body)

    def _stretch(self, stretch: _Stretch) -> None:
        """Begin a stretch, and drop those that lie before all marks and before the boundaries that are needed."""
        stretches = self._stretches
        stretches.append(stretch)
        first = self.marks[0].number if self.marks else stretch.number
        kept = sum(1 for _ in takewhile(lambda one: one.number <= first, stretches)) - 1
        since = stretches[kept].since
        while kept and stretches[kept].number >= since:
            kept -= 1
        del stretches[:kept]
        if self._packing:
            self.pack()

    def pack(self) -> None:
        """Compress the entries, now and from now on. Where a whole log is folded first, it would be done in vain for most."""
        self._packing = True
        for stretch in self._stretches:
            stretch.pack()


def _after(moment: Moment, number: int, body: Change) -> Moment:
    return after_aside(moment, number, body) if isinstance(body, Aside) else after_step(moment, number, body)


class _Entry(Struct, frozen=True, array_like=True, gc=False):
    """An entry that is kept: its number, whether it is an aside, the bytes of its body."""

    number: int
    aside: bool
    body: bytes


class _Stretch:
    """A part of the trail: the moment after the entry `number`, and the entries from there to the next stretch."""

    __slots__ = ("_fresh", "_moment", "_packed", "_packed_entries", "_units", "number")

    def __init__(
        self,
        number: int,
        moment: Moment,
        units: bytes = b"",
        packed: bytes = b"",
        packed_entries: int = 0,
        fresh: Sequence[tuple[int, bool, bytes]] = (),
    ) -> None:
        self.number = number
        self._moment = moment
        self._units = units
        """The units of the moment, once they are compressed: those of the state at the boundary, and of the state."""
        self._packed = packed
        self._packed_entries = packed_entries
        self._fresh = [*fresh]
        """The last entries, whole."""

    def copy(self) -> _Stretch:
        """Return a stretch that is as this one is now, whatever is added to either."""
        return _Stretch(self.number, self._moment, self._units, self._packed, self._packed_entries, self._fresh)

    def __len__(self) -> int:
        """Return the number of entries."""
        return self._packed_entries + len(self._fresh)

    @property
    def fresh(self) -> int:
        """How many entries are not compressed yet."""
        return len(self._fresh)

    @property
    def since(self) -> int:
        """The first entry that the moment needs."""
        return self._moment.since

    @property
    def moment(self) -> Moment:
        """The moment."""
        if not self._units:
            return self._moment
        boundary, units = msgspec.msgpack.decode(zlib.decompress(self._units), type=tuple[_Units, _Units])
        return _with_units(self._moment, boundary, units)

    def add(self, number: int, payload: bytes, *, aside: bool = False) -> None:
        """Add the next entry."""
        self._fresh.append((number, aside, payload))

    def all(self) -> list[_Entry]:
        """Return the entries."""
        fresh = [_Entry(number, aside, body_of(payload)) for number, aside, payload in self._fresh]
        if self._packed:
            return msgspec.msgpack.decode(zlib.decompress(self._packed), type=list[_Entry]) + fresh
        return fresh

    def pack(self) -> None:
        """Compress the entries, and the units of the moment: the match has others by now, and looks at these when it goes back.
        Those with which it began are shared by all that begin alike.
        """
        if self._fresh:
            self.hold(self.all())
            self._fresh.clear()
            if self.number > 1 and not self._units:
                both = (self._moment.boundary.units, self._moment.state.units)
                self._units = zlib.compress(msgspec.msgpack.encode(both), 1)
                self._moment = _with_units(self._moment, {}, {})

    def hold(self, entries: Sequence[_Entry]) -> None:
        """Compress these entries: the first ones of the stretch."""
        # Hashes and salts are random, and could not be compressed: only the bodies are kept.
        self._packed = zlib.compress(msgspec.msgpack.encode(entries), 1) if entries else b""
        self._packed_entries = len(entries)


_Units = dict[str, Unit]


def _with_units(moment: Moment, boundary: _Units, units: _Units) -> Moment:
    return replace(moment, boundary=replace(moment.boundary, units=boundary), state=replace(moment.state, units=units))


def _without_lapsed(state: State, step: Stepped) -> State:
    """Return `state` without the offers that can no longer be answered: the table has moved on, or the match is over."""
    offers = state.desk.offers
    left = {key: offer for key, offer in offers.items() if state.result is None and not _lapses(offer, step)}
    return state if len(left) == len(offers) else replace(state, desk=replace(state.desk, offers=left))


def _lapses(offer: Offer, step: Stepped) -> bool:
    """Return whether `step` declines `offer` by playing on."""
    return offer.kind == "take_back" or (offer.kind == "draw" and step.seat not in ("", offer.seat))
