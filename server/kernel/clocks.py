"""Clocks: the time left to each seat, updated from one reading to the next. Pure.

Readings are in milliseconds of up-time, which stands still while no server is up (`matches.uptime`). A clock runs for the
seats that are asked and have not answered; a player who is away uses up the allowance first.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.clocks import ClockTerms

SECOND = 1000


class Clock(Struct, frozen=True, gc=False):
    """The clocks of a match at a reading `at`: milliseconds `remaining` and of `allowance` by seat. `here` names the
    connection by which each seat was last seen, `away` the seats that have lost it. `up` are the seats whose time is up and
    whose game may be claimed.
    """

    terms: ClockTerms
    at: int
    remaining: dict[str, int]
    allowance: dict[str, int] = {}
    here: dict[str, str] = {}
    away: tuple[str, ...] = ()
    paused: bool = False
    up: tuple[str, ...] = ()


def begun(terms: ClockTerms, seats: Iterable[str], at: int, before: Clock | None = None) -> Clock:
    """Return the clocks with their full time; presence stays as it was `before`."""
    seats = tuple(seats)
    allowance = dict.fromkeys(seats, terms.allowance * SECOND) if terms.kind == "live" else {}
    clock = Clock(terms, at, dict.fromkeys(seats, terms.bank * SECOND), allowance)
    return clock if before is None else replace(clock, here=before.here, away=before.away)


def read(clock: Clock, running: Collection[str], now: int) -> Clock:
    """Return the clocks `now`, having run for the seats `running` since the last reading."""
    elapsed = max(0, now - clock.at)
    if clock.paused or not elapsed or not running:
        return replace(clock, at=max(now, clock.at))
    remaining, allowance = dict(clock.remaining), dict(clock.allowance)
    for seat in running:
        spent = elapsed
        if seat in clock.away:
            spared = min(spent, allowance.get(seat, 0))
            allowance[seat] = allowance.get(seat, 0) - spared
            spent -= spared
        remaining[seat] = max(0, remaining.get(seat, 0) - spent)
    return replace(clock, at=now, remaining=remaining, allowance=allowance)


def decided(clock: Clock, seat: str) -> Clock:
    """Return the clocks after `seat` has decided: it gets its increment, and its game can no longer be claimed."""
    up = tuple(other for other in clock.up if other != seat)
    if clock.terms.kind != "live" or not clock.terms.increment:
        return clock if up == clock.up else replace(clock, up=up)
    left = clock.remaining.get(seat, 0) + clock.terms.increment * SECOND
    return replace(clock, remaining={**clock.remaining, seat: left}, up=up)


def asked(clock: Clock, seats: Iterable[str]) -> Clock:
    """Return the clocks when a new decision is asked of `seats`: in correspondence each has its whole time for it."""
    if clock.terms.kind != "correspondence":
        return clock
    return replace(clock, remaining={**clock.remaining, **dict.fromkeys(seats, clock.terms.bank * SECOND)})


def runs_out(clock: Clock, running: Collection[str]) -> int | None:
    """Return when the next of the `running` seats has no time left; None if none will."""
    if clock.paused:
        return None
    ends = [
        clock.at + clock.remaining.get(seat, 0) + (clock.allowance.get(seat, 0) if seat in clock.away else 0)
        for seat in running
        if seat not in clock.up
    ]
    return min(ends, default=None)


def run_out(clock: Clock, running: Collection[str], now: int) -> tuple[str, ...]:
    """Return the `running` seats that have no time left `now` and are not marked so yet."""
    if clock.paused:
        return ()
    then = read(clock, running, now)
    return tuple(
        seat
        for seat in running
        if seat not in clock.up
        and then.remaining.get(seat, 0) == 0
        and not (seat in then.away and then.allowance.get(seat, 0))
    )
