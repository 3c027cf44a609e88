"""What all chapters of the family use: the rules object, and short questions about a unit."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from client_protocol.choices import Candidate, Choice, GroundRule, PathsDeclared, Picked, Why
from client_protocol.explained import Line
from client_protocol.from_server import Chance
from client_protocol.view import CardLine
from server.kernel import traits
from server.kernel.answers.check import Asked
from server.kernel.errors import RulesetError
from server.kernel.memory import Memory, OfOneState, PairMemory
from server.kernel.notes import word
from server.kernel.procedure import Game, Steps
from server.kernel.ruleset import Preview
from server.kernel.space.geometry import Point, inches
from server.kernel.space.pieces import Crowd
from server.kernel.space.sight import stands_in
from server.kernel.space.terrain import DEEP, Terrain
from server.kernel.state import Figure, State, Unit
from server.rulesets.fad.arms import ArmedRules
from server.rulesets.fad.bots import is_bot
from server.rulesets.fad.chapters import Chapters, Vehicles
from server.rulesets.fad.module import (
    Aftermath,
    Assets,
    Crew,
    FadMarker,
    FadModule,
    FigureMarker,
    Going,
    Held,
    Leaving,
    Meeting,
    Preparation,
    Push,
    Shield,
    Task,
    Travel,
    WeaponEffect,
    Wounding,
)
from server.rulesets.fad.played import FadPlayed
from server.rulesets.fad.setup.book import Book, HeavyWeapon, Quality, Resolve, SmallArm, SupportWeapon
from server.rulesets.shared.modules import Action
from server.rulesets.shared.rules import MOST_FLAGGED, MOST_GROUPS, MOST_PAIRS
from server.rulesets.shared.setup.book import OPTION, known
from server.rulesets.shared.turns import DEPLOYMENT

if TYPE_CHECKING:  # a shot is aimed by the rules object, which remembers the ground
    from server.rulesets.fad.ground import OnFoot
    from server.rulesets.fad.shot import Shot

UNDER_FIRE = "under_fire"
BROKEN = "broken"

BUSY = "at_task"
"""The marker on figures that take part in a task, and in nothing else until their unit's activation is over."""

LEADER = "leader"

CHARACTER = "officer"
"""The trait of a unit that is a character, and the role of its figure."""
WEAPON_TEAM = "weapon_team"
"""The trait of a unit that is a heavy weapon with its crew."""

POWERED = "powered"
"""The trait of armour that carries weapons for powered armour alone."""
POWERED_ONLY = "powered_armour_only"
"""The trait of these weapons."""
RECON = "recon"
"""The trait of a unit that scouts ahead."""
FOR_SCOUTS = "for_scouts"
"""The trait of armour that makes scouts of those who wear it."""
LINKED = "linked"
"""The trait of a unit whose small arms are linked."""

SOLDIER_BOYS = "soldier_boys"
"""The trait of units whose suits are steered from afar."""
COMMAND_SUIT = "command_suit"
"""The trait of officers in Command suits."""
SUIT_DAMAGED = "suit_damaged"
"""The marker of such a suit that has been wounded."""

SNIPER = "sniper"
"""The trait of a unit that is a sniper."""
SNIPER_RIFLE = "sniper-rifle"
"""The small arm of snipers, and of no one else."""

QUALITY = "quality"
"""The key of a unit's profile under which its Quality stands."""
RESOLVE = "resolve"
"""The key of a unit's profile under which its Resolve stands."""

MARKER = "marker"
"""The key of a unit's profile under which it is said that it is a marker of this kind, and no troops."""

MOBILITY = "mobility"
"""The key of a vehicle's profile under which its mobility stands."""
LANDED = "landed"
"""The marker of a flyer that stands on the ground."""
TOUCHED_DOWN = "touched_down"
"""The marker of a flyer in the air that has let troops off: it can be reached from the ground."""

SCATTERED = "scattered_fire"
"""The trait of a unit that is allowed only scattered fire."""

ABANDONED = "abandoned"
"""The note of a unit that names the heavy weapon which its crew has left behind."""

NON_COMBATANT = "non_combatant"
"""The trait of a group that has no part in the fighting."""
NEUTRAL = "neutral"
"""The trait of a unit that obeys no side. It waits for no activation: it acts, if at all, at the end of the turn."""

GUARDS = ("shielded_suit", "guarded_systems")
"""The traits of units with whose suits or systems nothing interferes."""

