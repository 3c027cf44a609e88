"""FAD 5's retreat after a close assault: a path that its owner draws, away from the enemy, as long as it can be."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import (
    Choice,
    EndRule,
    EndsBeyond,
    EndsSpent,
    PathParameter,
    PathsDeclared,
    Picked,
    Why,
)
from server.kernel.answers.check import Asked, bases, check_path, hulls
from server.kernel.bodies import body
from server.kernel.facts import Declared, UnitLeft
from server.kernel.procedure import Steps, ask
from server.kernel.space.geometry import Outline, Point, centroid, direction, inches, inches_text, moved
from server.kernel.space.paths import largest_gap
from server.kernel.space.values import Base
from server.kernel.standing import nearest
from server.kernel.state import State, Unit
from server.rulesets.fad import damage, movement
from server.rulesets.fad.falling_back import best_way
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.going import past_all
from server.rulesets.fad.module import Going
from server.rulesets.fad.movement import CoherencyDistance
from server.rulesets.shared.ways import Finder, allowing, ends_of

CAPTURED = "captured"
"""Why figures fall that cannot get away from those who beat them."""
_SHARES = (95, 80, 65, 50, 35, 20, 10)
"""How much farther from the enemy a figure tries to get that has no straight way, in percent of the distance."""
_SLACK = 100
"""How much shorter (mil) than the whole distance a path may be: about what a hand loses that draws it."""


class Withdrawal(Struct, frozen=True):
    """How a squad falls back: as its owner may draw it in `parameter`, by default along `way`. The `captured` find no place that
    is clear of the enemy. Whether it `leaves` the table instead, if its owner wants it.
    """

    parameter: PathParameter
    way: PathsDeclared
    captured: tuple[str, ...] = ()
    leaves: bool = False


def withdraw(game: FadGame, unit: str, enemy: str, length: int, rule: str) -> Steps[None]:
    """Let a squad fall back `length` mil from the unit that it fought (fad5/assault.loser-falls-back)."""
    seat = game.state.seat_of(unit)
    found = withdrawal(game.rules, game.believed(seat), unit, enemy, length, rule)
    if found.captured:
        yield from damage.lose(game, unit, found.captured, CAPTURED, rule, cornered=True)
        if game.unit(unit).left:
            return
        found = withdrawal(game.rules, game.believed(seat), unit, enemy, length, rule)
    if not found.way.paths and not found.leaves:
        yield Declared(unit, "cannot-fall-back", rule, enemy)
        return
    name, other = game.unit(unit).name, game.unit(enemy).name
    told = f"{inches_text(length)} away from {other}, by a way that you draw."
    back = [Choice("fall-back", "Fall back", rule, told, (found.parameter,))] if found.way.paths else []
    leave = [Choice("leave", "Leave the table", rule, "The unit is out of the game.")] if found.leaves else []
    default = Picked("fall-back", (found.way,)) if back else Picked("leave")
    picked = yield from ask(seat, Asked(f"{name} falls back", (*back, *leave), default, rule, unit))
    if picked.choice == "leave":
        yield UnitLeft(unit, "left_table", rule)
        return
    declared = picked.values[0]
    assert isinstance(declared, PathsDeclared), "checked against the choice"
    # fad5/terrain-event.trigger: a piece that none has reached yet is reached at the next activation
    yield from past_all(game, Going(unit=unit, paths=declared.paths, manner="fall-back", rule=rule))
    if game.unit(unit).left:
        return
    if not movement.coherent(game.rules, game.state, game.unit(unit)):
        yield Declared(unit, "out-of-coherency", "coherency.broken")


def withdrawal(rules: FadRules, state: State, unit_id: str, enemy: str, length: int, rule: str) -> Withdrawal:
    """Return how a squad falls back `length` mil from an enemy, by a rule.

    Every figure ends farther from that enemy than it began, and at least the clearance off. Where the squad can go straight, in
    a direction within the cone away from the enemy, its figures go the whole distance. Otherwise each goes as far as it can
    around what is in its way.
    """
    unit = state.units[unit_id]
    near, sides = _foe(state, enemy)
    began = {key: nearest(body(f), near, sides) for key, f in unit.living.items()}
    clear = inches(rules.book.tables.close_assault.fall_back_clear)
    least = {key: max(far + 1, clear) for key, far in began.items()}
    parameter = _parameter(rules, state, unit, enemy, length, rule)
    straight = _with_ends(parameter, enemy, least, state, whole=True)
    finder = Finder(state, straight)
    ways = [_straight(finder, angle, length) for angle in _angles(rules, state, unit, enemy)]
    way = best_way(rules, state, unit, ways, allowing(state, straight))
    if way is not None:
        return Withdrawal(straight, way)
    leaves = rules.leaves_table(state) and _to_the_edge(state, parameter)
    return replace(_one_by_one(state, parameter, enemy, least, clear), leaves=leaves)


def _to_the_edge(state: State, parameter: PathParameter) -> bool:
    """Return whether every figure of a squad gets to the table's edge."""
    # fad5/morale.fall-back-direction
    finder = Finder(state, parameter)
    return all(finder.off_table(key) is not None for key in finder.unit.living)


def _foe(state: State, enemy: str) -> tuple[list[Base], list[Outline]]:
    """Return the bases and hulls of an enemy, or where its figures fell if none is left."""
    near, sides = bases(state, only=[enemy]), hulls(state, only=[enemy])
    if not near and not sides:
        near = [(f.at, f.radius) for f in state.units[enemy].figures.values() if f.at is not None]
    return near, sides


