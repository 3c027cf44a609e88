"""Taking aim: who may fire what at whom, before any die falls."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from client_protocol.choices import AssignmentParameter, AssignmentRow, RowOption, Why
from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import about
from server.kernel.state import State, Unit
from server.rulesets.fubar.game import FubarRules, standing
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
    needs_mate,
)
from server.rulesets.fubar.sights import Sights
from server.rulesets.shared.distances import enemies_by_distance

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
    "closed",
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
    why = _no_moment(rules, state, unit, moment, [gun]) or sights.barred(gun, target)
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
    own = guns(rules, state, unit_id, moment)
    if _no_moment(rules, state, unit, moment, own) is not None:
        return False
    farthest = max(rules.weapon(gun.weapon).reach for gun in own)
    enemies = _enemies(state, unit, targets)
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
    own = guns(rules, state, unit_id, moment)
    why = _no_moment(rules, state, unit, moment, own)
    if why is not None:
        return why
    enemies = _enemies(state, unit, targets)
    sights = Sights(rules, state, unit)
    legal: dict[str, list[_Shot]] = {}
    for gun in own:
        legal.setdefault(gun.row, []).extend(_shots(sights, gun, enemies))
    legal = {row: shots for row, shots in legal.items() if shots}
    if not legal:
        return _why_nobody(sights, own, enemies)
    return AssignmentParameter(
        label="Who fires at whom",
        unit=unit_id,
        rows=tuple(_row(rules, state, unit, row, shots) for row, shots in legal.items()),
        least=1,
        most=_most(unit, moment, len(legal)),
        suggested=_suggested(rules, unit, legal, moment, enemies),
        none="holds fire",
    )


def closed(rules: FubarRules, state: State, unit_id: str, moment: str) -> list[Why]:
    """Why nobody of a unit that fires at this moment can name some of the enemies that it sees, the nearest first."""
    unit = state.units[unit_id]
    own = guns(rules, state, unit_id, moment)
    sights = Sights(rules, state, unit)
    enemies = _enemies(state, unit, None)
    found = []
    for enemy, near in enemies.items():
        if not any(any(_shots(sights, gun, {enemy: near})) for gun in own):
            why = _why_nobody(sights, own, {enemy: near})
            # Of an enemy that nobody sees there is nothing to say; one in close combat is barred by the same rule.
            if why.rule != UNSEEN or any(why == sights.barred(gun, state.units[enemy]) for gun in own):
                found.append(why)
    return found


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


def _no_moment(rules: FubarRules, state: State, unit: Unit, moment: str, own: Sequence[Gun]) -> Why | None:
    """Why the unit cannot fire at all at this moment; `own` are its weapons."""
    if moment == ABOARD:
        # fubar4/vehicle.transport: passengers fire only from unarmoured vehicles
        if not unit.aboard or not state.units[unit.aboard].on_table:
            return Why(f"{unit.name} is not aboard a vehicle.", "vehicle.transport")
        if rules.vehicle_armour(state.units[unit.aboard]).armoured:
            vehicle = state.units[unit.aboard].name
            return Why(f"Nobody fires from inside {vehicle}, which is armoured.", "vehicle.transport")
    elif not unit.on_table:
        return Why(f"{unit.name} is not on the table.", UNSEEN)
    if not is_vehicle(unit) and unit.living and moment != ABOARD and not standing(unit):
        # fubar4/fire.suppressed-cannot
        return Why(f"All of {unit.name} are suppressed.", "fire.suppressed-cannot")
    if not own:
        return Why(f"{unit.name} has nothing that it could fire now.", MOMENT_RULES[moment])
    return None


def _enemies(state: State, unit: Unit, targets: Collection[str] | None) -> dict[str, int]:
    """The enemies on the table (of `targets`, when given) and how far away (mil) they are, nearest first."""
    return {nearest.unit: nearest.distance for nearest in enemies_by_distance(state, unit, targets)}


UNSEEN = "fire.line-of-sight"
_REASONS = (
    UNSEEN,
    "vehicle.activation",
    "fire.edge-of-cover",
    "fire.deep-in-cover",
    "weapon.support",
    "weapon.small-arms",
    "weapon.hmg-crew",
    "vehicle.small-arms-useless",
)
"""What keeps one from firing, the plainest first: the last of those that hold is told."""


def _why_nobody(sights: Sights, own: Sequence[Gun], enemies: Mapping[str, int]) -> Why:
    """Why none of these weapons can be fired at anybody: what keeps them from the nearest enemy in sight."""
    unit = sights.unit
    if not enemies:
        return Why(f"There is no enemy that {unit.name} could fire at.", UNSEEN)
    told: Why | None = None
    for enemy in enemies:
        target = sights.state.units[enemy]
        # Who sees nobody is told that, and not what his weapon could not do.
        placed = {gun: sights.why(gun, target) for gun in own}
        reasons = [why if why.rule == UNSEEN else sights.barred(gun, target) or why for gun, why in placed.items()]
        told = max(reasons, key=lambda why: _REASONS.index(why.rule))
        if told.rule != UNSEEN:
            return told
    assert told is not None, "there is an enemy"
    return told if len(enemies) == 1 else Why(f"{unit.name} sees no enemy that it could fire at.", UNSEEN)


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
            f"{about(shot.distance)}, {shot.points} FP{_crew_note(rules, unit, shot.gun)}",
        )
        for shot in shots
    )
    if row in unit.mounts:
        return AssignmentRow(row, rules.weapon(unit.mounts[row].weapon).name, options)
    return AssignmentRow(row, f"Figure {row}", options, row)


def _crew_note(rules: FubarRules, unit: Unit, gun: Gun) -> str:
    """What one should know of a weapon before one fires it: that another figure does not fire then (fubar4/weapon.hmg-crew)."""
    return ", a second man serves it and does not fire" if needs_mate(rules, unit, gun) else ""


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
