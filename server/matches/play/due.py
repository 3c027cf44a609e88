"""Entries the server appends on its own: seating, start, timeouts, agreed offers, secret. Pure.

Every server with the match loaded finds the same entries, with the same answer ids, so the second append is a duplicate.
"""

from __future__ import annotations

import hashlib
import hmac

from server.kernel import clocks
from server.kernel.clocks import begun
from server.kernel.desk_facts import (
    ClockPaused,
    ClockRead,
    ClockSet,
    DeskFact,
    OfferClosed,
    RandomnessCommitted,
    RandomnessRevealed,
    SeatAway,
    SeatHanded,
    SeatHere,
    SecretRevealed,
    TimeUp,
)
from server.kernel.programs import UNCONTROLLED
from server.kernel.state import Offer, State
from server.matches.log.entries import Aside, Body, Ended
from server.matches.log.secrets import Secrets
from server.matches.play.abandonment import Abandonment
from server.matches.play.presence import Presence
from server.matches.play.referee import Referee, UpTime
from server.matches.play.seats import seated
from server.matches.play.taking_back import way_to


def due(
    referee: Referee, secrets: Secrets, presence: Presence, abandonment: Abandonment, up: UpTime
) -> Body | tuple[Body, int] | None:
    """Return the entry that is due next, or None.

    Args:
        referee: the match.
        secrets: the match's private fields.
        presence: the connections of seats on this server.
        abandonment: the policy for stalled matches without a clock.
        up: tells the up-time.
    """
    now, state = max(up(), referee.fold.up), referee.fold.state
    if state.result is not None:
        return None if state.desk.secret else Aside((SecretRevealed(secrets.keys.secret.hex()),), "", "~secret")
    for seat, claim in secrets.keys.claims.items():
        if seat not in state.desk.players:
            return seated(seat, claim, state)
    share = _share(referee, secrets, now)
    if share is not None:
        return share
    if referee.may_begin:
        return referee.begin(up)
    return _agreed(referee, now) or _presence(referee, presence, now) or _out_of_time(referee, abandonment, up)


def _share(referee: Referee, secrets: Secrets, up: int) -> Aside | None:
    """Return the commitment to a program's share of the dice, or the share once every seat has committed to its own. It follows
    from the server's secret, so that every server appends the same.
    """
    desk = referee.fold.state.desk
    if not desk.machines:
        return None
    for seat in desk.machines.keys() - desk.uncontrolled:
        words = f"share of the dice\0{desk.commitment}\0{seat}".encode()
        share = hmac.digest(secrets.keys.secret, words, hashlib.sha256)
        if seat not in desk.digests:
            return Aside((RandomnessCommitted(seat, hashlib.sha256(share).hexdigest()),), seat, f"~committed:{seat}")
        if seat not in desk.randomness and all(
            other in desk.digests or other in desk.uncontrolled for other in referee.fold.seats
        ):
            read = ClockRead(up, {}, {}) if desk.clock is None else ClockRead.of(clocks.read(desk.clock, (), up))
            return Aside((RandomnessRevealed(seat, share.hex()), read), seat, f"~revealed:{seat}")
    return None


def _agreed(referee: Referee, up: int) -> Body | tuple[Body, int] | None:
    """Return the entry for what the seats agreed on (to end, to take back), and for the end of a match in which one side is
    left.
    """
    state = referee.fold.state
    for key, offer in state.desk.offers.items():
        if not everybody(state, offer):
            continue
        if offer.kind == "draw":
            return Ended("", "The players have agreed on a draw.", "agreement", "", f"~offer:{key}")
        if offer.kind == "take_back":
            way = way_to(referee.fold, offer.to)
            return referee.take_back(offer.seat, way, f"~offer:{key}", offer.accepted, up), offer.to
        # The last consent did not settle it: the seats that had not accepted have conceded since.
        return Aside(carried_out(referee, key, offer, up), "", f"~offer:{key}")
    left = [side for side in state.sides.values() if side.seat not in state.desk.conceded]
    if len(left) == 1 and len(state.sides) > 1:
        conceded = [side.name for side in state.sides.values() if side is not left[0]]
        verb = "has" if len(conceded) == 1 else "have"
        return Ended(left[0].id, f"{' and '.join(conceded)} {verb} conceded.", "concession", "", "~conceded")
    return None


