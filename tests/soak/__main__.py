"""A soak by hand, and its figures."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.soak.soak import soak


def main() -> int:
    """Run, print the figures, and say with the exit code whether anything was wrong."""
    words = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    words.add_argument("--seconds", type=float, default=60, help="how long harm is done (60)")
    words.add_argument("--seed", type=int, default=1, help="what happens follows from it (1)")
    words.add_argument("--keep", type=Path, help="an empty folder for logs and what was found, which is kept")
    asked = words.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        where = asked.keep or Path(folder)
        where.mkdir(parents=True, exist_ok=True)
        report = asyncio.run(soak(where, asked.seconds, asked.seed, lambda line: print(line, flush=True)))
    print(report)
    return 1 if report.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
