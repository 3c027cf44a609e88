"""Fire Priority: which of the enemies in sight a unit may shoot at, and what it fires at them in spite of it."""

from __future__ import annotations

from client_protocol.choices import Candidate, Why
from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import about
from server.kernel.standing import enemies
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import NEUTRAL, NON_COMBATANT, FadRules
from server.rulesets.fad.shot import AUTO, Shot, aim, without
from server.rulesets.shared.distances import Nearest, apart, enemies_by_distance, stand, visible_enemies


def targets(rules: FadRules, state: State, shooter: str, mount: str = "") -> tuple[Candidate, ...]:
    """Return every enemy unit on the table in the order of Fire Priority, each with why it may not be shot at, by a vehicle with
    the weapon on `mount`.
    """
    # Several choices of a prompt offer the same targets.
    known = rules.targets.get(state, (shooter, mount))
    return (
        rules.targets.keep(state, (shooter, mount), _targets(rules, state, shooter, mount)) if known is None else known
    )


def surely_shoots(rules: FadRules, state: State, shooter: str) -> bool:
    """Return whether the nearest enemy that a squad sees is a target of its fire: then `targets` has one that may be shot at. If
    it is none, others may be.
    """
    unit = state.units[shooter]
    if any(has(other, NEUTRAL) for other in state.units_of(unit.side)):
        return False  # one of them may be nearer than any enemy
    own = stand(state, unit)
    for nearest in enemies_by_distance(state, unit):
        if rules.sees(state, own, state.units[nearest.unit]):
            # fad4/shoot.fire-priority: none in sight is closer
            return isinstance(aim(rules, state, shooter, nearest.unit), Shot)
    return False


def _targets(rules: FadRules, state: State, shooter: str, mount: str) -> tuple[Candidate, ...]:
    unit = state.units[shooter]
    visible = in_sight(rules, state, unit)
    limit = rules.chapters.fire.priority(rules, unit)
    closer = _closer(rules, state, visible)
    shots = [aim(rules, state, shooter, nearest.unit, mount) for nearest in visible]
    # fad5/shoot.fire-priority-unharmable: it has no shot at any of those that Fire Priority lets it choose
    none_harmed = rules.book.tables.fire_priority.unharmable and all(
        isinstance(shot, Why) for shot, count in zip(shots, closer, strict=True) if count < limit
    )
    found = [
        _target(
            rules, state, unit, nearest, shot, mount, _forbidding(rules, unit, count, limit, none_harmed=none_harmed)
        )
        for nearest, shot, count in zip(visible, shots, closer, strict=True)
    ]
    seen = {nearest.unit for nearest in visible}
    unseen = [
        Candidate(enemy.id, why=Why(f"{unit.name} does not see {enemy.name}.", "shoot.line-of-sight"))
        for enemy in enemies(state, unit.side)
        if enemy.id not in seen
    ]
    return (*found, *unseen)


def permitted(rules: FadRules, state: State, unit: Unit, *, free: bool = False) -> list[str]:
    """Return the enemies that Fire Priority lets `unit` shoot at, whether they are in range or not, nearest first; all that it
    sees if it is `free` of it.
    """
    visible = in_sight(rules, state, unit)
    limit = rules.chapters.fire.priority(rules, unit)
    if free:
        return [nearest.unit for nearest in visible]
    closer = _closer(rules, state, visible)
    return [nearest.unit for nearest, count in zip(visible, closer, strict=True) if count < limit]


def in_sight(rules: FadRules, state: State, unit: Unit) -> list[Nearest]:
    """Return those in sight of `unit` who may be shot at, nearest first: enemies, and those of its own side who obey no side."""
    found = visible_enemies(rules, state, unit)
    own = stand(state, unit)
    strangers = [other for other in state.units_of(unit.side) if has(other, NEUTRAL) and other.on_table]
    found += [Nearest(apart(own, other), other.id) for other in strangers if rules.sees(state, own, other)]
    return sorted(found, key=lambda nearest: nearest.distance) if strangers else found


