"""Taking back: how far a seat may go back, whether that is free or needs the others' consent, and how the clocks stand then.
Pure.

A take-back is free if no other player has decided since and nothing was shown: no die has fallen, nothing hidden was opened,
and no standing order had a hand in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from typing import Literal

from msgspec import Struct
from msgspec.structs import replace

from server.kernel import clocks
from server.kernel.answers.check import Ask
from server.kernel.clocks import SECOND, Clock
from server.matches.log.fold import Fold
from server.matches.log.trail import Mark
from server.matches.play.without_orders import WithoutOrders


class WayBack(Struct, frozen=True, gc=False):
    """A take-back: the mark to which it goes, the steps that it undoes, and whether it is free."""

    to: Mark
    undone: tuple[Mark, ...]
    free: bool


def way_back(
    fold: Fold, ask: Ask | None, seat: str, frame: int = -1, without_orders: WithoutOrders | None = None
) -> WayBack | None:
    """Return the take-back of `seat` to before its last decision, or to its frame `frame`; None if there is none.

    Args:
        fold: the match.
        ask: the open ask.
        seat: the seat that takes back.
        frame: a frame of the seat's own sequence; -1 for the one before its last decision.
        without_orders: finds out where standing orders had a hand; None where orders do not matter.
    """
    marks = _marks(fold)
    return None if marks is None else _way_back(fold, marks, ask, seat, frame, without_orders)


def _marks(fold: Fold) -> tuple[Mark, ...] | None:
    """Return the steps to which a match can go back, oldest first; None if it cannot now."""
    if fold.state.result is not None or fold.state.sealed or not fold.ready or fold.to_begin:
        return None
    return tuple(fold.marks)


def _way_back(
    fold: Fold, marks: tuple[Mark, ...], ask: Ask | None, seat: str, frame: int, without_orders: WithoutOrders | None
) -> WayBack | None:
    if frame < 0:
        at = _last_decision(marks, seat) - 1
    else:
        at = max((i for i, mark in enumerate(marks) if fold.frame(mark, seat) <= frame), default=-1)
    if at < 0 or at == len(marks) - 1:
        return None
    return WayBack(marks[at], marks[at + 1 :], _free(fold, marks, at, ask, seat, without_orders))


def _free(
    fold: Fold, marks: tuple[Mark, ...], at: int, ask: Ask | None, seat: str, without_orders: WithoutOrders | None
) -> bool:
    """Return whether a seat may go back to the mark at a place without the others' consent."""
    # The last step is looked at first: mostly it is another player's.
    for place in range(len(marks) - 1, at, -1):
        if not _decision_of(marks[place], seat) or marks[place].shows:
            return False
    if _reaction(ask, seat, marks[-1]):
        return False
    return without_orders is None or not without_orders.differs(fold, marks[at], marks[at + 1 :], ask)


def _last_decision(marks: tuple[Mark, ...], seat: str) -> int:
    """Return the place of the seat's last decision among these steps, 0 if it is none after the first."""
    for at in range(len(marks) - 1, 0, -1):
        if _decision_of(marks[at], seat):
            return at
    return 0


def way_to(fold: Fold, number: int) -> WayBack:
    """Return the take-back to the entry `number`, which was agreed on."""
    marks = tuple(fold.marks)
    at = next(i for i, mark in enumerate(marks) if mark.number == number)
    return WayBack(marks[at], marks[at + 1 :], free=False)


def ways_back(
    fold: Fold, ask: Ask | None, without_orders: WithoutOrders | None = None
) -> dict[str, Literal["free", "consent"]]:
    """Return for each seat that can take back its last decision whether that is free; see `way_back`."""
    marks = _marks(fold)
    if marks is None:
        return {}
    found: dict[str, Literal["free", "consent"]] = {}
    for seat in fold.seats:
        at = _last_decision(marks, seat) - 1
        if at >= 0:
            found[seat] = "free" if _free(fold, marks, at, ask, seat, without_orders) else "consent"
    return found


def clock_after(way: WayBack, clock: Clock | None, running: Collection[str], up: int) -> Clock | None:
    """Return the clocks after a take-back: they do not turn back, but a player gains no time by what is undone.

    A live clock loses the increments of the decisions that are undone. A clock of correspondence goes on with what was left
    when they were made, since the same decision is asked again. Decisions under other clock terms change nothing.

    Args:
        way: the take-back.
        clock: the clocks before it; None: the match has none.
        running: the seats that are asked before it.
        up: the up-time in milliseconds.
    """
    if clock is None:
        return None
    clock = clocks.read(clock, running, up)
    if clock.terms.kind == "live":
        earned = Counter(seat for mark in way.undone if _timed(mark, clock) for seat in _deciders(mark))
        least = {seat: left - earned[seat] * clock.terms.increment * SECOND for seat, left in clock.remaining.items()}
    elif _timed(way.undone[0], clock):
        least = _left_for(way.undone[0])
    else:
        return clock
    remaining = {seat: max(0, min(left, least[seat])) for seat, left in clock.remaining.items()}
    return replace(clock, remaining=remaining)


def _timed(mark: Mark, clock: Clock) -> bool:
    """Return whether a decision was made under the same clock terms."""
    then = mark.clock_before
    return then is not None and then.terms == clock.terms


def _left_for(mark: Mark) -> dict[str, int]:
    """Return the time that was left for a decision when it was made, before the next one was asked (ms by seat). Seats that
    had decided already were waiting, and had no time running.
    """
    before, after = mark.clock_before, mark.clock_after
    assert before is not None, "it was made by a clock"
    assert after is not None, "it was made by a clock"
    spent = 0 if before.paused else after.at - before.at
    return {seat: left - (0 if seat in mark.sealed else spent) for seat, left in before.remaining.items()}


def _deciders(mark: Mark) -> tuple[str, ...]:
    """Return the seats whose decisions a step holds: several, where their answers waited for each other."""
    return tuple({*mark.sealed, mark.seat}) if mark.seat else ()


def _decision_of(mark: Mark, seat: str) -> bool:
    return mark.seat == seat and not mark.played


def _reaction(ask: Ask | None, seat: str, last: Mark) -> bool:
    """Return whether others are asked for a reaction. That may depend on hidden orders, so it reveals something."""
    return ask is not None and set(ask.seats) != {seat} and last.boundary_entry != last.number
