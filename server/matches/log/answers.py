"""The answers in a match's log: which have come, and the frame that each made for its seat. Pure."""

from __future__ import annotations

_EDGE = b"\xff"
"""Stands before and after each id: no text has this byte in UTF-8."""
_NUMBER = b"\xfe"
"""Stands before each number: with this byte no text begins in UTF-8."""


class Answers:
    """Answers by their ids, in one string of bytes: a match keeps all of them to its end, and in a map each would take four times
    as much.
    """

    __slots__ = ("_written",)

    def __init__(self) -> None:
        self._written = bytearray()

    def add(self, answer: str, seq: int) -> None:
        """Add an answer, and the number of the frame that it made for its seat (-1: none)."""
        self._written += b"%b%b%b%b%d" % (_EDGE, answer.encode(), _EDGE, _NUMBER, seq)

    def get(self, answer: str) -> int | None:
        """Return the number of the frame that an answer made (-1: none), or None if it has not come."""
        key = _EDGE + answer.encode() + _EDGE
        found = self._written.rfind(key)
        if found < 0:
            return None
        number, _, _ = self._written[found + len(key) + len(_NUMBER) :].partition(_EDGE)
        return int(number)

    def all(self) -> dict[str, int]:
        """Return all answers, with the numbers of their frames."""
        _, *parts = self._written.split(_EDGE)
        return {
            answer.decode(): int(number.removeprefix(_NUMBER))
            for answer, number in zip(parts[::2], parts[1::2], strict=True)
        }
