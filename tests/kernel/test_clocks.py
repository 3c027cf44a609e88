"""The arithmetic of clocks: what runs, for whom, and when it runs out."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.clocks import ClockTerms
from server.kernel.clocks import Clock, asked, begun, decided, read, run_out, runs_out
from server.kernel.desk_facts import ClockPaused, ClockRead, DiceRenewed, SeatAway, SeatHere, TimeUp
from server.kernel.facts import Fact
from server.kernel.state import State
from tests.support.playing import SECRET
from tests.support.toy_rules import ToyRules

LIVE = ClockTerms("live", bank=60, increment=5, allowance=20, at_zero="claim")
LETTERS = ClockTerms("correspondence", bank=3600)
SEATS = ("red", "blue")


def live(**changes: object) -> Clock:
    return replace(begun(LIVE, SEATS, at=1000), **changes)


def test_a_clock_runs_for_the_seats_that_are_asked() -> None:
    clock = read(live(), ("red",), 11_000)
    assert clock.remaining == {"red": 50_000, "blue": 60_000}
    assert clock.at == 11_000
    both = read(clock, SEATS, 13_000)
    assert both.remaining == {"red": 48_000, "blue": 58_000}


def test_a_seat_that_is_away_uses_up_the_allowance_first() -> None:
    clock = read(live(away=("red",)), SEATS, 16_000)
    assert (clock.remaining, clock.allowance) == ({"red": 60_000, "blue": 45_000}, {"red": 5_000, "blue": 20_000})
    later = read(clock, SEATS, 23_000)
    assert (later.remaining, later.allowance) == ({"red": 58_000, "blue": 38_000}, {"red": 0, "blue": 20_000})


def test_a_clock_that_is_paused_stands_still_and_never_goes_back() -> None:
    assert read(live(paused=True), SEATS, 50_000) == live(paused=True, at=50_000), "and what passes meanwhile is past"
    assert read(live(), (), 50_000) == live(at=50_000)
    assert read(live(), SEATS, 500) == live(), "an up-time that lies before the last one is taken for it"
    assert read(live(), ("red",), 10_000_000).remaining["red"] == 0


def test_a_live_decision_earns_the_increment_and_a_new_correspondence_one_the_whole_time() -> None:
    assert decided(live(up=("red",)), "red") == live(remaining={"red": 65_000, "blue": 60_000})
    letters = read(begun(LETTERS, SEATS, 0), ("red",), 3_000_000)
    assert decided(letters, "red") == letters
    assert asked(letters, ("red",)).remaining == {"red": 3_600_000, "blue": 3_600_000}
    spent = live(remaining={"red": 1, "blue": 2})
    assert asked(spent, SEATS) == spent


def test_a_late_decision_ends_the_others_claim_though_it_earns_no_increment() -> None:
    letters = begun(replace(LETTERS, increment=5), SEATS, 0)
    late = replace(letters, remaining={"red": 0, "blue": 0}, up=SEATS)
    assert decided(late, "red") == replace(late, up=("blue",)), "an increment is for live clocks"


def test_a_clock_runs_out_when_the_first_asked_seat_has_no_time_left() -> None:
    clock = live(remaining={"red": 3_000, "blue": 4_000})
    assert runs_out(clock, SEATS) == 4_000
    assert runs_out(clock, ("blue",)) == 5_000
    assert runs_out(replace(clock, away=("red",)), ("red",)) == 24_000
    assert runs_out(replace(clock, up=("red",)), ("red",)) is None, "that has been said"
    assert runs_out(replace(clock, paused=True), SEATS) is None
    assert runs_out(clock, ()) is None


def test_a_seat_counts_as_out_of_time_from_that_very_millisecond() -> None:
    clock = live(remaining={"red": 3_000, "blue": 4_000})
    assert run_out(clock, SEATS, 3_999) == ()
    assert run_out(clock, SEATS, 4_000) == ("red",)
    assert run_out(clock, SEATS, 5_000) == ("red", "blue")
    assert run_out(replace(clock, away=("red",)), ("red",), 23_999) == ()
    assert run_out(replace(clock, away=("red",)), ("red",), 24_000) == ("red",)
    assert run_out(replace(clock, up=("red",)), SEATS, 99_000) == ("blue",), "that has been said"
    nothing = live(remaining={"red": 0, "blue": 1})
    assert run_out(replace(nothing, paused=True), SEATS, 99_000) == ()
    assert run_out(replace(nothing, away=("red",)), ("red",), 20_999) == (), "the allowance is left"
    assert run_out(replace(nothing, away=("red",)), ("red",), 21_000) == ("red",)


def test_a_new_clock_keeps_the_seats_that_are_away() -> None:
    before = live(away=("red",), here={"red": "a"}, remaining={"red": 1, "blue": 1})
    after = begun(LETTERS, SEATS, 7000, before)
    assert (after.away, after.here, after.allowance) == (("red",), {"red": "a"}, {})
    assert after.remaining == {"red": 3_600_000, "blue": 3_600_000}


def desk(clock: Clock | None) -> State:
    opened = ToyRules().open("duel", {})
    return replace(opened, desk=replace(opened.desk, clock=clock))


def folded(clock: Clock, *facts: Fact) -> Clock:
    state = desk(clock)
    for fact in facts:
        state = fact.fold(state)
    assert state.desk.clock is not None
    return state.desk.clock


def test_a_seat_is_away_that_has_lost_the_link_it_was_last_seen_by() -> None:
    clock = folded(live(), SeatHere("red", "a"), SeatHere("blue", "b"))
    assert (clock.here, clock.away) == ({"red": "a", "blue": "b"}, ())
    assert folded(clock, SeatHere("red", "c"), SeatAway("red", "a")).away == (), "it has another one by now"
    assert folded(clock, SeatAway("red", "")).away == (), "or the first one"
    gone = folded(clock, SeatAway("red", "a"), SeatAway("blue", "b"), SeatAway("red", "a"))
    assert gone.away == ("red", "blue")
    back = folded(gone, SeatHere("red", "d"))
    assert (back.here, back.away) == ({"red": "d", "blue": "b"}, ("blue",))
    assert folded(live(), SeatAway("red", "")).away == ("red",), "it never was there"


def test_time_is_up_once_and_read_as_it_is_told() -> None:
    clock = folded(live(), TimeUp("red"), TimeUp("blue"), TimeUp("red"))
    assert clock.up == ("red", "blue")
    read_ = folded(clock, ClockRead(9_000, {"red": 1}, {"red": 2}, ("blue",)))
    assert read_ == replace(clock, at=9_000, remaining={"red": 1}, allowance={"red": 2}, up=("blue",))
    assert ClockRead.of(read_) == ClockRead(9_000, {"red": 1}, {"red": 2}, ("blue",))


def test_where_there_are_no_clocks_nothing_befalls_them() -> None:
    state = desk(None)
    for fact in (
        SeatHere("red", "a"),
        SeatAway("red", ""),
        TimeUp("red"),
        ClockPaused(paused=True),
        ClockRead(1, {}, {}),
    ):
        assert fact.fold(state) is state


def test_a_forked_match_begins_without_players_and_shares_of_dice() -> None:
    state = desk(None)
    before = replace(
        state.desk,
        players={"red": "Ada"},
        digests={"red": "00"},
        randomness={"red": "00"},
        secret=SECRET.hex(),
        conceded=("red",),
    )
    after = DiceRenewed("ab").fold(replace(state, desk=before)).desk
    assert after == replace(state.desk, commitment="ab", conceded=("red",))
