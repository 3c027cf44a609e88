"""Lines of sight between two units, for a player who points at one. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from client_protocol.from_client import Look
from client_protocol.from_server import Refused, Sight, SightRay
from server.kernel.bodies import apart, bodies
from server.kernel.looking import Ray, rays
from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import about
from server.kernel.state import State


def look(rules: Ruleset, believed: State, message: Look) -> Sight | Refused:
    """Return which figures of `message.unit` see which of `message.target`, past terrain and vehicles, in the position as the
    audience may know it.
    """
    unit, target = believed.units.get(message.unit), believed.units.get(message.target)
    if unit is None or target is None or unit is target or not unit.on_table or not target.on_table:
        return Refused(message.id, "no_sight", "Lines of sight run between two different units on the table.")
    covers = rules.cover_names()
    lines = tuple(_line(covers, ray) for ray in rays(believed, unit.id, target.id, rules.aloft(believed)))
    lookers, seen = bodies(unit), bodies(target)
    distance = apart(lookers.values(), seen.values())
    return Sight(
        id=message.id,
        unit=unit.id,
        target=target.id,
        distance=max(0, distance),
        rays=lines,
        summary=_summary(lines, len(lookers), len(seen), distance),
    )


def _line(covers: Mapping[str, str], ray: Ray) -> SightRay:
    order = list(covers)
    levels = (level for _, level in ray.covering)
    best = max(levels, key=lambda level: order.index(level) if level in order else -1, default="")
    return SightRay(ray.figure, ray.target, ray.clear, ray.start, ray.end, ray.blocked_by, covers.get(best, best))


def _summary(lines: tuple[SightRay, ...], lookers: int, seen: int, distance: int) -> str:
    near = f"{about(max(0, distance))} between the nearest edges"
    seeing = len({ray.figure for ray in lines if ray.clear})
    if not seeing:
        return f"No line of sight; {near}."
    visible = {ray.target for ray in lines if ray.clear}
    covered = {ray.target for ray in lines if ray.clear and ray.cover}
    return f"{seeing} of {lookers} figures see {len(visible)} of {seen}, {len(covered)} of them in cover; {near}."
