"""Matches of the toy rules in which more happens than play: clocks, take-backs, endings of every kind, forks, dice of two
servers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import Claim, Concede, MakeOffer, TakeBack
from server.kernel.belief import EVERYTHING
from server.kernel.desk_facts import ClockRead, ClockSet, DiceRenewed, SeatHere
from server.matches.log.entries import POSITION, Aside, Stepped, position
from server.matches.log.fold import Fold
from server.matches.setup.forks import fork
from tests.archive.recording import Match
from tests.support.playing import press_on, whole
from tests.support.toy_rules import ToyRules

LIVE = ClockTerms("live", 100, 5, 30)
CLAIMS = replace(LIVE, at_zero="claim")
POST = ClockTerms("correspondence", 86_400)

OTHER_SECRET = bytes(range(100, 132))


def match_of(clock: ClockTerms | None = None, scenario: str = "duel") -> Match:
    """Return a match of the toy rules that begins from a scenario, with a clock."""
    return Match(ToyRules(), scenario, clock=clock)


def taken_back() -> Match:
    """Return a match with both kinds of take-back: a free one, and one with consent after dice have fallen."""
    match = match_of().ready()
    winner = match.until("Press on?")
    match.give(winner, Picked("stop"))
    match.settle(winner, TakeBack("free-1"))
    match.give(winner, Picked("press"))
    match.agree(winner, TakeBack("asked-1"))
    assert match.referee.ask is not None
    assert match.referee.ask.seats[winner].title == "Press on?"
    return match.finish(press_on)


def timed() -> Match:
    """Return a match with clocks: a player leaves and returns, all agree to a pause and to another clock, and one seat's time
    runs out.
    """
    match = match_of(LIVE)
    match.seat_all()
    clock = match.referee.fold.state.desk.clock
    assert clock is not None
    match.add(Aside((ClockRead.of(replace(clock, at=match.up)), SeatHere("red", "link-1"))))
    match.go_on()
    match.give("red")
    match.agree("red", MakeOffer("pause-1", "pause"))
    match.passed += 50_000
    match.agree("blue", MakeOffer("resume-1", "resume"))
    match.give("blue")
    match.agree("red", MakeOffer("clock-1", "clock", replace(LIVE, bank=60)))
    match.give("red")
    match.passed += 70_000
    match.go_on()
    return match.finish(press_on)


def by_letter() -> Match:
    """Return a match with a day for each decision."""
    match = match_of(POST).ready()
    match.give("red")
    match.passed += 40_000_000
    return match.finish(press_on)


def agreed() -> Match:
    match = match_of().ready()
    match.agree("red", MakeOffer("draw-1", "draw"))
    return match


def conceded() -> Match:
    match = match_of(scenario="three-way").ready()
    match.settle("red", Concede("concede-red"))
    match.until("Bid")
    match.settle("blue", Concede("concede-blue"))
    return match


def claimed() -> Match:
    match = match_of(CLAIMS).ready()
    match.give("red")
    match.passed += 200_000
    match.go_on()
    match.settle("red", Claim("claim-1"))
    return match


def abandoned() -> Match:
    match = match_of().ready()
    match.give("red")
    match.passed += 20_000
    match.settle("red", Claim("claim-1"))
    return match


def went_on() -> Match:
    """Return a match with clocks and fallen dice that another server has continued."""
    match = match_of(LIVE).ready()
    match.until("Choose a loss")
    clock = match.referee.fold.state.desk.clock
    assert clock is not None
    taken_over = ClockSet(replace(clock, at=7, here={}, away=()))
    match.add(Aside((DiceRenewed(hashlib.sha256(OTHER_SECRET).hexdigest()), taken_over)))
    match.secret = OTHER_SECRET
    match.referee = match.again()
    return match.ready().finish(press_on)


def forked() -> Match:
    """Return a match that goes on from the middle of another one."""
    other = whole(ToyRules(), press_on)
    fold = Fold(other.entries[0])
    for payload in other.entries[1:]:
        fold.add(payload)
        if len(fold.since) > 3 and not fold.state.sealed:
            break
    found = fork(other.entries, EVERYTHING, fold.number - 1)
    assert not isinstance(found, str), found
    assert any(isinstance(body, Stepped) and body.rolls for body in found.since)
    match = match_of()
    opened = match.referee.fold.opened
    match.reopen(
        replace(
            opened,
            scenario=POSITION,
            position=position(found.state),
            forked=found.forked,
            since=found.since,
            match="m2",
        )
    )
    return match.ready().finish(press_on)


MATCHES: dict[str, Callable[[], Match]] = {
    make.__name__: make
    for make in (taken_back, timed, by_letter, agreed, conceded, claimed, abandoned, went_on, forked)
}
