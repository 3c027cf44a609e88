"""The rules ask what an edition has, never which one it is; and what a level adds, never what it is called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from server.rulesets.library import every_edition
from server.rulesets.shared.setup.rows import Level

RULESETS = Path(__file__).parents[2] / "server" / "rulesets"
LISTS = ("library.py",)
"""Where the editions are listed by their ids."""
FAMILIES = sorted(folder for folder in RULESETS.iterdir() if (folder / "data").is_dir())


def texts(file: Path) -> Iterator[tuple[int, str]]:
    """The strings in a file's code, docstrings left out, with their lines; of one that is put together its fixed parts."""
    tree = ast.parse(file.read_text("utf-8"))
    said = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in said:
            yield node.lineno, node.value


def levels(family: Path) -> set[str]:
    """The ids of the levels in the books of a family's editions: of the rows of every list that goes from worst to best."""
    found: set[str] = set()
    for name, rules in every_edition().items():
        if (family / name).is_dir():
            book = rules.book  # type: ignore[attr-defined]  # every edition has one
            lists = [getattr(book, field) for field in book.__struct_fields__]
            rows = [row for listed in lists if isinstance(listed, dict) for row in listed.values()]
            found |= {row.id for row in rows if isinstance(row, Level)}
    return found


def speaking_of(file: Path, ids: set[str]) -> list[str]:
    """Where a file's code says one of `ids`, by itself or within a longer text (`shooter_elite`)."""
    said = ((line, text, set(re.split(r"[^a-z0-9]+", text.lower()))) for line, text in texts(file))
    return [f"{file.relative_to(RULESETS).as_posix()}:{line} {text!r}" for line, text, parts in said if parts & ids]


def naming(file: Path, names: set[str]) -> list[str]:
    """Where a file's code names one of `names`, by itself."""
    return [f"{file.relative_to(RULESETS).as_posix()}:{line} {text!r}" for line, text in texts(file) if text in names]


def test_no_chapter_asks_which_edition_is_played() -> None:
    files = [file for file in RULESETS.rglob("*.py") if file.name not in LISTS]
    assert len(files) > 100
    assert [where for file in files for where in naming(file, set(every_edition()))] == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_chapter_speaks_of_a_level(family: Path) -> None:
    ids = levels(family)
    assert len(ids) >= 4
    assert [where for file in family.rglob("*.py") for where in speaking_of(file, ids)] == []


def test_what_is_named_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(f"{__name__}.RULESETS", tmp_path)
    chapter = tmp_path / "fire.py"
    chapter.write_text(
        '"""Not for fad4."""\n\nif rules.id == "fad4" or rules.name == f"fad{n}":\n    fire()\n', "utf-8"
    )
    assert naming(chapter, {"fad4"}) == ["fire.py:3 'fad4'"]
    chapter.write_text(
        'if unit["quality"] in {"elite"}:\n    """An elite fires."""\n    fire(amount["shooter_rabble"])\n', "utf-8"
    )
    assert speaking_of(chapter, {"elite", "rabble"}) == ["fire.py:1 'elite'", "fire.py:3 'shooter_rabble'"]
