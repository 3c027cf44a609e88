"""No line outside of `server/rulesets` knows which family of rules is being played."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from server.kernel.ruleset import Ruleset
from server.rulesets.library import every_edition
from tests.support.id_runs import RUN, beginnings

ROOT = Path(__file__).parents[1]
RULESETS = ROOT / "server" / "rulesets"
PATTERNS = (
    "server/*.py",
    "server/kernel/**/*.py",
    "server/matches/**/*.py",
    "server/store/**/*.py",
    "server/store/**/*.lua",
    "server/work/**/*.py",
    "server/gateway/**/*.py",
    "server/commands/**/*.py",
    "server/opponents/**/*.py",
    "client_protocol/**/*.py",
    "web_client/index.html",
    "web_client/src/**/*.ts",
    "web_client/src/**/*.svelte",
    "web_client/src/**/*.css",
)
FILES = sorted(
    file for pattern in PATTERNS for file in ROOT.glob(pattern) if not re.search(r"\.test\.ts$|fixture", file.name)
)

EVERYDAY = {
    *(
        "arc",
        "area",
        "carrier",
        "closest",
        "command",
        "commander",
        "count",
        "crew",
        "drive",
        "figures",
        "first",
        "front",
        "green",
        "hold",
        "hover",
        "hull",
        "left",
        "level",
    ),
    *(
        "lying",
        "partial",
        "rear",
        "regular",
        "resolve",
        "right",
        "run",
        "same",
        "seats",
        "soft",
        "steady",
        "support",
        "track",
        "turret",
        "uncertain",
        "unit.profile",
        "vehicle",
        "veteran",
        "wheel",
        "walk",
        "weapon",
    ),
}
"""Words of a family's data that mean something of their own elsewhere."""
DRAWN = {"assault", "nanowire"}
"""What the browser has a drawing for, and draws for whatever rules say so: icons of the log, and ground that a round of the same
name leaves. (So are the kinds of terrain.)"""
AGREED = {"hidden_forces", "most_units"}
"""An option that rooms obey and a bound that a form has, for any family that has them."""
OTHERWISE = {"over", "turn", "no_room"}
"""Strings that mean something else outside: the end of a match, a kind of line of the log, a question outside of a match."""


# --- what families call things ---------------------------------------------------------------------------------------


def families() -> list[Path]:
    return sorted(folder for folder in RULESETS.iterdir() if (folder / "data").is_dir())


def of_family(family: Path) -> list[Ruleset]:
    return [rules for rules in every_edition().values() if (family / rules.info.id).is_dir()]


@cache
def terrain(family: Path) -> frozenset[str]:
    """The kinds of terrain, names of drawings for any family, and its flags."""
    (file,) = family.rglob("terrain.toml")
    rows = tomllib.loads(file.read_text(encoding="utf-8"))
    return frozenset([row["kind"] for row in rows["terrain"]] + [row["id"] for row in rows.get("ground", ())])


