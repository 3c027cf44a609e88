"""The gateway's view of matches, as protocols: this is the whole interface between sockets and matches."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection
from typing import Protocol

from client_protocol.from_client import (
    Answer,
    AskAdvice,
    AskExhibition,
    AskLuckReport,
    AskMoments,
    AskPreview,
    AskWhatIf,
    CheckForce,
    CheckHead,
    Claim,
    CommitRandomness,
    Concede,
    ConvertForce,
    ExportCase,
    ExportSetup,
    ExportText,
    Look,
    MakeMatch,
    MakeOffer,
    MoreMatches,
    Order,
    Recall,
    Replay,
    Report,
    Respond,
    RevealRandomness,
    Say,
    TakeBack,
    TakeSeat,
    TieSeat,
)
from client_protocol.from_server import (
    Accepted,
    Advice,
    Exhibition,
    Exported,
    ForceChecked,
    ForceConverted,
    History,
    LuckReport,
    MatchMade,
    MatchPage,
    MatchSummary,
    Moments,
    Preview,
    Refused,
    ReplayPart,
    SeatTaken,
    SetupChecked,
    Sight,
    Status,
    Welcome,
    WhatIf,
)
from server.gateway.connection import Connection
from server.kernel.belief import Audience

Unsubscribe = Callable[[], None]


class Queries(Protocol):
    """The queries of one match: they change nothing, and are told to no other player."""

    async def preview(self, seat: str, message: AskPreview) -> Preview | Refused:
        """Return a preview of a choice, from what the seat may know."""

    async def advice(self, seat: str, message: AskAdvice) -> Advice | Refused:
        """Return what the computer would answer to the open prompt of a seat, and why."""

    def look(self, audience: Audience, message: Look) -> Sight | Refused:
        """Return the lines of sight between two units, from what the audience may know."""

    async def what_if(self, seat: str, message: AskWhatIf) -> WhatIf | Refused:
        """Return a what-if: what a unit would see and could do from elsewhere, from what the seat may know."""

    async def replay(self, audience: Audience, message: Replay) -> ReplayPart | Refused:
        """Return frames of the match from its beginning."""

    async def luck_report(self, message: AskLuckReport) -> LuckReport | Refused:
        """Return the luck report of a match that is over."""

    async def recall(self, audience: Audience, message: Recall) -> History:
        """Return the story of earlier frames."""

    async def export_text(self, audience: Audience, message: ExportText) -> Exported | Refused:
        """Return the match as a text to read, as the audience may know it."""

    async def export_case(self, audience: Audience, message: ExportCase) -> Exported | Refused:
        """Return a step as a case, as the audience may know it."""

    def export_setup(self, audience: Audience, message: ExportSetup) -> Exported | Refused:
        """Return the position, as the audience may know it."""


class Room(Protocol):
    """A match's room, as sessions see it."""

    match: str
    """The match's id."""

    @property
    def queries(self) -> Queries:
        """The match's queries."""

    async def check_head(self, message: CheckHead) -> Accepted | Refused:
        """Say whether an entry of the log has a hash that the sender was told."""

    async def admit(self, token: str) -> Audience | None:
        """Return the audience that a token admits to: a seat, `SPECTATORS` for no token, None for a wrong one."""

    def enter(self, audience: Audience, since: int, connection: Connection) -> None:
        """Send the frames that the connection missed since the frame `since`, or a snapshot, and every frame from now on.

        It does so without awaiting, so that no frame is lost or sent twice. See `broadcast.Audience.enter`.
        """

    def leave(self, connection: Connection) -> None:
        """Forget the connection. Does nothing if it never entered."""

    def answer(self, seat: str, message: Answer) -> asyncio.Future[Accepted | Refused]:
        """Take a seat's answer; return the future of the reply: it is in the log, or refused."""

    async def order(self, seat: str, message: Order) -> Accepted | Refused:
        """Take a standing order for one of the seat's units."""

    async def say(self, audience: Audience, name: str, message: Say) -> Accepted | Refused:
        """Take a line of chat. `name` is the spectator's name, or ""."""

    async def settle_on_desk(
        self, seat: str, message: TakeBack | MakeOffer | Respond | Concede | Claim
    ) -> Accepted | Refused:
        """Take a message of players' agreements: offers, taking back, conceding, claiming."""

    async def report(self, audience: Audience, message: Report) -> Accepted | Refused:
        """Take a report of a line of chat."""

    def key_of(self, seat: str) -> str:
        """Return the player's key that a seat is tied to, "" for none."""

    async def tie(self, seat: str, message: TieSeat) -> Accepted | Refused:
        """Tie a seat to a player's key."""

    async def commit(self, seat: str, message: CommitRandomness) -> Accepted | Refused:
        """Take a seat's commitment to its share of the dice."""

    async def reveal(self, seat: str, message: RevealRandomness) -> Accepted | Refused:
        """Take a seat's share of the dice."""


class Rooms(Protocol):
    """All matches of this server."""

    @property
    def status(self) -> Status:
        """Whether answers can be taken now."""

    @property
    def up_ms(self) -> int:
        """The up-time in milliseconds, by which clocks run."""

    @property
    def held(self) -> int:
        """The number of matches in memory."""

    def welcome(self) -> Welcome:
        """Return what can be played here."""

    async def get(self, match: str) -> Room | None:
        """Return the room of a match, made from its log if need be; None if there is no such match.

        Raises:
            MatchRemoved: the operator has removed it.
        """

    async def make(self, message: MakeMatch, setup: bytes = b"") -> MatchMade | Refused:
        """Make a match; `setup` is the file that the message names, if it names one."""

    async def import_match(self, id_: str, data: bytes) -> MatchMade | Refused:
        """Import a match file, for the message `id_`."""

    async def check_setup(self, id_: str, setup: bytes) -> SetupChecked:
        """Return the position that a setup file describes, for the message `id_`."""

    async def take_seat(self, message: TakeSeat) -> SeatTaken | Refused:
        """Give a free seat to the player with its invite."""

    def check_force(self, message: CheckForce) -> ForceChecked | Refused:
        """Return what the rules say of a force."""

    def convert_force(self, message: ConvertForce) -> ForceConverted | Refused:
        """Return a force made into one of another edition."""

    async def listing(self) -> tuple[MatchSummary, ...]:
        """Return the first page of the listed matches."""

    @property
    def more_listed(self) -> bool:
        """Whether there are more listed matches than `listing` returned last."""

    async def more_matches(self, message: MoreMatches) -> MatchPage | Refused:
        """Return the page of the listed matches after one."""

    async def exhibition(self, message: AskExhibition) -> Exhibition | Refused:
        """Return the match between programs that start pages show."""

    async def moments(self, message: AskMoments) -> Moments | Refused:
        """Return the moments of recorded matches that start pages show."""

    async def summaries(self, matches: Collection[str]) -> tuple[MatchSummary, ...]:
        """Return the summaries of those of these matches that exist, listed or not, as of the last `listing`."""

    def on_listing_change(self, callback: Callable[[], None]) -> Unsubscribe:
        """Call `callback` whenever `listing` or `summaries` could return something else. Return the function that stops this."""

    def on_status(self, callback: Callable[[Status], None]) -> Unsubscribe:
        """Call `callback` whenever `status` has changed. Return the function that stops this."""
