"""The load generator of matches at a pace: a decision is due at its time, whether the server has kept up until then or not.

What is measured is the time from when a decision was due until the other seat has its frame, so that a server that falls
behind is found out.
"""

from __future__ import annotations

import heapq
import itertools
import random
import time
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from types import TracebackType
from typing import Self, cast

from msgspec import Raw, Struct
from msgspec.msgpack import Decoder

from client_protocol import codec
from client_protocol.choices import Picked, Prompt
from client_protocol.from_client import Answer
from server.load.bots import decided
from tests.benchmarks.ears import Ears
from tests.benchmarks.load import Contender
from tests.benchmarks.prepared import Prepared
from tests.benchmarks.sockets import PATIENCE, WebSocket

WARM = 0.2
"""The share of the time after which what is measured counts."""


class _Choice(Struct):
    """What a bot must know of a choice."""

    key: str
    parameters: tuple[Raw, ...] = ()
    why: dict[str, Raw] | None = None


class _Prompt(Struct):
    """What a bot must know of a prompt."""

    id: str
    choices: tuple[_Choice, ...]
    default: Picked
    answered: bool = False


class _Told(Struct):
    """What a bot must know of a message."""

    type: str
    prompt: _Prompt | None = None
    closed: bool = False


_numbers = itertools.count()
_told = Decoder(_Told).decode


class PacedMatch(ABC):
    """A match with a socket for each of its two seats."""

    def __init__(self, seats: dict[str, WebSocket]) -> None:
        self.seats = seats
        self.waits = ""
        """The seat that is to see the last decision; "" when it has."""

    @abstractmethod
    def decide(self) -> bool:
        """Send a decision. Return False if there is none to be made now."""

    @abstractmethod
    def hear(self, seat: str, payload: bytes) -> bool:
        """Take a message to a seat; return whether it is the frame that the last decision has made."""

    def close(self) -> None:
        """Leave."""
        for socket in self.seats.values():
            socket.close()

    def other(self, seat: str) -> str:
        """The other seat."""
        return next(key for key in self.seats if key != seat)


class BotMatch(PacedMatch):
    """A match of Underfire that two bots play, as those of `underfire load` do."""

    def __init__(self, contender: Contender, prepared: Prepared, chance: random.Random) -> None:
        super().__init__({seat: WebSocket(contender.child.port, inflates=True) for seat in prepared.seats})
        self._prompts: dict[str, _Prompt | None] = dict.fromkeys(prepared.seats)
        self._chance = chance
        # Others may have played this match before.
        self._name = f"decision-{next(_numbers)}"
        self._decisions = 0
        for seat, socket in self.seats.items():
            socket.send(prepared.entering(seat))
            for _ in range(contender.greetings):
                self.hear(seat, socket.take())

    def decide(self) -> bool:
        for seat, prompt in self._prompts.items():
            if prompt is not None and not prompt.answered:
                # It has all of a prompt that is looked at.
                picked = decided(cast("Prompt", prompt), self._chance)
                self._decisions += 1
                self._prompts[seat] = None
                self.waits = self.other(seat)
                message = Answer(f"{self._name}-{self._decisions}", prompt.id, picked.choice, picked.values)
                self.seats[seat].send(codec.encode(message))
                return True
        return False

    def hear(self, seat: str, payload: bytes) -> bool:
        told = _told(payload)
        assert told.type != "refused", payload
        if told.prompt is not None or told.closed:
            self._prompts[seat] = told.prompt
        if told.type != "update" or seat != self.waits:
            return False
        self.waits = ""
        return True


class FloorMatch(PacedMatch):
    """A match of the floor: its seats send orders of one size in turns."""

    def __init__(self, contender: Contender, prepared: Prepared, order: bytes) -> None:
        super().__init__({seat: WebSocket(contender.child.port) for seat in prepared.seats})
        self._order = order
        self._next = prepared.seats[0]
        for seat, socket in self.seats.items():
            socket.send(prepared.entering(seat))
            for _ in range(contender.greetings):
                socket.take()

    def decide(self) -> bool:
        self.seats[self._next].send(self._order)
        self._next = self.waits = self.other(self._next)
        return True

    def hear(self, seat: str, payload: bytes) -> bool:
        if not payload or seat != self.waits:
            return False
        self.waits = ""
        return True


class Crowd:
    """Matches on a server that decide at a pace, as many as were asked for until now. Use it as a context manager.

    Args:
        sit: comes to the match with a number.
        chance: says when each decision is due.
    """

    def __init__(self, sit: Callable[[int], PacedMatch], chance: random.Random) -> None:
        self._sit = sit
        self._chance = chance
        self._matches: list[PacedMatch] = []
        self._ears = Ears()
        self._due: dict[int, float] = {}
        self._late: dict[int, list[float]] = {}
        self._times: list[tuple[float, float]] = []
        self._warm: set[int] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ears.__exit__(kind, error, trace)
        for match in self._matches:
            match.close()

    def __len__(self) -> int:
        return len(self._matches)

    def pace(self, number: int, every: float, seconds: float) -> list[float]:
        """Play so many matches for a while, and return how long each decision took, in seconds, once they are warm.

        Args:
            number: how many matches decide; if there are others, their connections stay.
            every: seconds between two decisions of a match, on average.
            seconds: for how long.
        """
        while len(self._matches) < number:
            self._come()
        began = time.perf_counter()
        coming = [(began + self._chance.uniform(0, every), match) for match in range(number)]
        heapq.heapify(coming)
        while coming or self._due:
            now = time.perf_counter()
            while coming and coming[0][0] <= now:
                at, match = heapq.heappop(coming)
                if (following := at + self._chance.uniform(0.5, 1.5) * every) < began + seconds:
                    heapq.heappush(coming, (following, match))
                if match in self._due:
                    self._late.setdefault(match, []).append(at)
                elif self._matches[match].decide():
                    self._due[match] = at
            heard = self._ears.hear(coming[0][0] - now if coming else PATIENCE)
            assert heard or coming, "the server says nothing more"
        self._late.clear()
        times, self._times = self._times, []
        return [took for at, took in times if at >= began + WARM * seconds]

    def _come(self) -> None:
        number = len(self._matches)
        match = self._sit(number)
        self._matches.append(match)
        for seat, socket in match.seats.items():
            self._ears.add(socket, partial(self._take, number, seat))
        self._ears.hear(0)

    def _take(self, number: int, seat: str, payload: bytes) -> None:
        match = self._matches[number]
        if match.hear(seat, payload):
            at = self._due.pop(number)
            # For the first decision the server has to prepare what it keeps for the others.
            if number in self._warm:
                self._times.append((at, time.perf_counter() - at))
            self._warm.add(number)
        # What fell due meanwhile is sent as soon as it can be.
        if number not in self._due and self._late.get(number) and match.decide():
            self._due[number] = self._late[number].pop(0)
