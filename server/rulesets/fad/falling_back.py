"""The path of a broken unit that falls back: whether there is one, and the one that the server suggests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from msgspec.structs import replace

from client_protocol.choices import EndRule, EndsFarther, EndsSpent, EndsTogether, PathParameter, PathsDeclared
from server.kernel.answers.check import check_path
from server.kernel.bodies import body
from server.kernel.space.geometry import Outline, Point, direction, to_mil
from server.kernel.space.paths import overlaps
from server.kernel.space.screens import Group
from server.kernel.space.sight import Field
from server.kernel.space.values import Base, Body
from server.kernel.standing import bases, hulls, nearest, widest_after
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed
from server.rulesets.fad import movement
from server.rulesets.fad.cover import figures_in_cover
from server.rulesets.fad.drawn_together import Together
from server.rulesets.fad.game import FadRules
from server.rulesets.shared.ways import Finder, allowing, ends_of, shifts_on_table

RULE = "morale.infantry-fall-back"
_SHARES = (60, 20, 5, 0)
"""How much farther from the enemy a hemmed-in unit tries to get, in percent of its move."""


class Retreat(Fixed, frozen=True):
    """How a broken unit can fall back (fad4/morale.infantry-fall-back).

    `parameter` is the path that its owner may draw; None if there is no way out, because at least one figure cannot get
    farther from the enemy. `way` is the server's suggestion; None if it finds no path for all figures together.
    """

    parameter: PathParameter | None
    way: PathsDeclared | None = None


def retreat(rules: FadRules, state: State, unit_id: str) -> Retreat:
    """Return how `unit_id` can fall back."""
    unit = state.units[unit_id]
    ends = movement.retreat_ends(rules, state, unit)
    plain = movement.path_parameter(rules, state, unit_id, movement.MOVE, ends, may_stay=False)
    bounds = rules.chapters.morale.retreats
    parameters = (plain,) if bounds is None else bounds(rules, state, unit, plain)
    for parameter in parameters:
        way = best_way(rules, state, unit, _straight(rules, state, parameter), allowing(state, parameter))
        if way is not None:
            return Retreat(parameter, way)
    return _hemmed_in(rules, state, parameters[-1]) if ends else Retreat(parameters[-1])


def spends(parameter: PathParameter) -> bool:
    """Return whether a path is to use up the move, of which the browser has to ask the server."""
    return any(isinstance(end, EndsSpent) for rule in parameter.ends for end in rule.any_of)


def to_the_edge(rules: FadRules, state: State, unit_id: str, manner: str = movement.MOVE) -> int | None:
    """Return how much movement, in mil, takes every figure of the unit to the table's edge; None if that is more than a move of
    this `manner`.
    """
    finder = Finder(state, movement.path_parameter(rules, state, unit_id, manner))
    most = 0
    for key, figure in finder.unit.living.items():
        if figure.at is not None:
            way = finder.off_table(key)
            if way is None:
                return None
            most = max(most, to_mil(finder.cost(key, way)))
    return most


# --- in the open ----------------------------------------------------------------------------------------------------


def _straight(rules: FadRules, state: State, parameter: PathParameter) -> list[PathsDeclared]:
    """Return retreats of the whole unit in a straight line, and others that also close its ranks. Not all are allowed."""
    unit = state.units[parameter.unit]
    near = movement.threats(rules, state, unit)
    if not near:
        return []
    enemy = state.units[near[0].unit]
    away = direction(enemy.places()[0][0], unit.places()[0][0])
    angles = [away + bend * 1500 for bend in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5)]
    far = parameter.allowance
    # fad5/morale.fall-back-direction: where the whole move is to be used, ground may shorten it
    shares = (5, 4, 3, 2, 1) if spends(parameter) else (3, 1)
    lengths = [far - 1, *(far * share // 6 for share in shares)]
    ways = shifts_on_table(state, parameter, angles, lengths)
    crew, limit = movement.crew_bond(rules, state, unit)
    if not movement.coherent(rules, state, unit) or movement.widest_gap(unit, crew) > limit:
        ways += movement.closing_ways(state, replace(parameter, gap=limit) if crew else parameter)
    return ways


def best_way(
    rules: FadRules,
    state: State,
    unit: Unit,
    ways: Sequence[PathsDeclared],
    legal: Callable[[PathsDeclared], bool],
) -> PathsDeclared | None:
    """Return the `legal` retreat that ends in the most cover, then the most out of sight, then nearest to its own edge; None if
    none of the `ways` is legal.
    """
    x, y = {"south": (0, -1), "north": (0, 1), "west": (-1, 0), "east": (1, 0)}.get(state.sides[unit.side].edge, (0, 0))
    ends = [ends_of(unit, way) for way in ways]
    covered = [figures_in_cover(rules, state, places) for places in ends]
    homeward = [sum(x * at[0] + y * at[1] for at, _ in places) for places in ends]
    watch = _Watch(rules.field(state), state.enemies_of(unit.side))
    # To ask whether a way is legal costs the most, then sight. Both are asked only of those that may be the best.
    for cover in sorted(set(covered), reverse=True):
        able = [index for index in range(len(ways)) if covered[index] == cover]
        homewards = iter(sorted(able, key=lambda index: -homeward[index]))
        best = next((index for index in homewards if legal(ways[index])), None)
        if best is None:
            continue
        most = watch.hidden(ends[best], -1)
        for index in homewards:
            hidden = watch.hidden(ends[index], most)
            if hidden > most and legal(ways[index]):
                best, most = index, hidden
        return ways[best]
    return None


class _Watch:
    """The enemies that could see where figures end."""

    def __init__(self, field: Field, enemies: Sequence[Unit]) -> None:
        self._field = field
        self._enemies = [
            Group(Body(at, radius) for at, radius in enemy.places()) for enemy in enemies if enemy.on_table
        ]

    def hidden(self, ends: Sequence[Base], most: int) -> int:
        """Return how many bases are out of sight; no more than `most` where they cannot be more than that."""
        found = 0
        for index, (at, radius) in enumerate(ends):
            if found + len(ends) - index <= most:
                break
            found += not self._sees(Group((Body(at, radius),)))
        return found

    def _sees(self, one: Group) -> bool:
        for index, enemy in enumerate(self._enemies):
            if self._field.between(one, enemy).any():
                # Who sees one figure mostly sees the next one too.
                self._enemies.insert(0, self._enemies.pop(index))
                return True
        return False


# --- hemmed in ------------------------------------------------------------------------------------------------------


def _hemmed_in(rules: FadRules, state: State, parameter: PathParameter) -> Retreat:
    """Return how a unit falls back that has no straight path: each figure goes its own way around obstacles.

    The unit must fall back, so if it cannot keep its coherency, it keeps as much of it as the found path allows.
    """
    finder = Finder(state, parameter)
    unit = finder.unit
    enemies = [
        id_ for rule in parameter.ends for end in rule.any_of if isinstance(end, EndsFarther) for id_ in end.units
    ]
    near, sides = bases(state, only=enemies), hulls(state, only=enemies)
    reach = {key: nearest(body(f), near, sides) for key, f in unit.living.items() if f.at is not None}
    loose: list[PathsDeclared] = []
    for share in _SHARES:
        wanted = {key: far + parameter.allowance * share // 100 for key, far in reach.items()}
        # All places are searched only in the last round, before the unit is told that there is no way out.
        quick = share > 0
        # The figure is tested without its own unit's bases, which may move: if it fails even so, the whole unit fails.
        alone = _each_alone(finder, near, sides, wanted, quick=quick)
        if alone is None:
            if not share:
                return Retreat(None)
            continue
        for way in _one_by_one(finder, near, sides, wanted, alone, quick=quick):
            if finder.allows(way):
                return Retreat(parameter, way)
            if way not in loose:
                loose.append(way)
    # fad4/coherency.broken: as close to coherency as the unit can get
    crew, bond = movement.crew_bond(rules, state, unit)
    limit = rules.advisers.answer(state, movement.CoherencyDistance(unit.id)).value
    # How far apart the unit ends, and with it the crew of a weapon, is compared and not checked.
    apart = replace(parameter, gap=0, ends=tuple(_without_crew(parameter)))
    together = Together(state, apart, limit, crew, bond)
    closer = [together.closer(way) for way in loose]
    for way in sorted(closer, key=lambda one: (together.widest(one), widest_after(unit, one, crew))):
        ends = (*_without_crew(parameter), *movement.crew_rules(rules, state, unit, way))
        wider = replace(parameter, ends=ends, gap=together.gap(way), gap_rule="coherency.broken")
        if check_path(state, wider, way) is None:
            return Retreat(wider, way)
    return Retreat(parameter)


def _without_crew(parameter: PathParameter) -> list[EndRule]:
    """Return where a path is to end, but for what keeps a crew together."""
    return [rule for rule in parameter.ends if not any(isinstance(one, EndsTogether) for one in rule.any_of)]


def _each_alone(
    finder: Finder, near: Sequence[Base], sides: Sequence[Outline], reach: dict[str, int], *, quick: bool
) -> dict[str, tuple[Point, ...]] | None:
    """Return the way on which each figure gets farther than its `reach`, were it alone; None if one of them has none."""
    ways: dict[str, tuple[Point, ...]] = {}
    for key, far in reach.items():
        way = finder.beyond(key, near, sides, far, quick=quick)
        if way is None:
            return None
        ways[key] = way
    return ways


def _one_by_one(
    finder: Finder,
    near: Sequence[Base],
    sides: Sequence[Outline],
    reach: dict[str, int],
    alone: dict[str, tuple[Point, ...]],
    *,
    quick: bool,
) -> Iterator[PathsDeclared]:
    """Yield moves in which each figure gets farther than its `reach`: the figures farthest from the enemy go first, or last. Each
    goes the way that it would go `alone`, unless others of its unit stand where that ends.
    """
    places = {key: (f.at, f.radius) for key, f in finder.unit.living.items() if f.at is not None}
    outermost = sorted(reach, key=lambda key: (-reach[key], key))
    for order in (outermost, outermost[::-1]):
        # First around the places where others still stand; if that fails, as if those had already left.
        for waiting_stand in (True, False):
            standing = dict(places) if waiting_stand else {}
            paths: dict[str, tuple[Point, ...]] = {}
            for key in order:
                others = [base for other, base in standing.items() if other != key]
                start, radius = places[key]
                way: tuple[Point, ...] | None = alone[key]
                if overlaps((start, *alone[key])[-1], radius, others):
                    way = finder.beyond(key, near, sides, reach[key], others, quick=quick)
                if way is None:
                    break
                paths[key] = way
                standing[key] = ((start, *way)[-1], radius)
            else:
                yield PathsDeclared(paths)
