"""Golden texts: written by a command, compared by a test."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path


def write_or_compare(
    about: str | None, names: Iterable[str], path: Callable[[str], Path], text: Callable[[str], str]
) -> None:
    """Run the command: with `--write` write each name's text to its path, otherwise say which would change. `about` is its
    help.
    """
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--write", action="store_true", help="write them; otherwise only compare")
    write = parser.parse_args().write
    for name in names:
        now = text(name)
        same = path(name).is_file() and path(name).read_text(encoding="utf-8") == now
        if write and not same:
            path(name).parent.mkdir(parents=True, exist_ok=True)
            path(name).write_text(now, encoding="utf-8")
        print(f"{name}: {'as it was' if same else 'written' if write else 'would change'}")
