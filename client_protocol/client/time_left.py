"""The time that seats have left now: a view has the last reading of the clocks, and the client counts on from it."""

from __future__ import annotations

from dataclasses import dataclass

from client_protocol.view import View


@dataclass(frozen=True)
class TimeLeft:
    """A seat's clock at a moment, in milliseconds. `allowance` is used up before `remaining` while the player is away."""

    remaining: int
    allowance: int = 0
    running: bool = False
    away: bool = False

    @property
    def out(self) -> bool:
        """Whether the seat's time is up, as far as the client can tell: the server decides what follows."""
        return self.remaining == 0 and not (self.away and self.allowance)


def time_left(view: View, up: int) -> dict[str, TimeLeft]:
    """Return each seat's clock at the server's up-time `up` (ms); empty without clocks.

    Args:
        view: the current view.
        up: the up-time now: the last one from the server, plus the milliseconds since then.
    """
    clock = view.clock
    if clock is None:
        return {}
    found = {}
    for seat, remaining in clock.remaining.items():
        at = view.seats.get(seat)
        running = not clock.paused and view.result is None and at is not None and at.asked and not at.sealed
        spent = max(0, up - clock.at) if running else 0
        allowance, away = clock.allowance.get(seat, 0), seat in clock.away
        spared = min(spent, allowance) if away else 0
        found[seat] = TimeLeft(max(0, remaining - (spent - spared)), allowance - spared, running, away)
    return found
