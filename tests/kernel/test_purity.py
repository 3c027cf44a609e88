"""The rules are a pure kernel: given a state, answers and dice they give facts, and know nothing else of the world."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import pytest

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


def test_pure_files_and_readers_are_found() -> None:
    assert len(FILES) > 30
    assert all(any(fnmatch(name(file), pattern) for file in FILES) for pattern in READERS)


@pytest.mark.parametrize("file", FILES, ids=name)
def test_pure_code_imports_no_clock_network_or_randomness(file: Path) -> None:
    ours = {"server.kernel", "server.rulesets", "client_protocol"}
    allowed = ALLOWED.union(*(more for pattern, more in READERS.items() if fnmatch(name(file), pattern)))
    for module in imported(file):
        top = module.partition(".")[0]
        if top in {"server", "client_protocol"}:
            assert any(module == own or module.startswith(f"{own}.") for own in ours), module
        else:
            assert top in allowed, module


@pytest.mark.parametrize("file", KERNEL, ids=name)
def test_the_kernel_knows_no_rule_set(file: Path) -> None:
    # Nor does any other module by name: see tests/test_families.py.
    assert not any(module.startswith("server.rulesets") for module in imported(file))


@pytest.mark.parametrize("file", FILES, ids=name)
def test_pure_code_calls_nothing_that_reads_or_prints(file: Path) -> None:
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    assert not calls & {"open", "print", "input", "exec", "eval", "__import__"}


def test_the_check_can_fail(tmp_path: Path) -> None:
    file = tmp_path / "x.py"
    file.write_text("import random\nfrom server.matches import room\n", encoding="utf-8")
    assert list(imported(file)) == ["random", "server.matches"]
    assert "random" not in ALLOWED
