"""Writes `paths.json`: declared paths and what is true of them, for Python and TypeScript alike.

    python tests/vectors/make_paths.py          write the file
    python tests/vectors/make_paths.py --check  fail when the file is not what would be written

Lengths are mil. A case holds a path, the pieces of terrain with their numbers (percent for an area, toll for a
line), what is barred, the units in the way and how clear of them to keep, and a group of bases; and the answers:
the cost rounded to a mil, the pieces that the path leads through, the first fault or null, the widest gap of the
group and whether it keeps within the limit.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections.abc import Iterable
from pathlib import Path

import msgspec

from server.kernel.space.costs import Costs, crossed
from server.kernel.space.geometry import Outline, Point, rectangle, to_mil
from server.kernel.space.hulls import outline as hull_outline
from server.kernel.space.paths import cohesive, largest_gap
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base, Hull, Neighbour, Obstacles, PathFault, Pose
from server.kernel.space.walking import walk_fault

FILE = Path(__file__).with_name("paths.json")
TABLE = (48000, 48000)
RADIUS = 500
RANDOM_CASES = 240


class Ground(msgspec.Struct, frozen=True):
    """A piece of terrain in a path's way. `number` is percent for an area, mil for a line."""

    id: str
    outline: Outline
    linear: bool
    number: int

    def terrain(self) -> Terrain:
        return Terrain(self.id, self.id, "ground", self.outline, linear=self.linear)


class Surroundings(msgspec.Struct, frozen=True, kw_only=True):
    """What every case has: a name, and what may be in the way (see `Obstacles`)."""

    name: str
    table: tuple[int, int] = TABLE
    barred: tuple[Ground, ...] = ()
    avoided: tuple[Neighbour, ...] = ()
    others: tuple[Neighbour, ...] = ()
    clear: int = 0
    over: bool = False
    receding: tuple[str, ...] = ()
    jump: bool = False

    def obstacles(self) -> Obstacles:
        barred = tuple(piece.terrain() for piece in self.barred)
        return Obstacles(self.table, barred, self.avoided, self.others, self.clear, self.over, self.receding, self.jump)


class Case(Surroundings, frozen=True, kw_only=True):
    """A path, a group of bases, and all that is asked about them."""

    path: tuple[Point, ...]
    radius: int = RADIUS
    ground: tuple[Ground, ...] = ()
    plain: int = 100
    centres: tuple[Point, ...] = ()
    radii: tuple[int, ...] = ()
    gap_limit: int = 2000


class Answers(msgspec.Struct, frozen=True):
    """The expected results of a case."""

    cost: int
    crossed: tuple[str, ...]
    fault: PathFault | None
    largest_gap: int
    cohesive: bool


class Vector(msgspec.Struct, frozen=True):
    """One entry of the file."""

    case: Case
    answers: Answers


def answers(case: Case) -> Answers:
    """Return the kernel's results for a case."""
    return Answers(
        cost=to_mil(Costs([(piece.terrain(), piece.number) for piece in case.ground], case.plain).path(case.path)),
        crossed=crossed(case.path, [piece.terrain() for piece in case.ground]),
        fault=walk_fault(case.path, case.radius, case.obstacles()),
        largest_gap=largest_gap(case.centres, case.radii),
        cohesive=cohesive(case.centres, case.radii, case.gap_limit),
    )


def on_bases(name: str, *bases: Base) -> tuple[Neighbour, ...]:
    """Units of one figure each, on these bases: `name` and a number."""
    return tuple(Neighbour(f"{name}{i}", bases=(base,)) for i, base in enumerate(bases))


def vehicles(name: str, *hulls: Outline) -> tuple[Neighbour, ...]:
    """Units of one vehicle each, with these outlines."""
    return tuple(Neighbour(f"{name}{i}", hulls=(hull,)) for i, hull in enumerate(hulls))


def area(name: str, outline: Outline, number: int = 200) -> Ground:
    return Ground(name, outline, linear=False, number=number)


def line(name: str, outline: Outline, toll: int = 0) -> Ground:
    return Ground(name, outline, linear=True, number=toll)


