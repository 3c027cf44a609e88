"""Laws that hold after every step of every game of any edition, for all answers and all dice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from collections.abc import Set as AbstractSet
from itertools import combinations
from typing import Protocol

from server.commands.simulate import rules_asked, rules_told
from server.kernel.answers.check import Ask, check
from server.kernel.attaching import figures_of, own_figures
from server.kernel.belief import believed
from server.kernel.bodies import bodies, free_seats, is_vehicle
from server.kernel.facts import (
    ActivationBegan,
    Fact,
    FiguresFell,
    FiguresRose,
    Rolled,
    TerrainAdded,
    UnitAttached,
    UnitDetached,
    UnitMoved,
    UnitPlaced,
)
from server.kernel.ruleset import Ruleset
from server.kernel.space.geometry import Point, to_mil
from server.kernel.space.hulls import SLACK, drawn_in, enters, hull_overlaps, inside_table, overlaps_hull
from server.kernel.space.paths import on_table, overlaps
from server.kernel.space.terrain import Terrain
from server.kernel.space.values import Base
from server.kernel.standing import hulls, terrain_of
from server.kernel.state import State, Unit
from server.opponents.simulation import Played


class Laws(Protocol):
    """Additional laws of one edition's games. Each raises `AssertionError` with a sentence."""

    def fact(self, before: State, fact: Fact, after: State) -> None:
        """Check a fact that happens to `before`."""
        ...

    def state(self, state: State) -> None:
        """Check the state after a step."""
        ...

    def activations(self, state: State) -> int:
        """Return how often a unit may activate in a turn."""
        ...


Caught = tuple[str, str, str]
"""A piece of terrain, and a unit and its figure that stand in it."""


class Watch:
    """Follows a game fact by fact.

    Args:
        rules: the edition's.
        start: the state in which the game begins.
        laws: what its games keep beyond what all do.
    """

    def __init__(self, rules: Ruleset, start: State, laws: Sequence[Laws] = ()) -> None:
        self.state = start
        self.rules: set[str] = set()
        """The ids of the rules that a fact has named."""
        self._ruleset = rules
        self._known = {"", *(row["id"] for row in rules.reference)}
        self._laws = laws
        self._caught: set[Caught] = set()
        """Who stood where impassable ground came up in the match, and has not left it since."""
        self._activated: Counter[tuple[int, str]] = Counter()
        self._often = max((law.activations(start) for law in laws), default=1)

    def step(self, played: Played) -> None:
        """Take in a step and check all laws."""
        assert not played.refused, "what is sampled from a choice is legal"
        fell = [face for taken in played.step.rolls if not taken.stream for face in taken.faces]
        shown = [face for fact in played.step.facts if isinstance(fact, Rolled) for face in fact.faces]
        # By docs/dice.md, so that a reader with only the file can verify it.
        assert shown == fell, "what players are shown of dice is what fell, in the same order"
        known, turn = self.state.units, self.state.turn.number
        for order in played.orders:
            self.state = order.fold(self.state)
        for fact in played.step.facts:
            before, self.state = self.state, fact.fold(self.state)
            self._fact(before, fact)
            for law in self._laws:
                law.fact(before, fact, self.state)
        assert self.state == played.after, "the facts alone make the state"
        _bodies(self._ruleset, self.state, self._caught, self.state.turn.unit)
        if self._caught:
            self._caught &= {who for piece in self.state.table.terrain for who in _standing_in(piece, self.state)}
        turned = self.state.turn.number != turn
        for unit in self.state.units.values():
            _unit(self.state, unit, played.ask)
            if turned or known.get(unit.id) is not unit:
                self._known_all({row.rule for row in self._ruleset.card(self.state, unit)})
        for law in self._laws:
            law.state(self.state)
        self._asked(played)
        named = rules_told(played.step.facts)
        self.rules |= named
        self._known_all(named | rules_asked(played.ask))

    def _fact(self, before: State, fact: Fact) -> None:
        story = self._ruleset.story(before, fact)
        self._known_all({story.rule} if story is not None else set())
        if isinstance(fact, TerrainAdded):
            self._caught |= _standing_in(fact.piece, before)
        if isinstance(fact, ActivationBegan):
            turn = (before.turn.number, fact.unit)
            self._activated[turn] += 1
            count = self._activated[turn]
            assert count <= self._often, f"{fact.unit} activates too often in turn {turn[0]}"
            if self._often == 1:
                assert before.units[fact.unit].activated < turn[0], (
                    f"{fact.unit} has had its activation in turn {turn[0]}"
                )
        elif isinstance(fact, FiguresFell):
            dead = [key for key in fact.figures if before.units[fact.unit].figures[key].fallen]
            assert not dead, f"{', '.join(dead)} of {fact.unit} fall again"
        elif isinstance(fact, UnitMoved):
            moving = before.units[fact.unit]
            assert not moving.left, f"{fact.unit} is out of the game and moves"
            assert not fact.paths.keys() - moving.living.keys(), f"a figure of {fact.unit} moves that is not there"
            # A unit that moves between activations, as in a reaction, may be stopped on its way too, and go on from there.
            _bodies(self._ruleset, self.state, self._caught, self.state.turn.unit or fact.unit)
        elif isinstance(fact, UnitPlaced | FiguresRose):
            _bodies(self._ruleset, self.state, self._caught, self.state.turn.unit)
        for key, unit in self.state.units.items():
            was = before.units.get(key)
            if was is not None and was is not unit:
                _goes_on(was, unit, fact)

    @staticmethod
    def _asked(played: Played) -> None:
        """Check that every prompt is put to a seat that plays and has a legal default."""
        for seat, asked in played.ask.seats.items() if played.ask is not None else ():
            assert seat in {side.seat for side in played.after.sides.values()}
            refusal = check(believed(played.after, seat), asked, asked.default)
            assert refusal is None, f"{seat} is asked {asked.title!r}, and its default is refused: {refusal}"

    def _known_all(self, rules: AbstractSet[str]) -> None:
        """Check that every named rule is in the reference."""
        assert rules <= self._known, f"the reference has no {', '.join(sorted(rules - self._known))}"


