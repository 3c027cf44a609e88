"""Weapons that blast in FAD 5: one ranging die, and a strike of two dice for each unit."""

from __future__ import annotations

import pytest
from msgspec.structs import replace

from client_protocol.choices import FiguresParameter, PointTaken, Why
from server.kernel.facts import ConditionGained, Declared, FiguresFell, Rolled
from server.kernel.space.geometry import inches
from server.kernel.space.values import Hull
from server.kernel.state import State
from server.rulesets.fad.blast import shots_at
from server.rulesets.fad.previews.blast import preview_blast
from server.rulesets.fad.ranging import struck
from server.rulesets.fad.shot import Shot, aim
from tests.rulesets.fad5.battlefield import battle, fad5
from tests.support.battlefield import BattleTable, lines, piece, play, unit
from tests.support.tabletop import Row


def targets(*more: Row, **other: object) -> State:
    """Return a light mortar of conscripts, and six conscripts 24 inches north of it."""
    own = unit("blue", (10, 6), figures=3, quality="conscript", support=["light-mortar"])
    return battle(own, unit("red", (10, 30), quality="conscript"), *more, **other)


def fired(state: State, x: float, y: float, *dice: int) -> BattleTable:
    return play(state).activates("blue-1").answers("blast", PointTaken((inches(x), inches(y))), dice=dice)


def strikes(table: BattleTable) -> list[Rolled]:
    return [roll for roll in table.seen(Rolled) if roll.purpose == "strike"]


@pytest.mark.rule("fad5/blast.ranging-in")
def test_one_die_ranges_in() -> None:
    missed = fired(targets(), 10, 30, 3)
    assert (missed.rolled("ranging").marks, missed.rolled("ranging").outcome) == (("fail",), "wasted")
    assert missed.seen(ConditionGained) == []
    assert fired(targets(), 10, 30, 4, 1, 1).rolled("ranging").outcome == "on-target"


@pytest.mark.rule("fad5/blast.strike-effect")
def test_the_strike_is_the_sum_of_two_dice_and_nothing_else() -> None:
    (strike,) = strikes(fired(targets(), 10, 30, 4, 1, 1))
    assert lines(strike.numbers[0]) == [("blast.strike-effect", 2)]
    assert strike.outcome == "red-1=0"


@pytest.mark.rule("fad5/blast.multiple-targets")
@pytest.mark.rule("fad5/blast.under-fire")
def test_each_unit_in_the_blast_is_struck_by_a_roll_of_its_own_and_under_fire() -> None:
    table = fired(targets(unit("blue", (10, 32.1), id="near")), 11.2, 31, 4, 1, 1, 1, 1)
    assert [(roll.target, roll.faces) for roll in strikes(table)] == [("red-1", (1, 1)), ("near", (1, 1))]
    assert table.seen(ConditionGained) == [
        ConditionGained(struck_unit, "under_fire", "blast.under-fire") for struck_unit in ("red-1", "near")
    ]


@pytest.mark.rule("fad5/blast.target-point")
def test_the_point_must_have_a_figure_of_a_permitted_target_near_it() -> None:
    table = play(targets()).activates("blue-1")
    refusal = table.refused("blast", PointTaken((inches(40), inches(30))))
    assert refusal.rule == "blast.target-point"


@pytest.mark.rule("fad5/blast.infantry-only")
def test_vehicles_in_the_blast_are_not_struck() -> None:
    state = targets()
    squad = state.units["red-1"]
    figure = replace(squad.figures["1"], hull=Hull(4_000, 2_000))
    assert struck(state.with_unit(replace(squad, figures={"1": figure})), (10_000, 30_000), 2_000) == []


# --- scatter --------------------------------------------------------------------------------------------------------

OPEN: dict[str, object] = {"scatter": "on_failure"}


def team(far: float, **options: object) -> State:
    """Return a light mortar of conscripts, of range 30, 60 and 90 inches, and six conscripts so far north of it."""
    own = unit("blue", (10, 6), figures=3, quality="conscript", support=["light-mortar"])
    return battle(own, unit("red", (10, 6 + far), quality="conscript"), options=options, size=(48, 72))


@pytest.mark.rule("fad5/blast.scatter")
@pytest.mark.rule("fad5/blast.random-direction")
@pytest.mark.parametrize(("far", "length"), [(2.5, 3), (30, 3), (30.1, 5), (60.1, 7)])
def test_a_shell_that_is_not_ranged_in_scatters_by_a_die_and_what_its_range_adds(far: float, length: int) -> None:
    # One of the two dice of 60 sides names a sixth of the circle, the other the degree: 60 + 30, straight up the table.
    table = fired(team(far, **OPEN), 10, 6 + far + 0.5, 3, 3, 2, 31)
    assert table.rolled("ranging").outcome == "astray"
    scatter, direction = table.rolled("scatter"), table.rolled("scatter_direction")
    assert (scatter.rule, scatter.faces, scatter.outcome) == ("blast.scatter", (3,), str(1000 * length))
    assert (direction.rule, direction.outcome) == ("blast.random-direction", "90")
    struck_at = table.state.book["impact"]
    assert isinstance(struck_at, tuple)
    assert struck_at[1:3] == ((10_000, round(1000 * (6.5 + far))), (10_000, round(1000 * (6.5 + far + length))))


@pytest.mark.rule("fad5/blast.scatter")
def test_a_shell_that_is_ranged_in_does_not_scatter_unless_all_do() -> None:
    assert fired(team(40, **OPEN), 10, 46, 4, 1, 1).rolled("ranging").outcome == "on-target"
    # 180 degrees, to the left: past all figures.
    table = fired(team(40, scatter="always"), 10, 46, 6, 4, 1)
    assert [roll.purpose for roll in table.seen(Rolled)] == ["scatter", "scatter_direction"]
    assert table.rolled("scatter").outcome == "8000"
    assert (fired(team(40), 10, 46, 3).rolled("ranging").outcome) == "wasted"


