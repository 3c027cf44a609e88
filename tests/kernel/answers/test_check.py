"""Checking an answer before a procedure hears of it: every kind of refusal, with its rule and its place."""

from __future__ import annotations

from dataclasses import dataclass

import pytest
from msgspec.structs import replace

from client_protocol.choices import (
    Candidate,
    Choice,
    DirectionParameter,
    DirectionTaken,
    EndCondition,
    EndRule,
    EndsAlong,
    EndsAtEdge,
    EndsAtPiece,
    EndsBeyond,
    EndsCovered,
    EndsFarther,
    EndsInTerrain,
    EndsSpent,
    EndsTogether,
    EndsTouching,
    FiguresParameter,
    FiguresPicked,
    FiguresPlaced,
    GoesAway,
    KeepsInside,
    Parameter,
    PathParameter,
    PathsDeclared,
    Picked,
    PlacementParameter,
    UnitNamed,
    UnitParameter,
    Value,
    Why,
)
from server.kernel.answers.check import Asked, Refusal, check, check_path, touches
from server.kernel.space.geometry import Point, rectangle
from server.kernel.space.terrain import Terrain
from tests.support.position import position, squad

CLIFF = Terrain("cliff", "The cliff", "cliff", rectangle(20_000, 8_000, 22_000, 12_000), flags=("impassable",))
MIRE = Terrain("mire", "The mire", "swamp", rectangle(8_000, 14_000, 16_000, 20_000), flags=("difficult",))
WOOD = Terrain("wood", "The wood", "woods", rectangle(4_000, 4_000, 8_000, 8_000), cover="partial")
WALL = Terrain("wall", "The wall", "wall", ((10_000, 6_000), (14_000, 6_000)), linear=True, cover="partial")

# Blue's three stand 2" apart (a gap of 1"); a friend stands to the west, red to the north east, a dead figure between.
BLUE = squad("blue-1", [(10_000, 10_000), (12_000, 10_000), (14_000, 10_000)])
FRIEND = squad("blue-2", [(6_000, 10_000)])
RED = squad("red-1", [(17_000, 12_000), (18_500, 12_000)], fallen=["2"])
STATE = position(BLUE, FRIEND, RED, terrain=(CLIFF, MIRE, WOOD, WALL))

MOVE = PathParameter(
    unit="blue-1",
    allowance=6_000,
    costly=(("mire", 200),),
    barred=("cliff",),
    avoid=("red-1",),
    gap=2_000,
    gap_rule="keep.together",
    allowance_rule="move.rate",
)


def refused(parameter: Parameter, value: Value) -> Refusal:
    """The refusal of a value for the only parameter of the only choice."""
    asked = Asked("Move", (Choice("go", "Go", "go.rule", "", (parameter,)),), Picked("go"))
    refusal = check(STATE, asked, Picked("go", (value,)))
    assert refusal is not None
    return refusal


def ways(**paths: tuple[Point, ...]) -> PathsDeclared:
    return PathsDeclared({key.removeprefix("_"): path for key, path in paths.items()})


def shift(dx: int, dy: int) -> PathsDeclared:
    return PathsDeclared({key: ((f.at[0] + dx, f.at[1] + dy),) for key, f in BLUE.figures.items() if f.at})


# --- choices --------------------------------------------------------------------------------------------------------

ASKED = Asked(
    "What now?",
    (
        Choice("go", "Go", "go.rule", "", (UnitParameter("Target", (Candidate("red-1"),)),)),
        Choice("rest", "Rest", "rest.rule", why=Why("There is no time to rest.", "no.rest")),
    ),
    Picked("go", (UnitNamed("red-1"),)),
    "ask.rule",
)


