"""Machines: programs are asked, their answers are taken, and what goes wrong with them holds up no table."""

from __future__ import annotations

from collections.abc import Callable

from client_protocol.choices import Choice, Picked
from client_protocol.from_client import Answer
from client_protocol.from_server import Accepted, ProgramInfo, Refused
from server.kernel.answers.check import Asked
from server.kernel.state import State
from server.matches.machines import PAUSE, TRIES, Machines
from server.matches.play.machine_turns import MachineTurn
from server.work.desk import RulesOf, TooLong, WorkFailed
from tests.support.toy_rules import ToyRules

STATE = ToyRules().open("duel", {})
ASKED = Asked("Which?", (Choice("a", "A"), Choice("b", "B")), Picked("a"))
PROGRAMS = (ProgramInfo("weak", "Weak", "It is weak."),)


def decided(
    _rules: RulesOf, _edition: str, _program: str, _state: State, _asked: Asked, _seat: str, seed: str
) -> Picked:
    return Picked("b" if seed else "a")


class Room:
    """A room in which a program has so many decisions to make; it refuses the answers at some of the tries."""

    def __init__(self, turns: int, refusing: tuple[int, ...] = ()) -> None:
        self.answers: list[Answer] = []
        self._turns = turns
        self._refusing = refusing
        self._made = 0

    def machine_turn(self) -> MachineTurn | None:
        number = self._made
        return (
            None
            if number == self._turns
            else MachineTurn("toy", "red", "weak", f"{number}", STATE, ASKED, f"{number:064}")
        )

    async def answer_of_program(self, seat: str, message: Answer) -> Accepted | Refused:
        assert seat == "red"
        self.answers.append(message)
        if len(self.answers) in self._refusing:
            return Refused(message.id, "database_away", "The database is away.")
        self._made += 1
        return Accepted(message.id, self._made)


class Process:
    """A process that fails at some of its first jobs."""

    def __init__(self, *failures: Exception) -> None:
        self._failures = list(failures)

    async def do(self, _seconds: float, job: Callable[..., Picked], *args: object) -> Picked:
        if self._failures:
            raise self._failures.pop(0)
        return job(lambda _name: ToyRules(), *args)


class Clock:
    """Notes for how long it was slept."""

    def __init__(self) -> None:
        self.slept: list[float] = []

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)


async def played(room: Room, process: Process) -> list[float]:
    clock = Clock()
    machines = Machines(PROGRAMS, decided, process, clock.sleep)  # type: ignore[arg-type]
    await machines.play("m1", lambda: room)
    return clock.slept


async def test_a_program_answers_all_that_it_is_asked_each_prompt_once() -> None:
    room = Room(3)
    assert await played(room, Process()) == []
    assert [(answer.prompt, answer.choice) for answer in room.answers] == [("0", "b"), ("1", "b"), ("2", "b")]


async def test_a_program_whose_process_was_killed_is_asked_again() -> None:
    room = Room(1)
    assert await played(room, Process(WorkFailed(), TooLong())) == [PAUSE, PAUSE]
    assert [answer.choice for answer in room.answers] == ["b"]


async def test_for_a_program_that_never_answers_the_default_is_played() -> None:
    room = Room(1)
    assert await played(room, Process(*(WorkFailed() for _ in range(TRIES)))) == [PAUSE] * TRIES
    assert [answer.choice for answer in room.answers] == ["a"]


async def test_an_answer_that_could_not_be_stored_is_given_again_under_the_same_id() -> None:
    room = Room(1, refusing=(1,))
    assert await played(room, Process()) == [PAUSE]
    assert len({answer.id for answer in room.answers}) == 1
    assert len(room.answers) == 2


async def test_a_program_stops_when_its_room_is_closed() -> None:
    room = Room(5)
    left = [room, room, room]

    def open_room() -> Room | None:
        return left.pop() if left else None

    await Machines(PROGRAMS, decided, Process(), Clock().sleep).play("m1", open_room)  # type: ignore[arg-type]
    assert len(room.answers) == 1


def test_players_read_that_a_seat_is_played_by_the_computer() -> None:
    machines = Machines(PROGRAMS, decided, Process(), Clock().sleep)  # type: ignore[arg-type]
    assert dict(machines.names) == {"weak": "Weak (computer)"}
