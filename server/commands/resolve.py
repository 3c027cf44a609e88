"""Run a case: a setup, answers and scripted dice in one file. Each step is printed as one line of JSON."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

from server.console import say
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
        OSError: a file cannot be read.
        RulesetError: the case does not fit its schema, an answer is refused, dice are missing or left over. The steps
            before that are printed.
    """
    case = cases.convert(setups.parse(_text(flags.case)))

    def beside(name: str) -> str:
        return _text(flags.case.parent / name)

    setup = cases.setup_of(case, beside)
    name = setup.get("edition")
    if not isinstance(name, str):
        raise RulesetError("the setup does not say of which edition it is")
    rules = edition(name)
    for number, resolved in enumerate(cases.resolve(rules, rules.read(setup), case.answer, case.dice)):
        row = {"step": number, **cases.told(rules, resolved)}
        say(json.dumps(row, ensure_ascii=False, indent=2 if flags.pretty else None))
    return 0


def _text(path: Path) -> str:
    """What is in the file. Raises `RulesetError` when it is no text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RulesetError(f"{path} is no text in UTF-8: cases and setups are TOML or JSON") from None
