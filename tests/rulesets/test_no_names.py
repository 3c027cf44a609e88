"""The rules ask what an edition has, never which one it is; and what a level adds, never what it is called."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.rulesets.library import every_edition

RULESETS = Path(__file__).parents[2] / "server" / "rulesets"
LISTS = ("library.py", "first_form.py")
"""The files that list the editions by their ids."""
FAMILIES = sorted(folder for folder in RULESETS.iterdir() if (folder / "data").is_dir())


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """Return the strings in a file's code without docstrings, with their lines; for a formatted string its fixed parts."""
    tree = ast.parse(file.read_text("utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


def compared(file: Path) -> Iterator[tuple[int, str]]:
    """Return the strings that a file's code compares with or uses as keys, with their lines."""
    found: set[tuple[int, str]] = set()
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        asked = [node] if isinstance(node, ast.Compare) else [node.slice] if isinstance(node, ast.Subscript) else []
        for inner in (inner for part in asked for inner in ast.walk(part)):
            if isinstance(inner, ast.Constant) and isinstance(inner.value, str):
                found.add((inner.lineno, inner.value))
    yield from sorted(found)


def naming(file: Path, names: set[str]) -> list[str]:
    """Return where a file's code names one of `names` on its own."""
    return [f"{file.relative_to(RULESETS).as_posix()}:{line} {text!r}" for line, text in texts(file) if text in names]


def test_no_chapter_asks_which_edition_is_played() -> None:
    files = [file for file in RULESETS.rglob("*.py") if file.name not in LISTS]
    assert len(files) > 100
    assert [where for file in files for where in naming(file, set(every_edition()))] == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_chapter_compares_with_the_name_of_a_level(family: Path) -> None:
    levels: set[str] = set()
    for name, rules in every_edition().items():
        if (family / name).is_dir():
            levels |= set(rules.book.levels)  # type: ignore[attr-defined]  # every edition has a book, with levels
    assert len(levels) >= 4
    asked = [(file.name, *found) for file in family.rglob("*.py") for found in compared(file)]
    assert len(asked) > 50
    assert [found for found in asked if found[2] in levels] == []


def test_the_check_finds_names_of_editions_and_levels(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.RULESETS", tmp_path)
    chapter = tmp_path / "fire.py"
    chapter.write_text(
        '"""Not for fad4."""\n\nif rules.id == "fad4" or rules.name == f"fad{n}":\n    fire()\n', "utf-8"
    )
    assert naming(chapter, {"fad4"}) == ["fire.py:3 'fad4'"]
    chapter.write_text('if unit["quality"] in {"elite"} or "rabble" == level:\n    fire("regular")\n', "utf-8")
    assert list(compared(chapter)) == [(1, "elite"), (1, "quality"), (1, "rabble")]
