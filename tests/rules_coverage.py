"""Which rules of each edition are obeyed, tested and told: `python -m tests.rules_coverage`.

The entries of an edition stand in tests/golden/<edition>.rules.txt, one a line: id, kind, whether it is in scope, title. With
`--write` the lists are made anew from the lists in TOML, <edition>.toml or several <edition>-*.toml in the folder that
UNDERFIRE_RULES names; when that is set, those lists are read instead. Which entries are in scope is said in the lists alone,
and kept when they are made anew; an entry that is new there is in scope.

An entry is *obeyed* when its id stands at code or data of the edition's family or of what all families share, *tested* when a
test is marked with it, *reached* when a fact of a case or of a recorded game names it, *told* when the rule reference has it.
What a case or a test is called after counts for nothing. Some rules no fact can name (`tests/silent_rules.py` says which and
why); of these the test is enough. Of an edition that is not finished no game is recorded yet: random games reach its rules, and
what is not in scope is not played yet. The exit status is 1 if an entry in scope lacks one of the four, if an id is in no
list, or if a rule is said to be silent that is not.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from server.commands.simulate import rules_told
from server.opponents.simulation import play
from server.rulesets.library import edition, every_edition
from tests.archive.files import RECORDED, facts_of
from tests.cases.resolved import reached as by_cases
from tests.rulesets.openings import BROUGHT, kinds, opening
from tests.silent_rules import SILENT
from tests.support.id_runs import RUN, beginnings

ROOT = Path(__file__).resolve().parent.parent
RULESETS = ROOT / "server" / "rulesets"
TESTS = ROOT / "tests"
REFERENCE = "reference.toml"
SHARED = "shared"
GAMES = 40
"""How many random games of a kind reach the rules of an edition that is not finished."""


class Entry(NamedTuple):
    """An entry of a list of rules."""

    id: str
    kind: str
    in_scope: bool
    title: str


class Coverage(NamedTuple):
    """Where the ids of an edition stand."""

    entries: list[Entry]
    obeyed: set[str]
    tested: set[str]
    reached: set[str]
    told: set[str]
    silent: frozenset[str] = frozenset()

    def lacking(self, entry: Entry) -> list[str]:
        """What an entry in scope lacks."""
        places = {
            "obeyed": self.obeyed,
            "tested": self.tested,
            "reached": self.reached | self.silent,
            "told": self.told,
        }
        return [word for word, ids in places.items() if entry.in_scope and entry.id not in ids]

    @property
    def unknown(self) -> list[str]:
        """Ids that stand somewhere and are in no list of rules."""
        known = {entry.id for entry in self.entries}
        return sorted((self.tested | self.reached | self.told | self.silent) - known)

    @property
    def heard(self) -> list[str]:
        """Rules that are said to be silent and are named by a fact."""
        return sorted(self.silent & self.reached)


def listed_rules(name: str) -> list[Entry]:
    """The entries of an edition: from the TOML list where UNDERFIRE_RULES names the folder, else from the project's own list."""
    kept = parse(listed(name).read_text("utf-8")) if listed(name).is_file() else []
    given = os.environ.get("UNDERFIRE_RULES")
    if not given:
        return kept
    files = [
        file for file in (Path(given) / f"{name}.toml", *sorted(Path(given).glob(f"{name}-*.toml"))) if file.is_file()
    ]
    rows = [row for file in files for row in tomllib.loads(file.read_text("utf-8"))["rule"]]
    return merged(rows, kept)


def merged(rows: Iterable[Mapping[str, str]], kept: Iterable[Entry]) -> list[Entry]:
    """The rows of a TOML list as entries; those that were kept out of scope stay so."""
    out = {entry.id for entry in kept if not entry.in_scope}
    return [Entry(row["id"], row["kind"], row["id"] not in out, row["title"]) for row in rows]


def partly(name: str) -> bool:
    """Whether some rules of an edition are not played yet."""
    return any(not entry.in_scope for entry in listed_rules(name))


def listed(name: str) -> Path:
    """The project's own list of an edition's entries."""
    return TESTS / "golden" / f"{name}.rules.txt"


def parse(text: str) -> list[Entry]:
    """The entries of a list."""
    rows = [re.split(r" {2,}", line, maxsplit=3) for line in text.splitlines() if line and not line.startswith("#")]
    return [Entry(rule, kind, scope == "yes", title) for rule, kind, scope, title in rows]


def written(entries: Sequence[Entry]) -> str:
    """A list of entries, as `parse` reads it."""
    head = "# Written by `python -m tests.rules_coverage --write`, which keeps the third column: id, kind, in scope, title.\n"
    wide = max(len(entry.id) for entry in entries)
    kinds = max(len(entry.kind) for entry in entries)
    rows = (
        f"{entry.id:{wide}}  {entry.kind:{kinds}}  {'yes' if entry.in_scope else 'no ':3}  {entry.title}\n"
        for entry in entries
    )
    return head + "".join(rows)


