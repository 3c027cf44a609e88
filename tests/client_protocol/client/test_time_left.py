"""A client's reading of the clocks is the server's."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from client_protocol.client.time_left import TimeLeft, time_left
from client_protocol.clocks import ClockTerms, ClockView
from client_protocol.view import ResultView, SeatView, View
from server.kernel.clocks import Clock, read, run_out

SEATS = ("blue", "red")
TERMS = ClockTerms("live", 60, 5, 30)


def view(clock: ClockView | None, *, over: bool = False, asked: str = "blue red", sealed: str = "") -> View:
    seats = {seat: SeatView(seat, asked=seat in asked, sealed=seat in sealed) for seat in SEATS}
    result = ResultView("", "Agreed.", "", "agreement") if over else None
    return View("A fight", 1, 6, "play", "", "", {}, seats, {}, {}, result, clock=clock)


millis = st.integers(0, 60_000)
some_seats = st.sampled_from([(), ("blue",), ("red",), SEATS])


@settings(max_examples=400)
@given(
    at=millis,
    remaining=st.fixed_dictionaries(dict.fromkeys(SEATS, millis)),
    allowance=st.fixed_dictionaries(dict.fromkeys(SEATS, millis)),
    away=some_seats,
    asked=some_seats,
    sealed=some_seats,
    paused=st.booleans(),
    now=st.integers(0, 90_000),
)
def test_time_left_agrees_with_the_servers_reading(
    *,
    at: int,
    remaining: dict[str, int],
    allowance: dict[str, int],
    away: tuple[str, ...],
    asked: tuple[str, ...],
    sealed: tuple[str, ...],
    paused: bool,
    now: int,
) -> None:
    running = tuple(seat for seat in asked if seat not in sealed)
    clock = Clock(TERMS, at, remaining, allowance, away=away, paused=paused)
    told = ClockView(TERMS, at, remaining, allowance, away, paused)
    found = time_left(view(told, asked=" ".join(asked), sealed=" ".join(sealed)), now)
    then = read(clock, running, now)
    assert {seat: (left.remaining, left.allowance) for seat, left in found.items()} == {
        seat: (then.remaining[seat], then.allowance[seat]) for seat in SEATS
    }
    out = {seat for seat, left in found.items() if left.running and left.out}
    assert out == set(run_out(clock, running, now))


def test_no_time_runs_without_a_clock_or_after_the_end() -> None:
    told = ClockView(TERMS, 0, {"blue": 1000, "red": 1000})
    assert time_left(view(None), 500) == {}
    assert time_left(view(told, over=True), 500) == dict.fromkeys(SEATS, TimeLeft(1000))
    assert time_left(view(told), 500) == dict.fromkeys(SEATS, TimeLeft(500, running=True))


def test_a_seat_that_is_away_uses_up_the_allowance_first() -> None:
    told = ClockView(TERMS, 1000, {"blue": 5000, "red": 5000}, {"blue": 2000, "red": 2000}, away=("blue",))
    left = {up: time_left(view(told), up)["blue"] for up in (500, 2500, 3000, 4000, 9000)}
    assert {up: (one.allowance, one.remaining, one.out) for up, one in left.items()} == {
        500: (2000, 5000, False),
        2500: (500, 5000, False),
        3000: (0, 5000, False),
        4000: (0, 4000, False),
        9000: (0, 0, True),
    }
    assert time_left(view(told), 3000)["red"] == TimeLeft(3000, 2000, running=True)
