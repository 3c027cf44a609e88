"""How long a prompt takes to make: from an answer that is legal until the next question is made.

`python -m tests.benchmarks.prompts --games 500` plays so many games of each edition, and prints the times by kind of prompt.
"""

from __future__ import annotations

import argparse
import gc
import random
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from msgspec.structs import replace

from server.kernel.answers.check import check
from server.kernel.answers.sampling import sample
from server.kernel.belief import believed
from server.kernel.procedure import Run
from server.kernel.ruleset import Ruleset
from server.kernel.state import State, Unit
from server.opponents.simulation import RandomDice
from server.rulesets import library
from server.rulesets.library import EDITIONS, editions
from tests.benchmarks.lines import percentile
from tests.benchmarks.rules import fresh, served

FIGURES, PIECES = 150, 40
"""How many figures and terrain pieces lie on the big table."""
_OVER = "the end"
ROUNDS = 2
"""How often each game is played."""
MOST = 400
"""Only so many prompts of a game on the big table are measured."""


@dataclass(frozen=True)
class Prompt:
    """A prompt that was made: its kind (the rule that asks), the processor time that it took in seconds, and where it was: the
    match's title, its seed and how many prompts came before.
    """

    kind: str
    seconds: float
    match: str
    seed: int
    number: int


def prompts(rules: Ruleset, start: State, seed: int, most: int = 100_000) -> Iterator[Prompt]:
    """Play a game between random seats, and yield each prompt, `most` at most. Garbage is collected before, and not meanwhile:
    when it is belongs to no prompt.
    """
    gc.collect()
    chance = random.Random(seed)
    run = Run(rules, start, RandomDice(chance))
    run.begin()
    for number in range(most):
        if run.asked is None:
            return
        seat = next(seat for seat in run.asked.seats if seat not in run.state.sealed)
        asked, known = run.asked.seats[seat], believed(run.state, seat)
        picked = sample(known, asked, chance)
        if check(known, asked, picked) is not None:
            picked = asked.default
        gc.disable()
        began = time.process_time()
        run.answer(seat, picked)
        if run.asked is not None:
            run.asked.make()
        took = time.process_time() - began
        gc.enable()
        yield Prompt(_kind(run), took, start.title, seed, number)


def _kind(run: Run) -> str:
    return _OVER if run.asked is None else next(asked.rule for asked in run.asked.seats.values())


def big_table(rules: Ruleset) -> State:
    """Return the beginning of a match on a table twice as long and wide as that of the served scenario, with `FIGURES` figures
    and `PIECES` pieces or a few more: those of the scenario, and again in the three other quarters.
    """
    start = rules.open(served(rules), {})
    width, height = start.table.width, start.table.height
    quarters = [(0, 0), (width, height), (width, 0), (0, height)]
    pieces = [
        replace(
            piece, id=f"{piece.id}-{i}" if i else piece.id, outline=tuple((x + dx, y + dy) for x, y in piece.outline)
        )
        for i, (dx, dy) in enumerate(quarters)
        for piece in start.table.terrain
    ]
    units: dict[str, Unit] = {}
    count = 0
    for i in range(len(quarters)):
        for unit in start.units.values():
            if count < FIGURES:
                key = f"{unit.id}-{i}" if i else unit.id
                units[key] = replace(unit, id=key, name=f"{unit.name} {i}" if i else unit.name)
                count += len(unit.figures)
    sides = {key: replace(side, zone=tuple((2 * x, 2 * y) for x, y in side.zone)) for key, side in start.sides.items()}
    table = replace(start.table, width=2 * width, height=2 * height, terrain=tuple(pieces[:PIECES]))
    return replace(start, table=table, units=units, sides=sides)


def measured(rules: Ruleset, starts: Sequence[State], games: Sequence[int], most: int = 100_000) -> list[Prompt]:
    """Return the prompts of games from each start with each of these seeds, by rules that remember nothing at first. Each prompt
    counts with its best time of several rounds: all else that runs on a machine only adds to it.
    """
    rounds = []
    for _ in range(ROUNDS):
        rules = fresh(rules)
        rounds.append([one for start in starts for seed in games for one in prompts(rules, start, seed, most)])
    return [min(same, key=lambda one: one.seconds) for same in zip(*rounds, strict=True)]


def by_kind(made: Iterable[Prompt]) -> dict[str, list[Prompt]]:
    """Return the prompts sorted by kind, the kind with the worst prompt first."""
    kinds: dict[str, list[Prompt]] = {}
    for one in made:
        kinds.setdefault(one.kind, []).append(one)
    for found in kinds.values():
        found.sort(key=lambda one: one.seconds)
    return dict(sorted(kinds.items(), key=lambda row: -row[1][-1].seconds))


def table(made: Sequence[Prompt]) -> str:
    """Return the times by kind as text, in milliseconds, each with the match, seed and number of its worst prompt."""
    rows = [f"{'prompt':<34} {'count':>7} {'p50':>8} {'p99':>8} {'worst':>8}   match, seed, number"]
    for kind, found in {"all": sorted(made, key=lambda one: one.seconds), **by_kind(made)}.items():
        times = [one.seconds * 1000 for one in found]
        worst = found[-1]
        rows.append(
            f"{kind:<34} {len(times):>7,} {median(times):>8.2f} {percentile(times, 99):>8.2f} {times[-1]:>8.2f}"
            f"   {worst.match}, {worst.seed}, {worst.number}"
        )
    return "\n".join(rows)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.prompts", description=__doc__)
    parser.add_argument("--games", type=int, default=20, help="how many games of each scenario")
    parser.add_argument("--big", type=int, default=1, help="how many games on the big table")
    parser.add_argument("--edition", choices=EDITIONS, nargs="+", default=list(editions()), help="some editions alone")
    flags = parser.parse_args()
    for name in flags.edition:
        rules = library.edition(name)
        starts = [rules.open(scenario.id, {}) for scenario in rules.info.scenarios]
        print(f"{rules.info.name}, seeds 0 to {flags.games - 1} of each scenario, in ms\n")
        print(table(measured(rules, starts, range(flags.games))), flush=True)
        if flags.big:
            print(f"\n{rules.info.name}, {FIGURES} figures and {PIECES} pieces, seeds 0 to {flags.big - 1}, in ms\n")
            print(table(measured(rules, [big_table(rules)], range(flags.big), MOST)), "\n", flush=True)


if __name__ == "__main__":
    main()
