"""Play whole games through the rules alone, without a server, and print their figures: of every edition and every scenario,
unless some are named. Seats play at random, unless `--seats` names programs for them.
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from client_protocol.shapes import OptionValue
from server.console import counted, say
from server.kernel.answers.check import Ask
from server.kernel.errors import RulesetError
from server.kernel.facts import Fact
from server.kernel.ruleset import Ruleset
from server.kernel.state import State
from server.opponents.matchups import Record, cores_here, planned, played, records, seats_of
from server.opponents.programs import PROGRAMS
from server.opponents.simulation import play
from server.rulesets.library import edition, editions

HELP = "play whole games between random seats or programs, and sum them up"


class Summary(Struct, frozen=True):
    """The figures of a scenario's simulated games."""

    edition: str
    scenario: str
    title: str
    games: int
    seconds: float
    games_per_second: float
    steps: int
    steps_per_second: float
    steps_median: int
    steps_90_percent: int
    turns_median: int
    turns_90_percent: int
    winners: dict[str, int]
    refusals: int


class Tally:
    """Counts what happens in games. `rules` are the rule ids in facts, prompts and the lines of numbers."""

    def __init__(self) -> None:
        self.steps: list[int] = []
        self.turns: list[int] = []
        self.winners: Counter[str] = Counter()
        self.refusals = 0
        self.rules: set[str] = set()

    def game(self, rules: Ruleset, start: State, seed: int) -> None:
        """Play and count one game."""
        steps = -1  # the first step answers nothing
        last = start
        for one in play(rules, start, seed, orders=True):
            steps += 1
            self.refusals += one.refused
            self.rules |= rules_told(one.step.facts) | rules_asked(one.ask)
            last = one.after
        assert last.result is not None, "a game ends with a result"
        self.steps.append(steps)
        self.turns.append(last.turn.number)
        self.winners[last.sides[last.result.winner].name if last.result.winner else "draw"] += 1

    def summary(self, edition_id: str, scenario: str, title: str, seconds: float) -> Summary:
        """Return the figures. `seconds` is how long the games took."""
        seconds = max(seconds, 1e-9)
        return Summary(
            edition=edition_id,
            scenario=scenario,
            title=title,
            games=len(self.steps),
            seconds=round(seconds, 2),
            games_per_second=round(len(self.steps) / seconds, 1),
            steps=sum(self.steps),
            steps_per_second=round(sum(self.steps) / seconds, 1),
            steps_median=share(self.steps, 50),
            steps_90_percent=share(self.steps, 90),
            turns_median=share(self.turns, 50),
            turns_90_percent=share(self.turns, 90),
            winners=dict(self.winners.most_common()),
            refusals=self.refusals,
        )


# --- the rules that came up -----------------------------------------------------------------------------------------


def rules_told(facts: Iterable[Fact]) -> set[str]:
    """Return the ids of the rules that `facts` name: their own, and those of every line of their numbers."""
    return _named(facts)


def rules_asked(ask: Ask | None) -> set[str]:
    """Return the ids of the rules that a prompt names: the reason for asking, and the rules that allow or forbid its choices."""
    return _named(ask.seats.values()) if ask is not None else set()


def _named(found: Iterable[object]) -> set[str]:
    """Return every rule id in a field for one, at any depth of the structs."""
    named: set[str] = set()
    waiting: list[Any] = list(found)
    while waiting:
        value = waiting.pop()
        if isinstance(value, Struct):
            rules, others = _fields(type(value))
            named.update(getattr(value, field) for field in rules)
            waiting.extend(
                inner for field in others if isinstance(inner := getattr(value, field), Struct | tuple | dict)
            )
        elif isinstance(value, dict):
            waiting.extend(value.values())
        elif isinstance(value, tuple) and value and not isinstance(value[0], int | str):
            waiting.extend(value)
    return named - {""}


