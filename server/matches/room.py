"""A match as it is played on this server: who is here, what seats and watchers want of it, and what they are told."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import weakref
from collections.abc import Callable, Mapping
from functools import partial
from typing import TypeVar

from client_protocol.choices import Picked
from client_protocol.messages import (
    Accepted,
    Answer,
    CheckHead,
    CommitRandomness,
    MatchInfo,
    OptionValue,
    Order,
    Refused,
    Report,
    RevealRandomness,
    Say,
)
from server.gateway import broadcast, goodbyes
from server.gateway.connection import Connection
from server.kernel import clocks
from server.kernel.belief import SPECTATORS, Audience, believed
from server.kernel.desk_facts import (
    ClockRead,
    RandomnessCommitted,
    RandomnessRevealed,
    Said,
    SeatHere,
    StandingOrder,
)
from server.kernel.ruleset import Ruleset
from server.matches import jobs, orders
from server.matches.agreeing import Settling, settling
from server.matches.asking import Asking
from server.matches.audiences import text_of
from server.matches.due import due
from server.matches.entries import POSITION, Aside, LogError, digest
from server.matches.errors import LogDamaged, StoreError, StoreUnavailable
from server.matches.keys import Claim, Keys
from server.matches.links import SeatLinks
from server.matches.log import Added, Fold, folding
from server.matches.narration import player, tidy
from server.matches.onlooking import READS, Onlooking
from server.matches.outlook import match_info
from server.matches.referee import Referee
from server.matches.reporting import ReportNote, about, note
from server.matches.scribe import Scribe, Verdict
from server.matches.sitting import seated, too_late
from server.matches.store import MatchStore
from server.matches.telling import Teller
from server.matches.thinking import thinking
from server.matches.unreadable import unreadable
from server.matches.world import World
from server.work.desk import AtOnce, Work
from server.work.slicing import in_slices

T = TypeVar("T")

log = logging.getLogger("underfire.room")


def _nobody(_room: Room, _own: bool) -> None:
    """Nobody wants to know."""


def _weakly(method: weakref.WeakMethod[Callable[[Added, bool], None]]) -> Callable[[Added, bool], None]:
    """Call a method of what is perhaps not there any more."""

    def call(added: Added, own: bool) -> None:
        found = method()
        if found is not None:
            found(added, own)

    return call


async def _payloads(store: MatchStore, match: str, after: int = 0) -> list[bytes]:
    return [payload for _, payload in await store.read(match, after)]


class _Thinking:
    """Where the rules of a match think; see `thinking`."""

    def __init__(self, work: Work, referee: Referee) -> None:
        self._work = work
        self._referee = referee

    async def __call__(self, thought: Callable[[], T]) -> T:
        return await thinking(self._work, self._referee.fold.state, thought)


class Room:
    """One match. Make it with `Room.load`.

    Args:
        store: where the log is.
        keys: what only the server knows of the match.
        referee: the rules on the match's log, up to date.
        world: clocks and policies of this server.
        changed: called after every entry, with the room and whether this server wrote the entry.
        removed: called with the match's id when the operator has removed the match.
        work: where what takes long is done.
    """

    def __init__(
        self,
        store: MatchStore,
        keys: Keys,
        referee: Referee,
        world: World,
        changed: Callable[[Room, bool], None],
        removed: Callable[[str], None],
        work: Work,
    ) -> None:
        fold = referee.fold
        self.match = fold.opened.match
        self._store = store
        self._referee = referee
        self._changed = changed
        self._work = work
        self._teller = Teller(referee.rules, fold, referee.ask)
        self._audiences = {
            audience: broadcast.Audience(partial(self._teller.snapshot, audience), watchers=audience == SPECTATORS)
            for audience in fold.audiences
        }
        self._seated: dict[Connection, Audience] = {}
        self._watching = 0
        self._world = world
        self._links = SeatLinks()
        # What a room is made of does not hold the room, else each one that was given up would lie about until the garbage
        # collector comes by, which is rarely: with its states it is a megabyte.
        links = self._links
        scribe = self._scribe = Scribe(
            store,
            keys,
            referee,
            _weakly(weakref.WeakMethod(self._taken)),
            think=_Thinking(work, referee),
            due=lambda keys, up: due(referee, keys, links, world.abandonment, up),
            world=world,
            removed=partial(removed, self.match),
        )
        self._asking = Asking(referee, lambda: scribe.stuck)
        self.onlooking = Onlooking(referee, self._asking, partial(_payloads, store, self.match), work)
        """What of the match is only looked at."""

    @classmethod
    async def load(
        cls,
        match: str,
        store: MatchStore,
        rules_of: Callable[[str], Ruleset],
        world: World,
        changed: Callable[[Room, bool], None] = _nobody,
        removed: Callable[[str], None] = lambda _match: None,
        work: Work | None = None,
    ) -> Room:
        """The room of a match, made from its log.

        Raises:
            StoreError: there is no such match, or the store is away.
            LogError: its log cannot be read.
        """
        meta = await store.get_meta(match)
        entries = await store.read(match)
        if "secret" not in meta:
            raise LogDamaged(match, "the secret of its dice is missing")
        keys = Keys(meta)
        fold = Fold(entries[0][1])
        work = work or AtOnce(rules_of)
        await in_slices(folding(fold, [payload for _, payload in entries[1:]]))
        rules = rules_of(fold.opened.edition)
        # A new referee runs the rules from the last boundary on.
        referee = await thinking(work, fold.state, lambda: Referee(rules, keys.secret, fold))
        room = cls(store, keys, referee, world, changed, removed, work)
        await room.settle()
        return room

    async def settle(self) -> None:
        """Do what is due, after loading or when the store is back."""
        await self._scribe.settle()

    async def tick(self) -> None:
        """Do what is due by now: somebody's time is up."""
        await self._scribe.tick()

    async def close(self) -> None:
        """Stop. Whoever waits for an answer is told that it is not known what came of it."""
        await self._scribe.close()

    def _taken(self, added: Added, own: bool) -> None:
        """An entry is in the log: tell everybody."""
        for fact in added.envelope.body.facts if isinstance(added.envelope.body, Aside) else ():
            if isinstance(fact, SeatHere):
                self._links.name(fact.link)
        frames = self._teller.tell(added, self._referee.ask)
        broadcast.publish((self._audiences[frame.audience], frame.seq, frame.update) for frame in frames)
        self._changed(self, own)

    # --- who is here -------------------------------------------------------------------------------------------------

    @property
    def empty(self) -> bool:
        """Whether nobody is connected."""
        return not self._seated

    async def admit(self, token: str) -> Audience | None:
        """The audience that `token` lets its holder join: a seat, the spectators for none, None for a wrong one.

        Raises:
            StoreUnavailable: it is not known here, and the database is away.
        """
        if not token:
            return SPECTATORS
        seat = self._scribe.keys.seat_of(token)
        if seat is None:
            # It may have been given out by another server since.
            self._scribe.keys = Keys(await self._store.get_meta(self.match))
            seat = self._scribe.keys.seat_of(token)
        return seat

    def enter(self, audience: Audience, since: int, connection: Connection) -> None:
        """Send what the connection has missed since the frame `since`, and every frame from now on."""
        self._seated[connection] = audience
        if isinstance(audience, str):
            self._links.come(audience, connection)
            self._scribe.nudge()
        self._audiences[audience].enter(connection, since, self._referee.fold.seqs[audience])
        self._count_watchers()

    def leave(self, connection: Connection) -> None:
        """Forget the connection."""
        audience = self._seated.pop(connection, None)
        if audience is not None:
            self._audiences[audience].leave(connection)
            if isinstance(audience, str):
                self._links.go(audience, connection)
                self._scribe.nudge()
            self._count_watchers()
        if self.empty:
            self.onlooking.forget()

    def _count_watchers(self) -> None:
        watching = sum(audience == SPECTATORS for audience in self._seated.values())
        if watching != self._watching:
            self._watching = watching
            self._changed(self, False)  # noqa: FBT003 - a callback's shape

    def info(self) -> MatchInfo:
        """The match as a start page lists it."""
        return match_info(self._referee.fold, self._referee.ask, self._watching, self._referee.rules)

    @property
    def rules(self) -> Ruleset:
        """The edition that is played."""
        return self._referee.rules

    @property
    def options(self) -> Mapping[str, OptionValue]:
        """The match's options, all of them."""
        return self._referee.fold.state.options

    @property
    def seats(self) -> tuple[str, ...]:
        """The match's seats."""
        return self._referee.fold.seats

    @property
    def inviting(self) -> bool:
        """Whether a free seat is for anybody who comes: the match is listed, and nobody has played it elsewhere."""
        fold = self._referee.fold
        return fold.opened.listed and not fold.state.desk.commitment

    @property
    def mustering(self) -> bool:
        """Whether forces can still be brought: the match begins with its scenario, and has not begun."""
        fold = self._referee.fold
        return fold.opened.scenario != POSITION and fold.to_begin and fold.boundary_entry == 1

    @property
    def over(self) -> bool:
        """Whether the match has ended."""
        return self._referee.fold.state.result is not None

    async def payloads(self, after: int = 0) -> list[bytes]:
        """The log after an entry; the whole of it, if none is named.

        Raises:
            StoreError: it cannot be read now.
        """
        return await _payloads(self._store, self.match, after)

    async def check_head(self, message: CheckHead) -> Accepted | Refused:
        """Say whether an entry of the log has a hash that somebody was told, by this server or by another one."""
        head = bytes.fromhex(message.head)
        fold = self._referee.fold
        if not fold.holds(head):
            try:
                # What another server has told already may not have come here yet.
                newer = await self.payloads(fold.number)
            except StoreError as error:
                return unreadable(message.id, error, "it cannot be compared now")
            if head not in map(digest, newer) and not fold.holds(head):
                return Refused(
                    message.id, "other_log", "No entry of this match's log has that hash: it is another log."
                )
        return Accepted(message.id)

    @property
    def length(self) -> int:
        """How many entries the log has."""
        return self._referee.fold.number

    @property
    def published(self) -> bool:
        """Whether the match has ended and its dice secret is published."""
        return bool(self._referee.fold.state.desk.secret)

    @property
    def removed(self) -> bool:
        """Whether the operator has removed the match."""
        return self._scribe.removed

    @property
    def listed(self) -> bool:
        """Whether the start page shows the match."""
        return self._referee.fold.opened.listed

    async def dismiss(self) -> None:
        """Tell all who are connected that the operator has removed the match, and end their connections."""
        ending = goodbyes.REMOVED
        connections = list(self._seated)
        for connection in connections:
            connection.send(ending.goodbye)
        await asyncio.gather(*(one.close(ending.close_code, ending.goodbye.code) for one in connections))

    # --- what seats want ---------------------------------------------------------------------------------------------

    async def answer(self, seat: str, message: Answer) -> Accepted | Refused:
        """Take a seat's answer; returns when it is on the log for good, or refused."""
        answer_id = f"{seat}:{message.id}"
        picked = Picked(message.choice, message.values)

        def consider() -> Verdict:
            asked = self._asking.asked(seat, message.id, message.prompt, picked)
            if isinstance(asked, Refused):
                return asked
            return self._referee.answer(seat, picked, answer_id, self._world.up_ms())

        return await self._scribe.write(seat, message.id, answer_id, consider)

    async def say(self, audience: Audience, name: str, message: Say) -> Accepted | Refused:
        """Take a line of chat. `name` is what a spectator is called, or nothing."""
        speaker = text_of(audience)
        answer_id = f"{speaker}:{message.id}"
        text = tidy(message.text)
        if not text:
            return Refused(message.id, "empty", "There is nothing in it to be read.")
        if (audience == SPECTATORS) != (message.channel == "watchers"):
            speaks = "those who watch talk among themselves" if audience == SPECTATORS else "seats talk at the table"
            return Refused(message.id, "channel", f"This is not a channel for you: {speaks}.")
        aside = Aside((Said(speaker, tidy(name), text, message.channel),), speaker, answer_id)
        return await self._scribe.write(audience, message.id, answer_id, lambda: aside)

    async def settle_beside(self, seat: str, message: Settling) -> Accepted | Refused:
        """Take what players settle among themselves: offers, taking back, conceding, claiming."""
        answer_id = f"{seat}:{message.id}"

        def consider() -> Verdict:
            return settling(self._referee, seat, message, answer_id, self._world.abandonment, self._world.up_ms())

        return await self._scribe.write(seat, message.id, answer_id, consider)

    async def report(self, audience: Audience, message: Report) -> Accepted | Refused:
        """Take a report of what somebody said, for whoever runs this server. Nobody else ever learns of it."""
        try:
            found = await self._work.do(READS, jobs.found_said, await self.payloads(), audience, message.frame)
        except (StoreError, LogError) as error:
            return unreadable(message.id, error, "nothing can be reported now")
        if found is None:
            return Refused(message.id, "nothing_said", "Nobody said anything there.")
        entry, said = found
        name = player(self._referee.fold.state, said.seat) if said.seat else said.name
        report = ReportNote(
            self.match, entry.number, said.seat, name, said.text, entry.at, text_of(audience), tidy(message.reason)
        )
        try:
            new = await self._store.report(note(report), about(report))
        except StoreUnavailable:
            return Refused(message.id, "database_away", "The database is away: nothing can be reported now.")
        if new:
            log.warning("match %s: entry %d was reported", self.match, entry.number)
        return Accepted(message.id, self._referee.fold.seqs[audience])

    async def order(self, seat: str, message: Order) -> Accepted | Refused:
        """Take a standing order for one of the seat's units. Nobody else notices."""
        answer_id = f"{seat}:{message.id}"

        def consider() -> Verdict:
            state = believed(self._referee.fold.state, seat)
            if self._referee.trouble or self._referee.ask is None:
                return self._asking.not_running(message.id)
            refused = orders.refusal(self._referee.rules, state, seat, message)
            if refused is not None:
                return refused
            if state.desk.orders.get(message.unit, "") == message.order:
                return Accepted(message.id, self._seq(seat))
            return Aside((StandingOrder(message.unit, message.order),), seat, answer_id)

        return await self._scribe.write(seat, message.id, answer_id, consider)

    async def commit(self, seat: str, message: CommitRandomness) -> Accepted | Refused:
        """Take a seat's commitment to its share of the dice. Who has lost the share may commit anew until the first is revealed:
        until then nobody knows more than nothing.
        """
        # What is logged is written anew from the bytes: dice hang on every letter, so none of a client's may get there.
        digest = bytes.fromhex(message.digest).hex()

        def consider() -> Verdict:
            desk = self._referee.fold.state.desk
            if desk.digests.get(seat) == digest:
                return Accepted(message.id, self._seq(seat))
            if desk.randomness:
                return Refused(message.id, "committed", "Shares of the dice are revealed already: this one stands.")
            return Aside((RandomnessCommitted(seat, digest),), seat)

        return await self._scribe.write(seat, message.id, "", consider)

    async def reveal(self, seat: str, message: RevealRandomness) -> Accepted | Refused:
        """Take a seat's share of the dice, once every seat has committed to its own."""
        share = bytes.fromhex(message.randomness)

        def consider() -> Verdict:
            desk, seats = self._referee.fold.state.desk, self._referee.fold.seats
            if not all(other in desk.digests for other in seats):
                return Refused(message.id, "not_yet", "Shares are revealed when every seat has committed to its own.")
            if hashlib.sha256(share).hexdigest() != desk.digests[seat]:
                return Refused(message.id, "wrong_randomness", "This is not the share that the seat committed to.")
            if seat in desk.randomness:
                return Accepted(message.id, self._seq(seat))
            # Where a match goes on from the midst of something, its next decision is asked with the last share, and not before.
            clock, up = self._referee.fold.state.desk.clock, self._world.up_ms()
            read = ClockRead(up, {}, {}) if clock is None else ClockRead.of(clocks.read(clock, (), up))
            return Aside((RandomnessRevealed(seat, share.hex()), read), seat)

        return await self._scribe.write(seat, message.id, "", consider)

    async def sit_down(self, seat: str, claim: Claim, id_: str = "") -> Accepted | Refused:
        """Note that whoever has claimed `seat` sits there now, with what was brought along; unless the log has it already, or the
        match has ended meanwhile.
        """
        aside = seated(seat, claim, self._referee.fold.state)

        def consider() -> Verdict:
            state = self._referee.fold.state
            if seat in state.desk.players:
                return Accepted(id_, self._seq(seat))
            return too_late(id_) if state.result is not None else aside

        return await self._scribe.write(seat, id_, aside.answer, consider)

    def _seq(self, audience: Audience) -> int:
        return self._referee.fold.seqs[audience]
