"""Matchups: games between programs, on all cores, in a file from which an interrupted measurement goes on."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import msgspec
from msgspec import Struct

from client_protocol.shapes import OptionValue
from server.kernel.answers.check import check
from server.kernel.belief import believed
from server.kernel.errors import RulesetError
from server.kernel.procedure import Run
from server.kernel.state import State
from server.opponents.programs import PROGRAMS, RANDOM
from server.opponents.simulation import TOO_LONG, RandomDice, chance_of
from server.rulesets.library import edition

DRAW = ""
_Z = 1.959964
"""The quantile of the normal distribution for a confidence of 95 percent."""


class Matchup(Struct, frozen=True):
    """One game to be played: who plays which seat, and the seed of dice and programs."""

    edition: str
    scenario: str
    seats: dict[str, str]
    seed: int
    options: dict[str, OptionValue] = {}


class Outcome(Struct, frozen=True):
    """How a game ended: the seat that won ("" for a draw), turns, answers, how many of them the rules refused (none, or a program
    is at fault), and for each seat how long each decision took, in microseconds of processor time.
    """

    matchup: Matchup
    winner: str
    turns: int
    steps: int
    refused: int
    took: dict[str, list[int]]


class Record(Struct, frozen=True):
    """The games of a program: how many it won, drew and lost, and its decisions in microseconds of processor time."""

    program: str
    won: int
    drawn: int
    lost: int
    took: tuple[int, ...]

    @property
    def games(self) -> int:
        """How many games it played."""
        return self.won + self.drawn + self.lost

    @property
    def rate(self) -> float:
        """The share of its games that it won; a draw is not won."""
        return self.won / self.games if self.games else 0.0

    @property
    def interval(self) -> tuple[float, float]:
        """The confidence interval of the rate."""
        return wilson(self.won, self.games)


def wilson(won: int, games: int) -> tuple[float, float]:
    """Return Wilson's score interval, of 95 percent confidence, of a rate of so many out of so many."""
    if not games:
        return 0.0, 1.0
    rate, square = won / games, _Z * _Z
    middle = (rate + square / (2 * games)) / (1 + square / games)
    half = _Z / (1 + square / games) * math.sqrt(rate * (1 - rate) / games + square / (4 * games * games))
    return max(0.0, middle - half), min(1.0, middle + half)


# --- one game -------------------------------------------------------------------------------------------------------


