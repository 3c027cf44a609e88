"""Taking aim: who may fire what at whom, before any die falls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from client_protocol.choices import AssignmentParameter, AssignmentRow, Choice, RowOption, Why
from server.kernel.bodies import is_vehicle
from server.kernel.geometry import about
from server.kernel.state import State, Unit
from server.rulesets.fubar.game import FubarRules, enemies_by_distance, standing
from server.rulesets.fubar.guns import (
    ABOARD,
    AIMED,
    DRIVE,
    HALT,
    MOMENT_RULES,
    REACTION,
    WALK,
    Gun,
    crew,
    guns,
    manned,
)
from server.rulesets.fubar.sights import Sights

__all__ = [
    "ABOARD",
    "AIMED",
    "DRIVE",
    "HALT",
    "MOMENT_RULES",
    "REACTION",
    "WALK",
    "Aim",
    "Gun",
    "aim",
    "can_fire",
    "fire_choice",
    "fire_parameter",
    "guns",
]


class Aim(Struct, frozen=True):
    """A shot that may be fired: `distance` is that from the firer to the nearest figure of the target it may fire at, in mil;
    `seen` are the figures of the target that it may hit, nearest first.
    """

    gun: Gun
    target: str
    distance: int
    seen: tuple[str, ...]


def aim(rules: FubarRules, state: State, unit_id: str, gun: Gun, target_id: str, moment: str) -> Aim | Why:
    """The shot of a weapon at a unit, or why there is none. `moment` is one of those of `guns`."""
    unit, target = state.units[unit_id], state.units[target_id]
    sights = Sights(rules, state, unit)
    why = _no_moment(rules, state, unit, moment) or sights.barred(gun, target)
    if why is not None:
        return why
    mil = sights.nearest(gun, target)
    if mil is None or mil > rules.weapon(gun.weapon).reach:
        return sights.why(gun, target)
    return Aim(gun, target_id, mil, tuple(key for _, key in sights.seen(gun, target)))


def can_fire(
    rules: FubarRules,
    state: State,
    unit_id: str,
    moment: str,
    targets: Sequence[str] | None = None,
    among: Collection[str] | None = None,
) -> bool:
    """Whether anybody of the unit may fire at any enemy (of `targets`, when given; at one of the figures `among` them)."""
    unit = state.units[unit_id]
    if _no_moment(rules, state, unit, moment) is not None:
        return False
    enemies = _enemies(state, unit, targets)
    if not enemies:
        return False
    own = guns(rules, state, unit_id, moment)
    farthest = max((rules.weapon(gun.weapon).reach for gun in own), default=0)
    sights = Sights(rules, state, unit, among)
    for enemy, near in enemies.items():
        if near > farthest:
            break
        for gun in own:
            if sights.barred(gun, state.units[enemy]) is None:
                mil = sights.nearest(gun, state.units[enemy])
                if mil is not None and mil <= rules.weapon(gun.weapon).reach:
                    return True
    return False


def fire_parameter(
    rules: FubarRules, state: State, unit_id: str, moment: str, targets: Sequence[str] | None = None
) -> AssignmentParameter | Why:
    """What a unit is asked when it fires: each figure's (or mount's) weapon and target, `weapon@target`; or why it cannot.

    Only enemies in `targets`, when given. Suggested is the nearest legal target for all, each with the most Fire Points
    (fubar4/fire.split).
    """
    unit = state.units[unit_id]
    why = _no_moment(rules, state, unit, moment)
    if why is not None:
        return why
    enemies = _enemies(state, unit, targets)
    sights = Sights(rules, state, unit)
    legal: dict[str, list[_Shot]] = {}
    for gun in guns(rules, state, unit_id, moment):
        legal.setdefault(gun.row, []).extend(_shots(sights, gun, enemies))
    legal = {row: shots for row, shots in legal.items() if shots}
    if not legal:
        return _why_nobody(sights, moment, enemies)
    return AssignmentParameter(
        label="Who fires at whom",
        unit=unit_id,
        rows=tuple(_row(rules, state, unit, row, shots) for row, shots in legal.items()),
        least=1,
        most=_most(unit, moment, len(legal)),
        suggested=_suggested(rules, unit, legal, moment, enemies),
        none="holds fire",
    )


def fire_choice(
    rules: FubarRules,
    state: State,
    unit_id: str,
    moment: str,
    targets: Sequence[str] | None = None,
    *,
    key: str = "fire",
    label: str = "Fire",
    consequence: str = "",
) -> Choice:
    """The choice to fire at this moment, with why when it cannot be taken."""
    found = fire_parameter(rules, state, unit_id, moment, targets)
    rule = MOMENT_RULES[moment]
    if isinstance(found, Why):
        return Choice(key, label, rule, consequence, (), found)
    return Choice(key, label, rule, consequence, (found,), preview=True)


# --- inside ---------------------------------------------------------------------------------------------------------


class _Shot(Struct, frozen=True):
    """A weapon that may be fired at a target, at this distance (mil), with so many Fire Points."""

    gun: Gun
    target: str
    distance: int
    points: int

    @property
    def key(self) -> str:
        return f"{self.gun.weapon}@{self.target}"


def _shots(sights: Sights, gun: Gun, enemies: Mapping[str, int]) -> Iterator[_Shot]:
    weapon = sights.rules.weapon(gun.weapon)
    for enemy, near in enemies.items():
        target = sights.state.units[enemy]
        if near > weapon.reach or sights.barred(gun, target) is not None:
            continue
        mil = sights.nearest(gun, target)
        if mil is not None and mil <= weapon.reach:
            # fubar4/weapon.assault-rifle-close: by the distance to the nearest figure in sight
            yield _Shot(gun, enemy, mil, weapon.points(mil))


def _no_moment(rules: FubarRules, state: State, unit: Unit, moment: str) -> Why | None:
    """Why the unit cannot fire at all at this moment."""
    if moment == ABOARD:
        # fubar4/vehicle.transport: passengers fire only from unarmoured vehicles
        if not unit.aboard or not state.units[unit.aboard].on_table:
            return Why(f"{unit.name} is not aboard a vehicle.", "vehicle.transport")
        if rules.vehicle_armour(state.units[unit.aboard]).armoured:
            vehicle = state.units[unit.aboard].name
            return Why(f"Nobody fires from inside {vehicle}, which is armoured.", "vehicle.transport")
    elif not unit.on_table:
        return Why(f"{unit.name} is not on the table.", "fire.line-of-sight")
    if not is_vehicle(unit) and unit.living and moment != ABOARD and not standing(unit):
        # fubar4/fire.suppressed-cannot
        return Why(f"All of {unit.name} are suppressed.", "fire.suppressed-cannot")
    if not guns(rules, state, unit.id, moment):
        return Why(f"{unit.name} has nothing that it could fire now.", MOMENT_RULES[moment])
    return None


def _enemies(state: State, unit: Unit, targets: Sequence[str] | None) -> dict[str, int]:
    """The enemies on the table and how far away (mil) they are, nearest first."""
    stand = state.units[unit.aboard] if unit.aboard else unit
    return {n.unit: n.distance for n in enemies_by_distance(state, stand) if targets is None or n.unit in targets}


_REASONS = (
    "fire.line-of-sight",
    "vehicle.activation",
    "fire.edge-of-cover",
    "fire.deep-in-cover",
    "weapon.support",
    "weapon.small-arms",
    "weapon.hmg-crew",
    "vehicle.small-arms-useless",
)
"""What keeps one from firing, the plainest first: the last of those that hold is told."""


def _why_nobody(sights: Sights, moment: str, enemies: Mapping[str, int]) -> Why:
    unit = sights.unit
    if not enemies:
        return Why(f"There is no enemy that {unit.name} could fire at.", "fire.line-of-sight")
    told: Why | None = None
    for enemy in enemies:
        target = sights.state.units[enemy]
        for gun in guns(sights.rules, sights.state, unit.id, moment):
            # Who sees nobody is told that, and not what his weapon could not do.
            why = sights.why(gun, target)
            if why.rule != "fire.line-of-sight":
                why = sights.barred(gun, target) or why
            if told is None or _REASONS.index(why.rule) > _REASONS.index(told.rule):
                told = why
    assert told is not None, "it has a weapon and an enemy"
    if told.rule == "fire.line-of-sight" and len(enemies) > 1:
        return Why(f"{unit.name} sees no enemy that it could fire at.", told.rule)
    return told


def _most(unit: Unit, moment: str, rows: int) -> int:
    if moment == DRIVE:
        # fubar4/vehicle.move-open: one weapon on the move
        return 1
    # fubar4/vehicle.stationary: as many weapons as crew members
    return min(rows, crew(unit)) if is_vehicle(unit) else rows


def _row(rules: FubarRules, state: State, unit: Unit, row: str, shots: Sequence[_Shot]) -> AssignmentRow:
    options = tuple(
        RowOption(
            shot.key,
            f"{rules.weapon(shot.gun.weapon).name} at {state.units[shot.target].name}",
            shot.target,
            f"{about(shot.distance)}, {shot.points} FP",
        )
        for shot in shots
    )
    if row in unit.mounts:
        return AssignmentRow(row, rules.weapon(unit.mounts[row].weapon).name, options)
    return AssignmentRow(row, f"Figure {row}", options, row)


def _suggested(
    rules: FubarRules, unit: Unit, legal: Mapping[str, Sequence[_Shot]], moment: str, enemies: Iterable[str]
) -> dict[str, str]:
    """All at the unit's nearest target, whoever cannot at his nearest, each with the most Fire Points."""
    best: dict[str, _Shot] = {}
    for row, shots in legal.items():
        nearest = next(enemy for enemy in enemies if any(shot.target == enemy for shot in shots))
        best[row] = max((shot for shot in shots if shot.target == nearest), key=lambda shot: shot.points)
    if is_vehicle(unit):
        heaviest = sorted(best, key=lambda row: -best[row].points)[: _most(unit, moment, len(best))]
        return {row: shot.key for row, shot in best.items() if row in heaviest}
    return {row: best[row].key for row in manned(rules, unit, {row: shot.gun for row, shot in best.items()})}
