"""The version of an edition's rules as a short hash, so that a match can say which rules made each of its steps.

The hash covers what the rules mean and not how they are written down: it is taken from syntax trees without docstrings and
comments, and from parsed data without the texts of the reference and the comparison of editions. Moving code to another file,
describing it, or working on another edition changes no version.
"""

from __future__ import annotations

import ast
import hashlib
import json
import tomllib
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from server.rulesets.kept_fingerprints import kept_or

COMMON = ("server.kernel", "server.rulesets.shared")
"""The packages that are part of every edition."""
OWN = ("server", "client_protocol")
"""The project's own packages. An import from one of them is left out of the hash, since the definition of the imported name
counts by itself.
"""
DESCRIPTIONS = frozenset({"reference.toml", "comparison.toml", "conversion.toml", "guide.toml", "balance.toml"})
"""The files that describe the rules and scenarios to players. They change no rule, so they are left out."""


@cache
def fingerprint(family: str, edition: str) -> str:
    """Return the first twelve hexadecimal digits of a SHA-256 over the meaning of an edition's rules.

    Args:
        family: the family's folder in `server.rulesets`.
        edition: the edition's folder in the family's.
    """
    root = files("server.rulesets") / family
    others = {path.name for path in root.iterdir() if path.is_dir() and (path / "edition.toml").is_file()} - {edition}
    folders = [*(files(package) for package in COMMON), root]
    paths = [path for folder in folders for path in _files(folder, others)]
    return kept_or(paths, lambda: fingerprint_of(paths))


def fingerprint_of(paths: Iterable[Traversable]) -> str:
    """Return the fingerprint of the rules that these Python and TOML files hold together."""
    meanings: set[str] = set()
    for path in paths:
        meanings |= _code(path.read_bytes()) if path.name.endswith(".py") else _data(path)
    return hashlib.sha256("\0".join(sorted(meanings)).encode()).hexdigest()[:12]


def _files(folder: Traversable, without: set[str]) -> Iterator[Traversable]:
    for path in folder.iterdir():
        if path.is_dir():
            if path.name not in without:
                yield from _files(path, without)
        elif path.name.endswith((".py", ".toml")) and path.name not in DESCRIPTIONS:
            yield path


@cache
def _code(source: bytes) -> frozenset[str]:
    """Return the meaning of each statement of a module. The file and the place in it do not count."""
    tree = ast.parse(source)
    return frozenset([_meaning(statement) for statement in tree.body if not _says_nothing(statement)])


def _data(path: Traversable) -> set[str]:
    return {json.dumps([path.name, tomllib.loads(path.read_text(encoding="utf-8"))], sort_keys=True)}


def _says_nothing(statement: ast.stmt) -> bool:
    """Return whether a statement is a docstring or an import from one of the project's own packages."""
    if isinstance(statement, ast.ImportFrom):
        return statement.level > 0 or (statement.module or "").split(".")[0] in OWN
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _meaning(node: object) -> str:
    """Return a syntax tree as a text that is the same in every version of Python: empty fields are left out."""
    if isinstance(node, ast.AST):
        fields = (
            f"{name}={_meaning(value)}" for name, value in ast.iter_fields(node) if value is not None and value != []
        )
        return f"{type(node).__name__}({','.join(fields)})"
    if isinstance(node, list):
        return (
            f"[{','.join(_meaning(item) for item in node if not (isinstance(item, ast.stmt) and _says_nothing(item)))}]"
        )
    return repr(node)
