"""Writes `refusals.json`: ways of one figure, and the rule by which each is refused, for Python and TypeScript alike.

    python tests/vectors/make_refusals.py          write the file
    python tests/vectors/make_refusals.py --check  fail when the file is not what would be written

Lengths are mil. A case holds where the figure stands and the way it is to go, the pieces of terrain, where enemies and
friends stand, and the parameter as it is on the wire; the answer is the rule of the refusal, null when the way is legal.
"""

from __future__ import annotations

import random
import sys
from pathlib import Path

import msgspec
from msgspec.structs import replace

from client_protocol.choices import EndRule, GoesAway, GroundRule, KeepsInside, PathParameter, PathsDeclared, Why
from server.kernel.answers.paths import check_path
from server.kernel.space.geometry import Point, rectangle
from tests.support.position import position, squad
from tests.vectors.make_paths import Ground, area, line, lines, write_or_check

FILE = Path(__file__).with_name("refusals.json")
RANDOM_CASES = 120
WHOLE_WAY_CASES = 80
START = (24_000, 24_000)
GROUND = (
    area("mire", rectangle(24_000, 26_000, 30_000, 30_000)),
    area("scree", rectangle(28_000, 22_000, 34_000, 27_000)),
    line("brook", ((20_000, 20_000), (34_000, 20_000))),
    area("cliff", rectangle(18_000, 26_000, 21_000, 30_000)),
    area("slope", rectangle(14_000, 20_000, 18_000, 24_000)),
    area("rubble", rectangle(26_000, 14_000, 30_000, 18_000)),
)
ENEMIES = ((24_000, 28_000), (22_000, 21_000))
FAR = ((23_000, 21_000),)
FRIENDS = ((26_000, 22_000),)
MOVE = PathParameter(
    unit="blue-1",
    allowance=6_000,
    costly=(("mire", 200), ("scree", 150), ("brook", 1_000)),
    barred=("cliff", "rubble"),
    avoid=("red-1",),
    allowance_rule="move",
    grounds=(GroundRule("mire", "mud"), GroundRule("brook", "water"), GroundRule("cliff", "rock")),
    base_rule="bases",
    table_rule="table",
    limits=(("slope", 3_000),),
    limits_rule="steep",
    clear_rule="clear",
)
SLOWED = replace(MOVE, allowance=4_000, full=6_000, less=Why("Without its wound it would have 6.", "hurt"))
OFF_ROAD = replace(MOVE, ground=200, dear=Why("Off the road each inch costs 2.", "wheels"))
KEEPS_CLEAR = replace(MOVE, clear=1_000)
RECEDES = replace(MOVE, receding=("red-1",), receding_rule="away")
BARE = replace(MOVE, grounds=(), base_rule="", table_rule="", limits_rule="", clear_rule="", clear=1_000)
AWAY = replace(MOVE, ends=(EndRule((GoesAway(("red-1",)),), Why("Go away.", "away")),))
INSIDE = replace(
    MOVE, ends=(EndRule((KeepsInside(("mire", "scree", "brook")),), Why("Keep to cover.", "inside")),), costly=()
)
WHOLE_WAYS = (AWAY, INSIDE)
PARAMETERS = (MOVE, SLOWED, KEEPS_CLEAR, BARE, RECEDES)


class Case(msgspec.Struct, frozen=True):
    """A path of the only figure of blue-1, from `start`."""

    name: str
    path: tuple[Point, ...]
    parameter: PathParameter
    start: Point = START
    radius: int = 500
    table: Point = (48_000, 48_000)
    ground: tuple[Ground, ...] = GROUND
    enemies: tuple[Point, ...] = ENEMIES
    friends: tuple[Point, ...] = FRIENDS


class Vector(msgspec.Struct, frozen=True):
    """One entry of the file."""

    case: Case
    rule: str | None


def rule(case: Case) -> str | None:
    """Return the rule by which the kernel refuses a case."""
    state = position(
        squad("blue-1", [case.start], radius=case.radius),
        squad("blue-2", list(case.friends)),
        squad("red-1", list(case.enemies)),
        terrain=[piece.terrain() for piece in case.ground],
        size=case.table,
    )
    refusal = check_path(state, case.parameter, PathsDeclared({"1": case.path}))
    return None if refusal is None else refusal.rule


