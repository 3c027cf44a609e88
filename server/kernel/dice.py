"""Dice: rolls that the rules request, and the sources of their faces (scripted, recorded, or derived and open to audit)."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterable, Mapping
from typing import Protocol

from msgspec import Struct


class DiceError(Exception):
    """Scripted dice that do not fit what the rules ask for: too few, left over, or no face of such a die."""


MOST_SIDES = 256
"""A face is made of one byte (see `die`)."""


class Roll(Struct, frozen=True, gc=False):
    """A procedure's request for dice: `count` dice of `sides` sides. `stream` is "" for open rolls; a roll that must stay
    secret has a stream of its own, so that nothing can be counted. `purpose` is what the dice are for: the key that the
    `Rolled` fact after them carries.

    Raises:
        DiceError: a die has more sides than `MOST_SIDES`, or none.
    """

    count: int
    sides: int = 6
    stream: str = ""
    purpose: str = ""

    def __post_init__(self) -> None:
        if not 1 <= self.sides <= MOST_SIDES:
            raise DiceError(f"a die has 1 to {MOST_SIDES} sides, not {self.sides}")


class Taken(Struct, frozen=True, array_like=True, gc=False):
    """A roll as it was logged: the stream, the number of its first die in that stream, the sides, the faces."""

    stream: str
    first: int
    sides: int
    faces: tuple[int, ...]


class Dice(Protocol):
    """A source of faces."""

    def faces(self, roll: Roll) -> Taken:
        """Return the faces for `roll`."""
        ...


class ScriptedDice:
    """Faces written down beforehand, for tests and cases. Too few, or dice left over (`finish`), is a `DiceError`."""

    def __init__(self, faces: Iterable[int]) -> None:
        self._left = list(faces)
        self._next: dict[str, int] = {}

    def faces(self, roll: Roll) -> Taken:
        if len(self._left) < roll.count:
            raise DiceError(f"the rules ask for {roll.count}D{roll.sides} and {len(self._left)} scripted dice are left")
        faces, self._left = self._left[: roll.count], self._left[roll.count :]
        for face in faces:
            if not 1 <= face <= roll.sides:
                raise DiceError(f"a D{roll.sides} has no face {face}")
        first = self._next.get(roll.stream, 0)
        self._next[roll.stream] = first + roll.count
        return Taken(roll.stream, first, roll.sides, tuple(faces))

    @property
    def left(self) -> int:
        """How many scripted dice have not fallen."""
        return len(self._left)

    def finish(self) -> None:
        """Raise `DiceError` if scripted dice are left over."""
        if self._left:
            raise DiceError(f"{len(self._left)} scripted dice were never rolled: {self._left}")


def die(secret: bytes, context: str, stream: str, number: int, sides: int) -> int:
    """Return die `number` of `stream`, derived from HMAC-SHA256(secret, context | stream | number) by rejection sampling.

    `context` is the match's id and the seats' randomness (see `dice_context`). Bytes of the digest are taken in order; one
    that would make a face likelier than another is skipped; when all are used up, the digest of the next block is taken.
    """
    limit = 256 - 256 % sides
    block = 0
    while True:
        message = f"{context}|{stream}|{number}|{block}".encode()
        for byte in hmac.digest(secret, message, hashlib.sha256):
            if byte < limit:
                return byte % sides + 1
        block += 1


def dice_context(match: str, randomness: Mapping[str, str]) -> str:
    """Return what the dice of a match derive from in addition to the server's secret: its id and each seat's randomness, in
    seat order.
    """
    return "|".join((match, *(f"{seat}={randomness[seat]}" for seat in sorted(randomness))))


class DerivedDice:
    """The dice of a live match: every face follows from the secret, the seats' randomness and its number.

    Counters never turn back: when a logged match continues, they start after the dice that have fallen (`counters`).
    """

    def __init__(self, secret: bytes, context: str, counters: Mapping[str, int]) -> None:
        self._secret = secret
        self._context = context
        self._next = dict(counters)

    def faces(self, roll: Roll) -> Taken:
        first = self._next.get(roll.stream, 0)
        self._next[roll.stream] = first + roll.count
        numbers = range(first, first + roll.count)
        faces = tuple(die(self._secret, self._context, roll.stream, n, roll.sides) for n in numbers)
        return Taken(roll.stream, first, roll.sides, faces)


class RecordedDice:
    """Rolls as they were logged, in order, for rebuilding: a roll that does not fit is a `DiceError`."""

    def __init__(self, taken: Iterable[Taken]) -> None:
        self._left = list(taken)

    def faces(self, roll: Roll) -> Taken:
        if not self._left:
            raise DiceError(f"the rules ask for {roll.count}D{roll.sides}; the log has no more rolls")
        taken = self._left.pop(0)
        if (taken.stream, taken.sides, len(taken.faces)) != (roll.stream, roll.sides, roll.count):
            raise DiceError(f"the rules ask for {roll}; the log has {taken}")
        return taken

    @property
    def left(self) -> int:
        """How many logged rolls have not been asked for."""
        return len(self._left)
