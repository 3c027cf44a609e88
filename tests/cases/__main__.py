"""Writes anew what comes of the cases: `python -m tests.cases --write`."""

from __future__ import annotations

from tests.cases.resolved import CASES, path, text
from tests.support.golden_texts import write_or_compare

if __name__ == "__main__":
    write_or_compare(__doc__, CASES, path, text)
