"""Checking declared moves of units: obstacles on the way, the length, the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from client_protocol.choices import (
    EndCondition,
    EndPlace,
    EndsAlong,
    EndsAtEdge,
    EndsAtPiece,
    EndsBeyond,
    EndsCloser,
    EndsCovered,
    EndsFarther,
    EndsInTerrain,
    EndsNear,
    EndsSpent,
    EndsTogether,
    EndsTouching,
    GoesAway,
    KeepsInside,
    PathParameter,
    PathsDeclared,
)
from server.kernel.answers.refusal import Refusal, too_far_apart
from server.kernel.answers.whole_ways import keeps_to
from server.kernel.bodies import bodies, body
from server.kernel.space.costs import Costs, crossed
from server.kernel.space.driving import drive_fault, entered
from server.kernel.space.geometry import INF, Point, angle_difference, beyond, direction, distance, inches_text, to_mil
from server.kernel.space.paths import largest_gap, overlaps, path_length
from server.kernel.space.sight import field_of, shields, stands_in
from server.kernel.space.values import Base, Body, PathFault, Pose
from server.kernel.space.walking import walk_fault
from server.kernel.standing import (
    TOUCH,
    bases,
    end_bodies,
    end_places,
    has_hull,
    hulls,
    nearest,
    obstacles,
    terrain_of,
)
from server.kernel.state import Figure, State, Unit


def check_path(
    believed: State, parameter: PathParameter, value: PathsDeclared, around: Around | None = None
) -> Refusal | None:
    """Return why `parameter` does not allow the paths in `value`; None if it does. `around` is what they are checked against,
    where many are checked in turn.
    """
    unit = believed.units[parameter.unit]
    living = {key: figure for key, figure in unit.living.items() if figure.at is not None}
    moving = {key: path for key, path in value.paths.items() if path}
    if not set(value.paths) <= set(living):
        able = ", ".join(parameter.figures or living)
        return Refusal("figures", f"Of {unit.name} only these figures can move now: {able}.")
    if parameter.figures and not set(moving) <= set(parameter.figures):
        able = ", ".join(parameter.figures)
        return Refusal("figures", f"Of {unit.name} only these figures can move now: {able}.", parameter.allowance_rule)
    vehicle = next((figure for figure in living.values() if figure.hull is not None), None)
    legs = _check_legs(believed, parameter, value, moving)
    if legs is not None:
        return legs
    if value.facing is not None and vehicle is None:
        return Refusal("facing", f"{unit.name} has no hull that could be turned; its figures look all round.")
    turns = vehicle is not None and value.facing not in (None, vehicle.facing)
    if not moving and not turns and parameter.may_stay:
        return None
    if around is None:
        around = Around(believed, parameter)
    for key, figure in living.items():
        path = moving.get(key, ())
        if path or (figure is vehicle and turns):
            refusal = _check_way(around, unit, key, figure, path, value.facing)
            if refusal is not None:
                return refusal
    return _check_ends(around, unit, value)


def keeps_a_figure(around: Around, unit: Unit, key: str, path: tuple[Point, ...]) -> bool:
    """Return whether a figure on a base may not go this way from its place, wherever the others of its unit go: for its own way,
    or for where each figure has to end.
    """
    figure = unit.figures[key]
    if path and _check_way(around, unit, key, figure, path, None) is not None:
        return True
    end = {key: Body(path[-1], figure.radius) if path else body(figure)}
    each = [rule.any_of[0] for rule in around.parameter.ends if len(rule.any_of) == 1]
    return any(
        isinstance(condition, EndsFarther | EndsCloser | EndsBeyond) and not meets(around.state, unit, end, condition)
        for condition in each
    )


def _check_legs(
    state: State, parameter: PathParameter, value: PathsDeclared, moving: Mapping[str, Sequence[Point]]
) -> Refusal | None:
    """Return why paths that ought to be one straight leg are not; None if they are, or need not be."""
    if not parameter.straight and not parameter.jump:
        return None
    unit = state.units[parameter.unit]
    bent = [key for key, path in moving.items() if len(path) > 1]
    if bent:
        return Refusal("path_bent", f"{unit.name} goes straight to where it ends.", parameter.allowance_rule)
    if not parameter.straight:
        return None
    if not moving and not parameter.may_stay:
        return Refusal("path_bent", f"{unit.name} has to go somewhere.", parameter.allowance_rule)
    along = {
        direction(figure.at, moving[key][0]) for key, figure in unit.figures.items() if key in moving and figure.at
    }
    if value.facing is not None and along != {value.facing}:
        return Refusal("path_bent", f"{unit.name} ends facing along its way.", parameter.allowance_rule)
    return None


class Around:
    """What the paths of a unit are checked against: the obstacles, the ground that costs more, and that which limits them."""

    def __init__(self, state: State, parameter: PathParameter) -> None:
        self.state = state
        self.parameter = parameter
        barred = terrain_of(state, parameter.barred)
        self.obstacles = obstacles(
            state,
            parameter.unit,
            barred,
            parameter.avoid,
            parameter.clear,
            over=parameter.over,
            receding=parameter.receding,
            jump=parameter.jump,
        )
        self.costs = Costs(
            [(piece, percent) for piece in state.table.terrain for id_, percent in parameter.costly if piece.id == id_],
            parameter.ground,
        )
        self.limited = terrain_of(state, [piece for piece, _ in parameter.limits]) if parameter.limits else []
        self.checked: dict[tuple[str, tuple[Point, ...], int | None], Refusal | None] = {}
        """What is wrong with the ways of single figures that were checked, by the figure, its path and its facing at the end:
        where many moves of a unit are checked in turn, most of its figures go the same way in most of them.
        """


def _check_way(
    around: Around, unit: Unit, key: str, figure: Figure, path: tuple[Point, ...], facing: int | None
) -> Refusal | None:
    """Return what is wrong with the way of one figure, from its place, or None."""
    way = (key, path, facing)
    if way not in around.checked:
        around.checked[way] = _wrong_way(around, unit, key, figure, path, facing)
    return around.checked[way]


def _wrong_way(
    around: Around, unit: Unit, key: str, figure: Figure, path: tuple[Point, ...], facing: int | None
) -> Refusal | None:
    assert figure.at is not None, "a figure that moves stands on the table"
    parameter, whole = around.parameter, (figure.at, *path)
    if figure.hull is None:
        fault = walk_fault(whole, figure.radius, around.obstacles)
        through = crossed(whole, around.limited) if around.limited else ()
    else:
        fault = drive_fault(Pose(figure.at, figure.facing), whole, facing, figure.hull, around.obstacles)
        through = entered(whole, facing, figure.hull, around.limited) if around.limited else ()
    if fault is not None:
        return _way_refusal(around, unit, key, fault)
    who = f"Figure {key}" if figure.hull is None else unit.name
    cost, length = to_mil(around.costs.path(whole)), to_mil(path_length(whole))
    if cost > parameter.allowance:
        return _too_long(around, who, key, whole, cost, length)
    for piece, limit in parameter.limits:
        if piece in through and length > limit:
            name = next(one.name for one in around.limited if one.id == piece)
            sentence = f"{who} would go {beyond(length, limit)}; a way that enters {name} is at most {inches_text(limit)} long."
            rule = parameter.limits_rule or parameter.allowance_rule
            return Refusal("path_limit", sentence, rule, whole[-1], key)
    return None


def _too_long(around: Around, who: str, key: str, whole: Sequence[Point], cost: int, length: int) -> Refusal:
    """Return the refusal of a way that uses `cost` mil, more than the allowance, on `length` mil: by the rule of the ground
    if on open ground the way would be short enough, else by that of what reduces the allowance if it would fit without that,
    else by the move's own.
    """
    parameter = around.parameter
    used, far = beyond(cost, parameter.allowance), inches_text(parameter.allowance)
    sentence = f"{who} would use {used} of movement; it has {far}."
    rule = parameter.allowance_rule
    if parameter.dear is not None and cost > length:
        rule = parameter.dear.rule if length <= parameter.allowance else rule
        return Refusal("path_too_long", f"{sentence} {parameter.dear.sentence}", rule, whole[-1], key)
    dear = [piece for piece, _ in around.costs.pieces if piece.id in crossed(whole, [piece])] if cost > length else []
    if dear:
        names = " and ".join(dict.fromkeys(piece.name for piece in dear))
        sentence = f"{who} would use {used} of movement, since {names} costs more than open ground; it has {far}."
    if dear and length <= parameter.allowance:
        rule = ground_rule(parameter, dear[0].id)
    elif parameter.less is not None and length <= parameter.full:
        sentence, rule = f"{sentence} {parameter.less.sentence}", parameter.less.rule
    return Refusal("path_too_long", sentence, rule, whole[-1], key)


def ground_rule(parameter: PathParameter, piece: str) -> str:
    """Return the rule behind the effect of a terrain piece on a path; the move's own if the piece names none."""
    named = (ground.rule for ground in parameter.grounds if ground.piece == piece)
    return next(named, parameter.allowance_rule)