@pytest.mark.parametrize(
    ("picked", "refusal"),
    [
        (
            Picked("fly"),
            Refusal("no_such_choice", "There is no choice 'fly' here; there are go, rest.", "ask.rule"),
        ),
        (Picked("rest"), Refusal("not_allowed", "There is no time to rest.", "no.rest")),
        (Picked("go"), Refusal("values", "Go needs 1 value, a unit; none was given.", "go.rule")),
        (
            Picked("go", (UnitNamed("red-1"), UnitNamed("red-1"))),
            Refusal("values", "Go needs 1 value, a unit; 2 were given.", "go.rule"),
        ),
        (
            Picked("go", (FiguresPicked(("1",)),)),
            Refusal(
                "values", "Go needs 1 value, a unit; a pick of figures was given in the place of a unit.", "go.rule"
            ),
        ),
    ],
)
def test_a_choice_that_is_not_offered_or_has_a_why_is_refused(picked: Picked, refusal: Refusal) -> None:
    assert check(STATE, ASKED, picked) == refusal
    assert check(STATE, ASKED, ASKED.default) is None


def test_how_many_values_are_expected_is_said_in_words() -> None:
    unit, figures = UnitParameter("Target", (Candidate("red-1"),)), FiguresParameter("Who", "blue-1", ("1",), 1, 1)
    stay, strike = Choice("stay", "Stay"), Choice("strike", "Strike", parameters=(unit, figures))
    both = Choice("both", "Both", parameters=(unit, figures, MOVE))
    asked = Asked("What now?", (stay, strike, both), Picked("stay"))
    value = UnitNamed("red-1")
    said = [
        check(STATE, asked, picked)
        for picked in (Picked("stay", (value,)), Picked("strike", (value,)), Picked("both", (value, value)))
    ]
    assert [refusal.sentence for refusal in said if refusal is not None] == [
        "Stay takes no values; 1 was given.",
        "Strike needs 2 values, a unit and a pick of figures; 1 was given.",
        "Both needs 3 values, a unit, a pick of figures and a path; 2 were given.",
    ]


def test_a_unit_that_is_no_legal_candidate_is_refused() -> None:
    near = UnitParameter("Target", (Candidate("red-1"), Candidate("blue-2", why=Why("That is a friend.", "be.kind"))))
    found = refused(near, UnitNamed("red-9"))
    assert (found.code, found.sentence) == (
        "no_such_unit",
        "Target: 'red-9' cannot be named. These can: Squad red-1 (red-1).",
    )
    nobody = UnitParameter("Target", near.candidates[1:])
    assert refused(nobody, UnitNamed("blue-1")).sentence == (
        "Target: Squad blue-1 (blue-1) cannot be named. None can be named now."
    )
    assert refused(near, UnitNamed("blue-2")) == Refusal("not_allowed", "That is a friend.", "be.kind")


@pytest.mark.parametrize("picked", [(), ("1", "2", "3"), ("1", "1"), ("9",)])
def test_figures_that_are_not_offered_or_too_many_are_refused(picked: tuple[str, ...]) -> None:
    parameter = FiguresParameter("These fall", "blue-1", ("1", "2", "3"), 1, 2)
    assert refused(parameter, FiguresPicked(picked)).code == "figures"


def test_a_refusal_of_figures_names_those_that_are_offered() -> None:
    parameter = FiguresParameter("These fall", "blue-1", ("1", "3"), 1, 2)
    assert (
        refused(parameter, FiguresPicked(("2",))).sentence == "These fall: name each figure once, out of these: 1, 3."
    )
    assert refused(MOVE, ways(_9=((12_000, 4_000),))).sentence == (
        "Of Squad blue-1 only these figures can move now: 1, 2, 3."
    )
    aside = DirectionParameter("Direction", "blue-1", 9_000, 4_500, 6_000)
    assert (
        refused(aside, DirectionTaken(18_000)).sentence
        == "Direction: at most 45 degrees to either side of 90, not 180."
    )


@pytest.mark.parametrize(
    ("middle", "angle", "legal"),
    [
        (9_000, 9_000, True),
        (9_000, 13_500, True),
        (9_000, 13_501, False),
        (0, 31_500, True),
        (0, 31_499, False),
        (35_000, 3_500, True),
        (35_000, 3_501, False),
    ],
)
def test_a_direction_outside_its_cone_is_refused(middle: int, angle: int, *, legal: bool) -> None:
    parameter = DirectionParameter("Retreat", "blue-1", middle, 4_500, 6_000)
    asked = Asked("Back", (Choice("back", "Back", "", "", (parameter,)),), Picked("back"))
    refusal = check(STATE, asked, Picked("back", (DirectionTaken(angle),)))
    assert (refusal is None) is legal
    assert refusal is None or refusal.code == "direction"


