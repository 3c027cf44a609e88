"""Ranging in: at which points a unit may fire a weapon that blasts, and where the shell falls."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import PointParameter, PointTaken, Why
from server.kernel.answers.points import check_point, within
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.space.geometry import (
    Point,
    at_most,
    between,
    distance,
    gap,
    inches,
    inches_text,
    moved,
    to_mil,
    to_point,
)
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import Act
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.shot import band_limits, permitted
from server.rulesets.shared.setup.book import ON

SCATTER = "scatter"
"""The option by which a shell that is not ranged in lands somewhere else."""

ON_TARGET, ASTRAY, WASTED = "on-target", "astray", "wasted"
"""What ranging in comes to: the shell lands where it was aimed, somewhere else, or without effect."""

AREA = "blast.impact-area"
RANGED = "blast.ranging-in"

_DEGREE = 100


class Ranged(Struct, frozen=True):
    """A shell that was ranged in: how many of the dice passed, and where it lands; None if it has no effect."""

    passes: int
    at: Point | None


def bearer(rules: FadRules, unit: Unit, mount: str = "") -> tuple[str, HeavyWeapon] | None:
    """Return the figure of `unit` on the table that serves a weapon that blasts, of a vehicle that on `mount`, and the weapon;
    None if there is none.
    """
    if mount:
        own = rules.mounted(unit, mount)
        return (next(iter(unit.figures)), own) if own.blasts else None
    for key, figure in unit.living.items():
        weapon = rules.heavy(figure.role)
        if weapon is not None and weapon.blasts and figure.at is not None:
            return key, weapon
    return None


def scatters(state: State) -> bool:
    """Return whether shells that are not ranged in land somewhere else in this match (fad4/blast.scatter)."""
    return state.options.get(SCATTER) == ON


def point_to_strike(rules: FadRules, state: State, unit: Unit, mount: str = "") -> PointParameter | Why:
    """Return at which points `unit` may fire its weapon that blasts, of a vehicle that on `mount`, or why at none. `state` is
    what its seat may know.

    The choice is there unless distances rule out every point. Whether a point is legal is asked of that point alone.
    """
    barred = rules.barred(state, unit, Act.SHOOT) or (None if mount else rules.barred(state, unit, Act.SERVE))
    if barred is not None:
        return barred
    served = bearer(rules, unit, mount)
    assert served is not None, "only a unit with such a weapon is asked"
    figure, weapon = served
    gunner = unit.figures[figure]
    assert gunner.at is not None, "the gunner stands on the table"
    reach = band_limits(rules, unit, weapon)["long"]
    # fad4/blast.infantry-only, fad4/shoot.fire-priority
    near = tuple(key for key in permitted(rules, state, unit) if not is_vehicle(state.units[key]))
    if not near:
        return Why(f"{unit.name} sees no enemy on foot at which it may fire.", "shoot.line-of-sight")
    names = _listed([state.units[key].name for key in near])
    # A mil more, since both lengths are rounded.
    far = reach + weapon.radius + 1
    if not any(
        at_most(gap(gunner.at, gunner.radius, *place), far) for key in near for place in state.units[key].places()
    ):
        sentence = (
            f"{unit.name} may fire at {names}, too far for its {weapon.name.lower()}: it reaches {inches_text(reach)}."
        )
        return Why(sentence, "shoot.range-bands")
    radius = inches_text(weapon.radius)
    missed = Why(
        f"No figure at which {unit.name} may fire is within {radius} of that point. It may fire at {names}.", AREA
    )
    parameter = PointParameter(
        weapon.name,
        unit.id,
        figure,
        reach,
        weapon.radius,
        near,
        missed,
        reach_rule="shoot.range-bands",
        sight_rule="shoot.line-of-sight",
        mount=mount,
        over=rules.airborne(unit),
    )
    return _suggesting(rules, state, parameter)


def point_at(rules: FadRules, state: State, unit: Unit, target: str, mount: str = "") -> Point | None:
    """Return the best point at which `unit` may fire its weapon that blasts, of a vehicle that on `mount`, to strike `target`;
    None if it has none, or if no such point was found.
    """
    if bearer(rules, unit, mount) is None:
        return None
    found = point_to_strike(rules, state, unit, mount)
    if isinstance(found, Why) or target not in found.near:
        return None
    return _suggesting(rules, state, replace(found, near=(target,))).suggested


def _suggesting(rules: FadRules, state: State, parameter: PointParameter) -> PointParameter:
    """Return `parameter` with the best of the legal points that are tried: with the most enemies in the blast, and no friends."""
    side = state.units[parameter.unit].side
    best: tuple[int, Point] | None = None
    for at in dict.fromkeys(_tried(rules, state, parameter)):
        caught = {unit.id: len(inside) for unit, inside in struck(state, at, parameter.radius)}
        worth = sum(count if state.units[key].side != side else -2 * count for key, count in caught.items())
        if (best is None or worth > best[0]) and check_point(state, parameter, PointTaken(at)) is None:
            best = worth, at
    return parameter if best is None else replace(parameter, suggested=best[1])


def _tried(rules: FadRules, state: State, parameter: PointParameter) -> Iterator[Point]:
    """Yield where figures stand at which the unit may fire, the middles between neighbours, and where lines of sight end."""
    unit = state.units[parameter.unit]
    lines = rules.field(state)
    gunner = rules.group(unit).bodies[list(unit.living).index(parameter.figure)]
    for key in parameter.near:
        places = state.units[key].places()
        yield from (at for at, _ in places)
        yield from (to_point(between(a, b, 0.5)) for (a, _), (b, _) in pairwise(places))
        for body in rules.group(state.units[key]).bodies:
            found = lines.line_body(gunner, body, rules.hulls(state))
            if found.clear:
                start, end = sorted(found.line, key=lambda p: distance(gunner.at, p))
                length = distance(start, end)
                yield to_point(end)
                if length > parameter.reach:
                    yield to_point(between(start, end, parameter.reach / length))


def struck(state: State, at: Point, radius: int) -> list[tuple[Unit, tuple[str, ...]]]:
    """Return the units with figures within `radius` mil of a point, friends too, and those figures: nearest first, equally near
    ones in roster order. Vehicles and units aboard them are not affected (fad4/blast.impact-area, fad4/blast.infantry-only).
    """
    found = []
    for unit in state.units.values():
        inside = within(state, unit.id, at, radius) if unit.on_table else ()
        if inside:
            nearest = unit.figures[inside[0]]
            assert nearest.at is not None, "figures in a blast stand on the table"
            found.append((gap(at, 0, nearest.at, nearest.radius), unit, inside))
    return [(unit, inside) for _, unit, inside in sorted(found, key=lambda row: row[0])]


def range_in(game: FadGame, unit: str, figure: str, at: Point) -> Steps[Ranged]:
    """Range in a shot of the weapon that `figure` serves at a point."""
    table = game.rules.book.tables.blast
    dice, scattering = table.ranging_dice, scatters(game.state)

    def outcome(passes: int) -> str:
        if scattering:
            return ON_TARGET if passes == dice else ASTRAY
        return ON_TARGET if passes >= table.ranging_passes else WASTED

    # fad4/blast.ranging-in
    passes = yield from quality_test(game, unit, "ranging", RANGED, outcome, dice=dice)
    result = outcome(passes)
    if result == WASTED:
        return Ranged(passes, None)
    if result == ON_TARGET:
        return Ranged(passes, at)
    gunner = game.unit(unit).figures[figure]
    assert gunner.at is not None, "the gunner stands on the table"
    way = to_mil(gap(gunner.at, gunner.radius, at, 0))
    return Ranged(passes, (yield from scatter(game, unit, at, dice - passes, way)))


def scatter(
    game: FadGame, unit: str, at: Point, failed: int, way: int | None = None, rule: str = "blast.scatter"
) -> Steps[Point]:
    """Move the shell by the sum of a die for each one that failed, in a random direction, and return where it falls. It moves at
    most by half of its `way` (mil; None: as far as the dice say).
    """
    side = game.unit(unit).side
    # fad4/blast.scatter
    faces = yield from roll(failed, purpose="scatter")
    length = inches(sum(faces))
    if way is not None:
        length = min(length, way // 2)
    yield Rolled("scatter", rule, faces, outcome=str(length), side=side, unit=unit)
    # fad4/blast.random-direction: whole degrees. A die has at most 256 sides, so one names the sixth of the circle, and the other
    # the degree in it.
    sixth, degree = yield from roll(2, 60, purpose="scatter_direction")
    angle = whole_degrees(sixth, degree)
    yield Rolled(
        "scatter_direction", "blast.random-direction", (sixth, degree), 60, outcome=str(angle), side=side, unit=unit
    )
    return moved(at, angle * _DEGREE, length)


def whole_degrees(sixth: int, degree: int) -> int:
    """Return the angle that two dice of 60 sides name, from 0 to 359 degrees, each as likely as any other."""
    return (sixth - 1) % 6 * 60 + degree - 1


def _listed(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
