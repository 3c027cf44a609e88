"""The checks of clocks one by one: impossible readings, settings and stops are reported, and possible ones are not."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.clocks import ClockTerms
from server.kernel import clocks
from server.kernel.clocks import Clock, begun
from server.kernel.desk_facts import ClockPaused, ClockRead, ClockSet, DeskFact, DiceRenewed, Said, TimeUp
from server.kernel.facts import AnswerSealed
from server.kernel.state import Offer, State
from server.matches.log.entries import Aside, Stepped
from server.matches.log.finding import Wrong
from server.matches.play.taking_back import way_back
from server.matches.verify.clocks import Running, check_fact, check_step, check_taken_back
from tests.support.playing import MatchInMemory
from tests.support.toy_rules import ToyRules

SEATS = ("red", "blue")
LIVE = begun(ClockTerms("live", bank=60, increment=5, allowance=20, at_zero="claim"), SEATS, 1000)
LETTERS = begun(ClockTerms("correspondence", bank=100), SEATS, 1000)
IT = Picked("it")


def state(clock: Clock | None, *offers: Offer) -> State:
    opened = ToyRules().open("duel", {})
    there = {str(number): offer for number, offer in enumerate(offers)}
    return replace(opened, desk=replace(opened.desk, clock=clock, offers=there))


def step(clock: Clock | None, seat: str = "red", picked: Picked | None = IT, played: str = "") -> Stepped:
    return Stepped(seat=seat, picked=picked, clock=None if clock is None else ClockRead.of(clock), played=played)


def left(clock: Clock, **remaining: int) -> Clock:
    return replace(clock, remaining={**clock.remaining, **remaining})


# --- steps ------------------------------------------------------------------------------------------------------------


def test_a_replaced_sealed_answer_must_have_no_clock_reading() -> None:
    body = replace(step(None), facts=(AnswerSealed("red", IT),))
    before = replace(state(LIVE), sealed={"red": IT})
    check_step(2, body, before, SEATS, ())
    for bad in (replace(body, clock=ClockRead.of(LIVE)), replace(body, up=5)):
        with pytest.raises(Wrong, match="only replaces"):
            check_step(2, bad, before, SEATS, ())
    with pytest.raises(Wrong, match="does not read"):
        check_step(2, body, state(LIVE), SEATS, ())


def test_clock_readings_exist_exactly_in_matches_with_clocks_and_never_go_back() -> None:
    check_step(2, step(None), state(None), SEATS, ())
    for before, after, what in (
        (None, LIVE, "the match has not"),
        (LIVE, None, "does not read"),
        (LIVE, replace(LIVE, at=999), "1 ms before"),
    ):
        for running in (SEATS, None):
            with pytest.raises(Wrong, match=what) as wrong:
                check_step(2, step(after), state(before), running, ())
            assert wrong.value.entry == 2


def test_clocks_of_known_running_seats_must_show_exactly_the_time_passed() -> None:
    spent = replace(left(LIVE, red=58_000, blue=53_000), at=8000)
    honest = step(spent)
    check_step(2, honest, state(left(LIVE, blue=60_000)), SEATS, ())
    for bad in (
        left(spent, red=58_001),
        left(spent, blue=52_999),
        replace(spent, allowance={}),
        replace(spent, up=("red",)),
    ):
        with pytest.raises(Wrong, match="must show"):
            check_step(2, step(bad), state(LIVE), SEATS, ())
    with pytest.raises(Wrong, match="must show"):
        check_step(2, replace(honest, picked=None), state(LIVE), SEATS, ())
    anew = replace(LETTERS, at=9000, remaining={"red": 92_000, "blue": 100_000})
    check_step(2, step(anew), state(left(LETTERS, blue=7)), ("red",), ("blue",))


def test_a_default_for_lack_of_time_is_played_only_for_a_seat_without_time() -> None:
    gone = replace(left(LIVE, red=0), at=61_000)
    check_step(2, step(clocks.decided(gone, "red"), played="time"), state(LIVE), ("red",), ())
    early = replace(left(LIVE, red=1), at=60_999)
    with pytest.raises(Wrong, match="has time left"):
        check_step(2, step(clocks.decided(early, "red"), played="time"), state(LIVE), ("red",), ())


@pytest.mark.parametrize(("running", "asked"), [(None, ()), (SEATS, None)])
def test_clocks_of_unknown_running_seats_gain_nothing_but_increments(running: Running, asked: tuple[()] | None) -> None:
    low = left(LETTERS, red=10_000, blue=10_000)
    for before, after, picked in (
        (LIVE, left(LIVE, red=65_000), IT),
        (LIVE, left(LIVE, red=0, blue=0), IT),
        (LIVE, LIVE, None),
        (low, LETTERS, IT),
        (left(LETTERS, red=100_001), left(LETTERS, red=100_001), IT),
    ):
        check_step(2, step(after, picked=picked), state(before), running, asked)
    for before, after, picked in (
        (LIVE, left(LIVE, red=65_001), IT),
        (LIVE, left(LIVE, blue=60_001), IT),
        (LIVE, left(LIVE, red=60_001), None),
        (LIVE, left(LIVE, red=-1), IT),
        (LIVE, replace(LIVE, remaining={"red": 1}), IT),
        (low, left(LETTERS, red=100_001), IT),
    ):
        with pytest.raises(Wrong, match="more than it can"):
            check_step(2, step(after, picked=picked), state(before), running, asked)
    with pytest.raises(Wrong, match="allowance"):
        check_step(2, step(replace(LIVE, allowance={"blue": 20_001})), state(LIVE), running, asked)


def test_the_clocks_after_a_take_back_are_checked() -> None:
    in_memory = MatchInMemory(ToyRules())
    in_memory.seat_all()
    in_memory.add(Aside((ClockSet(replace(LIVE, at=in_memory.up)),)))
    in_memory.begin()
    for seat in in_memory.play():
        if in_memory.referee.ask and in_memory.referee.ask.seats[seat].title == "Press on?":
            break
    other = "blue" if seat == "red" else "red"
    way = way_back(in_memory.referee.fold, in_memory.referee.ask, other)
    assert way is not None
    fold, running = in_memory.referee.fold, in_memory.referee.running
    honest = in_memory.referee.take_back(other, way, "", (seat,), in_memory.up)
    read = honest.clock
    assert read is not None
    for known in (running, None):
        check_taken_back(2, honest, way.to.number, fold, known)
        with pytest.raises(Wrong, match="does not read"):
            check_taken_back(2, replace(honest, clock=None), way.to.number, fold, known)
    kept = replace(honest, clock=replace(read, remaining=dict(read.remaining) | {other: read.remaining[other] + 5000}))
    check_taken_back(2, kept, way.to.number, fold, None)
    with pytest.raises(Wrong, match="must show"):
        check_taken_back(2, kept, way.to.number, fold, running)
    more = replace(honest, clock=replace(read, remaining=dict(read.remaining) | {other: 10**6}))
    with pytest.raises(Wrong, match="more than it can"):
        check_taken_back(2, more, way.to.number, fold, None)


# --- readings in asides ------------------------------------------------------------------------------------------------


def desk_checked(fact: DeskFact, before: State, running: Running = SEATS, *more: DeskFact) -> None:
    check_fact(2, fact, before, Aside((*more, fact)), running)


def test_a_match_without_clocks_has_readings_of_the_up_time_only() -> None:
    desk_checked(Said("red", "", "Hm"), state(None))
    desk_checked(ClockRead(7, {}, {}), state(None))
    for bad in (
        ClockRead(7, {"red": 1}, {}),
        ClockRead(7, {}, {"red": 1}),
        ClockRead(7, {}, {}, ("red",)),
        ClockPaused(paused=True),
        TimeUp("red"),
    ):
        with pytest.raises(Wrong, match="the match has not"):
            desk_checked(bad, state(None))


def test_a_clock_reading_in_an_aside_is_checked_like_one_in_a_step() -> None:
    later = replace(left(LIVE, red=59_000), at=2000)
    desk_checked(ClockRead.of(later), state(LIVE), ("red",))
    with pytest.raises(Wrong, match="must show"):
        desk_checked(ClockRead.of(later), state(LIVE), SEATS)
    with pytest.raises(Wrong, match="before the reading"):
        desk_checked(ClockRead.of(replace(LIVE, at=999)), state(LIVE))
    desk_checked(ClockRead.of(left(LETTERS, red=5)), state(left(LETTERS, red=6)), None)
    with pytest.raises(Wrong, match="more than it can"):
        desk_checked(ClockRead.of(left(LETTERS, red=7)), state(left(LETTERS, red=6)), None)


def test_time_is_up_only_for_a_seat_that_has_none_left() -> None:
    none = left(LIVE, red=0)
    desk_checked(TimeUp("red"), state(none))
    desk_checked(TimeUp("red"), state(replace(none, away=("red",), allowance={"red": 0})))
    for clock in (left(LIVE, red=1), replace(none, away=("red",)), replace(none, paused=True)):
        with pytest.raises(Wrong, match="has time left"):
            desk_checked(TimeUp("red"), state(clock))


@pytest.mark.parametrize(("kind", "paused"), [("pause", True), ("resume", False)])
def test_clocks_stop_and_go_on_only_if_all_agree_to_that(kind: str, paused: bool) -> None:
    agreed = Offer("red", kind, accepted=("blue",))  # type: ignore[arg-type]
    desk_checked(ClockPaused(paused), state(LIVE, agreed))
    for offers in ((), (replace(agreed, accepted=()),)):
        with pytest.raises(Wrong, match="not all players agreed"):
            desk_checked(ClockPaused(paused), state(LIVE, *offers))
    with pytest.raises(Wrong, match="not all players agreed"):
        desk_checked(ClockPaused(not paused), state(LIVE, agreed))


def test_clocks_are_set_only_to_terms_that_all_agree_on() -> None:
    agreed, off = Offer("red", "clock", LETTERS.terms, accepted=("blue",)), Offer("red", "clock", accepted=("blue",))
    set_ = ClockSet(LETTERS)
    desk_checked(set_, state(LIVE, agreed))
    desk_checked(ClockSet(None), state(LIVE, off))
    away = replace(LIVE, away=("red",), here={"red": "a"})
    desk_checked(ClockSet(replace(LETTERS, away=("red",), here={"red": "a"})), state(away, agreed))
    for fact, before in (
        (set_, state(LIVE)),
        (set_, state(LIVE, replace(agreed, accepted=()))),
        (set_, state(LIVE, replace(agreed, kind="draw"))),
        (set_, state(LIVE, off)),
        (set_, state(away, agreed)),
        (ClockSet(None), state(LIVE, agreed)),
        (ClockSet(left(LETTERS, red=100_001)), state(LIVE, agreed)),
    ):
        with pytest.raises(Wrong, match="agreed on"):
            desk_checked(fact, before)


def test_a_server_that_continues_a_match_must_leave_its_clocks_as_they_stood() -> None:
    stood = replace(left(LIVE, red=5), away=("red",), here={"blue": "b"}, up=("red",))
    moved = replace(stood, at=9, away=(), here={})
    renewed = DiceRenewed("00" * 32)
    desk_checked(ClockSet(moved), state(stood), SEATS, renewed)
    for now, before in (
        (left(moved, red=6), stood),
        (replace(moved, away=("red",)), stood),
        (None, stood),
        (moved, None),
    ):
        with pytest.raises(Wrong, match="as they stood"):
            desk_checked(ClockSet(now), state(before), SEATS, renewed)