def read(files: Iterable[Path]) -> str:
    """The text of some files."""
    return "\n".join(file.read_text("utf-8") for file in files)


def sources(name: str) -> Iterator[Path]:
    """The code and data by which an edition is played."""
    (family,) = {path.parent.parent for path in RULESETS.rglob("edition.toml") if path.parent.name == name}
    others = {path.parent for path in RULESETS.rglob("edition.toml")} - {family / name}
    for folder in (family, RULESETS / SHARED):
        for file in (*folder.rglob("*.py"), *folder.rglob("*.toml")):
            if file.name != REFERENCE and not others.intersection(file.parents):
                yield file


def measure(name: str) -> Coverage:
    """Where the rules of the edition `name` stand."""
    entries = listed_rules(name)
    obeyed = {entry.id for entry in entries} & ids_in(read(sources(name)))
    # One test may carry several marks, and a case of a parametrized test its own.
    marks = re.findall(r"mark\.rule\(([^)]*)\)", read(TESTS.rglob("*.py")))
    tested = set(re.findall(rf'"{name}/([\w.-]+)"', " ".join(marks)))
    told = {row["id"] for row in edition(name).reference}
    parts = parts_of(name)
    return Coverage(entries, obeyed, tested, reached(name) - parts, told - parts, frozenset(SILENT[name]))


def ids_in(text: str) -> set[str]:
    """What may be an id in a text."""
    return {start for run in set(RUN.findall(text)) for start in beginnings(run)}


def parts_of(name: str) -> set[str]:
    """The entries of the reference that tell a part of an entry of the list."""
    book = edition(name).book  # type: ignore[attr-defined]  # every edition has one
    return {row.id.removeprefix(f"{name}/") for row in book.reference if row.part_of}


def reached(name: str) -> set[str]:
    """The rules of an edition that a fact names: of a case, of a recorded game, of a random one of an edition that is not played
    whole yet, or of one to which players bring forces, which no case can hold. Random games are played until no rule lacks one.
    """
    recorded = (facts_of(of, game) for of, game in RECORDED if of == name)
    found = by_cases(name) | rules_told(fact for facts in recorded for fact in facts)
    wanted = {entry.id for entry in listed_rules(name) if entry.in_scope} - set(SILENT[name])
    games = by_games(name, tuple(kinds(name) if partly(name) else {BROUGHT} & kinds(name).keys()))
    while not wanted <= found and (named := next(games, None)) is not None:
        found |= named
    return found - {""}


def by_games(name: str, some: tuple[str, ...]) -> Iterator[set[str]]:
    """Yield the rules that a fact of a random game of these kinds names, game by game."""
    for seed in range(GAMES):
        for kind in some:
            steps = play(edition(name), opening(name, kind, seed), seed)
            yield {rule for played in steps for rule in rules_told(played.step.facts)}


def report(name: str, coverage: Coverage) -> int:
    """Print how an edition stands; returns how many mistakes there are."""
    scope = [entry for entry in coverage.entries if entry.in_scope]
    lacking = {entry.id: coverage.lacking(entry) for entry in scope}
    mistakes = [*(rule for rule, words in lacking.items() if words), *coverage.unknown, *coverage.heard]
    later = " (the rest is not played yet)" if partly(name) else ""
    print(f"{name}: {len(scope)} of {len(coverage.entries)} entries in scope{later}")
    for entry in scope:
        words = ["obeyed", "tested", "silent" if entry.id in coverage.silent else "reached", "told"]
        columns = ("  ---   " if word in lacking[entry.id] else f"{word:8}" for word in words)
        print(f"  {''.join(columns)}{entry.id:40}{entry.title}")
    for word in ("obeyed", "tested", "reached", "told"):
        missing = [rule for rule, words in lacking.items() if word in words]
        print(
            f"  {word:8}{len(scope) - len(missing)} of {len(scope)}" + "".join(f"\n    not {rule}" for rule in missing)
        )
    for rule in coverage.unknown:
        print(f"  {rule} is not in the list of rules")
    for rule in coverage.heard:
        print(f"  {rule} is said to be silent, and a fact names it")
    return len(mistakes)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the coverage of every edition; 1 if anything is missing."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.rules_coverage", description="Which rules are obeyed and tested."
    )
    parser.add_argument(
        "--write", action="store_true", help="make the lists anew from the TOML lists in the folder UNDERFIRE_RULES"
    )
    chosen = parser.parse_args(arguments)
    names = list(every_edition())
    if chosen.write:
        if "UNDERFIRE_RULES" not in os.environ:
            parser.error("UNDERFIRE_RULES has to name the folder with the TOML lists")
        for name in names:
            listed(name).parent.mkdir(exist_ok=True)
            listed(name).write_text(written(listed_rules(name)), "utf-8")
    return 1 if sum([report(name, measure(name)) for name in names]) else 0


if __name__ == "__main__":
    sys.exit(main())
