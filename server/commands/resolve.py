"""Run a case: a setup, answers and scripted dice in one file, with questions to the rules and what is expected of all that.

Each step is printed as one line of JSON: the answer, the dice, the facts with their numbers, the questions with their answers,
what is open. A last line holds the final position as a setup, and the prompt that is open in it. The exit status is 0 when the
case ran to its end and met every expectation.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping
from pathlib import Path

from server.console import say
from server.kernel.cases import resolving
from server.kernel.cases.setups import setup_of
from server.kernel.errors import RulesetError
from server.kernel.files import setups
from server.rulesets.library import edition

HELP = "run a case: a setup, answers and scripted dice"
FIELDS = """
a case (docs/cases.md tells it at length; lengths are inches, angles degrees):
  format, about      "underfire case 1"; what one wants to say about it
  programs           the seats that a program holds, each with its name
  setup              the setup itself, or the name of its file next to the case
  changes            what this case has otherwise than its setup
  dice               faces in the order in which they fall: 5, or { for = "damage", faces = [1, 4] }
  answer             a list: seat, choice, values; and any of
    refused          { rule, sentence }: the answer is meant to be refused, and the case goes on at the same prompt
    expect           facts that must occur: { fact, with, story, numbers }; with absent = true, that must not
    question         asked after the answer: { ask = "range" | "sight" | "cover" | "fire" | "what-if", unit, target }
                     or { ask = "preview", seat, choice, values }, with expect = [{ sentence, rule, holds, numbers }]
  expect, question   the same for the first step, before any answer

an example, with the setup that docs/setups.md begins with:

  format = "underfire case 1"
  setup = "farm-lane.toml"
  dice = [{ for = "initiative", faces = [5, 3] }]

  [[answer]]
  seat = "blue"
  choice = "activate"
  values = [{ unit = "red-1" }]
  refused = { sentence = "(red-1) cannot be named" }

  [[answer]]
  seat = "blue"
  choice = "activate"
  values = [{ unit = "blue-1" }]
  question = [
    { ask = "range", unit = "blue-1", target = "red-1", expect = [{ sentence = "in close range" }] },
  ]
"""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire resolve`."""
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.epilog = FIELDS
    parser.add_argument("case", type=Path, metavar="CASE", help="the case's file, TOML or JSON (docs/cases.md)")
    parser.add_argument("--pretty", action="store_true", help="spread each step over many lines")
    parser.add_argument(
        "--position", type=Path, metavar="FILE", help="also write the final position to this file, as a setup"
    )


def run(flags: argparse.Namespace) -> int:
    """Run the case and print its steps and its end. Return 1 if an expectation is not met.

    Raises:
        OSError: a file cannot be read or written.
        RulesetError: the case does not fit its schema, an answer is refused unexpectedly, or dice are missing, for another
            purpose, or left over. The steps before that are printed, and so is the beginning of one that ends in its middle.
    """
    case = resolving.convert(setups.parse(_text(flags.case)))

    def neighbour(name: str) -> str:
        return _text(flags.case.parent / name)

    setup = setup_of(case, neighbour)
    name = setup.get("edition")
    if not isinstance(name, str):
        raise RulesetError("the setup does not say of which edition it is")
    rules = edition(name)
    last: resolving.Resolved | None = None
    expected = unmet = 0
    try:
        for last in resolving.resolve(rules, rules.read(setup), case):
            _print(resolving.told(last), pretty=flags.pretty)
            expected, unmet = expected + last.expected, unmet + len(last.unmet)
            for one in last.unmet:
                say(f"underfire: {one.sentence}", error=True)
    finally:
        if last is not None:
            _print(resolving.end_told(last), pretty=flags.pretty)
            if flags.position is not None:
                flags.position.write_text(setups.dump(setups.write(last.after)), encoding="utf-8")
    if unmet:
        verb = "is" if unmet == 1 else "are"
        say(f"underfire: {unmet} of {expected} expectations {verb} not met", error=True)
    return 1 if unmet else 0


def _print(row: Mapping[str, object], *, pretty: bool) -> None:
    say(json.dumps(row, ensure_ascii=False, indent=2 if pretty else None))


def _text(path: Path) -> str:
    """Return the file's text. Raises `RulesetError` if it is not text."""
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise RulesetError(f"{path} is not a text in UTF-8: cases and setups are TOML or JSON") from None
