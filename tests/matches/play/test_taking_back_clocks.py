"""Clocks after a take-back: they do not turn back, and each seat keeps the time that it gained or lost."""

from __future__ import annotations

from msgspec.structs import replace

from client_protocol.clocks import ClockTerms
from server.kernel import clocks
from server.kernel.clocks import Clock
from server.matches.log.trail import Mark
from server.matches.play.taking_back import WayBack, clock_after

LIVE = clocks.begun(ClockTerms("live", bank=60, increment=5), ("red", "blue"), 0)
LETTERS = clocks.begun(ClockTerms("correspondence", bank=100), ("red", "blue"), 0)


def decision(seat: str, before: Clock | None, after: Clock | None, sealed: tuple[str, ...] = ()) -> Mark:
    """Return a step of `seat` between these clocks, with answers of the `sealed` seats that waited for it."""
    return Mark(1, seat, False, False, False, sealed, 1, (), before, after)


def remaining(way: tuple[Mark, ...], clock: Clock, running: tuple[str, ...] = (), up: int = 0) -> dict[str, int]:
    after = clock_after(WayBack(way[0], way, free=True), clock, running, up)
    assert after is not None
    return after.remaining


def test_a_take_back_takes_the_increments_of_undone_decisions_from_live_clocks() -> None:
    both = (decision("red", LIVE, LIVE, sealed=("blue",)), decision("red", LIVE, LIVE))
    assert remaining(both, LIVE) == {"red": 50_000, "blue": 55_000}
    assert remaining(both, LIVE, ("red",), 3_000) == {"red": 47_000, "blue": 55_000}
    assert remaining(both, LIVE, ("red",), 53_000)["red"] == 0, "and no more than there is"
    begins = replace(both[0], seat="")
    assert remaining((begins,), LIVE) == LIVE.remaining, "only who decides earns anything"
    other = replace(LIVE, terms=replace(LIVE.terms, bank=61))
    assert remaining((decision("red", other, LIVE), decision("blue", None, LIVE)), LIVE) == LIVE.remaining


def test_a_correspondence_decision_taken_back_has_the_time_that_was_left_for_it() -> None:
    spent = replace(LETTERS, at=7_000, remaining={"red": 40_000, "blue": 30_000})
    step = decision("red", spent, replace(LETTERS, at=9_000), sealed=("blue",))
    assert remaining((step,), LETTERS) == {"red": 38_000, "blue": 30_000}, "blue waited, and was not waited for"
    assert remaining((step,), replace(LETTERS, remaining={"red": 5_000, "blue": 6_000})) == {
        "red": 5_000,
        "blue": 6_000,
    }
    stopped = decision("red", replace(spent, paused=True), replace(LETTERS, at=9_000))
    assert remaining((stopped,), LETTERS) == spent.remaining
    for before in (None, replace(spent, terms=replace(spent.terms, bank=101))):
        assert remaining((decision("red", before, LETTERS),), LETTERS) == LETTERS.remaining
    assert clock_after(WayBack(step, (step,), free=True), None, (), 0) is None
