"""Victory: by breaking the enemy, by holding an objective, or on the last turn."""

from __future__ import annotations

import pytest

from server.kernel.errors import RulesetError
from server.kernel.facts import MatchEnded, ObjectiveHeld
from server.kernel.state import State
from server.rulesets.fad.victory import decided, held_by
from tests.support.battlefield import battle, fad4, play, unit
from tests.support.tabletop import Row

MAST: Row = {"id": "mast", "name": "the mast", "at": (24, 24), "radius": 3.0}


def after(blue: int, red: int, *, blue_left: int, red_left: int, turn: int = 3) -> State:
    """Return the end of a turn, with the number of units that each side began with and has left."""
    rows = [
        unit(side, (2 + 4.0 * i, y), figures=1, left="" if i < left else "destroyed")
        for side, y, whole, left in (("blue", 4.0, blue, blue_left), ("red", 40.0, red, red_left))
        for i in range(whole)
    ]
    return battle(*rows, turn=turn)


def result(state: State) -> tuple[str, str] | None:
    ended = decided(fad4().rules, state)
    return None if ended is None else (ended.winner, ended.reason)


@pytest.mark.rule("fad4/setup.victory")
@pytest.mark.parametrize(
    ("blue", "red", "blue_left", "red_left", "winner"),
    [
        (4, 4, 3, 3, None),
        (4, 4, 4, 2, "blue"),
        (4, 4, 2, 4, "red"),
        (3, 3, 3, 2, None),  # half of three, rounded up, is two
        (3, 3, 3, 1, "blue"),
        (5, 5, 5, 3, None),
        (5, 5, 5, 2, "blue"),
        (4, 4, 2, 1, "blue"),  # both are broken at once: the larger share wins
        (4, 6, 2, 3, ""),
        (4, 6, 2, 2, "blue"),
        (2, 2, 0, 0, ""),
        (2, 2, 0, 1, "red"),
    ],
)
def test_a_side_wins_when_half_of_the_enemys_units_are_gone(
    blue: int, red: int, blue_left: int, red_left: int, winner: str | None
) -> None:
    told = result(after(blue, red, blue_left=blue_left, red_left=red_left))
    assert (None if told is None else told[0]) == winner


@pytest.mark.rule("fad4/setup.victory")
@pytest.mark.parametrize(("blue_left", "red_left", "winner"), [(4, 4, ""), (3, 4, "red"), (4, 3, "blue"), (3, 3, "")])
def test_after_the_last_turn_the_larger_share_of_units_left_wins(blue_left: int, red_left: int, winner: str) -> None:
    assert result(after(4, 4, blue_left=blue_left, red_left=red_left, turn=7)) is None
    told = result(after(4, 4, blue_left=blue_left, red_left=red_left, turn=8))
    assert told is not None
    assert told[0] == winner


@pytest.mark.rule("fad4/setup.victory")
def test_the_turn_limit_option_sets_the_last_turn() -> None:
    state = battle(unit("blue", (6, 6)), unit("red", (6, 40)), turn=4, options={"turn_limit": 4})
    assert result(state) is not None
    state = battle(unit("blue", (6, 6)), unit("red", (6, 40)), turn=8, options={"turn_limit": 9})
    assert result(state) is None


@pytest.mark.rule("fad4/setup.victory")
def test_victory_by_breaking_is_decided_at_the_end_of_the_turn() -> None:
    """Red's only other unit falls to blue's first shot; red's last unit still acts."""
    state = battle(
        unit("blue", (6, 6)),
        unit("red", (6, 12), figures=1, armour="none"),
        unit("red", (6, 40), figures=1),
        unit("blue", (30, 6), figures=1),
    )
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[4, 1, *[6] * 3])
    assert table.unit("red-1").left == "destroyed"
    assert table.asked == "red"
    table.activates("red-2").holds().activates("blue-2").holds()
    (ended,) = table.seen(MatchEnded)
    assert (ended.winner, ended.rule) == ("blue", "setup.victory")
    assert ended.reason == "Blue broke Red: half of its units are gone."
    assert table.prompts == {}


