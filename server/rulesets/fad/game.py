"""What all chapters of the family use: the rules object, and short questions about a unit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, ClassVar

from server.kernel.errors import RulesetError
from server.kernel.notes import word
from server.kernel.procedure import Game, Steps
from server.kernel.space.geometry import Point, inches
from server.kernel.state import State, Unit
from server.rulesets.fad.chapters import Chapters, Vehicles
from server.rulesets.fad.module import (
    Aftermath,
    FadMarker,
    FadModule,
    FigureMarker,
    Held,
    Task,
    Travel,
    Wounding,
)
from server.rulesets.fad.setup.book import Armour, Book, HeavyWeapon, Quality, Resolve, SmallArm, SupportWeapon
from server.rulesets.shared.memory import PairMemory
from server.rulesets.shared.rules import MOST_PAIRS, Rules
from server.rulesets.shared.setup.book import known

if TYPE_CHECKING:  # a shot is aimed by the rules object
    from server.rulesets.fad.shot import Shot

UNDER_FIRE = "under_fire"
BROKEN = "broken"

BUSY = "at_task"
"""The marker on figures that take part in a task, and in nothing else until their unit's activation is over."""

LEADER = "leader"

POWERED = "powered"
"""The trait of armour that carries weapons for powered armour alone."""
POWERED_ONLY = "powered_armour_only"
"""The trait of these weapons."""
LINKED = "linked"
"""The trait of a unit whose small arms are linked."""

QUALITY = "quality"
"""The key of a unit's profile under which its Quality stands."""
RESOLVE = "resolve"
"""The key of a unit's profile under which its Resolve stands."""

MOBILITY = "mobility"
"""The key of a vehicle's profile under which its mobility stands."""
LANDED = "landed"
"""The marker of a flyer that stands on the ground."""

INFANTRY = "infantry"
VEHICLE = "vehicle"

# The actions of units, of which an edition lists those that it has
ENGAGE = "engage"
OPEN_FIRE = "open-fire"
MOVE_OUT = "move-out"
COMMAND = "command"


