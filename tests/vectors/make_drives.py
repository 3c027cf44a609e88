"""Writes `drives.json`: ways of vehicles and what is true of them, for Python and TypeScript alike.

    python tests/vectors/make_drives.py          write the file
    python tests/vectors/make_drives.py --check  fail when the file is not what would be written

Lengths are mil. A case holds how a hull stands, its path and facing at the end, what is barred, the units in the way,
and the ground it may drive through; and the answers: its outline, where it ends, the first fault or null, the pieces
it enters, and how far it stands from each base and hull, rounded to a mil, and whether over it.
"""

from __future__ import annotations

import sys
from pathlib import Path

import msgspec

from server.kernel.space.driving import drive_fault, end_pose, entered
from server.kernel.space.geometry import Outline, Point, rectangle, to_mil
from server.kernel.space.hulls import base_to_outline, hull_overlaps, outline, outline_to_outline, overlaps_hull
from server.kernel.space.values import Hull, PathFault, Pose
from tests.vectors.make_paths import (
    Dealer,
    Ground,
    Surroundings,
    area,
    line,
    lines,
    on_bases,
    vehicles,
    write_or_check,
)

FILE = Path(__file__).with_name("drives.json")
RANDOM_CASES = 260
RANDOM_FLIGHTS = 60
TRUCK = Hull(5000, 2500)


class Case(Surroundings, frozen=True, kw_only=True):
    """A vehicle, its path, and everything that it may meet. One that flies goes `over` it."""

    pose: Pose
    path: tuple[Point, ...]
    facing: int | None = None
    hull: Hull = TRUCK
    ground: tuple[Ground, ...] = ()


class Answers(msgspec.Struct, frozen=True):
    """The expected results of a case."""

    outline: Outline
    end: Outline
    fault: PathFault | None
    entered: tuple[str, ...]
    to_bases: tuple[int, ...]
    to_hulls: tuple[int, ...]
    over_bases: tuple[bool, ...]
    over_hulls: tuple[bool, ...]


class Vector(msgspec.Struct, frozen=True):
    """One entry of the file."""

    case: Case
    answers: Answers


def answers(case: Case) -> Answers:
    """Return the kernel's results for a case."""
    stands = outline(case.pose, case.hull)
    path, obstacles = case.path, case.obstacles()
    bases, hulls = obstacles.bases(), obstacles.hulls()
    return Answers(
        outline=stands,
        end=outline(end_pose(case.pose, path, case.facing), case.hull),
        fault=drive_fault(case.pose, path, case.facing, case.hull, obstacles),
        entered=entered(path, case.facing, case.hull, [piece.terrain() for piece in case.ground]),
        to_bases=tuple(to_mil(base_to_outline(at, radius, stands)) for at, radius in bases),
        to_hulls=tuple(to_mil(outline_to_outline(stands, other)) for other in hulls),
        over_bases=tuple(overlaps_hull(at, radius, (stands,)) for at, radius in bases),
        over_hulls=tuple(hull_overlaps(stands, (), (other,)) for other in hulls),
    )


