"""Base contact: who touches whom, and who can be brought into contact from near by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from server.kernel.bodies import hulls, is_vehicle
from server.kernel.formation import Ground, contact_places
from server.kernel.geometry import Point, at_most, distance, gap
from server.kernel.paths import Base, path_faults
from server.kernel.standing import bases, terrain_of, touches
from server.kernel.state import State, Unit
from server.rulesets.fubar.game import SUPPRESSED, FubarRules


def touching(unit: Unit, enemies: Iterable[Unit]) -> dict[str, list[str]]:
    """The units among `enemies` that each living figure of `unit` touches; figures that touch none are left out. Infantry only
    fights hand to hand (fubar4/close.by-assault).
    """
    foot = [enemy for enemy in enemies if not enemy.left and not is_vehicle(enemy)]
    found: dict[str, list[str]] = {}
    if is_vehicle(unit):
        return found
    for key, figure in unit.living.items():
        at = figure.at
        if at is None:
            continue
        met = [enemy.id for enemy in foot if any(touches((at, figure.radius), base) for base in enemy.places())]
        if met:
            found[key] = met
    return found


def unengaged(state: State, unit_id: str, near: Sequence[str], reach: int) -> list[str]:
    """The figures of a unit that touch no enemy, are not suppressed, and have a figure of one of the units `near` within `reach`
    mil (fubar4/close.move-in), nearest first.
    """
    unit = state.units[unit_id]
    engaged = touching(unit, state.enemies_of(unit.side))
    foes = bases(state, only=near)
    found = []
    for key, figure in unit.living.items():
        if figure.at is None or key in engaged or SUPPRESSED in figure.conditions or not foes:
            continue
        free = min(gap(figure.at, figure.radius, at, radius) for at, radius in foes)
        if at_most(free, reach):
            found.append((free, key))
    return [key for _, key in sorted(found, key=lambda row: row[0])]


def ways_in(
    rules: FubarRules, state: State, unit_id: str, figures: Iterable[str], near: Sequence[str], reach: int
) -> dict[str, Point]:
    """Where each of `figures`, one after the other, comes into contact with a figure of the units `near` that is within `reach`
    mil of it: by the shortest straight way that is free. Who finds none is left out.
    """
    unit = state.units[unit_id]
    size = (state.table.width, state.table.height)
    barred = terrain_of(state, rules.pieces_with(state, "impassable"))
    vehicles = hulls(state)
    enemies = bases(state, only=[enemy.id for enemy in state.enemies_of(unit.side)])
    foes = bases(state, only=near)
    ground = Ground(size, barred, bases(state), hulls=vehicles)
    ends: dict[str, Point] = {}
    for key in figures:
        figure = unit.figures[key]
        at, radius = figure.at, figure.radius
        assert at is not None, "only figures on the table step up"
        ground.taken.remove((at, radius))
        places = _places((at, radius), foes, reach)
        end = next(
            (
                place
                for place in places
                if ground.free(place, radius)
                and path_faults((at, place), radius, size, barred, enemies, vehicles) is None
            ),
            at,
        )
        ground.take(end, radius)
        if end != at:
            ends[key] = end
    return ends


def _places(base: Base, foes: Sequence[Base], reach: int) -> list[Point]:
    """Places in contact with those of `foes` that are within `reach` of `base`, nearest first."""
    at, radius = base
    near = [foe for foe in foes if at_most(gap(at, radius, *foe), reach)]
    straight = [_towards(base, foe) for foe in near]
    around = [place for foe in near for place in contact_places(foe, radius)]
    return sorted([*straight, *around], key=lambda place: distance(at, place))


def _towards(base: Base, foe: Base) -> Point:
    """Where a base touches `foe` when it goes straight at it."""
    (x, y), radius = base
    (fx, fy), other = foe
    whole = distance((x, y), (fx, fy))
    if whole == 0:
        return (x, y)
    back = (radius + other + 10) / whole
    return (round(fx + (x - fx) * back), round(fy + (y - fy) * back))