def _way_refusal(around: Around, unit: Unit, key: str, fault: PathFault) -> Refusal:
    """Return the refusal for a path's fault, with its rule."""
    parameter = around.parameter
    whose = unit.name if has_hull(unit) else f"figure {key}"
    if fault.kind == "table":
        rule = parameter.table_rule or parameter.allowance_rule
        sentence = f"The path of {whose} leaves the table; end on it, bases and hulls wholly."
    elif fault.kind == "impassable":
        rule = ground_rule(parameter, fault.what)
        piece = next(piece.name for piece in around.obstacles.barred if piece.id == fault.what)
        who = "it cannot" if has_hull(unit) else "no figure can"
        sentence = f"The path of {whose} runs into {piece}, which {who} cross."
        if parameter.jump:
            sentence = f"{whose} would end in {piece}, which {who} enter."
    elif parameter.jump:
        rule = parameter.base_rule or parameter.allowance_rule
        sentence = f"{whose} would end on {around.state.units[fault.what].name}; end next to it."
    else:
        rule = parameter.base_rule or parameter.allowance_rule
        name, avoided = around.state.units[fault.what].name, fault.what in parameter.avoid
        if fault.kind == "base" and not avoided:
            sentence = f"{unit.name} would end on a figure of {name}; end next to it."
        elif fault.what in parameter.receding:
            rule = parameter.receding_rule or rule
            sentence = f"The path of {whose} comes nearer to {name} than it began; go away from it."
        elif avoided and parameter.clear:
            far, rule = inches_text(parameter.clear), parameter.clear_rule or rule
            sentence = f"The path of {whose} comes nearer than {far} to {name}; keep at least so far away."
        elif fault.kind == "base":
            sentence = f"The path of {whose} runs through an enemy's base; go around it."
        else:
            sentence = f"The path of {whose} runs into {name}; go around it."
    return Refusal(f"path_{fault.kind}", sentence, rule, fault.at, key)


