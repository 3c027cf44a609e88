"""The closed family of facts, everything that can happen, each with its change of the state.

A fact never changes its meaning once matches hold it; a new one gets a new tag. Facts without a `fold` of their own change
nothing and only record (what was declared, what was rolled, with every line of the numbers behind it).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Picked
from client_protocol.explained import Explained
from client_protocol.view import Ending
from server.kernel import attaching
from server.kernel.notes import Note
from server.kernel.space.geometry import Point
from server.kernel.space.terrain import Terrain
from server.kernel.state import OVER, Figure, Result, State, Unit, changed


class Fact(Struct, frozen=True, omit_defaults=True, gc=False):
    """Something that happened. Each kind below is tagged with its name."""

    def fold(self, state: State) -> State:
        """Return the state after this fact."""
        return state


# --- the turn -------------------------------------------------------------------------------------------------------


class PhaseBegan(Fact, frozen=True, tag="phase"):
    """A phase of the game begins."""

    phase: str

    def fold(self, state: State) -> State:
        return replace(state, turn=replace(state.turn, phase=self.phase, active="", unit=""))


class TurnBegan(Fact, frozen=True, tag="turn"):
    """Turn `number` begins."""

    number: int

    def fold(self, state: State) -> State:
        return replace(state, turn=replace(state.turn, number=self.number, first="", active="", unit=""))


class SideFirst(Fact, frozen=True, tag="first"):
    """`side` goes first this turn, by `rule`."""

    side: str
    rule: str

    def fold(self, state: State) -> State:
        return replace(state, turn=replace(state.turn, first=self.side, active=self.side))


class SideToAct(Fact, frozen=True, tag="to_act"):
    """It is `side`'s turn to activate or place a unit."""

    side: str

    def fold(self, state: State) -> State:
        return replace(state, turn=replace(state.turn, active=self.side))


class ActivationBegan(Fact, frozen=True, tag="activation"):
    """`unit` activates."""

    unit: str

    def fold(self, state: State) -> State:
        unit = replace(state.units[self.unit], activated=state.turn.number)
        return replace(state.with_unit(unit), turn=replace(state.turn, unit=self.unit))


class ActivationEnded(Fact, frozen=True, tag="activated"):
    """`unit`'s activation is over."""

    unit: str

    def fold(self, state: State) -> State:
        return replace(state, turn=replace(state.turn, unit=""))


class ActivationSpent(Fact, frozen=True, tag="spent"):
    """`unit` has had its activation of this turn within that of another one, by `rule`."""

    unit: str
    rule: str

    def fold(self, state: State) -> State:
        return state.with_unit(replace(state.units[self.unit], activated=state.turn.number))


# --- told for the record --------------------------------------------------------------------------------------------


class Declared(Fact, frozen=True, tag="declared"):
    """`unit` declares an action, at `target` where it has one. `action` is a key of the rule set's wording."""

    unit: str
    action: str
    rule: str
    target: str = ""


class Reasoned(Fact, frozen=True, tag="reasoned"):
    """Why the rules decided as they did for `unit`, which they play: `reason` is a key of the rule set's words, `by` names who
    decided (a group of units), `target` the unit and `place` the terrain piece, objective or other place that it is about.
    """

    unit: str
    reason: str
    rule: str
    by: str = ""
    target: str = ""
    place: str = ""


class Rolled(Fact, frozen=True, tag="rolled"):
    """Dice fell. `purpose` is a key of the rule set's wording; `marks` say what each die came to; `numbers` are what the dice
    were held against or made, each with its lines; `outcome` is a key for what it means.
    """

    purpose: str
    rule: str
    faces: tuple[int, ...]
    sides: int = 6
    marks: tuple[str, ...] = ()
    numbers: tuple[Explained, ...] = ()
    outcome: str = ""
    side: str = ""
    unit: str = ""
    target: str = ""


# --- units ----------------------------------------------------------------------------------------------------------


