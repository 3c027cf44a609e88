"""Laws of every game of FAD 4, in addition to those of all games."""

from __future__ import annotations

import math

from server.kernel.bodies import apart, bodies, body, is_vehicle
from server.kernel.facts import (
    ActivationEnded,
    ConditionGained,
    Declared,
    Fact,
    FiguresCarried,
    FiguresFell,
    FiguresLost,
    FiguresRose,
    ForceDismissed,
    Rolled,
    UnitBoarded,
    UnitFormed,
    UnitMoved,
    UnitPlaced,
)
from server.kernel.space.geometry import angle_difference, centroid, direction, distance, gap, inches, to_mil
from server.kernel.space.paths import largest_gap
from server.kernel.standing import TOUCH, touches
from server.kernel.state import State, Unit
from server.rulesets.fad.generated.noting import is_marker
from server.rulesets.fad.movement import CoherencyDistance
from server.rulesets.shared.turns import ACTIVATIONS, DEPLOYMENT
from tests.support.battlefield import fad


class Own:
    """Units come and go when forces are mustered, and only then. Squads keep together and have one marker at most. After a fight
    they fall back by the right distance and direction, and come into contact with no new enemy.
    """

    fall_back: tuple[str, ...] = ("assault.fall-back",)
    """The rules by which a squad falls back from a fight."""
    contact = TOUCH
    """How near to a vehicle figures get in, in mil."""
    aboard: tuple[str, ...] = ("broken",)
    """The markers that units aboard a vehicle can get."""
    off = inches(5)
    """How far from a vehicle figures are set down at most, in mil: Bio Mech suits go farther than men."""

    def __init__(self, start: State) -> None:
        self._roster = set(start.units)
        self._scores: dict[str, tuple[str, int]] = {}
        """For each squad in the last assault: its enemy and its score."""
        self._treated: set[str] = set()
        """The figures of the active unit that have just been treated."""
        self._whole: dict[str, State] = {}
        """By squad, the state before it fell back and lost figures over the table's edge."""
        self._driven: set[str] = set()
        """The vehicles that have moved in this activation."""

    def activations(self, state: State) -> int:  # noqa: ARG002  # other editions ask it
        """Return how often a unit may activate in a turn."""
        return 1

    def fact(self, before: State, fact: Fact, after: State) -> None:
        """Check where squads move to."""
        if isinstance(fact, ForceDismissed | UnitFormed):
            self._roster = {key for key, unit in after.units.items() if not is_marker(unit)}
        elif isinstance(fact, UnitPlaced):
            assert _widest(after.units[fact.unit]) <= _coherency(after, fact.unit)
        elif isinstance(fact, Rolled) and fact.purpose == "assault":
            self._scores[fact.unit] = (fact.target, int(fact.outcome))
        elif isinstance(fact, FiguresFell) and fact.cause == "left_table":
            self._whole[fact.unit] = before
        elif isinstance(fact, UnitMoved):
            if fact.rule in self.fall_back:
                _keeps_off(before, after, fact)
                self._goes_back(self._whole.pop(fact.unit, before), before, after, fact)
            elif fact.manner in {"move", "rush", "fall-back"}:
                self._together(before, after, fact)

        elif isinstance(fact, Declared) and fact.action == "out-of-coherency":
            assert _widest(after.units[fact.unit]) > _coherency(after, fact.unit), f"{fact.unit} holds together"
        self._wounded(before, fact)
        if isinstance(fact, ActivationEnded):
            self._whole.clear()
            self._driven.clear()
            self._treated.clear()
        self._passengers(before, fact, after)

    def _passengers(self, before: State, fact: Fact, after: State) -> None:
        """Check that those aboard are no targets and get no markers, and that no vehicle drives and lets troops off."""
        if isinstance(fact, UnitBoarded) and before.turn.phase == ACTIVATIONS:
            self._all_touch(before, fact)
        if isinstance(fact, FiguresFell) and before.units[fact.unit].aboard:
            assert fact.cause == "passengers", f"{fact.unit} is aboard, and loses figures by {fact.cause}"
        elif isinstance(fact, ConditionGained) and before.units[fact.unit].aboard:
            assert fact.condition in self.aboard, f"{fact.unit} is aboard, and gets {fact.condition}"
        elif isinstance(fact, UnitMoved) and is_vehicle(before.units[fact.unit]):
            self._driven.add(fact.unit)
        elif isinstance(fact, UnitPlaced) and (vehicle := before.units[fact.unit].aboard):
            carrier = before.units[vehicle]
            assert vehicle not in self._driven or carrier.left, f"{vehicle} has driven, and lets {fact.unit} off"
            hull = body(next(iter(carrier.figures.values())))
            far = max(apart([own], [hull]) for own in bodies(after.units[fact.unit]).values())
            assert far <= self.off, f"{fact.unit} is set down {far} mil from {vehicle}"

    def _all_touch(self, state: State, fact: UnitBoarded) -> None:
        carrier = bodies(state.units[fact.vehicle]).values()
        for key, own in bodies(state.units[fact.unit]).items():
            told = f"figure {key} of {fact.unit} gets in without touching {fact.vehicle}"
            assert apart([own], carrier) <= self.contact, told

    def _wounded(self, before: State, fact: Fact) -> None:
        """Check who stands up and who is carried."""
        if isinstance(fact, FiguresLost) and fact.condition in {"wounded", "stabilised"}:
            self._treated |= set(fact.figures)
        elif isinstance(fact, FiguresRose):
            assert fact.places.keys() <= self._treated, f"{fact.unit}: only the wounded rise"
        elif isinstance(fact, FiguresCarried):
            lying = {key for key, figure in before.units[fact.unit].figures.items() if figure.fallen}
            assert fact.places.keys() <= lying, f"{fact.unit} carries those who stand"

    def _goes_back(self, whole: State, before: State, after: State, fact: UnitMoved) -> None:
        """Check that each figure falls back no farther than it may, within the cone, and not nearer to the squad that it
        fought.
        """
        enemy, score = self._scores[fact.unit]
        draw = score == self._scores[enemy][1]
        table = fad(before.edition).book.tables.close_assault
        length = inches(table.fall_back_draw if draw else table.fall_back_lost)
        bend = 100 * table.fall_back_bend
        foe = whole.units[enemy]
        theirs = [base[0] for base in foe.places()] or [f.at for f in foe.figures.values() if f.at is not None]
        away = direction(centroid(theirs), centroid([at for at, _ in whole.units[fact.unit].places()]))
        for key in fact.paths:
            figure, start = after.units[fact.unit].figures[key], before.units[fact.unit].figures[key].at
            assert figure.at is not None
            assert start is not None
            told = f"figure {key} of {fact.unit}"
            gone = distance(start, figure.at)
            assert to_mil(gone) <= length, f"{told} fell back {gone:.0f} mil, of {length}"
            # Places are rounded to whole mil, which turns the direction of a short path.
            slack = math.degrees(math.atan2(1.5, gone)) * 100
            off = angle_difference(direction(start, figure.at), away)
            assert off <= bend + slack, f"{told} fell back {off / 100}° off straight away by {gone:.0f} mil"
            was = min((to_mil(gap(start, figure.radius, *base)) for base in foe.places()), default=0)
            now = min((to_mil(gap(figure.at, figure.radius, *base)) for base in foe.places()), default=0)
            assert now >= was, f"{told} fell back to {now} mil from the enemy, from {was}"

    def _together(self, before: State, after: State, fact: UnitMoved) -> None:
        """Check that a unit keeps its coherency, or restores it as far as it can."""
        _keeps_together(before, after, fact.unit)

    def state(self, state: State) -> None:
        """Check the markers."""
        counters = {key for key, unit in state.units.items() if is_marker(unit)}
        assert state.units.keys() - counters == self._roster
        assert not counters or state.turn.phase == DEPLOYMENT, (
            "markers that stand for units are gone when the game begins"
        )
        for unit in state.units.values():
            assert not {"under_fire", "pinned"} <= set(unit.conditions), f"{unit.id} has two markers"
            for key, figure in unit.figures.items():
                lies = not {"wounded", "stabilised"}.isdisjoint(figure.conditions)
                assert figure.fallen or not lies, f"figure {key} of {unit.id} is wounded and stands"
                active = state.turn.unit == unit.id
                assert active or "at_task" not in figure.conditions, f"figure {key} of {unit.id} is busy for good"


