"""Every roll of the rules has a purpose, which a case that runs out of dice names."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

RULESETS = Path(__file__).parents[2] / "server" / "rulesets"
FILES = sorted(RULESETS.rglob("*.py"))


def rolls(text: str) -> list[ast.Call]:
    """Return the calls of `roll` in a file."""
    calls = [node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)]
    return [call for call in calls if isinstance(call.func, ast.Name) and call.func.id in {"roll", "Roll"}]


def without_purpose(text: str) -> list[int]:
    """Return the lines of rolls without a purpose."""
    return [call.lineno for call in rolls(text) if not any(word.arg == "purpose" for word in call.keywords)]


def test_the_check_finds_rolls() -> None:
    assert sum(len(rolls(file.read_text(encoding="utf-8"))) for file in FILES) > 10
    assert without_purpose("faces = yield from roll(2)") == [1]


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(RULESETS).as_posix())
def test_every_roll_has_a_purpose(file: Path) -> None:
    assert without_purpose(file.read_text(encoding="utf-8")) == []