def _closer(rules: FadRules, state: State, visible: list[Nearest]) -> list[int]:
    """Return how many of those in sight are closer than each of them (fad4/shoot.fire-priority). At equal distances either may
    count as closer.
    """
    # fad5/shoot.fire-priority: non-combatants take no place
    armed_only = rules.book.tables.fire_priority.armed_only
    found: list[int] = []
    closer = equal = distance = 0
    for nearest in visible:
        if nearest.distance > distance:
            closer, equal, distance = closer + equal, 0, nearest.distance
        found.append(closer)
        unit = state.units[nearest.unit]
        equal += not (rules.bystander(state, unit) or (armed_only and has(unit, NON_COMBATANT)))
    return found


def _target(
    rules: FadRules, state: State, unit: Unit, nearest: Nearest, shot: Shot | Why, mount: str, forbidden: Why | None
) -> Candidate:
    if isinstance(shot, Why):
        return Candidate(nearest.unit, about(nearest.distance), shot)
    note = f"{about(shot.distance)}, {shot.band} range, {rules.book.covers[shot.cover].name}"
    if forbidden and (picks_freely(rules, state, unit, mount) or picked(rules, state, shot) is not None):
        forbidden = None
    return Candidate(nearest.unit, note, forbidden)


def _forbidding(rules: FadRules, unit: Unit, closer: int, limit: int, *, none_harmed: bool) -> Why | None:
    """Return why Fire Priority forbids a target to which `closer` enemies are closer, or None."""
    if closer < limit:
        return None
    quality = rules.quality(unit).name
    closest = "the closest enemy" if limit == 1 else f"one of the {limit} closest enemies"
    if none_harmed:
        sentence = f"{quality} units must shoot at {closest} they see, and {unit.name} can harm none of these."
        return Why(sentence, "shoot.unharmable")
    sentence = f"{quality} units must shoot at {closest} they see; {closer} are closer."
    return Why(sentence, "shoot.fire-priority")


def picks_freely(rules: FadRules, state: State, unit: Unit, mount: str) -> bool:
    """Return whether a unit has nothing but a heavy weapon that picks its targets (fad4/tech.weapon-tables)."""
    crew = rules.crew(state, unit)
    key = crew.gunner if crew is not None and crew.whole else mount
    if not key or (is_vehicle(unit) and len(unit.mounts) > 1) or (crew is not None and not crew.whole):
        return False
    return key in (unit.mounts or unit.figures) and AUTO in rules.mounted(unit, key).traits


def picked(rules: FadRules, state: State, shot: Shot) -> Shot | None:
    """Return the part of a squad's fire that ignores Fire Priority if it is all that the unit fires: of small arms that pick
    their targets, or else of the first support weapon that does; None if it has none.
    """
    unit = state.units[shot.shooter]
    if shot.mount or shot.joined or is_vehicle(unit):
        return None
    gunners = {key for key, _ in rules.carried(unit)}
    if AUTO in rules.small_arm(unit).traits:
        if not gunners.intersection(shot.firing):
            return shot
        left = without(rules, state, shot, frozenset(gunners))
        return left if isinstance(left, Shot) else None
    for key, weapon in shot.supporting:
        if AUTO in rules.book.support_weapons[weapon].traits:
            left = without(rules, state, shot, frozenset(unit.figures) - {key})
            return left if isinstance(left, Shot) else None
    return None


def by_priority(rules: FadRules, state: State, shot: Shot) -> Shot:
    """Return what is fired at a target that was named: all, or if Fire Priority forbids that, what picks its targets."""
    unit = state.units[shot.shooter]
    if is_vehicle(unit) or shot.mount or picked(rules, state, shot) is None:
        return shot
    return shot if shot.target in permitted(rules, state, unit) else picked(rules, state, shot) or shot
