"""The operator's commands, carried out. Each is logged with what it did, those that change something as warnings."""

from __future__ import annotations

import logging
from typing import Protocol

from msgspec.structs import asdict

from client_protocol.from_server import Refused
from server.matches.log.names import span, tidy
from server.matches.overview import row
from server.matches.rooms import Rooms
from server.matches.shared_summaries import SharedSummaries
from server.moderation.commands import (
    Bans,
    Close,
    Command,
    Done,
    Drain,
    Failed,
    Impose,
    Inspect,
    Inspected,
    Lift,
    List,
    Listed,
    Present,
    Reply,
    Sanctioned,
)
from server.moderation.sanctions import Kind, Sanctions
from server.moderation.subjects import AddressSubject, PlayerSubject, SeatSubject, Subject, told
from server.store.errors import LogDamaged, MatchRemoved, StoreError, StoreUnavailable, UnknownMatch
from server.store.store import MatchStore

log = logging.getLogger("underfire.operator")

DONE = {"ban": "banned", "mute": "muted"}
AWAY = "The server cannot reach its database. Try again in a moment; what was asked may or may not have been done."


class Here(Protocol):
    """The server that was asked, as far as a command concerns it alone."""

    def present(self, match: str) -> tuple[Present, ...]:
        """Return who is connected to a match here."""
        ...

    def known_address(self, address: str) -> str:
        """Return an address as limits count it; "" if it is none, or a trusted proxy's, behind which all players are."""
        ...

    def drain(self) -> float:
        """Take no new connections from now on, and end. Return in how many seconds those that are open are sent away."""
        ...


class Operator:
    """Carries out commands.

    Args:
        store: an open store.
        rooms: the matches.
        sanctions: the bans and mutes.
    """

    def __init__(self, store: MatchStore, rooms: Rooms, sanctions: Sanctions) -> None:
        self._store = store
        self._rooms = rooms
        self._sanctions = sanctions

    async def carry_out(self, command: Command, here: Here, asker: str) -> Reply:
        """Carry out a command, and log it.

        Args:
            command: the command.
            here: the server that was asked.
            asker: the address from which it came, for the log.
        """
        try:
            reply = await self._reply(command, here)
        except StoreUnavailable:
            reply = Failed(AWAY)
        except StoreError as error:
            reply = Failed(str(error))
        _note(command, reply, asker)
        return reply

    async def _reply(self, command: Command, here: Here) -> Reply:
        match command:
            case List(most):
                found = await self._store.matches(0, most)
                summaries = await SharedSummaries(self._store).of([listing.match_id for listing in found])
                return Listed(tuple(summaries.values()))
            case Inspect(match):
                return Inspected(await row(self._store, match), here.present(match))
            case Close(match, why):
                return await self._close(match, why)
            case Impose(kind, subject, seconds):
                return await self._impose(kind, subject, seconds, here)
            case Lift(kind, subject):
                return await self._lift(kind, subject, here)
            case Bans():
                await self._sanctions.look()
                return Sanctioned(self._sanctions.standing)
            case Drain():
                return Done(
                    "This server takes no new connections any more. It sends those that are open to other servers in "
                    f"{here.drain():g} seconds, and then ends."
                )

    async def _close(self, match: str, why: str) -> Reply:
        reason = tidy(why)
        if not reason:
            return Failed("Say why with --why: the players read it.")
        room = await self._rooms.get(match)
        if room is None:
            raise UnknownMatch(match)
        done = await room.end(reason)
        if isinstance(done, Refused):
            return Failed(f"The match {match} was not ended. {done.sentence}")
        return Done(f"The match {match} is over. Its players read: {reason}")

    async def _impose(self, kind: Kind, subject: Subject, seconds: int, here: Here) -> Reply:
        found = await self._found(subject, here)
        if isinstance(found, Failed):
            return found
        await self._sanctions.impose(kind, found, seconds * 1000)
        how_long = f"for {span(seconds)}" if seconds else f"until you lift that with un{kind}"
        return Done(f"{_capital(told(found))} is {DONE[kind]} {how_long}, on all servers of this database.")

    async def _lift(self, kind: Kind, subject: Subject, here: Here) -> Reply:
        # The match of a banned seat may be gone, and the ban still stands.
        found = await self._found(subject, here) if isinstance(subject, AddressSubject) else subject
        if isinstance(found, Failed):
            return found
        if await self._sanctions.lift(kind, found):
            return Done(f"{_capital(told(found))} is not {DONE[kind]} any more.")
        return Failed(f"{_capital(told(found))} was not {DONE[kind]}.")

    async def _found(self, subject: Subject, here: Here) -> Subject | Failed:
        """Return a subject as sanctions name it, or why it cannot be sanctioned."""
        if isinstance(subject, AddressSubject):
            address = here.known_address(subject.address)
            if not address:
                return Failed(f"{subject.address} is no address of a player: it is none, or that of a trusted proxy.")
            return AddressSubject(address)
        if isinstance(subject, PlayerSubject):
            return subject  # a key may be banned before it is ever seen here
        try:
            room = await self._rooms.get(subject.match)
        except (MatchRemoved, LogDamaged) as error:
            return Failed(str(error))
        if room is None:
            raise UnknownMatch(subject.match)
        if subject.seat not in room.seats:
            return Failed(f"The seats of the match {subject.match} are {', '.join(room.seats)}.")
        return SeatSubject(subject.match, subject.seat)


def _note(command: Command, reply: Reply, asker: str) -> None:
    match reply:
        case Done(sentence):
            level, what = logging.WARNING, sentence
        case Failed(sentence):
            level, what = logging.WARNING, f"{type(command).__name__.lower()} was not carried out: {sentence}"
        case _:
            level, what = logging.INFO, f"{type(command).__name__.lower()} was answered"
    log.log(level, "the operator, from %s: %s", asker, what, extra=fields(command, asker))


def fields(command: Command, asker: str) -> dict[str, str]:
    """Return the fields of a command's line in the log."""
    found = {"asker": asker, "command": type(command).__name__.lower()}
    if isinstance(command, Impose | Lift):
        found |= asdict(command.subject)
    if isinstance(command, Inspect | Close):
        found["match"] = command.match
    return found


def _capital(sentence: str) -> str:
    return sentence[:1].upper() + sentence[1:]
