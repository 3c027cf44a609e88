"""`python -m tests.benchmarks`: measure, and print a line each."""

from __future__ import annotations

import argparse
import platform
import time

from server.rulesets.library import EDITIONS, editions
from tests.benchmarks import cores, lines, parts


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a short run: less is measured, and it is less certain")
    parser.add_argument("--only", choices=parts.PARTS, nargs="+", default=parts.PARTS, help="some parts alone")
    parser.add_argument("--edition", choices=EDITIONS, nargs="+", default=list(editions()), help="some editions alone")
    flags = parser.parse_args()
    core = cores.server_core()
    cores.take_load_core()
    cores.allow_many_files()
    where = "servers on one core, load on the other" if core >= 0 else "servers and load where the system puts them"
    size = parts.QUICK if flags.quick else parts.FULL
    print(f"Python {platform.python_version()} on {platform.system()} {platform.machine()}; {where}.")
    print(f"Medians of {size.rounds} rounds in which ours and the floor take turns. Ratios travel, figures do not.\n")
    print(lines.HEAD, flush=True)
    began = time.monotonic()
    measured = []
    for line in parts.lines(size, core, flags.only, flags.edition):
        measured.append(line)
        print(line.text(), flush=True)
    met = sum(line.met for line in measured)
    print(f"\n{met} of {len(measured)} aims met; {time.monotonic() - began:.0f} s.")


if __name__ == "__main__":
    main()
