"""Illegal paths of a squad, whatever its action, each with the code of its refusal."""

from __future__ import annotations

from collections.abc import Callable

from client_protocol.choices import PathParameter, PathsDeclared, Prompt
from client_protocol.client import Table
from client_protocol.shapes import Point
from client_protocol.view import View
from tests.system.play import standing

CLEAR = 2_500
"""How much farther than its coherency (mil) a figure is sent to leave its squad."""

BASE = 700
"""More than the radius of a base (mil)."""

Way = tuple[str, Callable[[View, PathParameter], PathsDeclared]]


def ways(prompt: Prompt) -> list[tuple[str, PathParameter]]:
    """Return the choices that may be taken and need only a path, the farthest first."""
    found = [
        (choice.key, parameter)
        for choice in prompt.choices
        if choice.why is None and len(choice.parameters) == 1
        for parameter in choice.parameters
        if isinstance(parameter, PathParameter) and not parameter.ends
    ]
    return sorted(found, key=lambda row: -row[1].allowance)


def forward(view: View, way: PathParameter) -> int:
    """Return 1 if the enemy is up the table, -1 if down."""
    return 1 if view.units[way.unit].side == "blue" else -1


def lead(view: View, way: PathParameter) -> tuple[str, Point]:
    """Return the figure that is nearest to the enemy, and where it stands."""
    return max(standing(view, way.unit).items(), key=lambda row: (row[1][1] * forward(view, way), row[0]))


def everybody(view: View, way: PathParameter, dx: int, dy: int) -> PathsDeclared:
    return PathsDeclared({key: ((x + dx, y + dy),) for key, (x, y) in standing(view, way.unit).items()})


def one(view: View, way: PathParameter, *points: Point) -> PathsDeclared:
    return PathsDeclared({lead(view, way)[0]: points})


def off_the_table(view: View, way: PathParameter) -> PathsDeclared:
    return one(view, way, (lead(view, way)[1][0], 24_000 - 24_400 * forward(view, way)))


def through_rock(table: Table, way: PathParameter) -> PathsDeclared | None:
    """Yield a path into the middle of impassable ground, if there is any."""
    assert table.snapshot is not None
    rocks = [piece.outline for piece in table.snapshot.table.terrain if piece.id in way.barred and not piece.linear]
    if not rocks:
        return None
    middle = tuple(round(sum(at[axis] for at in rocks[0]) / len(rocks[0])) for axis in (0, 1))
    return one(table.view, way, (middle[0], middle[1]))


def too_long(view: View, way: PathParameter) -> PathsDeclared:
    return everybody(view, way, 0, (way.allowance + 1) * forward(view, way))


def there_and_back(view: View, way: PathParameter) -> PathsDeclared:
    x, y = lead(view, way)[1]
    return one(view, way, (x, y + (way.allowance // 2 + 1) * forward(view, way)), (x, y))


def onto_a_base(view: View, way: PathParameter) -> PathsDeclared:
    key, at = lead(view, way)
    places = [place for other, place in standing(view, way.unit).items() if other != key]
    return one(view, way, min(places, key=lambda place: (place[0] - at[0]) ** 2 + (place[1] - at[1]) ** 2))


def away_from_the_squad(table: Table, way: PathParameter) -> PathsDeclared:
    """Return a path of an outer figure to a place outside of its squad's coherency: over open ground if there is a way."""
    far = min(way.allowance, way.gap + CLEAR)
    places = standing(table.view, way.unit)
    found = list[PathsDeclared]()
    for dx, dy in ((0, forward(table.view, way)), (1, 0), (-1, 0)):
        key, (x, y) = max(places.items(), key=lambda row: row[1][0] * dx + row[1][1] * dy)
        end = (x + far * dx, y + far * dy)
        found.append(PathsDeclared({key: (end,)}))
        if _open(table, way.unit, (x, y), end):
            return found[-1]
    return found[0]


def _open(table: Table, unit: str, start: Point, end: Point) -> bool:
    """Return whether a straight path crosses no piece of terrain and ends on the table, clear of other units."""
    assert table.snapshot is not None
    ground = table.snapshot.table
    low, high = (tuple(pick(start[axis], end[axis]) for axis in (0, 1)) for pick in (min, max))
    if low[0] < BASE or low[1] < BASE or high[0] > ground.width - BASE or high[1] > ground.height - BASE:
        return False
    for piece in ground.terrain:
        if all(
            min(at[axis] for at in piece.outline) < high[axis] + BASE
            and max(at[axis] for at in piece.outline) > low[axis] - BASE
            for axis in (0, 1)
        ):
            return False
    others = (at for other in table.view.units if other != unit for at in standing(table.view, other).values())
    return all(max(abs(at[0] - end[0]), abs(at[1] - end[1])) > 2 * BASE for at in others)


def somebody_elses(view: View, way: PathParameter) -> PathsDeclared:
    return PathsDeclared({"no-such-figure": (lead(view, way)[1],)})


WAYS: list[Way] = [
    ("path_table", off_the_table),
    ("path_too_long", too_long),
    ("path_too_long", there_and_back),
    ("path_on_base", onto_a_base),
    ("figures", somebody_elses),
]
