"""Lines of sight between two units, for whoever hovers over one. Pure."""

from __future__ import annotations

from collections.abc import Mapping

from client_protocol.messages import Look, Refused, Sight, SightRay
from server.kernel.geometry import about, gap, to_mil
from server.kernel.ruleset import Ruleset
from server.kernel.sight import Field, field_of
from server.kernel.state import Figure, State


def look(rules: Ruleset, believed: State, message: Look) -> Sight | Refused:
    """Which figures of `message.unit` see which of `message.target`, as things stand in what the audience may know."""
    unit, target = believed.units.get(message.unit), believed.units.get(message.target)
    if unit is None or target is None or unit is target or not unit.on_table or not target.on_table:
        return Refused(message.id, "no_sight", "Lines of sight run between two different units on the table.")
    field = field_of(believed.table.terrain)
    covers = rules.cover_names()
    lookers = {key: figure for key, figure in unit.living.items() if figure.at is not None}
    seen = {key: figure for key, figure in target.living.items() if figure.at is not None}
    rays = tuple(_ray(field, covers, a, lookers[a], b, seen[b]) for a in lookers for b in seen)
    distance = to_mil(min(gap(*_base(a), *_base(b)) for a in lookers.values() for b in seen.values()))
    return Sight(
        id=message.id,
        unit=unit.id,
        target=target.id,
        distance=max(0, distance),
        rays=rays,
        summary=_summary(rays, len(lookers), len(seen), distance),
    )


def _base(figure: Figure) -> tuple[tuple[int, int], int]:
    assert figure.at is not None, "only figures on the table look or are looked at"
    return figure.at, figure.radius


def _ray(field: Field, covers: Mapping[str, str], a: str, looker: Figure, b: str, seen: Figure) -> SightRay:
    (start, ra), (end, rb) = _base(looker), _base(seen)
    found = field.line(start, ra, end, rb)
    # The field sorts a line's ends; people draw it from the one who looks.
    ends = sorted(found.line, key=lambda at: (at[0] - start[0]) ** 2 + (at[1] - start[1]) ** 2)
    levels = [level for _, level in field.cover_of(end, rb, start)] if found.clear else []
    order = list(covers)
    best = max(levels, key=lambda level: order.index(level) if level in order else -1, default="")
    return SightRay(a, b, found.clear, ends[0], ends[1], found.blocked_by or "", covers.get(best, best))


def _summary(rays: tuple[SightRay, ...], lookers: int, seen: int, distance: int) -> str:
    near = f"{about(max(0, distance))} between the nearest bases"
    seeing = len({ray.figure for ray in rays if ray.clear})
    if not seeing:
        return f"No line of sight; {near}."
    visible = {ray.target for ray in rays if ray.clear}
    covered = {ray.target for ray in rays if ray.clear and ray.cover}
    return f"{seeing} of {lookers} figures see {len(visible)} of {seen}, {len(covered)} of them in cover; {near}."