def corner_cases() -> list[Case]:
    """Yield the cases in which two programs, or a rule and its implementation, are most likely to differ."""
    here = (10000, 10000)
    east, north = Pose(here, 0), Pose(here, 9000)
    house = area("house", rectangle(20000, 6000, 26000, 14000))
    hedge = line("hedge", ((16000, 4000), (16000, 16000)))
    low = line("low", ((4000, 11250), (30000, 11250)))
    woods = area("woods", rectangle(14000, 11000, 20000, 20000))
    man = ((15000, 10000), 500)
    close = ((10000, 11750), 500)
    wall = line("wall", ((0, 8750), (40000, 8750)))
    friend = outline(Pose((20000, 10000), 9000), TRUCK)
    return [
        Case(name="standing still", pose=east, path=(here,)),
        Case(name="straight on", pose=east, path=(here, (20000, 10000))),
        Case(name="an odd facing", pose=Pose(here, 1234), path=(here, (17000, 13000)), facing=35999),
        Case(name="a hull of odd size", pose=Pose(here, 13501), path=(here, (9999, 10001)), hull=Hull(4001, 2333)),
        Case(name="the same place twice", pose=east, path=(here, here)),
        Case(name="up to the edge", pose=east, path=(here, (45500, 10000))),
        Case(name="over the edge", pose=east, path=(here, (45600, 10000))),
        Case(name="a corner over the edge", pose=east, path=(here, (44500, 10000), (46000, 12000))),
        Case(name="along the edge", pose=Pose((10000, 1250), 0), path=((10000, 1250), (30000, 1250))),
        Case(name="away from the edge", pose=Pose((10000, 1250), 0), path=((10000, 1250), (10000, 9000))),
        Case(name="a nudge away from the edge", pose=Pose((10000, 1250), 0), path=((10000, 1250), (10000, 2000))),
        Case(name="turning its tail over the edge", pose=Pose((10000, 1250), 0), path=((10000, 1250),), facing=9000),
        Case(
            name="jumping away from the edge",
            pose=Pose((10000, 1250), 0),
            path=((10000, 1250), (10000, 9000)),
            jump=True,
        ),
        Case(name="jumping over the edge", pose=east, path=(here, (45600, 10000)), jump=True),
        Case(name="jumping into a house", pose=east, path=(here, (18000, 10000)), barred=(house,), jump=True),
        Case(name="jumping past a house", pose=east, path=(here, (40000, 10000)), barred=(house,), jump=True),
        Case(
            name="jumping onto a man", pose=east, path=(here, (17000, 10000)), avoided=on_bases("foe", man), jump=True
        ),
        Case(
            name="jumping over a man", pose=east, path=(here, (25000, 10000)), avoided=on_bases("foe", man), jump=True
        ),
        Case(name="turning on the spot", pose=east, path=(here,), facing=9000),
        Case(name="turning into a wall", pose=east, path=(here,), facing=9000, barred=(wall,)),
        Case(name="along a wall", pose=east, path=(here, (30000, 10000)), barred=(wall,)),
        Case(name="away from a wall", pose=east, path=(here, (10000, 20000)), barred=(wall,)),
        Case(name="through a wall", pose=east, path=(here, (10000, 3000)), barred=(wall,)),
        Case(name="up to a house", pose=east, path=(here, (17500, 10000)), barred=(house,)),
        Case(name="into a house", pose=east, path=(here, (18000, 10000)), barred=(house,)),
        Case(name="past a house", pose=east, path=(here, (10000, 15250), (30000, 15250)), barred=(house,)),
        Case(name="shaving a house", pose=east, path=(here, (10000, 15200), (30000, 15200)), barred=(house,)),
        Case(
            name="round the corner of a house",
            pose=east,
            path=(here, (18000, 18000), (28500, 18000), (28500, 4000)),
            barred=(house,),
            ground=(house, woods, hedge),
        ),
        Case(
            name="standing in a house one may leave it",
            pose=Pose((21000, 10000), 0),
            path=((21000, 10000), (10000, 10000)),
            barred=(house,),
        ),
        Case(name="through a hedge", pose=east, path=(here, (20000, 10000)), ground=(hedge, low, woods)),
        Case(name="through woods", pose=east, path=(here, (20000, 10200)), ground=(hedge, low, woods)),
        Case(name="the tail in the woods", pose=east, path=(here, (17000, 9750)), facing=9000, ground=(hedge, woods)),
        Case(name="around the hedge", pose=north, path=(here, (10000, 20000), (20000, 20000)), ground=(hedge,)),
        Case(name="onto a man", pose=east, path=(here, (20000, 10000)), avoided=on_bases("foe", man)),
        Case(name="up to a man", pose=east, path=(here, (12000, 10000)), avoided=on_bases("foe", man)),
        Case(name="near a man", pose=east, path=(here, (11000, 10000)), avoided=on_bases("foe", man), clear=1000),
        Case(name="too near a man", pose=east, path=(here, (11100, 10000)), avoided=on_bases("foe", man), clear=1000),
        Case(
            name="past a man",
            pose=east,
            path=(here, (11000, 13000), (19000, 13000)),
            avoided=on_bases("foe", man),
            clear=1000,
        ),
        Case(
            name="away from a man next to it",
            pose=east,
            path=(here, (10000, 4000)),
            avoided=on_bases("foe", close),
            clear=1000,
        ),
        Case(
            name="towards a man next to it",
            pose=east,
            path=(here, (10000, 11000)),
            avoided=on_bases("foe", close),
            clear=1000,
        ),
        Case(
            name="on past a man next to it",
            pose=east,
            path=(here, (14000, 10000)),
            avoided=on_bases("foe", close),
            clear=1000,
        ),
        Case(
            name="turning next to a man",
            pose=east,
            path=(here,),
            facing=300,
            avoided=on_bases("foe", close),
            clear=1000,
        ),
        Case(
            name="turning next to a man, twice told",
            pose=east,
            path=(here, here),
            facing=100,
            avoided=on_bases("foe", close),
            clear=500,
        ),
        Case(
            name="turning onto a man", pose=east, path=(here,), facing=9000, avoided=on_bases("foe", close), clear=1000
        ),
        Case(name="past a friend", pose=east, path=(here, (20000, 10000)), others=on_bases("friend", man)),
        Case(name="onto a friend", pose=east, path=(here, (14000, 10000)), others=on_bases("friend", man)),
        Case(name="into a hull", pose=east, path=(here, (20000, 10000)), others=vehicles("truck", friend)),
        Case(name="up to a hull", pose=east, path=(here, (16250, 10000)), others=vehicles("truck", friend)),
        Case(
            name="clear of a hull", pose=east, path=(here, (15250, 10000)), avoided=vehicles("tank", friend), clear=1000
        ),
        Case(
            name="not clear of a hull",
            pose=east,
            path=(here, (15270, 10000)),
            avoided=vehicles("tank", friend),
            clear=1000,
        ),
        Case(
            name="away from a hull too near to begin with",
            pose=Pose((15500, 10000), 0),
            path=((15500, 10000), (12000, 10000)),
            avoided=vehicles("tank", friend),
            clear=1000,
        ),
        Case(
            name="nearer to a hull too near to begin with",
            pose=Pose((15500, 10000), 0),
            path=((15500, 10000), (15600, 10000)),
            others=vehicles("truck", outline(Pose((30000, 10000), 0), TRUCK)),
            avoided=vehicles("tank", friend),
            clear=1000,
        ),
        Case(
            name="one hull inside another",
            pose=Pose((20000, 10000), 0),
            path=((20000, 10000),),
            others=vehicles("truck", friend),
        ),
        Case(
            name="out of a hull",
            pose=Pose((19000, 10000), 0),
            path=((19000, 10000), (10000, 10000)),
            others=vehicles("truck", friend),
        ),
        Case(
            name="not all the way out of a hull",
            pose=Pose((19000, 10000), 0),
            path=((19000, 10000), (18000, 10000)),
            others=vehicles("truck", friend),
        ),
        Case(
            name="the nearest of all stops it",
            pose=east,
            path=(here, (60000, 10000)),
            barred=(house,),
            avoided=on_bases("foe", ((30000, 10000), 500), man),
            others=vehicles("truck", friend),
            clear=500,
        ),
    ]


