"""The rules ask what an edition has, never which one it is; what a level adds, never what it is called; and what the modules of a
match add, never whether one of them is played."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

from server.rulesets.library import every_edition
from server.rulesets.shared.setup.rows import Level

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


def levels(family: Path) -> set[str]:
    """Return the ids of the levels in the books of a family's editions: the rows of lists that go from worst to best."""
    found: set[str] = set()
    for name, rules in every_edition().items():
        if (family / name).is_dir():
            book = rules.book  # type: ignore[attr-defined]  # every edition has one
            lists = [getattr(book, field) for field in book.__struct_fields__]
            rows = [row for listed in lists if isinstance(listed, dict) for row in listed.values()]
            found |= {row.id for row in rows if isinstance(row, Level)}
    return found


def speaking_of(file: Path, ids: set[str]) -> list[str]:
    """Return where a file's code says one of `ids`, by itself or within a longer text (`shooter_elite`)."""
    said = ((line, text, set(re.split(r"[^a-z0-9]+", text.lower()))) for line, text in texts(file))
    return [f"{place(file, line)} {text!r}" for line, text, parts in said if parts & ids]


def naming(file: Path, names: set[str]) -> list[str]:
    """Return where a file's code names one of `names`, by itself or within a longer text."""
    said = any_of(names)
    return [f"{place(file, line)} {text!r}" for line, text in texts(file) if said.search(text)]


def any_of(names: set[str]) -> re.Pattern[str]:
    """Return a pattern for any of `names` as a word of its own."""
    return re.compile(rf"(?<![\w.-])(?:{'|'.join(map(re.escape, sorted(names)))})(?![\w-])", re.IGNORECASE)


def deciding(file: Path) -> list[str]:
    """Return where a file's code decides something by which edition is played, although it names none.

    It compares an edition's id, name or version with what stands in the code, looks something up by it, or looks at how it begins
    or ends.
    """
    tree = ast.parse(file.read_text("utf-8"))
    return [f"{place(file, node.lineno)} {ast.unparse(node)}" for node in ast.walk(tree) if _decides(node)]


def _decides(node: ast.AST) -> TypeGuard[ast.expr]:
    if isinstance(node, ast.Compare):
        sides = (node.left, *node.comparators)
        return any(map(_identity, sides)) and any(_written_down(side) for side in sides)
    if isinstance(node, ast.Subscript):
        return _identity(node.slice)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        asked = node.func.attr in {"startswith", "endswith", "find", "index", "count"} and _identity(node.func.value)
        return asked or (node.func.attr == "get" and any(map(_identity, node.args)))
    return isinstance(node, ast.IfExp) and _identity(node.test)


def _identity(node: ast.expr) -> bool:
    """Return whether an expression takes the id, the name or the version of an edition."""
    return any(
        isinstance(inner, ast.Attribute)
        and inner.attr in {"id", "name", "version"}
        and isinstance(of := inner.value, ast.Attribute | ast.Name)
        and (of.attr if isinstance(of, ast.Attribute) else of.id) in {"edition", "info"}
        for inner in ast.walk(node)
    )


def _written_down(node: ast.expr) -> bool:
    """Return whether a value stands in the code: a literal, one of several, or a name in capitals."""
    return any(
        isinstance(inner, ast.Constant) or (isinstance(inner, ast.Name) and inner.id.isupper())
        for inner in ast.walk(node)
    )


def modules(family: Path) -> set[str]:
    """Return the ids of a family's modules and of their markers."""
    found: set[str] = set()
    for name, rules in every_edition().items():
        if (family / name).is_dir():
            for module in rules.modules:  # type: ignore[attr-defined]  # every edition has them
                found |= {module.id, *(marker.id for marker in module.markers)}
    return found


def imports_of(file: Path, package: str) -> list[str]:
    """Return where a file imports a package or something in it."""
    nodes = [node for node in ast.walk(ast.parse(file.read_text("utf-8"))) if isinstance(node, ast.ImportFrom)]
    return [place(file, node.lineno) for node in nodes if f"{node.module}.".startswith(f"{package}.")]


