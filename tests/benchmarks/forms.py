"""The rules alone in a process of their own: compiled or, told so by `UNDERFIRE_COMPILED`, not."""

from __future__ import annotations

import argparse
import asyncio
from collections.abc import Sequence
from contextlib import ExitStack

from server import compiled
from server.kernel.ruleset import Ruleset
from server.rulesets import library
from tests.benchmarks import cores, rules, seeds
from tests.benchmarks.control import child, obey


def deciding(ruleset: Ruleset, games: Sequence[rules.Recorded]) -> dict[str, object]:
    """Return the seconds in which each game is decided, by rules that remember nothing of the table and by those that have just
    played the games; how many decisions there are; and whether the inner loops are compiled.
    """
    rules_now = rules.fresh(ruleset)
    cold, warm = rules.deciding(rules_now, games), rules.deciding(rules_now, games)
    decisions = sum(len(game.answers) for game in games)
    return {"cold": cold, "warm": warm, "decisions": decisions, "compiled": not compiled.WHY_NOT}


async def run(ruleset: Ruleset, games: int) -> None:
    """Serve: `decide` takes the decisions of so many games."""
    recorded = [rules.record(ruleset, rules.served(ruleset), seed) for seed in seeds.first(games)]

    async def measure(_words: list[str]) -> dict[str, object]:
        return deciding(ruleset, recorded)

    await obey(0, measure)


def both(ruleset: Ruleset, core: int, rounds: int, games: int) -> dict[str, dict[str, float]]:
    """Measure both forms in turns, each in a process of its own. Return the decisions a second, `cold` and `warm`, of the form
    `on` (compiled) and of `off`.
    """
    times: dict[str, dict[str, list[list[float]]]] = {form: {"cold": [], "warm": []} for form in ("on", "off")}
    decisions = 0
    with ExitStack() as stack:
        command = ("forms", "--core", core, "--edition", ruleset.info.id, "--games", games)
        children = {form: stack.enter_context(child(*command, environment={compiled.SWITCH: form})) for form in times}
        for _ in range(rounds):
            for form, process in children.items():
                told = process.ask("decide")
                assert told["compiled"] is (form == "on"), f"the inner loops are not as it should be with {form}"
                decisions = told["decisions"]
                for memory in times[form]:
                    times[form][memory].append(told[memory])
    return {
        form: {memory: decisions / rules.best(taken) for memory, taken in own.items()} for form, own in times.items()
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--core", type=int, default=-1)
    parser.add_argument("--edition", choices=library.EDITIONS, required=True)
    parser.add_argument("--games", type=int, required=True)
    flags = parser.parse_args()
    cores.take_server_core(flags.core)
    asyncio.run(run(library.edition(flags.edition), flags.games))


if __name__ == "__main__":
    main()