def cases() -> list[Case]:
    """Return all cases of the file, in order."""
    known = [
        Case("a fair way", ((29_000, 24_000),), MOVE),
        Case("too long on open ground", ((24_000, 17_900), (17_000, 17_900)), MOVE),
        Case("too long through the mire alone", ((25_500, 28_500),), MOVE),
        Case("too long over the brook alone", ((24_500, 18_500),), MOVE),
        Case("too long through what has no rule of its own", ((29_500, 24_200), (29_500, 24_800)), MOVE),
        Case("too long for who is slowed alone", ((29_000, 23_500),), SLOWED),
        Case("too long for the slowed, also without that", ((29_500, 23_500), (29_500, 20_500)), SLOWED),
        Case("too dear for the slowed on ground that is near enough", ((25_500, 27_400),), SLOWED),
        Case("too far for the slowed, and dear besides", ((25_500, 28_500),), SLOWED),
        Case("too long off the road", ((29_000, 23_500),), OFF_ROAD),
        Case("too long off the road, and dear besides", ((25_500, 27_400),), OFF_ROAD),
        Case("too long also on the road", ((24_000, 17_000),), OFF_ROAD),
        Case("into the cliff", ((20_000, 27_500),), MOVE),
        Case("into what is barred by no rule of its own", ((28_000, 18_400),), replace(MOVE, allowance=20_000)),
        Case("through an enemy", ((24_000, 28_000),), MOVE),
        Case("onto a friend", ((26_000, 22_500),), MOVE),
        Case("off the table", ((2_000, 400),), MOVE, start=(2_000, 2_000)),
        Case("near to an enemy of whom it keeps clear", ((23_500, 27_200),), KEEPS_CLEAR),
        Case("nearer to an enemy from whom it goes away", ((24_000, 24_100),), RECEDES),
        Case("away from the nearest of two enemies", ((26_000, 25_000),), AWAY),
        Case("away, after a step nearer", ((23_900, 24_000), (28_000, 24_500)), AWAY),
        Case("away from one enemy and nearer to the other", ((24_000, 23_000),), AWAY),
        Case(
            "around an enemy, and as far off as before",
            ((27_500, 29_000),),
            AWAY,
            (25_000, 24_000),
            enemies=((26_500, 26_500),),
        ),
        Case("through two pieces that overlap", ((29_000, 26_500), (31_000, 25_000)), INSIDE, start=(26_000, 28_000)),
        Case("across the corner between two pieces", ((31_000, 25_500),), INSIDE, start=(27_000, 29_000)),
        Case("out of a piece", ((23_900, 27_000),), INSIDE, (26_000, 28_800), enemies=FAR),
        Case("along the border of a piece", ((24_000, 29_500),), INSIDE, (24_000, 26_000), enemies=FAR),
        Case("into a piece from outside", ((25_000, 26_500),), INSIDE),
        Case("far up a slope", ((17_500, 23_000), (16_800, 23_000)), replace(MOVE, allowance=20_000)),
    ]
    dealt = random.Random(20260202)

    def somewhere(around: Point, reach: int) -> Point:
        return (around[0] + dealt.randrange(-reach, reach), around[1] + dealt.randrange(-reach, reach))

    for number in range(RANDOM_CASES):
        start = START if number % 4 else (dealt.randrange(500, 4_000), dealt.randrange(500, 4_000))
        way = [somewhere(start, 5_500)]
        if dealt.randrange(3) == 0:
            way.append(somewhere(way[0], 3_000))
        known.append(Case(f"random {number}", tuple(way), dealt.choice(PARAMETERS), start))
    for number in range(WHOLE_WAY_CASES):
        start = (dealt.randrange(24_000, 34_000), dealt.randrange(22_000, 30_000))
        bends = [somewhere(start, 3_000) for _ in range(1 + dealt.randrange(2))]
        parameter = WHOLE_WAYS[number % 2]
        known.append(Case(f"random whole way {number}", tuple(bends), parameter, start, enemies=FAR))
    return known


def text() -> str:
    """Return the file's content, one case per line."""
    return lines(Vector(case, rule(case)) for case in cases())


if __name__ == "__main__":
    sys.exit(write_or_check(FILE, text()))
