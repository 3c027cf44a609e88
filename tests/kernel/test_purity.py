"""The rules are a pure kernel: given a state, answers and dice they give facts, and know nothing else of the world."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

SERVER = Path(__file__).parents[2] / "server"
FILES = sorted(file for part in ("kernel", "rulesets") for file in (SERVER / part).rglob("*.py"))
KERNEL = [file for file in FILES if file.is_relative_to(SERVER / "kernel")]

ALLOWED = {
    "__future__",
    "collections",
    "abc",
    "dataclasses",
    "decimal",
    "enum",
    "fractions",
    "functools",
    "hashlib",
    "heapq",
    "hmac",
    "itertools",
    "json",
    "math",
    "operator",
    "re",
    "typing",
    "msgspec",
    "shapely",
}
"""What pure code may be made of. `json` and `tomllib` turn text that other code has read into values."""

OURS = ("server.kernel", "server.rulesets", "client_protocol")
FORBIDDEN = {"open", "print", "input", "exec", "eval", "__import__"}
READERS = {
    "kernel/files/text.py": {"tomllib"},
    "rulesets/*/setup/book.py": {"importlib"},
    "rulesets/*/setup/conversion.py": {"importlib"},
    "rulesets/*/ruleset.py": {"importlib"},
    "rulesets/shared/bringing.py": {"importlib"},
    "rulesets/shared/comparison.py": {"importlib"},
    "rulesets/shared/edition.py": {"importlib"},
    "rulesets/shared/setup/companions.py": {"importlib"},
    "rulesets/shared/setup/rows.py": {"tomllib", "importlib"},
    "rulesets/shared/setup/scenarios.py": {"importlib"},
    "rulesets/fingerprint.py": {"ast", "importlib", "tomllib"},
    "rulesets/kept_fingerprints.py": {"contextlib", "importlib", "os", "pathlib", "sys"},
}
"""The files that read the rules' own data, when an edition is loaded, or keep what that came to, and what they need for it."""


def name(file: Path) -> str:
    return file.relative_to(SERVER).as_posix()


def imported(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield node.module or ""


def called(file: Path) -> set[str]:
    """The functions that a file calls by their names alone."""
    calls = (node.func for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))) if isinstance(node, ast.Call))
    return {function.id for function in calls if isinstance(function, ast.Name)}


def test_pure_files_and_readers_are_found() -> None:
    assert len(FILES) > 30
    assert all(any(fnmatch(name(file), pattern) for file in FILES) for pattern in READERS)


def allowed(module: str, file: Path) -> bool:
    """Whether a file may import a module."""
    top = module.partition(".")[0]
    if top in {"server", "client_protocol"}:
        return any(module == own or module.startswith(f"{own}.") for own in OURS)
    return top in ALLOWED.union(*(more for pattern, more in READERS.items() if fnmatch(name(file), pattern)))


def test_pure_code_imports_no_clock_network_or_randomness() -> None:
    imports = [(name(file), module, allowed(module, file)) for file in FILES for module in imported(file)]
    assert [(file, module) for file, module, allows in imports if not allows] == []


def test_the_kernel_knows_no_rule_set() -> None:
    # Nor does any other module by name: see tests/test_families.py.
    imports = [(name(file), module) for file in KERNEL for module in imported(file)]
    assert [(file, module) for file, module in imports if module.startswith("server.rulesets")] == []


def test_pure_code_calls_nothing_that_reads_or_prints() -> None:
    found = {name(file): called(file) & FORBIDDEN for file in FILES}
    assert {file: calls for file, calls in found.items() if calls} == {}


def test_the_check_can_fail(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("import random\nfrom server.matches import room\nopen(room)\n", encoding="utf-8")
    assert [module for module in imported(file) if not allowed(module, FILES[0])] == ["random", "server.matches"]
    assert called(file) & FORBIDDEN == {"open"}
