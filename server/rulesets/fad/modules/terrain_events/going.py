"""Moves on which terrain events happen: a unit stops where it reaches a piece of which something comes, and may go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from msgspec import Struct
from msgspec.structs import replace

from client_protocol.choices import Choice, PathParameter, PathsDeclared, Picked
from client_protocol.explained import Line
from server.kernel.answers.check import Asked
from server.kernel.answers.paths import Around
from server.kernel.bodies import is_vehicle
from server.kernel.march import Stop, march
from server.kernel.procedure import Game, Steps, ask
from server.kernel.questions import total
from server.kernel.space.geometry import to_mil
from server.kernel.space.paths import path_cost, stretch
from server.kernel.space.terrain import Terrain
from server.kernel.state import State, Unit
from server.rulesets.fad import charge, movement
from server.rulesets.fad.game import FadGame, FadRules
from server.rulesets.fad.ground import on_foot
from server.rulesets.fad.module import Going
from server.rulesets.fad.modules.terrain_events import bogging, effects
from server.rulesets.fad.modules.terrain_events.happening import TRIGGER, on_ground, try_piece, untried
from server.rulesets.fad.modules.terrain_events.touching import first, near, reaches
from server.rulesets.fad.vehicles.characteristics import mobility
from server.rulesets.fad.vehicles.driving import CAUTIOUS, STANDARD, allowance, closed, drive_parameter
from server.rulesets.shared.charging import following, way_into_contact
from server.rulesets.shared.untangling import untangle

_STANDARD = "move.vehicle-standard"
_DRIVES = "drive"


class _Halt(Struct):
    """Where an event stopped a unit on its way, as its t, and how much movement it had used, in mil; None if none did."""

    used: int | None = None
    t: float = 1.0


def go(game: FadGame, going: Going) -> Steps[None]:
    """Move a unit, with what happens where it reaches and enters terrain."""
    halt, began = _Halt(), game.unit(going.unit)
    stops = [*_reaching(game.rules, game.state, going, halt), *bogging.stops(game.rules, game.state, going)]
    arrived = yield from march(game, going.unit, going.paths, going.manner, going.rule, stops, facing=going.facing)
    if not arrived:
        # Friends let it pass, and it may have been stopped among them.
        yield from untangle(game, going.unit, going.rule, _closed(game, going.unit), lambda _: False)
    yield from effects.entered(game, began, going, halt.t)
    if halt.used is not None and game.unit(going.unit).on_table:
        yield from _go_on(game, going, halt.used)


def _closed(game: FadGame, unit: str) -> tuple[str, ...]:
    if is_vehicle(game.unit(unit)):
        return tuple(closed(game.rules, game.state, unit))
    return on_foot(game.rules, game.state).closed


def _reaching(rules: FadRules, state: State, going: Going, halt: _Halt) -> Iterator[Stop]:
    """Yield where a unit on the ground first reaches each piece that none has reached. What takes no path reaches what it ends in
    when it next activates.
    """
    unit = state.units[going.unit]
    if not on_ground(rules, unit) or (is_vehicle(unit) and mobility(rules, unit).jumps):
        return
    for piece in untried(rules, state):
        if near(unit, going.paths, piece) and not reaches(unit, piece):
            t = first(state, unit.id, going.paths, _reached(piece))
            if t is not None:
                yield Stop(t, _happening(going, piece.id, (t, _used(rules, state, going, t)), halt))


def _reached(piece: Terrain) -> Callable[[Unit], bool]:
    return lambda unit: reaches(unit, piece)


def _happening(
    going: Going, piece: str, come: tuple[float, int], halt: _Halt
) -> Callable[[Game[FadRules]], Steps[bool]]:
    def happening(game: Game[FadRules]) -> Steps[bool]:
        if not (yield from try_piece(game, going.unit, piece)) or not _chosen(game, going):
            return True
        halt.t, halt.used = come
        return False

    return happening


def _chosen(game: FadGame, going: Going) -> bool:
    """Return whether the owner of a unit chose its way, and may change it."""
    if is_vehicle(game.unit(going.unit)):
        return going.manner == _DRIVES
    return bool(going.target) or going.manner in {movement.MOVE, movement.RUSH}


def _parameter(rules: FadRules, state: State, going: Going, left: int) -> PathParameter | None:
    """Return how a unit may go on with `left` mil of movement; None if it cannot."""
    unit = state.units[going.unit]
    if is_vehicle(unit):
        speed = STANDARD if going.rule == _STANDARD else CAUTIOUS
        parameter = drive_parameter(rules, state, unit.id, speed)
        gone = parameter.allowance - left
        limits = tuple([(piece, max(0, limit - gone)) for piece, limit in parameter.limits])
        return replace(parameter, allowance=left, limits=limits)
    fixed = total([Line("SET", left, "what is left of its move", TRIGGER)], "mil")
    if going.target:
        parameter = charge.charge_parameter(rules, state, unit.id, going.target)
        return replace(parameter, allowance=left, full=0, less=None)
    ends = movement.rush_ends(rules, state, unit) if going.manner == movement.RUSH else ()
    return movement.path_parameter(rules, state, unit.id, going.manner, ends, fixed=fixed)


def _limit(rules: FadRules, state: State, going: Going) -> int:
    """Return how much movement a unit has in all, in mil."""
    if going.limit is not None:
        return going.limit
    if is_vehicle(state.units[going.unit]):
        return allowance(rules, state, going.unit, STANDARD if going.rule == _STANDARD else CAUTIOUS).value
    manner = movement.CHARGE if going.target else going.manner
    return movement.allowance(rules, state, going.unit, manner).value


def _used(rules: FadRules, state: State, going: Going, t: float) -> int:
    """Return how much movement a unit uses on its way up to t, in mil: the figure that uses most."""
    unit = state.units[going.unit]
    if is_vehicle(unit):
        parameter = drive_parameter(rules, state, unit.id, CAUTIOUS)
    else:
        parameter = movement.path_parameter(rules, state, unit.id, movement.MOVE)
    costly = Around(state, parameter).costly
    used = 0
    for key, path in going.paths.items():
        start = unit.figures[key].at
        if start is not None and path:
            used = max(used, to_mil(path_cost(stretch((start, *path), 0.0, t), costly, parameter.ground)))
    return used


def _go_on(game: FadGame, going: Going, used: int) -> Steps[None]:
    """Let the owner of a unit that an event has stopped take the rest of its move."""
    seat = game.state.seat_of(going.unit)
    state = game.believed(seat)
    limit = _limit(game.rules, state, going)
    left = limit - used
    parameter = _parameter(game.rules, state, going, left) if left > 0 else None
    if parameter is None:
        return
    default = Picked("stop")
    if going.target:
        way = way_into_contact(state, parameter, going.target)
        if way is None:
            return
        default = Picked("go-on", (following(state, parameter, way),))
    choices = (
        Choice("go-on", "Go on", TRIGGER, "With what is left of its move.", (parameter,)),
        Choice("stop", "Stop", TRIGGER, "It stays where it has come to."),
    )
    title = f"{state.units[going.unit].name} may go on, or stop where it is"
    picked = yield from ask(seat, Asked(title, choices, default, TRIGGER, going.unit))
    if picked.choice == "go-on":
        way_on = picked.values[0]
        assert isinstance(way_on, PathsDeclared), "checked against the choice"
        yield from go(game, replace(going, paths=way_on.paths, facing=way_on.facing, limit=left))
