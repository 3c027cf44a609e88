"""Ranging in: at which points a unit may fire a weapon that blasts, and where the shell falls."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import PointParameter, PointTaken, Why
from client_protocol.explained import Line
from server.kernel.answers.points import check_point, within
from server.kernel.bodies import is_vehicle
from server.kernel.facts import Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.questions import total
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
from server.kernel.traits import has
from server.rulesets.fad.fire_priority import permitted, picks_freely
from server.rulesets.fad.game import SCATTERED, FadGame, FadRules
from server.rulesets.fad.lines_of_fire import THROUGH_FRIENDS, gap_to_fire_through, in_the_way
from server.rulesets.fad.module import Act
from server.rulesets.fad.quality import quality_test
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.shot import BANDS, band_limits, band_of

SCATTER = "scatter"
"""The option by which a shell that is not ranged in lands somewhere else."""

ALWAYS = "always"
"""Its value by which every shell does."""
BLAST_POINT, FREE = "blast_point", "free"
"""The option that says where a blast may be aimed, and its value for any point in sight."""

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
        weapon = None if rules.heavy(figure.role) is None else rules.mounted(unit, key)
        if weapon is not None and weapon.blasts and figure.at is not None:
            return key, weapon
    return None


def scatters(state: State) -> bool:
    """Return whether shells that are not ranged in land somewhere else in this match (fad4/blast.scatter, fad5/blast.scatter)."""
    return state.options.get(SCATTER, "off") != "off"


def always_scatters(state: State) -> bool:
    """Return whether every shell scatters in this match, without ranging in (fad5/blast.scatter)."""
    return state.options.get(SCATTER) == ALWAYS


def shelters(rules: FadRules, state: State) -> tuple[str, ...]:
    """Return the terrain pieces in which figures are struck only by what bursts inside (fad5/blast.kill-zone)."""
    kinds = rules.book.tables.blast.shelters
    return tuple(piece.id for piece in state.table.terrain if piece.kind in kinds) if kinds else ()


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
    if has(unit, SCATTERED):
        return Why(f"{unit.name} is allowed only scattered fire.", "shoot.scattered-fire")
    figure, weapon = served
    gunner = unit.figures[figure]
    assert gunner.at is not None, "the gunner stands on the table"
    spent = rules.spent(state, unit, weapon)
    if spent is not None:
        return spent
    reach = band_limits(rules, unit, weapon)["long"]
    free = picks_freely(rules, state, unit, mount)
    # fad4/blast.infantry-only, fad4/shoot.fire-priority
    # fad5/blast.target-point: or any point
    anywhere = state.options.get(BLAST_POINT) == FREE or any(row.anywhere for row in rules.effects(weapon.id))
    meant = permitted(rules, state, unit, free=free or anywhere)
    near = tuple(key for key in meant if not is_vehicle(state.units[key]))
    if not near and not anywhere:
        return Why(f"{unit.name} sees no enemy on foot at which it may fire.", "shoot.line-of-sight")
    names = _listed([state.units[key].name for key in near]) if near else ""
    # A mil more, since both lengths are rounded.
    far = reach + weapon.radius + 1
    if not anywhere and not any(
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
        shelters=shelters(rules, state),
        **_past(rules, state, unit),
    )
    found = suggesting(rules, state, parameter)
    return replace(found, near=()) if anywhere else found


def _past(rules: FadRules, state: State, unit: Unit) -> dict[str, Any]:
    """Return what a point parameter says of friends in the way (fad5/shoot.through-friendly-infantry)."""
    friends = tuple(friend.id for friend in in_the_way(rules, state, unit))
    if not friends:
        return {}
    return {"through": friends, "gap": gap_to_fire_through(rules), "through_rule": THROUGH_FRIENDS}


def point_at(rules: FadRules, state: State, unit: Unit, target: str, mount: str = "") -> Point | None:
    """Return the best point at which `unit` may fire its weapon that blasts, of a vehicle that on `mount`, to strike `target`;
    None if it has none, or if no such point was found.
    """
    if bearer(rules, unit, mount) is None:
        return None
    found = point_to_strike(rules, state, unit, mount)
    if isinstance(found, Why) or (found.near and target not in found.near):
        return None
    return suggesting(rules, state, replace(found, near=(target,))).suggested


def suggesting(rules: FadRules, state: State, parameter: PointParameter) -> PointParameter:
    """Return `parameter` with the best of the legal points that are tried: with the most enemies in the blast, and no friends."""
    side = state.units[parameter.unit].side
    best: tuple[int, Point] | None = None
    for at in dict.fromkeys(_tried(rules, state, parameter)):
        caught = {unit.id: len(inside) for unit, inside in struck(state, at, parameter.radius, parameter.shelters)}
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


def struck(state: State, at: Point, radius: int, shut: Collection[str] = ()) -> list[tuple[Unit, tuple[str, ...]]]:
    """Return the units with figures within `radius` mil of a point, friends too, and those figures: nearest first, equally near
    ones in roster order. Who stands in one of the pieces `shut` is struck only by what bursts in it. Vehicles and units aboard
    them are not affected (fad4/blast.impact-area, fad4/blast.infantry-only, fad5/blast.kill-zone, fad5/blast.allocation).
    """
    found = []
    for unit in state.units.values():
        inside = within(state, unit.id, at, radius, shut) if unit.on_table else ()
        if inside:
            nearest = unit.figures[inside[0]]
            assert nearest.at is not None, "figures in a blast stand on the table"
            found.append((gap(at, 0, nearest.at, nearest.radius), unit, inside))
    return [(unit, inside) for _, unit, inside in sorted(found, key=lambda row: row[0])]


def range_in(game: FadGame, unit: str, figure: str, weapon: HeavyWeapon, at: Point) -> Steps[Ranged]:
    """Range in a shot of the weapon that `figure` serves at a point."""
    table = game.rules.book.tables.blast
    dice, scattering = table.ranging_dice, scatters(game.state)
    gunner = game.unit(unit).figures[figure]
    assert gunner.at is not None, "the gunner stands on the table"
    way = to_mil(gap(gunner.at, gunner.radius, at, 0))
    if always_scatters(game.state):
        return Ranged(0, (yield from _drift(game, unit, weapon, at, way)))

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
    if table.scatter:
        return Ranged(passes, (yield from _drift(game, unit, weapon, at, way)))
    return Ranged(passes, (yield from scatter(game, unit, at, dice - passes, way)))


def drift_of(rules: FadRules, unit: Unit, weapon: HeavyWeapon, way: int) -> tuple[str, int]:
    """Return the range band in which a shell scatters that goes `way` mil, and what is added to its die, in inches: base range
    counts as close (fad5/blast.scatter).
    """
    band = band_of(band_limits(rules, unit, weapon), way) or "long"
    band = "close" if band == "base" else band
    return band, rules.book.tables.blast.scatter[BANDS.index(band) - 1]


def _drift(game: FadGame, unit: str, weapon: HeavyWeapon, at: Point, way: int) -> Steps[Point]:
    """Move the shell by one die and what its range adds, in a random direction, and return where it falls
    (fad5/blast.scatter).
    """
    band, more = drift_of(game.rules, game.unit(unit), weapon, way)
    (face,) = yield from roll(1, purpose="scatter")
    lines = [Line("SET", inches(face), "1D6", "blast.scatter")]
    if more:
        lines.append(Line("ADD", inches(more), f"{band} range", "blast.scatter"))
    length = total(lines, "mil")
    side = game.unit(unit).side
    yield Rolled(
        "scatter", "blast.scatter", (face,), numbers=(length,), outcome=str(length.value), side=side, unit=unit
    )
    return (yield from _astray(game, unit, at, length.value))


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
    return (yield from _astray(game, unit, at, length))


def _astray(game: FadGame, unit: str, at: Point, length: int) -> Steps[Point]:
    """Roll a random direction, and return the point `length` mil from `at` in it."""
    side = game.unit(unit).side
    # fad4/blast.random-direction, fad5/blast.random-direction: whole degrees, from the east against the clock. A die has at most
    # 256 sides, so one names the sixth of the circle, and the other the degree in it.
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
