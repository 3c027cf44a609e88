"""The rules object that a family's chapters share: its book, its advisers, its modules, and a memory of lines of sight."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from typing import Any, Generic, Self, TypeVar

from client_protocol.choices import Choice, Why
from client_protocol.explained import Line
from client_protocol.view import CardLine
from server.kernel import traits
from server.kernel.bodies import body, hulls
from server.kernel.memory import Memory, OfOneState, PairMemory
from server.kernel.questions import Advisers
from server.kernel.space.geometry import Outline
from server.kernel.space.screens import Group
from server.kernel.space.sight import Field, Sightlines, field_of
from server.kernel.space.terrain import Terrain
from server.kernel.state import Figure, State, Table, Unit
from server.kernel.traits import TraitValue
from server.rulesets.shared.keys import Keys
from server.rulesets.shared.modules import Action, Advice, Declaration, Marker, Module, ModuleRoll, listed
from server.rulesets.shared.played import Played, given
from server.rulesets.shared.setup.book import ALWAYS, ON, OPTION, Book, Trait

MOST_REMEMBERED = 1_000
"""The most answers that a memory holds, where nothing else is said."""
MOST_PAIRS = 500
"""The most answers of a memory that is asked again mostly within one decision: more would only keep what has moved on alive."""
MOST_GROUPS = 400
"""The most groups of figures: those of the units of some thirty matches. Each keeps the figures alive that it was made of."""
MOST_FLAGGED = 200
"""The same of a memory of terrain's flags: maps change less than units."""

_NONE: frozenset[str] = frozenset()

B = TypeVar("B", bound=Book)
Hulls = tuple[Outline, ...]