@pytest.mark.rule("fad4/setup.victory")
@pytest.mark.rule("fad4/turn.structure")
def test_a_turn_ends_at_once_when_one_side_has_no_units_left() -> None:
    state = battle(unit("blue", (6, 6)), unit("red", (6, 12), figures=1, armour="none"), unit("blue", (30, 6)))
    table = play(state).activates("blue-1").opens_fire_at("red-1", dice=[4, 1, *[6] * 3])
    assert table.seen(MatchEnded)[0].reason == "Blue has the last units in the game."


# --- objectives -----------------------------------------------------------------------------------------------------


def holder(*units: Row) -> str:
    state = battle(*units, objectives=[MAST])
    return held_by(state, state.objectives["mast"])


@pytest.mark.rule("fad4/setup.victory")
def test_the_side_with_most_figures_in_the_radius_holds_an_objective() -> None:
    two, three = unit("blue", (23, 22), figures=2), unit("red", (22, 25.5), figures=3)
    assert holder(two) == "blue"
    assert holder(two, three) == "red"
    assert holder(two, unit("red", (22, 25.5), figures=3, lost=1)) == "", "two against two"
    assert holder(unit("blue", (2, 2))) == ""


@pytest.mark.rule("fad4/setup.victory")
def test_a_figure_counts_for_an_objective_if_its_bases_edge_is_within_the_radius() -> None:
    assert holder(unit("blue", [(27.5, 24)])) == "blue"
    assert holder(unit("blue", [(27.501, 24)])) == ""


def contested(turn: int) -> State:
    return battle(
        unit("blue", (22, 22), figures=2),
        unit("red", (6, 44), figures=2),
        objectives=[MAST],
        victory={"kind": "objective", "objective": "mast"},
        options={"turn_limit": 6},
        turn=turn,
    )


@pytest.mark.rule("fad4/setup.victory")
def test_the_side_that_holds_the_objective_at_the_end_of_the_last_turn_wins() -> None:
    early = play(contested(5)).activates("blue-1").holds().activates("red-1").holds(dice=[4, 2])
    assert early.seen(ObjectiveHeld) == [ObjectiveHeld("mast", "blue")]
    assert early.state.turn.number == 6
    early.activates("blue-1").holds().activates("red-1").holds()
    (ended,) = early.seen(MatchEnded)
    assert (ended.winner, ended.reason) == ("blue", "Blue holds the mast at the end of the last turn.")
    assert len(early.seen(ObjectiveHeld)) == 1, "it is told when it changes"


@pytest.mark.rule("fad4/setup.victory")
def test_a_setup_may_name_the_side_that_wins_an_unheld_objective() -> None:
    def ended(**victory: str) -> MatchEnded:
        state = battle(
            unit("blue", (2, 2), figures=2),
            unit("red", (6, 44), figures=2),
            objectives=[MAST],
            victory={"kind": "objective", "objective": "mast", **victory},
            options={"turn_limit": 6},
            turn=6,
        )
        (fact,) = play(state).activates("blue-1").holds().activates("red-1").holds().seen(MatchEnded)
        return fact

    won = ended(unheld="red")
    assert (won.winner, won.reason) == (
        "red",
        "Red wins, as neither side holds the mast at the end of the last turn.",
    )
    with pytest.raises(RulesetError, match="no side 'green'"):
        ended(unheld="green")


@pytest.mark.rule("fad4/setup.victory")
def test_an_unheld_objective_is_a_draw_and_a_side_that_leaves_it_loses_it() -> None:
    gone = battle(
        unit("blue", (2, 2), figures=2),
        unit("red", (6, 44), figures=2),
        objectives=[{**MAST, "held_by": "blue"}],
        victory={"kind": "objective", "objective": "mast"},
        options={"turn_limit": 6},
        turn=6,
    )
    table = play(gone).activates("blue-1").holds().activates("red-1").holds()
    assert table.seen(ObjectiveHeld) == [ObjectiveHeld("mast", "")]
    assert [fact.winner for fact in table.seen(MatchEnded)] == [""]