class UnitPlaced(Fact, frozen=True, tag="placed"):
    """`unit` is put on the table, each figure at its place, a hull also with its facing."""

    unit: str
    places: dict[str, Point]
    facings: dict[str, int] = {}

    def fold(self, state: State) -> State:
        return _at(state, self.unit, self.places, self.facings)


class MoveDeclared(Fact, frozen=True, tag="move_declared"):
    """`unit` declares the `paths` along which it is heading (starts left out), before dice say how far it comes."""

    unit: str
    paths: dict[str, tuple[Point, ...]]
    rule: str


class UnitMoved(Fact, frozen=True, tag="moved"):
    """Figures of `unit` moved along `paths` (their starts left out), hulls to end at `facings`. `manner` is a key of the rule
    set's wording.
    """

    unit: str
    manner: str
    paths: dict[str, tuple[Point, ...]]
    rule: str = ""
    facings: dict[str, int] = {}

    def fold(self, state: State) -> State:
        return _at(state, self.unit, {figure: path[-1] for figure, path in self.paths.items()}, self.facings)


class FiguresFell(Fact, frozen=True, tag="fell"):
    """`figures` of `unit` are out of action. `cause` is a key of the rule set's wording."""

    unit: str
    figures: tuple[str, ...]
    cause: str
    rule: str

    def fold(self, state: State) -> State:
        return _each(state, self.unit, self.figures, lambda figure: replace(figure, fallen=True))


class FiguresRose(Fact, frozen=True, tag="rose"):
    """Figures of `unit` that had fallen stand again, each at its place."""

    unit: str
    places: dict[str, Point]
    rule: str

    def fold(self, state: State) -> State:
        standing = _each(state, self.unit, self.places, lambda figure: replace(figure, fallen=False))
        return _at(standing, self.unit, self.places, {})


class FiguresCarried(Fact, frozen=True, tag="carried"):
    """Figures of `unit` that have fallen are carried along, and laid down each at its place."""

    unit: str
    places: dict[str, Point]
    rule: str

    def fold(self, state: State) -> State:
        return _at(state, self.unit, self.places, {})


class FigureRearmed(Fact, frozen=True, tag="rearmed"):
    """`figure` of `unit` takes up another role."""

    unit: str
    figure: str
    role: str
    rule: str

    def fold(self, state: State) -> State:
        return _each(state, self.unit, (self.figure,), lambda figure: replace(figure, role=self.role))


class ConditionGained(Fact, frozen=True, tag="gained"):
    """`unit` gets the marker `condition`."""

    unit: str
    condition: str
    rule: str

    def fold(self, state: State) -> State:
        unit = state.units[self.unit]
        return state.with_unit(replace(unit, conditions=_with(unit.conditions, self.condition)))


class ConditionLost(Fact, frozen=True, tag="lost"):
    """The marker `condition` comes off `unit`."""

    unit: str
    condition: str
    rule: str

    def fold(self, state: State) -> State:
        unit = state.units[self.unit]
        return state.with_unit(replace(unit, conditions=_without(unit.conditions, self.condition)))


class FiguresGained(Fact, frozen=True, tag="figures_gained"):
    """Each of `figures` of `unit` gets the marker `condition`."""

    unit: str
    figures: tuple[str, ...]
    condition: str
    rule: str

    def fold(self, state: State) -> State:
        return _each(
            state, self.unit, self.figures, lambda one: replace(one, conditions=_with(one.conditions, self.condition))
        )


class FiguresLost(Fact, frozen=True, tag="figures_lost"):
    """The marker `condition` comes off each of `figures` of `unit`."""

    unit: str
    figures: tuple[str, ...]
    condition: str
    rule: str

    def fold(self, state: State) -> State:
        return _each(
            state,
            self.unit,
            self.figures,
            lambda one: replace(one, conditions=_without(one.conditions, self.condition)),
        )


class UnitFormed(Fact, frozen=True, tag="formed"):
    """`unit` joins the game: brought by its player, or made of what is left of another (a crew that bailed out)."""

    unit: Unit
    rule: str

    def fold(self, state: State) -> State:
        return state.with_unit(self.unit)


