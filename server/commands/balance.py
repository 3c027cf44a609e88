"""Measure how evenly the scenarios are won when the strongest program plays all sides, and note it in the edition's
`balance.toml`, which the start page shows. The games are kept in a file, so that a measurement that was stopped goes on.
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from server.commands.simulate import plan
from server.console import counted, say
from server.kernel.errors import RulesetError
from server.kernel.ruleset import Ruleset
from server.opponents.matchups import Outcome, cores_here, planned, played
from server.opponents.strengths import COMMANDER
from server.rulesets.shared.edition import PlayableEdition
from server.rulesets.shared.setup.companions import BALANCE, Measured, digests, read_measured

HELP = "measure how evenly the scenarios are won, for the start page"

_HEAD = """\
# How evenly scenarios are won between equal programs: `underfire balance` measures it and writes this file. A scenario with
# another digest has changed since, and the start page says nothing of it.
"""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire balance`."""
    parser.add_argument("--edition", action="append", default=[], help="an edition (all); may be repeated")
    parser.add_argument("--scenario", action="append", default=[], help="a scenario's id (all); may be repeated")
    parser.add_argument("--games", type=int, default=400, metavar="N", help="how many games of each scenario (400)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="the first game's seed (1)")
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        default=Path("balance.jsonl"),
        help="keep each game in FILE, and play only those not in it (balance.jsonl)",
    )
    parser.add_argument("--cores", type=int, default=cores_here(), metavar="N", help="how many cores (all)")


def run(flags: argparse.Namespace) -> int:
    """Measure, print and write the figures.

    Raises:
        RulesetError: no such edition or scenario, or no games.
    """
    if flags.games < 1:
        raise RulesetError("at least one game has to be played")
    for rules, scenarios in plan(flags.edition, flags.scenario):
        assert isinstance(rules, PlayableEdition), "a shipped edition has a folder"
        folder = rules.folder
        known, now = read_measured(folder), digests(folder)
        for scenario in scenarios:
            one = measured(rules, scenario, now[scenario], flags)
            known[scenario] = one
            text = ", ".join(f"{seat} {count}" for seat, count in one.won.items())
            say(f"{scenario} ({rules.info.name}): {text} of {one.games} games")
            # After each scenario: what is measured is not lost when the rest is stopped.
            (Path(str(folder)) / BALANCE).write_text(written(known), encoding="utf-8")
    return 0


def measured(rules: Ruleset, scenario: str, digest: str, flags: argparse.Namespace) -> Measured:
    """Play the games of a scenario that are not in the file yet, and return its measurement."""
    start = rules.open(scenario, {})
    seats = {side.seat: COMMANDER.id for side in start.sides.values()}
    seeds = range(flags.seed, flags.seed + flags.games)
    games = planned(rules.info.id, scenario, seats, seeds, {}, turned=False)
    with counted(f"Playing {start.title}", len(games)) as done:
        won = tally(seats, played(games, flags.results, flags.cores, done))
    today = datetime.now(UTC).date().isoformat()
    return Measured(digest, COMMANDER.id, flags.games, won, (seeds[0], seeds[-1]), today)


def tally(seats: Iterable[str], outcomes: Iterable[Outcome]) -> dict[str, int]:
    """Return how many games each seat won, in the order of the seats."""
    counts = Counter(outcome.winner for outcome in outcomes)
    return {seat: counts[seat] for seat in seats}


def written(known: Mapping[str, Measured]) -> str:
    """Return the text of a `balance.toml`, by scenario."""
    parts = [_HEAD]
    for scenario, one in sorted(known.items()):
        won = ", ".join(f"{seat} = {count}" for seat, count in one.won.items())
        parts.append(
            f"[{scenario}]\n"
            f'scenario = "{one.scenario}"\n'
            f'program = "{one.program}"\n'
            f"games = {one.games}\n"
            f"won = {{ {won} }}\n"
            f"seeds = [{one.seeds[0]}, {one.seeds[1]}]\n"
            f'date = "{one.date}"\n'
        )
    return "\n".join(parts)
