"""Numbers of the rules as typed questions, answered with every line that made them.

A question is a frozen struct that names what is asked about (`FireEffect(shooter, target)`). A chapter that affects it
registers an adviser for its type; the lines count by stage: the last SET gives the value, ADD lines are added, SCALE lines
multiply (in percent), CAP lines bound it. Nothing adds a modifier any other way.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, TypeVar

from client_protocol.explained import Explained, Line
from server.kernel.structs import Fixed

if TYPE_CHECKING:
    from server.kernel.state import State


class Question(Fixed, frozen=True):
    """The base of all questions. `unit` of an answer: "" for plain numbers, "mil" for lengths (class attribute below)."""


Q = TypeVar("Q", bound=Question)
Adviser = Callable[["State", Q], Iterable[Line]]


def total(lines: Iterable[Line], unit: str = "") -> Explained:
    """Return the number that `lines` make, with the lines in the order in which they count."""
    by_stage: dict[str, list[Line]] = {"SET": [], "ADD": [], "SCALE": [], "CAP": []}
    for line in lines:
        by_stage[line.stage].append(line)
    value = by_stage["SET"][-1].amount if by_stage["SET"] else 0
    value += sum(line.amount for line in by_stage["ADD"])
    for line in by_stage["SCALE"]:
        value = value * line.amount // 100
    bounding = []
    for line in by_stage["CAP"]:
        bounded = max(value, line.amount) if line.floor else min(value, line.amount)
        if bounded != value:
            bounding.append(line)
            value = bounded
    return Explained(value, (*by_stage["SET"][-1:], *by_stage["ADD"], *by_stage["SCALE"], *bounding), unit)


class Advisers:
    """The advisers of each question. Filled once when a rule set is loaded, then only read."""

    def __init__(self) -> None:
        self._advisers: dict[type[Question], list[Callable[..., Iterable[Line]]]] = {}
        self._ranks: dict[type[Question], list[int]] = {}
        self._units: dict[type[Question], str] = {}

    def add(self, question: type[Q], adviser: Adviser[Q], unit: str = "", *, rank: int = 0) -> None:
        """Register `adviser` for every `question`.

        Lines are collected by rank, the lowest first, and within a rank in the order of registration. A chapter that wants
        others to be able to speak between its own lines gives them ranks with names.
        """
        ranks = self._ranks.setdefault(question, [])
        place = sum(other <= rank for other in ranks)
        ranks.insert(place, rank)
        self._advisers.setdefault(question, []).insert(place, adviser)
        if unit:
            self._units[question] = unit

    def answer(self, state: State, question: Question, *given: Line) -> Explained:
        """Return the answer to `question` in `state`. `given` are lines known only now (the dice that fell), counted first."""
        lines = list(given)
        for adviser in self._advisers.get(type(question), ()):
            lines.extend(adviser(state, question))
        return total(lines, self._units.get(type(question), ""))
