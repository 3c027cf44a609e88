"""Buildings that come down over those inside (fad5/damage.building-collapse)."""

from __future__ import annotations

from server.kernel.bodies import is_vehicle
from server.kernel.facts import ConditionGained, Rolled, TerrainChanged
from server.kernel.procedure import Steps, roll
from server.kernel.questions import Question
from server.kernel.space.geometry import inches, to_mil
from server.kernel.space.terrain import Terrain
from server.rulesets.fad import damage
from server.rulesets.fad.buildings import openings_of, walls_of
from server.rulesets.fad.game import UNDER_FIRE, FadGame, FadRules
from server.rulesets.fad.vehicles.passengers import killed_lines

RULE = "damage.building-collapse"
CAUSE = "buried"
RUBBLE = "rubble"
LIVES, DIES = "pass", "fail"


class BuriedKilled(Question, frozen=True):
    """The number on a die from which on a figure of `unit` is killed in a building that comes down."""

    unit: str


def register(rules: FadRules) -> None:
    """Register the advisers of this chapter."""
    rules.advisers.add(
        BuriedKilled, lambda state, q: killed_lines(rules, state.units[q.unit], "each figure inside", RULE)
    )


def bring_down(game: FadGame, target: str) -> Steps[None]:
    """Let a piece of terrain collapse: it becomes rubble; of a line nothing is left.

    The walls of a building are gone, and a die for each figure inside says whether it lives. The survivors stand where they
    stood; infantry in and near the building is marked.
    """
    rules, state = game.rules, game.state
    room = next(piece for piece in state.table.terrain if piece.id == target)
    for withstands in rules.withstanding(state):
        if (yield from withstands(game, room)):
            return
    if room.linear:
        yield TerrainChanged(room.id, None, RULE)
        return
    structure = bool(rules.book.kind(room.kind).walls) or room.kind in rules.book.tables.special.structures
    inside = {
        unit.id: figures
        for unit in state.units.values()
        if structure
        # Troops are buried; a flyer over the roof is not among them.
        and not is_vehicle(unit)
        and unit.on_table
        and (figures := tuple(key for key, own in unit.living.items() if own.at is not None and room.holds(own.at)))
    }
    gone = [*walls_of(state, room, rules.book.kind(room.kind).walls), *openings_of(rules, state, room)]
    kind = rules.book.kind(RUBBLE)
    yield TerrainChanged(room.id, kind.piece(room.id, RUBBLE, room.outline, f"{kind.name} of {room.name}"), RULE)
    for piece in gone:
        yield TerrainChanged(piece.id, None, RULE)
    for unit, figures in inside.items():
        yield from _bury(game, unit, figures)
    if structure:
        yield from _shake(game, room)


def _bury(game: FadGame, unit: str, figures: tuple[str, ...]) -> Steps[None]:
    need = game.rules.advisers.answer(game.state, BuriedKilled(unit))
    faces = yield from roll(len(figures), purpose="buried")
    marks = tuple(DIES if face >= need.value else LIVES for face in faces)
    dead = tuple(key for key, mark in zip(figures, marks, strict=True) if mark == DIES)
    yield Rolled("buried", RULE, faces, 6, marks, (need,), str(len(dead)), game.unit(unit).side, unit)
    if dead:
        yield from damage.lose(game, unit, dead, CAUSE, RULE)


def _shake(game: FadGame, room: Terrain) -> Steps[None]:
    """Mark the infantry in and near a building that came down (fad5/damage.vehicle-kill-shock)."""
    near = inches(game.rules.book.tables.vehicles.shock)
    for unit in tuple(game.state.units.values()):
        if is_vehicle(unit) or not unit.on_table or game.rules.replaced(unit, UNDER_FIRE):
            continue
        close = any(to_mil(room.distance(at)) - radius <= near for at, radius in unit.places())
        if close and UNDER_FIRE not in unit.conditions:
            yield ConditionGained(unit.id, UNDER_FIRE, RULE)
