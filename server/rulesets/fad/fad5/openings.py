"""Who of a unit in a building fires, and from which door or window (fad5/shoot.building-openings)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from client_protocol.choices import Why
from server.kernel.bodies import bodies, body
from server.kernel.space.geometry import crossings, inches, to_mil
from server.kernel.space.terrain import Terrain
from server.kernel.standing import hulls
from server.kernel.state import State, Unit
from server.rulesets.fad.buildings import WIDE, openings_of, room_of, rooms
from server.rulesets.fad.game import FadRules

RULE = "shoot.building-openings"


def at_openings(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, able: tuple[str, ...], worth: Mapping[str, float]
) -> tuple[str, ...] | Why:
    """Return those of the figures `able` to fire at an enemy who have a place from which they do, or why none has.

    Figures in a room fire from an opening of it that is near, and through which they see the enemy; at an enemy in the same
    room they need none. From each opening two figures with small arms fire, or one with a support weapon; what such a figure
    adds to the Fire Effect is its `worth`, and those that add most come first.
    """
    found = rooms(rules, state)
    places = {key: figure.at for key, figure in unit.living.items() if key in able and figure.at is not None}
    inside = {key: room for key, at in places.items() if (room := room_of(found, at)) is not None}
    if not inside:
        return able
    chances = {key: _chances(rules, state, unit, enemy, key, room) for key, room in inside.items()}
    near = [key for key in inside if chances[key] is None]
    wanting = {key: own for key, own in chances.items() if own}
    taken = _taken(rules, wanting, worth)
    firing = tuple(key for key in able if key not in inside or key in near or key in taken)
    if firing:
        return firing
    return Why(
        f"No figure of {unit.name} is at a door or window from which it sees {enemy.name}.",
        RULE,
    )


def rivals(
    rules: FadRules, state: State, unit: Unit, enemy: Unit, able: tuple[str, ...], worth: Mapping[str, float]
) -> tuple[str, ...]:
    """Return those of the figures `able` to fire at an enemy who want a place at an opening, if not all of them get one; their
    owner may choose among them.
    """
    found = rooms(rules, state)
    wanting: dict[str, Sequence[Terrain]] = {}
    for key in able:
        at = unit.figures[key].at
        room = None if at is None else room_of(found, at)
        if room is not None and worth.get(key, 1) > 0 and (own := _chances(rules, state, unit, enemy, key, room)):
            wanting[key] = own
    return tuple(wanting) if len(_taken(rules, wanting, worth)) < len(wanting) else ()


def _chances(rules: FadRules, state: State, unit: Unit, enemy: Unit, key: str, room: Terrain) -> list[Terrain] | None:
    """Return the openings from which a figure in a room may fire at an enemy; None if it sees him in the room itself."""
    own, field, blocking = body(unit.figures[key]), rules.field(state), hulls(state)
    reach = inches(rules.book.tables.buildings.reach)
    close = [
        opening for opening in openings_of(rules, state, room) if to_mil(opening.distance(own.at)) - own.radius <= reach
    ]
    found: list[Terrain] = []
    for other in bodies(enemy).values():
        line = field.line_body(own, other, blocking)
        if not line.clear:
            continue
        if room.holds(other.at):
            return None
        found += [one for one in close if one not in found and crossings(*line.line, one.outline, linear=True)]
    return found


def _taken(rules: FadRules, wanting: Mapping[str, Sequence[Terrain]], worth: Mapping[str, float]) -> set[str]:
    """Return who gets a place at an opening. A figure with a support weapon needs all of an opening."""
    table = rules.book.tables.buildings
    free: dict[str, list[int]] = {}
    for openings in wanting.values():
        for one in openings:
            # A gate is as wide as two openings.
            free.setdefault(one.id, [table.figures] * (2 if WIDE in one.flags else 1))
    served: set[str] = set()
    for key in sorted((key for key in wanting if worth.get(key, 0) > 0), key=lambda key: (-worth[key], key)):
        # The opening that fewest others want.
        for one in sorted(wanting[key], key=lambda one: sum(one in others for others in wanting.values())):
            if table.figures in free[one.id]:
                free[one.id].remove(table.figures)
                served.add(key)
                break
    spaces = {opening: sum(left) for opening, left in free.items()}
    holders: dict[str, list[str]] = {opening: [] for opening in spaces}
    for key in wanting:
        if key not in worth and _placed(key, wanting, spaces, holders, set()):
            served.add(key)
    return served


def _placed(
    key: str,
    wanting: Mapping[str, Sequence[Terrain]],
    spaces: Mapping[str, int],
    holders: dict[str, list[str]],
    tried: set[str],
) -> bool:
    """Give a figure with small arms a place, moving others to another opening where that makes one free."""
    for opening in wanting[key]:
        if opening.id in tried:
            continue
        tried.add(opening.id)
        if len(holders[opening.id]) < spaces[opening.id]:
            holders[opening.id].append(key)
            return True
        for other in holders[opening.id]:
            if _placed(other, wanting, spaces, holders, tried):
                holders[opening.id].remove(other)
                holders[opening.id].append(key)
                return True
    return False
