"""What the gateway needs of the matches, as protocols: it knows sockets, they know matches, and this is all they share."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Protocol

from client_protocol.from_client import (
    Answer,
    CheckForce,
    CheckHead,
    Claim,
    CommitRandomness,
    Concede,
    ExportCase,
    ExportSetup,
    ExportText,
    Imagine,
    Inquire,
    Ledger,
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
)
from client_protocol.from_server import (
    Accepted,
    Exported,
    ForceChecked,
    History,
    Imagined,
    LuckLedger,
    MatchInfo,
    MatchMade,
    MatchPage,
    Preview,
    Refused,
    ReplayPart,
    SeatTaken,
    SetupChecked,
    Sight,
    Status,
    Welcome,
)
from server.gateway.connection import Connection
from server.kernel.belief import Audience

Unsubscribe = Callable[[], None]


class Onlooking(Protocol):
    """What of one match is only looked at: nothing changes by it, and nobody else is told."""

    async def inquire(self, seat: str, message: Inquire) -> Preview | Refused:
        """What would come of a choice, from what the seat may know."""

    def look(self, audience: Audience, message: Look) -> Sight | Refused:
        """Lines of sight between two units, from what the audience may know."""

    async def imagine(self, seat: str, message: Imagine) -> Imagined | Refused:
        """What a unit would see and could do from elsewhere, from what the seat may know."""

    async def replay(self, audience: Audience, message: Replay) -> ReplayPart | Refused:
        """Frames of the match from its beginning."""

    async def ledger(self, message: Ledger) -> LuckLedger | Refused:
        """The luck of each roll of a match that is over."""

    async def recall(self, audience: Audience, message: Recall) -> History:
        """The story of earlier frames."""

    async def export_text(self, audience: Audience, message: ExportText) -> Exported | Refused:
        """The match as a text to read, as the audience may know it."""

    async def export_case(self, audience: Audience, message: ExportCase) -> Exported | Refused:
        """A step as a case, as the audience may know it."""

    def export_setup(self, audience: Audience, message: ExportSetup) -> Exported | Refused:
        """The position, as the audience may know it."""


class Room(Protocol):
    """One match, as its sessions see it."""

    @property
    def onlooking(self) -> Onlooking:
        """What of the match is only looked at."""

    async def check_head(self, message: CheckHead) -> Accepted | Refused:
        """Says whether an entry of the log has a hash that one was told."""

    async def admit(self, token: str) -> Audience | None:
        """The audience that a token lets its holder join: a seat, `SPECTATORS` for no token, None for a wrong one."""

    def enter(self, audience: Audience, since: int, connection: Connection) -> None:
        """Sends what the connection has missed since the frame `since`, or a snapshot, and every frame from now on.

        It does so without waiting, so that no frame is missed and none comes twice. See `broadcast.Audience.enter`.
        """

    def leave(self, connection: Connection) -> None:
        """Forgets the connection. Does nothing if it never entered."""

    async def answer(self, seat: str, message: Answer) -> Accepted | Refused:
        """Takes a seat's answer; returns when it is on the log for good, or refused."""

    async def order(self, seat: str, message: Order) -> Accepted | Refused:
        """Takes a standing order for one of the seat's units."""

    async def say(self, audience: Audience, name: str, message: Say) -> Accepted | Refused:
        """Takes a line of chat. `name` is what a spectator is called, or nothing."""

    async def settle_beside(
        self, seat: str, message: TakeBack | MakeOffer | Respond | Concede | Claim
    ) -> Accepted | Refused:
        """Takes what players settle among themselves: offers, taking back, conceding, claiming."""

    async def report(self, audience: Audience, message: Report) -> Accepted | Refused:
        """Takes a report of what somebody said."""

    async def commit(self, seat: str, message: CommitRandomness) -> Accepted | Refused:
        """Takes a seat's commitment to its share of the dice."""

    async def reveal(self, seat: str, message: RevealRandomness) -> Accepted | Refused:
        """Takes a seat's share of the dice."""


class Rooms(Protocol):
    """All matches of this server."""

    @property
    def status(self) -> Status:
        """Whether answers can be taken now."""

    @property
    def up_ms(self) -> int:
        """The up-time in milliseconds, by which clocks run."""

    def welcome(self) -> Welcome:
        """What can be played here."""

    async def get(self, match: str) -> Room | None:
        """The room of a match, made from its log if need be; None when there is no such match.

        Raises:
            MatchRemoved: the operator has removed it.
        """

    async def make(self, message: MakeMatch, setup: bytes = b"") -> MatchMade | Refused:
        """Makes a match; `setup` is the file that the message names, if it names one."""

    async def import_match(self, id_: str, data: bytes) -> MatchMade | Refused:
        """Takes in a match file, for the message `id_`."""

    async def check_setup(self, id_: str, setup: bytes) -> SetupChecked:
        """What position a setup file describes, for the message `id_`."""

    async def take_seat(self, message: TakeSeat) -> SeatTaken | Refused:
        """Gives a free seat to whoever asks with its invite."""

    def check_force(self, message: CheckForce) -> ForceChecked | Refused:
        """What the rules say of a force."""

    async def listing(self) -> tuple[MatchInfo, ...]:
        """The first page of the listed matches."""

    @property
    def more_listed(self) -> bool:
        """Whether there are more listed matches than `listing` gave last."""

    async def more_matches(self, message: MoreMatches) -> MatchPage | Refused:
        """The page of the listed matches after one."""

    async def infos(self, matches: Collection[str]) -> tuple[MatchInfo, ...]:
        """Those of these matches that there are, listed or not, as of the last `listing`."""

    def on_listing_change(self, callback: Callable[[], None]) -> Unsubscribe:
        """Calls back whenever `listing` or `infos` could give something else."""

    def on_status(self, callback: Callable[[Status], None]) -> Unsubscribe:
        """Calls back whenever `status` has changed."""