@cache
def _fields(kind: type[Struct]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the fields of a struct that hold a rule's id, and its others."""
    rules = tuple(name for name in kind.__struct_fields__ if name == "rule" or name.endswith("_rule"))
    return rules, tuple(name for name in kind.__struct_fields__ if name not in rules)


def untouched(rules: Ruleset, touched: set[str]) -> list[str]:
    """Return the rules of the reference that never came up, except those that only describe others."""
    return [row["id"] for row in rules.reference if row["id"] not in touched]


def share(values: Sequence[int], percent: int) -> int:
    """Return the smallest of `values` that so many percent of them do not exceed; 0 if there are none."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)] if ordered else 0


# --- the command ----------------------------------------------------------------------------------------------------


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire simulate`."""
    parser.add_argument("--edition", action="append", default=[], help="an edition (all); may be repeated")
    parser.add_argument("--scenario", action="append", default=[], help="a scenario's id (all); may be repeated")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="how many games of each scenario (100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="game i is played with seed S + i (1)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the edition; may be repeated"
    )
    parser.add_argument(
        "--seats", metavar="SEAT=PROGRAM,...", help=f"programs that play, and who wins: {', '.join(PROGRAMS)}"
    )
    parser.add_argument(
        "--turned", action="store_true", help="with --seats: each program plays each side once with every seed"
    )
    parser.add_argument(
        "--results",
        type=Path,
        metavar="FILE",
        help="with --seats: keep each game in FILE, and play only those not in it",
    )
    parser.add_argument(
        "--cores", type=int, default=cores_here(), metavar="N", help="with --seats: how many cores (all)"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(flags: argparse.Namespace) -> int:
    """Simulate, and print the figures.

    Raises:
        RulesetError: no such edition, scenario, option or value of an option.
    """
    if flags.games < 1:
        raise RulesetError("at least one game has to be played")
    plans = plan(flags.edition, flags.scenario)
    starts = {
        (rules.info.id, scenario): rules.open(scenario, options_of(rules, flags.option))
        for rules, scenarios in plans
        for scenario in scenarios
    }
    if flags.seats is not None:
        return _match_up(flags, starts)
    summaries: list[Summary] = []
    idle: dict[str, list[str]] = {}
    for rules, scenarios in plans:
        touched: set[str] = set()
        for scenario in scenarios:
            summary, rules_touched = simulated(
                rules, scenario, starts[rules.info.id, scenario], flags.games, flags.seed
            )
            summaries.append(summary)
            touched |= rules_touched
            if not flags.json:
                say("\n".join(lines(summary)))
        idle[rules.info.id] = untouched(rules, touched)
        if not flags.json:
            rest = idle[rules.info.id]
            say(f"{rules.info.name}: no game touched {len(rest)} of {len(rules.reference)} rules: {', '.join(rest)}")
    if flags.json:
        say(json.dumps({"scenarios": [_plain(summary) for summary in summaries], "untouched": idle}, indent=2))
    return 0


def _match_up(flags: argparse.Namespace, starts: Mapping[tuple[str, str], State]) -> int:
    """Let programs play each other, and print who wins how often."""
    told: list[dict[str, object]] = []
    seeds = range(flags.seed, flags.seed + flags.games)
    for (name, scenario), start in starts.items():
        rules = edition(name)
        options = options_of(rules, flags.option)
        games = planned(name, scenario, seats_of(start, flags.seats), seeds, options, turned=flags.turned)
        with counted(f"Playing {start.title}", len(games)) as done:
            outcomes = list(played(games, flags.results, flags.cores, done))
        rows = records(outcomes)
        refused = sum(outcome.refused for outcome in outcomes)
        if not flags.json:
            say(f"{start.title} ({name}): {len(outcomes)} games")
            say("\n".join(line for row in rows for line in record_lines(row)))
            say(f"  refusals   {refused}")
        told += [{"edition": name, "scenario": scenario, "refusals": refused, **plain_record(row)} for row in rows]
    if flags.json:
        say(json.dumps({"programs": told}, indent=2))
    return 0


def record_lines(row: Record) -> list[str]:
    """Return the games of a program in words."""
    low, high = row.interval
    mean, p99 = _milliseconds(row)
    sure = f"{low:.1%} to {high:.1%} with 95 % confidence"
    return [
        f"  {row.program:10} {row.won} won, {row.drawn} drawn, {row.lost} lost: {row.rate:.1%} won ({sure})",
        f"  {'':10} {len(row.took)} decisions, {mean:.1f} ms on average, 99 % within {p99:.1f} ms",
    ]


def plain_record(row: Record) -> dict[str, object]:
    """Return the games of a program as JSON."""
    mean, p99 = _milliseconds(row)
    low, high = row.interval
    return {
        "program": row.program,
        "won": row.won,
        "drawn": row.drawn,
        "lost": row.lost,
        "rate": round(row.rate, 4),
        "interval": [round(low, 4), round(high, 4)],
        "decisions": len(row.took),
        "mean_ms": round(mean, 2),
        "p99_ms": round(p99, 2),
    }


def _milliseconds(row: Record) -> tuple[float, float]:
    return sum(row.took) / max(1, len(row.took)) / 1000, share(row.took, 99) / 1000


def plan(names: Sequence[str], scenarios: Sequence[str]) -> list[tuple[Ruleset, list[str]]]:
    """Return the editions and scenarios to play. Raises `RulesetError` for unknown ones."""
    chosen = [edition(name) for name in dict.fromkeys(names)] or list(editions().values())
    have = {rules.info.id: [scenario.id for scenario in rules.info.scenarios] for rules in chosen}
    for scenario in scenarios:
        if not any(scenario in known for known in have.values()):
            there = "; ".join(f"{rules.info.name} has {', '.join(have[rules.info.id])}" for rules in chosen)
            raise RulesetError(f"there is no scenario {scenario!r}: {there}")
    wanted = {name: [s for s in known if not scenarios or s in scenarios] for name, known in have.items()}
    return [(rules, wanted[rules.info.id]) for rules in chosen if wanted[rules.info.id]]


def simulated(rules: Ruleset, scenario: str, start: State, games: int, seed: int) -> tuple[Summary, set[str]]:
    """Play so many games from `start`; return their figures, and the rules that came up."""
    tally = Tally()
    began = time.perf_counter()
    with counted(f"Playing {start.title}", games) as done:
        for number in range(seed, seed + games):
            tally.game(rules, start, number)
            done()
    return tally.summary(rules.info.id, scenario, start.title, time.perf_counter() - began), tally.rules


def options_of(rules: Ruleset, given: Sequence[str]) -> dict[str, OptionValue]:
    """Return the options in `KEY=VALUE` pairs, each value of the option's type. Raises `RulesetError`."""
    known = {option.id: option for option in rules.info.options}
    options: dict[str, OptionValue] = {}
    for pair in given:
        key, sign, text = pair.partition("=")
        if not sign or key not in known:
            raise RulesetError(f"{pair!r} is not KEY=VALUE with one of the options {', '.join(known)}")
        values = {str(choice.value): choice.value for choice in known[key].choices}
        if text not in values:
            raise RulesetError(f"the option {key!r} cannot be {text!r}; it can be {', '.join(values)}")
        options[key] = values[text]
    return options


def lines(summary: Summary) -> list[str]:
    """Return the summary in words."""
    winners = ", ".join(f"{name} {count}" for name, count in summary.winners.items())
    return [
        f"{summary.title} ({summary.edition}): {summary.games} games in {summary.seconds:g} s",
        f"  speed      {summary.games_per_second:g} games/s, {summary.steps_per_second:g} steps/s on one core",
        f"  steps      {summary.steps_median} (median), {summary.steps_90_percent} (90 %)",
        f"  turns      {summary.turns_median} (median), {summary.turns_90_percent} (90 %)",
        f"  winners    {winners}",
        f"  refusals   {summary.refusals}",
    ]


def _plain(summary: Summary) -> Mapping[str, object]:
    return {field: getattr(summary, field) for field in summary.__struct_fields__}