def corner_cases() -> list[Case]:
    """Yield the cases in which two programs are most likely to differ."""
    stream = area("stream", rectangle(0, 10000, 48000, 14000))
    road = area("road", rectangle(0, 10000, 48000, 14000), 100)
    swamp = area("swamp", rectangle(8000, 12000, 16000, 20000), 300)
    notch = area("notch", ((10000, 10000), (20000, 10000), (20000, 20000), (15000, 12000), (10000, 20000)))
    hedge = line("hedge", ((10000, 10000), (14000, 10000), (14000, 16000)), 1000)
    cliff = area("cliff", rectangle(20000, 20000, 24000, 24000))
    fence = line("fence", ((20000, 20000), (20000, 28000)))
    truck = hull_outline(Pose((9000, 7000), 0), Hull(5000, 3000))
    slanted = hull_outline(Pose((9000, 9000), 3000), Hull(5000, 2000))
    across = ((5000, 10000), (5000, 14000))
    return [
        Case(name="nothing at all", path=()),
        Case(name="standing still", path=((5000, 12000),), ground=(stream,)),
        Case(name="a path of one place twice", path=((5000, 12000), (5000, 12000)), ground=(stream,)),
        Case(name="plain ground", path=((5000, 5000), (8000, 9000))),
        Case(name="across a stream from bank to bank", path=across, ground=(stream,)),
        Case(name="off the road", path=((5000, 5000), (8000, 9000)), plain=200),
        Case(name="onto a road", path=((5000, 5000), (5000, 15000)), ground=(road,), plain=200),
        Case(
            name="along a road through a swamp", path=((5000, 13000), (20000, 13000)), ground=(road, swamp), plain=200
        ),
        Case(name="on the edge of a road", path=((5000, 10000), (9000, 10000)), ground=(road,), plain=200),
        Case(name="across a stream and on", path=((5000, 9000), (5000, 15000)), ground=(stream,)),
        Case(name="along the bank", path=((5000, 10000), (9000, 10000)), ground=(stream,)),
        Case(name="one mil inside the bank", path=((5000, 10001), (9000, 10001)), ground=(stream,)),
        Case(name="turning in the stream", path=((5000, 9000), (5000, 12000), (9000, 12000)), ground=(stream,)),
        Case(name="overlap: the dearest counts", path=((12000, 8000), (12000, 22000)), ground=(stream, swamp)),
        Case(name="overlap: whatever the order", path=((12000, 8000), (12000, 22000)), ground=(swamp, stream)),
        Case(name="in, out and in again", path=((9000, 18000), (21000, 18000)), ground=(notch,)),
        Case(name="past a corner", path=((8000, 12000), (12000, 8000)), ground=(notch,)),
        Case(name="through two corners", path=((5000, 5000), (25000, 25000)), ground=(notch,)),
        Case(name="over a hedge", path=((12000, 8000), (12000, 12000)), ground=(hedge,)),
        Case(name="over a hedge's corner", path=((12000, 8000), (16000, 12000)), ground=(hedge,)),
        Case(name="onto a hedge", path=((12000, 8000), (12000, 10000)), ground=(hedge,)),
        Case(name="off a hedge", path=((12000, 10000), (12000, 8000)), ground=(hedge,)),
        Case(name="onto and off", path=((12000, 8000), (12000, 10000), (12000, 12000)), ground=(hedge,)),
        Case(name="a hedge twice", path=((12000, 8000), (12000, 12000), (16000, 12000)), ground=(hedge,)),
        Case(name="to the edge", path=((5000, 5000), (500, 5000))),
        Case(name="one mil over the edge", path=((5000, 5000), (499, 5000))),
        Case(name="off the far corner", path=((40000, 40000), (50000, 49000))),
        Case(name="out and back", path=((5000, 5000), (-2000, 5000), (5000, 6000))),
        Case(name="from the edge back in", path=((200, 5000), (3000, 5000))),
        Case(name="touching a cliff", path=((19500, 10000), (19500, 30000)), barred=(cliff,)),
        Case(name="one mil too near a cliff", path=((19501, 10000), (19501, 30000)), barred=(cliff,)),
        Case(name="into a cliff", path=((10000, 22000), (22000, 22000)), barred=(cliff,)),
        Case(name="round a cliff's corner", path=((15000, 22000), (22000, 15000)), barred=(cliff,)),
        Case(name="shaving a cliff's corner", path=((19000, 20100), (20100, 19000)), barred=(cliff,)),
        Case(name="out of a cliff", path=((22000, 22000), (22000, 30000)), barred=(cliff,)),
        Case(name="deeper into a cliff", path=((19700, 22000), (19800, 22000)), barred=(cliff,)),
        Case(name="away from a cliff", path=((19700, 22000), (15000, 22000)), barred=(cliff,)),
        Case(name="through a fence", path=((18000, 24000), (22000, 24000)), barred=(fence,)),
        Case(name="round a fence's end", path=((18000, 28500), (22000, 28500)), barred=(fence,)),
        Case(name="too near a fence's end", path=((18000, 28499), (22000, 28499)), barred=(fence,)),
        Case(name="touching a base", path=((5000, 5000), (9000, 5000)), avoided=on_bases("foe", ((7000, 6000), 500))),
        Case(name="grazing a base", path=((5000, 5001), (9000, 5001)), avoided=on_bases("foe", ((7000, 6000), 500))),
        Case(name="through a base", path=((5000, 5000), (9000, 5000)), avoided=on_bases("foe", ((7000, 5200), 500))),
        Case(name="onto a base", path=((5000, 5000), (6800, 5000)), avoided=on_bases("foe", ((7000, 5000), 500))),
        Case(name="up to a base", path=((5000, 5000), (6000, 5000)), avoided=on_bases("foe", ((7000, 5000), 500))),
        Case(name="out of a base", path=((5000, 5000), (3000, 5000)), avoided=on_bases("foe", ((5600, 5000), 500))),
        Case(
            name="the nearer of two bases",
            path=((5000, 5000), (20000, 5000)),
            avoided=on_bases("foe", ((15000, 5000), 500), ((9000, 5000), 750)),
        ),
        Case(
            name="a base before the cliff before the edge",
            path=((10000, 22000), (60000, 22000)),
            barred=(cliff,),
            avoided=on_bases("foe", ((15000, 22400), 500)),
        ),
        Case(
            name="wrong only on the second leg",
            path=((5000, 22000), (10000, 30000), (22000, 22000)),
            barred=(cliff,),
        ),
        Case(name="touching a hull", path=((5000, 5000), (13000, 5000)), others=vehicles("truck", truck)),
        Case(name="one mil into a hull", path=((5000, 5001), (13000, 5001)), others=vehicles("truck", truck)),
        Case(name="into a hull's front", path=((15000, 7000), (5000, 7000)), others=vehicles("truck", truck)),
        Case(name="round a hull's corner", path=((5000, 7000), (12000, 12000)), others=vehicles("truck", slanted)),
        Case(name="out of a hull", path=((9000, 6800), (9000, 15000)), others=vehicles("truck", truck)),
        Case(name="deeper into a hull", path=((9000, 5100), (9000, 5600)), others=vehicles("truck", truck)),
        Case(
            name="a base kept clear of",
            path=((5000, 5000), (9000, 5000)),
            avoided=on_bases("foe", ((7000, 7000), 500)),
            clear=1000,
        ),
        Case(
            name="a base one mil too near",
            path=((5000, 5001), (9000, 5001)),
            avoided=on_bases("foe", ((7000, 7000), 500)),
            clear=1000,
        ),
        Case(
            name="away from a base too near to begin with",
            path=((6500, 5500), (4000, 5000)),
            avoided=on_bases("foe", ((7000, 7000), 500)),
            clear=1000,
        ),
        Case(
            name="nearer to a base too near to begin with",
            path=((6500, 5500), (7000, 5500)),
            avoided=on_bases("foe", ((7000, 7000), 500)),
            clear=1000,
        ),
        Case(
            name="a hull kept clear of", path=((5000, 4000), (13000, 4000)), avoided=vehicles("tank", truck), clear=1000
        ),
        Case(
            name="a hull not kept clear of",
            path=((5000, 4001), (13000, 4001)),
            avoided=vehicles("tank", truck),
            clear=1000,
        ),
        Case(
            name="between a friend's hull and an enemy's",
            path=((5000, 4500), (13000, 4500)),
            others=vehicles("truck", truck),
            avoided=vehicles("tank", slanted),
            clear=1000,
        ),
        Case(
            name="over a cliff, a hull and a base",
            path=((5000, 22000), (40000, 22000)),
            barred=(cliff,),
            others=vehicles("truck", truck),
            avoided=on_bases("foe", ((15000, 22000), 500)),
            over=True,
        ),
        Case(name="over a cliff, ending on it", path=((5000, 22000), (22000, 22000)), barred=(cliff,), over=True),
        Case(
            name="over all, one mil too near a base at its end",
            path=((5000, 5000), (20000, 20000)),
            avoided=on_bases("foe", ((20000, 21999), 500)),
            clear=1000,
            over=True,
        ),
        Case(
            name="over all, as near as it may end to a base",
            path=((5000, 5000), (20000, 20000)),
            avoided=on_bases("foe", ((20000, 22000), 500)),
            clear=1000,
            over=True,
        ),
        Case(
            name="over all, no nearer than it may although it began so",
            path=((7000, 5500), (7000, 8500)),
            avoided=on_bases("foe", ((7000, 7000), 500)),
            clear=1000,
            over=True,
        ),
        Case(
            name="over all, ending next to a friend's hull and too near an enemy's",
            path=((5000, 20000), (5000, 4500)),
            others=vehicles("truck", truck),
            avoided=vehicles("tank", slanted),
            clear=3000,
            over=True,
        ),
        Case(
            name="sideways past a base to which it comes no nearer",
            path=((9000, 5000), (4000, 5000)),
            avoided=on_bases("foe", ((9000, 9000), 500)),
            receding=("foe0",),
        ),
        Case(
            name="one mil nearer to a base to which it comes no nearer",
            path=((9000, 5000), (4000, 5000), (9000, 5001)),
            avoided=on_bases("foe", ((9000, 9000), 500)),
            receding=("foe0",),
        ),
        Case(
            name="nearer to the farther figure of a unit to which it comes no nearer",
            path=((9000, 5000), (15000, 5000)),
            avoided=(Neighbour("foe", bases=(((9000, 9000), 500), ((15000, 9500), 500))),),
            receding=("foe",),
        ),
        Case(
            name="nearer to a hull to which it comes no nearer",
            path=((9000, 14000), (9000, 13999)),
            avoided=vehicles("tank", slanted),
            receding=("tank0",),
        ),
        Case(
            name="too near to begin with to a base to which it comes no nearer",
            path=((6500, 5500), (4000, 5000), (6600, 5500)),
            avoided=on_bases("foe", ((7000, 7000), 500)),
            clear=1000,
            receding=("foe0",),
        ),
        Case(name="over the edge in flight", path=((5000, 5000), (-1000, 5000), (9000, 5000)), over=True),
        Case(name="one alone keeps together", path=(), centres=((5000, 5000),), radii=(500,)),
        Case(
            name="a chain just within the limit",
            path=(),
            centres=((5000, 5000), (8000, 5000), (11000, 5000)),
            radii=(500, 500, 500),
        ),
        Case(
            name="a chain one mil too wide",
            path=(),
            centres=((5000, 5000), (8000, 5000), (11001, 5000)),
            radii=(500, 500, 500),
        ),
        Case(
            name="two pairs apart",
            path=(),
            centres=((5000, 5000), (6000, 5000), (20000, 5000), (21000, 5000)),
            radii=(500, 500, 500, 500),
        ),
        Case(
            name="overlapping bases have no gap below nothing",
            path=(),
            centres=((5000, 5000), (5200, 5000)),
            radii=(500, 750),
            gap_limit=0,
        ),
    ]


