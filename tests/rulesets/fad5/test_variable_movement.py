"""An option of a match: moves are rolled, after their owner has said where they are heading."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from client_protocol.choices import PathsDeclared, Picked
from server.kernel.belief import believed
from server.kernel.facts import Declared, MoveDeclared, Rolled, UnitMoved
from server.kernel.state import State
from tests.rulesets.fad4.assaults import assault
from tests.rulesets.fad5.battlefield import battle, facing, fad5
from tests.support.battlefield import BattleTable, lines, paths, piece, play, shifted, unit
from tests.support.lucky import holds_every_way, luck_of
from tests.support.tabletop import Row

ON = {"variable_movement": "on"}
SOUTH = unit("red", (30, 0.6), figures=1)


def squad(*more: Row, terrain: tuple[Row, ...] = (), **blue: object) -> State:
    """Return blue-1 at (6, 6), far from any enemy unless `more` brings one."""
    first = unit("blue", (6, 6), **blue)  # type: ignore[arg-type]  # as `unit` takes it
    return battle(first, *(more or (unit("red", (6, 44)),)), terrain=terrain, options=ON)


def north(state: State, choice: str, inches: float, *dice: int) -> BattleTable:
    return play(state).activates("blue-1").answers(choice, shifted(state, "blue-1", 0, inches), dice=dice)


def gone(table: BattleTable) -> int:
    """Return how far the first figure has moved north of y = 6", in mil."""
    at = table.unit("blue-1").figures["1"].at
    assert at is not None
    return at[1] - 6_000


@pytest.mark.rule("fad5/move.variable")
@pytest.mark.parametrize(
    ("blue", "dice", "inches", "marks"),
    [
        ({}, [3], 5, ("kept",)),
        ({"quality": "elite"}, [2, 5], 7, ("", "kept")),
        ({"conditions": ["under_fire"]}, [3], 3, ("kept",)),
    ],
)
def test_a_move_is_a_die_and_two_inches(
    blue: dict[str, object], dice: Sequence[int], inches: int, marks: tuple[str, ...]
) -> None:
    table = north(squad(**blue), "move-fire", 6, *dice)  # type: ignore[arg-type]  # as `unit` takes it
    roll = table.rolled("move")
    assert (roll.numbers[0].value, roll.marks, roll.rule) == (1000 * inches, marks, "move.variable")
    assert gone(table) == 1000 * min(inches, 6)


@pytest.mark.rule("fad5/move.variable-rush")
@pytest.mark.parametrize(
    ("blue", "dice", "inches", "marks"),
    [
        # The rulebook's example: 7" of 10, and no farther than 10".
        ({}, [1, 2], 7, ("kept", "kept")),
        ({}, [4, 6], 14, ("kept", "kept")),
        ({"quality": "elite"}, [6, 1, 4, 5], 13, ("", "", "kept", "kept")),
        ({"quality": "elite"}, [3, 4, 6, 1], 11, ("kept", "kept", "", "")),
        ({"conditions": ["under_fire"]}, [4, 6], 10, ("kept", "kept")),
    ],
)
def test_a_rush_is_two_dice_and_four_inches_and_elites_take_the_better_of_two_sums(
    blue: dict[str, object], dice: Sequence[int], inches: int, marks: tuple[str, ...]
) -> None:
    # Under Fire one may rush away from the enemy.
    table = north(squad(SOUTH, **blue), "move-out", 10, *dice)  # type: ignore[arg-type]  # as `unit` takes it
    roll = table.rolled("move")
    assert (roll.numbers[0].value, roll.marks, roll.rule) == (1000 * inches, marks, "move.variable-rush")
    assert gone(table) == 1000 * min(inches, 10)
    assert lines(roll.numbers[0])[:2] == [
        ("move.variable-rush", 1000 * (inches - 4 + (4 if "conditions" in blue else 0))),
        ("move.variable", 2000),
    ]


@pytest.mark.rule("fad5/move.variable")
def test_no_dice_fall_without_the_option_and_a_fall_back_is_rolled_with_it() -> None:
    plain = battle(unit("blue", (6, 6)), unit("red", (6, 44)))
    assert north(plain, "move-fire", 6).seen(Rolled) == []
    start = facing(15, blue={"lost": 5, "figures": 6}, options=ON)
    table = play(start).activates("blue-1", dice=[3, 1, 1])
    # It is declared as far as the best roll would take it.
    assert table.refused("fall-back", shifted(start, "blue-1", 0, -4)).rule == "morale.fall-back-direction"
    table.answers("fall-back", paths(_1=[(0.6, 0.6)]), dice=[1])
    assert table.rolled("move").numbers[0].value == 3000


@pytest.mark.rule("fad5/move.variable-declare")
def test_ways_are_declared_before_the_dice_and_each_figure_pays_for_its_ground() -> None:
    state = squad(terrain=(piece("hedge", (4, 8), (30, 8)),))
    assert play(state).activates("blue-1").refused("move-fire", shifted(state, "blue-1", 0, 8)).rule == "move.obstacles"
    table = north(state, "move-fire", 7, 2)
    facts = [type(fact) for fact in table.facts if isinstance(fact, MoveDeclared | Rolled | UnitMoved)]
    assert facts == [MoveDeclared, Rolled, UnitMoved]
    assert gone(table) == 3000  # 3" over the hedge, which takes the fourth
    assert [(fact.action, fact.rule) for fact in table.seen(Declared)][-1] == ("comes-short", "move.variable-declare")


@pytest.mark.rule("fad5/move.variable-declare")
@pytest.mark.parametrize(("die", "gap"), [(2, 1000), (3, 0)])
def test_an_assault_that_falls_short_stops_an_inch_away(die: int, gap: int) -> None:
    # 8.5" away: 2 + 2 + 4 would leave half an inch.
    table = assault(facing(8.5, blue={"figures": 1}, red={"figures": 1}, options=ON))
    table.defaults([die] if gap else [die, 6, 1, 1])
    assert table.rolled("move").numbers[0].value == 1000 * (die + 6)
    if gap:
        assert gone(table) == 7500
        assert [(fact.action, fact.target) for fact in table.seen(Declared)][-1] == ("falls-short", "red-1")
    else:
        assert any(fact.purpose == "assault" for fact in table.seen(Rolled))


def test_previews_and_choices_say_what_is_rolled_for_a_rush() -> None:
    start = squad(quality="elite", figures=1)
    table = play(start).activates("blue-1")
    choice = table.prompt.choice("move-out")
    assert choice is not None
    assert choice.consequence.endswith('then the higher of 2 × 2D6 + 4" says how far it comes.')
    way = PathsDeclared({"1": ((6_000, 20_000),)})
    told = fad5().preview(believed(table.state, table.asked), table.prompt, Picked("move-out", (way,)))
    assert told is not None
    # A sum of 10 or more on one of two throws: 1 - (5/6)².
    assert [row.per_myriad for row in told.chances if row.label == "All figures arrive"] == [3056]


@pytest.mark.parametrize(("quality", "count"), [("regular", 2), ("elite", 4)])
def test_the_luck_of_a_rush_follows_from_every_way_its_dice_can_fall(quality: str, count: int) -> None:
    start = squad(quality=quality, figures=1)
    holds_every_way(
        count, lambda faces: luck_of(fad5(), start, north(start, "move-out", 1, *faces).facts, "move", "blue-1")
    )
