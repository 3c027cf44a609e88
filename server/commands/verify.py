"""Check a match file: that nothing in it was changed, that every die fell as it had to, that the rules were kept."""

from __future__ import annotations

import argparse
from pathlib import Path

from server.console import Styled, say
from server.matches.verify.match_file import LateSeat, Report, Wrong, verify
from server.rulesets import library

LONGEST = 240
"""Letters of a difference that are printed: facts are long."""
HELP = "check a match file: its chain, every die, the rules"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """The flags of `underfire verify`."""
    parser.add_argument(
        "file", type=Path, metavar="MATCH-FILE", help="what the table's page or `underfire export` saved"
    )


def run(flags: argparse.Namespace) -> int:
    """Check, and print what was found. 1 when something is wrong."""
    try:
        report = verify(flags.file.read_bytes(), library.find)
    except Wrong as wrong:
        say(Styled("Wrong:", "bold red"), f" {wrong}")
        return 1
    for line in lines(report):
        say(line)
    say(Styled("Nothing is wrong.", "bold green"))
    return 0


def lines(report: Report) -> list[str]:
    """What was checked, in words."""
    found = [
        f"{report.title} ({report.match}), played by {', '.join(report.versions)}",
        f"The chain of {report.entries} entries holds.",
    ]
    found += _dice(report)
    found += _rules(report)
    if report.taken_back:
        found.append(
            f"Players took back {_times(report.taken_back)}; the dice of what was undone count and were not used again."
        )
    if report.rewound:
        found.append(f"The server went back to a boundary {_times(report.rewound)}, because its rules had changed.")
    if report.ended:
        found.append(f"It ended: {report.ended}")
    found += [_late(seat) for seat in report.late_seats]
    return found


def _late(seat: LateSeat) -> str:
    """Who was written down as a player without having played."""
    taken = f"Entry {seat.entry}: {seat.name} took the seat {seat.seat}"
    if not seat.over:
        return f"{taken} while {seat.before} had it."
    return f"{taken} after the match was over" + (f"; it was {seat.before} who had played." if seat.before else ".")


def _rules(report: Report) -> list[str]:
    """What running the rules again showed."""
    if not report.replayed:
        return ["The rules of this edition are not installed here: none of its steps was run through them again."]
    if not report.differences:
        return [f"All {report.steps} steps run through the rules again, and bring about the same."]
    differing, versions = len(report.differences), dict.fromkeys(found.version for found in report.differences)
    summary = (
        f"{report.replayed} of {report.steps} steps run through the rules again. The match was made by another version of the "
        f"rules ({', '.join(versions)}), from which those installed here differ in {differing} "
        f"{'entry' if differing == 1 else 'entries'}:"
    )
    return [summary, *(f"  entry {found.entry}: {_short(found.what)}" for found in report.differences)]


def _short(text: str) -> str:
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} ..."


def _dice(report: Report) -> list[str]:
    """What was checked of the dice, and what could not be."""
    found = []
    first = 0
    for number, era in enumerate(report.eras):
        if number < len(report.eras) - 1 and era.dice:
            dice = f"Dice {first + 1} to {first + era.dice}" if era.dice > 1 else f"Die {first + 1}"
            found.append(f"{dice} fell on another server, whose secret is not published: they cannot be derived again.")
        first += era.dice
    if report.dice is None:
        found.append("The dice secret is not published yet: the match goes on, and its dice cannot be checked.")
    else:
        found.append(
            f"The secret and the seats' shares are those that were committed to; {report.dice} dice derived again."
        )
    if report.inherited:
        found.append(
            f"It goes on from another match, in which {report.inherited} dice had fallen since the last boundary: they are that "
            "match's, and are checked with it."
        )
    return found


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
