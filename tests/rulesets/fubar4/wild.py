"""Positions in which units fight hand to hand, vehicles burn and troops ride sooner than in any scenario."""

from __future__ import annotations

import random
from collections.abc import Mapping

from client_protocol.shapes import OptionValue
from server.kernel.state import State
from tests.rulesets.fubar4.battlefield import battle, fubar4, piece, unit, vehicle
from tests.support.tabletop import Row

COLUMN = 13.0
"""Inches from one unit to the next one at its side."""
GUNS = ["light-cannon", "heavy-machine-gun"]


def position(chance: random.Random, options: Mapping[str, OptionValue]) -> State:
    """Return a position with two or three sides of two units each, 4 to 9 inches apart, of every kind: green, heavily
    armoured, half dead, suppressed, On Guard, mounted.

    Between them may stand walls, woods, a bunker with a gun, rubble and rock.
    """
    apart = chance.choice([4.0, 6.0, 9.0])
    sides = ["blue", "red", "green"] if chance.randrange(4) == 0 else ["blue", "red"]
    south = 10.0
    rows: list[Row] = []
    for row, side in enumerate(sides):
        y = south + row * (apart + 1)
        for place in range(2):
            rows += _unit(chance, side, place, 3 + COLUMN * place, y)
    middle = south + (apart + 1) / 2
    between = [
        piece("wall", (2, middle), (12, middle)),
        piece("hedge", (2, middle), (12, middle)),
        piece("woods", (14, south - 1), (26, south + 3)),
        piece("undergrowth", (2, south - 3), (26, south + 4)),
        piece("ruin", (2, south + apart - 1), (14, south + apart + 3)),
        piece(
            "bunker",
            (15, south - 2),
            (26, south + 2),
            flags=[f"mount:{chance.choice(['light-cannon', 'heavy-machine-gun'])}"],
        ),
        piece("cliff", (27, middle - 1), (29, middle + 3)),
        piece("building", (30, south - 2), (38, south + 5)),
    ]
    number = chance.randrange(4)
    options = {**options, "turn_limit": 4}
    terrain = chance.sample(between, number)
    return battle(*rows, terrain=terrain, options=options, phase="turn", turn=0, active="", size=(42, 36))


def _unit(chance: random.Random, side: str, place: int, x: float, y: float) -> list[Row]:
    if chance.randrange(4) == 0:
        return _vehicle(chance, side, place, x + 4, y)
    return [_infantry(chance, side, f"{side}-{place + 1}", x, y)]


def _infantry(chance: random.Random, side: str, name: str, x: float, y: float, **other: object) -> Row:
    book = fubar4().book
    figures = chance.choice([1, 2, 4, 6, 8])
    lost = chance.randrange(figures) if chance.randrange(3) == 0 else 0
    level = chance.choice(list(book.levels))
    suppressed = chance.randrange(min(book.levels[level].max_suppressed, figures - lost) + 1) if not other else 0
    support = [row.id for row in book.weapons.values() if row.kind == "support" and "mounted" not in row.traits]
    arms = [row.id for row in book.weapons.values() if row.kind == "small-arm"]
    arm = chance.choice(["assault-rifle", *arms])
    each: dict[int, dict[str, object]] = {}
    if arm == "assault-rifle" and chance.randrange(2):
        each[1] = {"launcher": True}
    if chance.randrange(2):
        each.setdefault(figures, {}).update({"leader": True, "level": chance.choice(list(book.levels))})
    conditions = chance.choice([(), (), ("on_guard",), ("duck_and_weave",), ("gone_to_ground",), ("lying",)])
    return unit(
        side,
        None if other else (x, y),
        id=name,
        figures=figures,
        level=level,
        arm=arm,
        armour=chance.choice(list(book.armours)),
        support=chance.sample(support, chance.randrange(min(3, figures + 1))),
        each=each,
        lost=lost,
        suppressed=suppressed,
        apart=chance.choice([1.05, 1.5]),
        conditions=() if other else conditions,
        **({"grenades": True} if chance.randrange(2) else {}),
        **other,
    )


def _vehicle(chance: random.Random, side: str, place: int, x: float, y: float) -> list[Row]:
    book = fubar4().book
    name = f"{side}-{place + 1}"
    armour = chance.choice(list(book.vehicle_armours))
    cannon = armour in book.tables.vehicles.cannon_armour
    weapons = ["light-machine-gun", "heavy-machine-gun", "rpg", "light-anti-tank-gun", "flamethrower", "light-mortar"]
    mounts = [
        (
            chance.choice([*weapons, *(["light-cannon", "heavy-cannon"] if cannon else [])]),
            chance.choice(list(book.arcs)),
        )
        for _ in range(chance.choice([1, 2, 3]))
    ]
    carrier = vehicle(
        side,
        (x, y),
        id=name,
        facing=chance.choice([0, 90, 180, 270]),
        level=chance.choice(list(book.levels)),
        armour=armour,
        hull=chance.choice(["car", "carrier"]),
        crew=chance.choice([1, 2, 4]),
        crew_armour=chance.choice(list(book.armours)),
        seats=8,
        weapons=mounts,
        conditions=chance.choice([(), (), ("on_guard",), ("immobilised",), ("stunned",)]),
    )
    if "stunned" in carrier["conditions"]:  # type: ignore[operator]  # it is a tuple
        carrier["stuns"] = 1
    riders = [_infantry(chance, side, f"{name}-riders", 0, 0, aboard=name)] if chance.randrange(2) else []
    return [carrier, *riders]