def named(value: object) -> Iterator[str]:
    """The ids of the rows in a data file."""
    if isinstance(value, dict):
        if isinstance(value.get("id"), str):
            yield value["id"].rpartition("/")[2]
        for inner in value.values():
            yield from named(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from named(inner)


def offered(rules: Ruleset) -> Iterator[str]:
    """The keys of what can be chosen and seen in an edition."""
    yield from (*rules.words, *rules.orders, *rules.cover_names())
    if rules.force_form is not None:
        for kind in rules.force_form.kinds:
            yield kind.key
            for field in (*kind.fields, *(field for rows in kind.lists for field in rows.fields)):
                yield field.key
                yield from (choice.value for choice in field.choices if isinstance(choice.value, str))


@cache
def vocabulary(family: Path) -> frozenset[str]:
    """Everything that a family has a key for, terrain apart."""
    found: set[str] = set()
    for file in family.rglob("*.toml"):
        if not {"scenarios", "guided", "forces"} & set(file.relative_to(family).parts):
            data = tomllib.loads(file.read_text(encoding="utf-8"))
            found.update(named(data))
            if file.name == "edition.toml":
                found.update(action for actions in data.get("actions", {}).values() for action in actions)
    for rules in of_family(family):
        found.update(offered(rules))
    return frozenset(found - terrain(family))


def chapters(family: Path) -> set[str]:
    """What the rules' ids begin with."""
    return {word.partition(".")[0] for word in vocabulary(family) if "." in word}


@cache
def own_words() -> frozenset[str]:
    """The words that one family has and no other, and the names of families and editions."""
    everybody = [vocabulary(family) | chapters(family) for family in families()]
    words = {word for family in families() for word in vocabulary(family)}
    own = {word for word in words if sum(word in theirs for theirs in everybody) == 1}
    plain = {word for word in own if len(word) > 2} - EVERYDAY - DRAWN - AGREED
    return frozenset(
        plain | {family.name for family in families()} | {rules.info.id for rules in every_edition().values()}
    )


@cache
def in_small_letters() -> frozenset[str]:
    return frozenset(word.lower() for word in own_words())


def found_in(text: str) -> list[str]:
    """The words of families in a file, with the numbers of their lines."""
    lines = enumerate(text.splitlines(), 1)
    return [f"{number}: {word}" for number, line in lines for word in words_in(line)]


def words_in(line: str) -> Iterator[str]:
    """The words of families in a line."""
    for run in RUN.findall(line):
        word = next((start for start in beginnings(run) if start.lower() in in_small_letters()), None)
        if word is not None:
            yield word
    yield from with_other_characters().findall(line)


@cache
def with_other_characters() -> re.Pattern[str]:
    """Finds the words that are more than one run of letters, points and dashes."""
    words = "|".join(re.escape(word) for word in sorted(own_words()) if not RUN.fullmatch(word))
    return re.compile(rf"(?<![\w.-])(?:{words})(?![\w-])", re.IGNORECASE)


# --- who says so -----------------------------------------------------------------------------------------------------


def name(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def literals(file: Path) -> set[str]:
    """The strings in a file's code."""
    text = file.read_text(encoding="utf-8")
    if file.suffix == ".py":
        return {n.value for n in ast.walk(ast.parse(text)) if isinstance(n, ast.Constant) and isinstance(n.value, str)}
    return {string for _, string in re.findall(r"(['\"`])([^'\"`\n]*)\1", text)}


def test_there_is_something_to_look_at() -> None:
    assert len(families()) > 1
    assert all(of_family(family) for family in families())
    assert len(FILES) > 150
    assert {file.suffix for file in FILES} >= {".py", ".ts", ".svelte", ".lua"}
    assert len(own_words()) > 150


def test_no_file_uses_a_word_that_only_one_family_has() -> None:
    found = {name(file): found_in(file.read_text(encoding="utf-8")) for file in FILES}
    assert {file: lines for file, lines in found.items() if lines} == {}


def test_no_file_asks_for_a_condition_or_a_phase_by_name() -> None:
    keys = {key for rules in every_edition().values() for key in rules.words} - OTHERWISE
    found = {name(file): literals(file) & keys for file in FILES}
    assert {file: words for file, words in found.items() if words} == {}


def test_no_file_reads_a_family() -> None:
    texts = {name(file): file.read_text(encoding="utf-8") for file in FILES}
    packages = [f"rulesets.{family.name}" for family in families()]
    assert [file for file, text in texts.items() if any(package in text for package in packages)] == []


def test_every_exception_is_needed() -> None:
    everything = "\n".join(file.read_text(encoding="utf-8") for file in FILES).lower()
    words = {word for family in families() for word in vocabulary(family)}
    exceptions = EVERYDAY | DRAWN | AGREED
    assert {word for word in exceptions if not re.search(rf"(?<![\w.-]){word}(?![\w-])", everything)} == set()
    assert exceptions <= words


def test_the_check_can_fail() -> None:
    family = families()[0]
    edition = of_family(family)[0].info.id
    assert found_in(f"an {edition.upper()} game,\nor any of {family.name}") == [
        f"1: {edition.upper()}",
        f"2: {family.name}",
    ]
    action = next(word for word in sorted(own_words()) if "-" in word)
    assert found_in(f"if picked.choice == '{action}':") == [f"1: {action}"]
    several = next(word for word in sorted(own_words()) if " " in word)
    assert f"1: {several}" in found_in(f'title = "{several}"')
