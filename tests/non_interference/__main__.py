"""Compare many pairs of worlds by hand. What was done is kept in a file, so that a run that was stopped can go on."""

from __future__ import annotations

import argparse
import logging
import tempfile
import time
from pathlib import Path

import msgspec
import uvloop

from tests.non_interference.pairs import Figures
from tests.non_interference.running import quick_valkey, run

REPORT_SECONDS = 60.0


class Done(msgspec.Struct):
    """How far a run has come: the next seed, and the figures up to there."""

    next: int
    seconds: float
    figures: Figures


async def main() -> None:
    """Run, and print the figures."""
    words = argparse.ArgumentParser(prog="python -m tests.non_interference", description=__doc__)
    words.add_argument("--pairs", type=int, default=1000, help="how many pairs are to be compared (1000)")
    words.add_argument("--seed", type=int, default=0, help="the first game's seed; each game has the next one (0)")
    words.add_argument(
        "--state", type=Path, help="a file in which it is kept how far the run has come, to go on from there"
    )
    asked = words.parse_args()
    logging.disable(logging.WARNING)
    done = Done(asked.seed, 0.0, Figures())
    if asked.state is not None and asked.state.exists():
        done = msgspec.json.decode(asked.state.read_bytes(), type=Done, dec_hook=lambda kind, value: kind(value))
    began, before, told = time.monotonic(), done.seconds, 0.0
    with tempfile.TemporaryDirectory() as folder:
        async with quick_valkey(Path(folder)) as url:
            async for seed, figures in run(url, done.next, asked.pairs - done.figures.pairs):
                done.figures.add(figures)
                done.next, done.seconds = seed + 1, before + time.monotonic() - began
                if done.seconds - told > REPORT_SECONDS:
                    told = done.seconds
                    _keep(asked.state, done)
                    print(f"{done.figures.pairs:,} pairs after {done.seconds:,.0f} s", flush=True)
    _keep(asked.state, done)
    print(_told(asked.seed, done))


def _keep(file: Path | None, done: Done) -> None:
    if file is not None:
        part = file.with_suffix(".part")
        part.write_bytes(msgspec.json.encode(done))
        part.replace(file)


def _told(seed: int, done: Done) -> str:
    figures = done.figures
    lines = [
        f"{figures.pairs:,} pairs of worlds from the seeds {seed} to {done.next - 1} in {done.seconds:,.0f} s: no difference.",
        f"{figures.same:,} more moments were the same in both worlds by chance, and are not counted.",
    ]
    for title, counted in (
        ("Games", figures.games),
        ("Secrets", figures.secrets),
        ("Frames compared", figures.compared),
    ):
        lines.append(f"{title}:")
        lines += [f"{number:>12,}  {name}" for name, number in sorted(counted.items(), key=lambda item: -item[1])]
    return "\n".join(lines)


if __name__ == "__main__":
    uvloop.run(main())
