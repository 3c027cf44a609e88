"""One die for each side, the higher the better: initiative, and who deploys first."""

from __future__ import annotations

from server.kernel.facts import Rolled
from server.kernel.procedure import Steps, roll
from server.rulesets.fad.game import FadGame


def roll_off(game: FadGame, purpose: str, rule: str) -> Steps[tuple[int, ...]]:
    """One die for each side; returns the faces in the sides' order."""
    sides = list(game.state.sides)
    faces = yield from roll(len(sides))
    best = max(faces)
    marks = tuple("kept" if face == best and faces.count(best) == 1 else "" for face in faces)
    outcome = "" if faces.count(best) > 1 else sides[faces.index(best)]
    yield Rolled(purpose=purpose, rule=rule, faces=faces, marks=marks, outcome=outcome)
    return faces
