"""Saves against hits: by armour, or by the hull of a vehicle."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from client_protocol.explained import Explained, Line
from server.kernel.bodies import bodies, body, is_vehicle, riders
from server.kernel.facts import Rolled
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import at_most, crossings, inches
from server.kernel.space.hulls import apart
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.rulesets.fubar.dice import FAILED, SAVED, marks
from server.rulesets.fubar.game import FubarGame, FubarRules
from server.rulesets.fubar.setup.book import Armour

_NO_SAVE = 7
"""The rank of armour without a save: worse than any save."""


class PersonalSave(Question, frozen=True):
    """The number that a save of `unit` by its personal armour must show; 0 if it has none."""

    unit: str


class Save(Question, frozen=True):
    """The number that a save of `target` must show against a hit that `shooter` fired from the bodies `firing`; 0 if it has
    none.
    """

    shooter: str
    target: str
    firing: tuple[Body, ...]


def register(rules: FubarRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(PersonalSave, lambda state, q: _personal_lines(rules, state.units[q.unit]))
    rules.advisers.add(Save, lambda state, q: _save_lines(rules, state, q))


def personal(rules: FubarRules, state: State, unit: str) -> Explained:
    """Return what a save of `unit` by its personal armour must show, with its lines; 0 if it has none."""
    return rules.advisers.answer(state, PersonalSave(unit))


def majority(rules: FubarRules, unit: Unit) -> Armour:
    """Return the armour that most of the unit's living figures wear; if several are level, the worst
    (fubar4/armour.majority-save).
    """
    # fubar4/armour.table
    worn = Counter(rules.armour(figure).id for figure in unit.living.values())
    most = max(worn.values())
    return max((rules.book.armours[key] for key, count in worn.items() if count == most), key=_rank)


def _personal_lines(rules: FubarRules, unit: Unit) -> Iterator[Line]:
    armour = majority(rules, unit)
    yield Line("SET", armour.save, armour.name, "armour.majority-save")


def _save_lines(rules: FubarRules, state: State, question: Save) -> Iterator[Line]:
    target = state.units[question.target]
    if is_vehicle(target):
        # fubar4/fire.vehicle-save-shields, fubar4/vehicle.armour-table: once, for all who are in it
        armour = rules.vehicle_armour(target)
        yield Line("SET", armour.save, armour.name, "vehicle.armour-table")
        return
    yield from _personal_lines(rules, target)
    hull = _hull_before_most(rules, state, question)
    if hull is not None:
        armour = rules.vehicle_armour(hull)
        yield Line("SET", armour.save, f"behind {hull.name}, {armour.name.lower()}", "fire.armour-save")


def _hull_before_most(rules: FubarRules, state: State, question: Save) -> Unit | None:
    """Return the vehicle whose save the target uses, or None if it uses its own armour.

    Each figure has the better of its own armour and the hull that it is behind. The save that most figures have counts; if
    several are level, the worst.
    """
    target = state.units[question.target]
    own = majority(rules, target)
    hulls = [
        unit
        for unit in state.units.values()
        if is_vehicle(unit)
        and unit.on_table
        and unit.id not in {question.shooter, state.units[question.shooter].aboard}
    ]
    found: list[tuple[int, str]] = []
    for figure in bodies(target).values():
        nearest = min(question.firing, key=lambda firer: apart(firer, figure))
        saving = [
            (_rank(rules.vehicle_armour(hull)), hull.id) for hull in hulls if _behind(rules, hull, figure, nearest)
        ]
        found.append(min([*saving, (_rank(own), "")]) if saving else (_rank(own), ""))
    ranks = Counter(rank for rank, _ in found)
    rank = max(rank for rank, count in ranks.items() if count == max(ranks.values()))
    if rank >= _rank(own):
        return None
    return state.units[next(hull for other, hull in found if other == rank)]


def _behind(rules: FubarRules, vehicle: Unit, figure: Body, firer: Body) -> bool:
    """Return whether a figure is right behind a vehicle: near it, with the line of fire crossing it
    (fubar4/fire.armour-save).
    """
    hull = body(next(iter(vehicle.figures.values())))
    if not at_most(apart(hull, figure), inches(rules.book.tables.vehicles.behind)):
        return False
    return bool(crossings(firer.at, figure.at, hull.outline, linear=False))


def _rank(armour: Armour) -> int:
    """Return a rank for comparing armour: the lower, the better it saves."""
    return armour.save or _NO_SAVE


def save(game: FubarGame, shooter: str, target: str, firing: Sequence[Body], hits: int) -> Steps[int]:
    """Roll a save for each of `hits`, and return how many hits are left (fubar4/fire.armour-save)."""
    rules, unit = game.rules, game.unit(target)
    need = rules.advisers.answer(game.state, Save(shooter, target, tuple(firing)))
    if not need.value:
        return hits
    faces = yield from roll(hits, purpose="save")
    told = marks(faces, need.value, success=SAVED)
    rule = "fire.armour-save"
    if is_vehicle(unit):
        # fubar4/fire.vehicle-save-shields: a hit that it stops harms no passenger
        rule = "fire.vehicle-save-shields" if riders(game.state, target) else "vehicle.armour-table"
    yield Rolled(
        purpose="save",
        rule=rule,
        faces=faces,
        marks=told,
        numbers=(need,),
        outcome=str(told.count(FAILED)),
        side=unit.side,
        unit=target,
        target=shooter,
    )
    return told.count(FAILED)
