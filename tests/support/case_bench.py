"""Cases written and run as `underfire resolve` runs them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from server.cli import main
from server.kernel.cases.schema import FORMAT

Row = dict[str, Any]

SIDES = [
    {"id": "blue", "name": "Blue", "letter": "B", "shape": "circle"},
    {"id": "red", "name": "Red", "letter": "R", "shape": "square"},
]


FIRE = {"seat": "blue", "choice": "open-fire", "values": [{"unit": "red"}]}


def unit(side: str, y: float, **other: object) -> dict[str, object]:
    """Return three figures in a row."""
    return {
        "id": side,
        "side": side,
        "name": side.title(),
        "quality": "regular",
        "resolve": "steady",
        "small_arm": "assault-rifle",
        "armour": "light",
        "figures": 3,
        "at": [[10, y], [13, y], [16, y]],
        **other,
    }


SETUP: dict[str, object] = {
    "format": "underfire setup 1",
    "edition": "fad4",
    "id": "two",
    "name": "Two squads",
    "side": SIDES,
    "unit": [unit("blue", 10), unit("red", 20)],
    "turn": {"number": 1, "phase": "activations", "first": "blue", "active": "blue"},
}
ACTIVATE = {"seat": "blue", "choice": "activate", "values": [{"unit": "blue"}]}


class Ran(Struct, frozen=True):
    """The output of `underfire resolve`: the steps, the last line, the sentences on standard error, and the exit status."""

    code: int
    steps: list[Row]
    end: Row
    errors: list[str]


class Bench:
    """Writes cases and runs them."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self.setup: Row = dict(SETUP)
        self._capsys = capsys

    def resolve(self, answers: Sequence[Row], dice: Sequence[int | Row], **other: object) -> list[Row]:
        """Return the steps of a case that runs."""
        ran = self.run(answers, dice, **other)
        assert ran.code == 0, ran.errors
        return ran.steps

    def fails(self, answers: Sequence[Row], dice: Sequence[int | Row], **other: object) -> str:
        """Return the sentence of a case that does not run."""
        ran = self.run(answers, dice, **other)
        assert ran.code == 1
        (error,) = ran.errors
        return error

    def run(self, answers: Sequence[Row], dice: Sequence[int | Row], *flags: str, **other: object) -> Ran:
        """Run the case of these answers and dice, in a setup of two squads; `other` are fields of the case."""
        return self.run_file({"format": FORMAT, "setup": SETUP, "answer": answers, "dice": dice, **other}, *flags)

    def run_file(self, case: Row, *flags: str) -> Ran:
        """Run a case as it is."""
        path = self.folder / "case.json"
        path.write_text(json.dumps(case), encoding="utf-8")
        code = main(["resolve", *flags, str(path)])
        out, err = self._capsys.readouterr()
        rows = [json.loads(line) for line in out.splitlines()]
        assert all(("step" in row) == (row is not rows[-1]) for row in rows), "the last line is where it ends"
        errors = [line.removeprefix("underfire: ") for line in err.splitlines()]
        return Ran(code, rows[:-1], rows[-1] if rows else {}, errors)
