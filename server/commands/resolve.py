"""Run a case: a setup, answers and scripted dice in one file. Each step is printed as one line of JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from server.kernel import cases, setups
from server.kernel.ruleset import RulesetError
from server.rulesets.library import edition

HELP = "run a case: a setup, answers and scripted dice"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `underfire resolve`."""
    parser.add_argument("case", type=Path, metavar="CASE", help="the case's file, TOML or JSON (docs/setups.md)")
    parser.add_argument("--pretty", action="store_true", help="spread each step over many lines")


def run(flags: argparse.Namespace) -> int:
    """Run the case and print its steps.

    Raises:
        RulesetError: the case does not fit its schema, an answer is refused, dice are missing or left over. The steps
            before that are printed.
    """
    case = cases.convert(setups.parse(flags.case.read_text(encoding="utf-8")))

    def beside(name: str) -> str:
        path: Path = flags.case.parent / name
        return path.read_text(encoding="utf-8")

    setup = cases.setup_of(case, beside)
    name = setup.get("edition")
    if not isinstance(name, str):
        raise RulesetError("the setup does not say of which edition it is")
    rules = edition(name)
    for number, resolved in enumerate(cases.resolve(rules, rules.read(setup), case.answer, case.dice)):
        row = {"step": number, **cases.told(rules, resolved)}
        print(json.dumps(row, ensure_ascii=False, indent=2 if flags.pretty else None))
    return 0
