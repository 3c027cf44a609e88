"""The archive: `python -m tests.archive --write` records the games that are not in it yet, and writes the texts again.

Recorded games are never changed: they were played under older rules, and must stay readable.
"""

from __future__ import annotations

import argparse
import json

from server.matches.log.match_file import export
from tests.archive.files import GOLDEN, SUMS, file_of, known_sums, name_of, text_of, written
from tests.archive.games import GAMES, played
from tests.archive.states import sums


def main() -> None:
    """Compare the archive with what would be written, or write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write what is missing; otherwise only tell")
    write = parser.parse_args().write
    known = known_sums()
    for edition, games in GAMES.items():
        for game in games:
            file = file_of(edition, game)
            if not file.is_file():
                print(f"{name_of(edition, game)}: {'recorded' if write else 'missing'}")
                if write:
                    entries = played(edition, game).entries
                    file.parent.mkdir(exist_ok=True)
                    file.write_bytes(export(entries))
                    known[name_of(edition, game)] = sums(entries)
    if not write:
        return
    SUMS.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    for edition, game in GOLDEN.items():
        written(edition, game).write_text(text_of(edition, game), encoding="utf-8")


if __name__ == "__main__":
    main()
