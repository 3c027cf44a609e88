"""What all chapters of the family use: the rules object, and short questions about a unit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import ClassVar

from server.kernel.notes import word
from server.kernel.procedure import Game
from server.kernel.space.geometry import Point, inches
from server.kernel.state import State, Unit
from server.rulesets.fad.chapters import Chapters
from server.rulesets.fad.module import Aftermath, FadMarker, FadModule, Held
from server.rulesets.fad.setup.book import Armour, Book, Quality, Resolve, SmallArm, SupportWeapon
from server.rulesets.shared.rules import Rules
from server.rulesets.shared.setup.book import known

UNDER_FIRE = "under_fire"
BROKEN = "broken"

LEADER = "leader"

QUALITY = "quality"
"""The key of a unit's profile under which its Quality stands."""

# The actions of infantry, of which an edition lists those that it has
ENGAGE = "engage"
OPEN_FIRE = "open-fire"
MOVE_OUT = "move-out"


class FadRules(Rules[Book]):
    """The numbers of one edition, the procedures that it replaces, the advisers that answer its questions, and its modules.

    Raises:
        RulesetError: the edition's modules cannot be played (see `server.rulesets.shared.modules.listed`), or bring a marker for
            which the edition has no row.
    """

    modules: ClassVar[tuple[FadModule, ...]] = ()
    listed: tuple[FadModule, ...]
    markers: tuple[FadMarker, ...]

    def __init__(self, book: Book, chapters: Chapters) -> None:
        super().__init__(book)
        self.chapters = chapters
        for module in self.listed:
            for marker in module.markers:
                known(f"the module {module.id!r}", marker.id, book.conditions)

    def aftermaths(self, state: State) -> Iterator[Aftermath]:
        """Yield what the modules of this match have a shot leave behind."""
        for module in self.listed:
            if module.aftermath is not None and self.plays(state, module.id):
                yield module.aftermath

    def held(self, unit: Unit) -> Held | None:
        """Return what a marker makes of a unit that should fall back; None if it may."""
        return next((marker.held for marker in self.markers if marker.held and marker.id in unit.conditions), None)

    def conditions(self) -> list[str]:
        """Return the edition's markers of units: its rows, without those of modules that it does not list."""
        others = {marker.id for module in self.modules if module not in self.listed for marker in module.markers}
        return [key for key in self.book.conditions if key not in others]

    def has_action(self, action: str) -> bool:
        """Return whether infantry has this action in the edition."""
        return action in self.book.edition.actions["infantry"]

    def quality(self, unit: Unit) -> Quality:
        """Return the unit's Quality."""
        return self.book.qualities[word(unit.profile, QUALITY)]

    def level(self, unit: Unit) -> int:
        """Return the rank of the unit's Quality, counted from the worst."""
        return self.book.level(word(unit.profile, QUALITY))

    def resolve(self, unit: Unit) -> Resolve:
        """Return the unit's Resolve."""
        return self.book.resolves[word(unit.profile, "resolve")]

    def small_arm(self, unit: Unit) -> SmallArm:
        """Return the unit's basic weapon."""
        return self.book.small_arms[word(unit.profile, "small_arm")]

    def armour(self, unit: Unit) -> Armour:
        """Return the unit's armour."""
        return self.book.armours[word(unit.profile, "armour")]

    def support(self, role: str) -> SupportWeapon | None:
        """Return the support weapon that a figure of this role carries, if it carries one."""
        return self.book.support_weapons.get(role)

    def carried(self, unit: Unit) -> list[tuple[str, SupportWeapon]]:
        """Return the support weapons of the unit's living figures, each with its carrier, in roster order.

        The last living figure always counts as a rifleman, so a lone gunner's weapon is left out
        (fad4/shoot.support-weapons).
        """
        if unit.strength == 1:
            return []
        found = ((key, self.support(figure.role)) for key, figure in unit.living.items())
        return [(key, weapon) for key, weapon in found if weapon is not None]

    def cover_level(self, levels: Iterable[str]) -> str:
        """Return the best of some cover levels, or "none" if there are none."""
        order = list(self.book.covers)
        return max((level for level in levels), key=order.index, default="none")

    def edge_reach(self) -> int:
        """Return how close to a linear piece a figure must be to have its cover, in mil."""
        return inches(self.book.tables.cover.edge_reach)


FadGame = Game[FadRules]


def figures_in_cover(rules: FadRules, state: State, places: Iterable[tuple[Point, int]]) -> int:
    """Return how many of these bases stand in cover, from whatever direction they are shot at."""
    sight = rules.field(state)
    return sum(bool(sight.cover_at(at, radius, rules.edge_reach())) for at, radius in places)


def in_cover(rules: FadRules, state: State, unit: Unit) -> bool:
    """Return whether enough of the unit's living figures stand in cover for the squad to count as in cover
    (fad4/hits.half-in-cover).
    """
    places = unit.places()
    return figures_in_cover(rules, state, places) * 100 >= rules.book.tables.cover.share * len(places)