class Dealer:
    """Random cases, the same on every machine: only `random()` is used, whose sequence Python guarantees."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)

    def number(self, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`, both included."""
        return low + int(self._random.random() * (high - low + 1))

    def point(self, low: int = 0, high: int = 48000) -> Point:
        """Return a place, often on the half inch, where things line up."""
        x, y = self.number(low, high), self.number(low, high)
        return (x - x % 500, y - y % 500) if self.number(1, 3) == 1 else (x, y)

    def around(self, centre: Point, reach: int) -> Point:
        """Return a place not far from another."""
        return (centre[0] + self.number(-reach, reach), centre[1] + self.number(-reach, reach))

    def outline(self, centre: Point) -> Outline:
        """Return a rectangle, a triangle, a kite or a concave shape around a centre."""
        x, y = centre
        w, h = self.number(800, 6000), self.number(800, 6000)
        shape = self.number(1, 4)
        if shape == 1:
            return rectangle(x - w, y - h, x + w, y + h)
        if shape == 2:
            return ((x - w, y - h), (x + w, y), (x, y + h))
        if shape == 3:
            return ((x - w, y), (x, y - h), (x + w, y), (x, y + h))
        return ((x - w, y - h), (x + w, y - h), (x + w, y + h), (x, y - h // 2), (x - w, y + h))

    def parked(self, at: Point) -> Outline:
        """Return a vehicle, often square to the table."""
        facing = self.number(0, 3) * 9000 if self.number(1, 3) == 1 else self.number(0, 35999)
        return hull_outline(Pose(at, facing), Hull(self.number(6, 14) * 500, self.number(4, 7) * 500))

    def case(self, name: str) -> Case:
        """Return a path of one to three legs over pieces and past bases near it."""
        start = self.point(1000, 47000)
        path = [start]
        for _ in range(self.number(1, 3)):
            path.append(self.around(path[-1], 9000))
        ground = []
        for i in range(self.number(0, 4)):
            centre = self.around(path[self.number(0, len(path) - 1)], 4000)
            if self.number(1, 4) == 1:
                bend = self.around(centre, 5000)
                ground.append(line(f"l{i}", (centre, bend, self.around(bend, 5000)), self.number(0, 4) * 500))
            else:
                ground.append(area(f"a{i}", self.outline(centre), 100 + 50 * self.number(0, 4)))
        barred = []
        for i in range(self.number(0, 2)):
            centre = self.around(path[-1], 9000)
            if self.number(1, 3) == 1:
                barred.append(line(f"w{i}", (centre, self.around(centre, 5000))))
            else:
                barred.append(area(f"i{i}", self.outline(centre)))
        foes = [(self.around(path[-1], 8000), self.number(2, 4) * 250) for _ in range(self.number(0, 4))]
        trucks = [self.parked(self.around(path[-1], 8000)) for _ in range(self.number(0, 3) // 2)]
        tanks = [self.parked(self.around(path[-1], 8000)) for _ in range(self.number(0, 3) // 2)]
        middle = self.point(5000, 43000)
        centres = tuple(self.around(middle, 4000) for _ in range(self.number(1, 8)))
        avoided = on_bases("foe", *foes) + vehicles("tank", *tanks)
        return Case(
            name=name,
            path=tuple(path),
            radius=self.number(2, 4) * 250,
            ground=tuple(ground),
            barred=tuple(barred),
            avoided=avoided,
            others=vehicles("truck", *trucks),
            clear=self.number(0, 2) * 500,
            centres=centres,
            radii=tuple(self.number(2, 4) * 250 for _ in centres),
            gap_limit=self.number(2, 8) * 500,
            receding=tuple(one.unit for one in avoided if self.number(1, 4) == 1),
        )


def cases() -> list[Case]:
    """Return all cases of the file, in order."""
    dealer = Dealer(20260101)
    return corner_cases() + [dealer.case(f"random {i}") for i in range(RANDOM_CASES)]


def text() -> str:
    """Return the file's content, one case per line."""
    return lines(Vector(case, answers(case)) for case in cases())


def lines(vectors: Iterable[msgspec.Struct]) -> str:
    """Return a file of vectors, one per line."""
    written = (json.dumps(msgspec.to_builtins(vector), separators=(",", ":")) for vector in vectors)
    return "[\n" + ",\n".join(written) + "\n]\n"


def write_or_check(file: Path, content: str) -> int:
    """Write a file of vectors, or with `--check` compare it; return the exit code."""
    parser = argparse.ArgumentParser(description=f"Write or check {file.name}.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    if not parser.parse_args().check:
        file.write_text(content, encoding="utf-8")
        return 0
    if file.read_text(encoding="utf-8") == content:
        return 0
    print(f"{file.name} is not what is written for it", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(write_or_check(FILE, text()))