def _goes_on(was: Unit, unit: Unit, fact: Fact) -> None:
    """Check that nothing comes back that cannot: figures, fallen figures, lost weapons, units that have left."""
    own, before = own_figures(unit), own_figures(was)
    if unit.attached != was.attached:
        assert isinstance(fact, UnitAttached | UnitDetached), f"{unit.id} joins or leaves a unit by no fact"
        assert {len(own), len(before)} == {0, max(len(own), len(before))}, f"{unit.id} takes its figures along"
        return
    assert own.keys() == before.keys()
    both = was.figures.keys() & unit.figures.keys()
    assert both == was.figures.keys() == unit.figures.keys() or isinstance(fact, UnitAttached | UnitDetached)
    risen = {key for key in both if was.figures[key].fallen and not unit.figures[key].fallen}
    told = fact.places.keys() if isinstance(fact, FiguresRose) else set()
    assert risen == told, "the dead stay dead"
    assert unit.left or not was.left, f"{unit.id} is back in the game"
    assert all(unit.mounts[key].lost or not mount.lost for key, mount in was.mounts.items()), "a lost weapon is back"
    assert unit.activated >= was.activated


def _unit(state: State, unit: Unit, open_ask: Ask | None) -> None:
    assert len(set(unit.conditions)) == len(unit.conditions)
    if unit.left:
        assert not unit.conditions, f"{unit.id} is gone and has markers"
        assert not unit.aboard, f"{unit.id} is gone and aboard"
        return
    if unit.attached:
        _guest(state, unit)
        return
    assert unit.strength > 0, f"{unit.id} has no figures left and is still in the game"
    if unit.aboard:
        _passengers(state, unit, open_ask)
    elif state.turn.phase in {"deployment", "over"}:
        assert state.turn.phase == "over" or len(bodies(unit)) in {0, unit.strength}, f"half of {unit.id} is deployed"
    elif not state.turn.unit and not _outside(state, unit):
        # Between activations every unit is on the table, aboard a vehicle, or out of the game.
        assert len(bodies(unit)) == unit.strength, f"{unit.id} is neither on the table nor aboard"


def _outside(state: State, unit: Unit) -> bool:
    """Whether a unit has yet to enter the table: by turn 2 all who were delayed have, one by one as an engagement escalates."""
    still = state.turn.number <= 2 or "generated.clash" in state.book
    return "generated" in state.book and still and all(figure.at is None for figure in unit.figures.values())


def _guest(state: State, unit: Unit) -> None:
    host = state.units[str(unit.attached)]
    assert not unit.figures, f"{unit.id} is attached and has figures of its own place"
    assert not host.left, f"{unit.id} is attached to {host.id}, which is gone"
    assert not host.attached, f"{unit.id} is attached to {host.id}, which is attached itself"
    assert host.side == unit.side, f"{unit.id} is attached to the enemy"
    assert figures_of(state, unit), f"{unit.id} has no figures anywhere"
    if not state.turn.unit and state.turn.phase != "deployment":
        assert unit.activated >= host.activated, f"{unit.id} has not activated with {host.id}"
        assert any(not figure.fallen for figure in own_figures(host).values()), f"{host.id} has only guests left"


