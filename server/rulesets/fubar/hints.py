"""Hints for computer opponents: rough numbers of fire, and what the actions are good for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from server.kernel.bodies import is_vehicle
from server.kernel.hints import Hints, Manner, Worth
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import inches
from server.kernel.state import State, Unit
from server.rulesets.fubar.cover import Cover
from server.rulesets.fubar.dice import chance
from server.rulesets.fubar.fire import HitNeed
from server.rulesets.fubar.game import SUPPRESSED, FubarRules, level_of
from server.rulesets.fubar.guns import AIMED, HALT, guns
from server.rulesets.fubar.saves import PersonalSave
from server.rulesets.shared.previews.told import told

_MANNERS: Final[Mapping[str, Manner]] = {
    # fubar4/action.walk: one shot on the way
    "walk": Manner(fire=0.8),
    "run": Manner(worth=-0.1),
    "duck-and-weave": Manner(seen=0.7, worth=-0.1),
    "gone-to-ground": Manner(seen=0.6, worth=-0.2),
    "on-guard": Manner(fire=0.55),
    "drive": Manner(fire=0.5),
    "drive-cover": Manner(fire=0.3),
    "halt": Manner(fire=1.0),
    "aimed-fire": Manner(),
    "hold": Manner(worth=-0.1),
    "hold-fire": Manner(worth=-0.1),
}
_DEALT: Final[Mapping[str, float]] = {
    "Expected hits after saves": 0.5,
    "At least one casualty": 1.0,
    "Destroyed": 4.0,
    "Expected losses": 1.2,
}
_TAKEN: Final[Mapping[str, float]] = {}


class FubarHints(Hints):
    """The hints of an edition of the family.

    Args:
        rules: the rules of the edition.
    """

    def __init__(self, rules: FubarRules) -> None:
        self._rules = rules

    def manner(self, choice: str) -> Manner:
        return _MANNERS.get(choice, Manner())

    def menace(self, state: State, unit: Unit, target: Unit, distance: int, cover: str) -> float:
        rules = self._rules
        best: dict[str, float] = {}
        for gun in guns(rules, state, unit.id, HALT if is_vehicle(unit) else AIMED):
            weapon = rules.weapon(gun.weapon)
            if distance > weapon.reach:
                continue
            need = rules.advisers.answer(state, HitNeed(level_of(unit, gun.figure), gun.weapon, Cover(cover))).value
            hits = weapon.points(distance) * float(chance(need))
            best[gun.row] = max(best.get(gun.row, 0.0), hits)
        hits = sum(best.values())
        if not hits:
            return 0.0
        if is_vehicle(target):
            # fubar4/vehicle.small-arms-useless: what harms it are the heavy ones
            save = rules.vehicle_armour(target).save
            heavy = sum(worth for row, worth in best.items() if worth >= 1.0 or row in unit.mounts)
            return min(4.0, heavy * (1 - float(chance(save)) if save else 1.0))
        save = rules.advisers.answer(state, PersonalSave(target.id)).value
        through = hits * (1 - float(chance(save)) if save else 1.0)
        down = sum(SUPPRESSED in figure.conditions for figure in target.living.values())
        return min(float(target.strength), through * (0.5 + 0.5 * down / max(1, target.strength)))

    def covers(self, levels: Iterable[str]) -> str:
        return max(levels, key=lambda level: self._rules.book.covers[level].modifier, default="none")

    def near(self, unit: Unit) -> int:
        if is_vehicle(unit):
            return inches(20)
        reaches = [self._rules.weapon(str(arm)).reach for arm in _arms(self._rules, unit)]
        return min(inches(14), max(reaches, default=inches(12)) * 2 // 3)

    def told(self, state: State, unit: str, preview: Preview) -> Worth:
        return told(state, unit, preview, _DEALT, _TAKEN)


def _arms(rules: FubarRules, unit: Unit) -> Iterable[str]:
    """Return the weapons that the unit's figures carry."""
    found = (figure.profile.get("arm") for figure in unit.living.values())
    return {str(arm) for arm in found if arm in rules.book.weapons}