@pytest.mark.rule("fad5/blast.scatter")
def test_the_preview_says_how_far_a_shell_falls_off() -> None:
    for scatter, note in (
        (
            "on_failure",
            'If the ranging die fails, it falls 1D6+2" from the point: the odds above count only shells on target.',
        ),
        (
            "always",
            'It falls 1D6+2" from the point, in a random direction: the odds above are those of a shell that hits the point.',
        ),
    ):
        told = preview_blast(fad5().rules, team(40, scatter=scatter), "blue-1", (10_000, 46_000))
        assert told is not None
        assert note in told.notes
        assert (told.dice == "2D6") is (scatter == "always")


# --- the zone -------------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/blast.kill-zone")
def test_a_base_that_touches_the_circle_is_struck_and_walls_shelter_those_inside() -> None:
    # The radius of a light mortar's blast is 2 inches: the base's edge is just within it, then just outside.
    assert [unit.id for unit, _ in struck(targets(), (10_000, 27_500), 2_000)] == ["red-1"]
    assert struck(targets(), (10_000, 27_499), 2_000) == []
    terrain = [piece("building", (8, 28), (11.2, 32))]
    inside = battle(*_two(), terrain=terrain)
    outer = shots(inside, 11_500, 30_000)
    assert [(shot.target, shot.seen) for shot in outer] == [("red-1", ("2",))]
    assert [(shot.target, shot.seen) for shot in shots(inside, 11_000, 30_000)] == [("red-1", ("1", "2"))]
    # A point by the wall whose circle reaches only those inside is no target.
    table = play(inside).activates("blue-1")
    assert table.refused("blast", PointTaken((7_900, 29_000))).rule == "blast.target-point"
    ruin = battle(*_two(), terrain=[piece("ruin", (8, 28), (11.2, 32))])
    assert [shot.seen for shot in shots(ruin, 11_500, 30_000)] == [("2", "1")]


@pytest.mark.rule("fad5/blast.kill-zone")
def test_the_walls_of_a_house_shelter_those_inside_from_what_bursts_outside() -> None:
    door = {"kind": "door", "at": (9.6, 28), "width": 2}
    inside = battle(*_two(), terrain=[piece("house", (8, 28), (11.2, 32), openings=[door])])
    assert [shot.seen for shot in shots(inside, 11_500, 30_000)] == [("2",)]
    assert [shot.seen for shot in shots(inside, 11_000, 30_000)] == [("1", "2")]


def _two() -> list[Row]:
    own = unit("blue", (10, 6), figures=3, quality="conscript", support=["light-mortar"])
    return [own, unit("red", [(10, 30), (12.5, 30)])]


def shots(state: State, x: int, y: int) -> tuple[Shot, ...]:
    return shots_at(fad5().rules, state, "blue-1", "1", fad5().book.heavy_weapons["light-mortar"], (x, y))


@pytest.mark.rule("fad5/blast.allocation")
def test_only_figures_in_the_zone_are_hit_nearest_to_the_point_first() -> None:
    # The point lies 1.5" from the third figure and 1" from the second; the others are out of reach. Nine points are three hits.
    table = fired(targets(), 13.5, 30, 4, 4, 5, *[1, 1, 1], *[6, 6, 6])
    assert table.seen(FiguresFell) == [FiguresFell("red-1", ("2", "3"), "fire", "damage.infantry")]


@pytest.mark.rule("fad5/blast.allocation")
@pytest.mark.rule("fad5/damage.allocate-owner")
def test_the_owner_allocates_hits_among_the_figures_in_the_zone() -> None:
    state = battle(*_two(), unit("red", (30, 40), id="idle"), options={"hit_allocation": "owner"})
    table = fired(state, 11.2, 30, 4, 1, 2)
    (parameter,) = table.choice("allocate").parameters
    assert isinstance(parameter, FiguresParameter)
    assert (parameter.figures, parameter.least) == (("1", "2"), 1)


# --- where and how --------------------------------------------------------------------------------------------------


@pytest.mark.rule("fad5/blast.target-point")
def test_a_match_may_let_blasts_be_aimed_anywhere_in_sight() -> None:
    free = targets(options={"blast_point": "free"})
    table = play(free).activates("blue-1").answers("blast", PointTaken((inches(40), inches(30))), dice=[4])
    assert [fact.action for fact in table.seen(Declared)][-1] == "blast-strikes-none"
    # No enemy need be in sight.
    hidden = targets(options={"blast_point": "free"}, terrain=[piece("cliff", (0, 20), (48, 21))])
    assert "blast" in play(hidden).activates("blue-1").offered
    # What-if still aims at the unit that is meant.
    assert any("at a point by Red 1" in told.title for told in fad5().what_if(free, "blue-1", "red-1"))


@pytest.mark.rule("fad5/blast.declare-shot-type")
def test_a_weapon_that_blasts_is_aimed_at_a_point_when_it_fires_at_infantry() -> None:
    own = unit("blue", (10, 6), figures=3, apart=1.5, support=["light-mortar"], weapon_team=True)
    state = battle(own, unit("red", (10, 30)))
    why = aim(fad5().rules, state, "blue-1", "red-1")
    assert why == Why("The light mortar fires blasts at infantry; aimed fire is for vehicles.", "blast.declare-role")
    table = play(state).activates("blue-1")
    assert table.targets("fire-move") == {"red-1": "blast.declare-shot-type"}
    assert "blast" in table.offered
