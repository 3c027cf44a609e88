"""Play whole games between random seats through the rules alone, without a server, and sum them up."""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from msgspec import Struct
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from client_protocol.choices import PathParameter, PlacementParameter, UnitParameter
from client_protocol.messages import OptionValue
from server.kernel.facts import Fact, Rolled
from server.kernel.prompts import Ask
from server.kernel.ruleset import Ruleset, RulesetError
from server.kernel.state import State
from server.opponents.simulation import play
from server.rulesets.library import edition

HELP = "play whole games between random seats, and sum them up"


class Summary(Struct, frozen=True):
    """Some simulated games in figures. `untouched` are the rules of the reference that no fact, no line of a number and no
    prompt named: what did not come up, beside the rules that describe the others.
    """

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
    untouched: tuple[str, ...]


class Tally:
    """Counts what happens in games. A refused answer would end the simulation with its sentence, so none are counted."""

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
        for played in play(rules, start, seed):
            steps += 1
            self.refusals += played.refused
            self.rules |= rules_told(played.step.facts) | rules_asked(played.ask)
            last = played.after
        assert last.result is not None, "a game ends with a result"
        self.steps.append(steps)
        self.turns.append(last.turn.number)
        self.winners[last.sides[last.result.winner].name if last.result.winner else "draw"] += 1

    def summary(self, rules: Ruleset, seconds: float) -> Summary:
        """What was counted. `seconds` is how long it took."""
        seconds = max(seconds, 1e-9)
        return Summary(
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
            untouched=tuple(row["id"] for row in rules.reference if row["id"] not in self.rules),
        )


def rules_told(facts: Iterable[Fact]) -> set[str]:
    """The ids of the rules that `facts` name: their own, and those of every line of their numbers."""
    named: set[str] = set()
    for fact in facts:
        named.add(getattr(fact, "rule", ""))
        if isinstance(fact, Rolled):
            named.update(line.rule for number in fact.numbers for line in number.lines)
    return named - {""}


def rules_asked(ask: Ask | None) -> set[str]:
    """The ids of the rules that a prompt names: why it is asked, what its choices obey, what forbids the others."""
    named: set[str] = set()
    for asked in ask.seats.values() if ask is not None else ():
        named.add(asked.rule)
        for choice in asked.choices:
            named.update((choice.rule, choice.why.rule if choice.why is not None else ""))
            for parameter in choice.parameters:
                if isinstance(parameter, UnitParameter):
                    named.update(c.why.rule for c in parameter.candidates if c.why is not None)
                elif isinstance(parameter, PathParameter):
                    named.update((parameter.allowance_rule, parameter.gap_rule))
                    named.update(end.why.rule for end in parameter.ends)
                elif isinstance(parameter, PlacementParameter):
                    named.add(parameter.gap_rule)
    return named - {""}


def share(values: Sequence[int], percent: int) -> int:
    """The least of `values` that so many percent of them do not exceed; 0 of none."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * percent // 100) - 1)] if ordered else 0


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `underfire simulate`."""
    parser.add_argument("--edition", default="fad4", help="the rules (fad4)")
    parser.add_argument("--scenario", required=True, help="the scenario's id")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="how many games (100)")
    parser.add_argument("--seed", type=int, default=1, metavar="S", help="game i is played with seed S + i (1)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the edition; may be repeated"
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")


def run(flags: argparse.Namespace) -> int:
    """Simulate, and print the summary.

    Raises:
        RulesetError: no such edition, scenario, option or value of an option.
    """
    if flags.games < 1:
        raise RulesetError("at least one game has to be played")
    rules = edition(flags.edition)
    start = rules.open(flags.scenario, options_of(rules, flags.option))
    tally = Tally()
    began = time.perf_counter()
    console = Console(stderr=True)
    columns = (TextColumn("Playing {task.fields[scenario]}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
        task = progress.add_task("", total=flags.games, scenario=start.title)
        for seed in range(flags.seed, flags.seed + flags.games):
            tally.game(rules, start, seed)
            progress.advance(task)
    summary = tally.summary(rules, time.perf_counter() - began)
    if flags.json:
        print(json.dumps({field: getattr(summary, field) for field in summary.__struct_fields__}, indent=2))
    else:
        print("\n".join(lines(start.title, summary)))
    return 0


def options_of(rules: Ruleset, given: Sequence[str]) -> dict[str, OptionValue]:
    """The options that `KEY=VALUE` pairs name, each value of the kind the option has. Raises `RulesetError`."""
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


def lines(title: str, summary: Summary) -> list[str]:
    """The summary in words."""
    winners = ", ".join(f"{name} {count}" for name, count in summary.winners.items())
    untouched = ", ".join(summary.untouched) or "none"
    return [
        f"{title}: {summary.games} games in {summary.seconds:g} s",
        f"  speed      {summary.games_per_second:g} games/s, {summary.steps_per_second:g} steps/s on one core",
        f"  steps      {summary.steps_median} (median), {summary.steps_90_percent} (90 %)",
        f"  turns      {summary.turns_median} (median), {summary.turns_90_percent} (90 %)",
        f"  winners    {winners}",
        f"  refusals   {summary.refusals}",
        f"  untouched  {untouched}",
    ]
