"""What a check of a league file has found, in words. Pure."""

from __future__ import annotations

from server.leagues.verify.report import LeagueReport
from server.matches.verify.signers import signers

UNSIGNED = "Not signed: anyone can write such a file with other names and results, but not with other dice."
MOST = 10
"""How many differences are named."""


def lines(report: LeagueReport, *, demanded: bool = False) -> list[str]:
    """Return what was checked, in words; `demanded`: the keys that must have signed the file were named."""
    return [
        f"{report.name}, a league ({report.league})",
        f"The chain of {report.entries} entries holds, and each was caused by who may cause it.",
        f"Head: {report.hashes[-1].hex()}",
        *signers(report.signatures, report.entries, UNSIGNED, demanded=demanded),
        *_rules(report),
        *_matches(report),
    ]


def _rules(report: LeagueReport) -> list[str]:
    found = []
    if report.rounds and report.rules:
        found.append(f"{_count(report.rounds, 'round')} drawn again, with the same fixtures.")
    if not report.rules:
        found.append("The rules of this edition are not installed here: it was not checked what players might do.")
    elif report.steps:
        found.append(f"{_count(report.steps, 'step')} after battles taken again by the rules, with the same results.")
    if report.differences:
        which = ", ".join(f"{number} ({what})" for number, what in report.differences[:MOST])
        found.append(
            f"Another version of the rules decided ({', '.join(report.versions)}); those installed here differ in "
            f"{_count(len(report.differences), 'entry', 'entries')}: {which}."
        )
    if report.dice:
        found.append(f"{_count(report.dice, 'die', 'dice')} derived again from the secrets, with the same faces.")
    if report.sealed:
        found.append(f"{_count(report.sealed, 'die', 'dice')} whose secret is not revealed yet.")
    return found


def _matches(report: LeagueReport) -> list[str]:
    found = []
    if report.matches:
        found.append(
            f"{_count(len(report.matches), 'match', 'matches')} checked: the results and losses are those of their logs."
        )
    if report.missing:
        found.append(
            f"{_count(len(report.missing), 'match', 'matches')} not checked, since the file is not there (--matches): "
            f"{', '.join(report.missing)}."
        )
    return found


def _count(number: int, one: str, several: str = "") -> str:
    return f"{number} {one if number == 1 else several or one + 's'}"
