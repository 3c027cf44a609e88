"""Coherency: a squad keeps together, and closes up after losses have torn it apart."""

from __future__ import annotations

import pytest

from server.kernel.facts import Rolled
from server.kernel.space.geometry import inches
from server.rulesets.fad.movement import CoherencyDistance
from tests.support.battlefield import BattleTable, battle, line, lines, paths, piece, play, shifted, unit
from tests.support.battlefield import fad4 as rules

FOE = unit("red", (6, 44))
QUALITIES = [("rabble", 2), ("conscript", 3), ("regular", 4), ("elite", 5)]


def active(places: list[tuple[float, float]], *, quality: str = "regular", **other: object) -> BattleTable:
    """Return a table on which blue-1 stands at these places and chooses its action."""
    squad = unit("blue", places, quality=quality, **other)  # type: ignore[arg-type]  # as `unit` takes it
    return play(battle(squad, FOE)).activates("blue-1")


@pytest.mark.rule("fad4/coherency.distance")
@pytest.mark.parametrize(("quality", "distance"), QUALITIES)
def test_the_largest_gap_in_a_squad_depends_on_its_quality(quality: str, distance: int) -> None:
    table = active([(6, 6), (8, 6)], quality=quality)
    assert lines(rules().rules.advisers.answer(table.state, CoherencyDistance("blue-1"))) == [
        ("coherency.distance", inches(distance))
    ]
    # Measured from base edge to base edge: the centres may be an inch farther apart.
    wide = table.refused("move-fire", paths(_2=[(7.001 + distance, 6)]))
    assert (wide.code, wide.rule) == ("coherency", "coherency.distance")
    table.answers("move-fire", paths(_2=[(7 + distance, 6)]))


@pytest.mark.rule("fad4/coherency.distance")
def test_a_squad_is_coherent_if_its_figures_form_a_chain() -> None:
    table = active(line((6, 6), 5, apart=4))
    table.answers("move-fire", paths(_1=[(5, 6)]))
    assert table.unit("blue-1").places()[0][0] == (5000, 6000), "4 inches to the next, 20 to the last"


@pytest.mark.rule("fad4/coherency.distance")
def test_a_squad_in_two_coherent_groups_is_not_coherent() -> None:
    table = active(line((6, 6), 4, apart=3))
    torn = table.refused("move-fire", paths(_3=[(14.1, 6)], _4=[(17, 6)]))
    assert torn.rule == "coherency.distance"


@pytest.mark.rule("fad4/coherency.distance")
def test_losses_may_break_a_squads_coherency() -> None:
    middle = [(20.0, 20.0), (24.0, 14.0), (28.0, 20.0)]
    state = battle(unit("blue", middle), unit("red", (24, 8), figures=9, quality="elite"), active="red", first="red")
    table = play(state).activates("red-1").opens_fire_at("blue-1", dice=[2, 1, 6, 1, 1])
    assert table.seen(Rolled)[-1].marks == ("kill", "fail", "fail")
    assert not table.unit("blue-1").left, "nothing befalls the squad for it"


APART = [(10.0, 6.0), (12.5, 6.0), (22.0, 6.0)]
"""The last figure is 8.5" from the others; a Regular squad may have gaps of 4"."""


@pytest.mark.rule("fad4/coherency.broken")
def test_a_squad_out_of_coherency_may_stay_where_it_is() -> None:
    table = active(APART).holds()
    assert table.asked == "red"


@pytest.mark.rule("fad4/coherency.broken")
def test_a_squad_out_of_coherency_that_moves_must_close_up() -> None:
    table = active(APART)
    apart = table.refused("move-fire", shifted(table.state, "blue-1", 0, 3))
    assert (apart.code, apart.rule) == ("coherency", "coherency.broken")
    assert table.refused("move-fire", paths(_3=[(17.6, 6)])).rule == "coherency.broken", "4.1 inches are left"
    table.answers("move-fire", paths(_3=[(17.5, 6)]))


@pytest.mark.rule("fad4/coherency.broken")
def test_a_squad_too_scattered_for_one_move_closes_up_as_far_as_it_can() -> None:
    far = [(6.0, 6.0), (8.5, 6.0), (29.5, 6.0)]  # 20 inches
    table = active(far)
    assert table.refused("move-fire", paths(_3=[(25, 6)])).rule == "coherency.broken"
    table.answers("move-fire", paths(_1=[(12, 6)], _2=[(14.5, 6)], _3=[(23.5, 6)]))


@pytest.mark.rule("fad4/coherency.broken")
def test_a_squad_that_closes_up_moves_its_main_body_as_well_as_the_stray() -> None:
    # 15 inches between the two: 9 are left if one of them moves, and 3 if both do.
    table = active([(6.0, 6.0), (22.0, 6.0)])
    assert table.refused("move-fire", paths(_2=[(16, 6)])).rule == "coherency.broken"
    table.answers("move-fire", paths(_1=[(12, 6)], _2=[(17, 6)]))


@pytest.mark.rule("fad4/coherency.broken")
def test_a_stray_in_difficult_ground_need_close_up_only_as_far_as_it_gets() -> None:
    # The stray stands in a swamp and gets only 3 inches far.
    squad = unit("blue", [(6, 6), (22, 6)])
    table = play(battle(squad, FOE, terrain=[piece("swamp", (15, 0), (30, 12))])).activates("blue-1")
    table.answers("move-fire", paths(_1=[(12, 6)], _2=[(19, 6)]))


@pytest.mark.rule("fad4/coherency.broken")
def test_a_broken_squad_out_of_coherency_closes_up_while_it_falls_back() -> None:
    # Broken, 5" from its own edge, with one figure far to the side: it retreats, and is not driven off the table.
    torn = unit("blue", [(10, 6), (12.5, 6), (21, 6), (23, 6)], resolve="reluctant", lost=1)
    table = play(battle(torn, unit("red", (10, 16)))).activates("blue-1", dice=[3, 1, 1])
    assert table.offered == ["fall-back", "fire-fall-back"]
    table.answers(table.prompt.default.choice, *table.prompt.default.values)
    ends = [at[1] for at, _ in table.unit("blue-1").places()]
    assert len(ends) == 3
    assert max(ends) < inches(6), "farther from the enemy, every one of them"


@pytest.mark.rule("fad4/coherency.broken")
def test_a_squad_that_cannot_close_up_may_move_without_widening_its_gap() -> None:
    # A cliff between the two, who stand close to it on either side.
    squad = unit("blue", [(6.5, 6), (21.5, 6)])
    table = play(battle(squad, FOE, terrain=[piece("cliff", (7, 0), (21, 48))])).activates("blue-1")
    assert table.refused("move-fire", paths(_2=[(22, 6)])).rule == "coherency.broken"
    table.answers("move-fire", paths(_1=[(6.5, 7)], _2=[(21.5, 7)]))