# --- paths ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wrong:
    """A way that must be refused."""

    ways: PathsDeclared
    code: str
    rule: str
    figure: str = ""
    where: Point | None = None


@pytest.mark.parametrize(
    "wrong",
    [
        # 14" east of its place the base would hang over the cliff's border, at 19.5".
        Wrong(ways(_3=((20_000, 10_000),)), "path_impassable", "move.rate", "3", (19_500, 10_000)),
        Wrong(ways(_3=((17_000, 10_000), (17_000, 14_000))), "path_base", "move.rate", "3", (17_000, 11_000)),
        Wrong(ways(_1=((10_000, 16_001), (10_000, 16_001))), "path_too_long", "move.rate", "1", (10_000, 16_001)),
        # 4" to the mire's border, 1.1" at double cost within
        Wrong(shift(0, 5_100), "path_too_long", "move.rate", "1", (10_000, 15_100)),
        Wrong(ways(_1=((12_500, 10_000),)), "path_on_base", "move.rate", "2", (12_000, 10_000)),
        Wrong(ways(_1=((6_900, 10_000),)), "path_on_base", "move.rate", "1", (6_900, 10_000)),
        Wrong(ways(_1=((8_999, 10_000),)), "coherency", "keep.together"),
        Wrong(ways(_2=((12_000, 4_000),)), "coherency", "keep.together"),
        # A fault that has no rule of its own stands under that of the choice.
        Wrong(ways(_9=((12_000, 4_000),)), "figures", "go.rule"),
    ],
    ids=lambda wrong: wrong.code,
)
def test_an_illegal_path_is_refused_with_its_rule_figure_and_place(wrong: Wrong) -> None:
    refusal = refused(MOVE, wrong.ways)
    assert (refusal.code, refusal.rule, refusal.figure) == (wrong.code, wrong.rule, wrong.figure)
    assert refusal.where == wrong.where


def test_a_path_off_the_table_is_refused_where_the_base_meets_the_edge() -> None:
    edge = position(squad("blue-1", [(1_000, 10_000)]))
    refusal = check_path(edge, MOVE, ways(_1=((400, 10_000),)))
    assert refusal is not None
    assert (refusal.code, refusal.where, refusal.figure) == ("path_table", (500, 10_000), "1")


@pytest.mark.parametrize(
    "legal",
    [
        shift(0, 5_000),  # 4" and 1" at double cost: all there is
        shift(2_000, 0),
        ways(_1=((9_000, 10_000),)),  # just in reach of its mates
        ways(_1=((10_000, 11_500),)),  # the others stay
        ways(_1=((10_000, 9_000), (12_000, 8_500))),  # past a friend's base, round its squad mate
        ways(_1=((12_000, 10_000), (15_000, 10_000))),  # through friends, who block no path
        ways(_3=((14_900, 10_700),)),  # near red, not on it
        PathsDeclared({}),
    ],
)
def test_a_legal_path_is_accepted(legal: PathsDeclared) -> None:
    assert check_path(STATE, MOVE, legal) is None


def test_fallen_figures_block_no_path_and_do_not_move() -> None:
    # Red's dead man lies at (18.5, 12).
    free = replace(MOVE, allowance=20_000, gap=0, avoid=("red-1",))
    assert check_path(STATE, free, ways(_3=((18_500, 10_000), (18_500, 12_000)))) is None
    red = replace(MOVE, unit="red-1", avoid=())
    refusal = check_path(STATE, red, ways(_2=((18_500, 13_000),)))
    assert refusal is not None
    assert refusal.code == "figures"


def test_an_answer_without_any_move_needs_may_stay() -> None:
    farther = EndRule((EndsFarther(("red-1",)),), Why("Away from them.", "fall.back"))
    assert check_path(STATE, replace(MOVE, ends=(farther,)), PathsDeclared({})) is None
    refusal = check_path(STATE, replace(MOVE, ends=(farther,), may_stay=False), PathsDeclared({}))
    assert refusal == Refusal("path_end", "Away from them.", "fall.back")


