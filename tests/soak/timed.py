"""Time goes forward, no faster than it went by, and not while no server ran; and a player is charged what was used of it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from client_protocol.codec import pack
from server.kernel.clocks import SECOND, Clock
from server.kernel.desk_facts import ClockRead, ClockSet
from server.matches.log.entries import Aside, Body, Envelope, Stepped, TakenBack
from server.matches.log.fold import Fold
from server.store.metadata import GAP_MS
from tests.soak.faults import Outage
from tests.soak.findings import Audited
from tests.soak.witness import Account, Sent

TOLERANCE = SECOND
"""Milliseconds by which a charge may fall short, or be too high, while nothing is wrong: between two beats, a second apart, a
server counts on by its own clock.
"""
LATE = GAP_MS
"""The same while something is wrong: one server's up-time may be behind another one's, since the reply to its last beat was late
by as much. It is later still where the server or its database was frozen.
"""


def check_clocks(
    found: Audited, log: Sequence[Envelope], accounts: Sequence[Account], outages: Sequence[Outage]
) -> Iterator[str]:
    """Hold the clocks of the log against the wall, and against what players measured; gives what is wrong."""
    sent = {f"{account.audience}:{id_}": one for account in accounts for id_, one in account.sent.items()}
    fold = Fold(pack(log[0]))
    last: tuple[int, int] | None = None
    readings = [Reading(log[0].at, fold.state.desk.clock)]
    for envelope in log[1:]:
        body = envelope.body
        fold.add(pack(envelope))
        up = _reading(body)
        if up is not None:
            found.compared["clock readings"] += 1
            if last is not None:
                yield from _passed(envelope, up - last[0], last[1], outages)
            last = up, envelope.at
        one = sent.get(body.answer) if isinstance(body, Stepped) and not body.sealing else None
        if one is not None and isinstance(body, Stepped) and _runs(readings[-1].clock, body):
            found.compared["decisions timed by their player"] += 1
            yield from _fair(envelope, body, one, readings, outages)
        if up is not None:
            readings.append(Reading(envelope.at, fold.state.desk.clock))


@dataclass(frozen=True)
class Reading:
    """How the clocks stood after an entry, which was made `at` (ms since 1970)."""

    at: int
    clock: Clock | None


def _reading(body: Body) -> int | None:
    """The up-time that an entry tells."""
    if isinstance(body, Stepped | TakenBack):
        return body.clock.at if body.clock is not None else None
    for fact in body.facts if isinstance(body, Aside) else ():
        if isinstance(fact, ClockRead):
            return fact.at
        if isinstance(fact, ClockSet) and fact.clock is not None:
            return fact.clock.at
    return None


def _runs(before: Clock | None, step: Stepped) -> bool:
    """Whether a decision costs its seat time."""
    return before is not None and step.clock is not None and not before.paused and before.terms.kind == "live"


def _charge(since: Clock, step: Stepped) -> int:
    """What a decision has cost its seat since a reading, of its time and its allowance (ms)."""
    assert step.clock is not None
    was = since.remaining.get(step.seat, 0) + since.allowance.get(step.seat, 0)
    now = step.clock.remaining.get(step.seat, 0) + step.clock.allowance.get(step.seat, 0)
    return was - now + since.terms.increment * SECOND


def _passed(envelope: Envelope, up: int, since: int, outages: Sequence[Outage]) -> Iterator[str]:
    """`up` milliseconds of up-time have passed since the moment `since` (ms since 1970)."""
    if up < 0:
        yield f"entry {envelope.number}: up-time went back by {-up} ms"
    dead = sum(
        # So long after the last beat servers still count as up.
        max(0, min(envelope.at, outage.dead[1]) - max(since, outage.dead[0]) - GAP_MS)
        for outage in outages
        if outage.dead is not None
    )
    if up > envelope.at - since - dead + _late(since, envelope.at, outages):
        yield f"entry {envelope.number}: {up} ms of up-time in {envelope.at - since} ms, of which no server ran for {dead}"


def _late(since: int, until: int, outages: Sequence[Outage]) -> int:
    """By how much up-time may seem to run ahead between two moments."""
    wrong = any(outage.begin <= until and (outage.end or until) >= since - LATE for outage in outages)
    return LATE + _stalled(since, until, outages) if wrong else TOLERANCE


def _stalled(since: int, until: int, outages: Sequence[Outage]) -> int:
    """How long something was wrong, with a server up, between two moments or shortly before."""
    return sum(
        max(0, min(until, outage.end or until) - max(since - LATE, outage.begin))
        for outage in outages
        if outage.dead is None
    )


def _fair(
    envelope: Envelope, step: Stepped, sent: Sent, readings: Sequence[Reading], outages: Sequence[Outage]
) -> Iterator[str]:
    """A decision costs no more than went by since the clocks were read; and, where nothing was wrong, no less than the player
    took since the prompt was seen.
    """
    last = readings[-1]
    assert last.clock is not None
    charged, went_by = _charge(last.clock, step), sent.replied_at - last.at
    if sent.replied_at and charged > went_by + _late(last.at, sent.replied_at, outages):
        yield f"entry {envelope.number}: {charged} ms are charged, and {went_by} ms went by"
    # The clocks may have been read while the player thought: as another player came, for one.
    seen = bisect_right(readings, sent.asked_at, key=lambda reading: reading.at) - 1
    running = [reading.clock for reading in readings[seen:]]
    wrong = any(outage.begin <= sent.at and (outage.end or sent.at) >= sent.asked_at - SECOND for outage in outages)
    if not sent.asked_at or seen < 0 or wrong or any(clock is None or clock.paused for clock in running):
        return
    assert running[0] is not None
    charged, took = _charge(running[0], step), sent.at - sent.asked_at
    if charged < took - TOLERANCE:
        yield f"entry {envelope.number}: {charged} ms are charged, and the player took {took} ms"
