"""Checking the clocks of a match file: no time is gained, and, where it is known whose clocks ran, none is lost. Pure.

A file cannot show that the server's clock was right: the check is that each reading follows from the one before.
"""

from __future__ import annotations

from collections.abc import Collection

from msgspec.structs import replace

from server.kernel import clocks
from server.kernel.clocks import SECOND, Clock, begun
from server.kernel.desk_facts import ClockPaused, ClockRead, ClockSet, DiceRenewed, TimeUp
from server.kernel.facts import Fact
from server.kernel.state import State
from server.matches.log.entries import Aside, Stepped, TakenBack
from server.matches.log.finding import Wrong
from server.matches.log.fold import Fold
from server.matches.play.due import everybody
from server.matches.play.taking_back import clock_after, way_to

Running = Collection[str] | None
"""The seats whose clocks run; None if only the rules could tell, and they are not here."""


def check_step(number: int, body: Stepped, before: State, running: Running, asked: Collection[str] | None) -> None:
    """Check the reading of a step. `asked` are the seats that it asks something new, None if that is not known. Raises
    `Wrong`.
    """
    if body.sealing in before.sealed:
        # A replaced sealed answer must not be noticed by other players.
        if body.clock is not None or body.up:
            raise Wrong(number, "it reads the clocks, though it only replaces an answer")
        return
    read = _read(number, before.desk.clock, body.clock)
    if read is None:
        return
    clock, reading = read
    if running is None or asked is None:
        _check_bounds(number, clock, reading, body)
        return
    due = clocks.read(clock, running, reading.at)
    if body.played == "time" and due.remaining.get(body.seat, 0):
        raise Wrong(number, f"it is played for {body.seat}, who has time left")
    if body.picked is not None:
        due = clocks.decided(due, body.seat)
    _check_same(number, clocks.asked(due, asked), reading)


def check_taken_back(number: int, body: TakenBack, parent: int, fold: Fold, running: Running) -> None:
    """Check the reading of a take-back to the entry `parent`, before the fold takes it in. Raises `Wrong`."""
    read = _read(number, fold.state.desk.clock, body.clock)
    if read is None:
        return
    clock, reading = read
    if running is None:
        _check_bounds(number, clock, reading)
        return
    due = clock_after(way_to(fold, parent), clock, running, reading.at)
    assert due is not None, "there are clocks"
    _check_same(number, due, reading)


def check_fact(number: int, fact: Fact, state: State, body: Aside, running: Running) -> None:
    """Check a fact of an aside, folded into `state`. Raises `Wrong`."""
    clock = state.desk.clock
    if isinstance(fact, ClockSet):
        _check_set(number, fact, state, body)
    elif not isinstance(fact, ClockRead | ClockPaused | TimeUp):
        return
    elif clock is None:
        # A match without clocks has readings too, by which abandonment is found.
        if not isinstance(fact, ClockRead) or fact.remaining or fact.allowance or fact.up:
            raise Wrong(number, "it tells of clocks that the match has not")
    elif isinstance(fact, ClockRead):
        _check_onward(number, clock, fact)
        if running is None:
            _check_bounds(number, clock, fact)
        else:
            _check_same(number, clocks.read(clock, running, fact.at), fact)
    elif isinstance(fact, TimeUp):
        if fact.seat not in clocks.run_out(clock, (fact.seat,), clock.at):
            raise Wrong(number, f"it says that {fact.seat}'s time is up, who has time left")
    elif not _agreed(state, "pause" if fact.paused else "resume"):
        raise Wrong(number, "the clocks are stopped or let go on though not all players agreed")


def _read(number: int, clock: Clock | None, reading: ClockRead | None) -> tuple[Clock, ClockRead] | None:
    """Return the clocks at the last reading and at this one, which is later; None if there are none. Raises `Wrong`."""
    if clock is None and reading is None:
        return None
    if clock is None:
        raise Wrong(number, "it reads clocks that the match has not")
    if reading is None:
        raise Wrong(number, "it does not read the clocks")
    _check_onward(number, clock, reading)
    return clock, reading


def _check_onward(number: int, clock: Clock, reading: ClockRead) -> None:
    if reading.at < clock.at:
        raise Wrong(number, f"its clocks were read {clock.at - reading.at} ms before the reading that came before it")


def _check_same(number: int, clock: Clock, reading: ClockRead) -> None:
    if ClockRead.of(clock) != reading:
        raise Wrong(number, "the clocks do not show what they must show")


def _check_bounds(number: int, clock: Clock, reading: ClockRead, step: Stepped | None = None) -> None:
    """Check that no clock goes back, except for an increment of a player who has decided, and for a new decision in
    correspondence.
    """
    terms = clock.terms
    for seat, before in clock.remaining.items():
        most = before
        if step is not None and terms.kind == "correspondence":
            most = max(before, terms.bank * SECOND)
        elif step is not None and step.picked is not None and step.seat == seat:
            most = before + terms.increment * SECOND
        if not 0 <= reading.remaining.get(seat, -1) <= most:
            raise Wrong(number, f"{seat}'s clock shows more than it can")
        if reading.allowance.get(seat, 0) > clock.allowance.get(seat, 0):
            raise Wrong(number, f"{seat}'s allowance is more than it can be")


def _check_set(number: int, fact: ClockSet, state: State, body: Aside) -> None:
    """Check that clocks are set when all agree to, or where another server continues the match, which leaves them as they
    stood.
    """
    now, clock = fact.clock, state.desk.clock
    if any(isinstance(other, DiceRenewed) for other in body.facts):
        if now is None or clock is None or replace(clock, at=now.at, here={}, away=()) != now:
            raise Wrong(number, "the clocks are not as they stood when another server went on with the match")
        return
    for offer in state.desk.offers.values():
        if offer.kind == "clock" and everybody(state, offer):
            seats = [side.seat for side in state.sides.values()]
            agreed = offer.clock
            if now == (None if agreed is None else begun(agreed, seats, 0 if now is None else now.at, clock)):
                return
    raise Wrong(number, "the clocks are set to something that not all players agreed on")


def _agreed(state: State, kind: str) -> bool:
    return any(offer.kind == kind and everybody(state, offer) for offer in state.desk.offers.values())
