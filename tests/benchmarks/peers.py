"""How other systems stand at what is measured: figures that were measured once, with their date and machine."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from tests.benchmarks.lines import Line, per_second

FILE = Path(__file__).with_name("peers.toml")


class PeerFigure(Struct, frozen=True, forbid_unknown_fields=True):
    """A peer's figure in seconds, bytes or per second; `what` is how the lines begin that it stands next to."""

    what: str
    peer: str
    value: float


class Peers(Struct, frozen=True, forbid_unknown_fields=True):
    """The peers' figures, and when and where they were measured."""

    date: str
    machine: str
    figure: tuple[PeerFigure, ...]


def load() -> Peers:
    """Read the figures."""
    return msgspec.toml.decode(FILE.read_bytes(), type=Peers)


def told(lines: Sequence[Line], peers: Peers) -> Iterator[str]:
    """Yield how the peers stand at each aim, and wherever else they were measured: by how much ours is ahead (above 1) or
    behind.
    """
    for line in lines:
        figures = [figure for figure in peers.figure if line.what.startswith(f"{figure.what},")]
        if figures:
            yield f"{line.what}: {line.unit(line.ours)}"
        elif line.aim:
            yield f"{line.what}: {line.unit(line.ours)}; no peer was measured"
        for figure in figures:
            less_is_better = line.unit is not per_second
            ahead = figure.value / line.ours if less_is_better else line.ours / figure.value
            yield f"    {figure.peer:<44} {line.unit(figure.value):>13}   {ahead:.2g} x"