# --- where a path may end -------------------------------------------------------------------------------------------


def ends(*conditions: EndCondition) -> PathParameter:
    rule = EndRule(conditions, Why("Not there.", "the.rule"))
    return replace(MOVE, ends=(rule,), allowance=12_000, costly=(), gap=0)


def test_ends_farther_asks_every_figure_to_end_farther_from_the_nearest_enemy() -> None:
    parameter = ends(EndsFarther(("red-1",)))
    assert check_path(STATE, parameter, shift(-1_000, -1_000)) is None
    assert refused(parameter, shift(0, 1_000)).rule == "the.rule"
    # All but one: the third stays where it is.
    assert refused(parameter, ways(_1=((9_500, 9_500),), _2=((11_500, 9_500),))).code == "path_end"


def test_enough_figures_end_in_a_piece_or_close_behind_a_line() -> None:
    wood = ends(EndsInTerrain(("wood",), 2))
    assert check_path(STATE, wood, shift(-5_500, -3_000)) is None  # at 4.5 and 6.5, the third outside
    assert refused(wood, shift(-2_500, -3_000)).code == "path_end"  # only the first within
    wall = ends(EndsInTerrain(("wall",), 2, 1_000))
    assert check_path(STATE, wall, shift(0, -2_500)) is None
    assert refused(wall, shift(0, -2_499)).code == "path_end"


def test_one_figure_at_least_ends_in_contact() -> None:
    touch = ends(EndsTouching(("red-1",)))
    assert check_path(STATE, touch, ways(_3=((16_000, 12_000),))) is None
    assert refused(touch, ways(_3=((15_900, 12_000),))).code == "path_end"


def test_each_named_figure_ends_at_least_so_far_from_the_enemy() -> None:
    # The third figure is 2.6" from red's nearest.
    beyond = ends(EndsBeyond(("red-1",), (("3", 4_000),)))
    assert check_path(STATE, beyond, shift(-1_000, -1_000)) is None  # 4" exactly
    assert refused(beyond, shift(-999, -1_000)).rule == "the.rule"
    assert refused(beyond, ways(_1=((9_500, 9_500),))).code == "path_end"  # it stays where it is
    assert check_path(STATE, ends(EndsBeyond(("red-1",), ())), shift(0, 500)) is None


def test_enough_figures_use_up_so_much_of_their_movement() -> None:
    spent = ends(EndsSpent(2_000, 2))
    assert check_path(STATE, spent, ways(_1=((10_000, 8_000),), _2=((12_000, 9_000), (13_000, 9_000)))) is None
    assert refused(spent, ways(_1=((10_000, 8_001),), _2=((12_000, 8_000),))).rule == "the.rule"
    assert refused(spent, ways(_2=((12_000, 8_000),))).rule == "the.rule"
    # Ground that costs twice as much uses up twice as much.
    slow = replace(ends(EndsSpent(6_200, 1)), costly=(("wood", 200),))
    into_the_wood = ways(_1=((8_000, 7_000), (6_000, 7_000)))
    assert check_path(STATE, slow, into_the_wood) is None
    assert refused(replace(slow, costly=()), into_the_wood).rule == "the.rule"


def test_every_figure_that_moves_ends_within_the_cone_of_a_direction() -> None:
    north = ends(EndsAlong(9_000, 1_500))
    assert check_path(STATE, north, shift(0, 4_000)) is None
    assert check_path(STATE, north, shift(1_000, 3_900)) is None  # 14.4 degrees off
    assert refused(north, shift(1_100, 3_900)).code == "path_end"  # 15.8 degrees
    assert refused(north, shift(0, -1_000)).code == "path_end"
    # Who stays where he is goes nowhere else.
    assert check_path(STATE, north, ways(_1=((10_000, 12_000),))) is None
    # The way may bend; where it ends counts.
    assert check_path(STATE, north, ways(_1=((9_000, 11_000), (10_000, 12_000)))) is None


