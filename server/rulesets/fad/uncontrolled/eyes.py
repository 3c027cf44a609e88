"""What an uncontrolled unit sees, whom its approach lets it fight, and what its prompt offers."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from fractions import Fraction
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Choice, PathParameter, PointParameter, UnitParameter, Why
from server.kernel.answers.check import Asked
from server.kernel.bodies import is_vehicle
from server.kernel.space.geometry import Point, centroid, distance, inches, to_mil
from server.kernel.state import State, Unit
from server.rulesets.fad import blast
from server.rulesets.fad.cover import in_cover
from server.rulesets.fad.fire_priority import targets
from server.rulesets.fad.game import UNDER_FIRE, FadRules
from server.rulesets.fad.ranging import suggesting
from server.rulesets.fad.uncontrolled.discipline import at_refuge, occupies, off_goal
from server.rulesets.fad.uncontrolled.groups import (
    ENGAGE,
    FALL_BACK,
    GATHER,
    HOLD,
    ORDERS,
    STAND,
    TARGET,
    Group,
    goal_point,
    middle,
)
from server.rulesets.fad.uncontrolled.odds import NOTHING, blast_worth, lead, shot_worth
from server.rulesets.fad.uncontrolled.ways import Ways
from server.rulesets.fad.vehicles.firing import fire_parameter
from server.rulesets.shared.distances import apart, stand, visible_enemies


class Burst(Struct, frozen=True):
    """Where a unit may let a shell burst.

    Attributes:
        choice: the key of the choice that fires the weapon.
        at: the point.
        worth: how many figures it can be expected to take out.
        foes: the units that its approach lets it attack among those that it strikes.
    """

    choice: str
    at: Point
    worth: Fraction
    foes: tuple[str, ...]


class Eyes:
    """A unit of an uncontrolled group that is asked something.

    Args:
        rules: the rules.
        state: what its seat may know.
        unit: the unit.
        group: its group.
        asked: its prompt.
    """

    def __init__(self, rules: FadRules, state: State, unit: Unit, group: Group, asked: Asked) -> None:
        self.rules, self.state, self.unit, self.group, self.asked = rules, state, unit, group, asked
        self.table = rules.book.tables.uncontrolled
        self.side = unit.side

    # --- the prompt ---------------------------------------------------------------------------------------------------

    def choice(self, key: str) -> Choice | None:
        """Return a choice of the prompt that may be taken."""
        found = self.asked.choice(key)
        return None if found is None or found.why is not None else found

    def ways(self, key: str) -> Ways | None:
        """Return the moves that a choice of the prompt allows; None if it may not be taken."""
        found = self.choice(key)
        if found is None or not found.parameters or not isinstance(found.parameters[0], PathParameter):
            return None
        return Ways(self.rules, self.state, found.parameters[0])

    def clear_ways(self, keys: Collection[str], clear: int) -> Ways | None:
        """Return the moves of the first of these choices that may be taken, kept `clear` mil from all enemies besides."""
        for key in keys:
            found = self.choice(key)
            if found is not None and found.parameters and isinstance(found.parameters[0], PathParameter):
                return Ways(self.rules, self.state, replace(found.parameters[0], clear=clear))
        return None

    def named(self, key: str) -> list[str]:
        """Return the units that a choice of the prompt may name."""
        found = self.choice(key)
        rows = [p for p in found.parameters if isinstance(p, UnitParameter)] if found is not None else []
        return [row.unit for row in rows[0].candidates if row.why is None] if rows else []

    # --- what it sees -------------------------------------------------------------------------------------------------

    @cached_property
    def visible(self) -> list[str]:
        """The enemies in its sight, the nearest first."""
        return [near.unit for near in visible_enemies(self.rules, self.state, self.unit)]

    @cached_property
    def covered(self) -> bool:
        """Whether it stands in cover."""
        return in_cover(self.rules, self.state, self.unit)

    @cached_property
    def fired_upon(self) -> bool:
        """Whether it is Under Fire or was shot at since its last activation (fad4/ai.fall-back)."""
        return UNDER_FIRE in self.unit.conditions or bool(self._attackers({self.unit.id}, self.unit.activated))

    def _attackers(self, units: Collection[str], since: int) -> set[str]:
        return {foe for foe, unit, turn in self.group.attacks if unit in units and turn >= since}

    @property
    def rallied(self) -> bool:
        """Whether it is at its rallying point: with the approach Fall Back it holds there."""
        near = inches(self.table.rallied)
        places = self.unit.places()
        return any(to_mil(distance(at, self.group.rally)) - radius <= near for at, radius in places)

    @property
    def approach(self) -> str:
        """What it is to do: a unit that has fallen back holds where it is (fad4/ai.fall-back)."""
        return HOLD if self.group.approach == FALL_BACK and self.rallied else self.group.approach

    # --- whom it may fight --------------------------------------------------------------------------------------------

    @cached_property
    def foes(self) -> set[str]:
        """The enemies that its approach lets it attack, wherever they are."""
        enemies = [enemy for enemy in self.state.enemies_of(self.side) if enemy.on_table]
        every = {enemy.id for enemy in enemies}
        if self.group.standing == STAND:
            return every
        if self.group.standing == GATHER:
            # fad4/ai.discipline-fail: those who are there shoot at what they see
            return every if at_refuge(self.rules, self.state, self.group, self.unit) else set()
        if self.approach == ENGAGE:
            return every
        if self.approach == TARGET:
            answered = self._attackers(self.group.units, self.state.turn.number - 1)
            return {
                enemy.id for enemy in enemies if enemy.id in answered or self.occupier(enemy) or self.between(enemy)
            }
        if self.approach == HOLD:
            return {enemy.id for enemy in enemies if self._threatens(enemy)}
        attackers = self._attackers({self.unit.id}, self.unit.activated)
        return attackers & every if attackers else (every if self.fired_upon else set())

    def occupier(self, enemy: Unit) -> bool:
        """Return whether an enemy occupies what the group is to take, or is what it is to destroy (fad4/ai.target-advance)."""
        if self.group.goal == f"unit:{enemy.id}":
            return True
        return not self.group.goal.startswith("unit:") and occupies(self.rules, self.state, self.group, enemy)

    def to_clear_out(self, enemy: Unit) -> bool:
        """Return whether its group assaults an enemy whatever the factor, as one that occupies its objective
        (fad4/ai.target-assault).
        """
        ordered = self.approach == TARGET and self.group.standing == ORDERS
        return ordered and not is_vehicle(enemy) and self.occupier(enemy)

    def between(self, enemy: Unit) -> bool:
        """Return whether an enemy is near the straight line from the unit to its goal, and nearer to that than the unit
        (fad4/ai.target-advance).
        """
        return self._in_the_way(enemy, goal_point(self.state, self.group))

    def bars(self, enemy: Unit) -> bool:
        """Return whether an enemy bars the unit's way to its rallying point."""
        return self._in_the_way(enemy, self.group.rally)

    def _in_the_way(self, enemy: Unit, goal: tuple[int, int]) -> bool:
        start = centroid([at for at, _ in stand(self.state, self.unit).places()])
        near = inches(self.table.between)
        aside = min(off_line(at, start, goal) - radius for at, radius in enemy.places())
        closer = min(distance(at, goal) - radius for at, radius in enemy.places()) < distance(start, goal)
        return closer and to_mil(aside) <= near

    def _threatens(self, enemy: Unit) -> bool:
        group = self.group.held
        near = apart(stand(self.state, self.unit), enemy) <= inches(self.table.around)
        attacked = enemy.id in self._attackers(self.group.units, self.state.turn.number - 1)
        return near or attacked or enemy.id in self.group.nearing or self.inside(group, enemy)

    def inside(self, group: Group, unit: Unit) -> bool:
        """Return whether a unit has a figure in the position that a group holds (fad4/ai.hold)."""
        limit = 0 if group.goal.startswith("piece:") else inches(self.table.position)
        return unit.on_table and off_goal(self.state, group, unit) <= limit

    @property
    def lost(self) -> bool:
        """Whether the position is lost: an enemy figure is in it, and none of the group's own (fad4/ai.hold)."""
        group = self.group.held
        enemies = any(self.inside(group, enemy) for enemy in self.state.enemies_of(self.side))
        return enemies and not any(self.inside(group, own) for own in self.group.living(self.state))

    # --- what it can do to them ---------------------------------------------------------------------------------------

    def ranked(self, able: Collection[str], *, open_fire: bool, mount: str = "") -> list[tuple[str, Fraction]]:
        """Return those of the enemies that it may shoot at whom its approach lets it attack, the best target first: by what the
        shot can be expected to do, then by distance, then by roster number (fad4/ai.shooting-choice).
        """
        own = stand(self.state, self.unit)
        rows = [
            (shot_worth(self.rules, self.state, self.unit.id, key, open_fire=open_fire, mount=mount), key)
            for key in able
            if key in self.foes
        ]
        rows.sort(key=lambda row: (-row[0], apart(own, self.state.units[row[1]]), self.state.units[row[1]].number))
        return [(key, worth) for worth, key in rows]

    def aim_from(self, state: State) -> bool:
        """Return whether the unit may aim at one of its foes in an imagined state."""
        if is_vehicle(self.unit):
            parameter = fire_parameter(self.rules, state, self.unit.id)
            return not isinstance(parameter, Why) and any(
                option.key in self.foes for row in parameter.rows for option in row.options
            )
        return any(row.why is None and row.unit in self.foes for row in targets(self.rules, state, self.unit.id))

    def shot_from(self, state: State) -> bool:
        """Return whether the unit may shoot at one of its foes in an imagined state, where it may have moved."""
        if self.aim_from(state):
            return True
        unit = state.units[self.unit.id]
        if not is_vehicle(unit) and state is not self.state:
            # A squad's weapon that blasts is fired from where the squad stands.
            return False
        mounts = unit.mounts if is_vehicle(unit) else ("",)
        able = () if self.rules.vehicles.crippled(unit) else mounts
        return bool(self.bursts(state, (one for key in able for one in blast.choices(self.rules, state, unit, key))))

    def bursts(self, state: State, choices: Iterable[Choice]) -> list[Burst]:
        """Return where the weapons that blast, of those that are offered, can be expected to take out figures of its foes; what
        promises most comes first (fad4/ai.shooting-choice).
        """
        found: list[Burst] = []
        for choice in choices:
            if choice.why is not None or choice.key.partition(":")[0] != blast.BLAST:
                continue
            (point,) = choice.parameters
            assert isinstance(point, PointParameter), "a blast is aimed at a point"
            near = tuple(key for key in point.near if key in self.foes)
            if len(near) < len(point.near):
                point = suggesting(self.rules, state, replace(point, near=near, suggested=None))
            if point.suggested is not None:
                mount = blast.mount_of(choice.key)
                worth = blast_worth(self.rules, state, self.unit.id, point.suggested, mount)
                foes = tuple(key for key, figures in worth.items() if figures and key in self.foes)
                if foes:
                    found.append(Burst(choice.key, point.suggested, sum(worth.values(), NOTHING), foes))
        return sorted(found, key=lambda one: -one.worth)

    def hidden(self, state: State) -> bool:
        """Return whether no enemy sees the unit in an imagined state."""
        return not visible_enemies(self.rules, state, state.units[self.unit.id])

    def chargeable(self, *, barring: bool = False) -> list[tuple[str, int]]:
        """Return the squads that it could charge now whom its approach lets it attack, or those that bar its way to its rallying
        point, each with by how much its own assault factor is higher; the best first, then the nearest
        (fad4/ai.target-assault).
        """
        found = [
            (key, lead(self.rules, self.state, self.unit.id, key))
            for key in self.named("assault")
            if (self.bars(self.state.units[key]) if barring else key in self.foes)
            and not is_vehicle(self.state.units[key])
        ]
        found.sort(
            key=lambda row: (-row[1], apart(self.unit, self.state.units[row[0]]), self.state.units[row[0]].number)
        )
        return found

    def sheltered(self, enemy: str) -> bool:
        """Return whether an enemy stands in cover."""
        return in_cover(self.rules, self.state, self.state.units[enemy])

    def gap_to_group(self, state: State) -> int:
        """Return how far the nearest other unit of its group is, in mil; 0 if there is none."""
        own = state.units[self.unit.id]
        others = [other for other in self.group.living(state) if other.id != own.id and other.on_table]
        return min((apart(own, other) for other in others), default=0)

    @property
    def centre(self) -> tuple[int, int]:
        """The middle of its bases."""
        return middle(self.state, self.unit)


def off_line(p: tuple[float, float], a: tuple[float, float], b: tuple[float, float]) -> float:
    """Return how far a point is from the straight line between two others, in mil."""
    (ax, ay), (bx, by) = a, b
    whole = (bx - ax) ** 2 + (by - ay) ** 2
    share = 0.0 if not whole else max(0.0, min(1.0, ((p[0] - ax) * (bx - ax) + (p[1] - ay) * (by - ay)) / whole))
    return distance(p, (ax + share * (bx - ax), ay + share * (by - ay)))
