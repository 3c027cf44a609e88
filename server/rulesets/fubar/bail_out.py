"""Bailing out of a destroyed vehicle: its crew and passengers roll to survive, and its wreck becomes terrain."""

from __future__ import annotations

from collections.abc import Iterator

from client_protocol.choices import Choice, FiguresPlaced, Picked
from client_protocol.explained import Explained, Line
from server.kernel import notes
from server.kernel.answers.check import Asked
from server.kernel.bodies import body, riders
from server.kernel.facts import Declared, Rolled, TerrainAdded, UnitFormed, UnitLeft, UnitPlaced
from server.kernel.notes import Note, word
from server.kernel.procedure import Steps, ask, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import Outline, inches
from server.kernel.space.terrain import Terrain
from server.kernel.state import Figure, Unit
from server.rulesets.fubar import casualties, dice
from server.rulesets.fubar.game import ARM, ARMOUR, CREW, CREW_ARMOUR, KIND, LEVEL, FubarGame, FubarRules
from server.rulesets.fubar.getting_out import space_round

RULE = "vdamage.destroyed"
CAUSE = "bail_out"
NO_ROOM = "no_room"
CREW_KIND = "crew"
BASE = 500
"""The radius of a man's base, in mil."""
PISTOL = "pistol"
WRECK = "wreck"


class BailOutNeed(Question, frozen=True):
    """The number that the die of a man in personal armour `armour` must show for him to get out alive."""

    armour: str


def register(rules: FubarRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(BailOutNeed, lambda _, q: _need_lines(rules, q))


def _need_lines(rules: FubarRules, question: BailOutNeed) -> Iterator[Line]:
    # fubar4/vdamage.destroyed: or his armour's save, whichever is better
    yield Line("SET", rules.book.tables.bail_out.need, "bailing out", RULE)
    armour = rules.book.armours[question.armour]
    if armour.save:
        yield Line("CAP", armour.save, armour.name, RULE)


def bail_out(game: FubarGame, vehicle: str) -> Steps[None]:
    """Destroy `vehicle`: leave a wreck, and roll one die for each of its crew and passengers."""
    gone = game.unit(vehicle)
    outline = body(next(iter(gone.figures.values()))).outline
    passengers = [unit.id for unit in riders(game.state, vehicle)]
    yield UnitLeft(vehicle, "destroyed", RULE)
    yield TerrainAdded(_wreck(game.rules, gone, outline), RULE)
    crew = _crew(gone, max(unit.number for unit in game.state.units.values()) + 1)
    yield UnitFormed(crew, RULE)
    for unit in (crew.id, *passengers):
        yield from _get_out(game, unit)
    for unit in (crew.id, *passengers):
        yield from _place(game, unit, outline)


def _wreck(rules: FubarRules, vehicle: Unit, outline: Outline) -> Terrain:
    return rules.book.kind(WRECK).piece(f"wreck-{vehicle.id}", WRECK, outline, f"Wreck of {vehicle.name}")


def _crew(vehicle: Unit, number: int) -> Unit:
    """Return the crew as a unit of its own, with pistols and the vehicle's level.

    It has had its activation try this turn if the vehicle has.
    """
    profile: dict[str, Note] = {ARM: PISTOL, ARMOUR: word(vehicle.profile, CREW_ARMOUR, "none")}
    count = notes.number(vehicle.profile, CREW)
    return Unit(
        id=f"{vehicle.id}-crew",
        side=vehicle.side,
        name=f"Crew of {vehicle.name}",
        number=number,
        profile={KIND: CREW_KIND, LEVEL: vehicle.profile[LEVEL]},
        figures={str(n): Figure(None, BASE, profile=profile) for n in range(1, count + 1)},
        activated=vehicle.activated,
    )


def _get_out(game: FubarGame, unit: str) -> Steps[None]:
    """Roll for the figures of one unit: those that fail fall; no figure is suppressed (fubar4/vehicle.never-suppressed)."""
    groups: dict[Explained, list[str]] = {}
    for key, figure in game.unit(unit).living.items():
        # Each figure uses its own armour, not that of the majority.
        need = game.rules.advisers.answer(game.state, BailOutNeed(game.rules.armour(figure).id))
        groups.setdefault(need, []).append(key)
    dead: list[str] = []
    for need, figures in groups.items():
        faces = yield from roll(len(figures), purpose="bail-out")
        marks = dice.marks(faces, need.value, success=dice.SAVED)
        dead += [key for key, mark in zip(figures, marks, strict=True) if mark == dice.FAILED]
        side = game.unit(unit).side
        outcome = str(marks.count(dice.SAVED))
        yield Rolled("bail-out", RULE, faces, marks=marks, numbers=(need,), outcome=outcome, side=side, unit=unit)
    if dead:
        yield from casualties.fell(game, unit, tuple(dead), CAUSE, RULE)


def _place(game: FubarGame, unit: str, outline: Outline) -> Steps[None]:
    """Let the owner place the survivors near the wreck, or as near to it as there is free space."""
    if game.unit(unit).left:
        return
    near = inches(game.rules.book.tables.bail_out.reach)
    reach, places = space_round(game.rules, game.state, unit, outline).nearest(near)
    # A figure that has no free space near the wreck is placed farther out. It is lost only if the whole table is full.
    crushed = tuple(key for key in game.unit(unit).living if key not in places)
    if crushed:
        yield Declared(unit, "no-room", RULE)
        yield from casualties.fell(game, unit, crushed, NO_ROOM, RULE)
    if game.unit(unit).left:
        return
    seat = game.state.seat_of(unit)
    state = game.believed(seat)
    parameter = space_round(game.rules, state, unit, outline).placement(reach, places)
    choice = Choice("bail-out", "Place them", RULE, "Near the wreck, which is moderate cover.", (parameter,))
    default = Picked("bail-out", (FiguresPlaced((places,)),))
    picked = yield from ask(seat, Asked(f"{state.units[unit].name} bails out", (choice,), default, RULE, unit))
    placed = picked.values[0]
    assert isinstance(placed, FiguresPlaced), "checked against the choice"
    yield UnitPlaced(unit, placed.places[0])
