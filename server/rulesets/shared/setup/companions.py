"""What comes with an edition's scenarios and changes no rule: the guided battle, and how evenly scenarios are won."""

from __future__ import annotations

import hashlib
import json
from importlib.resources.abc import Traversable
from typing import TypeVar

import msgspec
from msgspec import Struct

from client_protocol.from_server import Balance, Lesson
from server.kernel.errors import RulesetError
from server.rulesets.shared.setup.rows import UNREADABLE, read

GUIDE, GUIDED, BALANCE = "guide.toml", "guided", "balance.toml"
T = TypeVar("T")


class Measured(Struct, frozen=True, forbid_unknown_fields=True):
    """How a scenario came out between equal programs.

    Attributes:
        scenario: the digest of the scenario as it was then: of one that has changed since, nothing is known.
        program: the program that played all sides.
        games: how many games were played.
        won: how many of them each seat won; the others were drawn.
        seeds: the seeds of the games, from the first to the last.
        date: when they were played, as YYYY-MM-DD.
    """

    scenario: str
    program: str
    games: int
    won: dict[str, int]
    seeds: tuple[int, int]
    date: str


class GuideFile(Struct, frozen=True, forbid_unknown_fields=True):
    """A `guide.toml`: the guided battle's scenario, one of the folder `guided`, and its lessons."""

    scenario: str
    lessons: tuple[Lesson, ...]


def read_guide(folder: Traversable) -> GuideFile | None:
    """Return the guided battle of an edition, if its folder has one. Raises `RulesetError` if it cannot be read."""
    return _read(folder / GUIDE, GuideFile)


def read_measured(folder: Traversable) -> dict[str, Measured]:
    """Return the measurements of an edition's scenarios, by scenario. Raises `RulesetError` if they cannot be read."""
    return _read(folder / BALANCE, dict[str, Measured]) or {}


def _read(path: Traversable, kind: type[T]) -> T | None:
    """Return what a file says; None: it is not there."""
    if not path.is_file():
        return None
    try:
        return msgspec.convert(read(path), kind)
    except UNREADABLE as error:
        raise RulesetError(f"{path.name}: {error}") from error


def digests(folder: Traversable) -> dict[str, str]:
    """Return the digest of what each scenario of a folder says to the rules, by scenario: texts and their order do not count."""
    found = {}
    for path in (folder / "scenarios").iterdir():
        if path.name.endswith(".toml"):
            held = {key: value for key, value in read(path).items() if key not in {"name", "summary", "minutes"}}
            text = json.dumps(held, sort_keys=True, default=str)
            found[str(held["id"])] = hashlib.sha256(text.encode()).hexdigest()[:16]
    return found


def balances(folder: Traversable) -> dict[str, Balance]:
    """Return how evenly the scenarios are won that stand as they were measured, by scenario."""
    measured = read_measured(folder)
    now = digests(folder) if measured else {}
    return {
        key: Balance(one.games, one.won, one.program) for key, one in measured.items() if now.get(key) == one.scenario
    }
