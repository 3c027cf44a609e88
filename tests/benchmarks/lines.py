"""The lines that a benchmark prints: a figure each, with its floor, the ratio, the aim, and whether the aim is met."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import median

Unit = Callable[[float], str]
"""How a figure is written."""


def microseconds(seconds: float) -> str:
    return f"{seconds * 1e6:,.0f} µs"


def milliseconds(seconds: float) -> str:
    return f"{seconds * 1e3:,.1f} ms"


def per_second(number: float) -> str:
    return f"{number:,.0f} /s" if number >= 100 else f"{number:,.1f} /s"


def whole(number: float) -> str:
    return f"{number:,.0f}"


def octets(number: float) -> str:
    return f"{number:,.0f} B"


def kilobytes(number: float) -> str:
    return f"{number / 1000:,.1f} kB"


@dataclass(frozen=True)
class Aim:
    """What is aimed at: a bound on the figure itself, or on its ratio to the floor."""

    bound: float
    most: bool
    of_floor: bool

    def met(self, ours: float, floor: float | None) -> bool:
        assert floor is not None or not self.of_floor, "a ratio needs a floor"
        value = ours / floor if self.of_floor and floor is not None else ours
        return value <= self.bound if self.most else value >= self.bound

    def text(self, unit: Unit) -> str:
        sign = "≤" if self.most else "≥"
        return f"{sign} {self.bound:g} x" if self.of_floor else f"{sign} {unit(self.bound)}"


def at_most(bound: float) -> Aim:
    return Aim(bound, most=True, of_floor=False)


def at_least(bound: float) -> Aim:
    return Aim(bound, most=False, of_floor=False)


def at_most_floor(ratio: float) -> Aim:
    return Aim(ratio, most=True, of_floor=True)


def at_least_floor(ratio: float) -> Aim:
    return Aim(ratio, most=False, of_floor=True)


@dataclass(frozen=True)
class Line:
    """One figure of ours and of the floor. `floor_is` names the floor in words."""

    what: str
    unit: Unit
    ours: float
    floor: float | None
    aim: Aim | None
    floor_is: str

    @property
    def met(self) -> bool:
        """Whether the aim is met, if there is one."""
        return self.aim is not None and self.aim.met(self.ours, self.floor)

    def text(self) -> str:
        floor = "" if self.floor is None else self.unit(self.floor)
        ratio = "" if not self.floor else _ratio(self.ours / self.floor)
        verdict = "met" if self.met else "not met" if self.aim else ""
        aim = self.aim.text(self.unit) if self.aim else ""
        row = f"{self.what:<64} {self.unit(self.ours):>13} {floor:>13} {ratio:>6}   {aim:<13} {verdict:<8}"
        return f"{row} {self.floor_is}"


def _ratio(value: float) -> str:
    return f"{value:.2f}" if value >= 0.1 else f"{value:.1g}"


HEAD = f"{'what':<64} {'ours':>13} {'floor':>13} {'ratio':>6}   {'aim':<13} {'verdict':<8} the floor is"


def line(
    what: str, unit: Unit, ours: Sequence[float], floor: Sequence[float] | None, aim: Aim | None, floor_is: str = ""
) -> Line:
    """A line from the figures of several rounds: their medians."""
    return Line(what, unit, median(ours), None if floor is None else median(floor), aim, floor_is)


def percentile(values: Sequence[float], percent: float) -> float:
    """The least value that so many percent of them do not exceed."""
    ordered = sorted(values)
    return ordered[max(0, -int(-len(ordered) * percent // 100) - 1)]
