"""Vehicles among squads: how they may drive and be put down, how others keep off them, what is refused and why."""

from __future__ import annotations

import random

import pytest
from msgspec.structs import replace

from client_protocol.choices import (
    Choice,
    EndCondition,
    EndRule,
    EndsFarther,
    EndsNear,
    EndsTouching,
    FiguresPlaced,
    PathParameter,
    PathsDeclared,
    Picked,
    PlacementParameter,
    Why,
)
from server.kernel.answers.check import Asked, check
from server.kernel.answers.paths import check_path
from server.kernel.answers.placements import check_placement
from server.kernel.answers.refusal import Refusal
from server.kernel.answers.sampling import sample
from server.kernel.finding.formation import set_down
from server.kernel.finding.ground import Ground
from server.kernel.space.geometry import Outline, Point, rectangle
from server.kernel.space.hulls import apart, hull_body, near, outline
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Body, Hull, Pose
from server.kernel.standing import bases, hulls
from server.kernel.state import Figure, State, Unit
from tests.support.position import position, squad

SIZE = (48_000, 48_000)
CARRIER = Hull(5_000, 2_500)


def vehicle(name: str, at: Point | None, facing: int = 0) -> Unit:
    """A vehicle "side-number", 5" by 2.5"."""
    figure = Figure(at, CARRIER.width // 2, hull=CARRIER, facing=facing)
    return Unit(name, name.partition("-")[0], f"Carrier {name}", 1, {}, {"1": figure}, seats=8)


HOUSE = Terrain("house", "The house", "building", rectangle(20_000, 12_000, 24_000, 18_000))
HEDGE = Terrain("hedge", "The hedge", "hedge", ((16_000, 0), (16_000, 8_000)), linear=True)
DRIVER = vehicle("blue-1", (10_000, 10_000))
MATES = squad("blue-2", [(10_000, 13_000), (12_000, 13_000)])
PARKED = vehicle("blue-3", (10_000, 20_000))
RED = squad("red-1", [(10_000, 5_000)])
TANK = vehicle("red-2", (30_000, 10_000), 9_000)
STATE = position(DRIVER, MATES, PARKED, RED, TANK, terrain=(HOUSE, HEDGE))

DRIVE = PathParameter(
    unit="blue-1",
    allowance=12_000,
    barred=("house",),
    avoid=("red-1", "red-2"),
    allowance_rule="drive.far",
    clear=1_000,
    clear_rule="keep.clear",
    limits=(("hedge", 6_000),),
    limits_rule="drive.soft",
)
WALK = replace(DRIVE, unit="blue-2", limits=(), gap=2_000)


def drive(*path: Point, facing: int | None = None, parameter: PathParameter = DRIVE) -> Refusal | None:
    return check_path(STATE, parameter, PathsDeclared({"1": path} if path else {}, facing))


def walk(dx: int, dy: int, parameter: PathParameter = WALK) -> Refusal | None:
    places = {key: f.at for key, f in MATES.figures.items() if f.at is not None}
    return check_path(STATE, parameter, PathsDeclared({k: ((x + dx, y + dy),) for k, (x, y) in places.items()}))


# --- driving --------------------------------------------------------------------------------------------------------


def test_bases_and_hulls_are_told_apart() -> None:
    assert bases(STATE, without=["blue-2"]) == [((10_000, 5_000), 500)]
    assert hulls(STATE, only=["red-2", "red-1"]) == [outline(Pose((30_000, 10_000), 9_000), CARRIER)]
    assert len(hulls(STATE)) == 3


@pytest.mark.parametrize(
    ("path", "facing"),
    [
        ([(13_400, 10_000)], None),  # up to the hedge
        ([(16_000, 10_000)], None),  # through it, not far
        ([(10_000, 9_000)], 0),  # an inch clear of red, turned back
        ([(5_000, 14_000), (5_000, 16_000)], None),
        ([(10_000, 13_000), (10_000, 16_200)], 0),  # through its mates, up to the parked one
        ([], 4_500),  # turning on the spot
        ([], None),
    ],
)
def test_a_legal_drive_is_accepted(path: list[Point], facing: int | None) -> None:
    assert drive(*path, facing=facing) is None


@pytest.mark.parametrize(
    ("path", "facing", "refusal"),
    [
        (
            [(10_000, 9_700), (22_001, 9_700)],
            None,
            Refusal(
                "path_too_long",
                'Carrier blue-1 would use 12.3" of movement; it has 12".',
                "drive.far",
                (22_001, 9_700),
                "1",
            ),
        ),
        (
            [(10_000, 8_000)],
            0,
            Refusal(
                "path_base",
                'The path of Carrier blue-1 comes nearer than 1" to Squad red-1; keep at least so far away.',
                "keep.clear",
                (10_000, 8_990),
                "1",
            ),
        ),
        (
            [(10_000, 12_500)],
            None,
            Refusal(
                "path_base",
                "Carrier blue-1 would end on a figure of Squad blue-2; end next to it.",
                "drive.far",
                (10_000, 12_500),
                "1",
            ),
        ),
        (
            [(10_000, 18_000)],
            None,
            Refusal(
                "path_hull",
                "The path of Carrier blue-1 runs into Carrier blue-3; go around it.",
                "drive.far",
                (10_000, 16_259),
                "1",
            ),
        ),
        (
            [(16_500, 7_200)],
            None,
            Refusal(
                "path_limit",
                'Carrier blue-1 would go 7.1"; a way that enters The hedge is at most 6" long.',
                "drive.soft",
                (16_500, 7_200),
                "1",
            ),
        ),
        (
            [(10_000, 14_000), (18_000, 14_000)],
            None,
            Refusal(
                "path_impassable",
                "The path of Carrier blue-1 runs into The house, which it cannot cross.",
                "drive.far",
                (17_509, 14_000),
                "1",
            ),
        ),
    ],
)
def test_an_illegal_drive_is_refused_with_its_reason(path: list[Point], facing: int | None, refusal: Refusal) -> None:
    assert drive(*path, facing=facing) == refusal


def test_a_vehicle_keeps_clear_of_the_enemys_vehicles_too() -> None:
    far = replace(DRIVE, allowance=40_000, barred=(), limits=())
    refusal = drive((10_000, 9_500), (26_000, 9_500), parameter=far)
    assert refusal is not None
    # Its front 1" before the tank's side at 28.75".
    assert (refusal.code, refusal.rule, refusal.where) == ("path_hull", "keep.clear", (25_260, 9_500))
    assert "Carrier red-2" in refusal.sentence
    assert drive((10_000, 9_500), (25_240, 9_500), parameter=far) is None


def test_a_straight_drive_has_one_leg_and_the_hull_ends_facing_along_it() -> None:
    straight = replace(DRIVE, straight=True, may_stay=False, limits=())
    assert drive((14_000, 10_000), parameter=straight) is None
    assert drive((14_000, 10_000), facing=0, parameter=straight) is None
    bent = Refusal("path_bent", "Carrier blue-1 goes straight to where it ends.", "drive.far")
    assert drive((12_000, 10_000), (14_000, 10_000), parameter=straight) == bent
    askew = Refusal("path_bent", "Carrier blue-1 ends facing along its way.", "drive.far")
    assert drive((14_000, 10_000), facing=4_500, parameter=straight) == askew
    stays = Refusal("path_bent", "Carrier blue-1 has to go somewhere.", "drive.far")
    assert drive(parameter=straight) == drive(facing=0, parameter=straight) == stays


def test_of_a_jump_only_the_length_and_the_end_count() -> None:
    jump = replace(DRIVE, jump=True, limits=(), clear=0, allowance=20_000)
    assert drive((28_000, 15_000), facing=1234, parameter=jump) is None, "through the house and past all others"
    for end, code in (
        ((22_000, 15_000), "path_impassable"),
        ((10_000, 5_000), "path_base"),
        ((10_000, 20_000), "path_hull"),
        ((10_000, 500), "path_table"),
        ((30_000, 15_000), "path_too_long"),
    ):
        refusal = drive(end, parameter=jump)
        assert refusal is not None
        assert refusal.code == code
    twice = drive((20_000, 10_000), (24_000, 20_000), parameter=jump)
    assert twice is not None
    assert twice.code == "path_bent"


def test_ground_off_the_road_costs_more_with_its_reason() -> None:
    why = Why("Off the road each inch costs 2.", "drive.wheels")
    road = Terrain("road", "The road", "road", rectangle(8_000, 8_000, 14_000, 12_000))
    state = position(DRIVER, terrain=(road,))
    wheels = replace(DRIVE, avoid=(), barred=(), limits=(), costly=(("road", 100),), ground=200, dear=why)
    assert check_path(state, wheels, PathsDeclared({"1": ((18_000, 10_000),)})) is None, "4 inches, and 2 times 4"
    refusal = check_path(state, wheels, PathsDeclared({"1": ((18_100, 10_000),)}))
    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("path_too_long", "drive.wheels")
    assert refusal.sentence.endswith('it has 12". Off the road each inch costs 2.')


def test_only_a_vehicle_faces_anywhere() -> None:
    refusal = check_path(STATE, WALK, PathsDeclared({}, 9_000))
    assert refusal is not None
    assert refusal.code == "facing"


# --- on foot among vehicles -----------------------------------------------------------------------------------------


def test_a_path_through_a_hull_or_into_it_is_refused() -> None:
    assert walk(0, 5_000) is None  # up to the parked one: its side is at 18.75", their edges at 18.5"
    assert walk(0, 5_250) is None
    refusal = walk(0, 10_000)
    assert refusal is not None
    assert (refusal.code, refusal.where) == ("path_hull", (10_000, 18_250))
    assert refusal.sentence == "The path of figure 1 runs into Carrier blue-3; go around it."


def test_a_walking_figure_keeps_clear_of_the_enemy() -> None:
    free = replace(WALK, avoid=("red-1", "red-2", "blue-1"), allowance=30_000, barred=())
    refusal = walk(20_000, -500, free)
    assert refusal is not None
    assert (refusal.code, refusal.rule) == ("path_hull", "keep.clear")
    past = squad("blue-2", [(8_000, 3_000)])
    state = position(past, RED)
    one = replace(WALK, gap=0)
    assert check_path(state, one, PathsDeclared({"1": ((12_000, 3_000),)})) is None
    nearer = check_path(state, one, PathsDeclared({"1": ((12_000, 3_001),)}))
    assert nearer is not None
    assert (nearer.code, nearer.rule) == ("path_base", "keep.clear")
    assert nearer.sentence.endswith('comes nearer than 1" to Squad red-1; keep at least so far away.')


def test_some_figures_may_be_held_where_they_are() -> None:
    held = replace(WALK, figures=("2",))
    assert check_path(STATE, held, PathsDeclared({"2": ((12_500, 14_000),)})) is None
    refusal = check_path(STATE, held, PathsDeclared({"1": ((9_000, 14_000),)}))
    assert refusal is not None
    assert refusal.sentence == "Of Squad blue-2 only these figures can move now: 2."


def test_a_way_through_limited_ground_is_short_on_foot_too() -> None:
    state = position(squad("blue-2", [(14_000, 4_000)]), terrain=(HEDGE,))
    limited = replace(WALK, limits=(("hedge", 3_000),), gap=0)
    assert check_path(state, limited, PathsDeclared({"1": ((17_000, 4_000),)})) is None
    assert check_path(state, limited, PathsDeclared({"1": ((15_900, 4_000), (15_900, 8_000))})) is None
    refusal = check_path(state, limited, PathsDeclared({"1": ((17_001, 4_000),)}))
    assert refusal is not None
    assert refusal.code == "path_limit"


def ending(condition: EndCondition, unit: str = "blue-2") -> PathParameter:
    rule = EndRule((condition,), Why("Not there.", "the.rule"))
    return replace(WALK, unit=unit, ends=(rule,), clear=0, avoid=())


def test_ends_are_measured_from_hull_and_base_alike() -> None:
    every, one = EndsNear(("blue-3",), 1_000), EndsNear(("blue-3",), 1_000, 1)
    assert walk(0, 4_250, ending(every)) is None
    assert walk(0, 4_249, ending(every)) == Refusal("path_end", "Not there.", "the.rule")
    lone = PathsDeclared({"1": ((10_000, 17_250),), "2": ((11_500, 16_000),)})
    assert check_path(STATE, ending(one), lone) is None
    assert check_path(STATE, ending(every), lone) is not None
    assert walk(0, 5_240, ending(EndsTouching(("blue-3",)))) is None
    assert walk(0, 5_200, ending(EndsTouching(("blue-3",)))) is not None
    assert walk(0, -500, ending(EndsFarther(("blue-3",)))) is None
    assert walk(2_000, 100, ending(EndsFarther(("blue-3",)))) is not None
    # A hull's own edge counts: turned towards red it comes nearer.
    away = ending(EndsFarther(("red-1",)), "blue-1")
    assert drive((10_000, 10_500), facing=0, parameter=away) is None
    assert drive((10_000, 10_500), facing=9_000, parameter=away) is not None


# --- putting down ---------------------------------------------------------------------------------------------------

ZONE = rectangle(0, 0, 20_000, 10_000)
FRESH = vehicle("blue-9", None)
DEPLOYING = position(FRESH, squad("blue-2", [(3_000, 3_000)]), vehicle("blue-3", (15_000, 5_000)), terrain=(HEDGE,))
DEPLOY = PlacementParameter(("blue-9",), ZONE, (0,), (("hedge",),), ({"1": (8_000, 5_000)},), facings=({"1": 9_000},))


def put(at: Point, facing: int | None = None) -> str | None:
    value = FiguresPlaced(({"1": at},), () if facing is None else ({"1": facing},))
    refusal = check_placement(DEPLOYING, DEPLOY, value)
    return None if refusal is None else refusal.code


def test_a_vehicle_is_placed_wholly_inside_the_zone_and_on_no_base_or_hull() -> None:
    assert put((8_000, 5_000)) is None
    assert put((8_000, 2_500)) is None
    assert put((8_000, 2_400)) == "zone"  # it faces north, as suggested
    assert put((8_000, 1_250), 0) is None
    assert put((18_900, 5_000), 9_000) == "zone"
    assert put((10_000, 5_000), 0) is None  # touching the parked one
    assert put((14_500, 1_300), 0) == "impassable"
    assert put((6_000, 3_000), 0) is None  # touching the man's base
    assert put((5_900, 3_000), 0) == "on_base"
    assert put((10_100, 5_000), 0) == "on_base"


def test_a_figure_cannot_be_placed_in_a_vehicle() -> None:
    state = position(squad("blue-4", [None]), vehicle("blue-3", (15_000, 5_000)))
    parameter = PlacementParameter(("blue-4",), ZONE, (2_000,), ((),), ({"1": (5_000, 5_000)},))
    assert check_placement(state, parameter, FiguresPlaced(({"1": (12_000, 5_000)},))) is None
    refusal = check_placement(state, parameter, FiguresPlaced(({"1": (12_500, 5_000)},)))
    assert refusal is not None
    assert refusal.sentence == "Figure 1 of Squad blue-4 would stand in a vehicle."


def test_units_placed_together_are_barred_by_what_bars_each() -> None:
    state = position(FRESH, squad("blue-4", [None]), terrain=(HEDGE,))
    parameter = PlacementParameter(("blue-9", "blue-4"), ZONE, (0, 0), (("hedge",), ()), ({}, {}), facings=({}, {}))

    def refused(vehicle: Point, man: Point) -> str | None:
        refusal = check_placement(state, parameter, FiguresPlaced(({"1": vehicle}, {"1": man})))
        return refusal.sentence if refusal is not None else None

    assert refused((8_000, 5_000), (16_000, 4_000)) is None
    assert refused((16_000, 4_000), (8_000, 5_000)) == "Carrier blue-9 cannot stand in The hedge."


def test_a_vehicle_finds_free_space_for_itself() -> None:
    ground = Ground(SIZE, [HEDGE], bases(DEPLOYING), None, hulls(DEPLOYING))
    for facing in (0, 9_000, 4_500):
        turned = replace(FRESH, figures={"1": replace(FRESH.figures["1"], facing=facing)})
        places = set_down(turned, ZONE, ground, 0)
        assert check_placement(DEPLOYING, DEPLOY, FiguresPlaced((places,), ({"1": facing},))) is None
    full = Ground(SIZE, [], [((x, y), 500) for x in range(0, 20_001, 2_000) for y in range(0, 10_001, 2_000)])
    assert set_down(FRESH, ZONE, full, 0) == {}


def carried(figures: int, *, facing: int = 3_000) -> tuple[State, Unit, Outline]:
    """A squad aboard a vehicle in the open, and the room round the vehicle."""
    unit = replace(squad("blue-2", [None] * figures), aboard="blue-1")
    state = position(vehicle("blue-1", (10_000, 10_000), facing), unit)
    return state, unit, near(hulls(state)[0], 1_000, 500)


def test_a_squad_that_gets_out_stands_all_round_its_vehicle() -> None:
    state, unit, zone = carried(8)
    places = set_down(unit, zone, Ground(SIZE, [], bases(state), None, hulls(state)), 3_000)
    parameter = PlacementParameter(("blue-2",), zone, (3_000,), ((),), (places,))
    assert check_placement(state, parameter, FiguresPlaced((places,))) is None
    hull = hull_body(Pose((10_000, 10_000), 3_000), CARRIER)
    assert all(apart(Body(at, 500), hull) <= 1_000 for at in places.values())


# --- random answers -------------------------------------------------------------------------------------------------


def sampled(state: State, parameter: PathParameter | PlacementParameter, default: Picked, times: int) -> set[str]:
    """Random answers, every one of them checked."""
    asked = Asked("What now?", (Choice("go", "Go", "", "", (parameter,)),), default)
    chance = random.Random(7)
    found = [sample(state, asked, chance) for _ in range(times)]
    assert all(check(state, asked, picked) is None for picked in found)
    return {str(picked) for picked in found}


def test_random_drives_are_legal_and_many() -> None:
    assert len(sampled(STATE, DRIVE, Picked("go", (PathsDeclared({}),)), 60)) > 40
    assert len(sampled(STATE, replace(DRIVE, allowance=0), Picked("go", (PathsDeclared({}),)), 20)) > 5


def test_random_jumps_and_straight_drives_are_legal_and_many() -> None:
    for way in ({"jump": True}, {"straight": True, "may_stay": False}):
        parameter = replace(DRIVE, limits=(), clear=0, **way)
        assert len(sampled(STATE, parameter, Picked("go", (PathsDeclared({"1": ((12_000, 10_000),)}),)), 60)) > 30


def test_random_walks_keep_clear_and_hold_still_who_must() -> None:
    held = replace(WALK, figures=("2",), gap=4_000)
    assert len(sampled(STATE, held, Picked("go", (PathsDeclared({}),)), 40)) > 20


def test_random_placements_are_legal_and_many() -> None:
    default = Picked("go", (FiguresPlaced(DEPLOY.suggested),))
    assert len(sampled(DEPLOYING, DEPLOY, default, 40)) > 10
    state, unit, zone = carried(6)
    places = set_down(unit, zone, Ground(SIZE, [], bases(state), None, hulls(state)), 3_000)
    out = PlacementParameter(("blue-2",), zone, (3_000,), ((),), (places,))
    assert len(sampled(state, out, Picked("go", (FiguresPlaced((places,)),)), 12)) > 3
