"""A soak by hand, and its figures."""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
from pathlib import Path

from tests.soak.sites import DATABASES
from tests.soak.soak import soak


def main() -> int:
    """Run, print the figures, and say with the exit code whether anything was wrong."""
    words = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__)
    words.add_argument("--seconds", type=float, default=60, help="how long harm is done, in all (60)")
    words.add_argument("--seed", type=int, default=1, help="what happens follows from it (1)")
    words.add_argument("--keep", type=Path, help="an empty folder for logs and what was found, which is kept")
    words.add_argument(
        "--database",
        choices=DATABASES,
        nargs="+",
        default=DATABASES,
        help="whose the servers' database is: their own, or one of its own; each has its share of the time (both)",
    )
    asked = words.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        for database in asked.database:
            where = (asked.keep or Path(folder)) / database
            where.mkdir(parents=True, exist_ok=True)
            seconds = asked.seconds / len(asked.database)
            report = asyncio.run(soak(where, seconds, asked.seed, database, lambda line: print(line, flush=True)))
            print(report, flush=True)
            wrong += len(report.wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
