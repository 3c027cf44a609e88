"""Cover: its value, which figures have it, and where it blocks fire."""

from __future__ import annotations

import pytest

from server.rulesets.fubar.movement import path_parameter
from tests.rulesets.fubar4.battlefield import battle, fubar4, lines, piece, play, unit
from tests.rulesets.fubar4.firing import barred, bout, offered, volley, walks_and_fires
from tests.support.tabletop import Place

VETERANS = unit("blue", (10, 10), figures=1, level="veteran")
"""Expertise 4+."""


def cover(*red: Place, terrain: list[dict[str, object]], **other: object) -> str:
    """Return the cover of red figures against a firer at (10, 10)."""
    return bout(battle(VETERANS, unit("red", list(red), **other), terrain=terrain)).cover.level  # type: ignore[arg-type]


FOUR = ((10.0, 21.0), (11.5, 21.0), (13.0, 21.0), (14.5, 21.0))


@pytest.mark.rule("fubar4/cover.half-of-unit")
def test_a_unit_has_cover_if_half_of_its_figures_have_it() -> None:
    two = piece("woods", (9, 20), (12.2, 23))
    one = piece("woods", (9, 20), (10.8, 23))
    assert cover(*FOUR, terrain=[two]) == "soft"
    assert cover(*FOUR, terrain=[one]) == "none"
    # suppressed figures count, fallen ones do not
    assert cover(*FOUR, terrain=[one], suppressed=3) == "none"
    assert cover(*FOUR, terrain=[one], lost=2) == "soft"


@pytest.mark.rule("fubar4/cover.half-of-unit")
def test_a_unit_has_the_best_cover_that_half_of_its_figures_reach() -> None:
    bunker, building = piece("bunker", (9, 20), (10.8, 23)), piece("building", (10.8, 20), (12.2, 23))
    assert cover(*FOUR, terrain=[bunker, building]) == "moderate"


@pytest.mark.rule("fubar4/cover.half-of-unit")
def test_a_wall_covers_figures_behind_it_from_the_firers_side() -> None:
    def wall(y: float) -> dict[str, object]:
        return piece("wall", (0, y), (48, y))

    assert cover((10, 21), terrain=[wall(20.4)]) == "moderate"
    assert cover((10, 21), terrain=[wall(19.5)]) == "moderate"
    assert cover((10, 21), terrain=[wall(19.4)]) == "none"
    assert cover((10, 21), terrain=[wall(21.6)]) == "none"


@pytest.mark.rule("fubar4/cover.half-of-unit")
def test_the_nearest_firer_decides_on_which_side_of_a_wall_a_figure_is() -> None:
    wall = piece("wall", (0, 20.4), (48, 20.4))
    both_sides = unit("blue", [(10, 10), (10, 27)])
    assert bout(battle(both_sides, unit("red", (10, 21), figures=1), terrain=[wall])).cover.level == "none"
    farther = unit("blue", [(10, 10), (10, 37)])
    assert bout(battle(farther, unit("red", (10, 21), figures=1), terrain=[wall])).cover.level == "moderate"


@pytest.mark.rule("fubar4/cover.half-of-unit")
def test_an_area_of_cover_covers_figures_inside_but_not_behind_it() -> None:
    # ground that does not block sight, so that fire across it is possible
    assert cover((10, 21), terrain=[piece("rifle_pits", (9, 19), (11, 20.4), sight="clear")]) == "none"
    assert cover((10, 21), terrain=[piece("rifle_pits", (9, 19), (11, 21.1), sight="clear")]) == "soft"


@pytest.mark.parametrize(
    ("kind", "modifier"),
    [
        ("undergrowth", 1),
        ("woods", 1),
        ("wooden_building", 1),
        ("rifle_pits", 1),
        ("building", 2),
        ("ruin", 2),
        ("trench", 2),
        ("bunker", 3),
    ],
)
@pytest.mark.rule("fubar4/cover.table")
def test_cover_makes_targets_harder_to_hit(kind: str, modifier: int) -> None:
    state = battle(VETERANS, unit("red", (10, 21), figures=1), terrain=[piece(kind, (9, 20), (11, 22))])
    need = volley(state).need
    assert lines(need)[:2] == [("fire.to-hit", 4), ("cover.table", modifier)]
    assert need.value == min(6, 4 + modifier)


@pytest.mark.rule("fubar4/cover.limit")
def test_cover_never_makes_a_hit_harder_than_a_six() -> None:
    terrain = [piece("bunker", (9, 20), (11, 22))]
    need = volley(battle(VETERANS, unit("red", (10, 21), figures=1), terrain=terrain)).need
    assert lines(need) == [("fire.to-hit", 4), ("cover.table", 3), ("cover.limit", 6)]
    assert need.value == 6
    green = unit("blue", (10, 10), figures=1, level="green")
    assert volley(battle(green, unit("red", (10, 21), figures=1), terrain=terrain)).need.value == 6


@pytest.mark.rule("fubar4/cover.limit", "fubar4/action.aimed-fire")
def test_aimed_fire_adds_one_after_the_limit_of_cover() -> None:
    red = unit("red", (10, 22), figures=2)
    state = battle(VETERANS, red, terrain=[piece("bunker", (9, 21.3), (13, 23))])
    table = play(state).activates("blue-1", dice=[6]).fires("red-1", key="aimed-fire", dice=[5, 4])
    assert table.rolled("to-hit").marks == ("hit", "fail")
    walked = walks_and_fires(play(state), dice=[5, 4])
    assert walked.rolled("to-hit").marks == ("fail", "fail")


