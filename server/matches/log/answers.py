"""The answers in a match's log: which have come, and the frame that each made for its seat. Pure."""

from __future__ import annotations

_EDGE = b"\xff"
"""Stands before and after each id: no text has this byte in UTF-8."""
_DIGITS = 5
"""A number is written in so many bytes of six bits each, with which no text begins in UTF-8 (0x80 to 0xBF)."""
_PLACES = tuple(6 * digit for digit in range(_DIGITS))


class Answers:
    """Answers by their ids, in one string of bytes: a match keeps all of them to its end, and in a map each would take four times
    as much.
    """

    __slots__ = ("_written",)

    def __init__(self) -> None:
        self._written = bytearray()

    def add(self, answer: str, seq: int) -> None:
        """Add an answer, and the number of the frame that it made for its seat (-1: none)."""
        number = bytes([0x80 | (seq + 1) >> place & 0x3F for place in _PLACES])
        self._written += _EDGE + answer.encode() + _EDGE + number

    def get(self, answer: str) -> int | None:
        """Return the number of the frame that an answer made (-1: none), or None if it has not come."""
        key = _EDGE + answer.encode() + _EDGE
        found = self._written.rfind(key)
        if found < 0:
            return None
        start = found + len(key)
        return _number(self._written[start : start + _DIGITS])

    def all(self) -> dict[str, int]:
        """Return all answers, with the numbers of their frames."""
        _, *parts = self._written.split(_EDGE)
        return {answer.decode(): _number(digits) for answer, digits in zip(parts[::2], parts[1::2], strict=True)}


def _number(digits: bytearray) -> int:
    """Return the number that is written in these bytes."""
    return sum((digit & 0x3F) << 6 * place for place, digit in enumerate(digits)) - 1
