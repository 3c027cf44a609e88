"""What a load came to: how long things took, and what went wrong. Pure."""

from __future__ import annotations

from bisect import insort
from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Figures:
    """Times in seconds, each list in ascending order, and counts.

    `acknowledged` are times from sending a decision to its acknowledgement, `seen` to the other seat's frame, `watched` to a
    spectator's frame. `refused` counts refusals by code, `reconnected` the connections that were lost and came back.
    """

    acknowledged: list[float] = field(default_factory=list)
    seen: list[float] = field(default_factory=list)
    watched: list[float] = field(default_factory=list)
    refused: Counter[str] = field(default_factory=Counter)
    matches: int = 0
    reconnected: int = 0

    def clear(self) -> None:
        """Forget all times and refusals so far: only what comes is measured."""
        for times in (self.acknowledged, self.seen, self.watched):
            times.clear()
        self.refused.clear()

    @staticmethod
    def note(times: list[float], seconds: float) -> None:
        """Add a time to one of the lists."""
        insort(times, seconds)


def percentile(times: list[float], share: float) -> float:
    """Return the time that a share (0 to 1) of the times do not exceed; 0 if there are none."""
    return times[min(len(times) - 1, int(len(times) * share))] if times else 0.0


def report(figures: Figures, seconds: float) -> list[str]:
    """Return the figures as lines of text; `seconds` is how long the load lasted."""
    answers = len(figures.acknowledged)
    lines = [
        f"{answers:,} decisions in {figures.matches} matches in {seconds:.0f} s: {answers / seconds:,.1f} a second.",
        f"{'':34}{'p50':>9}{'p90':>9}{'p99':>9}{'most':>9}",
    ]
    for what, times in (
        ("until it was acknowledged", figures.acknowledged),
        ("until the other seat had it", figures.seen),
        ("until a spectator had it", figures.watched),
    ):
        if times:
            shown = [percentile(times, share) for share in (0.5, 0.9, 0.99)]
            cells = "".join(f"{1000 * one:6.1f} ms" for one in (*shown, times[-1]))
            lines.append(f"{what:34}{cells}")
    if figures.refused:
        lines.append("Refused: " + ", ".join(f"{code} {count}" for code, count in figures.refused.most_common()) + ".")
    if figures.reconnected:
        lines.append(f"Connections that were lost and came back: {figures.reconnected}.")
    return lines
