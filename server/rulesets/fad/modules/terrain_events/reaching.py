"""Where units on their way first reach pieces of which something may come."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from server.kernel.bodies import is_vehicle
from server.kernel.procedure import Steps
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.module import Going, Meeting, Progress
from server.rulesets.fad.modules.terrain_events import bogging
from server.rulesets.fad.modules.terrain_events.happening import TRIGGER, on_ground, try_piece, untried
from server.rulesets.fad.modules.touching import first, near, reaches
from server.rulesets.fad.vehicles.characteristics import mobility


def meets(rules: FadRules, state: State, going: Going) -> Iterator[Meeting]:
    """Yield where a unit on the ground first reaches each piece that none has reached, and where it may bog. What takes no path
    reaches what it ends in when it next activates.
    """
    unit = state.units[going.unit]
    if on_ground(rules, unit) and not (is_vehicle(unit) and mobility(rules, unit).jumps):
        for piece in untried(rules, state):
            if near(unit, going.paths, piece) and not reaches(unit, piece):
                t = first(state, unit.id, going.paths, _reached(piece))
                if t is not None:
                    yield Meeting(t, _tried(unit.id, piece.id), TRIGGER)
    yield from bogging.meets(rules, state, going)


def _reached(piece: Terrain) -> Callable[[Unit], bool]:
    return lambda unit: reaches(unit, piece)


def _tried(unit: str, piece: str) -> Callable[[FadGame], Steps[Progress]]:
    def happening(game: FadGame) -> Steps[Progress]:
        return Progress.HALTED if (yield from try_piece(game, unit, piece)) else Progress.ON

    return happening
