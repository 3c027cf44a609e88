"""Matches with clocks in tests, and hands that move the clocks."""

from __future__ import annotations

from contextlib import AsyncExitStack

from msgspec.structs import replace

from client_protocol.clocks import ClockTerms, ClockView
from client_protocol.from_client import MakeMatch, MakeOffer, Respond, TakeBack
from client_protocol.from_server import Accepted, Refused, Update
from client_protocol.view import View
from server.matches.log.audiences import audience_of
from server.matches.log.entries import Aside, Stepped, decode
from server.matches.play.abandonment import Abandonment
from server.matches.rooms import Rooms
from server.store.store import MatchStore
from tests.support.room import DUEL, Hands, Table, begun, entries_of, eventually, rooms_on
from tests.support.toy_rules import ToyRules


class Match:
    """A match with a clock, and the hands that move it."""

    def __init__(self, table: Table, hands: Hands, store: MatchStore) -> None:
        self.table = table
        self.hands = hands
        self.store = store
        self._count = 0

    def view(self, audience: str = "") -> View:
        return self.table.room.teller.snapshot(audience_of(audience)).view

    @property
    def clock(self) -> ClockView:
        clock = self.view().clock
        assert clock is not None
        return clock

    def told(self, audience: str = "") -> list[str]:
        """Return the log lines about clocks."""
        updates = [m for m in self.table.listeners[audience].messages if isinstance(m, Update)]
        return [story.text for update in updates for story in update.story if story.kind == "clock"]

    async def pass_time(self, seconds: float) -> None:
        """Let time pass, and check the deadline."""
        self.hands.move(seconds)
        if await self.store.due(self.hands.up):
            await self.table.room.tick()

    async def decide(self, seat: str) -> None:
        await self.table.give(seat, self.table.default(seat))

    async def says(self, seat: str, message: type, *args: object) -> Accepted | Refused:
        self._count += 1
        return await self.table.room.settle_on_desk(seat, message(f"message-{self._count}", *args))

    async def agree(self, seat: str, other: str, kind: str, clock: ClockTerms | None = None) -> None:
        assert isinstance(await self.says(seat, MakeOffer, kind, clock), Accepted)
        (key,) = self.view().offers
        assert isinstance(await self.says(other, Respond, key, True), Accepted)

    async def agree_to_take_back(self, seat: str, other: str) -> None:
        assert isinstance(await self.says(seat, TakeBack), Accepted)
        (key,) = self.view().offers
        assert isinstance(await self.says(other, Respond, key, True), Accepted)
        await eventually(lambda: self.table.asked == [seat])

    async def last(self) -> Aside | Stepped:
        entries = await entries_of(self.store, self.table.room.match)
        body = decode(len(entries), entries[-1]).body
        assert isinstance(body, Aside | Stepped)
        return body


class Maker:
    """Makes matches with clocks on one server."""

    def __init__(self, store: MatchStore, stack: AsyncExitStack) -> None:
        self._store = store
        self._stack = stack

    async def __call__(
        self, clock: ClockTerms | None, message: MakeMatch = DUEL, abandonment: Abandonment | None = None
    ) -> Match:
        hands = Hands(up=5_000)
        rooms: Rooms = await self._stack.enter_async_context(
            rooms_on(self._store, ToyRules(rounds=6), hands=hands, abandonment=abandonment or Abandonment())
        )
        return Match(await begun(rooms, replace(message, clock=clock)), hands, self._store)