def _coherency(state: State, unit: str) -> int:
    return fad(state.edition).rules.advisers.answer(state, CoherencyDistance(unit)).value


def _keeps_together(before: State, after: State, unit: str) -> None:
    """Check that a unit stays in coherency, or if it was not, comes no farther apart."""
    was, now = _widest(before.units[unit]), _widest(after.units[unit])
    limit = _coherency(before, unit)
    if was <= limit:
        assert now <= limit, f"{unit} moved out of coherency: {now} over {limit}"
    else:
        assert now <= max(was, limit), f"{unit} was out of coherency and moved farther apart"


def _keeps_off(before: State, after: State, fact: UnitMoved) -> None:
    """Check that figures which fall back touch no enemy that they did not touch before."""
    unit, was = after.units[fact.unit], before.units[fact.unit]
    enemies = [base for foe in after.enemies_of(unit.side) for base in foe.places()]
    for key in fact.paths:
        figure, start = unit.figures[key], was.figures[key].at
        assert figure.at is not None
        assert start is not None
        for enemy in enemies:
            if touches((figure.at, figure.radius), enemy):
                near = to_mil(gap(start, figure.radius, *enemy))
                assert near <= TOUCH, f"figure {key} of {unit.id} fell back into contact"


def _widest(unit: Unit) -> int:
    places = unit.places()
    return largest_gap([at for at, _ in places], [radius for _, radius in places])