def play_out(matchup: Matchup) -> Outcome:
    """Play a game to its end."""
    rules = edition(matchup.edition)
    run = Run(rules, rules.open(matchup.scenario, matchup.options), RandomDice(chance_of(matchup.seed)))
    took: dict[str, list[int]] = {seat: [] for seat in matchup.seats}
    steps = refused = 0
    run.begin()
    while run.asked is not None:
        steps += 1
        assert steps < TOO_LONG, "a game that does not end"
        seat = next(seat for seat in run.asked.seats if seat not in run.state.sealed)
        asked, known = run.asked.seats[seat], believed(run.state, seat)
        began = time.process_time_ns()
        picked = PROGRAMS[matchup.seats[seat]].answer(rules, known, asked, seat, f"{matchup.seed}|{seat}|{steps}")
        took[seat].append((time.process_time_ns() - began) // 1000)
        if check(known, asked, picked) is not None:
            refused += 1
            picked = asked.default
        run.answer(seat, picked)
    result = run.state.result
    assert result is not None, "a game ends with a result"
    winner = run.state.sides[result.winner].seat if result.winner else DRAW
    return Outcome(matchup, winner, run.state.turn.number, steps, refused, took)


# --- many games -----------------------------------------------------------------------------------------------------


def seats_of(start: State, given: str) -> dict[str, str]:
    """Return the programs in `SEAT=PROGRAM,...`, by seat; seats that are not named play at random. Raises `RulesetError`."""
    known = [side.seat for side in start.sides.values()]
    found: dict[str, str] = {}
    for pair in given.split(","):
        seat, sign, program = pair.strip().partition("=")
        if not sign or seat not in known:
            raise RulesetError(f"{pair!r} is not SEAT=PROGRAM with a seat of {start.title}: {', '.join(known)}")
        if program not in PROGRAMS:
            raise RulesetError(f"there is no program {program!r}; there are {', '.join(PROGRAMS)}")
        found[seat] = program
    return {seat: found.get(seat, RANDOM) for seat in known}


def planned(
    edition_id: str,
    scenario: str,
    seats: Mapping[str, str],
    seeds: Iterable[int],
    options: Mapping[str, OptionValue],
    *,
    turned: bool,
) -> list[Matchup]:
    """Return the games to be played. With `turned`, each seed is played once for every way in which the programs can be passed
    on around the table, so that each plays each side with the same dice.
    """
    turns = len(seats) if turned else 1
    programs = list(seats.values())
    return [
        Matchup(
            edition_id,
            scenario,
            {seat: programs[(place + turn) % len(programs)] for place, seat in enumerate(seats)},
            seed,
            dict(options),
        )
        for seed in seeds
        for turn in range(turns)
    ]


def played(matchups: Sequence[Matchup], file: Path | None, cores: int, done: Callable[[], None]) -> Iterator[Outcome]:
    """Play the games that `file` does not hold yet, on so many cores; yield all outcomes. Each is written to the file as soon as
    it is there.
    """
    known = {key_of(outcome.matchup): outcome for outcome in read(file)} if file is not None else {}
    left = []
    for matchup in matchups:
        outcome = known.get(key_of(matchup))
        if outcome is None:
            left.append(matchup)
        else:
            done()
            yield outcome
    if file is not None and known:
        # A line that was cut off would spoil the next one.
        file.write_bytes(b"".join(msgspec.json.encode(outcome) + b"\n" for outcome in known.values()))
    for outcome in _on_cores(left, cores):
        if file is not None:
            with file.open("ab") as out:
                out.write(msgspec.json.encode(outcome) + b"\n")
        done()
        yield outcome


def _on_cores(matchups: Sequence[Matchup], cores: int) -> Iterator[Outcome]:
    if cores < 2 or len(matchups) < 2:
        yield from map(play_out, matchups)
        return
    with ProcessPoolExecutor(min(cores, len(matchups))) as pool:
        waiting = [pool.submit(play_out, matchup) for matchup in matchups]
        try:
            for future in as_completed(waiting):
                yield future.result()
        finally:
            for future in waiting:
                future.cancel()


def read(file: Path) -> list[Outcome]:
    """Return the outcomes in a file; none if there is no such file. A line that was cut off when the measurement was stopped is
    left out.
    """
    if not file.exists():
        return []
    lines = file.read_bytes().splitlines(keepends=True)
    return [msgspec.json.decode(line, type=Outcome) for line in lines if line.endswith(b"\n")]


def key_of(matchup: Matchup) -> bytes:
    """Return what tells a game from all others."""
    return msgspec.json.encode(matchup)


def records(outcomes: Iterable[Outcome]) -> list[Record]:
    """Return the games of each program. Of a program that plays several seats of a game, each seat counts."""
    counts: dict[str, tuple[int, int, int]] = {}
    took: dict[str, list[int]] = {}
    for outcome in outcomes:
        for seat, program in outcome.matchup.seats.items():
            won, drawn, lost = counts.get(program, (0, 0, 0))
            if outcome.winner == seat:
                won += 1
            elif outcome.winner == DRAW:
                drawn += 1
            else:
                lost += 1
            counts[program] = (won, drawn, lost)
            took.setdefault(program, []).extend(outcome.took[seat])
    return [Record(key, *counts[key], tuple(sorted(took[key]))) for key in counts]


def cores_here() -> int:
    """Return how many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