def everybody(state: State, offer: Offer) -> bool:
    """Return whether all seats that still play have accepted an offer. Programs accept all but a draw; a player in whose place
    a program is to play on, because the game could be claimed, is not asked.
    """
    agreeing = {offer.seat, offer.hand, *offer.accepted, *state.desk.conceded}
    if offer.kind != "draw":
        agreeing.update(state.desk.machines)
    return all(side.seat in agreeing for side in state.sides.values())


def can_be_handed(state: State, seat: str, program: str) -> bool:
    """Return whether `program` can go on for the player of `seat`, or ("") that player for the program that it was lent to."""
    desk = state.desk
    if not program:
        return seat in desk.lenders
    seats = {side.seat for side in state.sides.values()}
    return program != UNCONTROLLED and seat in seats and seat not in {*desk.machines, *desk.conceded}


def carried_out(referee: Referee, key: str, offer: Offer, up: int) -> tuple[DeskFact, ...]:
    """Return the facts on the desk when all accept an offer; none for a draw and a take-back, which are entries of their own.
    `up` is the up-time in milliseconds.
    """
    clock = referee.fold.state.desk.clock
    if offer.kind == "hand_over":
        if not can_be_handed(referee.fold.state, offer.hand, offer.program):
            return (OfferClosed(key),)
        return (SeatHanded(offer.hand, offer.program, offer.name), OfferClosed(key))
    if offer.kind == "clock":
        set_ = None if offer.clock is None else begun(offer.clock, referee.fold.seats, up, clock)
        return (ClockSet(set_), OfferClosed(key))
    if offer.kind not in {"pause", "resume"}:
        return ()
    if clock is None:
        # The players have agreed to play without clocks since.
        return (OfferClosed(key),)
    read = ClockRead.of(clocks.read(clock, referee.running, up))
    return (read, ClockPaused(offer.kind == "pause"), OfferClosed(key))


def _presence(referee: Referee, presence: Presence, up: int) -> Aside | None:
    """Return the arrivals and departures of players, where a live clock depends on them."""
    clock = referee.fold.state.desk.clock
    if clock is None or clock.terms.kind != "live" or not referee.fold.ready:
        return None
    for seat in referee.fold.seats:
        if seat in referee.fold.state.desk.machines:
            continue
        known, here = clock.here.get(seat, ""), presence.here(seat)
        gone = presence.had(known) and known not in here
        fact: DeskFact
        # The server that knows this link may have stopped, and then never logs that the seat is away.
        elsewhere = not presence.had(known) and presence.news(seat)
        if here and (not known or seat in clock.away or gone or elsewhere):
            fact = SeatHere(seat, here[0])
        elif (gone or not (known or here)) and seat not in clock.away:
            # The player has left, or never came since there are clocks: players who are ready need not wait for the others.
            fact = SeatAway(seat, known)
        else:
            continue
        return Aside((ClockRead.of(clocks.read(clock, referee.running, up)), fact))
    return None


def _out_of_time(referee: Referee, abandonment: Abandonment, up: UpTime) -> Body | None:
    """Return the entry that a clock or the policy for stalled matches requires, or the default for a player who conceded
    while others play on.
    """
    state = referee.fold.state
    for seat in referee.running:
        if seat in state.desk.conceded:
            return referee.default(seat, "conceded", up)
        if seat in state.desk.uncontrolled:
            # Its prompts have what its method decides as their default.
            return referee.default(seat, UNCONTROLLED, up)
    clock, now = state.desk.clock, max(up(), referee.fold.up)
    if clock is not None:
        for seat in clocks.run_out(clock, referee.running, now):
            if clock.terms.at_zero == "default":
                return referee.default(seat, "time", up)
            read = ClockRead.of(clocks.read(clock, referee.running, now))
            return Aside((read, TimeUp(seat)), "", f"~up:{seat}:{referee.fold.prompt_id(seat)}")
    return abandonment.ending(referee.fold, referee.running, now)
