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
    """Return which figures of `message.unit` see which of `message.target`, past terrain, vehicles and those through whom it
    does not fire, in the position as the audience may know it.
    """
    unit, target = believed.units.get(message.unit), believed.units.get(message.target)
    if unit is None or target is None or unit is target or not unit.on_table or not target.on_table:
        return Refused(message.id, "no_sight", "Lines of sight run between two different units on the table.")
    covers = rules.cover_names()
    ends = rules.looking(believed, unit, target), rules.looking(believed, target, unit)
    plain = ends[0] is unit and ends[1] is target
    seeing = believed if plain else believed.with_unit(ends[0]).with_unit(ends[1])
    crowds, stopped = rules.in_line_of_fire(believed, unit.id, target.id)
    shelters = rules.shelters(believed, unit, target)
    found = rays(seeing, unit.id, target.id, rules.aloft(believed), crowds, shelters)
    lines = tuple(_line(covers, ray) for ray in found)
    lookers, seen = bodies(ends[0]), bodies(ends[1])
    distance = apart(lookers.values(), seen.values())
    if plain:
        # What a shot is measured by, where there is one: those who do not see each other may stand nearer.
        pairs = [apart((lookers[ray.figure],), (seen[ray.target],)) for ray in lines if ray.clear]
        near = (
            f"{about(max(0, min(pairs)))} between the nearest of these"
            if pairs
            else f"{about(max(0, distance))} between the nearest edges"
        )
        summary = _summary(lines, len(lookers), len(seen), near, stopped)
    else:
        summary = _between_centres(lines, distance, stopped)
    return Sight(
        id=message.id,
        unit=unit.id,
        target=target.id,
        distance=max(0, distance),
        rays=lines,
        summary=summary,
    )


def _line(covers: Mapping[str, str], ray: Ray) -> SightRay:
    order = list(covers)
    levels = (level for _, level in ray.covering)
    best = max(levels, key=lambda level: order.index(level) if level in order else -1, default="")
    return SightRay(ray.figure, ray.target, ray.clear, ray.start, ray.end, ray.blocked_by, covers.get(best, best))


def _between_centres(lines: tuple[SightRay, ...], distance: int, stopped: str) -> str:
    sees = "see each other" if stopped or any(ray.clear for ray in lines) else "do not see each other"
    return f"The centres of the two {sees}; {about(max(0, distance))} between them.{_and(stopped)}"


def _and(stopped: str) -> str:
    return f" {stopped}" if stopped else ""


def _summary(lines: tuple[SightRay, ...], lookers: int, seen: int, near: str, stopped: str) -> str:
    if stopped:
        firing = len({ray.figure for ray in lines if ray.clear})
        return f"{firing} of {lookers} figures have a line of fire; {near}. {stopped}"
    seeing = len({ray.figure for ray in lines if ray.clear})
    if not seeing:
        return f"No line of sight; {near}."
    visible = {ray.target for ray in lines if ray.clear}
    covered = {ray.target for ray in lines if ray.clear and ray.cover}
    return f"{seeing} of {lookers} figures see {len(visible)} of {seen}, {len(covered)} of them in cover; {near}."
