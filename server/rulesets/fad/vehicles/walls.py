"""Walls next to a vehicle: who gets in or out does not pass through them (fad5/move.building-entry)."""

from __future__ import annotations

from collections.abc import Sequence

from client_protocol.choices import Landing
from server.kernel.answers.landing import walkable
from server.kernel.bodies import body
from server.kernel.space.geometry import Outline
from server.kernel.space.hulls import enters, near
from server.kernel.space.values import Base
from server.kernel.standing import terrain_of
from server.kernel.state import State, Unit
from server.rulesets.fad.buildings import OPENING
from server.rulesets.fad.game import FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.vehicles.transport import contact


def way_off(rules: FadRules, state: State, unit: Unit, hull: Outline, reach: int, rule: str) -> Landing | None:
    """Return how the figures of a unit walk, by a rule, that are set down within `reach` mil of a hull or a wreck; None if there
    is nothing so near that they do not cross.
    """
    ground = on_foot(rules, state)
    openings = set(rules.pieces_with(state, OPENING))
    costly = tuple([(piece, toll) for piece, toll in ground.costly if piece in openings])
    radius = max(figure.radius for figure in unit.living.values())
    around = near(hull, reach, radius)
    if not any(enters(around, piece) for piece in terrain_of(state, (*ground.closed, *dict(costly)))):
        return None
    return Landing(hull, reach, costly, rule=rule)


def reaches(rules: FadRules, state: State, unit: Unit, vehicle: Unit, places: Sequence[Base], rule: str) -> bool:
    """Return whether figures of a unit at these places, close enough to a vehicle to get in, have no wall before them."""
    hull = body(next(iter(vehicle.figures.values()))).outline
    landing = way_off(rules, state, unit, hull, contact(rules), rule)
    if landing is None:
        return True
    walks = walkable(state, unit.id, landing, on_foot(rules, state).closed)
    return all(walks(at, radius) for at, radius in places)
