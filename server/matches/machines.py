"""Machines: the seats that programs play. A program answers in a process of its own, and its answer is taken like a player's."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from typing import Protocol

from client_protocol.choices import Picked
from client_protocol.from_client import Answer
from client_protocol.from_server import Accepted, ProgramInfo, Refused
from server.kernel.answers.check import Asked
from server.kernel.state import State
from server.matches.play.machine_turns import MachineTurn
from server.work.desk import RulesOf, Work, WorkError

log = logging.getLogger("underfire.machines")

SECONDS = 10.0
"""The most seconds for a decision."""
PACE = 1.2
"""Seconds before each decision where only programs play: so one can watch, and such a match takes little of the server."""
PAUSE = 0.5
"""Seconds before another try after one has failed."""
TRIES = 4
"""How often a program is asked before the default is played for it."""

Job = Callable[[RulesOf, str, str, State, Asked, str, str], Picked]
"""Runs a program: of the edition, the program, the state as the seat may know it, what it is asked, the seat, and a seed."""


class Playing(Protocol):
    """What a program needs of a room."""

    def machine_turn(self) -> MachineTurn | None:
        """Return what a program is asked; None if none is."""
        ...

    async def answer_of_program(self, seat: str, message: Answer) -> Accepted | Refused:
        """Take the answer of the program that plays a seat."""
        ...


class Machines:
    """Plays the seats of programs, in all rooms of a server.

    Args:
        programs: the programs that matches can be made with.
        job: runs a program in another process.
        work: the process. It is not that of other long work, which could keep a table waiting.
        sleep: waits before another try.
    """

    def __init__(
        self,
        programs: tuple[ProgramInfo, ...],
        job: Job,
        work: Work,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.programs = programs
        self._job = job
        self._work = work
        self._sleep = sleep
        self._busy: set[str] = set()

    @property
    def names(self) -> Mapping[str, str]:
        """The names of the programs for players, by the programs."""
        return {program.id: f"{program.name} (computer)" for program in self.programs}

    async def play(self, match: str, room: Callable[[], Playing | None]) -> None:
        """Answer all that programs are asked in a match, until none is asked. `room` is its room, as long as it is open."""
        if match in self._busy:
            return
        self._busy.add(match)
        try:
            tries = 0
            while (turn := self._turn(room)) is not None:
                if turn.alone:
                    await self._sleep(PACE)
                picked = await self._picked(turn, tries)
                open_room = room()
                if open_room is None:
                    return
                if picked is not None and await self._taken(open_room, turn, picked):
                    tries = 0
                    continue
                tries += 1
                await self._sleep(PAUSE)
        finally:
            self._busy.discard(match)

    def _turn(self, room: Callable[[], Playing | None]) -> MachineTurn | None:
        open_room = room()
        return None if open_room is None else open_room.machine_turn()

    async def _picked(self, turn: MachineTurn, tries: int) -> Picked | None:
        """Return the program's answer; None if it gave none. In the end it is the default."""
        if tries >= TRIES:
            return turn.asked.default
        try:
            return await self._work.do(
                SECONDS, self._job, turn.edition, turn.program, turn.state, turn.asked, turn.seat, turn.seed
            )
        except WorkError as error:
            log.warning("the program %s gave no answer: %s", turn.program, error)
            return None

    async def _taken(self, room: Playing, turn: MachineTurn, picked: Picked) -> bool:
        message = Answer(f"machine-{turn.seat}-{turn.seed[:24]}", turn.prompt, picked.choice, picked.values)
        reply = await room.answer_of_program(turn.seat, message)
        if isinstance(reply, Refused) and reply.code != "prompt_closed":
            log.warning("an answer of the program %s was refused: %s", turn.program, reply.sentence)
            return False
        return True