def flights() -> list[Case]:
    """Yield the ways of vehicles that go over everything, and how they land."""
    here, east = (10000, 10000), Pose((10000, 10000), 0)
    house = area("house", rectangle(20000, 6000, 26000, 14000))
    woods = area("woods", rectangle(30000, 6000, 36000, 14000))
    low = line("low", ((16000, 4000), (16000, 16000)))
    man, close = ((15000, 10000), 500), ((10000, 11750), 500)
    truck = outline(Pose((20000, 10000), 9000), TRUCK)
    return [
        Case(name="a flight over a house", pose=east, path=(here, (33000, 10000)), barred=(house,), over=True),
        Case(
            name="a flight that ends over a house", pose=east, path=(here, (23000, 10000)), barred=(house,), over=True
        ),
        Case(
            name="a flight that ends against a house",
            pose=east,
            path=(here, (17500, 10000)),
            barred=(house,),
            over=True,
        ),
        Case(
            name="a flight over a man", pose=east, path=(here, (22000, 10000)), avoided=on_bases("foe", man), over=True
        ),
        Case(
            name="a flight that ends on a man",
            pose=east,
            path=(here, (15500, 10000)),
            avoided=on_bases("foe", man),
            over=True,
        ),
        Case(
            name="a flight that ends too near a man",
            pose=east,
            path=(here, (19000, 10000)),
            facing=18000,
            avoided=on_bases("foe", man),
            clear=2000,
            over=True,
        ),
        Case(
            name="a flight over a hull",
            pose=east,
            path=(here, (30000, 10000)),
            others=vehicles("truck", truck),
            over=True,
        ),
        Case(
            name="a flight that ends on a hull",
            pose=east,
            path=(here, (20000, 10000)),
            others=vehicles("truck", truck),
            over=True,
        ),
        Case(name="a flight over the edge", pose=east, path=(here, (46000, 10000)), over=True),
        Case(name="a flight out and back", pose=east, path=(here, (60000, 10000), (30000, 10000)), over=True),
        Case(
            name="taking off next to a man and a house",
            pose=Pose((17500, 10000), 0),
            path=((17500, 10000), (40000, 10000)),
            barred=(house,),
            avoided=on_bases("foe", ((17500, 11750), 500)),
            clear=1000,
            over=True,
        ),
        Case(
            name="turning in the air over a house",
            pose=Pose((23000, 10000), 0),
            path=((23000, 10000),),
            facing=9000,
            barred=(house,),
            over=True,
        ),
        Case(
            name="turning in the air onto a man",
            pose=east,
            path=(here,),
            facing=9000,
            avoided=on_bases("foe", close),
            over=True,
        ),
        # What a flyer lands on is the ground under its hull.
        *(
            Case(
                name=f"landing {name}", pose=Pose(at, facing), path=(at,), facing=facing, ground=(low, woods), over=True
            )
            for name, at, facing in (
                ("on open ground", (40500, 10000), 0),
                ("in the woods", (33000, 10000), 0),
                ("across a wall", (15000, 10000), 4500),
                ("against the woods", (27500, 10000), 0),
                ("with its nose in the woods", (28000, 10000), 0),
            )
        ),
    ]


