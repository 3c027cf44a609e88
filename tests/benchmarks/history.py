"""Runs that are kept in a file, so that a later run can be compared with them."""

from __future__ import annotations

import datetime as dt
import platform
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from server import compiled
from tests.benchmarks.lines import Line


class Figure(Struct, frozen=True, omit_defaults=True):
    """A measured figure of ours in seconds, bytes or per second, and that of the floor in the same run."""

    what: str
    ours: float
    floor: float | None = None


class Kept(Struct, frozen=True, forbid_unknown_fields=True):
    """A run: when and where it was made, and its figures.

    Attributes:
        date: when it ended, in ISO 8601.
        python: the version of Python.
        machine: the system and the processor.
        figures: in the order in which they were printed.
        compiled: whether the rules were compiled, as `make bench` has it wherever it can.
    """

    date: str
    python: str
    machine: str
    figures: tuple[Figure, ...]
    compiled: bool = True


class HistoryError(Exception):
    """A file that holds no run. The message is a sentence for the person who measures."""


def kept(lines: Sequence[Line], now: dt.datetime) -> Kept:
    """Return a run as it is kept."""
    figures = tuple(Figure(line.what, line.ours, line.floor) for line in lines)
    machine = f"{platform.system()} {platform.machine()}"
    return Kept(now.isoformat(timespec="seconds"), platform.python_version(), machine, figures, not compiled.WHY_NOT)


def save(run: Kept, path: Path) -> None:
    """Write a run into a file. Raises `OSError`."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(run), indent=1) + b"\n")


def load(path: Path) -> Kept:
    """Read a run from a file. Raises `HistoryError`."""
    try:
        return msgspec.json.decode(path.read_bytes(), type=Kept)
    except OSError as error:
        raise HistoryError(f"{path} cannot be read: {error.strerror}.") from None
    except msgspec.DecodeError as error:
        raise HistoryError(f"{path} holds no run of the benchmarks: {error}.") from None


def compared(lines: Sequence[Line], before: Kept) -> list[str]:
    """Return a line of text for each figure that both runs have: then, now, and their ratio.

    Two runs are seldom made at the same speed of the machine. Where both have a floor, the ratios to it are compared, in
    which the speed cancels out.
    """
    known = {figure.what: figure for figure in before.figures}
    rows = [f"{'what':<64} {'then':>13} {'now':>13} {'now/then':>9} {'to the floor':>13}"]
    for line in lines:
        then = known.get(line.what)
        if then is None or not then.ours:
            continue
        plain = f"{line.ours / then.ours:.2f}"
        cancelled = ""
        if line.floor and then.floor:
            cancelled = f"{line.ours / line.floor / (then.ours / then.floor):.2f}"
        rows.append(f"{line.what:<64} {line.unit(then.ours):>13} {line.unit(line.ours):>13} {plain:>9} {cancelled:>13}")
    return rows
