"""Every pattern in the code that says what a text may be refuses the same text with a newline behind it.

`$` lets one stand there: a share of the dice that had one was accepted, and made a match that could not be verified any more.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, NamedTuple

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

ROOT = Path(__file__).parents[1]
FILES = sorted(file for folder in ("server", "client_protocol") for file in (ROOT / folder).rglob("*.py"))
LOOK_INSIDE = {"search", "sub", "subn", "split", "findall", "finditer"}
"""What looks for a pattern inside of a text: none of these says what the text as a whole may be."""
USES = {*LOOK_INSIDE, "match", "fullmatch"}


class Pattern(NamedTuple):
    """A pattern of the code, and the ways in which it is used there."""

    where: str
    text: str
    uses: frozenset[str]


def patterns(file: Path) -> Iterator[Pattern]:
    """Every regular expression of `re` and every pattern of `msgspec.Meta` in a file."""
    tree = ast.parse(file.read_text(encoding="utf-8"))
    used: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.attr in USES:
            used.setdefault(node.value.id, set()).add(node.attr)
    names = {
        id(node.value): target.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        where = f"{file.relative_to(ROOT) if file.is_relative_to(ROOT) else file.name}:{node.lineno}"
        called = ast.unparse(node.func)
        given_pattern = [keyword.value for keyword in node.keywords if keyword.arg == "pattern"]
        if given_pattern:
            yield Pattern(where, _text(given_pattern[0]), frozenset({"meta"}))
        elif called == "re.compile":
            uses = used.get(names.get(id(node), ""), set())
            yield Pattern(where, _text(node.args[0]), frozenset(uses or {"unknown"}))
        elif called.startswith("re.") and node.args and called.removeprefix("re.") in USES:
            yield Pattern(where, _text(node.args[0]), frozenset({called.removeprefix("re.")}))


def _text(node: ast.expr) -> str:
    """A pattern as it is written; what is filled in only when it runs is a letter here."""
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(part) if isinstance(part, ast.Constant) else "x" for part in node.values)
    assert isinstance(node, ast.Constant), (
        f"line {node.lineno}: write the pattern where it is used, so that it is tested"
    )
    assert isinstance(node.value, str)
    return node.value


def ends_loosely(text: str) -> bool:
    """Whether a pattern has a `$` that would let a newline stand behind it."""
    bare = re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]", "", text.replace(r"(?!\n)$", ""), flags=re.DOTALL)
    return "$" in bare


def refuses(pattern: Pattern, text: str) -> bool:
    """Whether what uses the pattern refuses `text`."""
    if "meta" in pattern.uses:
        kind = Annotated[str, msgspec.Meta(pattern=pattern.text)]
        try:
            msgspec.convert(text, kind)
        except msgspec.ValidationError:
            return True
        return False
    return re.fullmatch(pattern.text, text) is None


ALL = [pattern for file in FILES for pattern in patterns(file)]
WHOLE = [pattern for pattern in ALL if pattern.uses & {"meta", "fullmatch"}]


def test_there_is_something_to_look_at() -> None:
    assert len(ALL) >= 14
    assert len(WHOLE) >= 9
    assert any("shapes.py" in pattern.where for pattern in WHOLE)
    # Where a pattern is used must be seen, or it would not be known what it is for.
    assert not [pattern for pattern in ALL if "unknown" in pattern.uses]


@pytest.mark.parametrize("pattern", ALL, ids=lambda pattern: pattern.where)
def test_no_pattern_lets_a_newline_stand_at_its_end(pattern: Pattern) -> None:
    assert not ends_loosely(pattern.text), f"{pattern.where}: use fullmatch, or (?!\\n)$, or \\Z, and not $"


@pytest.mark.parametrize("pattern", WHOLE, ids=lambda pattern: pattern.where)
def test_what_is_taken_is_refused_with_a_newline_behind_it(pattern: Pattern) -> None:
    sample = st.from_regex(pattern.text, fullmatch=True).map(lambda text: text.removesuffix("\n"))

    @settings(max_examples=20, database=None, suppress_health_check=list(HealthCheck))
    @given(sample)
    def check(text: str) -> None:
        assert not refuses(pattern, text)
        assert refuses(pattern, f"{text}\n")

    check()


def test_the_check_can_fail(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text(
        'import re\nA = re.compile("^a$")\nA.match("a")\nre.fullmatch(r"b[$]", "b")\nC = Meta(pattern="^c$")\nre.compile("d")\n',
        encoding="utf-8",
    )
    found = {pattern.text: pattern for pattern in patterns(file)}
    assert {text: sorted(pattern.uses) for text, pattern in found.items()} == {
        "^a$": ["match"],
        "b[$]": ["fullmatch"],
        "^c$": ["meta"],
        "d": ["unknown"],
    }
    assert [text for text in (*found, r"a\$", r"a(?!\n)$", r"[]$]", r"[^\]$]$") if ends_loosely(text)] == [
        "^a$",
        "^c$",
        r"[^\]$]$",
    ]
    assert not refuses(found["^c$"], "c\n")
    assert refuses(found["b[$]"], "b$\n")
