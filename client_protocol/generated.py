"""Files that are generated from the message structs: written by a command, compared by `--check`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def write_or_check(module: str, about: str, target: Path, text: str, arguments: list[str] | None = None) -> int:
    """Run the command of a generator: write the file, or with `--check` only compare it.

    Args:
        module: the generator, as `python -m` names it.
        about: its purpose, in a line.
        target: the file.
        text: the wanted content of the file.
        arguments: those of the command line; None for the process's own.

    Returns:
        The exit code: 1 when `--check` finds the file out of date, else 0.
    """
    parser = argparse.ArgumentParser(prog=f"python -m {module}", description=about)
    parser.add_argument("--check", action="store_true", help="compare only; end with 1 when the file is out of date")
    checking: bool = parser.parse_args(arguments).check
    if not checking:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
        return 0
    if target.is_file() and target.read_text(encoding="utf-8") == text:
        return 0
    print(f"{target.name} is out of date: run `python -m {module}`.", file=sys.stderr)
    return 1
