"""How much a core can hold: matches at the pace of players, and watchers of one match, next to the bare floor."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from types import TracebackType
from typing import Self

from server.kernel.ruleset import Ruleset
from tests.benchmarks import aims, cold, floor, rules, serving
from tests.benchmarks.control import child
from tests.benchmarks.ears import Ears
from tests.benchmarks.lines import Line, at_most, kilobytes, line, milliseconds, percentile, whole
from tests.benchmarks.load import Contender
from tests.benchmarks.paced import BotMatch, Crowd, FloorMatch, PacedMatch
from tests.benchmarks.prepared import Prepared, Rehearsal
from tests.benchmarks.sockets import PATIENCE, WebSocket

BOUND = 0.050
"""Seconds in which 99 of 100 decisions must have reached those who see them."""
PACE = 2.5
"""Seconds between two decisions of a match: each of its two seats decides every 5 s."""
SAMPLE = 50
"""Of so many watchers it is noted when they have a frame: the generator must not be what is measured."""
LISTEN_APART = 500
"""After so many newcomers the watchers who wait are listened to: it is some seconds until the next time."""
FLOOR_IS = "bare websockets and redis-py"


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    `matches` and `watchers` are the first and the last number of each, `seconds` how long the matches of one number play,
    `decisions` how many the watchers of one number are shown. After `longest` seconds a search ends with what it has found.
    """

    matches: tuple[int, int]
    seconds: float
    watchers: tuple[int, int]
    decisions: int
    longest: float


FULL = Effort((60, 8_000), 8, (500, 16_000), 20, 90)
QUICK = Effort((60, 4_000), 5, (500, 8_000), 10, 45)
TINY = Effort((2, 3), 0.2, (2, 3), 2, 60)


@dataclass(frozen=True)
class Found:
    """The most that held, and its p99 in seconds."""

    number: int
    p99: float


