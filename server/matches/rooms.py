"""The rooms of this server: opened when a match is made or first asked for, closed when they have been empty for a while."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Collection, Coroutine, Iterator, Mapping, Sequence
from functools import partial
from typing import Self

from client_protocol.forces import Force
from client_protocol.from_client import (
    AskExhibition,
    AskMoments,
    CheckForce,
    ConvertForce,
    MakeMatch,
    MoreMatches,
    TakeSeat,
)
from client_protocol.from_server import (
    Exhibition,
    ForceChecked,
    ForceConverted,
    MatchMade,
    MatchPage,
    MatchSummary,
    Moments,
    Refused,
    SeatTaken,
    SetupChecked,
    Status,
    Welcome,
)
from client_protocol.shapes import PROTOCOL
from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.matches.background import Attempts
from server.matches.deadlines import FAILED_MS
from server.matches.environment import Environment
from server.matches.exhibition import Exhibitions
from server.matches.file_cache import FileCache
from server.matches.importing import keep, match_prepared
from server.matches.listing import MatchList
from server.matches.log.entries import LogError
from server.matches.log.names import tidy
from server.matches.log.unreadable import unreadable
from server.matches.machines import Machines
from server.matches.making import Making
from server.matches.moments import Chosen, Recordings
from server.matches.outlet import NoOutlet, Outlets
from server.matches.projections import jobs as projecting
from server.matches.projections.queries import LOOKS, READS
from server.matches.removal import remove
from server.matches.room import Room
from server.matches.seating import seat_taken
from server.matches.setup import forces, jobs
from server.matches.signing import Signing
from server.matches.unattended import WAITS_MS, Unattended
from server.store.errors import (
    DAMAGED,
    LogDamaged,
    MatchClosed,
    MatchRemoved,
    StoreError,
    StoreUnavailable,
    UnknownMatch,
)
from server.store.store import Health, MatchStore
from server.work.desk import AtOnce, Work

log = logging.getLogger("underfire.rooms")

IDLE_SECONDS = 300.0
"""Seconds for which a room without connections is kept."""
LOOK_SECONDS = 10.0
"""Seconds between two checks of the rooms."""
MOST_EMPTY = 100
"""The most rooms without connections: a stranger can make matches faster than they are closed."""
IMPORTS = 20.0
"""The most seconds for importing a match file."""
FLUSH_SECONDS = 1.0
"""The most seconds in which a stopping server tries to store its matches' summaries."""

Sleep = Callable[[float], Awaitable[None]]


