"""`python -m tests.benchmarks`: measure, and print a line each."""

from __future__ import annotations

import argparse
import compileall
import datetime as dt
import platform
import sys
import time
from pathlib import Path

from server.rulesets.library import EDITIONS, editions
from tests.benchmarks import cores, history, lines, parts, peers, seeds

ROOT = Path(__file__).resolve().parents[2]


def _install() -> None:
    """Keep what an installed server has: the bytecode, and the versions of the rules. What a server works out as it starts leaves
    memory free, which its matches then fill, so that they seem to take less.
    """
    sys.dont_write_bytecode = False
    for package in ("server", "client_protocol", "tests"):
        compileall.compile_dir(ROOT / package, quiet=1)
    for rules in editions().values():
        print(f"{rules.info.name}: {rules.version}")  # worked out once for an installation


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short run: less is measured, and it is less certain")
    parser.add_argument("--only", choices=parts.PARTS, nargs="+", default=parts.PARTS, help="some parts alone")
    parser.add_argument("--edition", choices=EDITIONS, nargs="+", default=list(editions()), help="some editions alone")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the figures in a file")
    parser.add_argument("--against", type=Path, metavar="FILE", help="compare with the figures of an earlier run")
    flags = parser.parse_args()
    try:
        before = history.load(flags.against) if flags.against else None
    except history.HistoryError as error:
        parser.error(str(error))
    _install()
    core = cores.server_core()
    cores.take_load_core()
    cores.allow_many_files()
    where = "servers on one core, load on the other" if core >= 0 else "servers and load where the system puts them"
    size = parts.QUICK if flags.quick else parts.FULL
    print(f"Python {platform.python_version()} on {platform.system()} {platform.machine()}; {where}.")
    print(f"Medians of {size.rounds} rounds in which ours and the floor take turns. Ratios travel, figures do not.")
    print("Of the rules alone: each game's best time of all rounds.")
    print(f"{seeds.text(size.games, size.alone, size.matches)}\n")
    print(lines.HEAD, flush=True)
    began = time.monotonic()
    measured = []
    for line in parts.lines(size, core, flags.only, flags.edition):
        measured.append(line)
        print(line.text(), flush=True)
    aimed = [line for line in measured if line.aim]
    met = sum(line.met for line in aimed)
    print(f"\n{met} of {len(aimed)} aims met; {time.monotonic() - began:.0f} s.")
    known = peers.load()
    print(f"\nPeers, measured on {known.date} on {known.machine}; above 1 x we are ahead:")
    print("\n".join(peers.told(measured, known)))
    if before:
        form = "compiled" if before.compiled else "uncompiled"
        print(f"\nAgainst {flags.against}: {before.date}, Python {before.python}, {before.machine}, geometry {form}")
        print("\n".join(history.compared(measured, before)))
    if flags.save:
        history.save(history.kept(measured, dt.datetime.now(dt.UTC)), flags.save)
        print(f"\nKept in {flags.save}.")


if __name__ == "__main__":
    main()
