"""Writes the playthroughs anew: `python -m tests.playthroughs --write`."""

from __future__ import annotations

from pathlib import Path

from server.rulesets.library import edition
from tests.playthroughs.telling import playthrough
from tests.support.golden_texts import write_or_compare

FOLDER = Path(__file__).parent
GAMES = {
    "crossroads-patrol": ({"deployment": "turns"}, 0),
    "ridge-farm": ({"deployment": "blind"}, 3),
    "hold-the-relay": ({"deployment": "turns"}, 17),
}
"""Scenario: the options that are chosen, and the seed."""


def path(scenario: str) -> Path:
    """Where a scenario's text stands."""
    return FOLDER / f"fad4-{scenario}.txt"


def text(scenario: str) -> str:
    """A scenario's text as it comes out now."""
    rules = edition("fad4")
    options, seed = GAMES[scenario]
    return playthrough(rules, rules.open(scenario, options), seed)


if __name__ == "__main__":
    write_or_compare(__doc__, GAMES, path, text)
