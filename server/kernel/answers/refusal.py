"""Refusals of answers."""

from __future__ import annotations

from msgspec import Struct

from server.kernel.space.geometry import Point, beyond, inches_text


class Refusal(Struct, frozen=True):
    """Why an answer is refused: a code, a sentence that says what would be allowed, the rule, and for a path the figure and
    the place on the table.
    """

    code: str
    sentence: str
    rule: str = ""
    where: Point | None = None
    figure: str = ""


def too_far_apart(name: str, widest: int, limit: int) -> str:
    """Return the sentence for figures called `name`, with a gap of `widest` between them, where `limit` is the most (mil)."""
    return f"{name} would be {beyond(widest, limit)} apart; its figures may be at most {inches_text(limit)} apart."
