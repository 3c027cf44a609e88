"""Writes the playthroughs anew: `python -m tests.playthroughs --write`.

There is one of each scenario of each edition, tests/playthroughs/<edition>/<scenario>.txt. The options and the seed with which
a scenario is played may stand in tests/playthroughs/<edition>/games.toml; else it is played as it is, with seed 0.
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from server.rulesets.library import edition, every_edition
from tests.playthroughs.telling import playthrough
from tests.support.golden_texts import write_or_compare

FOLDER = Path(__file__).parent
GAMES = [f"{name}/{scenario.id}" for name, rules in every_edition().items() for scenario in rules.info.scenarios]
"""Every scenario, behind its edition."""


def path(game: str) -> Path:
    """Where a game's text stands."""
    return FOLDER / f"{game}.txt"


def text(game: str) -> str:
    """A game's text as it comes out now."""
    name, _, scenario = game.partition("/")
    rules = edition(name)
    settled = _settled(name).get(scenario, {})
    return playthrough(rules, rules.open(scenario, settled.get("options", {})), settled.get("seed", 0))


def _settled(name: str) -> dict[str, Any]:
    games = FOLDER / name / "games.toml"
    return tomllib.loads(games.read_text(encoding="utf-8")) if games.is_file() else {}


if __name__ == "__main__":
    write_or_compare(__doc__, GAMES, path, text)
