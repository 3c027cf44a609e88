"""Roll-offs among more than two sides."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from server.kernel.facts import Rolled
from server.kernel.procedure import Game, Steps
from server.rulesets.shared.roll_off import Place, roll_off
from server.rulesets.shared.words.narration import roll_off_text
from tests.rulesets.shared.three_sides import Play, table


def rolled(alone: Place, dice: list[int], modifiers: dict[str, int] | None = None) -> tuple[list[str], list[Rolled]]:
    """Return the order that results from these dice, and the rolls."""
    found: list[list[str]] = []

    def procedure(game: Game[Any]) -> Steps[None]:
        found.append((yield from roll_off(game, "initiative", "turn.initiative", alone, modifiers=modifiers)))

    todo: Iterator[Any] = iter([procedure])
    play = Play(table(), lambda game: next((one(game) for one in todo), None), dice)
    return found[0], [fact for fact in play.facts if isinstance(fact, Rolled)]


def test_the_order_of_a_roll_off_follows_the_dice() -> None:
    order, rolls = rolled("every", [2, 6, 3])
    assert order == ["red", "green", "blue"]
    assert rolls == [
        Rolled("initiative", "turn.initiative", (2, 6, 3), marks=("", "kept", ""), outcome="red"),
    ]


def test_only_sides_that_draw_roll_again() -> None:
    order, rolls = rolled("every", [5, 2, 5, 4, 4, 1, 3])
    assert order == ["green", "blue", "red"]
    assert [roll.faces for roll in rolls] == [(5, 2, 5), (4, 4), (1, 3)]
    assert [roll_off_text(table(), roll, "Initiative") for roll in rolls] == [
        "Initiative: Blue 5, Red 2, Green 5 – a draw.",
        "Initiative: Blue 4, Green 4 – a draw.",
        "Initiative: Blue 1, Green 3.",
    ]


def test_a_draw_for_a_place_that_may_be_shared_stands() -> None:
    assert rolled("highest", [6, 2, 2])[0] == ["blue", "red", "green"]
    order, rolls = rolled("lowest", [6, 2, 2, 5, 1])
    assert order == ["blue", "red", "green"]
    assert len(rolls) == 2
    assert len(rolled("lowest", [6, 6, 2])[1]) == 1


def test_modifiers_of_a_roll_off_count_and_are_listed() -> None:
    order, rolls = rolled("every", [5, 4, 1], {"red": 2})
    assert order == ["red", "blue", "green"]
    assert [number.value for number in rolls[0].numbers] == [5, 6, 1]
    assert roll_off_text(table(), rolls[0], "Initiative") == "Initiative: Blue 5, Red 6, Green 1."
