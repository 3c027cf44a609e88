"""Writes the playthroughs anew: `python -m tests.playthroughs --write`."""

from __future__ import annotations

import argparse
from pathlib import Path

from server.rulesets.library import edition
from tests.playthroughs.telling import playthrough

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


def main() -> None:
    """Write the texts, or say which of them would change."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write them; otherwise only compare")
    write = parser.parse_args().write
    for scenario in GAMES:
        now = text(scenario)
        same = path(scenario).is_file() and path(scenario).read_text(encoding="utf-8") == now
        if write and not same:
            path(scenario).write_text(now, encoding="utf-8")
        print(f"{path(scenario).name}: {'as it was' if same else 'written' if write else 'would change'}")


if __name__ == "__main__":
    main()
