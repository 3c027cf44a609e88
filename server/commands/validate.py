"""Check a force file against the rules of its edition. Exit code 0 when it may be brought to a match, 1 when not, with every
reason as a sentence.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from client_protocol.forces import Force, ForceReport
from client_protocol.shapes import OptionValue
from server.commands.simulate import options_of
from server.console import say
from server.kernel.files.forces import ForceError, counted, examine, read, sentence
from server.kernel.ruleset import Ruleset
from server.rulesets import library

HELP = "check a force file against the rules"
LARGEST = 1024 * 1024
"""The most bytes of a force file: a usual one has some thousand."""


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire validate`."""
    parser.add_argument(
        "force", metavar="FORCE", help="the force's file, TOML or JSON (docs/forces.md); - for standard input"
    )
    parser.add_argument("--edition", help="the rules that it must fit (those that it names)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="KEY=VALUE", help="an option of the match; may be repeated"
    )


def run(flags: argparse.Namespace) -> int:
    """Check the force, and print the findings.

    Raises:
        RulesetError: there is no such edition or option.
        OSError: the file cannot be read.
    """
    try:
        force = read(_text(flags.force))
    except ForceError as error:
        return _refuse(flags.force, error.reasons)
    rules = library.edition(flags.edition or force.edition)
    defaults: dict[str, OptionValue] = {option.id: option.default for option in rules.info.options}
    report = examine(rules, force, defaults | options_of(rules, flags.option))
    if report.problems:
        return _refuse(force.name, [sentence(rules.force_form, force, problem) for problem in report.problems])
    say("\n".join(lines(rules, force, report)))
    return 0


def lines(rules: Ruleset, force: Force, report: ForceReport) -> list[str]:
    """Return the text for a valid force: its units with what each counts for, and the sum."""
    form = rules.force_form
    assert form is not None, "a force without problems is one that the edition knows"
    kinds = {kind.key: kind.label for kind in form.kinds}
    found = [f"{force.name} may be brought to a match of {rules.info.name}."]
    for unit, seen in zip(force.units, report.units, strict=False):
        found.append(f"  {unit.name} ({kinds[unit.kind]}): {form.measure} {counted(form, seen.total.value)}")
    count = len(force.units)
    found.append(f"{count} {'unit' if count == 1 else 'units'}, {form.measure} {counted(form, report.total)} in all.")
    return found


def _text(name: str) -> str:
    """Return the file's text. Raises `ForceError` if it is not text."""
    if name == "-":
        data = sys.stdin.buffer.read(LARGEST + 1)
    else:
        with Path(name).open("rb") as file:
            data = file.read(LARGEST + 1)
    if len(data) > LARGEST:
        raise ForceError("This is larger than any force is.")
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ForceError("This is not a text in UTF-8.") from None


def _refuse(name: str, reasons: Sequence[str]) -> int:
    say(f"{name} cannot be brought to a match:")
    for reason in reasons:
        say(f"  {reason}")
    return 1
