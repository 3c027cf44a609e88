"""The start page for programs: making matches, and taking seats."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Self

from websockets.exceptions import ConnectionClosed

from client_protocol import codec
from client_protocol.client.leagues import Leaguing
from client_protocol.client.link import EndedError, Link, Requests, expected, new_id, open_link, too_large
from client_protocol.client.players import Introducing
from client_protocol.clocks import ClockTerms
from client_protocol.forces import Force
from client_protocol.from_client import (
    CheckForce,
    CheckSetup,
    ClientMessage,
    ConvertForce,
    EnterLobby,
    ForkPoint,
    ImportMatch,
    MakeMatch,
    MoreMatches,
    TakeSeat,
    Upload,
)
from client_protocol.from_server import (
    Accepted,
    ForceChecked,
    ForceConverted,
    Goodbye,
    Matches,
    MatchesChanged,
    MatchMade,
    MatchPage,
    MatchSummary,
    Refused,
    SeatTaken,
    ServerMessage,
    SetupChecked,
    Welcome,
)
from client_protocol.shapes import PROTOCOL, OptionValue

PART = 12_000
"""The most bytes of a part of an upload."""


RANKS = {"over": 0, "running": 1, "open": 2}
"""The order of the list by state, the highest first."""


def _standing(summary: MatchSummary) -> tuple[int, int, str]:
    return RANKS[summary.state], summary.made_at, summary.match


class StartPage(Introducing, Leaguing):
    """A connection to the start page: makes matches, takes seats, lists matches. It does not reconnect."""

    def __init__(self, link: Link, welcome: Welcome) -> None:
        self.welcome = welcome
        self.matches: tuple[MatchSummary, ...] = ()
        """The first page of the listed matches, up to date: open ones, then those that are running, each the newest first."""
        self.mine: tuple[MatchSummary, ...] = ()
        """The client's own matches that are not among them."""
        self.more = False
        """Whether there are more listed matches: see `more_matches`."""
        self._further = False
        self._link = link
        self._requests = Requests()
        self._lost: EndedError | None = None

    @classmethod
    @asynccontextmanager
    async def open(cls, address: str, matches: tuple[str, ...] = ()) -> AsyncIterator[Self]:
        """Connect to the start page of the server at `http://host:port`.

        Args:
            address: the server.
            matches: the client's own matches, which are included even if they are not listed.

        Raises:
            OSError: there is no server at this address.
            EndedError: the server refuses the connection.
        """
        async with open_link(address) as link:
            await link.send(EnterLobby(PROTOCOL, matches))
            first = await link.receive()
            if isinstance(first, Goodbye):
                raise EndedError(first.code, first.sentence)
            if not isinstance(first, Welcome):
                raise EndedError("protocol", "The server does not speak this protocol.")
            page = cls(link, first)
            reading = asyncio.create_task(page._read())
            try:
                yield page
            finally:
                reading.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await reading

    async def make_match(
        self,
        edition: str,
        scenario: str,
        name: str,
        mine: tuple[str, ...],
        options: Mapping[str, OptionValue] | None = None,
        *,
        listed: bool = True,
        forces: Mapping[str, Force] | None = None,
        clock: ClockTerms | None = None,
        fork: ForkPoint | None = None,
        setup: bytes = b"",
        programs: Mapping[str, str] | None = None,
    ) -> MatchMade | Refused:
        """Make a match in which the seats `mine` are ours, under the name `name`, each with its force in `forces`.

        It begins from `scenario`, or from a moment of another match (`fork`), or from a setup file (`setup`); with the last
        two, edition, scenario and options are ignored. `clock` gives the terms of its clocks; None for none. `programs` are the
        seats that a program holds, each with its name.
        """
        upload = await self.upload(setup) if setup else ""
        if isinstance(upload, Refused):
            return upload
        options, forces = dict(options or {}), dict(forces or {})
        message = MakeMatch(
            new_id(),
            edition,
            scenario,
            name,
            mine,
            options,
            listed,
            forces,
            clock=clock,
            fork=fork,
            setup=upload,
            programs=dict(programs or {}),
        )
        return expected(await self._ask(message.id, message), MatchMade)

    async def take_seat(
        self, match: str, seat: str, name: str, invite: str = "", force: Force | None = None, *, id_: str = ""
    ) -> SeatTaken | Refused:
        """Take a free seat, and bring a force (None: the scenario's). `id_` is the message's id, if it is sent once more."""
        message = TakeSeat(id_ or new_id(), match, seat, name, invite, force)
        return expected(await self._ask(message.id, message), SeatTaken)

    async def check_force(
        self, force: Force, options: Mapping[str, OptionValue] | None = None
    ) -> ForceChecked | Refused:
        """Return what the rules say of a force, under options of its edition."""
        message = CheckForce(new_id(), force, dict(options or {}))
        return expected(await self._ask(message.id, message), ForceChecked)

    async def convert_force(self, force: Force, edition: str) -> ForceConverted | Refused:
        """Return a force made into one for another edition."""
        message = ConvertForce(new_id(), force, edition)
        return expected(await self._ask(message.id, message), ForceConverted)

    async def check_setup(self, setup: bytes) -> SetupChecked | Refused:
        """Return the position that a setup file describes, drawn as a match's would be."""
        upload = await self.upload(setup)
        if isinstance(upload, Refused):
            return upload
        message = CheckSetup(new_id(), upload)
        return expected(await self._ask(message.id, message), SetupChecked)

    async def import_match(self, file: bytes) -> MatchMade | Refused:
        """Import a match file into the server; for a match that is not over, the reply has an invite for each seat."""
        upload = await self.upload(file)
        if isinstance(upload, Refused):
            return upload
        message = ImportMatch(new_id(), upload)
        return expected(await self._ask(message.id, message), MatchMade)

    async def upload(self, data: bytes) -> str | Refused:
        """Send data in parts, for one message over this connection that names it.

        Returns:
            The name of the upload.
        """
        name = new_id()
        of = max(1, -(-len(data) // PART))
        for part in range(of):
            message = Upload(new_id(), name, part, of, data[part * PART : (part + 1) * PART])
            reply = expected(await self._ask(message.id, message), Accepted)
            if isinstance(reply, Refused):
                return reply
        return name

    async def more_matches(self) -> tuple[MatchSummary, ...] | Refused:
        """Return the listed matches after those that are known. They are kept too, but not updated."""
        if not self.matches:
            return ()
        last = min(self.matches, key=_standing)
        page = expected(
            await self._ask(id_ := new_id(), MoreMatches(id_, last.state, last.made_at, last.match)), MatchPage
        )
        if isinstance(page, Refused):
            return page
        self.more, self._further = page.more, True
        self._keep({summary.match: summary for summary in (*page.matches, *self.matches)})
        return page.matches

    def _change(self, message: MatchesChanged) -> None:
        """Apply changes of the list."""
        gone = {*message.gone, *(summary.match for summary in message.changed)}
        mine = {summary.match: summary for summary in self.mine if summary.match not in gone}
        mine.update((summary.match, summary) for summary in message.mine)
        listed = {
            summary.match: summary
            for summary in self.matches
            if summary.match not in message.gone and summary.match not in mine
        }
        listed.update((summary.match, summary) for summary in message.changed)
        self.mine = tuple(mine.values())
        if not self._further:
            # The first page does not know what lies beyond the pages that were requested.
            self.more = message.more
        self._keep(listed)

    def _keep(self, listed: dict[str, MatchSummary]) -> None:
        self.matches = tuple(sorted(listed.values(), key=_standing, reverse=True))

    async def _ask(self, message_id: str, message: ClientMessage) -> ServerMessage:
        """Send a message, and return its reply.

        Raises:
            EndedError: the connection is lost, or the server speaks another protocol.
        """
        if refused := too_large(message_id, message):
            return refused
        if self._lost is not None:
            raise self._lost
        reply = self._requests.add(message_id, message)
        # A lost link is noticed by `_read`, which then fails this reply too.
        with contextlib.suppress(ConnectionClosed):
            await self._link.send(message)
        return await reply

    async def _read(self) -> None:
        try:
            while True:
                message = await self._link.receive()
                if isinstance(message, Matches):
                    self.matches, self.mine, self.more = message.matches, message.mine, message.more
                    self._further = False
                elif isinstance(message, MatchesChanged):
                    self._change(message)
                self._requests.reply(message)
        except (ConnectionClosed, codec.CodecError):
            self._lost = EndedError("lost", "The connection to the server is lost. Open the start page anew.")
            self._requests.fail(self._lost)