class Drivers(Dealer):
    """Random vehicles and their paths."""

    def drive(self, name: str) -> Case:
        """Return a path of up to three legs near houses, hedges, men and other vehicles."""
        start = self.point(2000, 46000)
        path = [start]
        for _ in range(self.number(0, 3)):
            path.append(self.around(path[-1], 9000))
        ground = []
        for i in range(self.number(0, 3)):
            centre = self.around(path[self.number(0, len(path) - 1)], 6000)
            if self.number(1, 3) == 1:
                ground.append(line(f"l{i}", (centre, self.around(centre, 5000))))
            else:
                ground.append(area(f"a{i}", self.outline(centre)))
        barred = tuple(piece for piece in ground if self.number(1, 3) == 1)
        foes = [(self.around(path[-1], 8000), self.number(2, 4) * 250) for _ in range(self.number(0, 3))]
        friends = [(self.around(path[-1], 8000), 500) for _ in range(self.number(0, 2))]
        trucks = [self.parked(self.around(path[-1], 9000)) for _ in range(self.number(0, 2))]
        tanks = [self.parked(self.around(path[-1], 9000)) for _ in range(self.number(0, 3) // 2)]
        return Case(
            name=name,
            pose=Pose(start, self.number(0, 35999)),
            path=tuple(path),
            facing=self.number(0, 35999) if self.number(1, 2) == 1 else None,
            hull=Hull(self.number(6, 14) * 500, self.number(1500, 3500)),
            ground=tuple(ground),
            barred=barred,
            avoided=on_bases("foe", *foes) + vehicles("tank", *tanks),
            others=vehicles("truck", *trucks) + on_bases("friend", *friends),
            clear=self.number(0, 2) * 500,
        )


def cases() -> list[Case]:
    """Return all cases of the file, in order."""
    dealer, pilot = Drivers(20260202), Drivers(20261123)
    driven = [dealer.drive(f"random {i}") for i in range(RANDOM_CASES)]
    flown = [msgspec.structs.replace(pilot.drive(f"random flight {i}"), over=True) for i in range(RANDOM_FLIGHTS)]
    return corner_cases() + driven + flights() + flown


def text() -> str:
    """Return the file's content, one case per line."""
    return lines(Vector(case, answers(case)) for case in cases())


if __name__ == "__main__":
    sys.exit(write_or_check(FILE, text()))
