"""Base contact: the figures that touch enemies, and those that can be brought into contact from near by."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from client_protocol.choices import PathParameter
from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import Point, at_most, gap, inches
from server.kernel.standing import TOUCH, bases, touches
from server.kernel.state import State, Unit
from server.rulesets.fubar.game import SUPPRESSED, FubarRules
from server.rulesets.shared.ways import Finder


def touching(unit: Unit, enemies: Iterable[Unit]) -> dict[str, list[str]]:
    """Return, for each living figure of `unit`, the units among `enemies` that it touches. Figures that touch none are left
    out.

    Only infantry fights hand to hand (fubar4/close.by-assault).
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
    """Return the figures of a unit that could step up, nearest first (fubar4/close.move-in).

    They touch no enemy, are not suppressed, and have a figure of one of the units `near` within `reach` mil.
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
) -> dict[str, tuple[Point, ...]]:
    """Return the shortest path of each of `figures` into contact with a figure of the units `near` (fubar4/close.move-in).

    The enemy figure must be within `reach` mil. The path leads around obstacles and is no longer than an Assault. Figures
    move one after the other; a figure without such a path is left out.
    """
    unit = state.units[unit_id]
    foes = bases(state, only=near)
    ways: dict[str, tuple[Point, ...]] = {}
    standing = {key: (figure.at, figure.radius) for key, figure in unit.living.items() if figure.at is not None}
    finder = Finder(
        state,
        PathParameter(
            unit_id,
            inches(rules.book.moves["assault"].length),
            barred=rules.pieces_with(state, "impassable"),
            avoid=tuple(enemy.id for enemy in state.enemies_of(unit.side) if enemy.on_table),
        ),
    )
    for key in figures:
        at, radius = standing[key]
        close = [foe for foe in foes if at_most(gap(at, radius, *foe), reach)]
        others = [base for other, base in standing.items() if other != key]
        way = finder.near(key, close, (), TOUCH, others) if close else None
        if way:
            ways[key] = way
            standing[key] = (way[-1], radius)
    return ways
