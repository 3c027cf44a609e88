"""Making matches: from a scenario, a setup file, a moment of another match, or as the next match of the same players."""

from __future__ import annotations

import secrets
from collections.abc import Awaitable, Callable, Mapping

from msgspec.structs import replace

from client_protocol.forces import Force
from client_protocol.from_client import ForkPoint, MakeMatch, MatchBefore
from client_protocol.from_server import MatchMade, Refused
from server.kernel.ruleset import Ruleset
from server.matches.environment import Environment
from server.matches.log.audiences import audience_of
from server.matches.log.entries import SALT_BYTES, LogError, opening
from server.matches.log.names import tidy
from server.matches.log.secrets import Keys
from server.matches.log.unreadable import unreadable
from server.matches.play.seats import brought, refusal
from server.matches.projections.queries import READS
from server.matches.room import Room
from server.matches.setup import creation, jobs
from server.matches.setup.forks import Fork
from server.store.errors import LogDamaged, MatchRemoved, StoreUnavailable
from server.store.store import MatchStore
from server.work.desk import Work

SETS_UP = 10.0
"""The most seconds for trying out a position."""


class Making:
    """Makes the matches of a server.

    Args:
        store: holds the logs.
        room: returns the room of a match; None: there is none.
        rules_of: the editions of which matches are made.
        environment: clocks and policies of this server.
        programs: the programs that can play seats here, with their names as players read them.
        made: called with the room of a match that was made.
        work: runs long computations.
    """

    def __init__(
        self,
        store: MatchStore,
        room: Callable[[str], Awaitable[Room | None]],
        rules_of: Callable[[str], Ruleset],
        environment: Environment,
        programs: Mapping[str, str],
        made: Callable[[Room], None],
        work: Work,
    ) -> None:
        self._store = store
        self._room = room
        self._rules_of = rules_of
        self._environment = environment
        self._programs = programs
        self._made = made
        self._work = work

    async def make(self, message: MakeMatch, setup: bytes) -> MatchMade | Refused:
        """Make a match, from the file `setup` if the message names one; the maker takes the seats `mine` at once."""
        name = tidy(message.name)
        if not name:
            return Refused(message.id, "empty", "The name is empty.")
        try:
            if message.after is not None:
                return await self._make_next(message, message.after, name)
            beginning = await self._beginning(message, setup)
            if isinstance(beginning, Refused):
                return beginning
            new = creation.make(message, name, beginning, self._environment.up_ms(), self._programs)
            return new if isinstance(new, Refused) else await self._open(message.id, new)
        except MatchRemoved as removed:
            return Refused(message.id, "removed", str(removed))
        except (StoreUnavailable, LogDamaged, LogError) as error:
            return unreadable(message.id, error, "no match can be made now")

    async def make_between(
        self, message: MakeMatch, forces: Mapping[str, Force], invited: Callable[[str, str], str], league: str
    ) -> MatchMade | Refused:
        """Make a match of a league for players who bring these forces, by seat, and whom `invited` invites: it returns what
        invites to a seat of the match of an id. The match says of which league it is, so that its players find the way back.
        """
        try:
            beginning = creation.from_scenario(message, self._rules_of)
            if isinstance(beginning, Refused):
                return beginning
            rules, options = beginning.rules, beginning.state.options
            placed = {}
            for seat, force in forces.items():
                refused = refusal(message.id, rules, force, options)
                if refused is not None:
                    return refused
                placed[seat] = brought(force, options)
            state = beginning.state
            beginning = replace(beginning, state=replace(state, desk=replace(state.desk, league=league)))
            up = self._environment.up_ms()
            new = creation.make(message, message.name, beginning, up, self._programs, invited, placed)
            return new if isinstance(new, Refused) else await self._open(message.id, new)
        except (StoreUnavailable, LogDamaged, LogError) as error:
            return unreadable(message.id, error, "no match can be made now")

    async def _open(self, id_: str, new: creation.Made) -> MatchMade:
        match, now = new.opened.match, self._environment.now_ms()
        await self._store.create(match, now, new.meta, opening(new.opened, now, secrets.token_bytes(SALT_BYTES)))
        room = await self._room(match)
        if room is not None:
            self._made(room)
        return MatchMade(id_, match, new.passes)

    # --- the next match of the same players --------------------------------------------------------------------------

    async def _make_next(self, message: MakeMatch, before: MatchBefore, name: str) -> MatchMade | Refused:
        room = await self._room(before.match)
        if room is None:
            return Refused(message.id, "no_match", "There is no such match on this server.")
        keys, followed = Keys(await self._store.get_meta(before.match)), room.followed_by
        lost = followed is not None and not await self._is_there(followed.match)
        found = await room.rematch(message, keys, self._rules_of, lost=lost)
        if isinstance(found, Refused):
            return found
        up, invites = self._environment.up_ms(), found.invites(keys)
        new = creation.make(found.message, name, found.beginning, up, self._programs, invites)
        if isinstance(new, Refused):
            return new
        # One of two who ask at once comes second, and sits down in the match of the other.
        told = await room.follow(found.fact(new.opened.match), followed, message.id)
        return told if isinstance(told, Refused) else await self._open(message.id, new)

    async def _is_there(self, match: str) -> bool:
        try:
            return await self._room(match) is not None
        except MatchRemoved:
            return False

    # --- what it begins from -----------------------------------------------------------------------------------------

    async def _beginning(self, message: MakeMatch, setup: bytes) -> creation.Beginning | Refused:
        """Return the beginning of a match: from another match, from a setup file, or from a scenario."""
        if message.fork is not None:
            return creation.from_fork(message, await self._fork(message.fork), self._rules_of)
        if message.setup:
            # The position is tried out, which can take a while.
            found = await self._work.do(SETS_UP, jobs.position_opened, setup)
            return creation.from_position(message, found, self._rules_of)
        return creation.from_scenario(message, self._rules_of)

    async def _fork(self, point: ForkPoint) -> Fork | str:
        try:
            return await self._forked(point)
        except MatchRemoved as removed:
            return str(removed)

    async def _forked(self, point: ForkPoint) -> Fork | str:
        room = await self._room(point.match)
        if room is None:
            return "There is no such match on this server."
        audience = await room.admit(point.token)
        if audience is None:
            return "This link does not give a seat in that match."
        view = audience_of(point.view)
        if not room.over and view != audience:
            return "That match is not over: you can go on only from what you see yourself."
        payloads = await room.payloads()
        return await self._work.do(READS, jobs.forked, room.rules.info.id, payloads, view, point.frame)
