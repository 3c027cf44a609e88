"""The rules alone in a process of their own: with the compiled geometry or, told so by `UNDERFIRE_COMPILED`, without it."""

from __future__ import annotations

import argparse
import asyncio
from contextlib import ExitStack

from server import compiled
from server.kernel.ruleset import Ruleset
from server.rulesets import library
from tests.benchmarks import cores, rules, seeds
from tests.benchmarks.control import child, obey


def rates(ruleset: Ruleset, chosen: list[int]) -> dict[str, object]:
    """Return the decisions a second in the games of these seeds, by rules that remember nothing of the table and by those
    that have just played them; and whether the geometry is compiled.
    """
    recorded = [rules.record(ruleset, rules.served(ruleset), seed) for seed in chosen]
    rules_now = rules.fresh(ruleset)
    cold = rules.decisions_per_second(rules_now, recorded)
    warm = rules.decisions_per_second(rules_now, recorded)
    return {"cold": cold, "warm": warm, "compiled": not compiled.WHY_NOT}


async def run(ruleset: Ruleset) -> None:
    """Serve: `rates SEED ...` plays the games of these seeds."""

    async def measure(words: list[str]) -> dict[str, object]:
        return rates(ruleset, [int(seed) for seed in words[1:]])

    await obey(0, measure)


def both(ruleset: Ruleset, core: int, rounds: int, games: int) -> dict[str, dict[str, list[float]]]:
    """Measure both forms in turns, each in a process of its own. Return the rates of the rounds, `cold` and `warm`, of the form
    `on` (compiled) and of `off`.
    """
    found: dict[str, dict[str, list[float]]] = {form: {"cold": [], "warm": []} for form in ("on", "off")}
    with ExitStack() as stack:
        command = ("forms", "--core", core, "--edition", ruleset.info.id)
        children = {form: stack.enter_context(child(*command, environment={compiled.SWITCH: form})) for form in found}
        for chosen in seeds.rounds(rounds, games):
            for form, process in children.items():
                told = process.ask("rates", *chosen)
                assert told["compiled"] is (form == "on"), f"the geometry is not as it should be with {form}"
                for memory in found[form]:
                    found[form][memory].append(told[memory])
    return found


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--core", type=int, default=-1)
    parser.add_argument("--edition", choices=library.EDITIONS, required=True)
    flags = parser.parse_args()
    cores.take_server_core(flags.core)
    asyncio.run(run(library.edition(flags.edition)))


if __name__ == "__main__":
    main()
