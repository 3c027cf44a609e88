"""A table's requests other than answers to prompts: chat, offers, clocks, what-ifs, replays."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal

from client_protocol.client.link import EndedError, expected, new_id
from client_protocol.client.seen import Seen
from client_protocol.clocks import ClockTerms
from client_protocol.from_client import (
    AskLuckReport,
    AskWhatIf,
    CheckHead,
    Claim,
    ClientMessage,
    Concede,
    ExportCase,
    ExportSetup,
    ExportText,
    GhostPlaces,
    Look,
    MakeOffer,
    Recall,
    Replay,
    Report,
    Respond,
    Say,
    TakeBack,
)
from client_protocol.from_server import (
    Accepted,
    Exported,
    History,
    LuckReport,
    Refused,
    ReplayFrame,
    ReplayPart,
    ServerMessage,
    Sight,
    Snapshot,
    WhatIf,
)
from client_protocol.view import Channel, View


@dataclass(frozen=True)
class Replayed:
    """The replay of a match for an audience: `start` is the view before the first of the `frames`."""

    start: Snapshot
    frames: tuple[ReplayFrame, ...]

    def views(self) -> Iterator[tuple[ReplayFrame, View]]:
        """Yield each frame, and the view after it."""
        seen = Seen(self.start.view)
        for frame in self.frames:
            seen.patch(frame.patch)
            yield frame, seen.view


class TableRequests(ABC):
    """The part of a `Table` that only sends requests.

    Each request is logged once, however often the link is lost meanwhile.
    """

    @property
    @abstractmethod
    def seat(self) -> str:
        """This client's seat; "" for spectators."""

    @abstractmethod
    async def _ask(self, message_id: str, message: ClientMessage) -> ServerMessage:
        """Send a message, repeated under the same id if necessary, and return its reply."""

    # --- what is settled with the others -----------------------------------------------------------------------------

    async def take_back(self, frame: int = -1) -> Accepted | Refused:
        """Take back our last decision, or all since the frame `frame`: at once if that is free, otherwise the others are
        asked.

        The view says which it is: see `SeatView.take_back`. While the others are asked there is an offer of the kind
        `take_back`.
        """
        message = TakeBack(new_id(), frame)
        return expected(await self._ask(message.id, message), Accepted)

    async def offer(
        self, kind: Literal["draw", "pause", "resume", "clock"], clock: ClockTerms | None = None
    ) -> Accepted | Refused:
        """Offer the others a draw, a pause of the clocks, resuming them, or the clock `clock` (None: none)."""
        message = MakeOffer(new_id(), kind, clock)
        return expected(await self._ask(message.id, message), Accepted)

    async def hand_over(self, program: str) -> Accepted | Refused:
        """Let the program `program` of `Welcome.programs` play on in the player's place; "": take the seat back."""
        message = MakeOffer(new_id(), "hand_over", program=program)
        return expected(await self._ask(message.id, message), Accepted)

    async def respond(self, offer: str, accept: bool) -> Accepted | Refused:
        """Accept the offer of this key of the view's `offers`, or decline it; the client's own offer is withdrawn."""
        message = Respond(new_id(), offer, accept)
        return expected(await self._ask(message.id, message), Accepted)

    async def concede(self) -> Accepted | Refused:
        """Concede."""
        message = Concede(new_id())
        return expected(await self._ask(message.id, message), Accepted)

    async def claim(self) -> Accepted | Refused:
        """Claim the game, because another player's time is up, or the decision that is due has not come for too long."""
        message = Claim(new_id())
        return expected(await self._ask(message.id, message), Accepted)

    # --- talk --------------------------------------------------------------------------------------------------------

    async def say(self, text: str, channel: Channel | None = None) -> Accepted | Refused:
        """Send a line of chat: by default to the whole table, or among spectators."""
        message = Say(new_id(), text, channel or ("table" if self.seat else "spectators"))
        return expected(await self._ask(message.id, message), Accepted)

    async def report(self, frame: int, reason: str) -> Accepted | Refused:
        """Report the chat line in the frame `frame` to the server's operator."""
        message = Report(new_id(), frame, reason)
        return expected(await self._ask(message.id, message), Accepted)

    # --- what is only looked at --------------------------------------------------------------------------------------

    async def look(self, unit: str, target: str) -> Sight | Refused:
        """Return which figures of a unit see which of another one."""
        message = Look(new_id(), unit, target)
        return expected(await self._ask(message.id, message), Sight)

    async def what_if(self, unit: str, ghosts: Mapping[str, GhostPlaces]) -> WhatIf | Refused:
        """Return what a unit of ours would see and could do if units of ours stood at `ghosts`. Other players do not learn of
        it.
        """
        message = AskWhatIf(new_id(), unit, dict(ghosts))
        return expected(await self._ask(message.id, message), WhatIf)

    async def check_head(self, head: str) -> Accepted | Refused:
        """Check that the log is still the one with this hash, which we were told; refused with the code `other_log` if it is
        not.
        """
        message = CheckHead(new_id(), bytes.fromhex(head))
        return expected(await self._ask(message.id, message), Accepted)

    async def recall(self, before: int) -> History | Refused:
        """Return the story before the frame `before`."""
        message = Recall(new_id(), before)
        return expected(await self._ask(message.id, message), History)

    async def replay(self, view: str | None = None) -> Replayed | Refused:
        """Return the whole replay of the match up to now.

        Args:
            view: the audience: a seat, "" for the spectators, "*" for everything; None for the client's own. Until the match is
                over only the client's own is available.
        """
        start: Snapshot | None = None
        frames: list[ReplayFrame] = []
        more = True
        while more:
            message = Replay(new_id(), self.seat if view is None else view, frames[-1].seq if frames else -1)
            part = expected(await self._ask(message.id, message), ReplayPart)
            if isinstance(part, Refused):
                return part
            start = start or part.start
            frames += part.frames
            more = part.more and bool(part.frames)
        if start is None:
            raise EndedError("protocol", "The server gave a replay without its beginning.")
        return Replayed(start, tuple(frames))

    async def luck_report(self) -> LuckReport | Refused:
        """Return the luck report of a match that is over."""
        message = AskLuckReport(new_id())
        return expected(await self._ask(message.id, message), LuckReport)

    async def export_setup(self) -> Exported | Refused:
        """Return the position as a setup file."""
        message = ExportSetup(new_id())
        return expected(await self._ask(message.id, message), Exported)

    async def export_text(self) -> Exported | Refused:
        """Return the match so far as a text to read."""
        message = ExportText(new_id())
        return expected(await self._ask(message.id, message), Exported)

    async def export_case(self, view: str, frame: int) -> Exported | Refused:
        """Return the last step up to a frame as a case file; `view` is the frame's audience: see `replay`."""
        message = ExportCase(new_id(), view, frame)
        return expected(await self._ask(message.id, message), Exported)