class FadRules(Rules[Book]):
    """The numbers of one edition, the procedures that it replaces, the advisers that answer its questions, its modules, and a
    memory of the shots that were aimed.

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
        self._aloft: tuple[dict[str, Unit], list[str]] = ({}, [])
        self.shots: PairMemory[tuple[dict[str, str | int | bool], Shot]] = PairMemory(MOST_PAIRS)
        self.figure_markers: dict[str, FigureMarker] = {}
        for module in self.listed:
            self.figure_markers.update({marker.id: marker for marker in module.figure_markers})
            for marker in (*(row.id for row in module.markers), *(row.id for row in module.figure_markers)):
                known(f"the module {module.id!r}", marker, book.conditions)

    def aftermaths(self, state: State) -> Iterator[Aftermath]:
        """Yield what the modules of this match have a shot leave behind."""
        for module in self.listed:
            if module.aftermath is not None and self.plays(state, module.id):
                yield module.aftermath

    def held(self, unit: Unit) -> Held | None:
        """Return what a marker makes of a unit that should fall back; None if it may."""
        return next((marker.held for marker in self.markers if marker.held and marker.id in unit.conditions), None)

    def following(self, state: State) -> Iterator[Callable[[FadGame, Shot], Steps[None]]]:
        """Yield what follows a shot in the modules of this match."""
        for module in self.listed:
            if module.follow is not None and self.plays(state, module.id):
                yield module.follow

    def travel(self, state: State) -> Travel | None:
        """Return how units move in this match, if it is not sure that they arrive where their paths end."""
        for module in self.listed:
            if module.travel is not None and self.plays(state, module.id):
                return module.travel
        return None

    def setting_out(self, state: State) -> Iterator[Callable[[FadGame, str, Mapping[str, Point]], Steps[None]]]:
        """Yield what the modules of this match have before a unit moves as its player wants."""
        for module in self.listed:
            if module.setting_out is not None and self.plays(state, module.id):
                yield module.setting_out

    def beginning(self, state: State) -> Iterator[Callable[[FadGame, str], Steps[None]]]:
        """Yield what the modules of this match have when a unit's activation begins."""
        for module in self.listed:
            if module.beginning is not None and self.plays(state, module.id):
                yield module.beginning

    def tasks(self, state: State) -> tuple[Task, ...]:
        """Return the tasks that the modules of this match add to the action Command."""
        return tuple(task for module in self.listed if self.plays(state, module.id) for task in module.tasks)

    def wounding(self, state: State) -> Wounding | None:
        """Return what damage does in this match that does not always kill; None if it does."""
        found = (module.wounding for module in self.listed if self.plays(state, module.id))
        return next((wounding for wounding in found if wounding is not None), None)

    def conditions(self) -> list[str]:
        """Return the edition's markers of units: its rows, without those of figures and of modules that it does not list."""
        others = {marker.id for module in self.modules if module not in self.listed for marker in module.markers}
        others |= {marker.id for module in self.modules for marker in module.figure_markers}
        return [key for key in self.book.conditions if key not in others and key != BUSY]

    def figure_conditions(self) -> list[str]:
        """Return the edition's markers of single figures."""
        return [BUSY, *self.figure_markers] if self.has_action(COMMAND) else list(self.figure_markers)

    def casualties(self, unit: Unit) -> int:
        """Return how many of the unit's figures count as casualties: those that have fallen, unless a marker says that they
        have been treated.
        """
        treated = {marker.id for marker in self.figure_markers.values() if marker.treated}
        return sum(figure.fallen and treated.isdisjoint(figure.conditions) for figure in unit.figures.values())

    def airborne(self, unit: Unit) -> bool:
        """Return whether a unit is in the air (fad4/move.fly)."""
        mobility = unit.profile.get(MOBILITY)
        return isinstance(mobility, str) and self.book.mobilities[mobility].flies and LANDED not in unit.conditions

    def aloft(self, state: State, /) -> Collection[str]:
        if self._aloft[0] is not state.units:
            self._aloft = (state.units, [unit.id for unit in state.units.values() if self.airborne(unit)])
        return self._aloft[1]

    @property
    def vehicles(self) -> Vehicles:
        """The edition's procedures for vehicles. Raises `RulesetError` where none are played."""
        if self.chapters.vehicles is None:
            raise RulesetError(f"{self.book.edition.name} is played without vehicles here")
        return self.chapters.vehicles

    def has_action(self, action: str, kind: str = INFANTRY) -> bool:
        """Return whether infantry, or vehicles, have this action in the edition."""
        return action in self.book.edition.actions[kind]

    def quality(self, unit: Unit) -> Quality:
        """Return the unit's Quality."""
        return self.book.qualities[word(unit.profile, QUALITY)]

    def level(self, unit: Unit) -> int:
        """Return the rank of the unit's Quality, counted from the worst."""
        return self.book.level(word(unit.profile, QUALITY))

    def resolve(self, unit: Unit) -> Resolve:
        """Return the unit's Resolve, lowered by its markers."""
        own = word(unit.profile, RESOLVE)
        lower = sum(marker.resolve for marker in self.markers if marker.resolve and marker.id in unit.conditions)
        if not lower:
            return self.book.resolves[own]
        levels = list(self.book.resolves)
        return self.book.resolves[levels[max(0, levels.index(own) - lower)]]

    def small_arm(self, unit: Unit) -> SmallArm:
        """Return the unit's basic weapon."""
        return self.book.small_arms[word(unit.profile, "small_arm")]

    def armour(self, unit: Unit) -> Armour:
        """Return the unit's armour."""
        return self.book.armours[word(unit.profile, "armour")]

    def mounted(self, vehicle: Unit, mount: str) -> HeavyWeapon:
        """Return the weapon on a mount of a vehicle."""
        return self.book.heavy_weapons[vehicle.mounts[mount].weapon]

    def support(self, role: str) -> SupportWeapon | None:
        """Return the support weapon that a figure of this role carries, if it carries one."""
        return self.book.support_weapons.get(role)

    def heavy(self, role: str) -> HeavyWeapon | None:
        """Return the heavy weapon that a figure of this role serves, if it serves one."""
        return self.book.heavy_weapons.get(role)

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


def coming_off(rules: FadRules, unit: Unit) -> tuple[str, ...]:
    """Return the markers that come off `unit` when its activation ends (fad4/activation.clear-markers)."""
    # fad4/underfire.duration
    under_fire = (UNDER_FIRE,) if UNDER_FIRE in unit.conditions else ()
    return (*under_fire, *rules.coming_off(unit))


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
