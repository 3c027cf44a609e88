"""`underfire` with one edition taken for unfinished, since none need be: `python -m tests.support.with_unfinished serve ...`."""

from __future__ import annotations

import sys

from server.rulesets import library

EDITION = "fubar4"
"""The edition that stands in for an unfinished one."""

PROGRAM = (sys.executable, "-m", "tests.support.with_unfinished")
"""How it is called."""


def main() -> int:
    """Do what `underfire` does."""
    library.UNFINISHED = frozenset({EDITION})
    # It reads the name when it is imported.
    from server.cli import main as underfire  # noqa: PLC0415

    return underfire()


if __name__ == "__main__":
    sys.exit(main())
