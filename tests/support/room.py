"""Rooms in tests: made, begun, and played by hand with a listener in every audience."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass

from client_protocol.choices import Prompt
from client_protocol.from_client import Answer, CommitRandomness, MakeMatch, RevealRandomness
from client_protocol.from_server import Accepted, MatchMade
from server.gateway.broadcast import Broadcast
from server.kernel.ruleset import Ruleset
from server.matches.environment import NEVER, Environment
from server.matches.log.audiences import audience_of
from server.matches.log.fold import Added
from server.matches.machines import Machines
from server.matches.moments import Chosen
from server.matches.outlet import Outlets
from server.matches.play.abandonment import Abandonment
from server.matches.projections.queries import Adviser
from server.matches.room import Room
from server.matches.rooms import Rooms
from server.matches.signing import Signing
from server.store.store import MatchStore
from tests.support.playing import Listener, digest_of, share_of
from tests.support.toy_rules import ToyRules

AUDIENCES = ("red", "blue", "")
DUEL = MakeMatch("make-1", "toy", "duel", "Ada", ("red", "blue"))
THREE_WAY = MakeMatch("make-1", "toy", "three-way", "Ada", ("red", "blue", "green"))


async def never(_seconds: float) -> None:
    """Wait for ever: with this clock nothing that waits for a time happens."""
    await asyncio.Event().wait()


@dataclass
class Hands:
    """The hands of a server's clocks, moved by tests: `now` in ms since 1970, `up` in ms of up-time."""

    now: int = 1000
    up: int = 0

    def move(self, seconds: float) -> None:
        """Let time pass, with a server up."""
        self.now += round(seconds * 1000)
        self.up += round(seconds * 1000)


def rooms_on(
    store: MatchStore,
    rules: Ruleset | None = None,
    counted: list[str] | None = None,
    hands: Hands | None = None,
    abandonment: Abandonment = NEVER,
    signing: Signing | None = None,
    outlets: Outlets = Broadcast,
    machines: Machines | None = None,
    unattended: int = 0,
    adviser: Adviser | None = None,
    exhibits: bool = False,
    moments: Sequence[Chosen] = (),
    refresh_up: Callable[[], Awaitable[None]] | None = None,
) -> Rooms:
    """Return a server's rooms, for one edition (by default the toy's)."""
    ruleset, hands = rules or ToyRules(), hands or Hands()
    environment = Environment(
        lambda: hands.now,
        lambda: hands.up,
        (counted if counted is not None else []).append,
        abandonment,
        {} if machines is None else machines.names,
        adviser,
        **({} if refresh_up is None else {"refresh_up": refresh_up}),
    )
    return Rooms(
        store,
        {ruleset.info.id: ruleset},
        version="0",
        environment=environment,
        clock=time.monotonic,
        sleep=never,
        outlets=outlets,
        signing=signing,
        machines=machines,
        unattended=unattended,
        exhibits=exhibits,
        moments=moments,
    )


class Table:
    """A room with a listener in every audience, played by hand."""

    def __init__(self, room: Room) -> None:
        self.room = room
        self.listeners = {audience: Listener() for audience in (*room.seats, "")}
        for audience, listener in self.listeners.items():
            room.enter(audience_of(audience), -1, listener.connection)
        self._count = 0

    def prompt(self, seat: str) -> Prompt:
        prompt = self.room.teller.prompt(seat)
        assert prompt is not None, f"{seat} is not asked"
        return prompt

    @property
    def asked(self) -> list[str]:
        return [seat for seat in self.room.seats if self.room.teller.prompt(seat) is not None]

    def default(self, seat: str) -> Answer:
        self._count += 1
        prompt = self.prompt(seat)
        return Answer(f"{seat}-{id(self)}-{self._count}", prompt.id, prompt.default.choice, prompt.default.values)

    def choose(self, seat: str, choice: str) -> Answer:
        self._count += 1
        return Answer(f"{seat}-{id(self)}-{self._count}", self.prompt(seat).id, choice)

    async def give(self, seat: str, answer: Answer) -> Accepted:
        reply = await self.room.answer(seat, answer)
        assert isinstance(reply, Accepted), reply
        return reply

    async def deploy(self) -> None:
        for seat in self.room.seats:
            await self.give(seat, self.default(seat))

    async def play_out(self) -> None:
        while self.asked:
            seat = next(seat for seat in self.asked if not self.prompt(seat).answered)
            await self.give(seat, self.default(seat))


async def made(rooms: Rooms, message: MakeMatch = DUEL) -> MatchMade:
    reply = await rooms.make(message)
    assert isinstance(reply, MatchMade), reply
    return reply


async def ready(room: Room) -> None:
    for seat in room.seats:
        assert isinstance(await room.commit(seat, CommitRandomness("c", digest_of(share_of(seat)))), Accepted)
    for seat in room.seats:
        assert isinstance(await room.reveal(seat, RevealRandomness("r", share_of(seat).hex())), Accepted)


async def begun(rooms: Rooms, message: MakeMatch = DUEL) -> Table:
    """Return a match with both seats taken and ready, its first prompt open."""
    return await under_way(rooms, (await made(rooms, message)).match)


async def under_way(rooms: Rooms, match: str) -> Table:
    """Return a match with all seats taken, once they are ready and its first prompt is open."""
    room = await rooms.get(match)
    assert room is not None
    await ready(room)
    table = Table(room)
    await eventually(lambda: bool(table.asked))
    return table


async def eventually(holds: Callable[[], bool]) -> None:
    """Let the event loop run until the condition holds."""
    async with asyncio.timeout(30):
        while not holds():  # noqa: ASYNC110 - what it waits for has no event
            await asyncio.sleep(0.002)


def once_failing(publish: Callable[[Added, bool], None]) -> Callable[[Added, bool], None]:
    """What publishes entries, and fails at the first one, as by a mistake in a projection."""
    fails = [True]

    def published(added: Added, own: bool) -> None:
        if fails.pop() if fails else False:
            raise ZeroDivisionError
        publish(added, own)

    return published


async def entries_of(store: MatchStore, match: str) -> list[bytes]:
    return [payload for _, payload in await store.read(match)]
