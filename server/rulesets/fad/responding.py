"""What is added to the die of a unit's Command Response test: the question that the module of that name asks."""

from __future__ import annotations

from server.kernel.questions import Question


class CommandResponse(Question, frozen=True):
    """What is added to the die of `unit`'s Command Response test."""

    unit: str