def most(
    p99: Callable[[int], float],
    first: int,
    last: int,
    longest: float,
    clock: Callable[[], float] = time.monotonic,
) -> Found:
    """Search the largest number whose p99 is within `BOUND`: double it until it is not, then halve the gap down to a tenth.

    Args:
        p99: measures a number; asked once more where it is not within the bound, since something else may have held up a round.
        first: the number to begin with.
        last: the largest number that is tried.
        longest: seconds after which no other number is tried.
        clock: seconds that only go forward.
    """
    ends = clock() + longest
    found, fails, number = Found(0, 0.0), last + 1, first
    while found.number < number < fails and clock() < ends:
        measured = p99(number)
        if measured > BOUND:
            measured = min(measured, p99(number))
        if measured <= BOUND:
            found = Found(number, measured)
        else:
            fails = number
        gap = fails - found.number
        if fails > last:
            number = min(2 * number, last)
        elif gap <= max(1, found.number // 10):
            break
        else:
            number = found.number + gap // 2
    return found


class Hall:
    """A match with watchers, as many as were asked for until now. Use it as a context manager.

    Args:
        contender: the server.
        match: the match.
        entering: the first message of a watcher.
    """

    def __init__(self, contender: Contender, match: PacedMatch, entering: bytes) -> None:
        self._contender = contender
        self._match = match
        self._entering = entering
        self._watchers: list[WebSocket] = []
        self._others = Ears()
        for seat, socket in match.seats.items():
            self._others.add(socket, partial(self._hear, seat))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._others.__exit__(kind, error, trace)
        for socket in self._watchers:
            socket.close()
        self._match.close()

    def __len__(self) -> int:
        return len(self._watchers)

    def seen(self, number: int, decisions: int) -> list[float]:
        """Show so many watchers so many decisions; return after how many seconds a sample of them has seen each."""
        while len(self._watchers) < number:
            self._watchers.append(self._enter())
            if len(self._watchers) % LISTEN_APART == 0:
                self._listen(self._watchers, 0)
        while len(self._watchers) > number:
            self._watchers.pop().close()
        apart = max(1, number // SAMPLE)
        sample, rest = self._watchers[::apart], [one for n, one in enumerate(self._watchers) if n % apart]
        return [took for _ in range(decisions) for took in self._shown(sample, rest)]

    def _enter(self) -> WebSocket:
        socket = WebSocket(self._contender.child.port)
        socket.send(self._entering)
        for _ in range(self._contender.greetings):
            socket.take()
        return socket

    def _shown(self, sample: Sequence[WebSocket], rest: Sequence[WebSocket]) -> list[float]:
        began = time.perf_counter()
        while not self._match.decide():
            assert self._others.hear(PATIENCE), "the match is over"
            began = time.perf_counter()
        times = self._listen(sample, PATIENCE, began)
        # The others are read when it does not matter any more.
        self._listen(rest, PATIENCE)
        while self._match.waits:
            assert self._others.hear(PATIENCE), "the other seat has no frame"
        return times

    def _listen(self, watchers: Sequence[WebSocket], seconds: float, began: float = 0.0) -> list[float]:
        """Listen until each of them was told something, or was silent for so many seconds; then take what else there is. Return
        when each was told, in seconds since a moment.
        """
        times: dict[WebSocket, float] = {}

        def told(socket: WebSocket, _payload: bytes) -> None:
            times.setdefault(socket, time.perf_counter() - began)

        with Ears() as ears:
            for socket in watchers:
                ears.add(socket, partial(told, socket))
            while len(times) < len(watchers):
                if not ears.hear(seconds):
                    assert not seconds, "a watcher has no frame"
                    break
            while ears.hear(0):
                pass
        return list(times.values())

    def _hear(self, seat: str, payload: bytes) -> None:
        self._match.hear(seat, payload)


def started(ruleset: Ruleset, number: int) -> Prepared:
    """A match in which both sides are deployed; in practice it has no turn limit."""
    name = f"{ruleset.info.id}-paced-{number}"
    rehearsal = Rehearsal(ruleset, rules.served(ruleset), name, number, turn_limit=10_000)
    while rehearsal.deploying:
        rehearsal.answer()
    return Prepared(name, rehearsal.referee.fold.seats, rehearsal.entries)


@dataclass(frozen=True)
class Contest:
    """A server in the contest: the p99 of so many matches and of so many watchers, and the memory of each, in bytes."""

    contender: Contender
    sit: Callable[[int], PacedMatch]
    entering: bytes
    effort: Effort

    def matches(self) -> tuple[Found, float]:
        """Search how many matches it holds; return that, and the memory of a match with its two connections."""
        effort = self.effort
        self.sit(0).close()
        before = self.contender.child.held
        with Crowd(self.sit, random.Random(1)) as crowd:

            def p99(number: int) -> float:
                return percentile(crowd.pace(number, min(PACE, effort.seconds / 2), effort.seconds), 99)

            found = most(p99, *effort.matches, effort.longest)
            return found, (self.contender.child.held - before) / len(crowd)

    def watchers(self) -> tuple[Found, float]:
        """Search how many watchers of one match it can feed; return that, and the memory of one."""
        effort = self.effort
        with Hall(self.contender, self.sit(0), self.entering) as hall:
            hall.seen(1, 1)
            before, largest = self.contender.child.held, [1, 0]

            def p99(number: int) -> float:
                times = hall.seen(number, effort.decisions)
                if number > largest[0]:
                    largest[:] = number, self.contender.child.held - before
                return percentile(times, 99)

            return most(p99, *effort.watchers, effort.longest), largest[1] / largest[0]


def lines(
    effort: Effort, redis_url: str, core: int, ruleset: Ruleset, entry_bytes: int, frame_bytes: int
) -> Iterator[Line]:
    """Search for ours and for the floor, one after the other.

    Args:
        effort: how much is tried.
        redis_url: the database.
        core: the servers' core.
        ruleset: what is played.
        entry_bytes: the size of what the floor stores.
        frame_bytes: the size of what it sends.
    """
    common = ("--core", core, "--redis", redis_url)
    stored: dict[int, Prepared] = {}

    def prepared(number: int) -> Prepared:
        if number not in stored:
            stored[number] = started(ruleset, number)
            asyncio.run(cold.put_all(redis_url, [stored[number]]))
        return stored[number]

    def named(number: int) -> Prepared:
        return Prepared(f"paced-{number}", prepared(0).seats)

    order = bytes(entry_bytes)

    def contests(stack: ExitStack) -> tuple[Contest, Contest]:
        """Start both servers. Each search has its own: what one has freed would hide what the next one needs."""
        ours = Contender(stack.enter_context(child("serving", *common)), serving.GREETINGS, serving.REPLIES)
        flags = ("--entry-bytes", entry_bytes, "--frame-bytes", frame_bytes)
        bare = Contender(stack.enter_context(child("floor", *common, *flags)), floor.GREETINGS, floor.REPLIES)
        chance = random.Random(1)
        return (
            Contest(ours, lambda number: BotMatch(ours, prepared(number), chance), prepared(0).entering(""), effort),
            Contest(bare, lambda number: FloorMatch(bare, named(number), order), named(0).entering(""), effort),
        )

    with ExitStack() as stack:
        watched = [contest.watchers() for contest in contests(stack)]
    with ExitStack() as stack:
        held = [contest.matches() for contest in contests(stack)]
    name = ruleset.info.name
    for what, found, aim in (
        (f"matches a core holds, a seat deciding every 5 s, {name}", held, None),
        (f"watchers of one match that a core feeds, {name}", watched, aims.WATCHERS),
    ):
        (most_ours, _), (most_bare, _) = found
        yield line(what, whole, [most_ours.number], [most_bare.number], aim, FLOOR_IS)
        what_p99 = f"  until they see a decision, p99, {name}"
        yield line(what_p99, milliseconds, [most_ours.p99], [most_bare.p99], None, FLOOR_IS)
    for what, figures, bound in (
        (f"memory of a paced match with two connections, {name}", held, at_most(150_000)),
        (f"memory of a watcher, {name}", watched, at_most(40_000)),
    ):
        yield line(what, kilobytes, [figures[0][1]], [figures[1][1]], bound, FLOOR_IS)