def _check_ends(around: Around, unit: Unit, value: PathsDeclared) -> Refusal | None:
    parameter = around.parameter
    if not has_hull(unit):
        refusal = _check_end_places(around, unit, end_places(unit, value))
        if refusal is not None:
            return refusal
    if parameter.ends:
        after = end_bodies(unit, value)
        for rule in parameter.ends:
            if not any(_met(around, unit, value, after, condition) for condition in rule.any_of):
                return Refusal("path_end", rule.why.sentence, rule.why.rule)
    return None


def _check_end_places(around: Around, unit: Unit, ends: dict[str, Base]) -> Refusal | None:
    """Return what is wrong with the places where figures on bases end, singly and together, or None."""
    parameter = around.parameter
    taken, sides = _close(around.obstacles.bases(), ends), around.obstacles.hulls()
    for key, (at, radius) in ends.items():
        if overlaps(at, radius, taken):
            sentence = f"Figure {key} would end on another base."
            return Refusal("path_on_base", sentence, parameter.base_rule or parameter.allowance_rule, at, key)
        if overlaps(at, radius, (), sides):
            sentence = f"Figure {key} would end in a vehicle; end next to it."
            return Refusal("path_on_base", sentence, parameter.base_rule or parameter.allowance_rule, at, key)
        taken.append((at, radius))
    if parameter.gap:
        widest = largest_gap([at for at, _ in ends.values()], [radius for _, radius in ends.values()])
        if widest > parameter.gap:
            return Refusal("coherency", too_far_apart(unit.name, widest, parameter.gap), parameter.gap_rule)
    return None


