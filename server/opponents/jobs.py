"""Decisions of programs as jobs for another process: see `server.work.desk`. Pure."""

from __future__ import annotations

from client_protocol.choices import Picked
from client_protocol.from_server import ProgramInfo
from server.kernel.answers.check import Asked
from server.kernel.state import State
from server.opponents.coach import advise
from server.opponents.programs import PROGRAMS
from server.work.desk import RulesOf


def answered(
    rules_of: RulesOf, edition: str, program: str, believed: State, asked: Asked, seat: str, seed: str
) -> Picked:
    """Return a program's answer. One that this server no longer has plays the default."""
    known = PROGRAMS.get(program)
    return asked.default if known is None else known.answer(rules_of(edition), believed, asked, seat, seed)


def advised(rules_of: RulesOf, edition: str, believed: State, asked: Asked, seat: str) -> tuple[Picked, str]:
    """Return what the strongest program would answer, and why, in a sentence."""
    return advise(rules_of(edition), believed, asked, seat)


def offered() -> tuple[ProgramInfo, ...]:
    """Return the programs with which matches can be made."""
    return tuple(ProgramInfo(one.id, one.name, one.summary) for one in PROGRAMS.values() if one.offered)
