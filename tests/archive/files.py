"""The files of the archive."""

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
GOLDEN = {"fad4": "crossroads-taken-back", "fad5": "orchards-taken-back", "fubar4": "hedges-taken-back"}
"""The game of each edition that is also kept as a text."""

RECORDED = sorted((file.parent.name, file.stem) for file in FOLDER.glob("*/*.underfire"))
"""Every recorded game, as its edition and its name."""


def name_of(edition: str, game: str) -> str:
    """Return the name of a game in the file of sums."""
    return f"{edition}/{game}"


def file_of(edition: str, game: str) -> Path:
    """Return the file of a game."""
    return FOLDER / edition / f"{game}.underfire"


def entries_of(edition: str, game: str) -> tuple[bytes, ...]:
    """Return the entries of a game."""
    return read(file_of(edition, game).read_bytes()).entries


def facts_of(edition: str, game: str) -> Iterator[Fact]:
    """Return the facts of every step of a game, including steps that were taken back."""
    for number, payload in enumerate(entries_of(edition, game), 1):
        body = decode(number, payload).body
        for step in body.since if isinstance(body, Opened) else (body,):
            if isinstance(step, Stepped):
                yield from step.facts


def known_sums() -> dict[str, dict[str, str]]:
    """Return the sums of all games, by name and by entry."""
    found: dict[str, dict[str, str]] = json.loads(SUMS.read_text(encoding="utf-8")) if SUMS.is_file() else {}
    return found


def written(edition: str, game: str) -> Path:
    """Return the text of a game, as it is stored."""
    return FOLDER / edition / f"{game}.txt"


def text_of(edition: str, game: str) -> str:
    """Return a game as a text for people."""
    return notation(rules_of(edition), entries_of(edition, game), EVERYTHING)
