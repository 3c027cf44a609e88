"""Roll-offs: one die for each side, the highest wins. They decide initiative and who deploys first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeVar

from client_protocol.explained import Explained, Line
from server.kernel.facts import Rolled
from server.kernel.procedure import Game, Steps, roll
from server.kernel.questions import total
from server.kernel.state import State

R = TypeVar("R")

Place = Literal["highest", "lowest", "every"]
"""Which places of a roll-off only one side may take: the highest, the lowest, or every one."""


def throw(
    game: Game[R], purpose: str, rule: str, sides: Sequence[str] = (), modifiers: Mapping[str, int] | None = None
) -> Steps[dict[str, int]]:
    """Roll one die for each of `sides` (default: all), add its modifier, and return the scores by side. Draws stand.

    `rule` is the rule that asks for the roll, and `modifiers` says what is added to a side's die.
    """
    rolling = list(sides or game.state.sides)
    faces = yield from roll(len(rolling), purpose=purpose)
    scores = {side: face + (modifiers or {}).get(side, 0) for side, face in zip(rolling, faces, strict=True)}
    best = [side for side in rolling if scores[side] == max(scores.values())]
    yield Rolled(
        purpose=purpose,
        rule=rule,
        faces=faces,
        marks=tuple("kept" if [side] == best else "" for side in rolling),
        numbers=_numbers(game.state, rule, dict(zip(rolling, faces, strict=True)), modifiers),
        outcome=best[0] if len(best) == 1 else "",
    )
    return scores


def _numbers(
    state: State, rule: str, faces: Mapping[str, int], modifiers: Mapping[str, int] | None
) -> tuple[Explained, ...]:
    """Return each rolling side's score, labelled with the side's name; empty where the dice alone say it: all roll without
    modifiers.
    """
    if len(faces) == len(state.sides) and not any((modifiers or {}).values()):
        return ()
    numbers = []
    for side, face in faces.items():
        lines = [Line("SET", face, state.sides[side].name, rule)]
        if (modifiers or {}).get(side):
            lines.append(Line("ADD", (modifiers or {})[side], "modifier", rule))
        numbers.append(total(lines))
    return tuple(numbers)


def roll_off(
    game: Game[R],
    purpose: str,
    rule: str,
    alone: Place = "every",
    sides: Sequence[str] = (),
    modifiers: Mapping[str, int] | None = None,
) -> Steps[list[str]]:
    """Roll off among `sides` (default: all) and return them in order, highest first.

    Sides that draw for a place which only one side may take (`alone`) roll again among themselves until the draw is broken.
    Other draws stand, in the order of the sides.
    """
    rolling = list(sides or game.state.sides)
    scores = yield from throw(game, purpose, rule, rolling, modifiers)
    order: list[str] = []
    for score in sorted(set(scores.values()), reverse=True):
        drawn = [side for side in rolling if scores[side] == score]
        contested = {"highest": score == max(scores.values()), "lowest": score == min(scores.values()), "every": True}
        if len(drawn) > 1 and contested[alone]:
            drawn = yield from roll_off(game, purpose, rule, alone, drawn, modifiers)
        order += drawn
    return order