class Rules(Generic[B]):
    """The numbers of one edition, the advisers that answer its questions, and the modules that its matches may play.

    Args:
        book: the edition's data.
        modules: the modules of the family. An edition plays each always, by an option, or never.

    Attributes:
        listed: the modules that the edition lists.
        markers: the markers of those modules.
        declarations: their words for what units declare, by the declared action.
        manners: their words for moves of their own, by the manner.
        rolls: what is said of their own rolls, by their purpose.

    Raises:
        RulesetError: the edition's modules cannot be played (see `server.rulesets.shared.modules.listed`).
    """

    listed: tuple[Module[Any], ...]
    markers: tuple[Marker[Any], ...]

    def __init__(self, book: B, modules: tuple[Module[Any], ...] = ()) -> None:
        self.book = book
        self.listed = listed(book.edition, modules)
        self._switches = {module.id: module.switch for module in self.listed if module.switch}
        self.markers = tuple(marker for module in self.listed for marker in module.markers)
        self._replacing: dict[str, frozenset[str]] = {}
        for marker in self.markers:
            self._replacing[marker.replaces] = self._replacing.get(marker.replaces, _NONE) | {marker.id}
        self._cards_tell_place = given(module.card_tells_place for module in self.listed)
        self._barring_markers = [(marker.id, marker.bars) for marker in self.markers if marker.bars is not None]
        self.declarations: dict[str, Declaration] = {}
        self.manners: dict[str, str] = {}
        self.rolls: dict[str, ModuleRoll[Any]] = {}
        for module in self.listed:
            self.declarations.update(module.declares)
            self.manners.update(module.manners)
            self.rolls.update(module.rolls)
        own = f"{book.edition.id}/"
        self.keys = Keys(book.edition.id, book.edition.keys, [row.id.removeprefix(own) for row in book.reference])
        self.advisers = Advisers()
        self._barred = OfOneState[tuple[Unit, Why | None]]()
        self._fields = Memory[Field](MOST_REMEMBERED)
        self._vehicles = Memory[tuple[Hulls, Collection[str]]](1)
        self._flagged = PairMemory[tuple[str, ...]](MOST_FLAGGED)
        self._groups = Memory[Group](MOST_GROUPS)
        self._sights = PairMemory[tuple[Table, Hulls, Sightlines]](MOST_PAIRS)
        self._played_with = Memory[Played](MOST_REMEMBERED)

    # --- modules ------------------------------------------------------------------------------------------------------

    def register(self, *chapters: Callable[[Self], None]) -> None:
        """Register the advisers of the family's chapters, then those of its modules."""
        for chapter in chapters:
            chapter(self)
        for marker in self.markers:
            for advice in marker.advisers:
                self._add(advice, partial(advice.lines, self))
        for module in self.listed:
            for advice in module.advisers:
                self._add(advice, self._switched(module.id, partial(advice.lines, self)))

    def _add(self, advice: Advice[Any], lines: Callable[[State, Any], Iterable[Line]]) -> None:
        self.advisers.add(advice.question, lines, advice.unit, rank=advice.rank)

    def _switched(
        self, module: str, lines: Callable[[State, Any], Iterable[Line]]
    ) -> Callable[[State, Any], Iterable[Line]]:
        """Return an adviser that is asked only in matches that play the module."""
        if self.book.edition.modules[module] == ALWAYS:
            return lines
        return lambda state, question: lines(state, question) if self.plays(state, module) else ()

    def plays(self, state: State, module: str) -> bool:
        """Return whether this match plays a module of the rules: always, never, or where its option of that name is on."""
        how = self.book.edition.modules.get(module)
        return how == ALWAYS or (how == OPTION and state.options.get(self._switches.get(module, module)) == ON)

    def played(self, state: State) -> Played:
        """Return what the modules of this match bring."""
        # A match keeps its options, and its chapters ask for its modules thousands of times.
        return self._played_with.get(state.options) or self._gather(state)

    def _gather(self, state: State) -> Played:
        playing = [module for module in self.listed if self.plays(state, module.id)]
        return self._played_with.keep(state.options, self._gathered(playing))

    def _gathered(self, modules: Sequence[Any]) -> Played:
        """Return what some of the `listed` modules bring. A family gathers its own hooks too."""
        return Played(modules)

    def barred(self, state: State, unit: Unit, act: str) -> Why | None:
        """Return why a marker on `unit` or a module of this match forbids an act, or None. `act` is a word of the family."""
        known = self._barred.get(state, (unit.id, act))
        if known is None or known[0] is not unit:
            known = self._barred.keep(state, (unit.id, act), (unit, self._bars(state, unit, act)))
        return known[1]

    def _bars(self, state: State, unit: Unit, act: str) -> Why | None:
        for marker, bars in self._barring_markers:
            if marker in unit.conditions:
                why = bars(self, state, unit, act)
                if why is not None:
                    return why
        for bars in self.played(state).bars:
            why = bars(self, state, unit, act)
            if why is not None:
                return why
        return None

    def replaced(self, unit: Unit, condition: str) -> bool:
        """Return whether `unit` has a marker that takes the place of `condition`."""
        return not self._replacing.get(condition, _NONE).isdisjoint(unit.conditions)

    def coming_off(self, unit: Unit) -> Iterator[str]:
        """Yield the markers of modules that come off `unit` when its activation ends."""
        return (marker.id for marker in self.markers if marker.comes_off and marker.id in unit.conditions)

    def module_card(self, state: State, unit: Unit) -> Iterator[CardLine]:
        """Yield what the modules of this match add to the card of `unit`."""
        for card in self.played(state).cards:
            yield from card(self, state, unit)

    def offers(self, state: State, unit: Unit) -> Iterator[Choice]:
        """Yield the actions that the modules of this match offer to `unit`. `state` is what its seat may know."""
        for action in self.played(state).actions:
            choice = action.offer(self, state, unit)
            if choice is not None:
                assert choice.key == action.key, "an action is found again by the key of its choice"
                yield choice

    def action(self, state: State, choice: str) -> Action[Any] | None:
        """Return the action that a module of this match offers as the choice of this key, or None."""
        return next((action for action in self.played(state).actions if action.key == choice), None)

    # --- traits -------------------------------------------------------------------------------------------------------

    def borne(self, bearer: Unit | Figure) -> Iterator[tuple[Trait, TraitValue]]:
        """Return the traits of a unit or figure with their values, in the edition's order."""
        own = traits.of(bearer)
        return ((row, own[key]) for key, row in self.book.traits.items() if key in own) if own else iter(())

    def trait_lines(self, question: str, bearer: Unit | Figure) -> Iterator[Line]:
        """Yield what the traits of a unit or figure add to a question; a trait that is a number adds for each of it."""
        for trait, value in self.borne(bearer):
            for adjustment in trait.adjusts:
                if adjustment.question == question:
                    times = value if isinstance(value, int) else 1
                    yield Line("ADD", times * adjustment.amount, trait.name.lower(), trait.rule)

    def trait_card(self, unit: Unit, told: Collection[str] = ()) -> Iterator[CardLine]:
        """Yield the lines of a unit's card for its traits, without those that are `told` in other lines."""
        for trait, value in self.borne(unit):
            if trait.id not in told:
                numbers = (value,) if trait.value == "number" else value if isinstance(value, tuple) else ()
                yield CardLine("Trait", " ".join((trait.name, *map(str, numbers))), trait.rule)

    # --- the table ----------------------------------------------------------------------------------------------------

    def field(self, state: State) -> Field:
        """Return the table's terrain, prepared for questions about sight."""
        table = state.table
        # Equal maps of other matches share a field. The look-up by identity comes first because it saves comparing them.
        return self._fields.get(table) or self._fields.keep(table, field_of(table.terrain, centres=table.centres))

    def cards_tell_of(self, state: State, /) -> object:
        """See `server.kernel.ruleset.Ruleset`: of terrain, and of what modules tell of besides."""
        told = [tells_of(self, state) for tells_of in self.played(state).cards_tell_of]
        return (state.table.terrain, told)

    def card_tells_place(self, unit: Unit, /) -> bool:
        """See `server.kernel.ruleset.Ruleset`."""
        return any(tells(unit) for tells in self._cards_tell_place)

    def aloft(self, _state: State, /) -> Collection[str]:
        """Return the units that are in the air: they see and are seen over everything. A family with flyers says which."""
        return ()

    def looking(self, _state: State, unit: Unit, _other: Unit, /) -> Unit:
        """See `server.kernel.ruleset.Ruleset`."""
        return unit

    def shelters(self, _state: State, _unit: Unit, _other: Unit, /) -> tuple[Terrain, ...]:
        """See `server.kernel.ruleset.Ruleset`. A family says it whose flyers do not see everything."""
        return ()

    def hulls(self, state: State) -> Hulls:
        """Return the outlines of all vehicles that stand on the table."""
        return self._blocking(state)[0]

    def _blocking(self, state: State) -> tuple[Hulls, Collection[str]]:
        """Return the outlines of all vehicles on the table, and the units in the air."""
        known = self._vehicles.get(state.units)
        if known is not None:
            return known
        aloft = self.aloft(state)
        return self._vehicles.keep(state.units, (hulls(state, aloft), aloft))

    def group(self, unit: Unit) -> Group:
        """Return the living figures of a unit on the table as those who look together, or are looked at."""
        known = self._groups.get(unit.figures)
        if known is not None:
            return known
        standing = [figure for figure in unit.figures.values() if figure.at is not None and not figure.fallen]
        return self._groups.keep(unit.figures, Group([body(figure) for figure in standing]))

    def sightlines(self, state: State, one: Unit, other: Unit) -> Sightlines:
        """Return the lines of sight between the living figures of two units, past terrain and vehicles.

        They are remembered until one of the units moves or loses a figure, or the terrain or a vehicle changes.
        """
        blocking, aloft = self._blocking(state)
        if aloft and (one.id in aloft or other.id in aloft):
            sky = field_of(self.shelters(state, one, other), centres=state.table.centres)
            return sky.between(self.group(one), self.group(other), ())
        table = state.table
        known = self._sights.get(one.figures, other.figures)
        if known is not None and known[0] is table and known[1] == blocking:
            return known[2]
        lines = self.field(state).between(self.group(one), self.group(other), blocking)
        self._sights.keep(one.figures, other.figures, (table, blocking, lines))
        return lines

    def sees(self, state: State, one: Unit, other: Unit) -> bool:
        """Return whether any living figure of `one` sees any living figure of `other`, past terrain and vehicles."""
        return self.sightlines(state, one, other).any()

    def pieces_with(self, state: State, flag: str) -> tuple[str, ...]:
        """Return the ids of the terrain pieces that carry `flag`."""
        terrain = state.table.terrain
        # Chapters name a flag by a word of the program, which is the same object each time.
        known = self._flagged.get(terrain, flag)
        if known is None:
            known = self._flagged.keep(terrain, flag, tuple([piece.id for piece in terrain if flag in piece.flags]))
        return known

    def cover_pieces(self, state: State) -> tuple[str, ...]:
        """Return the ids of the terrain pieces that give cover."""
        return tuple(piece.id for piece in state.table.terrain if piece.cover != "none")
