"""Laws of every game of FUBAR 4, in addition to those of all games."""

from __future__ import annotations

from server.kernel.bodies import apart, bodies, is_vehicle, pose
from server.kernel.facts import ConditionGained, Fact, FiguresGained, PhaseBegan, UnitMoved
from server.kernel.space.geometry import inches
from server.kernel.space.paths import path_length
from server.kernel.state import State
from server.rulesets.fubar.contact import touching
from server.rulesets.fubar.fights import members, pairs
from server.rulesets.fubar.game import (
    FIGHTING,
    IMMOBILISED,
    REACTED,
    SUPPRESSED,
    fighting,
    suppressed,
)
from tests.rulesets.fubar4.battlefield import fubar4

CLEAR = inches(1)
MAKE_ROOM = "make-room"
INTO_CONTACT = {"assault", "step-up", MAKE_ROOM}
REACH = {
    "walk": 6,
    "run": 12,
    "duck-and-weave": 8,
    "gone-to-ground": 3,
    "assault": 8,
    "step-up": 5,
    "withdraw": 6,
    "drive": 12,
}
"""The farthest that a figure goes in one activation, in inches, by the manner of its move."""
ROUNDING = 10
"""Mil by which the ends of a move's legs are rounded."""


class Own:
    """Suppression keeps its limits, no unit reacts twice, moves keep clear of enemies, and vehicles do what vehicles can."""

    def __init__(self, _start: State) -> None:
        self._reacted: set[str] = set()
        self._gone: dict[tuple[str, str], float] = {}
        self._activation: tuple[int, str, str] = (0, "", "")

    def activations(self, _state: State) -> int:
        """Return how often a unit may activate in a turn."""
        return 1

    def fact(self, before: State, fact: Fact, after: State) -> None:
        """Check each fact."""
        if isinstance(fact, PhaseBegan) and fact.phase == "activations":
            self._reacted.clear()
        elif isinstance(fact, ConditionGained) and fact.condition == REACTED:
            assert fact.unit not in self._reacted, f"{fact.unit} reacts twice between two initiative rolls"
            self._reacted.add(fact.unit)
        elif isinstance(fact, FiguresGained) and fact.condition == SUPPRESSED:
            assert not is_vehicle(before.units[fact.unit]), "a vehicle is suppressed"
            twice = [key for key in fact.figures if SUPPRESSED in before.units[fact.unit].figures[key].conditions]
            assert not twice, f"{', '.join(twice)} of {fact.unit} are suppressed already"
        elif isinstance(fact, UnitMoved):
            if fact.manner in REACH:
                self._how_far(before, fact)
            if fact.manner != MAKE_ROOM:
                _who_moves(before, fact)
            if fact.manner not in INTO_CONTACT:
                _keeps_clear(before, after, fact)

    def state(self, state: State) -> None:
        """Check all units."""
        locked = set(members(pairs(state)))
        for unit in state.units.values():
            if unit.left:
                assert unit.id not in locked, f"{unit.id} fights on and is gone"
                continue
            limit = fubar4().rules.level(unit).max_suppressed
            assert len(suppressed(unit)) <= limit, f"{unit.id} has more than {limit} suppressed"
            assert (unit.id in locked) == (FIGHTING in unit.conditions), (
                f"{unit.id} fights without an enemy, or unmarked"
            )
            if is_vehicle(unit):
                assert not fighting(unit), "a vehicle fights hand to hand"
                assert not suppressed(unit)
            elif not state.turn.unit and touching(unit, state.enemies_of(unit.side)):
                assert fighting(unit), f"{unit.id} stands in contact with an enemy and does not fight"

    def _how_far(self, before: State, fact: UnitMoved) -> None:
        activation = (before.turn.number, before.turn.phase, before.turn.unit)
        if activation != self._activation:
            self._activation, self._gone = activation, {}
        for key, path in fact.paths.items():
            at = before.units[fact.unit].figures[key].at
            assert at is not None
            gone = self._gone.get((fact.unit, key), 0.0) + path_length((at, *path))
            self._gone[fact.unit, key] = gone
            most = inches(REACH[fact.manner]) + ROUNDING
            assert gone <= most, f"figure {key} of {fact.unit} has gone {gone:.0f} mil by {fact.manner}"


def _who_moves(before: State, fact: UnitMoved) -> None:
    """Check that no suppressed figure and no immobilised vehicle moves."""
    unit = before.units[fact.unit]
    if IMMOBILISED in unit.conditions:
        still = all(path[-1] == pose(unit).at for path in fact.paths.values())
        assert still, f"{fact.unit} is immobilised and drives"
        assert not fact.facings, f"{fact.unit} is immobilised and turns"
    lying = [key for key in fact.paths if SUPPRESSED in unit.figures[key].conditions]
    assert not lying, f"{', '.join(lying)} of {fact.unit} are suppressed and move"


def _keeps_clear(before: State, after: State, fact: UnitMoved) -> None:
    """Check that figures which do not charge end at least an inch from every enemy, or no nearer than they began.

    Vehicles may turn on their way, so that their tails come nearer; the kernel's own tests check their paths.
    """
    if is_vehicle(before.units[fact.unit]):
        return
    was, now = bodies(before.units[fact.unit]), bodies(after.units[fact.unit])
    for foe in after.enemies_of(after.units[fact.unit].side):
        theirs = bodies(foe)
        for key in fact.paths if theirs else ():
            near = apart([now[key]], theirs.values())
            assert near >= CLEAR - ROUNDING or near >= apart([was[key]], theirs.values()) - ROUNDING, (
                f"figure {key} of {fact.unit} comes within an inch of {foe.id} by {fact.manner}"
            )
