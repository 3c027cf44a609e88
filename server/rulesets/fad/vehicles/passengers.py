"""Passengers of a vehicle that leaves the game: who of them gets out (fad4/transport.destroyed-by-fire)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import Enum

from client_protocol.choices import Choice, FiguresPlaced, Picked
from client_protocol.explained import Line
from server.kernel.answers.check import Asked
from server.kernel.facts import ConditionGained, Declared, Rolled, UnitPlaced
from server.kernel.procedure import Steps, ask, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import Outline, inches
from server.kernel.state import Unit
from server.rulesets.fad import damage
from server.rulesets.fad.game import POWERED, UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.movement import CoherencyDistance, crew_bonds
from server.rulesets.fad.vehicles.walls import way_off
from server.rulesets.shared.free_space import SpaceRound

RULE = "transport.destroyed-by-fire"
CAUSE = "passengers"
NO_SPACE = "no-space"
LIVES, DIES = "pass", "fail"


class Fate(Enum):
    """What it means for those aboard that their vehicle leaves the game."""

    UNHARMED = "unharmed"
    """All get out."""
    UNDER_FIRE = "under-fire"
    """A die for each figure says whether it gets out."""
    KILLED = "killed"
    """None gets out."""


class PassengerKilled(Question, frozen=True):
    """The number on a die from which on a passenger of a vehicle that was shot to pieces is killed, who is of `unit`."""

    unit: str


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(
        PassengerKilled,
        lambda state, q: killed_lines(rules, state.units[q.unit], "passenger of a destroyed vehicle", RULE),
    )


def killed_lines(rules: FadRules, unit: Unit, reason: str, rule: str) -> Iterator[Line]:
    """Yield the number on a die from which on a figure of a unit is killed in what is destroyed around it: for this `reason`, or
    more in powered armour (fad5/damage.vehicle-kill-passengers).
    """
    table, armour = rules.book.tables.transport, rules.armour(unit)
    if POWERED in armour.traits and table.powered_killed_on:
        yield Line("SET", table.powered_killed_on, armour.name, rule)
    else:
        yield Line("SET", table.killed_on, reason, rule)


def suffer(game: FadGame, units: Sequence[str], wreck: Outline, fate: Fate) -> Steps[None]:
    """Let the `units` that were aboard a vehicle get out next to its `wreck`, as their `fate` allows."""
    if fate == Fate.KILLED:
        for unit in units:
            yield from damage.lose(game, unit, tuple(game.unit(unit).living), CAUSE, "assault.vehicle-passengers")
        return
    if fate == Fate.UNDER_FIRE:
        for unit in units:
            yield from _roll(game, unit)
    for unit in units:
        if not game.unit(unit).left:
            yield from _set_down(game, unit, wreck)


def _roll(game: FadGame, unit: str) -> Steps[None]:
    """Roll a die for each figure aboard; those that fail fall."""
    own = game.unit(unit)
    need = game.rules.advisers.answer(game.state, PassengerKilled(unit))
    faces = yield from roll(own.strength, purpose="passengers")
    marks = tuple(DIES if face >= need.value else LIVES for face in faces)
    yield Rolled(
        purpose="passengers",
        rule=RULE,
        faces=faces,
        marks=marks,
        numbers=(need,),
        outcome=str(marks.count(DIES)),
        side=own.side,
        unit=unit,
    )
    dead = tuple(key for key, mark in zip(own.living, marks, strict=True) if mark == DIES)
    if dead:
        yield from damage.lose(game, unit, dead, CAUSE, RULE)


def _set_down(game: FadGame, unit: str, wreck: Outline) -> Steps[None]:
    """Let the owner place the squad near the wreck. Figures without free space there are lost."""
    state = game.state
    own = state.units[unit]
    reach = inches(game.rules.book.tables.transport.reach)
    gap = game.rules.advisers.answer(state, CoherencyDistance(unit)).value

    def space() -> SpaceRound:
        barred = on_foot(game.rules, game.state).closed
        state = game.believed(own_seat)
        bonds = crew_bonds(game.rules, state, state.units[unit])
        landing = way_off(game.rules, state, state.units[unit], wreck, reach, RULE)
        rule = "coherency.distance"
        return SpaceRound(state, unit, wreck, barred, gap=gap, gap_rule=rule, landing=landing, bonds=bonds)

    own_seat = state.seat_of(unit)
    places = space().within(reach)
    crushed = tuple(key for key in own.living if key not in places)
    if crushed:
        yield Declared(unit, NO_SPACE, RULE)
        yield from damage.lose(game, unit, crushed, CAUSE, RULE)
    if game.unit(unit).left:
        return
    parameter = space().placement(reach, places)
    choice = Choice("get-out", "Place them", RULE, "Near the wreck, in coherency.", (parameter,))
    default = Picked("get-out", (FiguresPlaced((places,)),))
    picked = yield from ask(own_seat, Asked(f"{own.name} gets out of the wreck", (choice,), default, RULE, unit))
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    yield UnitPlaced(unit, placed.places[0])
    out = game.unit(unit)
    if not game.rules.book.tables.transport.marked:
        return
    if UNDER_FIRE not in out.conditions and not game.rules.replaced(out, UNDER_FIRE):
        yield ConditionGained(unit, UNDER_FIRE, RULE)
