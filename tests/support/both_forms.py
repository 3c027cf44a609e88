"""What comes out of the geometry and of whole games, as hashes: `python -m tests.support.both_forms`.

Printed by one process with the compiled modules and one without, the same lines must come out, to the last bit.
"""

from __future__ import annotations

import hashlib
import random
import sys
from collections.abc import Iterator

from msgspec import Struct

from client_protocol.choices import Picked
from server import compiled
from server.kernel.space import geometry, hulls, paths, walking
from server.kernel.space.areas import Area
from server.kernel.space.costs import Costs
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Hull, Neighbour, Obstacles, Pose
from server.opponents.simulation import play
from server.rulesets.library import editions

ROUNDS = 1500
TABLE = (72_000, 48_000)


def main() -> None:
    print("uncompiled" if compiled.WHY_NOT else "compiled")
    print("structs", digest(structs()))
    print("measured", digest(measured(random.Random(1))))
    for name, rules in editions().items():
        for scenario in rules.info.scenarios:
            print(name, scenario.id, digest(game(name, scenario.id)))


def digest(lines: Iterator[str]) -> str:
    whole = hashlib.sha256()
    for line in lines:
        whole.update(line.encode())
    return whole.hexdigest()


def structs() -> Iterator[str]:
    """How each struct of the server is declared, as far as the rules need it."""
    editions()
    for name, module in sorted(sys.modules.items()):
        for of in vars(module).values() if name.startswith("server.") else ():
            if isinstance(of, type) and issubclass(of, Struct) and of.__module__ == name:
                how = of.__struct_config__
                defaults = ["" if callable(default) else default for default in of.__struct_defaults__]
                yield repr((name, of.__name__, of.__struct_fields__, defaults))
                yield repr((how.frozen, how.gc, how.order, how.eq, how.tag, how.tag_field, how.array_like, how.weakref))


def game(edition: str, scenario: str) -> Iterator[str]:
    """All that happens in a game between random seats: answers, dice, facts."""
    rules = editions()[edition]
    for played in play(rules, rules.open(scenario, {}), 7):
        picked: Picked | None = played.picked
        yield repr((played.seat, picked, played.step.rolls, played.step.facts))


def measured(dice: random.Random) -> Iterator[str]:
    """What the geometry says of random places, to the last bit of each float."""
    for _ in range(ROUNDS):
        # Coarse coordinates too: they meet, and lie in line.
        grain = dice.choice((1, 250, 6000))
        a, b, c, d = (
            (dice.randrange(12_000) // grain * grain, dice.randrange(12_000) // grain * grain) for _ in "abcd"
        )
        outline = tuple((dice.randrange(12) * 1000, dice.randrange(12) * 1000) for _ in range(dice.randrange(3, 7)))
        linear = dice.random() < 0.3
        piece = Terrain("piece", "Piece", "wood", outline, linear=linear)
        hull, pose = Hull(dice.randrange(800, 5000), dice.randrange(800, 3000)), Pose(c, dice.randrange(36_000))
        block = hulls.outline(pose, hull)
        base = dice.randrange(200, 1000)
        yield bits(geometry.distance(a, b), geometry.segment_point_distance(a, b, c), geometry.gap(a, base, b, 400))
        yield bits(
            geometry.segment_distance_to_outline(a, b, (c, d), linear=True), *geometry.between(a, b, dice.random())
        )
        yield bits(*geometry.heading(dice.randrange(36_000)), Area(outline).length(*a, *b, border=linear))
        yield bits(*geometry.crossings(a, b, outline, linear=linear), geometry.area(outline))
        yield bits(*(end for span in Area(outline).spans(*a, *b, border=False) for end in span))
        yield bits(geometry.distance_to_outline(a, outline, linear=linear), hulls.off(d, block))
        yield bits(geometry.segment_distance_to_outline(a, b, outline, linear=linear))
        yield bits(hulls.outline_to_outline(block, outline))
        yield bits(Costs([(piece, 200)]).path((a, b, c)), paths.path_length((a, b, c, d)))
        yield repr((geometry.contains(outline, a), geometry.direction(a, b), geometry.moved(a, pose.facing, 4321.5)))
        yield repr((geometry.bounds(outline), geometry.centroid([a, b, c]), block, hulls.drawn_in(block, 7)))
        yield repr((paths.largest_gap((a, b, c), (base, base, base)), hulls.runs_into(block, outline, linear=linear)))
        around = Obstacles(TABLE, (piece,), (Neighbour("one", ((d, 500),)),), (Neighbour("two", (), (block,)),), 1000)
        yield repr(walking.walk_fault((a, b, c), base, around))


def bits(*numbers: float) -> str:
    """Numbers exactly; a whole one alike whether it is an int or a float."""
    return " ".join(float(number).hex() for number in numbers) + "\n"


if __name__ == "__main__":
    main()
