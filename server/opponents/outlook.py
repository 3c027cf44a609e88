"""What a side sees on the table: how much each unit could do to each other one, and where it wants to be."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from server.kernel.bodies import bodies, hulls
from server.kernel.hints import Goal
from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import Point, centroid, distance
from server.kernel.space.screens import Group
from server.kernel.space.sight import field_of
from server.kernel.space.values import Body
from server.kernel.state import State, Unit

STEP = 6_000
"""How far a unit comes in a turn, roughly, in mil."""
_FINE = 500
"""Distances are told apart by so many mil."""


class Outlook:
    """The table as one side believes it to be, for one decision. Results are remembered.

    Args:
        rules: the rules.
        state: the state as the side's seat may know it.
        side: the side that looks.
    """

    def __init__(self, rules: Ruleset, state: State, side: str) -> None:
        self.rules = rules
        self.state = state
        self.side = side
        self.hints = rules.hints
        self.foes = [unit for unit in state.enemies_of(side) if unit.on_table and not self.hints.bystander(unit)]
        self.own = [unit for unit in state.units_of(side) if unit.on_table]
        self._field = field_of(state.table.terrain, centres=state.table.centres)
        self._hulls = hulls(state)
        self._groups: dict[str, Group] = {}
        self._menace: dict[tuple[str, str, int, str], float] = {}
        self._goal: dict[str, Goal | None] = {}
        self._posts: dict[int, tuple[tuple[Point, ...], ...]] = {}
        self._fires: dict[str, float] = {}
        self._covers: dict[str, str] = {}
        limit = rules.turn_limit(state)
        self.turns_left = max(0, limit - state.turn.number) if limit else 6

    # --- fire ---------------------------------------------------------------------------------------------------------

    def menace(self, unit: Unit, target: Unit, mil: int, cover: str) -> float:
        """Return the losses, in ordinary figures, that the fire of all of `unit` at `target` has at this distance."""
        key = (unit.id, target.id, mil // _FINE, cover)
        known = self._menace.get(key)
        if known is None:
            losses = self.hints.menace(self.state, unit, target, mil, cover)
            known = self._menace[key] = losses * self.hints.worth(target)
        return known

    def fire_from(self, unit: Unit, places: Mapping[str, Body]) -> tuple[float, str]:
        """Return the losses that the fire of `unit` could have if it stood so, at the best target, and which target that is."""
        group, best, whom = Group(places.values()), 0.0, ""
        firing = self.hints.firing(self.state, places.values())
        for foe in self.foes:
            share, mil = self._seeing(group, foe)
            if share:
                losses = firing * share * self.gain(foe, self.menace(unit, foe, mil, self._cover(foe)))
                if losses > best:
                    best, whom = losses, foe.id
        return best, whom

    def exposure(self, unit: Unit, places: Mapping[str, Body]) -> float:
        """Return the losses that the fire of all enemies could have at `unit` if it stood so, each firing at the one that it
        sees. Each enemy fires once a turn, so of several only the worst counts whole.
        """
        group, cover = Group(places.values()), self.cover(places.values())
        found = []
        for foe in self.foes:
            share, mil = self._seeing(group, foe)
            if share:
                found.append(self._firing(foe) * share * self.menace(foe, unit, mil, cover))
        found.sort(reverse=True)
        return sum(losses / (1 + index) for index, losses in enumerate(found))

    def _firing(self, foe: Unit) -> float:
        known = self._fires.get(foe.id)
        if known is None:
            known = self._fires[foe.id] = self.hints.firing(self.state, self.group(foe).bodies)
        return known

    def gain(self, foe: Unit, losses: float) -> float:
        """Return what losses of an enemy are worth: those of one who has few figures left are worth more."""
        return losses * (0.8 + 1.2 / max(1, foe.strength))

    def cover(self, places: Iterable[Body]) -> str:
        """Return the cover that most of these figures stand in."""
        levels: Counter[str] = Counter()
        count = 0
        for body in places:
            count += 1
            found = self._field.cover_at(body.at, body.radius)
            if found:
                levels[self.hints.covers([level for _, level in found])] += 1
        if levels.total() * 2 < count or not levels:
            return self.hints.covers(())
        return levels.most_common(1)[0][0]

    def _cover(self, unit: Unit) -> str:
        known = self._covers.get(unit.id)
        if known is None:
            known = self._covers[unit.id] = self.cover(self.group(unit).bodies)
        return known

    def _seeing(self, group: Group, foe: Unit) -> tuple[float, int]:
        """Return which share of a group sees a unit, and how far it is at least."""
        other = self.group(foe)
        lines = self._field.between(group, other, self._hulls)
        if lines.hidden:
            return 0.0, 0
        count, nearest = 0, -1.0
        for place in range(len(group.spots)):
            mil = lines.nearest_seen(place)
            if mil is not None:
                count += 1
                nearest = mil if nearest < 0 else min(nearest, mil)
        return (count / len(group.spots), round(nearest)) if count else (0.0, 0)

    # --- places -------------------------------------------------------------------------------------------------------

    def posts(self, radius: int) -> tuple[tuple[Point, ...], ...]:
        """Return the posts for bases of this radius (mil)."""
        known = self._posts.get(radius)
        if known is None:
            known = self._posts[radius] = self.hints.posts(self.state, radius)
        return known

    def group(self, unit: Unit) -> Group:
        """Return the bodies of a unit as they stand."""
        known = self._groups.get(unit.id)
        if known is None:
            known = self._groups[unit.id] = Group(bodies(unit).values())
        return known

    def goal(self, unit: Unit) -> Goal | None:
        """Return the place that `unit` wants to have; None if the match is decided by losses."""
        if unit.id not in self._goal:
            self._share_out()
        return self._goal.get(unit.id)

    def _share_out(self) -> None:
        """Give each of the side's units a goal: each goal its nearest unit first, then each unit the goal nearest to it."""
        goals = self.hints.goals(self.state)
        free = {unit.id: middle(unit) for unit in self.own}
        self._goal = dict.fromkeys(free)
        if not goals:
            return
        for goal in goals:
            if free:
                nearest = min(free, key=lambda key: distance(free[key], goal.at))
                self._goal[nearest] = goal
                del free[nearest]
        for key, at in free.items():
            self._goal[key] = min(goals, key=lambda one: distance(at, one.at))

    def pull(self, unit: Unit, places: Mapping[str, Body]) -> float:
        """Return how good it is for where it wants to go that `unit` stands so: 0 there, less the farther off."""
        at = centroid([body.at for body in places.values()])
        goal = self.goal(unit)
        if goal is not None:
            radius = next(iter(places.values())).radius
            inside = sum(distance(body.at, goal.at) - body.radius <= goal.radius for body in places.values())
            turns = max(0.0, distance(at, goal.at) - goal.radius - radius) / STEP
            late = max(0.0, turns - self.turns_left) * 2
            urgent = 2.5 if self.turns_left <= 1 else 1.0
            return urgent * inside / len(places) * 1.5 - 0.5 * urgent * turns - late
        if not self.foes:
            return 0.0
        off = min(distance(at, middle(foe)) - self.hints.near(unit) + 500 * foe.strength for foe in self.foes)
        return -0.45 * max(0.0, off) / STEP


def middle(unit: Unit) -> Point:
    """Return the middle of a unit on the table."""
    at = centroid([at for at, _ in unit.places()])
    return round(at[0]), round(at[1])