def _passengers(state: State, unit: Unit, open_ask: Ask | None) -> None:
    vehicle = state.units[unit.aboard]
    # Passengers of a destroyed vehicle are still to be placed next to it. Where it is lost between activations, to fire as a turn
    # ends, that is what is asked now.
    about = [state.units[asked.unit].aboard for asked in open_ask.seats.values() if asked.unit] if open_ask else []
    assert not vehicle.left or state.turn.unit or vehicle.id in about, (
        f"{unit.id} is aboard {vehicle.id}, which is gone"
    )
    assert vehicle.side == unit.side, f"{unit.id} is aboard a vehicle of the enemy"
    assert is_vehicle(vehicle)
    assert not unit.on_table, f"{unit.id} is aboard and on the table"
    assert free_seats(state, vehicle.id) >= 0, f"{vehicle.id} carries more than it has seats"


def _bases(unit: Unit) -> Iterator[tuple[str, Point, int]]:
    """Yield each living figure on the table with its centre and its radius (mil)."""
    return ((key, figure.at, figure.radius) for key, figure in unit.living.items() if figure.at is not None)


def _standing_in(piece: Terrain, state: State) -> set[Caught]:
    """Return who stands in a piece, if it is impassable."""
    if "impassable" not in piece.flags:
        return set()
    on_foot = (unit for unit in state.units.values() if not unit.left and not is_vehicle(unit))
    bases = ((unit.id, *base) for unit in on_foot for base in _bases(unit))
    return {(piece.id, who, key) for who, key, at, radius in bases if to_mil(piece.distance(at)) < radius}


def _bodies(rules: Ruleset, state: State, caught: AbstractSet[Caught], passing: str) -> None:
    """Check that all bodies are on the table, off impassable ground and off each other. A unit stopped on its way may be
    `passing` a friend. Those who are caught in a piece may stand in it.
    """
    size = (state.table.width, state.table.height)
    # What is high is climbed over where the match says for how much.
    climbed = {"high"} if isinstance(state.options.get("high_obstacles"), int) else set()
    flagged = (piece for piece in state.table.terrain if "impassable" in piece.flags)
    barred = terrain_of(state, [piece.id for piece in flagged if climbed.isdisjoint(piece.flags)])
    side = state.units[passing].side if passing else ""
    friends = {unit.id for unit in state.units.values() if unit.side == side}
    vehicles = hulls(state)
    taken: list[tuple[str, Base]] = []
    for unit in state.units.values():
        others = [base for who, base in taken if passing not in {unit.id, who} or not {unit.id, who} <= friends]
        for key, at, radius in () if unit.left or is_vehicle(unit) else _bases(unit):
            where = f"the base at {at} of {unit.id}"
            assert on_table(at, radius, size), f"{where} hangs over the edge"
            assert not overlaps(at, radius, others), f"{where} stands on another"
            if not passing:
                assert not overlaps_hull(at, radius, vehicles), f"{where} stands on a vehicle"
            for piece in barred:
                free = to_mil(piece.distance(at)) >= radius or (piece.id, unit.id, key) in caught
                assert free, f"{where} stands in {piece.name}"
            others += [(at, radius)] if unit.id != passing else []
            taken.append((unit.id, (at, radius)))
    if passing:
        # The area that a hull sweeps while it turns is not checked.
        return
    in_the_air = set(rules.aloft(state))
    for unit in state.units.values():
        over = _over(rules, unit)
        for outline in hulls(state, only=[unit.id]):
            inner = drawn_in(outline, 2 * SLACK)
            assert inside_table(inner, size), f"the hull at {outline} hangs over the edge"
            for piece in barred if unit.id not in in_the_air else ():
                assert piece.kind in over or not enters(inner, piece), f"the hull at {outline} stands in {piece.name}"
    for one, other in combinations(vehicles, 2):
        # Of the two the one that came last was drawn in a little when it was put there.
        both = hull_overlaps(one, (), (other,)) and hull_overlaps(other, (), (one,))
        assert not both, f"the hulls at {one} and {other} overlap"


def _over(rules: Ruleset, unit: Unit) -> Collection[str]:
    """Return the kinds of impassable ground over which a vehicle goes all the same: hovercraft go over water."""
    rows = getattr(getattr(rules, "book", None), "mobilities", {})
    row = rows.get(unit.profile.get("mobility"))
    return getattr(row, "over", ())