INFANTRY = "infantry"
VEHICLE = "vehicle"

OFF_TABLE = "fallback_off_table"
"""The option that says whether units fall back over the table's edge, where an edition lets players choose."""

# The actions of units, of which an edition lists those that it has
ENGAGE = "engage"
OPEN_FIRE = "open-fire"
MOVE_OUT = "move-out"
COMMAND = "command"


class FadRules(ArmedRules):
    """The numbers of one edition, the procedures that it replaces, the advisers that answer its questions, its modules, and
    memories of the shots that were aimed and of the ways into vehicles that were found.

    Raises:
        RulesetError: the edition's modules cannot be played (see `server.rulesets.shared.modules.listed`), or bring a marker for
            which the edition has no row.
    """

    listed: tuple[FadModule, ...]
    markers: tuple[FadMarker, ...]

    def __init__(self, book: Book, chapters: Chapters, modules: tuple[FadModule, ...]) -> None:
        super().__init__(book, modules)
        self.modules = modules
        self.chapters = chapters
        self.cover_levels = list(book.covers)
        self.cover_ranks = {level: place for place, level in enumerate(self.cover_levels)}
        self._crewed: OfOneState[tuple[Unit, Crew | None]] = OfOneState()
        self._aloft: Memory[list[str]] = Memory(1)
        self._bunched: Memory[bool] = Memory(MOST_GROUPS)
        self.shots: PairMemory[tuple[object, tuple[str, str, str], Shot | Why]] = PairMemory(MOST_PAIRS)
        self.bands: dict[tuple[float, int], dict[str, int]] = {}
        """The range bands, by base range and range multiplier."""
        self.stopping: OfOneState[list[tuple[Unit, Crowd]]] = OfOneState()
        self.targets: OfOneState[tuple[Candidate, ...]] = OfOneState()
        self.in_deck: OfOneState[list[str]] = OfOneState()
        self.narrowest: OfOneState[int] = OfOneState()
        self.embarkings: PairMemory[tuple[object, PathsDeclared | None]] = PairMemory(MOST_FLAGGED)
        self.on_foot: Memory[tuple[tuple[object, ...], OnFoot]] = Memory(MOST_FLAGGED)
        self.rooms: Memory[list[Terrain]] = Memory(MOST_FLAGGED)
        self.figure_markers: dict[str, FigureMarker] = {}
        self.leaving: dict[str, Leaving] = {}
        self.suits = any(module.arms_suits for module in self.listed)
        """Whether the edition plays what is added to powered armour: upgrades, and heavy weapons that its wearers carry."""
        self._weapon_effects = [effect for module in self.listed for effect in module.weapon_effects]
        modes = book.edition.modules
        self._owning = {
            effect.trait: module.id
            for module in self.listed
            if modes[module.id] == OPTION
            for effect in module.weapon_effects
        }
        """The modules, by the traits of weapons of which only they say what they do, and which a match may leave out."""
        self._holding = [(marker.id, marker.held) for marker in self.markers if marker.held]
        self._testing = [marker.id for marker in self.markers if marker.tests]
        self._dismaying = [(marker.id, marker.resolve) for marker in self.markers if marker.resolve]
        for module in self.listed:
            self.leaving.update({row.id: row for row in module.leaving})
            self.figure_markers.update({marker.id: marker for marker in module.figure_markers})
            for marker in (*(row.id for row in module.markers), *(row.id for row in module.figure_markers)):
                known(f"the module {module.id!r}", marker, book.conditions)
        self._alive = {marker.id for marker in self.figure_markers.values() if marker.alive}
        self._treated = {marker.id for marker in self.figure_markers.values() if marker.treated}
        self._off_alone = {marker.id for marker in self.figure_markers.values() if marker.apart}

    def aftermaths(self, state: State) -> Sequence[Aftermath]:
        """Return what the modules of this match have a shot leave behind."""
        return self.played(state).aftermaths

    def own_preview(
        self, state: State, choice: str
    ) -> Callable[[FadRules, State, Asked, Picked], Preview | None] | None:
        """Return what a module of this match says of a choice that it asks for itself; None if none does."""
        found = (previews.get(choice) for previews in self.played(state).previews)
        return next((preview for preview in found if preview is not None), None)

    def held(self, unit: Unit) -> Held | None:
        """Return what a marker makes of a unit that should fall back; None if it may."""
        return next((held for marker, held in self._holding if marker in unit.conditions), None)

    def shaken(self, unit: Unit) -> bool:
        """Return whether a marker makes a unit test its morale."""
        return any(marker in unit.conditions for marker in self._testing)

    def following(self, state: State) -> Sequence[Callable[[FadGame, Shot], Steps[None]]]:
        """Return what follows a shot in the modules of this match."""
        return self.played(state).follow

    def travel(self, state: State) -> Travel | None:
        """Return how units move in this match, if it is not sure that they arrive where their paths end."""
        return next(iter(self.played(state).travels), None)

    def goes(self, state: State) -> Callable[[FadGame, Going], Steps[None]] | None:
        """Return how units move along their paths in this match, where things happen on the way; None where they just go."""
        return next(iter(self.played(state).goes), None)

    def meeting(self, state: State, going: Going) -> Iterator[Meeting]:
        """Yield what a unit meets on its way in this match."""
        for meets in self.played(state).meets:
            yield from meets(self, state, going)

    def passed(self, state: State) -> Sequence[Callable[[FadGame, Unit, Going, float], Steps[None]]]:
        """Return what the modules of this match have when a unit has gone along paths."""
        return self.played(state).passed

    def foretells_moves(self, state: State) -> bool:
        """Return whether there is something to say of a way before it is gone in this match."""
        return bool(self.played(state).travels or self.played(state).warns)

    def secretive(self, state: State) -> bool:
        """Return whether this match notes what one seat alone may know."""
        return self.played(state).secretive

    def warnings(self, state: State, unit: Unit, way: PathsDeclared) -> tuple[str, ...]:
        """Return what may happen to a unit on a way in this match, as far as `state` says."""
        return tuple([told for warns in self.played(state).warns for told in warns(self, state, unit, way)])

    def preparing(self, state: State) -> Preparation | None:
        """Return what comes before the sides deploy in this match; None if nothing does any more."""
        if state.turn.phase != DEPLOYMENT:
            return None
        return next((one for one in self.played(state).preparing if one.due(state)), None)

    def closing(self, state: State, unit: Unit) -> tuple[GroundRule, ...]:
        """Return the pieces of terrain that a unit does not enter by the modules of this match, each with its rule."""
        return tuple([row for closes in self.played(state).closes for row in closes(self, state, unit)])

    def concealing(self, state: State) -> Sequence[Callable[[FadRules, State, Point], Iterable[tuple[Terrain, str]]]]:
        """Return what says in this match which pieces of terrain conceal infantry at a place from outside."""
        return self.played(state).conceals

    def withstanding(self, state: State) -> Sequence[Callable[[FadGame, Terrain], Steps[bool]]]:
        """Return what the modules of this match have before a building comes down."""
        return self.played(state).withstands

    def heartened(self, state: State, unit: Unit) -> str:
        """Return the rule by which the losses of a unit do not break it where it stands in this match; "" if they do."""
        asked = self.played(state).heartened
        return next((rule for heartened in asked if (rule := heartened(self, state, unit))), "")

    def setting_out(self, state: State) -> Sequence[Callable[[FadGame, str, Mapping[str, Point]], Steps[None]]]:
        """Return what the modules of this match have before a unit moves as its player wants."""
        return self.played(state).setting_out

    def beginning(self, state: State) -> Sequence[Callable[[FadGame, str], Steps[None]]]:
        """Return what the modules of this match have when a unit's activation begins."""
        return self.played(state).beginning

    def assets(self) -> tuple[FadModule, Assets] | None:
        """Return what sides of this edition may have off the table, and the module with which they have it."""
        return next(((module, module.assets) for module in self.listed if module.assets is not None), None)

    def vehicle_offers(self, state: State, vehicle: Unit) -> Iterator[Choice]:
        """Yield the actions that the modules of this match offer to a vehicle. `state` is what its seat may know."""
        for action in self.played(state).vehicle_actions:
            choice = action.offer(self, state, vehicle)
            if choice is not None:
                yield choice

    def action(self, state: State, choice: str) -> Action[FadRules] | None:
        added = (action for action in self.played(state).vehicle_actions if action.key == choice)
        return super().action(state, choice) or next(added, None)

    def played(self, state: State) -> FadPlayed:
        return self._played_with.get(state.options) or self._gather(state)  # type: ignore[return-value]  # see `_gathered`

    def _gathered(self, modules: Sequence[FadModule]) -> FadPlayed:
        return FadPlayed(modules)

    def concluding(self, state: State) -> Sequence[Callable[[FadGame, str], Steps[None]]]:
        """Return what the modules of this match have when a unit's activation ends."""
        return self.played(state).concluding

    def instead(self, state: State) -> Sequence[Callable[[FadGame, str], Steps[bool]]]:
        """Return what the modules of this match may have a unit do in the place of its action."""
        return self.played(state).instead

    def arrived(self, state: State) -> Sequence[Callable[[FadGame, str], Steps[None]]]:
        """Return what the modules of this match have when a unit has ended a move that its player wanted."""
        return self.played(state).arrived

    def ending(self, state: State) -> Sequence[Callable[[FadGame], Steps[None]]]:
        """Return what the modules of this match have at the end of a turn."""
        return self.played(state).ending

    def spared(self, state: State, unit: Unit) -> Why | None:
        """Return why a unit may not be shot at or assaulted in this match; None if it may."""
        # This and `bystander` are loops: they are asked for each enemy, and a generator costs more than what it finds.
        for spared in self.played(state).spared:
            why = spared(self, state, unit)
            if why is not None:
                return why
        return None

    def helpless(self, state: State, unit: Unit) -> str:
        """Return the rule by which a unit that is assaulted is overrun without a fight; "" if it fights."""
        found = (helpless(unit) for helpless in self.played(state).helpless)
        return next((rule for rule in found if rule), "")

    def bystander(self, state: State, unit: Unit) -> bool:
        """Return whether a unit has no part in the fighting in this match."""
        for bystander in self.played(state).bystander:  # noqa: SIM110
            if bystander(unit):
                return True
        return False

    def apart(self, unit: Unit) -> frozenset[str]:
        """Return the living figures of a unit that need not keep together with it."""
        return frozenset(
            [key for key, figure in unit.living.items() if not self._off_alone.isdisjoint(figure.conditions)]
        )

    def attaches_teams(self, state: State) -> bool:
        """Return whether heavy weapons with their crews are attached to squads in this match."""
        return self.played(state).attaches_teams

    def firing(self, state: State) -> Sequence[Callable[[FadGame, str, bool], Steps[None]]]:
        """Return what the modules of this match have when a unit opens fire."""
        return self.played(state).firing

    def losing(self, state: State) -> Sequence[Callable[[FadGame, str], Steps[None]]]:
        """Return what the modules of this match have when figures of a unit have fallen."""
        return self.played(state).losing

    def ended(self, state: State) -> Sequence[Callable[[FadGame, str], Steps[None]]]:
        """Return what the modules of this match have when a unit's activation is over."""
        return self.played(state).ended

    def turning(self, state: State) -> Sequence[Callable[[FadGame], Steps[None]]]:
        """Return what the modules of this match have when a turn begins."""
        return self.played(state).turning

    def hindering(self, state: State) -> Sequence[Callable[[FadGame, str, str], Steps[bool]]]:
        """Return what the modules of this match have before a free shot."""
        return self.played(state).hinders

    def hindrances(self, state: State, unit: Unit, attacker: Unit) -> list[Chance]:
        """Return how likely what hinders the free shot of a unit at an attacker lets it be fired."""
        asked = self.played(state).foretell_hindrance
        found = (foretell(self, state, unit, attacker) for foretell in asked)
        return [chance for chance in found if chance is not None]

    def fleeing(self, state: State) -> Sequence[Callable[[FadGame, str], Steps[None]]]:
        """Return what the modules of this match have before a squad falls back."""
        return self.played(state).flees

    def pushing(self, state: State) -> Sequence[Callable[[FadGame, str, str], Steps[tuple[int, str] | None]]]:
        """Return what units may do in this match that must fall back from an enemy."""
        return self.played(state).pushes

    def again(self, state: State, unit: Unit) -> Line | None:
        """Return how many failed dice of its Morale Test a unit rolls again in this match, as a line; None if it does not."""
        asked = (again(self, state, unit) for again in self.played(state).again)
        return next((line for line in asked if line is not None), None)

    def solitary(self, state: State) -> tuple[str, ...]:
        """Return the traits of units to which no other is attached in this match."""
        return self.played(state).solitary

    def crew(self, state: State, unit: Unit) -> Crew | None:
        """Return the crew of the heavy weapon of a unit that fires apart from its small arms; None if it has none."""
        known = self._crewed.get(state, unit.id)
        if known is None or known[0] is not unit:
            asked = (crew(self, state, unit) for crew in self.played(state).crew)
            known = self._crewed.keep(state, unit.id, (unit, next((crew for crew in asked if crew is not None), None)))
        return known[1]

    def tasks(self, state: State, unit: Unit) -> tuple[Task, ...]:
        """Return the tasks that the modules of this match add to the action Command of a unit."""
        found = self.played(state).tasks
        return tuple(task for task in found if task.concerns is None or task.concerns(unit))

    def inspires(self, state: State) -> tuple[Push, ...]:
        """Return the ways to inspire a squad that the modules of this match add."""
        return self.played(state).inspires

    def effects(self, weapon: str) -> list[WeaponEffect]:
        """Return what a heavy weapon does by its traits; nothing for "", the small arms of a shot."""
        if not weapon:
            return []
        own = self.book.heavy_weapons[weapon].traits
        return [effect for effect in self._weapon_effects if effect.trait in own]

    def fired(self, state: State, shot: Shot) -> list[WeaponEffect]:
        """Return what the weapons of a shot do by their traits: the heavy weapon, or the small arms with the support weapons."""
        if shot.weapon:
            return self.effects(shot.weapon)
        own = {trait for row in self.rows_fired(state, shot) for trait in row.traits}
        return [effect for effect in self._weapon_effects if effect.trait in own]

    def told_of_vehicle(self, state: State, vehicle: Unit) -> Iterator[CardLine]:
        """Yield what the modules of this match add to the card of a vehicle."""
        for card in self.played(state).vehicle_cards:
            yield from card(self, state, vehicle)

    def trimmed(self, state: State, unit: Unit, shot: Shot) -> Shot | Why:
        """Return what is left of a shot by the modules of this match, or why there is none."""
        for trims in self.played(state).trims:
            left = trims(self, state, unit, shot)
            if isinstance(left, Why):
                return left
            shot = left
        return shot

    def spent(self, state: State, unit: Unit, weapon: HeavyWeapon) -> Why | None:
        """Return why a unit can fire a weapon no more in this match, or not where it is; None if it can."""
        found = (spent(self, state, unit, weapon) for spent in self.played(state).spent)
        return self.unplayed(state, weapon) or next((why for why in found if why is not None), None)

    def unplayed(self, state: State, weapon: HeavyWeapon) -> Why | None:
        """Return why a heavy weapon is not fired in this match: a module that it does not play says what it does."""
        for trait in weapon.traits:
            owner = self._owning.get(trait)
            if owner is not None and not self.plays(state, owner):
                option = next((row.title for row in self.book.edition.option if row.id == owner), owner)
                return Why(
                    f"The {weapon.name.lower()} is fired with the option {option}.", self.book.traits[trait].rule
                )
        return None

    def using(
        self, state: State
    ) -> Sequence[Callable[[FadGame, str, Sequence[SmallArm | SupportWeapon | HeavyWeapon]], Steps[None]]]:
        """Return what the modules of this match have when a unit has fired weapons, free shots too."""
        return self.played(state).used

    def dealt(self, shot: Shot, hits: int) -> int:
        """Return how many of the hits of a shot are dealt."""
        return min([hits, *(effect.most_hits for effect in self.effects(shot.weapon) if effect.most_hits)])

    def shields(self, state: State) -> tuple[Shield, ...]:
        """Return what saves units from hits in this match."""
        return self.played(state).shields

    def wounding(self, state: State) -> Wounding | None:
        """Return what damage does in this match that does not always kill; None if it does."""
        return next(iter(self.played(state).woundings), None)

    def conditions(self) -> list[str]:
        """Return the edition's markers of units: its rows, without those of figures and of modules that it does not list."""
        others = {marker.id for module in self.modules if module not in self.listed for marker in module.markers}
        others |= {marker.id for module in self.modules for marker in module.figure_markers}
        return [key for key in self.book.conditions if key not in others and key != BUSY]

    def figure_conditions(self) -> list[str]:
        """Return the edition's markers of single figures."""
        return [BUSY, *self.figure_markers] if self.has_action(COMMAND) else list(self.figure_markers)

    def dead(self, figure: Figure) -> bool:
        """Return whether a figure is dead, or captured: it has fallen, and is not only wounded or stunned."""
        return figure.fallen and self._alive.isdisjoint(figure.conditions)

    def casualties(self, unit: Unit) -> int:
        """Return how many of the unit's figures count as casualties: those that have fallen, unless a marker says that they
        have been treated (fad5/resolve.casualty-definition).
        """
        fallen = [figure for figure in unit.figures.values() if figure.fallen]
        return sum([self._treated.isdisjoint(figure.conditions) and not _uncounted(figure) for figure in fallen])

    def original(self, unit: Unit) -> int:
        """Return how many figures the unit counts as having begun with. A character who is with it raises that number while he
        stands (fad5/adv.characters.resolve-strength).
        """
        own = unit.figures.values()
        return sum([not (figure.fallen and _led(figure)) and not is_bot(figure) for figure in own])

    def bunched_up(self, unit: Unit) -> bool:
        """Return whether the figures of a unit stand so close together that they are hit more easily."""
        known = self._bunched.get(unit.figures)
        return self._bunched.keep(unit.figures, self.chapters.fire.bunched_up(self, unit)) if known is None else known

    def leaves_table(self, state: State) -> bool:
        """Return whether figures that fall back may leave over the table's edge in this match."""
        chosen = state.options.get(OFF_TABLE)
        return self.chapters.morale.leaves_table if chosen is None else chosen == "leave"

    def airborne(self, unit: Unit) -> bool:
        """Return whether a unit is in the air (fad4/move.fly)."""
        mobility = unit.profile.get(MOBILITY)
        return isinstance(mobility, str) and self.book.mobilities[mobility].flies and LANDED not in unit.conditions

    def out_of_reach(self, unit: Unit) -> bool:
        """Return whether a unit is in the air and has not touched down: it is neither assaulted nor boarded."""
        return self.airborne(unit) and TOUCHED_DOWN not in unit.conditions

    def card_tells_place(self, unit: Unit, /) -> bool:
        # Its own player learns what a marker is as it is placed.
        return MARKER in unit.profile or super().card_tells_place(unit)

    def aloft(self, state: State, /) -> Collection[str]:
        known = self._aloft.get(state.units)
        if known is not None:
            return known
        return self._aloft.keep(state.units, [unit.id for unit in state.units.values() if self.airborne(unit)])

    def shelters(self, state: State, unit: Unit, other: Unit, /) -> tuple[Terrain, ...]:
        # fad5/move.flyer-sight: woods hide who stands in them, also from above
        if not self.book.tables.vehicles.woods_hide:
            return ()
        places = [place for one in (unit, other) if not self.airborne(one) for place in one.places()]
        return tuple(
            piece
            for piece in state.table.terrain
            if piece.sight in DEEP and any(stands_in(at, radius, piece) for at, radius in places)
        )

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
        lower = sum(less for marker, less in self._dismaying if marker in unit.conditions)
        if not lower:
            return self.book.resolves[own]
        levels = list(self.book.resolves)
        return self.book.resolves[levels[max(0, levels.index(own) - lower)]]

    def least_resolute(self, unit: Unit) -> bool:
        """Return whether the unit's Resolve, lowered by its markers, is the worst level."""
        return self.resolve(unit).id == next(iter(self.book.resolves))

    def cover_level(self, levels: Iterable[str]) -> str:
        """Return the best of some cover levels, or "none" if there are none."""
        return max(levels, key=self.cover_ranks.__getitem__, default="none")

    def edge_reach(self) -> int:
        """Return how close to a linear piece a figure must be to have its cover, in mil."""
        return inches(self.book.tables.cover.edge_reach)


def guarded(unit: Unit) -> bool:
    """Return whether nothing interferes with what a unit has (fad4/tech.weapon-tables)."""
    return any(traits.has(unit, trait) for trait in GUARDS)


def _led(figure: Figure) -> bool:
    """Return whether a figure is a character among the figures of another unit."""
    return bool(figure.of) and figure.role == CHARACTER


def _uncounted(figure: Figure) -> bool:
    """Return whether the loss of a figure is none for its unit's Resolve (fad4/tech.weapon-tables)."""
    return _led(figure) or is_bot(figure)


FadGame = Game[FadRules]


def coming_off(rules: FadRules, unit: Unit) -> tuple[str, ...]:
    """Return the markers that come off `unit` when its activation ends (fad4/activation.clear-markers)."""
    # fad4/underfire.duration
    under_fire = (UNDER_FIRE,) if UNDER_FIRE in unit.conditions else ()
    return (*under_fire, *rules.coming_off(unit))
