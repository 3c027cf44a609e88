"""Checking points that seats pick on the table."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from operator import itemgetter

from client_protocol.choices import PointParameter, PointTaken, Spotter
from server.kernel.answers.refusal import Refusal
from server.kernel.bodies import body, hulls, mount_bears
from server.kernel.space.geometry import Outline, Point, at_most, beyond, contains, distance, gap, inches_text
from server.kernel.space.hulls import apart
from server.kernel.space.pieces import Crowd
from server.kernel.space.sight import field_of
from server.kernel.space.values import Body
from server.kernel.state import Figure, State


def check_point(believed: State, parameter: PointParameter, value: PointTaken) -> Refusal | None:
    """Return why `parameter` does not allow the point `value`; None if it does."""
    at, unit = value.at, believed.units[parameter.unit]
    if not (0 <= at[0] <= believed.table.width and 0 <= at[1] <= believed.table.height):
        return Refusal("point", f"{parameter.label}: the point must lie on the table.", "", at)
    if parameter.around is not None:
        return _beyond(parameter, parameter.around, at)
    figure = unit.figures[parameter.figure]
    assert figure.at is not None, "the figure that aims stands on the table"
    away = apart(body(figure), Body(at, 0))
    if not at_most(away, parameter.reach):
        limit = inches_text(parameter.reach)
        sentence = f"That point is {beyond(away, parameter.reach)} away; {unit.name} reaches {limit} with it."
        return Refusal("point", sentence, parameter.reach_rule, at)
    if parameter.near and not any(
        within(believed, key, at, parameter.radius, parameter.shelters) for key in parameter.near
    ):
        return Refusal("point", parameter.near_why.sentence, parameter.near_why.rule, at)
    return _unseen(believed, parameter, figure, at)


def _unseen(believed: State, parameter: PointParameter, figure: Figure, at: Point) -> Refusal | None:
    """Return why a point is out of the arc or of sight; None if it is not."""
    unit = believed.units[parameter.unit]
    if parameter.mount and not mount_bears(unit, parameter.mount, at):
        return Refusal("point", f"The {parameter.label.lower()} does not bear on that point.", parameter.sight_rule, at)
    if parameter.spotters:
        if not any(spots(believed, spotter, at) for spotter in parameter.spotters):
            one = believed.units[parameter.spotters[0].unit].name
            who = f"{one} does not see" if len(parameter.spotters) == 1 else "No friendly unit sees"
            return Refusal("point", f"{who} that point.", parameter.sight_rule, at)
    elif not parameter.over and not _sees(believed, figure, at, hulls(believed)):
        return Refusal("point", f"{unit.name} does not see that point.", parameter.sight_rule, at)
    elif parameter.through and not parameter.over:
        near = [believed.units[key] for key in parameter.through]
        crowds = [Crowd(bases, parameter.gap) for friend in near if (bases := friend.places())]
        if not _sees(believed, figure, at, hulls(believed), crowds):
            sentence = f"{unit.name} does not fire at that point through those who stand in the way."
            return Refusal("point", sentence, parameter.through_rule, at)
    return None


def _beyond(parameter: PointParameter, middle: Point, at: Point) -> Refusal | None:
    """Return why a point is too far from the one around which it may lie; None if it is not."""
    away = distance(middle, at)
    if at_most(away, parameter.reach):
        return None
    far, limit = beyond(away, parameter.reach), inches_text(parameter.reach)
    return Refusal(
        "point", f"{parameter.label}: that is {far} away, and {limit} is the limit.", parameter.reach_rule, at
    )


def spots(state: State, spotter: Spotter, at: Point) -> bool:
    """Return whether one of the figures of a spotter that stand on the table sees a point."""
    living = state.units[spotter.unit].living
    looking = [living[key] for key in spotter.figures or living if key in living and living[key].at is not None]
    # A point in a vehicle is seen if nothing else stands in the way: the vehicle is what is looked at.
    blocking = [outline for outline in hulls(state) if not contains(outline, at)]
    return bool(looking) and (spotter.over or any(_sees(state, figure, at, blocking) for figure in looking))


def _sees(state: State, figure: Figure, at: Point, blocking: Sequence[Outline], crowds: Sequence[Crowd] = ()) -> bool:
    field = field_of(state.table.terrain, centres=state.table.centres)
    return field.sees_body(body(figure), Body(at, 0), blocking, crowds)


def within(state: State, unit: str, at: Point, radius: int, shelters: Collection[str] = ()) -> tuple[str, ...]:
    """Return the living figures of `unit` on round bases of which a part lies within `radius` (mil) of `at`, the nearest first;
    equally near ones in roster order. Who stands in a terrain piece of `shelters` is not among them unless the point lies in it.
    """
    shut = [piece for piece in state.table.terrain if piece.id in shelters and not piece.holds(at)] if shelters else []
    x, y = at
    found: list[tuple[float, str]] = []
    for key, figure in state.units[unit].living.items():
        if figure.at is None or figure.hull is not None:
            continue
        # Most are far off, which two subtractions tell; lengths are rounded.
        far = radius + figure.radius + 1
        if abs(figure.at[0] - x) > far or abs(figure.at[1] - y) > far:
            continue
        away = gap(at, 0, figure.at, figure.radius)
        if at_most(away, radius) and not any(piece.holds(figure.at) for piece in shut):
            found.append((away, key))
    found.sort(key=itemgetter(0))
    return tuple([key for _, key in found])
