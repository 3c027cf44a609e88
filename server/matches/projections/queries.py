"""Queries of a match: previews, lines of sight, what-if, replay, luck report, and exported files.

Queries write nothing, and are told to no other player.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from client_protocol.choices import Picked
from client_protocol.from_client import (
    AskAdvice,
    AskLuckReport,
    AskPreview,
    AskWhatIf,
    ExportCase,
    ExportSetup,
    ExportText,
    Look,
    Recall,
    Replay,
)
from client_protocol.from_server import (
    Advice,
    Exported,
    History,
    LuckReport,
    Preview,
    Refused,
    ReplayPart,
    Sight,
    WhatIf,
)
from server.kernel.answers.check import Asked
from server.kernel.belief import EVERYTHING, Audience, believed
from server.kernel.files import setups
from server.kernel.state import State
from server.kernel.views import advised
from server.matches.log.audiences import audience_of
from server.matches.log.entries import LogError
from server.matches.log.unreadable import unreadable
from server.matches.play.referee import Referee
from server.matches.play.thinking import thinking
from server.matches.projections import jobs
from server.matches.projections.playback import Playback
from server.matches.projections.sight import look
from server.store.errors import StoreError
from server.work.desk import RulesOf, Work

Adviser = Callable[[RulesOf, str, State, Asked, str], tuple[Picked, str]]
"""Says what to answer, and why: of the edition, the state as the seat may know it, what it is asked, and the seat."""
MOST_REMEMBERED = 200
"""The most frames that a `Recall` returns."""
LOOKS, READS = 5.0, 10.0
"""The most seconds for computations about one position, and about a whole match."""


class Queries:
    """The queries of one match.

    Args:
        referee: the rules on the match's log, up to date.
        read: returns the log's entries after a number (0: all). Raises `StoreError`.
        work: runs long computations.
        adviser: the job that says what a program would do; None: there is none.
    """

    def __init__(
        self,
        referee: Referee,
        read: Callable[[int], Awaitable[list[bytes]]],
        work: Work,
        adviser: Adviser | None = None,
    ) -> None:
        self._adviser = adviser
        self._referee = referee
        self._read = read
        self._work = work
        self._playback = Playback(referee.rules, read, lambda: referee.fold.number, work.slices)

    def forget(self) -> None:
        """Drop what was kept for replays, when the last viewer has left."""
        self._playback.forget()

    async def preview(self, seat: str, message: AskPreview) -> Preview | Refused:
        """Return a preview of a choice, from what the seat may know."""
        picked = Picked(message.choice, message.values)
        asked = self._referee.asked(seat, message.id, message.prompt, picked)
        if isinstance(asked, Refused):
            return asked
        known = self._believed(seat)
        found = await thinking(self._work, known, lambda: self._referee.rules.preview(known, asked, picked))
        if found is None:
            return Refused(message.id, "nothing_to_preview", "There is no preview of this choice.")
        return Preview(message.id, found.title, found.dice, found.numbers, found.chances, found.notes)

    async def advice(self, seat: str, message: AskAdvice) -> Advice | Refused:
        """Return what the computer would answer to the open prompt of a seat, and why, from what the seat may know."""
        state, ask = self._referee.fold.state, self._referee.ask
        if self._adviser is None or not advised(state):
            return Refused(message.id, "no_advice", "In this match the computer gives no advice.")
        if seat in state.desk.machines or ask is None or seat not in ask.seats or self._referee.trouble:
            return Refused(message.id, "prompt_closed", "You are asked nothing at the moment.")
        if message.prompt != self._referee.fold.prompt_id(seat):
            return Refused(message.id, "prompt_closed", "That question is not open any more.")
        picked, why = await self._work.do(
            LOOKS, self._adviser, self._edition, self._believed(seat), ask.seats[seat], seat
        )
        return Advice(message.id, message.prompt, picked.choice, picked.values, why)

    def look(self, audience: Audience, message: Look) -> Sight | Refused:
        """Return the lines of sight between two units, from what the audience may know."""
        return look(self._referee.rules, self._believed(audience), message)

    async def what_if(self, seat: str, message: AskWhatIf) -> WhatIf | Refused:
        """Return a what-if: what a unit would see and could do from where the seat imagines it, from what it may know."""
        # It can take some tenths of a second, in which others want to play.
        return await self._work.do(LOOKS, jobs.what_if_of, self._edition, self._believed(seat), seat, message)

    async def replay(self, audience: Audience, message: Replay) -> ReplayPart | Refused:
        """Return frames of the match from its beginning: of the requester's own audience, or, when it is over, of any."""
        if audience_of(message.view) != audience and not self._over:
            return Refused(message.id, "not_over", "Until the match is over, you can see only your own view of it.")
        try:
            return await self._playback.part(message)
        except (StoreError, LogError) as error:
            return unreadable(message.id, error, "the match cannot be replayed now")

    async def luck_report(self, message: AskLuckReport) -> LuckReport | Refused:
        """Return the luck report, once the match is over."""
        if not self._over:
            return Refused(message.id, "not_over", "The luck report comes when the match is over.")
        try:
            return LuckReport(message.id, await self._playback.luck_report())
        except (StoreError, LogError) as error:
            return unreadable(message.id, error, "the rolls cannot be looked up now")

    async def luck_of_seats(self) -> dict[str, int]:
        """Return what the luck of each seat came to over the match, in hundredths of a standard deviation; {} where
        no roll of it was luck.

        Raises:
            StoreError, LogError: the log cannot be read.
            WorkError: it took too long, or failed.
        """
        sides = self._referee.fold.state.sides
        payloads = await self._read(0)
        # The whole match is folded again, which others who play should not wait for.
        sums = await self._work.do(READS, jobs.luck_summed, self._edition, payloads)
        return {side.seat: sums.get(side.id, 0) for side in sides.values()} if sums else {}

    async def recall(self, audience: Audience, message: Recall) -> History:
        """Return the story of earlier frames, told again from the log."""
        before = min(message.before, self._referee.fold.seqs[audience] + 1)
        if before <= 1:
            return History(message.id, ())
        try:
            payloads = await self._read(0)
            frames, more = await self._work.do(
                READS, jobs.recalled, self._edition, payloads, audience, before, MOST_REMEMBERED
            )
        except (StoreError, LogError):
            return History(message.id, (), more=True)
        return History(message.id, frames, more)

    def export_setup(self, audience: Audience, message: ExportSetup) -> Exported | Refused:
        """Return the position as the audience may know it, as a setup file."""
        state = self._believed(audience)
        name = f"{self._match}-turn-{state.turn.number}.json"
        return Exported(message.id, name, setups.dump(setups.write(state)))

    async def export_text(self, audience: Audience, message: ExportText) -> Exported | Refused:
        """Return the match as a text to read, as the audience may know it; all of it when it is over."""
        view = EVERYTHING if self._over else audience
        try:
            payloads = await self._read(0)
            text = await self._work.do(READS, jobs.told_as_text, self._edition, payloads, view)
        except (StoreError, LogError) as error:
            return unreadable(message.id, error, "the match cannot be written as a text now")
        return Exported(message.id, f"{self._match}.txt", text)

    async def export_case(self, audience: Audience, message: ExportCase) -> Exported | Refused:
        """Return a step as a case file: of the requester's own audience, or, when the match is over, of any."""
        view = audience_of(message.view)
        if view != audience and not self._over:
            return Refused(message.id, "not_over", "Until the match is over, you can see only your own view of it.")
        try:
            payloads = await self._read(0)
            # Entries that the match has not taken in yet are not shown before it shows them.
            known = payloads[: self._referee.fold.number]
            case = await self._work.do(READS, jobs.told_as_case, self._edition, known, view, message.frame)
        except (StoreError, LogError) as error:
            return unreadable(message.id, error, "the step cannot be looked up now")
        if isinstance(case, str):
            return Refused(message.id, "no_case", case)
        return Exported(message.id, f"{self._match}-case-{message.frame}.json", case.text)

    @property
    def _edition(self) -> str:
        return self._referee.fold.opened.edition

    @property
    def _match(self) -> str:
        return self._referee.fold.opened.match

    @property
    def _over(self) -> bool:
        return self._referee.fold.state.result is not None

    def _believed(self, audience: Audience) -> State:
        return believed(self._referee.fold.state, audience)