def _among(state: State, condition: EndsNear) -> list[Base]:
    """Return the bases of those figures that count for the condition."""
    figures = [(key, figure) for unit in condition.units for key, figure in state.units[unit].living.items()]
    return [(f.at, f.radius) for key, f in figures if key in condition.among and f.at is not None]


def _close(taken: Sequence[Base], ends: dict[str, Base]) -> list[Base]:
    """Return those of the taken bases that could lie on one of the ends: most are far off, which the box round all ends tells."""
    left = bottom = INF
    right = top = -INF
    for (x, y), radius in ends.values():
        left, right = min(left, float(x - radius)), max(right, float(x + radius))
        bottom, top = min(bottom, float(y - radius)), max(top, float(y + radius))
    found: list[Base] = []
    for (x, y), radius in taken:
        if left <= x + radius and right >= x - radius and bottom <= y + radius and top >= y - radius:
            found.append(((x, y), radius))
    return found


def _met(around: Around, unit: Unit, value: PathsDeclared, ends: dict[str, Body], condition: EndCondition) -> bool:
    """Return whether paths meet a condition on where they end or lead, or on how much of the allowance they use up."""
    if isinstance(condition, EndsSpent):
        return _spent(around, unit, value, ends, condition)
    if isinstance(condition, GoesAway | KeepsInside):
        return keeps_to(around.state, unit, value.paths, condition)
    return meets(around.state, unit, ends, condition)


def _spent(around: Around, unit: Unit, value: PathsDeclared, ends: dict[str, Body], condition: EndsSpent) -> bool:
    """Return whether enough figures use up their movement on these paths, or end where they need not."""
    state = around.state
    pieces = terrain_of(state, condition.pieces)
    watchers = [watcher for key in condition.watchers for watcher in bodies(state.units[key]).values()]
    field, blocking = field_of(state.table.terrain, centres=state.table.centres), hulls(state)
    enough = 0
    for key, end in ends.items():
        start = unit.figures[key].at
        path = value.paths.get(key, ())
        used = 0
        if start is not None and path:
            used = to_mil(around.costs.path((start, *path)))
        if (
            used >= condition.least
            or any(stands_in(end.at, end.radius, piece, condition.reach) for piece in pieces)
            or (condition.hides and not any(field.sees_body(end, watcher, blocking) for watcher in watchers))
        ):
            enough += 1
    return enough >= condition.figures