class Rooms:
    """The matches of one server. Use it as an asynchronous context manager.

    Args:
        store: an open store, which holds the logs.
        rulesets: the editions that are offered, by id: of these matches are made and taken in.
        version: the software's version.
        environment: clocks and policies of this server.
        clock: seconds that only go forward.
        sleep: waits between two checks.
        work: runs long computations; None: they run at once.
        outlets: makes the outlet that sends a match's frames to its connections; by default there are no connections.
        signing: signs match files; None: without a key.
        rules_of: the rules of any edition, or a `RulesetError`; None: of those that are offered. A match goes on by them also
            where its edition is offered no more.
        machines: plays the seats of programs; None: no program can play.
        unattended: how many matches that only programs play go on at a time while no connection is there.
        exhibits: whether programs play for those who look at a start page.
        moments: the moments of recorded matches that start pages show.
    """

    asked: Callable[[Room], None] = staticmethod(lambda _room: None)
    """Called after every entry that this server wrote: a player may be asked who is not there."""
    left: Callable[[Room, str], None] = staticmethod(lambda _room, _seat: None)
    """Called when a connection of a seat has ended."""

    def __init__(
        self,
        store: MatchStore,
        rulesets: Mapping[str, Ruleset],
        *,
        version: str,
        environment: Environment,
        clock: Callable[[], float],
        sleep: Sleep = asyncio.sleep,
        work: Work | None = None,
        outlets: Outlets = NoOutlet,
        signing: Signing | None = None,
        rules_of: Callable[[str], Ruleset] | None = None,
        machines: Machines | None = None,
        unattended: int = 0,
        exhibits: bool = False,
        moments: Sequence[Chosen] = (),
    ) -> None:
        self._signing = signing or Signing(store)
        self._store = store
        self._rulesets = dict(rulesets)
        self._version = version
        self._environment = environment
        self._clock = clock
        self._sleep = sleep
        self._rules_of = rules_of or self.offered
        self._work = work or AtOnce(self._rules_of)
        self._outlets = outlets
        self._machines = machines
        self._unattended = Unattended(unattended)
        self._exhibitions = Exhibitions(
            [rules.info for rules in self._rulesets.values()] if exhibits else (),
            () if machines is None else machines.programs,
            self.make,
            self.get,
            lambda match: remove(store, None, match, forget=True),
            store,
        )
        offered = [one for one in moments if one.moment.edition in self._rulesets]
        self._recordings = Recordings(offered, store, self.import_match)
        self._rooms: dict[str, asyncio.Task[Room]] = {}
        self._empty_since: dict[str, float] = {}
        self._damaged: set[str] = set()
        """The damaged matches of which the operator was told."""
        self._callbacks: dict[object, Callable[[Status], None]] = {}
        self._chores: set[asyncio.Task[None]] = set()
        self._unwatch: Callable[[], None] = lambda: None
        self._files = FileCache()
        self._list = MatchList(store, self._at_hand, self._do, clock)
        self._making = Making(
            store,
            self.get,
            self.offered,
            environment,
            {} if machines is None else machines.names,
            lambda room: self._list.changed(room, True),  # noqa: FBT003 - a callback's shape
            self._work,
        )

    async def __aenter__(self) -> Self:
        """Start checking rooms and the list."""
        self._unwatch = self._store.watch_health(self._health_changed)
        self._do(self._exhibitions.clear())
        self._do(self._recordings.run(self._sleep))
        self._do(self._evict_idle())
        self._do(self._list.poll(sleep=self._sleep))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close every room."""
        self._unwatch()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(FLUSH_SECONDS):
                await self._list.flush()
        for chore in list(self._chores):
            chore.cancel()
        await asyncio.gather(*self._chores, return_exceptions=True)
        for match in list(self._rooms):
            await self._close(match)

    # --- rooms -------------------------------------------------------------------------------------------------------

    async def get(self, match: str) -> Room | None:
        """Return the room of a match, made from its log if need be; None if there is no such match.

        Raises:
            StoreUnavailable: the match is not loaded, and the database is away.
            LogDamaged: its log cannot be read. The fault is logged, once.
            MatchRemoved: the operator has removed it.
        """
        task = self._rooms.get(match)
        if task is None:
            task = self._rooms[match] = asyncio.create_task(self._load(match), name=f"loading {match}")
            task.add_done_callback(lambda done: self._loaded(match, done))
        try:
            room = await asyncio.shield(task)
        except MatchRemoved:
            raise
        except (UnknownMatch, MatchClosed, RulesetError, ValueError):
            return None
        if room.removed:
            # The removal was found a moment ago, and the room is about to be closed.
            raise MatchRemoved(match)
        self._empty_since[match] = self._clock()
        return room

    async def _load(self, match: str) -> Room:
        try:
            return await Room.load(
                match,
                self._store,
                self._rules_of,
                self._environment,
                partial(self._changed, match),
                partial(self._removed, match),
                self._work,
                self._outlets,
                partial(self._seat_left, match),
            )
        except LogError as error:
            raise LogDamaged(match, str(error)) from error
        except StoreError as error:
            if type(error) is StoreError:
                # Redis answers, but the key holds something other than a log.
                raise LogDamaged(match, str(error).rstrip(".")) from error
            raise

    def _loaded(self, match: str, task: asyncio.Task[Room]) -> None:
        if task.cancelled():
            self._rooms.pop(match, None)
            return
        error = task.exception()
        if error is not None:
            self._rooms.pop(match, None)
        if isinstance(error, LogDamaged) and match not in self._damaged:
            self._damaged.add(match)
            log.error("%s %s", error, DAMAGED, extra={"match": match})
        if error is None:
            self._let_machines_play(match)

    async def _evict_idle(self) -> None:
        attempt = Attempts("closing empty rooms")
        while True:
            await self._sleep(LOOK_SECONDS)
            await attempt(self._close_idle)

    async def _close_idle(self) -> None:
        now = self._clock()
        for match, room in self._at_hand().items():
            if not self._is_idle(match, room):
                self._empty_since[match] = now
            elif now - self._empty_since.get(match, now) >= IDLE_SECONDS:
                await self._close(match)
        await self._close_surplus()

    async def _close_surplus(self) -> None:
        """Close the rooms that have been empty for longest, down to `MOST_EMPTY`."""
        # While one is closed, connections come to others: each time it is asked anew which are empty.
        while (
            len(idle := [match for match, room in self._at_hand().items() if self._is_idle(match, room)]) > MOST_EMPTY
        ):
            await self._close(min(idle, key=lambda match: self._empty_since.get(match, 0.0)))

    def _is_idle(self, match: str, room: Room) -> bool:
        """Return whether a room need not stay open."""
        return room.empty and not self._unattended.holds(match)

    async def _close(self, match: str) -> None:
        self._list.forget(match)
        self._unattended.forget(match)
        task = self._rooms.pop(match, None)
        self._empty_since.pop(match, None)
        if task is None:
            return
        if not task.done():
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError, StoreError, LogError, RulesetError):
            await (await task).close()

    def _changed(self, match: str, own: bool) -> None:
        task = self._rooms.get(match)
        if task is not None and _is_open(task):
            room = task.result()
            self._list.changed(room, own)
            if room.programs:
                self._let_machines_play(match)
            if own:
                self.asked(room)

    def _seat_left(self, match: str, seat: str) -> None:
        room = self._at_hand_of(match)
        if room is not None:
            self.left(room, seat)

    def _let_machines_play(self, match: str) -> None:
        """Have programs answer what they are asked in a match."""
        room = self._for_machines(match)
        if self._machines is not None and room is not None and room.machine_turn() is not None:
            self._do(self._machines.play(match, partial(self._for_machines, match)))

    def _for_machines(self, match: str) -> Room | None:
        """Return the room of a match if it is open, and programs may play there now."""
        room = self._at_hand_of(match)
        if room is None or (room.empty and self._exhibitions.shows(match)):
            # The exhibition goes on when someone looks again, and needs no place.
            self._unattended.forget(match)
            return None
        return room if self._unattended.admits(match, room) else None

    def _removed(self, match: str) -> None:
        """Stop listing and playing a match that the operator has removed."""
        self._do(self._dismiss(match))

    async def _dismiss(self, match: str) -> None:
        task = self._rooms.get(match)
        if task is not None:
            await asyncio.wait([task])
        room = self._at_hand_of(match)
        await self._close(match)
        self._files.drop(match)
        self._list.removed(match)
        if room is not None:
            await room.dismiss()

    def _at_hand_of(self, match: str) -> Room | None:
        task = self._rooms.get(match)
        return task.result() if task is not None and _is_open(task) else None

    def _at_hand(self) -> dict[str, Room]:
        return {match: task.result() for match, task in self._rooms.items() if _is_open(task)}

    # --- making matches and sitting down -----------------------------------------------------------------------------

    def welcome(self) -> Welcome:
        """Return what can be played here."""
        editions = tuple(rules.info for rules in self._rulesets.values())
        now, up, abandoned = self._environment.now_ms(), self.up_ms, self._environment.abandonment.sentence()
        programs = () if self._machines is None else self._machines.programs
        return Welcome(PROTOCOL, self._version, now, editions, up, abandoned, programs)

    def offered(self, edition: str) -> Ruleset:
        """Return the rules of an edition that is offered. Raises `RulesetError`."""
        rules = self._rulesets.get(edition)
        if rules is None:
            raise RulesetError(f"there is no edition {edition!r} here; there are {', '.join(self._rulesets)}")
        return rules

    def connected(self) -> Iterator[tuple[str, str]]:
        """Yield the matches and seats that are connected to this server."""
        for match, room in self._at_hand().items():
            for seat in room.connected:
                yield match, seat

    @property
    def held(self) -> int:
        """The number of matches in memory."""
        return len(self._rooms)

    @property
    def up_ms(self) -> int:
        """The up-time in milliseconds, by which clocks run."""
        return self._environment.up_ms()

    async def tick(self, match: str) -> int | None:
        """Append what is due by now in a match. Return for how long to put it off, if it has to wait (ms).

        Raises:
            UnknownMatch: there is no such match.
            MatchClosed: it was archived or removed.
            StoreUnavailable: the database is away.
        """
        try:
            room = await self.get(match)
        except LogDamaged:
            return FAILED_MS  # it was logged already, and cannot be mended here
        if room is None:
            await self._store.check_open(match)
            return FAILED_MS  # its rules are not here
        await room.tick()
        self._let_machines_play(match)
        return WAITS_MS if room.unattended and not self._unattended.holds(match) else None

    async def make(self, message: MakeMatch, setup: bytes = b"") -> MatchMade | Refused:
        """Make a match, from the file `setup` if the message names one; the maker takes the seats `mine` at once."""
        return await self._making.make(message, setup)

    async def make_between(
        self, message: MakeMatch, forces: Mapping[str, Force], invited: Callable[[str, str], str], league: str
    ) -> MatchMade | Refused:
        """Make a match of a league for players who bring these forces: see `Making.make_between`."""
        return await self._making.make_between(message, forces, invited, league)

    async def remove(self, match: str) -> None:
        """Remove a match that no player has entered. Raises `StoreError`."""
        await remove(self._store, None, match, forget=True)

    async def exhibition(self, message: AskExhibition) -> Exhibition | Refused:
        """Return the match between programs that start pages show; the last one being over, another one begins."""
        try:
            return await self._exhibitions.now(message)
        except (StoreError, LogError) as error:
            return unreadable(message.id, error, "there is no exhibition now")

    async def moments(self, message: AskMoments) -> Moments | Refused:
        """Return the moments of recorded matches that start pages show."""
        try:
            return await self._recordings.now(message)
        except StoreError as error:
            return unreadable(message.id, error, "no moments can be shown now")

    async def take_seat(self, message: TakeSeat) -> SeatTaken | Refused:
        """Give a free seat to a player with its invite, or, in a listed match, to any player."""
        name = tidy(message.name)
        if not name:
            return Refused(message.id, "empty", "The name is empty.")
        try:
            room = await self.get(message.match)
            if room is None:
                return Refused(message.id, "no_match", "There is no such match on this server.")
            return await seat_taken(self._store, room, message, name)
        except MatchRemoved as removed:
            return Refused(message.id, "removed", str(removed))
        except (StoreUnavailable, LogDamaged) as error:
            return unreadable(message.id, error, "no seat can be taken now")

    async def import_match(self, id_: str, data: bytes) -> MatchMade | Refused:
        """Import a match file, for the message `id_`."""
        found = await self._work.do(IMPORTS, match_prepared, data, self.up_ms, self._environment.now_ms())
        if isinstance(found, str):
            return Refused(id_, "bad_file", found)
        prepared, summary, listed = found
        if summary is not None and summary.edition not in self._rulesets:
            return Refused(id_, "bad_file", f"This server does not offer the edition {summary.edition!r}.")
        done = await keep(self._store, id_, prepared, summary, listed=listed)
        if isinstance(done, MatchMade):
            with contextlib.suppress(StoreUnavailable, MatchRemoved):
                room = await self.get(done.match)
                if room is not None:
                    self._list.changed(room, True)  # noqa: FBT003 - a callback's shape
        return done

    async def check_setup(self, id_: str, setup: bytes) -> SetupChecked:
        """Return the position that a setup file describes, for the message `id_`."""
        return await self._work.do(LOOKS, jobs.setup_checked, id_, setup)

    def check_force(self, message: CheckForce) -> ForceChecked | Refused:
        """See `forces.checked`."""
        return forces.checked(self.offered, message)

    def convert_force(self, message: ConvertForce) -> ForceConverted | Refused:
        """See `forces.converted`."""
        return forces.converted(self.offered, message)

    async def match_file(self, match: str) -> bytes | None:
        """Return an ended match as one file; None while it goes on.

        Raises:
            UnknownMatch: there is no such match.
            MatchRemoved: the operator has removed it.
            StoreError: the match cannot be read now.
        """
        room = await self.get(match)
        if room is None:
            raise UnknownMatch(match)
        if not room.published:
            return None
        found = self._files.get(match, room.length)
        if found is not None:
            await self._check_there(match)
        else:
            payloads = await room.payloads()
            signatures = await self._signing.of(match, payloads)
            found = await self._work.do(READS, projecting.filed, payloads, signatures)
            self._files.put(match, len(payloads), found)
        return found

    async def _check_there(self, match: str) -> None:
        """Check that a match was not removed so recently that this server may not know it yet. Raises `StoreError`."""
        try:
            await self._store.check_open(match)
        except MatchRemoved:
            self._files.drop(match)
            raise
        except MatchClosed:
            pass  # it was archived, and its file is unchanged

    # --- the list ----------------------------------------------------------------------------------------------------

    async def listing(self) -> tuple[MatchSummary, ...]:
        """Return the first page of the listed matches: open ones first, then those that are running, each the newest first."""
        return await self._list.now()

    @property
    def more_listed(self) -> bool:
        """Whether there are more listed matches than `listing` gave last."""
        return self._list.more

    async def more_matches(self, message: MoreMatches) -> MatchPage | Refused:
        """Return the page of the listed matches after one."""
        try:
            found, more = await self._list.after(message.state, message.made_at, message.match)
        except StoreError:
            return Refused(
                message.id, "database_away", "The server cannot reach its database: the list cannot be read now."
            )
        return MatchPage(message.id, found, more)

    async def summaries(self, matches: Collection[str]) -> tuple[MatchSummary, ...]:
        """Return the summaries of those of these matches that exist, listed or not, as of the last `listing`."""
        return await self._list.of(matches)

    def on_listing_change(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call `callback` whenever `listing` or `summaries` could return something else. Return the function that stops this."""
        return self._list.watch(callback)

    # --- the database ------------------------------------------------------------------------------------------------

    @property
    def status(self) -> Status:
        """Whether answers can be taken now."""
        return _status(self._store.health)

    def on_status(self, callback: Callable[[Status], None]) -> Callable[[], None]:
        """Call `callback` whenever `status` has changed. Return the function that stops this."""
        key = object()
        self._callbacks[key] = callback

        def unwatch() -> None:
            self._callbacks.pop(key, None)

        return unwatch

    def _health_changed(self, health: Health) -> None:
        for callback in list(self._callbacks.values()):
            callback(_status(health))
        if health.up:
            for room in self._at_hand().values():
                self._do(room.settle())

    def _do(self, chore: Coroutine[object, object, None]) -> None:
        task = asyncio.create_task(chore)
        self._chores.add(task)
        task.add_done_callback(self._chores.discard)


def _status(health: Health) -> Status:
    if health.up:
        return Status("live", health.since_ms)
    away = "The server has lost contact with its database. You can look at the table, but no answer is accepted now."
    return Status("read_only", health.since_ms, health.notice or away)


def _is_open(loading: asyncio.Task[Room]) -> bool:
    return loading.done() and not loading.cancelled() and loading.exception() is None
