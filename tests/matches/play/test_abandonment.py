"""The operator's policy for stalled matches without a clock: when one counts as abandoned, and when it ends."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from server.kernel.clocks import begun
from server.kernel.desk_facts import ClockRead, ClockSet, DiceRenewed, RandomnessRevealed, SeatTaken
from server.matches.log.entries import Aside, Ended, Stepped
from server.matches.play.abandonment import Abandonment
from tests.support.playing import MatchInMemory
from tests.support.toy_rules import ToyRules


def test_a_match_without_a_clock_counts_as_abandoned_a_set_time_after_its_last_step() -> None:
    match = MatchInMemory(ToyRules())
    match.seat_all()
    match.begin()
    for policy in (Abandonment("claim", 60), Abandonment("draw", 60)):
        assert policy.since(match.referee.fold) == match.referee.fold.up + 60_000
    assert Abandonment("never", 60).since(match.referee.fold) is None
    clock = begun(ClockTerms("live", bank=60), ("red", "blue"), 0)
    match.add(Aside((ClockSet(replace(clock, paused=True)),)))
    assert Abandonment("draw", 60).since(match.referee.fold) == match.referee.fold.up + 60_000
    match.add(Aside((ClockSet(clock),)))
    assert Abandonment("draw", 60).since(match.referee.fold) is None
    assert Abandonment("draw", 60).ending(match.referee.fold, ("red",), 10**9) is None
    assert Abandonment("draw", 60).deadline(match.referee.fold, None, ("red",)) is None
    match.add(Aside((ClockSet(None),)))
    match.add(Ended("", "It is over.", "agreement"))
    assert Abandonment("draw", 60).since(match.referee.fold) is None


def test_only_the_draw_policy_ends_a_stalled_match_and_only_while_a_decision_is_due() -> None:
    match = MatchInMemory(ToyRules())
    match.seat_all()
    match.begin()
    fold, draw, claim = match.referee.fold, Abandonment("draw", 60), Abandonment("claim", 60)
    time = fold.up + 60_000
    ended = draw.ending(fold, ("red", "blue"), time)
    assert ended == Ended(
        "",
        "Red and Blue did not decide for 1 minute: the match is off.",
        "abandonment",
        "",
        f"~abandoned:{fold.number}",
    )
    assert draw.ending(fold, ("red",), time - 1) is None
    assert draw.ending(fold, (), time) is None
    assert claim.ending(fold, ("red",), time) is None

    assert draw.deadline(fold, None, ("red",)) == time
    assert draw.deadline(fold, Aside(()), ("red",)) == time
    assert draw.deadline(fold, Stepped(up=5_000), ()) == 65_000, "whom it will ask is not known yet"
    assert draw.deadline(fold, Stepped(seat="red"), ("blue",)) == time, "an answer given anew is no new decision"
    assert draw.deadline(fold, None, ()) is None
    assert draw.deadline(fold, ended, ("red",)) is None
    assert claim.deadline(fold, None, ("red",)) is None
    assert [policy.sentence() for policy in (Abandonment(), claim, draw)] == [
        "",
        "In a match without a clock, the others may claim the game if a decision is not made for 1 minute.",
        "In a match without a clock, the game is a draw if a decision is not made for 1 minute.",
    ]


def test_the_time_to_abandonment_starts_when_all_seats_are_ready_and_with_each_step() -> None:
    match = MatchInMemory(ToyRules())
    match.seat_all()
    match.add(Aside((DiceRenewed("00" * 32),)))
    for seat in ("red", "blue"):
        match.add(Aside((SeatTaken(seat, "Ada"),), seat))
        match.add(Aside((RandomnessRevealed(seat, "00"), ClockRead(match.up, {}, {})), seat))
    ready = match.up - 1000
    assert match.referee.fold.up == ready
    match.add(Aside((ClockRead(match.up, {}, {}),)))
    assert match.referee.fold.up == ready, "clocks are read for other reasons too"
    match.begin()
    assert match.referee.fold.up == match.up - 1000 > ready
    match.answer("red", asked(match, "red"))
    answered = match.referee.fold.up
    match.answer("red", asked(match, "red"))
    assert match.referee.fold.up == answered, "an answer given anew is no new decision"
    match.add(Aside((ClockSet(begun(ClockTerms("live", bank=60), ("red", "blue"), match.up)),)))
    match.answer("blue", asked(match, "blue"))
    assert match.referee.fold.up == match.up - 1000 > answered


def asked(match: MatchInMemory, seat: str) -> Picked:
    """Return the default answer to what the seat is asked."""
    assert match.referee.ask is not None
    return match.referee.ask.seats[seat].default