def meets(
    state: State,
    unit: Unit,
    ends: dict[str, Body],
    condition: EndPlace,
) -> bool:
    """Return whether figures of `unit` that stand as `ends` meet `condition`."""
    if isinstance(condition, EndsInTerrain):
        pieces = terrain_of(state, condition.pieces)
        standing = sum(
            any(stands_in(end.at, unit.figures[key].radius, piece, condition.reach) for piece in pieces)
            for key, end in ends.items()
        )
        return standing >= condition.figures
    if isinstance(condition, EndsTogether):
        return _widest(unit, ends, condition.figures) <= condition.gap
    if isinstance(condition, EndsAlong):
        return all(_goes_along(unit.figures[key].at, end.at, condition) for key, end in ends.items())
    if isinstance(condition, EndsAtPiece):
        return all(_comes_to(unit.figures[key], end.at, state, condition) for key, end in ends.items())
    if isinstance(condition, EndsCovered):
        return _covered(state, unit, ends, condition)
    if isinstance(condition, EndsAtEdge):
        size = (state.table.width, state.table.height)
        return all(to_mil(_off_edge(end, size)) <= condition.reach for end in ends.values())
    return _meets_units(state, unit, ends, condition)


def _meets_units(
    state: State,
    unit: Unit,
    ends: dict[str, Body],
    condition: EndsFarther | EndsCloser | EndsTouching | EndsNear | EndsBeyond,
) -> bool:
    """Return whether figures of `unit` that stand as `ends` are as far from other units as `condition` wants."""
    near, sides = bases(state, only=condition.units), hulls(state, only=condition.units)
    if isinstance(condition, EndsNear) and condition.among:
        near = [base for base in near if base in _among(state, condition)]
    if not near and not sides:
        return isinstance(condition, EndsFarther | EndsBeyond)
    if isinstance(condition, EndsBeyond):
        return all(key not in ends or nearest(ends[key], near, sides) >= least for key, least in condition.least)
    if isinstance(condition, EndsFarther):
        return all(nearest(end, near, sides) > nearest(body(unit.figures[k]), near, sides) for k, end in ends.items())
    if isinstance(condition, EndsCloser):
        return all(nearest(end, near, sides) < nearest(body(unit.figures[k]), near, sides) for k, end in ends.items())
    if isinstance(condition, EndsNear):
        reached = sum(nearest(end, near, sides) <= condition.reach for end in ends.values())
        return reached >= (condition.figures or len(ends))
    return any(nearest(end, near, sides) <= TOUCH for end in ends.values())


def _widest(unit: Unit, ends: dict[str, Body], figures: tuple[str, ...]) -> int:
    """Return the widest gap between those of `figures` that stand."""
    among = [key for key in ends if key in figures]
    return largest_gap([ends[key].at for key in among], [unit.figures[key].radius for key in among])


def _goes_along(start: Point | None, end: Point, condition: EndsAlong) -> bool:
    """Return whether a figure ends in a direction from where it began, or there."""
    if start is None or start == end:
        return True
    return angle_difference(direction(start, end), condition.angle) <= condition.spread


def _covered(state: State, unit: Unit, ends: dict[str, Body], condition: EndsCovered) -> bool:
    """Return whether enough figures end in cover against the nearest figure of other units; not if none of those is there."""
    foes = [foe.at for key in condition.units for foe in bodies(state.units[key]).values()]
    pieces = terrain_of(state, condition.pieces)
    covered = 0
    for key, end in ends.items():
        nearest_foe = min(foes, key=lambda foe: distance(foe, end.at), default=None)
        radius = unit.figures[key].radius
        if nearest_foe is not None and any(
            shields(piece, end.at, radius, nearest_foe, condition.reach) for piece in pieces
        ):
            covered += 1
    return covered >= condition.figures


def _off_edge(end: Body, size: tuple[int, int]) -> float:
    """Return the mil from a base or hull to the table's edge."""
    width, height = size
    corners = end.outline or (end.at,)
    return min(min(x, y, width - x, height - y) for x, y in corners) - (0 if end.outline else end.radius)


def _comes_to(figure: Figure, end: Point, state: State, condition: EndsAtPiece) -> bool:
    """Return whether a figure ends in a piece, or closer to it than it began."""
    (piece,) = terrain_of(state, (condition.piece,))
    if stands_in(end, figure.radius, piece, condition.reach):
        return True
    return figure.at is not None and to_mil(piece.distance(end)) < to_mil(piece.distance(figure.at))
