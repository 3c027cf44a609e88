"""Imports go one way: from each room only to those that it is built on. A room is a folder; `docs/design.md` draws them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WIRE = {"client_protocol"}
SPACE = {"server.kernel.space"}
KERNEL = {
    "server.kernel",
    *(f"server.kernel.{room}" for room in ("space", "finding", "answers", "files", "cases", "campaigns")),
}
FIRST_FORM = {"server.rulesets.first_form"}
"""What was text in the first form of the log, by edition: a table that imports nothing, and not the rules."""
LOG = {"server.work", "server.matches.log", "server.store"}
PLAY = {*LOG, "server.matches.play"}
PURE = {*PLAY, "server.matches.projections", "server.matches.setup", "server.matches.verify"}
RULES = {"server.rulesets"}
LEAGUES = {"server.leagues.log", "server.leagues.rules"}
CHECKS = {"server.matches.verify", "server.matches.projections"}

BUILT_ON: dict[str, set[str]] = {
    "client_protocol": set(),
    "client_protocol.client": WIRE,
    "server.kernel.space": WIRE,
    "server.kernel.finding": {*WIRE, *KERNEL},
    "server.kernel.answers": {*WIRE, *KERNEL},
    "server.kernel.files": {*WIRE, *KERNEL},
    "server.kernel.cases": {*WIRE, *KERNEL},
    "server.kernel.campaigns": {*WIRE, *KERNEL},
    "server.kernel": {*WIRE, *KERNEL},
    "server.rulesets": {*WIRE, *KERNEL, *RULES},
    "server.opponents": {*WIRE, *KERNEL, *RULES, "server.work", "server.store", "server.matches.projections"},
    "server.store": {"server.complaints", "server.descriptors"},
    "server.work": {*KERNEL, *RULES},
    "server.rulesets.first_form": set(),
    "server.matches.log": {*WIRE, *KERNEL, *FIRST_FORM, "server.work", "server.store"},
    "server.matches.play": {*WIRE, *KERNEL, *LOG},
    "server.matches.projections": {*WIRE, *KERNEL, *PLAY},
    "server.matches.setup": {*WIRE, *KERNEL, *PLAY},
    "server.matches.verify": {*WIRE, *KERNEL, *PLAY},
    "server.matches": {*WIRE, *KERNEL, *PURE, "server.complaints"},
    "server.feed": {*WIRE, *KERNEL, *PURE, "server.matches", "server.leagues", *LEAGUES},
    "server.players": {*WIRE, "server.store"},
    "server.notices": {
        *WIRE,
        *KERNEL,
        *LOG,
        "server.matches",
        "server.players",
        "server.feed",
        "server.leagues",
        *LEAGUES,
    },
    "server.load": {*WIRE, "client_protocol.client"},
    "server.moderation": {*WIRE, *KERNEL, *PURE, "server.matches"},
    "server.leagues": {*WIRE, *KERNEL, *PLAY, "server.matches.projections", "server.matches", *LEAGUES},
    "server.leagues.log": {*WIRE, *KERNEL, "server.leagues.rules", "server.matches.log"},
    "server.leagues.verify": {*WIRE, *KERNEL, *LOG, *CHECKS, *LEAGUES, "server.leagues"},
    "server.leagues.rules": WIRE,
    "server.gateway": {
        *WIRE,
        *KERNEL,
        *PURE,
        "server.matches",
        "server.moderation",
        "server.leagues",
        *LEAGUES,
        "server.complaints",
    },
}
"""What each room may import, besides itself. The top floor of `server` and its commands put everything together."""


def rooms() -> list[str]:
    return sorted(BUILT_ON, key=len, reverse=True)


def room_of(module: str) -> str:
    """The innermost room in which a module stands; the module itself on the top floor."""
    return next((room for room in rooms() if module == room or module.startswith(f"{room}.")), module)


def imports(file: Path) -> Iterator[str]:
    """The modules of ours that a file imports, wherever it does so."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            for name in node.names:
                inner = f"{node.module}.{name.name}"
                path = ROOT / inner.replace(".", "/")
                yield inner if path.with_suffix(".py").is_file() or path.is_dir() else node.module


def modules() -> list[tuple[str, Path]]:
    found = []
    for top in ("server", "client_protocol"):
        for file in sorted((ROOT / top).rglob("*.py")):
            name = ".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
            found.append((name, file))
    return found


@pytest.mark.parametrize("room", sorted(BUILT_ON))
def test_a_room_imports_only_what_it_is_built_on(room: str) -> None:
    wrong = [
        f"{name} imports {imported}"
        for name, file in modules()
        if room_of(name) == room
        for imported in imports(file)
        if imported.split(".")[0] in ("server", "client_protocol")
        if room_of(imported) != room and room_of(imported) not in BUILT_ON[room]
    ]
    assert wrong == []


def test_every_folder_of_the_server_is_a_room_or_stands_in_one() -> None:
    folders = {name for name, file in modules() if file.name == "__init__.py"} - {"server", "server.commands"}
    assert {name for name in folders if room_of(name) == name} <= set(BUILT_ON)