def place(file: Path, line: int) -> str:
    """Return a line of a file as the tests show it."""
    return f"{file.relative_to(RULESETS).as_posix()}:{line}"


def test_no_chapter_asks_which_edition_is_played() -> None:
    files = [file for file in RULESETS.rglob("*.py") if file.name not in LISTS]
    assert len(files) > 100
    names = {word for rules in every_edition().values() for word in (rules.info.id, rules.info.name)}
    assert [where for file in files for where in (*naming(file, names), *deciding(file))] == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_chapter_speaks_of_a_level(family: Path) -> None:
    ids = levels(family)
    assert len(ids) >= 4
    assert [where for file in family.rglob("*.py") for where in speaking_of(file, ids)] == []


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_no_chapter_names_a_module(family: Path) -> None:
    names = modules(family)
    chapters = [file for file in family.rglob("*.py") if family / "modules" not in file.parents]
    assert len(chapters) > 20
    assert [where for file in chapters for where in (naming(file, names) if names else ())] == []
    package = f"server.rulesets.{family.name}.modules"
    importing = {file.name for file in chapters if imports_of(file, package)}
    assert importing == ({"ruleset.py"} if names else set()), "only the family's list of modules is read"


@pytest.fixture
def chapter(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A chapter that is to be written."""
    monkeypatch.setattr(f"{__name__}.RULESETS", tmp_path)
    return tmp_path / "fire.py"


def test_an_edition_that_is_named_is_found(chapter: Path) -> None:
    chapter.write_text(
        '"""Not for fad4."""\n\nif rules.id == "fad4" or rules.name == f"fad{n}":\n    fire()\n', "utf-8"
    )
    assert naming(chapter, {"fad4"}) == ["fire.py:3 'fad4'"]
    chapter.write_text('CALLED = {"FAD 4": 1}\nkeys = ["fad4/fire.rain", "fad45"]\n', "utf-8")
    assert naming(chapter, {"fad4", "FAD 4"}) == ["fire.py:1 'FAD 4'", "fire.py:2 'fad4/fire.rain'"]


@pytest.mark.parametrize(
    "code",
    [
        'book.edition.id == "x"',
        "edition.id in OLD",
        '"4" in rules.book.edition.name',
        "self.info.id.endswith(last)",
        "BONUS[book.edition.id]",
        "BONUS.get(book.edition.id, 0)",
        "book.edition.version > 1",
        "2 if matches(book.edition.id) else 1",
    ],
)
def test_what_is_decided_by_an_edition_is_found(chapter: Path, code: str) -> None:
    chapter.write_text(f"bonus = {code}\n", "utf-8")
    assert deciding(chapter) == [f"fire.py:1 {code.replace(chr(34), chr(39))}"]


def test_what_an_edition_is_called_may_be_said(chapter: Path) -> None:
    chapter.write_text('if setup.edition != book.edition.id:\n    say(f"{book.edition.name} has no rain")\n', "utf-8")
    assert deciding(chapter) == []


def test_a_module_that_is_named_or_imported_is_found(chapter: Path) -> None:
    chapter.write_text(
        'from server.rulesets.fad.modules.mud import MUD\n\nif plays(state, "mud"):\n    sink()\n', "utf-8"
    )
    assert naming(chapter, {"mud"}) == ["fire.py:3 'mud'"]
    assert imports_of(chapter, "server.rulesets.fad.modules") == ["fire.py:1"]
    assert imports_of(chapter, "server.rulesets.fad.modul") == []


def test_a_level_that_is_spoken_of_is_found(chapter: Path) -> None:
    chapter.write_text(
        'if unit["quality"] in {"elite"}:\n    """An elite fires."""\n    fire(amount["shooter_rabble"])\n', "utf-8"
    )
    assert speaking_of(chapter, {"elite", "rabble"}) == ["fire.py:1 'elite'", "fire.py:3 'shooter_rabble'"]
