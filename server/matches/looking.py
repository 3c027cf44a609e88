"""Lines of sight between two units, for whoever hovers over one. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from client_protocol.messages import Look, Refused, Sight, SightRay
from server.kernel.bodies import apart, bodies, hulls
from server.kernel.geometry import Outline, about
from server.kernel.hulls import Body
from server.kernel.ruleset import Ruleset
from server.kernel.sight import Field, field_of
from server.kernel.state import State


def look(rules: Ruleset, believed: State, message: Look) -> Sight | Refused:
    """Which figures of `message.unit` see which of `message.target`, past terrain and vehicles, as things stand in what the
    audience may know.
    """
    unit, target = believed.units.get(message.unit), believed.units.get(message.target)
    if unit is None or target is None or unit is target or not unit.on_table or not target.on_table:
        return Refused(message.id, "no_sight", "Lines of sight run between two different units on the table.")
    field = field_of(believed.table.terrain)
    covers = rules.cover_names()
    lookers, seen, blocking = bodies(unit), bodies(target), hulls(believed)
    rays = tuple(_ray(field, covers, blocking, a, lookers[a], b, seen[b]) for a in lookers for b in seen)
    distance = apart(lookers.values(), seen.values())
    return Sight(
        id=message.id,
        unit=unit.id,
        target=target.id,
        distance=max(0, distance),
        rays=rays,
        summary=_summary(rays, len(lookers), len(seen), distance),
    )


def _ray(
    field: Field, covers: Mapping[str, str], blocking: Sequence[Outline], a: str, looker: Body, b: str, seen: Body
) -> SightRay:
    start = looker.at
    found = field.line_body(looker, seen, blocking)
    # The field sorts a line's ends; people draw it from the one who looks.
    ends = sorted(found.line, key=lambda at: (at[0] - start[0]) ** 2 + (at[1] - start[1]) ** 2)
    levels = [level for _, level in field.cover_of(seen.at, seen.radius, start)] if found.clear else []
    order = list(covers)
    best = max(levels, key=lambda level: order.index(level) if level in order else -1, default="")
    return SightRay(a, b, found.clear, ends[0], ends[1], found.blocked_by or "", covers.get(best, best))


def _summary(rays: tuple[SightRay, ...], lookers: int, seen: int, distance: int) -> str:
    near = f"{about(max(0, distance))} between the nearest edges"
    seeing = len({ray.figure for ray in rays if ray.clear})
    if not seeing:
        return f"No line of sight; {near}."
    visible = {ray.target for ray in rays if ray.clear}
    covered = {ray.target for ray in rays if ray.clear and ray.cover}
    return f"{seeing} of {lookers} figures see {len(visible)} of {seen}, {len(covered)} of them in cover; {near}."
