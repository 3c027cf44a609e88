"""Along which lines units see and fire: between figures or between the centres of squads, and not through friendly squads."""

from __future__ import annotations

from collections.abc import Iterator

from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import inches
from server.kernel.space.pieces import Crowd
from server.kernel.space.screens import Group
from server.kernel.space.sight import Sightlines
from server.kernel.state import State, Unit
from server.kernel.traits import has
from server.rulesets.fad.game import NEUTRAL, FadRules
from server.rulesets.fad.sights import by_centres
from server.rulesets.shared.distances import stand

THROUGH_FRIENDS = "shoot.through-friends"
"""The rule by which infantry does not fire through friendly squads."""


def fire_lines(rules: FadRules, state: State, unit: Unit, enemy: Unit) -> Sightlines:
    """Return the lines along which `unit` may fire at `enemy`: its lines of sight, without those that run through friendly squads
    (fad5/shoot.through-friendly-infantry). Where the match measures between centres, each squad is one figure at its centre.

    They are remembered until one of the two, or a friend between them, moves or loses a figure, or the terrain or a vehicle
    changes.
    """
    place = stand(state, unit)
    if by_centres(state, place, enemy):
        place, enemy = rules.centred(place), rules.centred(enemy)
    plain = rules.sightlines(state, place, enemy)
    if plain.hidden:
        return plain
    one, other = rules.group(place), rules.group(enemy)
    crowds = [rules.crowd(friend) for friend in _between(rules, state, unit, one, other)]
    if not crowds:
        return plain
    known = rules.through.get(place.figures, enemy.figures)
    if known is not None and known[0] is plain and known[1] == crowds:
        return known[2]
    # fad5/move.flyer-sight: at a flyer, and from one, these are lines over the terrain
    lines = plain.past(crowds)
    rules.through.keep(place.figures, enemy.figures, (plain, crowds, lines))
    return lines


def in_the_way(rules: FadRules, state: State, unit: Unit) -> list[Unit]:
    """Return the friends through whom `unit` does not fire, in roster order: none for vehicles, which fire over them
    (fad5/shoot.vehicles-over-infantry), and for units aboard one. Its own figures are never in the way
    (fad5/shoot.through-own-squad).
    """
    return [friend for friend, _ in _in_the_way(rules, state, unit)]


def _in_the_way(rules: FadRules, state: State, unit: Unit) -> Iterator[tuple[Unit, Crowd]]:
    if not rules.book.tables.line_of_fire.gap or is_vehicle(unit) or unit.aboard:
        return iter(())
    known = rules.stopping.get(state, unit.side)
    stopping = rules.stopping.keep(state, unit.side, _stopping(rules, state, unit.side)) if known is None else known
    return ((friend, crowd) for friend, crowd in stopping if friend.id != unit.id)


def _stopping(rules: FadRules, state: State, side: str) -> list[tuple[Unit, Crowd]]:
    """Return the units of a side that stop the fire of the others, each with its figures."""
    return [
        (friend, rules.crowd(friend))
        for friend in state.units_of(side)
        if friend.on_table
        and not friend.aboard
        and not is_vehicle(friend)
        and not has(friend, NEUTRAL)
        and friend.places()
    ]


def standing_between(rules: FadRules, state: State, unit: Unit, enemy: Unit) -> list[Unit]:
    """Return the friends of `unit` who stand between it and an enemy, in roster order, whether they stop a line or not."""
    place = stand(state, unit)
    if by_centres(state, place, enemy):
        place, enemy = rules.centred(place), rules.centred(enemy)
    return _between(rules, state, unit, rules.group(place), rules.group(enemy))


def _between(rules: FadRules, state: State, unit: Unit, one: Group, other: Group) -> list[Unit]:
    return [friend for friend, crowd in _in_the_way(rules, state, unit) if crowd.between(one, other)]


def gap_to_fire_through(rules: FadRules) -> int:
    """Return how wide a gap in a friendly squad must be to fire through it, in mil."""
    return inches(rules.book.tables.line_of_fire.gap)


def stopped_by(rules: FadRules, state: State, unit: Unit, enemy: Unit) -> list[Unit]:
    """Return the friends of `unit` without whom more of its lines of sight to `enemy` would be lines of fire: each that alone
    stops one.
    """
    place, seen = unit, enemy
    if by_centres(state, unit, enemy):
        place, seen = rules.centred(unit), rules.centred(enemy)
    one, other = rules.group(place), rules.group(seen)
    plain = rules.sightlines(state, place, seen)
    return [
        friend
        for friend in _between(rules, state, unit, one, other)
        if not plain.all_in(plain.past([rules.crowd(friend)]))
    ]


def note(rules: FadRules, state: State, unit_id: str, target_id: str) -> str:
    """Return a sentence on the friends who stop fire of a unit at an enemy; "" if none does."""
    unit, target = state.units[unit_id], state.units[target_id]
    if unit.side == target.side or unit.aboard:
        return ""
    friends = stopped_by(rules, state, unit, target)
    if not friends:
        return ""
    names = " and ".join(friend.name for friend in friends)
    verb = "stand" if len(friends) > 1 else "stands"
    lines = "some of its" if fire_lines(rules, state, unit, target).any() else "all"
    return f"{names} {verb} in {lines} lines of fire."
