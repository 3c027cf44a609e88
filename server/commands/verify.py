"""Check the file of a match or of a league: that nothing in it was changed, that every die can be derived again, that the rules
were kept, and who signed it; of a league with --matches also that its results are what the matches say. Anyone can make a
valid file with other names and words: only --key, with the public key of the server that you trust, or --head, with the hash
that a player's browser kept, rules that out. The key is on the server's page About.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from server.console import Styled, say
from server.leagues.log.league_file import is_league_file
from server.leagues.verify.league_file import verify as verify_league
from server.leagues.verify.report import LeagueReport
from server.leagues.verify.words import lines as league_lines
from server.matches import signing_key
from server.matches.archive_folder import SUFFIX
from server.matches.log import match_file
from server.matches.log.entries import LogError
from server.matches.log.fold import Fold
from server.matches.log.signatures import unsigned_by
from server.matches.verify.match_file import LateSeat, Report, Wrong, verify
from server.matches.verify.signers import signers
from server.rulesets import library

LONGEST = 240
"""The most characters printed of a difference: facts are long."""
UNSIGNED = "Not signed: anyone can write such a file with other names, chat or a concession, but not with other dice."
HELP = "check the file of a match or a league: its chain, every die, the rules, who signed it"


def add_flags(parser: argparse.ArgumentParser) -> None:
    """Add the flags of `underfire verify`."""
    parser.add_argument(
        "file",
        type=Path,
        metavar="FILE",
        help="a file that the page of a match or a league, or `underfire export` saved",
    )
    parser.add_argument(
        "--key",
        action="append",
        default=[],
        metavar="KEY",
        help="every entry must be signed by this public key (64 hexadecimal digits, or a file with one or more); may be given "
        "again, for a match that went on on several servers",
    )
    parser.add_argument(
        "--matches",
        type=Path,
        metavar="FOLDER",
        help="for a league: a folder with the files of its matches, which its results are held against",
    )
    parser.add_argument(
        "--head",
        action="append",
        default=[],
        metavar="HASH",
        help="one of the entries must have this hash (64 hexadecimal digits): the head that a player's browser kept; may be "
        "given again",
    )


def run(flags: argparse.Namespace) -> int:
    """Check the file, and print the findings. Return 1 if something is wrong.

    Raises:
        OSError: a file cannot be read.
        KeyFault, ValueError: an argument is not a key, or not a hash.
    """
    keys = [key for given in flags.key for key in _keys(given)]
    heads = [_head(given) for given in flags.head]
    data = flags.file.read_bytes()
    report: Report | LeagueReport
    try:
        if is_league_file(data):
            report = verify_league(data, library.find, match_files(flags.matches))
            told = league_lines(report, demanded=bool(keys))
        else:
            report = verify(data, library.find)
            told = lines(report, demanded=bool(keys))
    except Wrong as wrong:
        say(Styled("Wrong:", "bold red"), f" {wrong}")
        return 1
    for line in told:
        say(line)
    faults = [*unmet_heads(report, heads), *unmet_keys(report, keys)]
    for fault in faults:
        say(Styled("Wrong:", "bold red"), f" {fault}")
    if faults:
        return 1
    for head in heads:
        say(f"The head {head.hex()} is that of entry {report.hashes.index(head) + 1}: the file goes on from there.")
    if keys:
        say("Every entry is signed by a key that you named.")
    say(Styled("Nothing is wrong.", "bold green"))
    return 0


def match_files(folder: Path | None) -> dict[str, bytes]:
    """Return the match files in a folder, by the ids of their matches. Raises `OSError`."""
    found: dict[str, bytes] = {}
    for file in sorted(folder.glob(f"*{SUFFIX}")) if folder is not None else ():
        data = file.read_bytes()
        try:
            first = match_file.read(data).entries[0]
            found[Fold(first).opened.match] = data
        except (match_file.MatchFileError, LogError, IndexError):
            say(f"{file.name} is left out: it is no match file.")
    return found


def unmet_heads(report: Report | LeagueReport, heads: Sequence[bytes]) -> list[str]:
    """Return the faults of the file if a kept head is not one of its hashes."""
    return [
        f"no entry has the hash {head.hex()}. The player who kept it saw another log of this match than this file has"
        for head in heads
        if head not in report.hashes
    ]


def unmet_keys(report: Report | LeagueReport, keys: Sequence[bytes]) -> list[str]:
    """Return the faults of the file if some entry is not signed by one of these keys; no keys demand nothing."""
    missing = unsigned_by(report.signatures, keys, report.entries) if keys else None
    if missing is None:
        return []
    which = f"entries {missing[0]} to {missing[1]} are" if missing[0] < missing[1] else f"entry {missing[0]} is"
    return [f"{which} not signed by a key that you named: anyone could have written this"]


def _keys(given: str) -> tuple[bytes, ...]:
    half = signing_key.public_half(given.strip())
    return (half,) if half is not None else signing_key.public_halves(_text(Path(given)), given)


def _text(file: Path) -> str:
    return file.read_bytes()[: signing_key.LARGEST].decode(errors="replace")


def _head(given: str) -> bytes:
    head = signing_key.public_half(given.strip())
    if head is None:
        raise ValueError(f"A head is a hash of 64 hexadecimal digits, not {given!r}.")
    return head


def lines(report: Report, *, demanded: bool = False) -> list[str]:
    """Return what was checked, in words; `demanded`: the keys that must have signed the file were named."""
    found = [
        f"{report.title} ({report.match}), played by {', '.join(report.versions)}",
        f"The chain of {report.entries} entries holds.",
        f"Head: {report.hashes[-1].hex()}",
        *signers(report.signatures, report.entries, UNSIGNED, demanded=demanded),
        *_origin(report),
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


def _origin(report: Report) -> list[str]:
    """Return from where a fork goes on."""
    if report.forked is None:
        return []
    which = f"entry {report.forked.entry} of " if report.forked.entry else ""
    match = f"the match {report.forked.match}" if report.forked.match else "another match"
    return [f"It goes on from {which}{match}, the hash {report.forked.head}: that log is not in this file."]


def _late(seat: LateSeat) -> str:
    """Return the sentence for a player in the log who did not play."""
    taken = f"Entry {seat.entry}: {seat.name} took the seat {seat.seat}"
    if not seat.over:
        return f"{taken} while {seat.before} had it."
    return f"{taken} after the match was over" + (f"; it was {seat.before} who had played." if seat.before else ".")


def _rules(report: Report) -> list[str]:
    """Return the result of repeating the steps."""
    if not report.replayed:
        return ["The rules of this edition are not installed here: none of its steps was run through them again."]
    if not report.differences:
        return [f"All {report.steps} steps were run through the rules again, with the same results."]
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
    """Return what was checked of the dice, and what could not be checked."""
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