def test_every_figure_ends_in_a_piece_or_closer_to_it() -> None:
    wood = ends(EndsAtPiece("wood"))
    assert check_path(STATE, wood, shift(-500, -500)) is None
    assert refused(wood, shift(500, 500)).code == "path_end"
    assert refused(wood, ways(_1=((9_500, 9_500),))).code == "path_end"  # the others come no closer
    wall = ends(EndsAtPiece("wall", 1_000))
    assert check_path(STATE, wall, shift(0, -2_500)) is None
    # Within reach of the line it may go along it.
    behind = position(squad("blue-1", [(10_000, 7_400), (12_000, 7_400)]), RED, terrain=(WALL,))
    along = replace(wall, barred=(), costly=())
    assert check_path(behind, along, PathsDeclared({"1": ((10_000, 7_450),)})) is None
    assert check_path(behind, along, PathsDeclared({"1": ((10_000, 7_550),)})) is not None


def test_figures_end_in_cover_against_the_nearest_of_others() -> None:
    def covered(*pieces: str, units: tuple[str, ...] = ("red-1",)) -> PathParameter:
        return ends(EndsCovered(units, pieces, 1, 1_000))

    # The wall runs from (10, 6) to (14, 6), and red stands at (17, 12), north of it.
    assert check_path(STATE, covered("wall"), ways(_1=((11_000, 5_200),))) is None
    assert refused(covered("wall"), ways(_1=((11_000, 4_000),))).code == "path_end"  # 1" off the wall is too far
    assert refused(covered("wall"), ways(_1=((11_000, 7_400),))).code == "path_end"  # on red's side
    assert check_path(STATE, covered("wood"), ways(_1=((6_000, 6_000),))) is None
    assert refused(covered("wood", units=()), ways(_1=((6_000, 6_000),))).code == "path_end"


def test_every_figure_ends_at_the_edge_of_the_table() -> None:
    edge = ends(EndsAtEdge(20))
    assert check_path(STATE, edge, ways(_1=((9_000, 520),), _2=((11_000, 500),), _3=((13_000, 500),))) is None
    assert refused(edge, ways(_1=((9_000, 521),), _2=((11_000, 500),), _3=((13_000, 500),))).code == "path_end"


def test_some_of_the_figures_end_nearer_together() -> None:
    crew = ends(EndsTogether(("1", "3"), 3_000))
    assert check_path(STATE, crew, shift(-1_000, 0)) is None
    assert check_path(STATE, crew, ways(_2=((12_000, 11_500),))) is None  # the others go where they like
    assert refused(crew, ways(_3=((15_000, 11_500),))).code == "path_end"
    # Who has fallen is no gap.
    assert check_path(STATE, ends(EndsTogether(("1", "9"), 0)), shift(0, -500)) is None


def test_every_figure_goes_away_and_never_comes_nearer_on_its_way() -> None:
    # The third figure is 2.6" from red's nearest, the others farther.
    away = ends(GoesAway(("red-1",)))
    assert check_path(STATE, away, shift(-1_000, -1_000)) is None
    assert refused(away, shift(0, 500)).code == "path_end"
    # The second goes half an inch towards red and then away: it ends farther off, but came nearer.
    back = ways(_1=((9_000, 10_000),), _2=((12_400, 10_300), (11_000, 9_000)), _3=((13_000, 9_000),))
    assert refused(away, back).code == "path_end"
    straight = ways(_1=((9_000, 10_000),), _2=((11_000, 9_000),), _3=((13_000, 9_000),))
    assert check_path(STATE, away, straight) is None
    # Between its ends a straight leg comes nearest: from one side of red to the other.
    past = position(squad("blue-1", [(15_000, 14_000)]), RED)
    beyond = replace(away, allowance=20_000, gap=0, barred=(), costly=(), avoid=())
    assert check_path(past, beyond, PathsDeclared({"1": ((22_000, 14_000),)})) is not None
    assert check_path(past, beyond, PathsDeclared({"1": ((15_000, 18_000), (22_000, 18_000))})) is None
    # Who stays ends no farther off.
    assert refused(away, ways(_1=((9_000, 9_000),), _2=((11_000, 9_000),))).code == "path_end"
    assert check_path(STATE, ends(GoesAway(())), shift(0, 500)) is None


