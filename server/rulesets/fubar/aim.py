"""Taking aim: which weapons may be fired at which targets, before any die is rolled."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from client_protocol.choices import AssignmentParameter, AssignmentRow, RowOption, Why
from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import about
from server.kernel.state import State, Unit
from server.kernel.structs import Fixed
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


class Aim(Fixed, frozen=True):
    """A shot that may be fired.

    Attributes:
        gun: the weapon and the figure that fires it.
        target: the unit that is fired at.
        distance: from the firer to the nearest figure of the target that it may fire at, in mil.
        seen: the figures of the target that the shot may hit, nearest first.
    """

    gun: Gun
    target: str
    distance: int
    seen: tuple[str, ...]


def aim(rules: FubarRules, state: State, unit_id: str, gun: Gun, target_id: str, moment: str) -> Aim | Why:
    """Return the shot of a weapon at a unit, or why there is none. `moment` is a key of `MOMENT_RULES`."""
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
    own: Sequence[Gun] | None = None,
) -> bool:
    """Return whether any figure of the unit may fire at any enemy now.

    `targets`, if given, are the only enemy units that count, and `among` the only enemy figures. `own` are the unit's guns at
    this moment where they are known already.
    """
    unit = state.units[unit_id]
    if own is None:
        own = guns(rules, state, unit_id, moment)
    if _no_moment(rules, state, unit, moment, own) is not None:
        return False
    reaches = {weapon: rules.weapon(weapon).reach for weapon in {gun.weapon for gun in own}}
    farthest = max(reaches.values())
    sights = Sights(rules, state, unit, among)
    for enemy in state.enemies_of(unit.side):
        if (targets is not None and enemy.id not in targets) or not enemy.on_table:
            continue
        least = sights.apart(enemy) - 1
        if least > farthest or sights.hidden(enemy):
            continue
        for gun in own:
            reach = reaches[gun.weapon]
            if least <= reach and sights.reaches(gun, enemy, reach) and sights.barred(gun, enemy) is None:
                return True
    return False


def fire_parameter(
    rules: FubarRules, state: State, unit_id: str, moment: str, targets: Sequence[str] | None = None
) -> AssignmentParameter | Why:
    """Return the parameter that asks who fires at whom, or why the unit cannot fire.

    Each row is a figure or a mount, and each value `weapon@target`. `targets`, if given, are the only enemies that may be
    named. The suggestion is the nearest legal target for the whole unit, each figure with its weapon of the most Fire Points
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
    """Return why a unit that fires at this moment cannot fire at some of the enemies that it sees, the nearest enemy first."""
    unit = state.units[unit_id]
    own = guns(rules, state, unit_id, moment)
    sights = Sights(rules, state, unit)
    enemies = _enemies(state, unit, None)
    found = []
    for enemy, near in enemies.items():
        if not any(any(_shots(sights, gun, {enemy: near})) for gun in own):
            why = _why_nobody(sights, own, {enemy: near})
            # An enemy out of sight needs no sentence. One in close combat is barred by the same rule and does.
            if why.rule != UNSEEN or any(why == sights.barred(gun, state.units[enemy]) for gun in own):
                found.append(why)
    return found


# --- helpers ---------------------------------------------------------------------------------------------------------


class _Shot(Fixed, frozen=True):
    """A weapon that may be fired at a target, with the distance (mil) and its Fire Points there."""

    gun: Gun
    target: str
    distance: int
    points: int

    @property
    def key(self) -> str:
        return f"{self.gun.weapon}@{self.target}"


def _shots(sights: Sights, gun: Gun, enemies: Mapping[str, int]) -> Iterator[_Shot]:
    weapon = sights.rules.weapon(gun.weapon)
    reach = weapon.reach
    for enemy, near in enemies.items():
        target = sights.state.units[enemy]
        if near > reach or sights.barred(gun, target) is not None:
            continue
        mil = sights.nearest(gun, target)
        if mil is not None and mil <= reach:
            # fubar4/weapon.assault-rifle-close: by the distance to the nearest figure in sight
            yield _Shot(gun, enemy, mil, weapon.points(mil))


def _no_moment(rules: FubarRules, state: State, unit: Unit, moment: str, own: Sequence[Gun]) -> Why | None:
    """Return why the unit, whose weapons are `own`, cannot fire at all at this moment; None if it can."""
    if moment == ABOARD:
        # fubar4/vehicle.transport: passengers fire only from unarmoured vehicles
        if not unit.aboard or not state.units[unit.aboard].on_table:
            return Why(f"{unit.name} is not aboard a vehicle.", "vehicle.transport")
        if rules.vehicle_armour(state.units[unit.aboard]).armoured:
            vehicle = state.units[unit.aboard].name
            return Why(f"{vehicle} is armoured: passengers cannot fire from it.", "vehicle.transport")
    elif not unit.on_table:
        return Why(f"{unit.name} is not on the table.", UNSEEN)
    if not is_vehicle(unit) and unit.living and moment != ABOARD and not standing(unit):
        # fubar4/fire.suppressed-cannot
        return Why(f"All of {unit.name} are suppressed.", "fire.suppressed-cannot")
    if not own:
        return Why(f"{unit.name} has no weapon that it can fire now.", MOMENT_RULES[moment])
    return None


def _enemies(state: State, unit: Unit, targets: Collection[str] | None) -> dict[str, int]:
    """Return the enemies on the table (those in `targets`, if given) with their distances in mil, nearest first."""
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
"""The rules that keep a weapon from firing, the simplest first. If several apply, the last one is shown."""


def _why_nobody(sights: Sights, own: Sequence[Gun], enemies: Mapping[str, int]) -> Why:
    """Return why none of these weapons can be fired: what keeps them from the nearest enemy in sight."""
    unit = sights.unit
    if not enemies:
        return Why(f"There is no enemy that {unit.name} could fire at.", UNSEEN)
    told: Why | None = None
    for enemy in enemies:
        target = sights.state.units[enemy]
        if len(enemies) > 1 and sights.hidden(target):
            continue
        # A figure that sees no enemy is told that, and not what its weapon cannot do.
        placed = {gun: sights.why(gun, target) for gun in own}
        reasons = [why if why.rule == UNSEEN else sights.barred(gun, target) or why for gun, why in placed.items()]
        told = max(reasons, key=lambda why: _REASONS.index(why.rule))
        if told.rule != UNSEEN:
            return told
    if told is not None and len(enemies) == 1:
        return told
    return Why(f"{unit.name} sees no enemy that it could fire at.", UNSEEN)


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
    """Return a note if firing the weapon takes a second man, who then does not fire himself (fubar4/weapon.hmg-crew)."""
    return ", a second man serves it and does not fire" if needs_mate(rules, unit, gun) else ""


def _suggested(
    rules: FubarRules, unit: Unit, legal: Mapping[str, Sequence[_Shot]], moment: str, enemies: Iterable[str]
) -> dict[str, str]:
    """Return the weapon with the most Fire Points for each row, all at the unit's nearest target.

    A row that cannot fire at that target fires at the nearest one that it can.
    """
    best: dict[str, _Shot] = {}
    for row, shots in legal.items():
        nearest = next(enemy for enemy in enemies if any(shot.target == enemy for shot in shots))
        best[row] = max((shot for shot in shots if shot.target == nearest), key=lambda shot: shot.points)
    if is_vehicle(unit):
        heaviest = sorted(best, key=lambda row: -best[row].points)[: _most(unit, moment, len(best))]
        return {row: shot.key for row, shot in best.items() if row in heaviest}
    return {row: best[row].key for row in manned(rules, unit, {row: shot.gun for row, shot in best.items()})}