class ForceDismissed(Fact, frozen=True, tag="dismissed"):
    """The scenario's own units of `side` stay away: its player has brought others, which are no secret any more."""

    side: str
    rule: str

    def fold(self, state: State) -> State:
        desk, seat = state.desk, state.sides[self.side].seat
        if seat in desk.forces:
            desk = replace(desk, forces=changed(desk.forces, seat, replace(desk.forces[seat], hidden=False)))
        units = {key: unit for key, unit in state.units.items() if unit.side != self.side}
        return replace(state, units=units, desk=desk)


class UnitBoarded(Fact, frozen=True, tag="boarded"):
    """`unit` gets into `vehicle`: its figures are off the table. It comes back by being placed."""

    unit: str
    vehicle: str
    rule: str

    def fold(self, state: State) -> State:
        unit = state.units[self.unit]
        figures = {key: replace(figure, at=None) for key, figure in unit.figures.items()}
        return state.with_unit(replace(unit, figures=figures, aboard=self.vehicle))


class UnitAttached(Fact, frozen=True, tag="attached"):
    """`unit` is attached to `host`: its figures are among that unit's from now on."""

    unit: str
    host: str
    rule: str

    def fold(self, state: State) -> State:
        return attaching.join(state, self.unit, self.host)


class UnitDetached(Fact, frozen=True, tag="detached"):
    """`unit` leaves the unit to which it was attached, and is on its own again."""

    unit: str
    rule: str

    def fold(self, state: State) -> State:
        return attaching.part(state, self.unit)


class MountLost(Fact, frozen=True, tag="mount_lost"):
    """The weapon on `mount` of the vehicle `unit` fires no more."""

    unit: str
    mount: str
    rule: str

    def fold(self, state: State) -> State:
        unit = state.units[self.unit]
        mounts = changed(unit.mounts, self.mount, replace(unit.mounts[self.mount], lost=True))
        return state.with_unit(replace(unit, mounts=mounts))


class UnitNoted(Fact, frozen=True, tag="unit_noted"):
    """The rule set notes `value` under `key` in the profile of `unit`."""

    unit: str
    key: str
    value: Note

    def fold(self, state: State) -> State:
        unit = state.units[self.unit]
        return state.with_unit(replace(unit, profile=changed(unit.profile, self.key, self.value)))


class AssetNoted(Fact, frozen=True, tag="asset_noted"):
    """The rule set notes `value` under `key` in the profile of an asset of `side`, which is no secret any more."""

    side: str
    asset: str
    key: str
    value: Note

    def fold(self, state: State) -> State:
        asset = state.sides[self.side].off_table[self.asset]
        noted = replace(asset, profile=changed(asset.profile, self.key, self.value), hidden=False)
        return state.with_asset(self.side, noted)


class TerrainAdded(Fact, frozen=True, tag="terrain"):
    """A terrain piece comes about in play (a wreck, rubble)."""

    piece: Terrain
    rule: str

    def fold(self, state: State) -> State:
        table = state.table
        return replace(state, table=replace(table, terrain=(*table.terrain, self.piece), added=table.added + 1))


class TerrainChanged(Fact, frozen=True, tag="terrain_changed"):
    """A terrain piece becomes another one in its place (`piece` has its id), or is gone where `piece` is None."""

    id: str
    piece: Terrain | None
    rule: str

    def fold(self, state: State) -> State:
        table = state.table
        place = next(index for index, piece in enumerate(table.terrain) if piece.id == self.id)
        # What has changed came about in play: such pieces stand last.
        added = table.added - (place >= len(table.terrain) - table.added) + (self.piece is not None)
        left = (*table.terrain[:place], *table.terrain[place + 1 :])
        terrain = left if self.piece is None else (*left, self.piece)
        gone = (*table.gone, self.id) if self.piece is None else table.gone
        return replace(state, table=replace(table, terrain=terrain, added=added, gone=gone))


class UnitLeft(Fact, frozen=True, tag="left"):
    """`unit` is out of the game, and with it all that are attached to it. `reason` is a key of the rule set's wording."""

    unit: str
    reason: str
    rule: str

    def fold(self, state: State) -> State:
        for one in (state.units[self.unit], *attaching.guests(state, self.unit)):
            state = state.with_unit(replace(one, left=self.reason, conditions=(), aboard=""))
        return state