def test_the_whole_way_of_each_figure_that_moves_lies_inside_the_pieces() -> None:
    glade = Terrain("glade", "The glade", "woods", rectangle(8_000, 4_000, 9_000, 8_000), cover="partial")
    inside = replace(ends(KeepsInside(("wood", "glade", "wall"))), gap=0, barred=(), costly=(), avoid=())
    state = position(squad("blue-1", [(5_000, 5_000), (5_000, 7_000)]), RED, terrain=(WOOD, glade, WALL))

    def way(*path: Point) -> Refusal | None:
        return check_path(state, inside, PathsDeclared({"1": path}))

    assert way((7_000, 6_000)) is None
    # What one piece does not cover the next one does, and the border is inside.
    assert way((8_900, 5_000)) is None
    assert way((4_000, 4_000), (8_000, 4_000), (9_000, 4_000)) is None
    # It may not leave them even where it comes back, and a line is no inside.
    assert way((5_000, 3_900), (6_000, 5_000)) is not None
    assert way((9_002, 5_000)) is not None
    assert check_path(state, inside, PathsDeclared({"1": ((7_000, 6_000),), "2": ((3_900, 7_000),)})) is not None
    # Who stands outside has no way into them that lies inside.
    outside = position(squad("blue-1", [(3_500, 5_000)]), RED, terrain=(WOOD,))
    assert check_path(outside, inside, PathsDeclared({"1": ((5_000, 5_000),)})) is not None


def test_one_of_several_end_conditions_is_enough() -> None:
    either = ends(EndsFarther(("red-1",)), EndsTouching(("red-1",)))
    assert check_path(STATE, either, shift(-1_000, 0)) is None
    assert check_path(STATE, either, ways(_3=((16_000, 12_000),))) is None
    assert refused(either, shift(0, 1_000)).code == "path_end"


def test_contact_is_what_people_would_call_touching() -> None:
    assert touches(((0, 0), 500), ((1_020, 0), 500))
    assert not touches(((0, 0), 500), ((1_021, 0), 500))


# --- placement ------------------------------------------------------------------------------------------------------

NEW = replace(squad("blue-3", [None, None]), number=3)
PLACING = position(BLUE, NEW, terrain=(CLIFF,))
ZONE = rectangle(0, 0, 30_000, 12_000)
DEPLOY = PlacementParameter(
    ("blue-3",), ZONE, (2_000,), (("cliff",),), ({"1": (2_000, 2_000), "2": (4_000, 2_000)},), "gap.rule"
)


def placed(one: Point, two: Point) -> Refusal | None:
    asked = Asked("Deploy", (Choice("deploy", "Deploy", "", "", (DEPLOY,)),), Picked("deploy"))
    return check(PLACING, asked, Picked("deploy", (FiguresPlaced(({"1": one, "2": two},)),)))


@pytest.mark.parametrize(
    ("one", "two", "code", "where"),
    [
        ((2_000, 11_501), (4_000, 11_000), "zone", (2_000, 11_501)),
        ((499, 2_000), (2_000, 2_000), "zone", (499, 2_000)),
        ((19_501, 10_000), (18_000, 10_000), "impassable", (19_501, 10_000)),
        ((2_000, 2_000), (2_999, 2_000), "on_base", (2_999, 2_000)),
        ((10_500, 10_500), (9_000, 10_000), "on_base", (10_500, 10_500)),
        ((2_000, 2_000), (5_001, 2_000), "coherency", None),
    ],
)
def test_an_illegal_placement_is_refused(one: Point, two: Point, code: str, where: Point | None) -> None:
    refusal = placed(one, two)
    assert refusal is not None
    assert (refusal.code, refusal.where) == (code, where)


def test_a_legal_placement_is_accepted() -> None:
    assert placed((500, 500), (3_500, 500)) is None
    assert placed((2_000, 11_500), (3_000, 11_500)) is None


def test_a_placement_needs_a_place_for_every_figure() -> None:
    asked = Asked("Deploy", (Choice("deploy", "Deploy", "", "", (DEPLOY,)),), Picked("deploy"))
    for value in (FiguresPlaced(()), FiguresPlaced(({"1": (2_000, 2_000)},))):
        refusal = check(PLACING, asked, Picked("deploy", (value,)))
        assert refusal is not None
        assert refusal.code == "places"