@pytest.mark.rule("fubar4/action.duck-and-weave")
def test_a_unit_that_ducks_and_weaves_has_soft_cover_or_better_cover_that_it_is_in() -> None:
    ducking = {"conditions": ["duck_and_weave"]}
    assert cover((10, 21), terrain=[], **ducking) == "soft"
    assert cover((10, 21), terrain=[piece("woods", (9, 20), (11, 22))], **ducking) == "soft"
    assert cover((10, 21), terrain=[piece("ruin", (9, 20), (11, 22))], **ducking) == "moderate"


@pytest.mark.rule("fubar4/action.gone-to-ground")
def test_cover_is_one_level_better_for_a_unit_gone_to_ground() -> None:
    down = {"conditions": ["gone_to_ground"]}
    assert cover((10, 21), terrain=[piece("woods", (9, 20), (11, 22))], **down) == "moderate"
    assert cover((10, 21), terrain=[piece("ruin", (9, 20), (11, 22))], **down) == "hard"
    assert cover((10, 21), terrain=[piece("bunker", (9, 20), (11, 22))], **down) == "hard"
    assert cover((10, 21), terrain=[], conditions=["lying"]) == "soft"


@pytest.mark.rule("fubar4/cover.movement")
@pytest.mark.rule("fubar4/armour.no-slowing")
def test_neither_cover_nor_armour_slows_infantry() -> None:
    heavy = unit("blue", (10, 10), armour="battlesuit")
    state = battle(heavy, unit("red", (10, 40)), terrain=[piece("woods", (5, 11), (20, 20))])
    way = path_parameter(fubar4().rules, state, "blue-1", "walk")
    assert (way.allowance, way.costly, way.limits, way.barred) == (6000, (), (), ())


# --- edges ----------------------------------------------------------------------------------------------------------

WOODS = [piece("woods", (5, 20), (40, 40))]


@pytest.mark.rule("fubar4/fire.edge-of-cover")
def test_figures_deeper_than_two_inches_in_cover_cannot_be_hit_from_outside() -> None:
    at_the_edge = battle(VETERANS, unit("red", (10, 22.5), figures=1), terrain=WOODS)
    assert offered(at_the_edge) == {"1": ["assault-rifle@red-1"]}
    deeper = battle(VETERANS, unit("red", (10, 22.51), figures=1), terrain=WOODS)
    assert barred(deeper) == "fire.edge-of-cover"


@pytest.mark.rule("fubar4/fire.edge-of-cover")
def test_only_figures_near_the_edge_of_cover_can_fire_out_or_be_hit() -> None:
    inside = unit("red", [(10, 21), (10, 24), (12, 21)])
    outside = unit("blue", (10, 12), figures=1)
    state = battle(outside, inside, terrain=WOODS)
    assert bout(state).seen == ("1", "3")
    assert list(offered(state, "red-1")) == ["1", "3"]


@pytest.mark.rule("fubar4/fire.edge-of-cover")
def test_a_figure_is_never_deep_inside_a_wall() -> None:
    state = battle(VETERANS, unit("red", (10, 24), figures=1), terrain=[piece("hedge", (0, 15), (48, 15))])
    assert offered(state) == {"1": ["assault-rifle@red-1"]}


@pytest.mark.rule("fubar4/fire.deep-in-cover")
def test_a_figure_deep_in_cover_fires_up_to_six_inches_within_it() -> None:
    def deep(apart: float) -> tuple[str, str]:
        state = battle(
            unit("blue", (15, 30), figures=1), unit("red", (16 + apart, 30), figures=1), terrain=WOODS, active="red"
        )
        return barred(state), barred(state, "red-1")

    assert deep(6) == ("", "")
    assert deep(6.01) == ("fire.deep-in-cover", "fire.deep-in-cover")


@pytest.mark.rule("fubar4/fire.deep-in-cover")
def test_figures_that_fire_within_the_same_cover_both_have_its_benefit() -> None:
    state = battle(unit("blue", (15, 30), figures=1), unit("red", (19, 30), figures=1), terrain=WOODS)
    assert bout(state).cover.level == "soft"
    assert bout(state, "red-1", "blue-1").cover.level == "soft"


@pytest.mark.rule("fubar4/fire.deep-in-cover")
def test_a_figure_deep_in_cover_cannot_fire_out() -> None:
    state = battle(unit("blue", (10, 24), figures=1), unit("red", (10, 12), figures=1), terrain=WOODS)
    assert barred(state) == "fire.deep-in-cover"


@pytest.mark.rule("fubar4/fire.deep-in-cover")
def test_a_figure_at_the_edge_of_cover_fires_up_to_six_inches_within_it() -> None:
    def along_the_edge(apart: float) -> str:
        reds = unit("red", (11 + apart, 21), figures=1)
        return barred(battle(unit("blue", (10, 21), figures=1), reds, terrain=WOODS))

    assert along_the_edge(6) == ""
    assert along_the_edge(7) == "fire.deep-in-cover"


@pytest.mark.rule("fubar4/fire.deep-in-cover")
def test_a_figure_too_far_away_in_a_shared_cover_is_not_hit_with_its_mates_outside() -> None:
    # one stands outside, the other at the edge of the firer's wood
    def hit(apart: float) -> tuple[str, ...]:
        reds = unit("red", [(10, 12), (11 + apart, 21)])
        return bout(battle(unit("blue", (10, 21), figures=1), reds, terrain=WOODS)).seen

    assert hit(8) == ("1",)
    assert hit(6) == ("2", "1")


@pytest.mark.rule("fubar4/fire.cover-blocks-sight")
def test_an_area_of_cover_blocks_sight_and_a_wall_does_not() -> None:
    behind = unit("red", (10, 30), figures=1)
    assert barred(battle(VETERANS, behind, terrain=[piece("woods", (5, 20), (15, 22))])) == "fire.line-of-sight"
    assert barred(battle(VETERANS, behind, terrain=[piece("wall", (5, 20), (15, 20))])) == ""