def _parameter(rules: FadRules, state: State, unit: Unit, enemy: str, length: int, rule: str) -> PathParameter:
    """Return the bounds of a path of a fixed length away from an enemy: markers and suits do not change it, and terrain does."""
    limit = rules.advisers.answer(state, CoherencyDistance(unit.id)).value
    places = unit.places()
    widest = max(limit, largest_gap([at for at, _ in places], [radius for _, radius in places]))
    return replace(
        movement.path_parameter(rules, state, unit.id, movement.CHARGE, may_stay=False),
        allowance=length,
        full=0,
        less=None,
        gap=widest,
        gap_rule="coherency.broken" if widest > limit else "coherency.distance",
        allowance_rule=rule,
        base_rule=rule,
        table_rule=rule,
        # fad5/morale.fall-back-direction
        receding=(enemy,),
        receding_rule="morale.fall-back-direction",
        # fad5/morale.fall-back-no-assault
        clear=inches(rules.book.tables.movement.clear),
        clear_rule="morale.fall-back-no-assault",
    )


def _with_ends(
    parameter: PathParameter, enemy: str, least: Mapping[str, int], state: State, *, whole: bool
) -> PathParameter:
    name, other = state.units[parameter.unit].name, state.units[enemy].name
    rule, far = parameter.allowance_rule, inches_text(parameter.allowance)
    away = Why(f"{name} falls back: its figures must end farther from {other}, and clear of it.", rule)
    ends = [EndRule((EndsBeyond((enemy,), tuple(least.items())),), away)]
    if whole:
        why = Why(f"{name} falls back {far}: every figure must go the whole distance.", rule)
        ends.append(EndRule((EndsSpent(parameter.allowance - _SLACK, len(least)),), why))
    return replace(parameter, ends=tuple(ends))


def _angles(rules: FadRules, state: State, unit: Unit, enemy: str) -> list[int]:
    """Return the directions that lead away from an enemy, or from where it fell, the straightest first."""
    foe = state.units[enemy]
    theirs = [at for at, _ in foe.places() or _foe(state, enemy)[0]]
    away = direction(centroid(theirs), centroid([at for at, _ in unit.places()]))
    bend = 100 * rules.book.tables.close_assault.fall_back_bend
    return sorted(range(away - bend, away + bend + 1, 1500), key=lambda angle: abs(angle - away))


def _straight(finder: Finder, angle: int, length: int) -> PathsDeclared:
    """Return the way on which every figure goes straight in one direction, as far as `length` mil of movement take it."""
    paths: dict[str, tuple[Point, ...]] = {}
    for key, figure in finder.unit.living.items():
        assert figure.at is not None, "only figures on the table fall back"
        # A mil less, since the end is rounded.
        least, far = length - 1, length
        if finder.cost(key, (moved(figure.at, angle, least),)) > length:
            least, far = 0, least
        while far - least > 1:
            middle = (far + least) // 2
            dear = finder.cost(key, (moved(figure.at, angle, middle),)) > length
            least, far = (least, middle) if dear else (middle, far)
        paths[key] = (moved(figure.at, angle, least),)
    return PathsDeclared(paths)


def _one_by_one(state: State, parameter: PathParameter, enemy: str, least: Mapping[str, int], clear: int) -> Withdrawal:
    """Return a way in which each figure goes as far as it can, those that are farthest from the enemy first. Those that get no
    farther stay, and those that find no place clear of the enemy are captured.
    """
    finder = Finder(state, parameter)
    near, sides = _foe(state, enemy)
    standing = {key: (f.at, f.radius) for key, f in finder.unit.living.items() if f.at is not None}
    paths: dict[str, tuple[Point, ...]] = {}
    reached: dict[str, int] = {}
    captured = []
    for key in sorted(standing, key=lambda key: (-least[key], key)):
        others = [base for mate, base in standing.items() if mate != key]
        found = _farthest(finder, key, near, sides, others, least[key], parameter.allowance)
        if found is not None:
            paths[key], reached[key] = found
            standing[key] = (found[0][-1], standing[key][1])
        elif least[key] <= clear and state.units[enemy].on_table:
            captured.append(key)
            del standing[key]
    way = PathsDeclared(paths)
    ends = ends_of(finder.unit, way)
    widest = max(parameter.gap, largest_gap([at for at, _ in ends], [radius for _, radius in ends]))
    wide = replace(_with_ends(parameter, enemy, reached, state, whole=False), gap=widest, figures=tuple(paths))
    if paths and not captured:
        assert check_path(state, wide, way) is None, "each figure's way is legal, and their ends are free"
    return Withdrawal(wide, way, tuple(captured))


def _farthest(
    finder: Finder,
    key: str,
    near: Sequence[Base],
    sides: Sequence[Outline],
    others: Sequence[Base],
    least: int,
    length: int,
) -> tuple[tuple[Point, ...], int] | None:
    """Return the path that takes a figure farthest from the enemy, and how far off it ends at least; None if it finds none to
    `least` mil.
    """
    for share in _SHARES:
        wanted = least + length * share // 100
        way = finder.beyond(key, near, sides, wanted - 1, others, quick=True)
        if way:
            return way, wanted
    way = finder.beyond(key, near, sides, least - 1, others)
    return (way, least) if way else None
