"""Where the archive is, and what is in it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from server.kernel.belief import EVERYTHING
from server.kernel.facts import Fact
from server.matches.log.entries import Opened, Stepped, decode
from server.matches.log.match_file import read
from server.matches.projections.notation import notation
from server.rulesets.library import edition as rules_of

FOLDER = Path(__file__).parent
SUMS = FOLDER / "hashes.json"
GOLDEN = {"fad4": "crossroads-taken-back", "fubar4": "hedges-taken-back"}
"""The game of each edition that is kept as a text too."""

RECORDED = sorted((file.parent.name, file.stem) for file in FOLDER.glob("*/*.underfire"))
"""Every recorded game: its edition and its name."""


def name_of(edition: str, game: str) -> str:
    """What a game is called among the sums."""
    return f"{edition}/{game}"


def file_of(edition: str, game: str) -> Path:
    """The file of a game."""
    return FOLDER / edition / f"{game}.underfire"


def entries_of(edition: str, game: str) -> tuple[bytes, ...]:
    """The log of a game."""
    return read(file_of(edition, game).read_bytes()).entries


def facts_of(edition: str, game: str) -> Iterator[Fact]:
    """The facts of every step of a game, also of those that were taken back."""
    for number, payload in enumerate(entries_of(edition, game), 1):
        body = decode(number, payload).body
        for step in body.since if isinstance(body, Opened) else (body,):
            if isinstance(step, Stepped):
                yield from step.facts


def known_sums() -> dict[str, dict[str, str]]:
    """The sums of all games, by name and by entry."""
    found: dict[str, dict[str, str]] = json.loads(SUMS.read_text(encoding="utf-8")) if SUMS.is_file() else {}
    return found


def written(edition: str, game: str) -> Path:
    """The text of a game."""
    return FOLDER / edition / f"{game}.txt"


def text_of(edition: str, game: str) -> str:
    """A game as a text for people."""
    return notation(rules_of(edition), entries_of(edition, game), EVERYTHING)
