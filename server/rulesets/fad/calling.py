"""Calling fire: the questions about who may call it, and how well that goes."""

from __future__ import annotations

from server.kernel.questions import Question


class MayCall(Question, frozen=True):
    """Whether `figure` of `unit` may call fire: it may if its number is 1 or more. Each line says in what capacity it does."""

    unit: str
    figure: str


class TimingNeed(Question, frozen=True):
    """The number that each die of the timing test must reach when `figure` of `unit` calls fire."""

    unit: str
    figure: str