# --- the rule set's notes, objectives, the end ----------------------------------------------------------------------


class Noted(Fact, frozen=True, tag="noted"):
    """The rule set notes `value` under `key` in its book."""

    key: str
    value: Note

    def fold(self, state: State) -> State:
        return replace(state, book=changed(state.book, self.key, self.value))


class ObjectiveHeld(Fact, frozen=True, tag="held"):
    """`side` ("" for none) holds `objective` now."""

    objective: str
    side: str

    def fold(self, state: State) -> State:
        objective = replace(state.objectives[self.objective], held_by=self.side)
        return replace(state, objectives=changed(state.objectives, self.objective, objective))


class MatchEnded(Fact, frozen=True, tag="ended"):
    """The match is over: `winner` is a side, "" for a draw; `how` says what ended it."""

    winner: str
    reason: str
    rule: str
    how: Ending = "rules"

    def fold(self, state: State) -> State:
        result = Result(self.winner, self.reason, self.rule, self.how)
        return replace(state, result=result, turn=replace(state.turn, phase=OVER, active="", unit=""))


# --- sealed answers -------------------------------------------------------------------------------------------------


class AnswerSealed(Fact, frozen=True, tag="sealed"):
    """`seat` has answered a question that several seats were asked at once; no other seat sees `picked` until all have."""

    seat: str
    picked: Picked

    def fold(self, state: State) -> State:
        return replace(state, sealed=changed(state.sealed, self.seat, self.picked))


class AnswersOpened(Fact, frozen=True, tag="opened"):
    """The last sealed answer is in: all are opened."""

    def fold(self, state: State) -> State:
        return replace(state, sealed={})


AnyFact = (
    PhaseBegan
    | TurnBegan
    | SideFirst
    | SideToAct
    | ActivationBegan
    | ActivationEnded
    | ActivationSpent
    | Declared
    | Reasoned
    | Rolled
    | UnitPlaced
    | MoveDeclared
    | UnitMoved
    | FiguresFell
    | FiguresRose
    | FiguresCarried
    | FigureRearmed
    | ConditionGained
    | ConditionLost
    | FiguresGained
    | FiguresLost
    | UnitFormed
    | ForceDismissed
    | UnitBoarded
    | UnitAttached
    | UnitDetached
    | MountLost
    | UnitNoted
    | AssetNoted
    | TerrainAdded
    | TerrainChanged
    | UnitLeft
    | Noted
    | ObjectiveHeld
    | MatchEnded
    | AnswerSealed
    | AnswersOpened
)


def _each(state: State, unit_id: str, keys: Iterable[str], change: Callable[[Figure], Figure]) -> State:
    """Return `state` with each of these figures of a unit changed."""
    unit = state.units[unit_id]
    figures = dict(unit.figures)
    for key in keys:
        figures[key] = change(figures[key])
    return state.with_unit(replace(unit, figures=figures))


def _with(conditions: tuple[str, ...], gained: str) -> tuple[str, ...]:
    return tuple(sorted({*conditions, gained}))


def _without(conditions: tuple[str, ...], lost: str) -> tuple[str, ...]:
    return tuple(condition for condition in conditions if condition != lost)


def _at(state: State, unit_id: str, places: dict[str, Point], facings: dict[str, int]) -> State:
    unit = state.units[unit_id]
    figures = dict(unit.figures)
    # Figures often stand in ranks and files. Their places are most of what a match holds in memory: equal numbers are held once.
    held: dict[int, int] = {}
    for figure, (x, y) in places.items():
        figures[figure] = replace(figures[figure], at=(held.setdefault(x, x), held.setdefault(y, y)))
    for figure, facing in facings.items():
        figures[figure] = replace(figures[figure], facing=facing)
    if unit.aboard:
        return state.with_unit(replace(unit, figures=figures, aboard=""))
    return state.with_unit(replace(unit, figures=figures))
