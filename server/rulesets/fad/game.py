"""What every chapter of the family works with: the rules object, and short questions about a unit."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

from server.kernel.geometry import Point, gap, inches
from server.kernel.procedure import Game
from server.kernel.questions import Advisers
from server.kernel.sight import Field, field_of
from server.kernel.state import Figure, State, Unit
from server.kernel.terrain import Terrain
from server.rulesets.fad.book import Armour, Book, Quality, Resolve, SmallArm, SupportWeapon

UNDER_FIRE = "under_fire"
PINNED = "pinned"
BROKEN = "broken"

LEADER = "leader"

MOST_REMEMBERED = 10_000
"""Entries a memory of answers may hold before it is emptied."""


class FadRules:
    """The numbers of one edition, and who has something to say about which question."""

    def __init__(self, book: Book) -> None:
        self.book = book
        self.advisers = Advisers()
        self._fields: dict[int, tuple[tuple[Terrain, ...], Field]] = {}
        self._sights: dict[tuple[int, int], tuple[dict[str, Figure], dict[str, Figure], bool]] = {}

    def quality(self, unit: Unit) -> Quality:
        """The unit's Quality."""
        return self.book.qualities[unit.profile["quality"]]

    def level(self, unit: Unit) -> int:
        """The place of the unit's Quality among the levels, worst first."""
        return self.book.level(unit.profile["quality"])

    def resolve(self, unit: Unit) -> Resolve:
        """The unit's Resolve."""
        return self.book.resolves[unit.profile["resolve"]]

    def small_arm(self, unit: Unit) -> SmallArm:
        """The unit's basic weapon."""
        return self.book.small_arms[unit.profile["small_arm"]]

    def armour(self, unit: Unit) -> Armour:
        """The unit's armour."""
        return self.book.armours[unit.profile["armour"]]

    def support(self, role: str) -> SupportWeapon | None:
        """The support weapon that a figure of this role carries, if it carries one."""
        return self.book.support_weapons.get(role)

    def field(self, state: State) -> Field:
        """The table's terrain, prepared for questions about sight."""
        terrain = state.table.terrain
        known = self._fields.get(id(terrain))
        if known is None or known[0] is not terrain:
            if len(self._fields) > MOST_REMEMBERED:
                self._fields.clear()
            # Equal maps of other matches share a field; asking by identity first saves comparing them.
            known = self._fields[id(terrain)] = (terrain, field_of(terrain))
        return known[1]

    def sees(self, state: State, one: Unit, other: Unit) -> bool:
        """Whether any living figure of one unit sees any of the other. Remembered until one of them moves or loses a figure."""
        key = (id(one.figures), id(other.figures))
        known = self._sights.get(key)
        if known is not None and known[0] is one.figures and known[1] is other.figures:
            return known[2]
        sight = self.field(state)
        seen = any(sight.sees(a, ra, b, rb) for a, ra in one.places() for b, rb in other.places())
        if len(self._sights) > MOST_REMEMBERED:
            self._sights.clear()
        self._sights[key] = (one.figures, other.figures, seen)
        return seen

    def cover_level(self, levels: Iterable[str]) -> str:
        """The best of some cover levels, "none" for none."""
        order = self.book.tables["points_per_hit"]["order"]
        return max((level for level in levels), key=order.index, default="none")

    def pieces_with(self, state: State, flag: str) -> tuple[str, ...]:
        """The ids of the terrain pieces that carry `flag`."""
        return tuple(piece.id for piece in state.table.terrain if flag in piece.flags)

    def cover_pieces(self, state: State) -> tuple[str, ...]:
        """The ids of the terrain pieces that give cover."""
        return tuple(piece.id for piece in state.table.terrain if piece.cover != "none")

    def edge_reach(self) -> int:
        """How near (mil) to a linear piece one must be to have its cover."""
        return inches(self.book.tables["cover"]["edge_reach"])


FadGame = Game[FadRules]


class Nearest(Struct, frozen=True, order=True):
    """An enemy unit and how far away it is, nearest edges, in whole mil."""

    distance: int
    unit: str


def apart(one: Unit, other: Unit) -> int:
    """The distance between two units: their nearest living figures, base edge to base edge, in whole mil."""
    return round(min(gap(a, ra, b, rb) for a, ra in one.places() for b, rb in other.places()))


def enemies_by_distance(state: State, unit: Unit) -> list[Nearest]:
    """The enemy units on the table, nearest first; at equal distances in roster order."""
    return sorted(
        (Nearest(apart(unit, enemy), enemy.id) for enemy in state.enemies_of(unit.side) if enemy.on_table),
        key=lambda nearest: nearest.distance,
    )


def visible_enemies(rules: FadRules, state: State, unit: Unit) -> list[Nearest]:
    """The enemy units that `unit` sees, nearest first."""
    return [n for n in enemies_by_distance(state, unit) if rules.sees(state, unit, state.units[n.unit])]


def figures_in_cover(rules: FadRules, state: State, places: Iterable[tuple[Point, int]]) -> int:
    """How many of these bases stand in cover, whoever shoots."""
    sight = rules.field(state)
    return sum(bool(sight.cover_at(at, radius, rules.edge_reach())) for at, radius in places)


def in_cover(rules: FadRules, state: State, unit: Unit) -> bool:
    """Whether at least half of the unit's living figures stand in cover (fad4/hits.half-in-cover)."""
    places = unit.places()
    return figures_in_cover(rules, state, places) * 2 >= len(places)
