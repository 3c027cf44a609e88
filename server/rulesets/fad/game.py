"""What every chapter of the family works with: the rules object, and short questions about a unit."""

from __future__ import annotations

from collections.abc import Iterable

from server.kernel.notes import word
from server.kernel.procedure import Game
from server.kernel.space.geometry import Point, inches
from server.kernel.state import State, Unit
from server.rulesets.fad.chapters import Chapters
from server.rulesets.fad.setup.book import Armour, Book, Quality, Resolve, SmallArm, SupportWeapon
from server.rulesets.shared.rules import Rules

UNDER_FIRE = "under_fire"
PINNED = "pinned"
BROKEN = "broken"

PINNING = "pinning"
"""The module of the rules by which heavy fire pins."""

LEADER = "leader"

QUALITY = "quality"
"""The key of a unit's profile under which its Quality stands."""

# The actions of infantry, as an edition lists those that it has
ENGAGE = "engage"
OPEN_FIRE = "open-fire"
MOVE_OUT = "move-out"


class FadRules(Rules[Book]):
    """The numbers of one edition, the procedures that it replaces, and who has something to say about which question."""

    def __init__(self, book: Book, chapters: Chapters) -> None:
        super().__init__(book)
        self.chapters = chapters

    def has_action(self, action: str) -> bool:
        """Whether infantry has this action in the edition."""
        return action in self.book.edition.actions["infantry"]

    def quality(self, unit: Unit) -> Quality:
        """The unit's Quality."""
        return self.book.qualities[word(unit.profile, QUALITY)]

    def level(self, unit: Unit) -> int:
        """The place of the unit's Quality among the levels, worst first."""
        return self.book.level(word(unit.profile, QUALITY))

    def resolve(self, unit: Unit) -> Resolve:
        """The unit's Resolve."""
        return self.book.resolves[word(unit.profile, "resolve")]

    def small_arm(self, unit: Unit) -> SmallArm:
        """The unit's basic weapon."""
        return self.book.small_arms[word(unit.profile, "small_arm")]

    def armour(self, unit: Unit) -> Armour:
        """The unit's armour."""
        return self.book.armours[word(unit.profile, "armour")]

    def support(self, role: str) -> SupportWeapon | None:
        """The support weapon that a figure of this role carries, if it carries one."""
        return self.book.support_weapons.get(role)

    def carried(self, unit: Unit) -> list[tuple[str, SupportWeapon]]:
        """The support weapons of the unit's living figures, with who carries each, in roster order. The last living figure is
        always taken to have a basic weapon, so that of a lone gunner is not among them (fad4/shoot.support-weapons).
        """
        if unit.strength == 1:
            return []
        found = ((key, self.support(figure.role)) for key, figure in unit.living.items())
        return [(key, weapon) for key, weapon in found if weapon is not None]

    def cover_level(self, levels: Iterable[str]) -> str:
        """The best of some cover levels, "none" for none."""
        order = self.book.tables["points_per_hit"]["order"]
        return max((level for level in levels), key=order.index, default="none")

    def edge_reach(self) -> int:
        """How near (mil) to a linear piece one must be to have its cover."""
        return inches(self.book.tables["cover"]["edge_reach"])


FadGame = Game[FadRules]


def figures_in_cover(rules: FadRules, state: State, places: Iterable[tuple[Point, int]]) -> int:
    """How many of these bases stand in cover, whoever shoots."""
    sight = rules.field(state)
    return sum(bool(sight.cover_at(at, radius, rules.edge_reach())) for at, radius in places)


def in_cover(rules: FadRules, state: State, unit: Unit) -> bool:
    """Whether as many of the unit's living figures stand in cover as a squad needs to have it (fad4/hits.half-in-cover)."""
    places = unit.places()
    return figures_in_cover(rules, state, places) * 100 >= rules.book.number("cover", "share") * len(places)
