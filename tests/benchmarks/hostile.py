"""Inputs that delay a server: a position as crowded as the bounds allow, and the file of a long match."""

from __future__ import annotations

import math
from typing import Any

from server.kernel.desk_facts import Conceded, Said, SecretRevealed
from server.kernel.files import setups
from server.kernel.files.bounds import ALL_FIGURES, CORNERS, PIECES
from server.kernel.ruleset import Ruleset
from server.matches.log.entries import Aside, Ended
from server.matches.log.match_file import export
from tests.benchmarks.prepared import SECRET, Rehearsal


def crowded_setup(
    rules: Ruleset, scenario: str, figures: int = ALL_FIGURES, pieces: int = PIECES, squad: int = 10
) -> bytes:
    """A position with so many figures in squads of that size, the sides in two blocks, and so many pieces of terrain."""
    written: dict[str, Any] = setups.write(rules.open(scenario, {}))
    squads: dict[str, dict[str, Any]] = {}
    for unit in written["unit"]:
        if len(unit["figures"]) > 4 and not any("hull" in figure for figure in unit["figures"]):
            squads.setdefault(unit["side"], unit)
    size = 96.0
    units = []
    for number in range(figures // squad):
        side = list(squads)[number % len(squads)]
        row, column = divmod(number // len(squads), 100 // squad)
        x, y = 5 + column * 0.9 * squad, (12 + row * 4.0) if side == next(iter(squads)) else (size - 12 - row * 4.0)
        men = [
            {**squads[side]["figures"][-1], "id": str(man + 1), "at": [x + man // 2 * 1.2, y + man % 2 * 1.2]}
            for man in range(squad)
        ]
        units.append({**squads[side], "id": f"{side}-{number}", "name": f"Squad {number}", "figures": men})
    kind = next(piece["kind"] for piece in written["terrain"] if piece["sight"] == "clear")
    corners = CORNERS // max(1, pieces)
    terrain = [
        {"id": f"p{number}", "kind": kind, "name": "Copse", "outline": _ring(number, corners)}
        for number in range(pieces)
    ]
    made = {**written, "table": {"width": size, "height": size}, "unit": units, "terrain": terrain, "objective": []}
    made["turn"] = {"number": 1, "phase": "turn", "first": "", "active": ""}
    return setups.dump(made).encode()


def _ring(number: int, corners: int) -> list[list[float]]:
    row, column = divmod(number, 15)
    x, y = 8 + column * 5.5, 40 + row * 1.6
    angles = [2 * math.pi * corner / corners for corner in range(corners)]
    return [[round(x + 1.5 * math.cos(angle), 3), round(y + 0.6 * math.sin(angle), 3)] for angle in angles]


def long_file(rules: Ruleset, scenario: str, match: str, steps: int = 300, said: int = 6_000) -> bytes:
    """The file of a match that is over, of so many steps, in which so much was said between two of them."""
    rehearsal = Rehearsal(rules, scenario, match, 1)
    seats = rehearsal.referee.fold.seats
    while not rehearsal.over and len(rehearsal.entries) < steps:
        rehearsal.answer(shy=True)
    for number in range(said):
        seat = seats[number % len(seats)]
        rehearsal._add(
            Aside((Said(seat, "", f"Line {number}, and many more to come.", "table"),), seat, f"{seat}:{number}")
        )
    winner = next(side for side in rehearsal.referee.fold.state.sides.values() if side.seat != seats[0])
    if not rehearsal.over:
        rehearsal._add(Aside((Conceded(seats[0]),), seats[0]))
        rehearsal._add(Ended(winner.id, f"{seats[0]} has conceded.", "concession"))
    rehearsal._add(Aside((SecretRevealed(SECRET.hex()),)))
    return export(rehearsal.entries)
