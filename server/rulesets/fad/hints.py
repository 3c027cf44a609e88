"""Hints for computer opponents: rough numbers of fire, and what the actions are good for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from server.kernel.bodies import is_vehicle
from server.kernel.hints import Goal, Hints, Manner, Worth
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point, inches
from server.kernel.space.values import Body
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import BROKEN, NEUTRAL, UNDER_FIRE, FadRules
from server.rulesets.fad.posts import posts, share
from server.rulesets.fad.previews.losses import kill_chance
from server.rulesets.fad.setup.book import HeavyWeapon
from server.rulesets.fad.shooting import FireEffect, PointsPerHit, fire_dice, support_dice
from server.rulesets.fad.shot import Shot, band_limits, band_of
from server.rulesets.shared.previews import odds
from server.rulesets.shared.previews.told import told

_FIRES = Manner(fire=1.0)
_MANNERS: Final[Mapping[str, Manner]] = {
    # fad4/action.engage-infantry: move, then fire; or fire, then move
    "move-fire": _FIRES,
    "drive-fire": Manner(fire=0.8),
    "fire-move": Manner(moves=True),
    "fire-fall-back": Manner(moves=True),
    "hold": Manner(worth=-0.2),
    "move-out": Manner(worth=-0.1),
    "drive-out": Manner(worth=-0.1),
    "hold-fire": Manner(worth=-0.1),
    "command": Manner(worth=-0.3),
    # fad5/transport.disembark: troops aboard neither fire nor hold anything
    "let-off": Manner(worth=1.5),
}
_DEALT: Final[Mapping[str, float]] = {
    "Expected losses": 1.0,
    "At least one loss": 0.3,
    "Expected losses of the target": 1.0,
    "Overrun them": 1.0,
    "Win": 1.0,
    "Killed": 4.0,
    "Out of action": 3.0,
    "Immobilised": 1.0,
    "Expected hits": 0.25,
    "At least one hit penetrates": 1.0,
}
_TAKEN: Final[Mapping[str, float]] = {
    "Expected own losses": 1.0,
    "Be overrun": 2.0,
    "Lose": 1.0,
    "Routs": 0.0,
}
_SHAKEN = 0.35
"""What a hit is worth besides the losses: those who are hit fire and move worse."""


class FadHints(Hints):
    """The hints of an edition of the family.

    Args:
        rules: the rules of the edition.
    """

    def __init__(self, rules: FadRules) -> None:
        self._rules = rules
        # Many places are at the same range band, and a decision asks of all of them: of the last state the numbers are kept.
        self._state: State | None = None
        self._shots: dict[tuple[str, str, str, str, str], float] = {}

    def manner(self, choice: str) -> Manner:
        return _MANNERS.get(choice.partition(":")[0], Manner())

    def menace(self, state: State, unit: Unit, target: Unit, distance: int, cover: str) -> float:
        if not is_vehicle(unit):
            return self._shot(state, unit, target, distance, cover, "")
        found = [self._shot(state, unit, target, distance, cover, key) for key, m in unit.mounts.items() if not m.lost]
        # fad4/shoot.vehicle-weapons: which of them bear the prompt says
        return sum(found)

    def _shot(self, state: State, unit: Unit, target: Unit, distance: int, cover: str, mount: str) -> float:
        rules = self._rules
        weapon = rules.mounted(unit, mount) if mount else None
        band = band_of(band_limits(rules, unit, weapon), distance)
        if band is None:
            return 0.0
        if state is not self._state:
            self._state, self._shots = state, {}
        key = (unit.id, target.id, band, cover, mount)
        known = self._shots.get(key)
        if known is None:
            known = self._shots[key] = self._losses(state, unit, target, distance, band, cover, weapon, mount)
        return known

    def _losses(
        self,
        state: State,
        unit: Unit,
        target: Unit,
        distance: int,
        band: str,
        cover: str,
        weapon: HeavyWeapon | None,
        mount: str,
    ) -> float:
        rules = self._rules
        shot = Shot(
            shooter=unit.id,
            target=target.id,
            firing=tuple(unit.living),
            seen=tuple(target.living),
            distance=distance,
            band=band,
            cover=cover,
            supporting=() if mount else tuple((key, row.id) for key, row in rules.carried(unit)),
            weapon=weapon.id if weapon is not None else "",
            mount=mount,
        )
        added = sum(line.amount for line in rules.advisers.answer(state, FireEffect(shot)).lines if line.stage == "ADD")
        points = max(1, rules.advisers.answer(state, PointsPerHit(shot)).value)
        dice = odds.best_of(*fire_dice(rules, state, shot))
        more = 3.5 * len(support_dice(rules, shot))
        hits = sum(float(weight) * max(0.0, face + added + more) / points for face, weight in dice.items())
        hits = max(0.0, hits - 0.4)  # points that are left over make no hit
        if is_vehicle(target):
            rating = weapon.anti_tank if weapon is not None else None
            return 0.0 if rating is None else min(4.0, 1.2 * hits)
        if weapon is not None and weapon.blasts:
            return min(target.strength, 1.2)
        kills = hits * float(kill_chance(rules, state, shot, 0, shot.weapon))
        return min(float(target.strength), kills) + _SHAKEN * min(1.0, hits)

    def covers(self, levels: Iterable[str]) -> str:
        return self._rules.cover_level(levels)

    def worth(self, unit: Unit) -> float:
        if is_vehicle(unit):
            return 4.0
        shaken = BROKEN in unit.conditions or UNDER_FIRE in unit.conditions
        return 1.0 + 0.15 * self._rules.level(unit) + (0.1 if shaken else 0.0)

    def near(self, unit: Unit) -> int:
        if is_vehicle(unit):
            return inches(18)
        # fad4/shoot.range-bands: at close range nothing is taken off
        return band_limits(self._rules, unit)["close"] * 3 // 4

    def firing(self, state: State, places: Iterable[Body]) -> float:
        return share(self._rules, state, places)

    def posts(self, state: State, radius: int) -> tuple[tuple[Point, ...], ...]:
        return posts(self._rules, state, radius)

    def bystander(self, unit: Unit) -> bool:
        return has(unit, NEUTRAL)

    def goals(self, state: State) -> tuple[Goal, ...]:
        # fad4/setup.victory
        if state.victory.get("kind") != "objective":
            return ()
        decisive = state.objectives.get(str(state.victory.get("objective", "")))
        return () if decisive is None else (Goal(decisive.at, decisive.radius),)

    def told(self, state: State, unit: str, preview: Preview) -> Worth:
        return told(state, unit, preview, _DEALT, _TAKEN)
